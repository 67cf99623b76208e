// SPDX-License-Identifier: BSL-1.0
// Quantised operators against their definitions.
#include <algorithm>

#include <ctnn/kernels/byte_table.hpp>
#include <ctnn/kernels/simd/dot_products.hpp>
#include <ctnn/network/target.hpp>

#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("quantising rounds to even, saturates, by element, axis and block") {
  op::quantize q;
  const array x = make<float>({6}, {0, 2, 3, 1000, -254, -1000}), scale = make<float>({}, {2}),
              zero = make<std::uint8_t>({}, {128});
  require_equal<std::uint8_t>(run_typed(q, {x, scale, zero}, {{}, {dtype::u8}})[0], {6}, {128, 129, 130, 255, 1, 0});
  q.axis = 0;
  require_equal<std::int8_t>(run_typed(q, {make<float>({2, 2}, {1, 2, 3, 4}), make<float>({2}, {1, 2})})[0], {2, 2},
                             {1, 2, 2, 2});
  op::dequantize d;
  d.axis = 1;
  d.block = 2;
  require_near(run_typed(d, {make<std::uint8_t>({1, 3}, {3, 5, 7}), make<float>({1, 2}, {2, 10}),
                             make<std::uint8_t>({1, 2}, {1, 2})})[0],
               {1, 3}, {4, 8, 50});
  require_near(run_typed(op::dequantize{}, {make<std::int32_t>({2}, {-3, 4}), make_half({}, {0.5f})})[0], {2},
               {-1.5f, 2});
}

TEST_CASE("of many elements each has its scale") {
  const extents shape{3, 7, 31};
  std::vector<std::uint8_t> x;
  for (int i = 0; i < 3 * 7 * 31; ++i) x.push_back(static_cast<std::uint8_t>(i % 101));
  for (const int block : {0, 3}) {
    op::dequantize d;
    d.block = block;
    const extents scales = block ? extents{3, 3, 31} : extents{7};
    std::vector<float> scale, want;
    for (int i = 0; i < scales.count(); ++i) scale.push_back(static_cast<float>(1 + i % 37));
    for (int i = 0; i < 3 * 7 * 31; ++i) {
      const int along = i / 31 % 7, k = block ? (i / (7 * 31) * 3 + along / block) * 31 + i % 31 : along;
      want.push_back(static_cast<float>(x[static_cast<std::size_t>(i)]) * scale[static_cast<std::size_t>(k)]);
    }
    const array real = run_typed(d, {make<std::uint8_t>(shape, x), make<float>(scales, scale)})[0];
    require_near(real, shape, want);
    op::quantize q;
    q.block = block;
    require_equal<std::uint8_t>(run_typed(q, {real, make<float>(scales, scale)}, {{}, {dtype::u8}})[0], shape, x);
  }
}

TEST_CASE("scale and zero point from the numbers") {
  const auto y = run_typed(op::dynamic_quantize{}, {make<float>({6}, {0, 2, -3, -2.5f, 1.34f, 0.5f})});
  require_equal<std::uint8_t>(y[0], {6}, {153, 255, 0, 26, 221, 179});
  require_near(y[1], {}, {0.0196078438f});
  require_equal<std::uint8_t>(y[2], {}, {153});
}

namespace {

/// Runs a layer of bytes whose slots are all given.
template <class Op>
array run_bytes(Op op, const std::vector<array>& in, const element& made = dtype::i32, const said_input& of = {}) {
  op.given = (1u << (in.size() - 1)) - 1;
  return run_typed(op, in, {{of}, {made}})[0];
}
template <class Op>
std::string refused(Op op, std::vector<array> in, const said& s = {}) {
  if constexpr (requires { op.given; }) op.given = (1u << (in.size() - 1)) - 1;
  description d;
  return describe(problem_of(op, in, d, s));
}

/// Bytes in disorder.
template <class T>
array bytes(const extents& shape, int seed) {
  array a(shape, type_for<T>);
  for (T& x : a.elements<T>()) x = static_cast<T>(seed = (seed * 75 + 74) % 65537);
  return a;
}
/// As floats, less their zero points: one for all, or one for each index of the first axis.
template <class T>
array less_zero(const array& x, const array& zero) {
  array y(x.shape());
  const std::size_t each = x.size() / zero.size();
  for (std::size_t i = 0; i < x.size(); ++i)
    y.values()[i] = static_cast<float>(x.elements<T>()[i] - zero.elements<T>()[zero.size() == 1 ? 0 : i / each]);
  return y;
}

/// Sums of floats that are whole numbers are exact: what a convolution of bytes must give.
template <int Axes, class X, class W>
void check_convolution(const extents& shape, const op::conv<Axes>& like) {
  op::conv<Axes> p = like;
  p.weight = {type_for<W>, true, true, false};
  extents w_shape{p.out, p.channels_of(shape) / p.groups};
  for (int k : p.kernel) w_shape.push_back(k);
  const array x = bytes<X>(shape, 5), x_zero = bytes<X>({1}, 17), w = bytes<W>(w_shape, 99),
              w_zero = bytes<W>({p.out}, 31);
  std::vector<std::int32_t> biases;
  for (int o = 0; o < p.out; ++o) biases.push_back(1000 - 777 * o);
  const array bias = make<std::int32_t>({p.out}, biases);

  op::conv<Axes> plain = like;
  plain.given = 3;
  array real_bias({p.out});
  for (std::size_t o = 0; o < biases.size(); ++o) real_bias.values()[o] = static_cast<float>(biases[o]);
  const array want = run_typed(plain, {less_zero<X>(x, x_zero), less_zero<W>(w, w_zero), real_bias})[0];

  const array sums = run_bytes(p, {x, w, bias, w_zero, x_zero});
  std::vector<std::int32_t> whole;
  for (float v : want.values()) whole.push_back(static_cast<std::int32_t>(v));
  require_equal<std::int32_t>(sums, want.shape(), whole);

  // As bytes again, and as real numbers with an activation.
  const std::size_t planes = static_cast<std::size_t>(p.out * (p.has_batch(shape) ? shape[0] : 1)),
                    plane = want.size() / planes;
  std::vector<float> scales, reals;
  for (int o = 0; o < p.out; ++o) scales.push_back(0.5f / static_cast<float>(1 << o % 4));
  for (std::size_t i = 0; i < want.size(); ++i) reals.push_back(want[i] * 0.25f * scales[i / plane % scales.size()]);
  const array w_scale = make<float>({p.out}, scales), x_scale = make<float>({1}, {0.25f});
  std::vector<std::uint8_t> quantized;
  for (float v : reals)
    quantized.push_back(static_cast<std::uint8_t>(std::clamp(std::nearbyint(v / 64) + 100, 0.0f, 255.0f)));
  const quantization of{0.25, static_cast<int>(x_zero.elements<X>()[0])};
  const array y = run_bytes(p, {x, w, bias, w_scale, w_zero}, {dtype::u8, {64, 100}, rounding::real}, of);
  require_equal<std::uint8_t>(y, want.shape(), quantized);
  p.activation = {function::relu};
  for (float& v : reals) v = std::max(v, 0.0f);
  require_near(run_bytes(p, {x, w, bias, w_scale, w_zero, x_scale, x_zero}, dtype::f32), want.shape(), reals, 0);
  require_near(run_bytes(p, {x, w, bias, w_scale, w_zero}, dtype::f32, of), want.shape(), reals, 0);
}

template <int Axes>
op::conv<Axes> windows_of(int out, std::array<int, Axes> kernel, int groups) {
  op::conv<Axes> p;
  p.out = out;
  p.kernel = kernel;
  p.groups = groups;
  p.pad[0] = 2;
  p.pad.back() = 1;
  p.stride.back() = 2;
  p.dilation[0] = 2;
  return p;
}

}  // namespace

