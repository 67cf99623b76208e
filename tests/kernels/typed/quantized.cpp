// SPDX-License-Identifier: BSL-1.0
// Quantised operators against their definitions.
#include "run_typed.hpp"

namespace ctnn {

using namespace test;

TEST_CASE("quantising rounds to even, saturates, by element, axis and block") {
  op::quantize q;
  const array x = make<float>({6}, {0, 2, 3, 1000, -254, -1000}), scale = make<float>({}, {2}), zero = make<std::uint8_t>({}, {128});
  require_equal<std::uint8_t>(run_typed(q, {x, scale, zero})[0], {6}, {128, 129, 130, 255, 1, 0});
  q.to = dtype::i8;
  q.axis = 0;
  require_equal<std::int8_t>(run_typed(q, {make<float>({2, 2}, {1, 2, 3, 4}), make<float>({2}, {1, 2})})[0], {2, 2}, {1, 2, 2, 2});
  op::dequantize d;
  d.axis = 1;
  d.block = 2;
  require_near(run_typed(d, {make<std::uint8_t>({1, 3}, {3, 5, 7}), make<float>({1, 2}, {2, 10}), make<std::uint8_t>({1, 2}, {1, 2})})[0], {1, 3}, {4, 8, 50});
  require_near(run_typed(op::dequantize{}, {make<std::int32_t>({2}, {-3, 4}), make_half({}, {0.5f})})[0], {2}, {-1.5f, 2});
}

TEST_CASE("scale and zero point from the numbers") {
  const auto y = run_typed(op::dynamic_quantize{}, {make<float>({6}, {0, 2, -3, -2.5f, 1.34f, 0.5f})});
  require_equal<std::uint8_t>(y[0], {6}, {153, 255, 0, 26, 221, 179});
  require_near(y[1], {}, {0.0196078438f});
  require_equal<std::uint8_t>(y[2], {}, {153});
}

TEST_CASE("products of bytes") {
  op::integer_matmul m;
  m.zero_a = true;
  require_equal<std::int32_t>(run_typed(m, {make<std::uint8_t>({2, 2}, {11, 7, 3, 10}), make<std::int8_t>({2, 1}, {1, -2}), make<std::uint8_t>({}, {12})})[0], {2, 1}, {9, -5});
  op::integer_convolution c;
  c.zero_x = true;
  c.before = c.after = {1};
  require_equal<std::int32_t>(run_typed(c, {make<std::uint8_t>({1, 1, 2}, {2, 3}), make<std::uint8_t>({1, 1, 3}, {1, 1, 1}), make<std::uint8_t>({}, {1})})[0], {1, 1, 2}, {3, 3});
  const array one = make<float>({}, {0.5f}), none = make<std::uint8_t>({}, {0});
  require_equal<std::uint8_t>(run_typed(op::quantized_matmul{}, {make<std::uint8_t>({1, 2}, {4, 6}), one, none, make<std::uint8_t>({2, 1}, {2, 4}), one, none, one,
                                                                make<std::uint8_t>({}, {3})})[0], {1, 1}, {19});
  require_equal<std::uint8_t>(run_typed(op::quantized_convolution{}, {make<std::uint8_t>({1, 1, 2}, {4, 6}), one, none, make<std::uint8_t>({1, 1, 1}, {2}), one, none, one,
                                                                     make<std::uint8_t>({}, {3}), make<std::int32_t>({1}, {2})})[0], {1, 1, 2}, {8, 10});
}

}  // namespace ctnn
