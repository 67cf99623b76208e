// SPDX-License-Identifier: BSL-1.0
// Windows against a count by hand: every size, kernel, stride, dilation and padding that is small.
#include <doctest/doctest.h>

#include <ctnn/graph/operators/convolution.hpp>
#include <ctnn/graph/operators/pooling.hpp>
#include <ctnn/graph/window.hpp>

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("positions of a window are those that fit") {
  for (int size = 1; size <= 9; ++size)
    for (int window = 1; window <= 5; ++window)
      for (int stride = 1; stride <= 4; ++stride)
        for (int before = 0; before <= 2; ++before)
          for (int after = 0; after <= 2; ++after) {
            const int room = size + before + after;
            if (room < window) continue;
            int whole = 0, begun = 0;
            for (int at = 0; at + window <= room; at += stride) ++whole;
            for (int at = 0; at < size + before && at + window < room + stride; at += stride) ++begun;
            INFO("size " << size << ", window " << window << ", stride " << stride << ", " << before << ' ' << after);
            CHECK(window_count(size, before, after, window, stride, false) == whole);
            // PyTorch's ceil_mode, which admits no padding above half a window.
            if (2 * after <= window) CHECK(window_count(size, before, after, window, stride, true) == begun);
          }
}

TEST_CASE("SAME padding makes size / stride results, rounded up, and is even but for one") {
  for (int size = 1; size <= 12; ++size)
    for (int kernel = 1; kernel <= 5; ++kernel)
      for (int stride = 1; stride <= 4; ++stride)
        for (int dilation = 1; dilation <= 3; ++dilation) {
          INFO("size " << size << ", kernel " << kernel << ", stride " << stride << ", dilation " << dilation);
          const pair upper = resolve_padding(pair{9, 9}, same_padding::upper, kernel, stride, dilation, size);
          const pair lower = resolve_padding(pair{9, 9}, same_padding::lower, kernel, stride, dilation, size);
          CHECK(upper[0] == lower[1]);
          CHECK(upper[1] == lower[0]);
          CHECK((upper[1] == upper[0] || upper[1] == upper[0] + 1));
          const int span = span_of(kernel, dilation);
          if (size + upper[0] + upper[1] >= span)
            CHECK(window_count(size, upper[0], upper[1], span, stride, false) == (size + stride - 1) / stride);
        }
  CHECK(resolve_padding(pair{1, 2}, same_padding::none, 3, 1, 1, 8) == pair{1, 2});
}

// Constant evaluation refuses an overflow, wherever it is.
TEST_CASE("windows too large to count are refused with SAME padding, too") {
  constexpr auto refusal = [](const auto& op) {
    const extents in[] = {{1, 8, 8}};
    extents out[2];
    return op.infer(in, out).kind;
  };
  constexpr auto wide = [] {
    op::conv2d p;
    p.out = 1;
    p.kernel = {200, 3};
    p.dilation = {1 << 24, 1};
    p.same = same_padding::upper;
    return p;
  };
  static_assert(refusal(wide()) == mistake::too_large);
  constexpr auto wider = [] {
    op::conv2d p;
    p.out = 1;
    p.kernel = {1, 1};
    p.dilation = {1, (1 << 24) + 1};  // of one tap, but it is multiplied with
    return p;
  };
  static_assert(refusal(wider()) == mistake::option_out_of_range);
  constexpr auto most = [] {
    op::pool p;
    p.kernel = by_axis{1 << 24};
    p.dilation = by_axis{1 << 24};
    p.same = same_padding::lower;
    return p;
  };
  static_assert(refusal(most()) == mistake::too_large);
  CHECK(resolve_padding(pair{}, same_padding::upper, 1 << 24, 1, 1 << 24, 8) == pair{1073741823, 1073741824});
}

TEST_CASE("numbers for the axes repeat, and the fewest that say the same are one spelling") {
  const by_axis one{3}, two{3, 3}, mixed{1, 2}, twice{1, 2, 1, 2};
  CHECK(two.at(0) == one.at(1));
  CHECK(one.period() == 1);
  CHECK(two.period() == 1);
  CHECK(mixed.period() == 2);
  CHECK(twice.period() == 2);
  field_values a, b;
  encode_field(mixed, a);
  encode_field(twice, b);
  CHECK(a == b);
  CHECK(!mixed.check("stride", 4, 1));
  CHECK(mixed.check("stride", 3, 1).kind == mistake::option_out_of_range);  // two numbers for three axes
  CHECK(mixed.check("stride", 2, 2).kind == mistake::option_out_of_range);  // 1 is below 2
  CHECK(by_axis{}.check("stride", 2, 1).kind == mistake::option_out_of_range);
}