namespace {

/// By plain loops, and on every target of this CPU whole and in parts, with and without instructions for it.
template <class Check>
void in_every_way(const Check& check) {
  check();
  const dot_products of_processor = dot_products_in_use();
  for (const target_id t : supported_targets())
    for (const bool with : {true, false})
      for (const int parts : {1, 3, 40}) {
        const std::string name(target_name(t));
        INFO(name << (with ? "" : " without products of four") << ", " << parts << " parts");
        dot_products_in_use() = with ? of_processor : dot_products{};
        const loaded_kernels kernels = kernels_for<all_operators>(t);
        integers_of_tests = &kernels.integers;
        parts_of_tests = parts;
        check();
        integers_of_tests = nullptr;
        parts_of_tests = 1;
      }
  dot_products_in_use() = of_processor;
}

}  // namespace

TEST_CASE("convolutions of bytes over one, two and three axes, in groups, with a zero point for each output") {
  in_every_way([] {
    check_convolution<1, std::uint8_t, std::int8_t>({2, 4, 11}, windows_of<1>(6, {3}, 2));
    check_convolution<1, std::int8_t, std::int8_t>({3, 600}, windows_of<1>(5, {200}, 1));
    check_convolution<2, std::uint8_t, std::uint8_t>({2, 6, 7, 9}, windows_of<2>(4, {3, 2}, 2));
    check_convolution<2, std::int8_t, std::uint8_t>({3, 8, 6},
                                                    windows_of<2>(6, {2, 3}, 3));  // depthwise, two outputs a channel
    check_convolution<3, std::uint8_t, std::int8_t>({2, 4, 5, 4, 6}, windows_of<3>(6, {2, 3, 2}, 2));
    check_convolution<3, std::int8_t, std::int8_t>({2, 5, 4, 6}, windows_of<3>(2, {2, 1, 3}, 2));
  });
}

TEST_CASE("convolutions of bytes as networks have them") {
  in_every_way([] {
    const auto windows = [](int out, int kernel, int stride, int pad, int groups) {
      op::conv<2> p;
      p.out = out;
      p.kernel = {kernel, kernel};
      p.stride = {stride, stride};
      p.pad = {pad, pad, pad, pad};
      p.groups = groups;
      return p;
    };
    check_convolution<2, std::uint8_t, std::int8_t>({5, 9, 9}, windows(7, 1, 1, 0, 1));
    check_convolution<2, std::int8_t, std::int8_t>({1, 6, 20, 19}, windows(9, 3, 1, 1, 1));
    check_convolution<2, std::uint8_t, std::int8_t>({3, 30, 21}, windows(8, 3, 2, 1, 1));
    check_convolution<2, std::uint8_t, std::int8_t>({8, 9, 9}, windows(8, 1, 2, 0, 1));
    check_convolution<2, std::uint8_t, std::int8_t>({6, 13, 17}, windows(6, 3, 1, 1, 6));
    check_convolution<2, std::int8_t, std::int8_t>({6, 18, 33}, windows(6, 5, 2, 2, 6));
    check_convolution<2, std::int8_t, std::int8_t>({2, 20, 7, 6}, windows(20, 3, 1, 1, 20));  // threads share groups
    check_convolution<2, std::int8_t, std::int8_t>({5, 4, 9}, windows(7, 4, 5, 0, 1));  // one window, one row of them
  });
}

