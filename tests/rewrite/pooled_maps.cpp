// SPDX-License-Identifier: BSL-1.0
// rules/pooled_maps.hpp: scales and shifts go before pooling.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr activation_function relu{function::relu};

constexpr op::pool windows(op::pooling f, int pad = 0) {
  op::pool p;
  p.function = f;
  p.kernel = {2, 2};
  p.stride = {2, 2};
  p.pad = {pad, pad, pad, pad};
  return p;
}
constexpr op::adaptive_pool overall(op::pooling f) {
  op::adaptive_pool p;
  p.function = f;
  return p;
}
/// conv > pool > what `then` puts behind it.
constexpr void pooled(builder& b, const auto& pool, auto then, activation_function f = {}) {
  const value_id y = b.add(pool, "pool", {b.conv("conv", b.input("x", {2, 4, 4}), 3, 3, f)});
  b.output("", then(b, y));
}
constexpr auto nothing = [](builder&, value_id v) { return v; };
constexpr auto scaled = [](builder& b, value_id v) { return b.add(op::scale{true}, "scale", {v}); };
constexpr auto shifted = [](builder& b, value_id v) { return b.add(op::bias{}, "bias", {v}); };
template <int Percent>
constexpr auto times = [](builder& b, value_id v) {
  return b.scalar("times", op::binary_function::mul, v, static_cast<float>(Percent) / 100);
};
template <op::pooling F, int Pad>
constexpr auto alone = [](builder& b) { pooled(b, windows(F, Pad), nothing); };
constexpr auto average_scaled = [](builder& b) { pooled(b, windows(op::pooling::average), scaled); };
constexpr auto padded_average_times = [](builder& b) { pooled(b, windows(op::pooling::average, 1), times<-50>); };
constexpr auto overall_shifted = [](builder& b) { pooled(b, overall(op::pooling::average), shifted); };
constexpr auto overall_alone = [](builder& b) { pooled(b, overall(op::pooling::average), nothing); };
constexpr auto maximum_shifted = [](builder& b) { pooled(b, windows(op::pooling::max, 1), shifted); };
constexpr auto maximum_times = [](builder& b) { pooled(b, windows(op::pooling::max), times<50>); };
constexpr auto maximum_scaled = [](builder& b) { pooled(b, windows(op::pooling::max), scaled); };
constexpr auto maximum_of_positive = [](builder& b) {
  pooled(b, windows(op::pooling::max), [](builder& c, value_id v) {
    const value_id k = c.constant("k", {3, 1, 1}, numbers_are::positive);
    return c.binary("scale", op::binary_function::mul, v, k);
  });
};
constexpr auto maximum_times_negative = [](builder& b) { pooled(b, windows(op::pooling::max), times<-50>); };
constexpr auto padded_average_shifted = [](builder& b) { pooled(b, windows(op::pooling::average, 1), shifted); };
constexpr auto root_of_squares = [](builder& b) { pooled(b, windows(op::pooling::lp), times<50>); };
constexpr auto active = [](builder& b) { pooled(b, windows(op::pooling::average), scaled, relu); };
constexpr auto along_rows = [](builder& b) {
  pooled(b, windows(op::pooling::average), [](builder& c, value_id v) {
    return c.add(op::scale{true, 1}, "scale", {v});
  });
};

}  // namespace

FIRES("a scale of averages", (rules::affine_before_pool), average_scaled, (alone<op::pooling::average, 0>))
FIRES("averages with padding by a number", (rules::affine_before_pool), padded_average_times,
      (alone<op::pooling::average, 1>))
FIRES("a shift of the average of all", (rules::affine_before_pool), overall_shifted, overall_alone)
FIRES("a shift of maxima", (rules::affine_before_pool), maximum_shifted, (alone<op::pooling::max, 1>))
FIRES("half of maxima", (rules::affine_before_pool), maximum_times, (alone<op::pooling::max, 0>))
FIRES("maxima by positive numbers", (rules::affine_before_pool), maximum_of_positive, (alone<op::pooling::max, 0>))
DECLINES("maxima by any numbers", (rules::affine_before_pool), maximum_scaled, "its slopes may be below 0")
DECLINES("maxima by a negative number", (rules::affine_before_pool), maximum_times_negative,
         "its slopes may be below 0")
DECLINES("a shift of averages with padding", (rules::affine_before_pool), padded_average_shifted,
         "its windows see padding")
DECLINES("roots of squares", (rules::affine_before_pool), root_of_squares, "it takes neither maxima nor averages")
DECLINES("an activation before", (rules::affine_before_pool), active, "its input has an activation already")
DECLINES("a scale along rows", (rules::affine_before_pool), along_rows, "its channels are not the outputs of the layer")
