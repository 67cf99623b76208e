// SPDX-License-Identifier: BSL-1.0
// A convolution takes in the prelu behind it, whichever kernel computes it.
#include <doctest/doctest.h>

#include <ctnn/ctnn.hpp>

#include "support/run_both.hpp"

namespace nn = ctnn;
using namespace ctnn::ir;

namespace {

struct net : nn::network<nn::input<"x", nn::shape<3, 20, 20>>,  //
                         nn::conv2d<"stem", nn::out<32>, nn::kernel<3>, nn::pad<1>, nn::no_bias>,
                         nn::batch_norm<"norm">, nn::prelu<"stem_slopes">,
                         nn::conv2d<"square", nn::out<32>, nn::kernel<3>, nn::pad<1>>, nn::prelu<"square_slopes">,
                         nn::conv2d<"depthwise", nn::out<32>, nn::kernel<3>, nn::pad<1>, nn::groups<32>>,
                         nn::prelu<"depthwise_slopes">, nn::conv2d<"point", nn::out<32>, nn::kernel<1>>,
                         nn::add<"sum", nn::from<"point", "square_slopes">>, nn::prelu<"sum_slopes">,
                         nn::conv2d<"grouped", nn::out<12>, nn::kernel<3>, nn::stride<2>, nn::groups<4>>,
                         nn::prelu<"grouped_slopes">> {};
using fused = nn::optimized<net>;
static_assert(fused::size == 6);
static_assert(nn::fused_into<net, "sum_slopes"> == "point" && nn::fused_into<net, "norm"> == "stem");
static_assert(nn::winograd<fused, "square"> != 0 && nn::winograd<fused, "point"> == 0);

/// Its word is that of every activation.
using image = nn::input<"x", nn::shape<2, 4, 4>>;
template <class... Options>
using conv = nn::conv2d<"conv", nn::out<3>, nn::kernel<1>, Options...>;
static_assert(std::is_same_v<nn::optimized<nn::network<image, conv<>, nn::prelu<"slopes">>>,
                             nn::network<image, conv<nn::fused<nn::function::prelu>>>>);

/// Only conv2d has slopes among its weights.
template <class Op>
constexpr bool takes_slopes(Op op, const nn::extents& x) {
  op.activation = {function::prelu};
  const field_values f = encode(op);
  const pool<nn::extents> in(1, x);
  description d;
  return !type_of<Op>.describe({f.data(), f.size()}, {in.data(), in.size()}, {}, d);
}
constexpr nn::op::conv2d one_pixel = [] {
  nn::op::conv2d c;
  c.out = 3;
  c.kernel = {1, 1};
  return c;
}();
static_assert(takes_slopes(one_pixel, {2, 4, 4}));
static_assert(!takes_slopes(nn::op::activation{}, {2, 4, 4}) && !takes_slopes(nn::op::linear{2}, {4}) &&
              !takes_slopes(nn::op::bias{}, {4}));

constexpr float weight[] = {1, -1}, bias[] = {0.5f}, slope[] = {-2}, two[] = {3, 1};
constexpr nn::named_weight numbers[] = {
    {"conv", "weight", weight}, {"conv", "bias", bias}, {"conv", "slope", slope}};
using by_hand = nn::network<nn::input<"x", nn::shape<2, 1, 1>>,
                            nn::conv2d<"conv", nn::out<1>, nn::kernel<1>, nn::fused<nn::function::prelu>>>;
static_assert(nn::constant_run<by_hand, numbers>(two)[0] == 2.5f);
constexpr float negative[] = {1, 3};
static_assert(nn::constant_run<by_hand, numbers>(negative)[0] == 3.0f);  // (1 - 3 + 0.5) * -2

}  // namespace

TEST_CASE("convolutions with prelu inside give what the two layers give") {
  CHECK(test::optimized_differs<net>() == "");
}