TEST_CASE("threads share many groups, whose images each fills alone, or the rows of few") {
  op::conv<2> p;
  p.weight.type = dtype::i8;
  p.kernel = {3, 3};
  p.pad = {1, 1, 1, 1};
  const auto image = [&](int groups, int size) {
    p.out = p.groups = groups;
    return p.image({groups, size, size}, {groups, size, size});
  };
  const byte_image many = image(20, 7), few = image(2, 7), large = image(20, 224);
  CHECK(many.shared_count() == 20);
  CHECK(many.most_parts() == most_byte_parts);
  CHECK(many.scratch_of_part(4) == many.scratch());
  CHECK(few.shared_count() == 7);
  CHECK(few.scratch_of_part(4) < few.scratch());
  CHECK(large.most_parts() == 2);  // of memory for more there is no end
}

TEST_CASE("small inputs are multiplied in 16 bits where nothing saturates") {
  in_every_way([] {
    op::conv<2> p;
    p.out = 4;
    p.kernel = {1, 1};
    p.bias = false;
    p.weight.type = dtype::i8;
    for (const bool positive : {true, false}) {
      array x({4, 3, 7}, dtype::i8), w({4, 4, 1, 1}, dtype::i8);
      for (std::size_t i = 0; i < x.size(); ++i) x.elements<std::int8_t>()[i] = positive || i % 2 ? 127 : -127;
      for (std::size_t i = 0; i < 16; ++i) w.elements<std::int8_t>()[i] = i < 8 ? 127 : -127;
      const array y = run_bytes(p, {x, w, make<float>({1}, {1})}, dtype::f32, quantization{1, 0});
      for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t pixel = i % 21;
        float sum = 0;
        for (std::size_t c = 0; c < 4; ++c) sum += x.elements<std::int8_t>()[c * 21 + pixel];
        REQUIRE(y[i] == sum * (i < 42 ? 127.0f : -127.0f));
      }
    }
  });
}

TEST_CASE("ncnn's arithmetic over one and three axes") {
  const op::weight_element weight{dtype::i8, true, false, true};
  op::conv<1> line = windows_of<1>(2, {1}, 1);
  line.weight = weight;
  line.pad = {0, 0};
  line.stride = {1};
  // x as bytes: 3, -2, 127; (2 x) / 8 + 0.5 = 1.25, 0, 32.25; -3 x / 4 = -2.25, 1.5, -95.25.
  const said_input of({0.5, 0}, rounding::away);
  const element made(dtype::i8, {1, 0}, rounding::away);
  const auto as_bytes = [&](const extents& shape) {
    const array x = make<float>(shape, {1.25f, -0.75f, 500});
    const array y = run_typed(op::quantize{}, {x}, {{}, {{dtype::i8, of.real, of.rounded}}})[0];
    require_equal<std::int8_t>(y, shape, {3, -2, 127});
    return y;
  };
  const array w = make<std::int8_t>({2, 1, 1}, {2, -3});
  const array bias = make<float>({2}, {0.5f, 0}), w_scale = make<float>({2}, {4, 2});
  const std::vector<std::int8_t> want{1, 0, 32, -2, 2, -95};
  require_equal<std::int8_t>(run_bytes(line, {as_bytes({1, 3}), w, bias, w_scale}, made, of), {2, 3}, want);
  op::conv<3> volume;
  volume.weight = weight;
  volume.out = 2;
  volume.kernel = {1, 1, 1};
  const array w3 = make<std::int8_t>({2, 1, 1, 1, 1}, {2, -3});
  require_equal<std::int8_t>(run_bytes(volume, {as_bytes({1, 3, 1, 1}), w3, bias, w_scale}, made, of), {2, 3, 1, 1},
                             want);
}

TEST_CASE("large products of bytes, with a zero point for each column") {
  in_every_way([] {
    for (const bool transposed : {false, true})
      for (const int rows : {1, 3, 37}) {
        const int depth = 21, columns = 77;
        op::linear p;
        p.bias = false;
        p.out = columns;
        p.transposed = !transposed;
        p.weight = {dtype::i8, true, true, false};
        const array x = bytes<std::uint8_t>({rows, depth}, 3),
                    w = bytes<std::int8_t>(transposed ? extents{columns, depth} : extents{depth, columns}, 4);
        const array w_zero = bytes<std::int8_t>({columns}, 5), x_zero = bytes<std::uint8_t>({1}, 6);
        const array y = run_bytes(p, {x, w, w_zero, x_zero});
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < columns; ++c) {
            int sum = 0;
            for (int k = 0; k < depth; ++k)
              sum +=
                  (x.elements<std::uint8_t>()[static_cast<std::size_t>(r * depth + k)] -
                   x_zero.elements<std::uint8_t>()[0]) *
                  (w.elements<std::int8_t>()[static_cast<std::size_t>(transposed ? c * depth + k : k * columns + c)] -
                   w_zero.elements<std::int8_t>()[static_cast<std::size_t>(c)]);
            INFO(rows << " rows, " << r << ", " << c);
            REQUIRE(y.elements<std::int32_t>()[static_cast<std::size_t>(r * columns + c)] == sum);
          }
      }
  });
}

TEST_CASE("products of matrices of bytes that are values") {
  in_every_way([] {
    for (const bool transposed : {false, true})
      for (const int rows : {1, 3, 37}) {
        const int depth = 21, columns = 77;
        op::matmul p;
        p.transpose_b = transposed;
        const array x = bytes<std::uint8_t>({2, 1, rows, depth}, 3),
                    w = bytes<std::int8_t>(transposed ? extents{3, columns, depth} : extents{3, depth, columns}, 4);
        const quantization of{0.5, 77}, with{0.25, -9};
        const array y = run_typed(p, {x, w}, {{of, with}, {dtype::i32}})[0],
                    real = run_typed(p, {x, w}, {{of, with}, {dtype::f32}})[0],
                    once = run_typed(p, {x, w}, {{of, with}, {{dtype::i8, {100, 3}}}})[0];
        REQUIRE(y.shape() == extents{2, 3, rows, columns});
        for (std::size_t i = 0; i < y.size(); ++i) {
          const auto c = static_cast<int>(i) % columns, r = static_cast<int>(i) / columns % rows,
                     m = static_cast<int>(i) / columns / rows;
          int sum = 0;
          for (int k = 0; k < depth; ++k)
            sum += (x.elements<std::uint8_t>()[static_cast<std::size_t>((m / 3 * rows + r) * depth + k)] - of.zero) *
                   (w.elements<std::int8_t>()[static_cast<std::size_t>(
                        m % 3 * depth * columns + (transposed ? c * depth + k : k * columns + c))] -
                    with.zero);
          INFO(rows << " rows, " << i);
          REQUIRE(y.elements<std::int32_t>()[i] == sum);
          REQUIRE(real[i] == static_cast<float>(sum) * 0.125f);
          REQUIRE(once.elements<std::int8_t>()[i] == std::clamp(fixed_factor(0.125 / 100).of(sum) + 3, -128, 127));
        }
      }
  });
}

