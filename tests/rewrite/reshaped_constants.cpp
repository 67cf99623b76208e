// SPDX-License-Identifier: BSL-1.0
// rules/movement.hpp: arithmetic with a constant between a reshape and one back.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;
using shape = std::initializer_list<int>;
constexpr activation_function relu{function::relu};

/// x reshaped, with a constant, and reshaped to `back`; without reshaping before if `apart` is empty.
struct way {
  op::binary_function f = add;
  bool constant_first = false;
};
constexpr value_id together(builder& b, const way& w, value_id x, value_id k) {
  return w.constant_first ? b.binary("it", w.f, k, x, relu) : b.binary("it", w.f, x, k, relu);
}
constexpr void between(builder& b, shape x, shape apart, shape k, shape back, const way& w = {}) {
  const value_id v = b.relu("relu", b.input("x", x)), c = b.constant("k", k);
  b.output("", b.reshape("back", together(b, w, apart.size() == 0 ? v : b.reshape("apart", v, apart), c), back));
}
/// x with a constant of this shape, which has the name of what reshaped back.
constexpr void beside(builder& b, shape x, shape k, const way& w = {}) {
  const value_id v = b.relu("relu", b.input("x", x));
  b.output("", together(b, w, v, b.constant("back", k)));
}

/// Windows, heads, queries, keys: a mask of each window for all heads.
constexpr auto windows = [](builder& b) { between(b, {6, 2, 4, 5}, {1, 6, 2, 4, 5}, {1, 6, 1, 4, 5}, {6, 2, 4, 5}); };
constexpr auto ones_with_constant = [](builder& b) { between(b, {6, 2, 4, 5}, {}, {1, 6, 1, 4, 5}, {6, 2, 4, 5}); };
constexpr auto masked_windows = [](builder& b) { beside(b, {6, 2, 4, 5}, {6, 1, 4, 5}); };
constexpr auto part_of_batch = [](builder& b) {
  between(b, {6, 2, 4, 5}, {2, 3, 2, 4, 5}, {3, 1, 4, 5}, {6, 2, 4, 5});
};
/// Rows and columns as one axis, and an axis as two.
constexpr auto rows_of_pixels = [](builder& b) { between(b, {3, 4, 5}, {3, 20}, {20}, {3, 4, 5}, {sub, true}); };
constexpr auto pixels = [](builder& b) { beside(b, {3, 4, 5}, {1, 4, 5}, {sub, true}); };
constexpr auto scales_of_channels = [](builder& b) {
  between(b, {2, 12}, {2, 3, 4}, {3, 4}, {2, 12}, {op::binary_function::div, false});
};
constexpr auto scales_of_all = [](builder& b) { beside(b, {2, 12}, {1, 12}, {op::binary_function::div, false}); };
constexpr auto channels_of_groups = [](builder& b) { between(b, {2, 12}, {2, 3, 4}, {3, 1}, {2, 12}); };
constexpr auto to_another_shape = [](builder& b) { between(b, {3, 4, 5}, {3, 20}, {20}, {12, 5}); };
constexpr auto made_more = [](builder& b) { between(b, {1, 20}, {20}, {3, 20}, {3, 20}); };
constexpr auto with_an_input = [](builder& b) {
  const value_id x = b.reshape("apart", b.input("x", {3, 4, 5}), {3, 20});
  b.output("", b.reshape("back", b.sum("it", x, b.input("y", {20})), {3, 4, 5}));
};
constexpr auto reshaped_is_read = [](builder& b) {
  const value_id x = b.reshape("apart", b.input("x", {3, 4, 5}), {3, 20});
  b.output("apart", x);
  b.output("", b.reshape("back", b.sum("it", x, b.constant("k", {20})), {3, 4, 5}));
};
constexpr auto sum_is_read = [](builder& b) {
  const value_id x = b.reshape("apart", b.input("x", {3, 4, 5}), {3, 20}), y = b.sum("it", x, b.constant("k", {20}));
  b.output("it", y);
  b.output("", b.reshape("back", y, {3, 4, 5}));
};
/// One mask for two layers stays for the other.
template <bool Before>
constexpr auto mask_of_two = [](builder& b) {
  const value_id x = b.input("x", {6, 2, 4, 5}), y = b.input("y", {1, 6, 1, 4, 5}),
                 k = b.constant("k", {1, 6, 1, 4, 5});
  if (Before) {
    const value_id v = b.sum("it", b.reshape("apart", x, {1, 6, 2, 4, 5}), k);
    b.output("", b.reshape("back", v, {6, 2, 4, 5}));
  } else {
    const value_id own = b.constant("back", {6, 1, 4, 5});
    b.output("", b.sum("it", x, own));
  }
  b.output("other", b.sum("other", y, k));
};

}  // namespace

FIRES("a mask of windows", (rules::reshaped_constant), windows, masked_windows)
FIRES("a mask of windows whose constant has the ones", (rules::reshaped_constant), ones_with_constant, masked_windows)
FIRES("a row of numbers as rows and columns", (rules::reshaped_constant), rows_of_pixels, pixels)
FIRES("numbers of two axes as one", (rules::reshaped_constant), scales_of_channels, scales_of_all)
FIRES("a mask that another layer reads", (rules::reshaped_constant), mask_of_two<true>, mask_of_two<false>)
DECLINES("a mask of windows for each of two images", (rules::reshaped_constant), part_of_batch,
         "the constant lies along parts of axes")
DECLINES("numbers of groups of channels", (rules::reshaped_constant), channels_of_groups,
         "the constant lies along parts of axes")
DECLINES("a reshape to another shape", (rules::reshaped_constant), to_another_shape, "it does not give its shape back")
DECLINES("a constant of more numbers", (rules::reshaped_constant), made_more, "it does not give its shape back")
DECLINES("the sum with an input", (rules::reshaped_constant), with_an_input, "")
DECLINES("what is reshaped is an output", (rules::reshaped_constant), reshaped_is_read,
         "it does not give its shape back")
DECLINES("the sum is an output", (rules::reshaped_constant), sum_is_read, "its input is a network output too")