TEST_CASE("products of bytes") {
  op::linear m;
  m.out = 1;
  m.bias = false;
  m.transposed = true;
  m.weight = {dtype::i8, false, true, false};
  const array zero = make<std::int8_t>({1}, {0}), bytes_of_m = make<std::uint8_t>({2, 2}, {11, 7, 3, 10});
  const array column = make<std::int8_t>({2, 1}, {1, -2});
  require_equal<std::int32_t>(run_bytes(m, {bytes_of_m, column, zero, make<std::uint8_t>({1}, {12})}), {2, 1}, {9, -5});
  // A zero point for each column.
  m.weight.by_output = true;
  m.out = 2;
  const array square = make<std::int8_t>({2, 2}, {1, 5, -2, 6}), zeros = make<std::int8_t>({2}, {0, 5});
  require_equal<std::int32_t>(run_bytes(m, {bytes_of_m, square, zeros, make<std::uint8_t>({1}, {12})}), {2, 2},
                              {-1 + 10, 0 - 5, -9 + 4, 0 - 2});
  // Several axes as a row, extents behind, bias, activation and real numbers.
  op::linear t;
  t.out = 2;
  t.axes = 2;
  t.ones = 1;
  t.activation = {function::relu};
  t.weight.type = dtype::i8;
  const array one = make<float>({1}, {0.5f}), rows = make<std::uint8_t>({2, 1, 2}, {1, 2, 3, 4}),
              both = make<std::int8_t>({2, 2}, {1, 2, -1, 3});
  require_near(
      run_bytes(
          t, {rows, both, make<std::int32_t>({2}, {-6, 0}), one, make<float>({1}, {2}), make<std::uint8_t>({1}, {0})},
          dtype::f32),
      {2, 2, 1}, {0, 5, 5, 9});

  op::linear q;
  q.out = 1;
  q.bias = false;
  q.weight.type = dtype::u8;
  const array four_six = make<std::uint8_t>({1, 2}, {4, 6}), two_four = make<std::uint8_t>({1, 2}, {2, 4});
  const element made(dtype::u8, {0.5, 3}, rounding::real);
  const quantization half{0.5, 0};
  require_equal<std::uint8_t>(run_bytes(q, {four_six, two_four, one}, made, half), {1, 1}, {19});
  op::conv<1> c;
  c.out = 1;
  c.kernel = {1};
  c.weight.type = dtype::u8;
  const array two = make<std::uint8_t>({1, 1, 1}, {2}), bias = make<std::int32_t>({1}, {2});
  require_equal<std::uint8_t>(run_bytes(c, {four_six, two, bias, one}, made, half), {1, 2}, {8, 10});
}

TEST_CASE("what layers of bytes are not") {
  op::linear m;
  m.out = 1;
  m.bias = false;
  m.weight = {dtype::i8, false, true, false};
  const array x = make<std::uint8_t>({1, 2}, {4, 6}), w = make<std::int8_t>({1, 2}, {2, 4}),
              zero = make<std::int8_t>({1}, {0});
  CHECK(refused(m, {x, w, zero, make<std::uint8_t>({1}, {0})}) == "nothing is wrong");
  CHECK(refused(m, {x, w, zero, zero}).find("input_zero") != std::string::npos);  // of another type than the input
  CHECK(refused(m, {x, x, zero, zero}).find("weight") != std::string::npos);
  CHECK(refused(m, {make<float>({1, 2}, {4, 6}), w, zero, zero}).find("input") != std::string::npos);
  m.activation = {function::relu};
  CHECK(refused(m, {x, w, zero, make<std::uint8_t>({1}, {0})}).find("activation") != std::string::npos);
  m.activation = {};
  m.weight.type = dtype::i16;
  CHECK(refused(m, {x, w, zero, zero}).find("weight") != std::string::npos);
  op::conv<2> c;
  c.out = 1;
  c.kernel = {1, 1};
  c.weight = {dtype::i8, false, false, true};
  const array pixel = make<std::int8_t>({1, 1, 1}, {1});
  const said_input of({1, 0}, rounding::away);
  CHECK(refused(c, {pixel}, {{of}, {{dtype::u8, {1, 0}, rounding::away}}}).find("rounded") != std::string::npos);
  CHECK(refused(c, {pixel}, {{of}, {{dtype::i8, {1, 0}}}}).find("rounded") != std::string::npos);
  CHECK(refused(c, {pixel}, {{of}, {dtype::i16}}).find("result") != std::string::npos);
  c.weight.real_bias = false;
  CHECK(refused(c, {pixel}, {{of}, {dtype::f32}}).find("real_bias") != std::string::npos);
  op::matmul product;
  const array a = make<std::int8_t>({2, 2}, {1, 2, 3, 4});
  const element made(dtype::i8, {1, 0});
  CHECK(refused(product, {a, a}, {{{}, {}}, {made}}).find("of") != std::string::npos);
  product.transpose_a = true;
  CHECK(refused(product, {a, a}, {{quantization{1, 0}, quantization{1, 0}}, {made}}).find("transpose_a") !=
        std::string::npos);
  // Few windows far apart: what lies between them is in memory, too.
  op::conv<2> far;
  far.weight.type = dtype::i8;
  far.out = 1;
  far.kernel = {2, 2};
  far.pad = {0, 0, 1 << 30, 1 << 30};
  far.stride = {25000, 2000000};
  const extents image{1, 1, 1};
  extents result;
  const problem p = far.infer(std::span(&image, 1), std::span(&result, 1));
  CHECK(p.kind == mistake::too_large);
  CHECK(p.what == "kernel");
  far.pad = {0, 0, 8000, 8000};
  far.stride = {7000, 7000};
  const problem q = far.infer(std::span(&image, 1), std::span(&result, 1));
  CHECK(q.kind == mistake::option_out_of_range);
  CHECK(q.what == "pad");
}

namespace {

/// What a real number is as a byte between bounds: floor(x + 1/2) + zero.
template <class T = std::int8_t>
T stepped(long double x, int zero, int low = std::numeric_limits<T>::min(), int high = std::numeric_limits<T>::max()) {
  return static_cast<T>(
      std::clamp(std::floor(x + 0.5L) + zero, static_cast<long double>(low), static_cast<long double>(high)));
}

long double to_32_bits(double factor) {
  return std::floor(static_cast<long double>(factor) * 4294967296.0L + 0.5L) / 4294967296.0L;
}

/// Bytes of a layer of sums against its own sums; the last input is the zero point.
template <class Op>
void check_tflite(Op sums, const std::vector<array>& in, const std::vector<float>& scales, std::int64_t plane) {
  const array whole = run_bytes(sums, in);
  Op p = sums;
  p.weight.by_output = scales.size() > 1;
  const quantization of{0.25, in.back().elements<std::int8_t>()[0]};
  const array x = in[0], w = in[1], bias = in[2];
  const array w_scale = make<float>({static_cast<int>(scales.size())}, scales);
  for (const double step : {60.0, 2.0, 0.001}) {  // factors far below, about and far above 1
    const element made(dtype::i8, {step, -3});
    for (const activation_function f : {activation_function{}, {function::relu}, {function::clip, 0, 6}}) {
      p.activation = f;
      std::vector<std::int8_t> want;
      const int low = f ? -3 : -128,
                high = f.kind == function::clip ? std::min(127, static_cast<int>(std::lround(6 / step)) - 3) : 127;
      for (std::size_t i = 0; i < whole.size(); ++i)
        want.push_back(stepped(
            to_32_bits(0.25 * static_cast<double>(scales[i / static_cast<std::size_t>(plane) % scales.size()]) / step) *
                whole.elements<std::int32_t>()[i],
            -3, low, high));
      require_equal<std::int8_t>(run_bytes(p, {x, w, bias, w_scale}, made, of), whole.shape(), want);
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const double scale = static_cast<double>(scales[i / static_cast<std::size_t>(plane) % scales.size()]);
        const std::int64_t y =
            std::int64_t{twice_rounded_factor(0.25 * scale / step).of(whole.elements<std::int32_t>()[i])} - 3;
        want[i] = static_cast<std::int8_t>(std::clamp<std::int64_t>(y, low, high));
      }
      const element made_twice(dtype::i8, made.real, rounding::twice);
      require_equal<std::int8_t>(run_bytes(p, {x, w, bias, w_scale}, made_twice, of), whole.shape(), want);
    }
  }
}

}  // namespace

TEST_CASE("factors of sums are rounded once") {
  std::uint64_t seed = 1;
  for (int i = 0; i < 20'000; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(seed >> 32)) >> (i % 31);
    const double factor = std::ldexp(static_cast<double>(seed >> 40 & 0xffffff) + 0.25, i % 60 - 58);
    const long double exact = std::floor(to_32_bits(factor) * sum + 0.5L);
    const std::int32_t y = fixed_factor(factor).of(sum);
    if (std::abs(exact) < 100'000'000) REQUIRE(y == static_cast<std::int32_t>(exact));
    else REQUIRE((exact < 0 ? y < -90'000'000 : y > 90'000'000));
  }
  CHECK(fixed_factor(1e30).of(-1) < -70'000);
  CHECK(fixed_factor(1e30).of(0) == 0);
  CHECK(fixed_factor(0.5).of(-1) == 0);
  CHECK(fixed_factor(0.5).of(1) == 1);
}

TEST_CASE("TFLite's layers: sums by one factor an output, between an activation's bounds") {
  const auto convolution = [](auto like, const extents& shape) {
    constexpr int axes = static_cast<int>(std::tuple_size_v<decltype(like.kernel)>);
    op::conv<axes> p = like;
    p.weight.type = dtype::i8;
    extents w_shape{p.out, p.channels_of(shape) / p.groups};
    for (int k : p.kernel) w_shape.push_back(k);
    std::vector<std::int32_t> biases;
    std::vector<float> scales;
    for (int o = 0; o < p.out; ++o) {
      biases.push_back(1000 - 777 * o);
      scales.push_back(0.125f + 0.0625f * static_cast<float>(o));  // exact in the test's own arithmetic
    }
    const std::vector<array> in{bytes<std::int8_t>(shape, 5), bytes<std::int8_t>(w_shape, 99),
                                make<std::int32_t>({p.out}, biases), make<std::int8_t>({1}, {17})};
    std::vector<extents> out(1);
    REQUIRE_FALSE(p.infer({&shape, 1}, out));
    check_tflite(p, in, scales, out[0].count(out[0].rank - axes, out[0].rank));
    check_tflite(p, in, {0.375f}, 1);
  };
  convolution(windows_of<1>(6, {3}, 2), {2, 4, 11});
  convolution(windows_of<2>(4, {3, 2}, 1), {2, 6, 7, 9});
  convolution(windows_of<2>(6, {2, 3}, 3), {3, 8, 6});
  op::linear m;
  m.out = 3;
  m.weight.type = dtype::i8;
  check_tflite(m,
               {bytes<std::int8_t>({2, 5}, 3), bytes<std::int8_t>({3, 5}, 8), make<std::int32_t>({3}, {-2000, 0, 512}),
                make<std::int8_t>({1}, {-11})},
               {0.5f, 0.25f, 0.75f}, 1);

  const std::vector<array> in{bytes<std::int8_t>({2, 5}, 3), bytes<std::int8_t>({3, 5}, 8),
                              make<std::int32_t>({3}, {0, 0, 0}), make<float>({1}, {1})};
  const quantization one{1, 0};
  CHECK(refused(m, in, {{one}, {dtype::i8}}).find("as") != std::string::npos);
  CHECK(refused(m, in, {{one}, {{dtype::i8, {1, 128}}}}).find("as") != std::string::npos);
  const element made(dtype::i8, {1, 127});
  CHECK(refused(m, in, {{}, {made}}).find("of") != std::string::npos);
  CHECK(refused(m, in, {{one}, {made}}) == "nothing is wrong");
  m.activation = {function::tanh};
  CHECK(refused(m, in, {{one}, {made}}).find("activation") != std::string::npos);
}

namespace {

/// n integers of type X as others, between bounds and by a function if they are bytes, and as real numbers, against
/// their definitions.
template <class X, class T>
void check_steps(int n, const quantization& of, const quantization& as) {
  array x({n}, type_for<X>);
  if constexpr (sizeof(X) == 1) x = bytes<X>({n}, n);
  else
    for (int i = 0, seed = n; i < n; ++i)
      x.elements<X>()[static_cast<std::size_t>(i)] = static_cast<X>((seed = (seed * 75 + 74) % 65537) - 32768) * 17;
  const element made(type_for<T>, as), made_of_reals(type_for<T>, as, rounding::real);
  const said elements{{of}, {made}}, of_reals{{of}, {made_of_reals}};
  const fixed_factor factor(of.scale / as.scale);
  const auto all = x.elements<X>();
  const auto within = [&](const activation_function& f, std::int64_t steps) {
    return static_cast<T>(op::byte_bounds(f, made).of(
        static_cast<std::int32_t>(std::clamp<std::int64_t>(steps + as.zero, -100000, 100000))));
  };
  std::vector<T> want, want_of_reals;
  for (const X v : all) {
    want.push_back(within({}, factor.of(int{v} - of.zero)));
    const float steps =
        static_cast<float>(int{v} - of.zero) * static_cast<float>(of.scale) / static_cast<float>(as.scale);
    want_of_reals.push_back(within({}, std::llrint(steps)));
  }
  require_equal<T>(run_typed(op::quantize{}, {x}, elements)[0], {n}, want);
  require_equal<T>(run_typed(op::quantize{}, {x}, of_reals)[0], {n}, want_of_reals);
  if constexpr (sizeof(X) == 1) {
    const element made_coarsely(type_for<T>, as, rounding::coarse);
    const float ratio = static_cast<float>(of.scale) / static_cast<float>(as.scale);
    want.clear();
    for (const X v : all) want.push_back(within({}, ((int{v} - of.zero) * std::lrint(256 * ratio) + 128) >> 8));
    require_equal<T>(run_typed(op::quantize{}, {x}, {{of}, {made_coarsely}})[0], {n}, want);
    const op::activation clip{{function::clip, -9, 5000}};
    want.clear();
    for (const X v : all) want.push_back(within(clip.activation, factor.of(int{v} - of.zero)));
    require_equal<T>(run_typed(clip, {x}, elements)[0], {n}, want);
    const op::activation half{{function::affine, 0.5f}};
    want.clear();
    want_of_reals.clear();
    for (const X v : all) {
      const float real = static_cast<float>(int{v} - of.zero) * static_cast<float>(of.scale) * 0.5f;
      want.push_back(within({}, std::lround(real * (1 / static_cast<float>(as.scale)))));
      want_of_reals.push_back(within({}, std::llrint(real / static_cast<float>(as.scale))));
    }
    require_equal<T>(run_typed(half, {x}, elements)[0], {n}, want);
    require_equal<T>(run_typed(half, {x}, of_reals)[0], {n}, want_of_reals);
    std::vector<float> reals;
    for (const X v : all) reals.push_back(static_cast<float>(v - of.zero) * static_cast<float>(of.scale));
    require_near(run_typed(op::dequantize{}, {x}, {{of}})[0], {n}, reals, 0);
    const array scale = make<float>({1}, {static_cast<float>(of.scale)});
    require_near(run_typed(op::dequantize{}, {x, scale, make<X>({1}, {static_cast<X>(of.zero)})})[0], {n}, reals, 0);
  }
}
/// Sums, differences and products of bytes of types X and Z in real numbers and rounded twice, z being a row, a number
/// or as large as x.
template <class X, class Z>
void check_pairs(const extents& of_z, const quantization& of, const quantization& with, const quantization& as) {
  const extents shape{9, 41};
  const array x = bytes<X>(shape, 3), z = bytes<Z>(of_z, 77);
  for (const auto function : {op::binary_function::add, op::binary_function::sub, op::binary_function::mul})
    for (const rounding how : {rounding::real, rounding::twice}) {
      const bool multiplies = function == op::binary_function::mul;
      const int sign = function == op::binary_function::sub ? -1 : 1;
      const float made = static_cast<float>(as.scale), first = static_cast<float>(of.scale),
                  second = static_cast<float>(sign) * static_cast<float>(with.scale);
      const volatile float a = multiplies ? first * second / made : first / made, b = second / made;
      const volatile float za = a * static_cast<float>(of.zero), zb = b * static_cast<float>(with.zero),
                           zeros = za + zb;
      const float c = static_cast<float>(as.zero) - zeros;
      const twice_rounded_sum twice(of.scale, with.scale, as.scale, multiplies);
      std::vector<std::int8_t> want;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const int p = x.elements<X>()[i], q = z.elements<Z>()[i % z.size()];
        volatile float product =
            multiplies ? static_cast<float>((p - of.zero) * (q - with.zero)) * a : static_cast<float>(q) * b;
        const float sum = multiplies ? product + static_cast<float>(as.zero)
                          : of_z.count() == 1
                              ? std::fma(static_cast<float>(p), a, c + product)
                              : std::fma(static_cast<float>(p), a, std::fma(static_cast<float>(q), b, c));
        const long y = how == rounding::real ? std::lrint(std::clamp(sum, -1000.0f, 1000.0f))
                                             : long{twice.of(p - of.zero, q - with.zero, sign)} + as.zero;
        want.push_back(static_cast<std::int8_t>(std::clamp(y, -128L, 127L)));
      }
      require_equal<std::int8_t>(run_typed(op::binary{function}, {x, z}, {{of, with}, {{dtype::i8, as, how}}})[0],
                                 shape, want);
    }
}
void check_all_pairs() {
  for (const extents& z : {extents{9, 41}, extents{41}, extents{1}}) {
    check_pairs<std::int8_t, std::int8_t>(z, {0.0123, 7}, {0.034, -20}, {0.05, 3});
    check_pairs<std::uint8_t, std::int8_t>(z, {0.25, 128}, {0.125, 0}, {0.5, -5});
    check_pairs<std::uint8_t, std::uint8_t>(z, {0.5, 255}, {0.002, 3}, {0.031, 100});
  }
}

/// Every pair of types, fewer and more numbers than kernels take at once, factors that are small and large.
void check_all_steps() {
  for (const int n : {1, 20, 63, 64, 100, 255, 256, 511, 600, 1025})
    for (const double scale : {0.02, 0.75, 3.0}) {
      check_steps<std::int8_t, std::int8_t>(n, {scale, -3}, {0.5, 7});
      check_steps<std::int8_t, std::uint8_t>(n, {scale, 5}, {0.3, 128});
      check_steps<std::uint8_t, std::int8_t>(n, {scale, 128}, {0.7, 0});
      check_steps<std::uint8_t, std::uint8_t>(n, {scale, 255}, {0.07, 3});
      check_steps<std::int16_t, std::int8_t>(n, {scale / 500, 0}, {0.5, 7});
      check_steps<std::int32_t, std::int8_t>(n, {scale / 5000, 0}, {0.5, 7});
      check_steps<std::int32_t, std::uint8_t>(n, {scale / 700, 0}, {0.5, 7});
    }
}

}  // namespace

TEST_CASE("many bytes become others as few do, on every target") {
  in_every_way([] {
    check_all_steps();
    check_all_pairs();
  });
}

TEST_CASE("bytes of one scale become those of another") {
  const array x = make<std::int8_t>({5}, {-128, -1, 0, 1, 127}), many = bytes<std::int8_t>({3, 4}, 21),
              row = bytes<std::int8_t>({4}, 4);
  const quantization of_x{0.5, -1}, as{0.75, 4};
  std::vector<std::int8_t> want;
  for (const int v : {-128, -1, 0, 1, 127}) want.push_back(stepped((v + 1) * 0.5L / 0.75L, 4));
  require_equal<std::int8_t>(run_typed(op::quantize{}, {x}, {{of_x}, {{dtype::i8, as}}})[0], {5}, want);
  const op::activation r{{function::clip, 0, 1.5}};
  require_equal<std::uint8_t>(run_typed(r, {x}, {{of_x}, {{dtype::u8, as}}})[0], {5}, {4, 4, 5, 5, 6});

  for (const auto function : {op::binary_function::add, op::binary_function::sub, op::binary_function::mul}) {
    const said elements{{{0.5, 3}, {0.1875, -7}}, {{dtype::i8, {0.6, 11}}}};
    want.clear();
    for (std::size_t i = 0; i < many.size(); ++i) {
      const long double p = (many.elements<std::int8_t>()[i] - 3) * 0.5L,
                        q = (row.elements<std::int8_t>()[i % 4] + 7) * 0.1875L;
      const long double real = function == op::binary_function::add   ? p + q
                               : function == op::binary_function::sub ? p - q
                                                                      : p * q;
      want.push_back(stepped(real / static_cast<long double>(0.6), 11));
    }
    require_equal<std::int8_t>(run_typed(op::binary{function}, {many, row}, elements)[0], {3, 4}, want);
  }

  const op::activation sigmoid{{function::sigmoid}};
  const element probability(dtype::i8, {1.0 / 256, -128});
  want.clear();
  for (std::size_t i = 0; i < many.size(); ++i)
    want.push_back(stepped(256 / (1 + std::exp(-0.05L * (many.elements<std::int8_t>()[i] - 2))), -128));
  require_equal<std::int8_t>(run_typed(sigmoid, {many}, {{{0.05, 2}}, {probability}})[0], {3, 4}, want);

  for (const int axis : {0, 1}) {
    const op::softmax softmax{axis};
    want.clear();
    for (std::size_t i = 0; i < many.size(); ++i) {
      long double sum = 0;
      for (std::size_t k = 0; k < (axis == 0 ? 3u : 4u); ++k)
        sum += std::exp(0.02L * many.elements<std::int8_t>()[axis == 0 ? k * 4 + i % 4 : i / 4 * 4 + k]);
      want.push_back(stepped(256 * std::exp(0.02L * many.elements<std::int8_t>()[i]) / sum, -128));
    }
    require_equal<std::int8_t>(run_typed(softmax, {many}, {{{0.02, 5}}, {probability}})[0], {3, 4}, want);
  }

  const array real = make<float>({4}, {0, 0.25f, -0.75f, 100});
  require_equal<std::int8_t>(run_typed(op::quantize{}, {real}, {{}, {{dtype::i8, of_x}}})[0], {4}, {-1, -1, -3, 127});
  require_near(run_typed(op::dequantize{}, {make<std::int8_t>({3}, {-1, 0, 127})}, {{of_x}})[0], {3}, {0, 0.5f, 64});
}

TEST_CASE("TFLite's integers of hardswish and leaky_relu") {
  const array x = make<std::int8_t>({5}, {-128, -20, 2, 30, 127});
  op::activation p{{function::leaky_relu, -0.5f}};
  require_equal<std::int8_t>(run_typed(p, {x}, {{{0.25, 2}}, {{dtype::i8, {0.5, -3}}}})[0], {5},
                             {30, 3, -3, 11, 60});  // halves upwards
  p.activation = {function::hardswish, 1.0f / 6, 0.5f};
  said elements{{{0.0625, 0}}, {{dtype::u8, {0.0625, 0}}}};
  // 30 * (3 + 1.875) / 6 = 24.375
  require_equal<std::uint8_t>(run_typed(p, {x}, elements)[0], {5}, {0, 0, 1, 24, 127});
  elements.made[0].real.scale = 0.0625 / 256;  // more than its kernel takes
  CHECK(refused(p, {x}, elements).find("as") != std::string::npos);
  p.activation = {function::leaky_relu, 0.001f};
  elements.made[0].real.scale = 0.0625;  // a slope of no digit
  CHECK(refused(p, {x}, elements).find("as") != std::string::npos);
  elements.made[0].rounded = rounding::real;
  CHECK(refused(p, {x}, elements) == "nothing is wrong");
}

TEST_CASE("a product whose outputs are summed in pieces stays within its scratch memory") {
  op::linear m;
  m.out = 1000;
  m.bias = false;
  m.weight.type = dtype::i8;
  const array w = bytes<std::int8_t>({1000, 384}, 9), x = bytes<std::int8_t>({1, 384}, 5);
  const array y = run_bytes(m, {x, w, make<std::int8_t>({1}, {0})});
  for (const int o : {0, 79, 80, 85, 999}) {
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < 384; ++k)
      sum += x.elements<std::int8_t>()[k] * w.elements<std::int8_t>()[static_cast<std::size_t>(o) * 384 + k];
    CHECK(y.elements<std::int32_t>()[static_cast<std::size_t>(o)] == sum);
  }
}

TEST_CASE("TFLite's products of two values of bytes") {
  const array x = make<std::int8_t>({1, 2}, {4, -6}), w = make<std::int8_t>({2, 2}, {-128, 127, 10, 5});
  // 1 (-123) - 9 * 15 = -258, 1 * 132 - 9 * 10 = 42; a quarter of them.
  const said elements{{quantization{0.5, 3}, quantization{0.125, -5}}, {{dtype::i8, {0.25, -7}}}};
  require_equal<std::int8_t>(run_typed(op::matmul{}, {x, w}, elements)[0], {1, 2}, {-71, 4});
}

TEST_CASE("bytes between bytes, by fractions") {
  op::interpolate p;
  p.mode = op::interpolation::linear;
  p.size = {1, 4};
  p.coordinates = op::coordinates::asymmetric;
  p.fraction_bits = 11;
  const array x = make<std::int8_t>({1, 1, 3}, {3, 100, -128});
  require_equal<std::int8_t>(run_typed(p, {x})[0], {1, 1, 4}, {3, 76, -14, -128});
  p.coordinates = op::coordinates::half_pixel;
  p.size = {1, 6};
  require_equal<std::int8_t>(run_typed(p, {x})[0], {1, 1, 6}, {3, 27, 76, 43, -71, -128});
  p.fraction_bits = 1;
  require_equal<std::int8_t>(run_typed(p, {x})[0], {1, 1, 6}, {3, 3, 100, 100, -128, -128});  // halves to even: none
  p.fraction_bits = 12;
  CHECK(refused(p, {x}).find("fraction_bits") != std::string::npos);
  p.fraction_bits = 11;
  CHECK(refused(p, {make<float>({1, 1, 3}, {1, 2, 3})}).find("fraction_bits") != std::string::npos);
  p.mode = op::interpolation::cubic;
  CHECK(refused(p, {x}).find("fraction_bits") != std::string::npos);
}

TEST_CASE("averages of bytes") {
  const array x = make<std::int8_t>({1, 2, 3}, {-128, -127, 127, -128, 126, 127});
  op::pool p;
  p.function = op::pooling::average;
  p.kernel = {2};
  p.stride = {1};
  require_equal<std::int8_t>(run_typed(p, {x})[0], {1, 1, 2}, {-64, 63});  // -257 / 4, 253 / 4
  p.kernel = {1, 2};
  p.pad = {0, 1, 0, 0};
  require_equal<std::int8_t>(run_typed(p, {x})[0], {1, 2, 3}, {-128, -128, 0, -128, -1, 127});  // halves away from 0
  require_equal<std::uint8_t>(
      run_typed(op::adaptive_pool{op::pooling::average}, {make<std::uint8_t>({1, 1, 4}, {255, 254, 255, 254})})[0],
      {1, 1, 1}, {255});
  p.count_include_pad = true;
  description out;
  CHECK(problem_of(p, {x}, out));
}
