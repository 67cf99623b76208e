// SPDX-License-Identifier: BSL-1.0
// ONNX files of bytes: real numbers between DequantizeLinear and QuantizeLinear are computed in integers, and ONNX
// Runtime's own operators (com.microsoft) give its bytes, within one step.
#include <cmath>
#include <cstdlib>

#include <doctest/doctest.h>

#include <ctnn/ctnn.hpp>
#include <ctnn/model.hpp>
#include <ctnn/model/write_onnx.hpp>
#include <ctnn/typed.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace nn = ctnn;
namespace pb = test::onnx_bytes;

namespace {

std::string both_domains(const std::string& graph) {
  return pb::model(graph, 13) + pb::bytes(8, pb::bytes(1, "com.microsoft") + pb::number(2, 1));
}
model load(const std::string& graph, bool optimize = true) {
  const std::string bytes = both_domains(graph);
  load_options options;
  options.optimize = optimize;
  options.keep_weights = true;
  return model::load(pb::view(bytes), options);
}
std::string microsoft(std::string_view type, const std::vector<std::string>& in, std::string_view attributes = {}) {
  std::string n;
  for (const auto& i : in) n += pb::bytes(1, i);
  n += pb::bytes(2, "y") + pb::bytes(4, type) + std::string(attributes) + pb::bytes(7, "com.microsoft");
  return pb::bytes(1, n);
}
template <class T>
std::string held(std::string_view name, pb::element type, const pb::dims& shape, const std::vector<T>& numbers) {
  return pb::initializer(pb::tensor<T>(name, type, shape, numbers));
}
std::string scale(std::string_view name, float value) { return held<float>(name, pb::f32, {}, {value}); }
std::string zero(std::string_view name, std::uint8_t value) { return held<std::uint8_t>(name, pb::u8, {}, {value}); }

template <class T>
array filled_array(const extents& shape, dtype type, const std::vector<T>& numbers) {
  array a(shape, type);
  std::ranges::copy(numbers, a.elements<T>().begin());
  return a;
}
int count_of(const model& m, std::string_view op) {
  const graph_view g = m.graph();
  return static_cast<int>(
      std::count_if(g.nodes.begin(), g.nodes.end(), [&](const node& n) { return n.type->name == op; }));
}
int most_apart(const array& a, const array& b) {
  int most = a.size() == b.size() && a.type() == b.type() ? 0 : 1000;
  for (std::size_t i = 0; i < a.size() && most < 1000; ++i)
    most = std::max(most, static_cast<int>(std::fabs(number_at(a, i) - number_at(b, i))));
  return most;
}

const std::vector<std::uint8_t> first{165, 77, 202, 24, 37,  48, 187, 29,  109, 19,  44, 222,
                                      214, 35, 123, 46, 217, 30, 63,  114, 31,  203, 25, 113};
const std::vector<std::uint8_t> second{23, 68, 148, 214, 73,  60,  157, 92,  52,  96,  190, 49,
                                       32, 30, 105, 254, 218, 160, 238, 232, 185, 153, 127, 92};
const std::string numbers_of_values = scale("sx", 0.05f) + zero("zx", 120) + scale("sb", 0.02f) + zero("zb", 3) +
                                      scale("sy", 0.1f) + zero("zy", 60) + scale("unit", 1 / 256.0f) + zero("none", 0);

/// The result of a node of com.microsoft for the bytes above; optimised and as it was read.
struct results {
  array optimized, as_read;
  std::string operators{};
};
results run(const std::string& node, const pb::dims& out, pb::element type = pb::u8,
            const pb::dims& in = {1, 2, 3, 4}) {
  const std::string graph = pb::input(pb::value("x", pb::u8, in)) + pb::input(pb::value("b", pb::u8, in)) +
                            numbers_of_values + node + pb::output(pb::value("y", type, out));
  results r;
  for (const bool optimize : {true, false}) {
    const model m = load(graph, optimize);
    extractor e = m.extractor();
    extents shape;
    for (const std::int64_t n : in) shape.push_back(static_cast<int>(n));
    const auto count = static_cast<std::ptrdiff_t>(shape.count());
    e.input("x", filled_array<std::uint8_t>(shape, dtype::u8, {first.begin(), first.begin() + count}));
    e.input("b", filled_array<std::uint8_t>(shape, dtype::u8, {second.begin(), second.begin() + count}));
    (optimize ? r.optimized : r.as_read) = e.extract("y");
    if (optimize)
      for (const ir::node& n : m.graph().nodes)
        if (n.type->name != "input") r.operators += (r.operators.empty() ? "" : " ") + std::string(n.type->name);
  }
  return r;
}
void check_bytes(const results& got, const std::vector<std::uint8_t>& want, std::string_view operators) {
  const array expected = filled_array<std::uint8_t>(got.optimized.shape(), dtype::u8, want);
  CHECK(most_apart(got.optimized, expected) <= 1);
  CHECK(most_apart(got.as_read, expected) <= 1);
  CHECK(got.operators == operators);
}

}  // namespace

// The bytes are ONNX Runtime 1.30.0's.
namespace {

/// What it was given in the run before.
struct delay : nn::network<nn::input<"x", nn::shape<4>, nn::as_i8<0.5, -7>>,
                           nn::input<"past", nn::shape<4>, nn::as_i8<0.5, -7>, nn::carried>,
                           nn::named_output<nn::from<"y", "past">, nn::from<"past", "x">>> {};

}  // namespace

TEST_CASE("integers that are carried begin with what stands for zero") {
  static const nn::parameters<delay> none;
  nn::engine<delay> run{none};
  const std::int8_t x[4] = {1, 2, 3, 4};
  std::int8_t y[4];
  for (const int wanted : {-7, 1, 1}) {
    run.run(nn::in<"x">(x), nn::into<"y">(y));
    CHECK(y[0] == wanted);
  }
  run.reset();
  run.run(nn::in<"x">(x), nn::into<"y">(y));
  CHECK(y[3] == -7);
}

TEST_CASE("com.microsoft's functions of bytes") {
  const pb::dims same{1, 2, 3, 4};
  check_bytes(run(microsoft("QLinearAdd", {"x", "sx", "zx", "b", "sb", "zb", "sy", "zy"}), same),
              {86, 52, 130, 54, 32, 35, 124, 32, 64, 28, 59, 120, 113, 23, 82, 73, 152, 46, 78, 103, 52, 132, 37, 74},
              "binary");
  check_bytes(run(microsoft("QLinearMul", {"x", "sx", "zx", "b", "sb", "zb", "sy", "zy"}), same),
              {69, 32, 179, 0, 2, 19, 163, 0, 55, 0, 0, 107, 87, 37, 63, 0, 255, 0, 0, 46, 0, 184, 0, 54}, "binary");
  check_bytes(run(microsoft("QLinearSigmoid", {"x", "sx", "zx", "unit", "zb"}), same),
              {235, 30, 255, 5, 7, 10, 250, 6, 97, 5, 9, 255, 255, 7, 141, 9, 255, 6, 17, 112, 6, 255, 5, 109},
              "activation");
  check_bytes(run(microsoft("QLinearLeakyRelu", {"x", "sx", "zx", "sy", "zy"}, pb::attribute("alpha", 0.2f)), same),
              {82, 56, 101, 50, 52, 53, 94, 51, 59, 50, 52, 111, 107, 52, 62, 53, 108, 51, 54, 59, 51, 102, 50, 59},
              "activation");
  check_bytes(run(microsoft("QLinearSoftmax", {"x", "sx", "zx", "unit", "none"},
                            pb::attribute("axis", std::int64_t{-1}) + pb::attribute("opset", std::int64_t{13})),
                  same),
              {35, 0, 221, 0, 0, 0, 255, 0, 1, 0, 0, 255, 253, 0, 3, 0, 254, 0, 0, 1, 0, 253, 0, 3}, "softmax");
  check_bytes(run(microsoft("QLinearConcat", {"sy", "zy", "x", "sx", "zx", "b", "sb", "zb"},
                            pb::attribute("axis", std::int64_t{1})),
                  {1, 4, 3, 4}),
              {82, 38, 101, 12,  18, 24, 94, 14, 54, 10, 22, 111, 107, 18, 62, 23,  108, 15, 31,  57,  15, 102, 12, 56,
               64, 73, 89,  102, 74, 71, 91, 78, 70, 79, 97, 69,  66,  65, 80, 110, 103, 91, 107, 106, 96, 90,  85, 78},
              "quantize quantize concat");
  const results chosen = run(held<std::uint8_t>("c", pb::boolean, {4}, {1, 0, 0, 1}) +
                                 microsoft("QLinearWhere", {"c", "x", "sx", "zx", "b", "sb", "zb", "sy", "zy"}),
                             same);
  check_bytes(chosen,
              {82, 73, 89, 12, 18, 71, 91, 14, 54, 79, 97, 111, 107, 65, 80, 23, 108, 91, 107, 57, 15, 90, 85, 56},
              chosen.operators);
}

TEST_CASE("com.microsoft's pooling of bytes") {
  check_bytes(run(microsoft("QLinearGlobalAveragePool", {"x", "sx", "zx", "sx", "zx"}), {1, 2, 1, 1}), {97, 101},
              "adaptive_pool");
  check_bytes(run(microsoft("QLinearGlobalAveragePool", {"x", "sx", "zx", "sb", "zb"}), {1, 2, 1, 1}), {0, 0},
              "dequantize adaptive_pool quantize");
  check_bytes(
      run(microsoft("QLinearAveragePool", {"x", "sx", "zx", "sx", "zx"},
                    pb::attribute("kernel_shape", pb::dims{3, 3}) + pb::attribute("pads", pb::dims{1, 1, 1, 1})),
          {1, 2, 3, 4}),
      {82, 119, 94, 110, 76, 99, 95, 118, 53, 74, 92, 120, 124, 114, 68, 86, 122, 105, 84, 81, 120, 95, 91, 79},
      "pool");
  const std::string pooled =
      microsoft("QLinearAveragePool", {"x", "sx", "zx", "sx", "zx"}, pb::attribute("channels_last", std::int64_t{1}));
  CHECK_THROWS_WITH(run(pooled, {1, 2, 3, 4}), doctest::Contains("attribute 'channels_last' (1)"));
}

TEST_CASE("com.microsoft's products of bytes") {
  const std::string weight =
      held<std::int8_t>("w", pb::i8, {4, 2}, {51, 72, -65, -107, 20, -51, 7, -1}) +
      held<float>("sw", pb::f32, {2}, {0.01f, 0.02f}) + held<std::int8_t>("zw", pb::i8, {2}, {0, 0}) +
      held<std::int32_t>("c", pb::i32, {2}, {300, -200}) + held<float>("bias", pb::f32, {2}, {1.5f, -2});
  const pb::dims rows{3, 4};
  check_bytes(
      run(weight + microsoft("QGemm", {"x", "sx", "zx", "w", "sw", "zw", "c", "sy", "zy"}), {3, 2}, pb::u8, rows),
      {92, 96, 67, 42, 87, 196}, "linear");
  const auto check_real = [&](const results& got, const std::vector<float>& want, std::string_view operators) {
    for (const array* a : {&got.optimized, &got.as_read})
      for (std::size_t i = 0; i < want.size(); ++i) CHECK(a->values()[i] == doctest::Approx(want[i]).epsilon(1e-5));
    CHECK(got.operators == operators);
  };
  check_real(run(weight + microsoft("QGemm", {"x", "sx", "zx", "w", "sw", "zw", "c"}), {3, 2}, pb::f32, rows),
             {3.179f, 3.555f, 0.725f, -1.798f, 2.749f, 13.589f}, "linear");
  const results real = run(weight + microsoft("MatMulIntegerToFloat", {"x", "w", "sx", "sw", "zx", "zw", "bias"}),
                           {3, 2}, pb::f32, rows);
  check_real(real, {4.529f, 1.755f, 2.075f, -3.598f, 4.099f, 11.789f}, real.operators);
  CHECK(real.operators.find("linear") != real.operators.npos);

  const model m = load(weight + pb::input(pb::value("x", pb::f32, rows)) +
                       microsoft("DynamicQuantizeMatMul", {"x", "w", "sw", "zw", "bias"}) +
                       pb::output(pb::value("y", pb::f32, {3, 2})));
  CHECK(count_of(m, "linear") == 1);
  extractor e = m.extractor();
  e.input("x", array({3, 4}, std::vector<float>{2.3757f, 1.6472f, -0.5603f, 2.9009f, -1.4097f, 0.0906f, 1.7857f,
                                                -1.2401f, 0.4448f, -1.804f, 1.3411f, 1.8229f}));
  const array y = e.extract("y");
  const float want[] = {1.738566f, -1.580065f, 0.996299f, -6.017431f, 3.298379f, 1.096746f};
  for (std::size_t i = 0; i < 6; ++i) CHECK(y.values()[i] == doctest::Approx(want[i]).epsilon(1e-5));
}

// What quantising tools write: Q and DQ around every node.
namespace {

constexpr float image_scale = 0.05f, inner_scale = 0.125f, sum_scale = 0.0625f;
constexpr std::int8_t image_zero = -3, inner_zero = -128;

template <std::size_t N>
constexpr std::array<std::int8_t, N> some_bytes(int step) {
  std::array<std::int8_t, N> out{};
  for (std::size_t i = 0; i < N; ++i) out[i] = static_cast<std::int8_t>(static_cast<int>(i) * step % 255 - 127);
  return out;
}
constexpr auto conv_weight = some_bytes<4 * 2 * 3 * 3>(37);
constexpr auto wise_weight = some_bytes<4 * 3 * 3>(53);
constexpr auto fc_weight = some_bytes<36 * 5>(91);
constexpr std::array<float, 4> conv_scale{0.01f, 0.02f, 0.005f, 0.0125f}, conv_bias{0.5f, -0.25f, 1, 0};
constexpr float wise_scale = 0.01f, fc_scale = 0.004f;

template <class A>
auto listed(const A& a) {
  return std::vector<typename A::value_type>(a.begin(), a.end());
}
std::string between(const std::string& x, const std::string& s, const std::string& z) {
  return pb::node("QuantizeLinear", {x, s, z}, {x + "_q"}) + pb::node("DequantizeLinear", {x + "_q", s, z}, {x + "_d"});
}
std::string signed_zero(std::string_view name, std::int8_t value) {
  return held<std::int8_t>(name, pb::i8, {}, {value});
}

/// conv > relu > max pool > depthwise, their sum, flatten > product.
std::string quantized_file() {
  std::vector<std::int32_t> whole_bias;
  std::vector<float> bias_scale;
  for (std::size_t i = 0; i < 4; ++i) {
    bias_scale.push_back(image_scale * conv_scale[i]);
    whole_bias.push_back(static_cast<std::int32_t>(std::lround(conv_bias[i] / bias_scale[i])));
  }
  const auto pads = pb::attribute("pads", pb::dims{1, 1, 1, 1});
  return pb::input(pb::value("x", pb::f32, {1, 2, 6, 6})) + scale("s0", image_scale) + signed_zero("z0", image_zero) +
         scale("s1", inner_scale) + signed_zero("z1", inner_zero) + scale("s2", sum_scale) + signed_zero("z2", 0) +
         held<std::int8_t>("w", pb::i8, {4, 2, 3, 3}, listed(conv_weight)) +
         held<float>("ws", pb::f32, {4}, listed(conv_scale)) + held<std::int32_t>("bq", pb::i32, {4}, whole_bias) +
         held<float>("bs", pb::f32, {4}, bias_scale) +
         held<std::int8_t>("v", pb::i8, {4, 1, 3, 3}, listed(wise_weight)) + scale("vs", wise_scale) +
         held<std::int8_t>("f", pb::i8, {36, 5}, listed(fc_weight)) + scale("fs", fc_scale) + between("x", "s0", "z0") +
         pb::node("DequantizeLinear", {"w", "ws"}, {"wd"}, pb::attribute("axis", std::int64_t{0})) +
         pb::node("DequantizeLinear", {"bq", "bs"}, {"bd"}, pb::attribute("axis", std::int64_t{0})) +
         pb::node("DequantizeLinear", {"v", "vs"}, {"vd"}) + pb::node("DequantizeLinear", {"f", "fs"}, {"fd"}) +
         pb::node("Conv", {"x_d", "wd", "bd"}, {"c"}, pads) + pb::node("Relu", {"c"}, {"r"}) +
         between("r", "s1", "z1") +
         pb::node("MaxPool", {"r_d"}, {"m"},
                  pb::attribute("kernel_shape", pb::dims{2, 2}) + pb::attribute("strides", pb::dims{2, 2})) +
         between("m", "s1", "z1") +
         pb::node("Conv", {"m_d", "vd"}, {"d"}, pads + pb::attribute("group", std::int64_t{4})) +
         between("d", "s2", "z2") + pb::node("Add", {"d_d", "m_d"}, {"a"}) + between("a", "s2", "z2") +
         pb::node("Flatten", {"a_d"}, {"t"}) + between("t", "s2", "z2") + pb::node("MatMul", {"t_d", "fd"}, {"g"}) +
         between("g", "s1", "z2") + pb::output(pb::value("g_d", pb::f32, {1, 5}));
}

/// The same as a type: no batch, and what the files' initializers hold are its weights.
struct quantized_type
    : nn::network<nn::input<"x", nn::shape<2, 6, 6>>, nn::quantize<"xq", nn::as_i8<0.05, -3>>, nn::dequantize<"xd">,
                  nn::constant<"w", nn::shape<4, 2, 3, 3>, nn::i8>, nn::constant<"ws", nn::shape<4>>,
                  nn::dequantize<"wd", nn::from<"w", "ws">, nn::axis<0>>, nn::constant<"b", nn::shape<4>>,
                  nn::conv2d<"c", nn::from<"xd", "wd", "b">, nn::out<4>, nn::kernel<3>, nn::pad<1>, nn::given<3>>,
                  nn::relu<"r">, nn::quantize<"rq", nn::as_i8<0.125, -128>>, nn::dequantize<"rd">,
                  nn::max_pool2d<"m", nn::kernel<2>>, nn::quantize<"mq", nn::as_i8<0.125, -128>>, nn::dequantize<"md">,
                  nn::constant<"v", nn::shape<4, 1, 3, 3>, nn::i8>,
                  nn::dequantize<"vd", nn::from<"v">, nn::of_i8<0.01>>,
                  nn::conv2d<"d", nn::from<"md", "vd">, nn::out<4>, nn::kernel<3>, nn::pad<1>, nn::groups<4>,
                             nn::no_bias, nn::given<1>>,
                  nn::quantize<"dq", nn::as_i8<0.0625>>, nn::dequantize<"dd">, nn::add<"a", nn::from<"dd", "md">>,
                  nn::quantize<"aq", nn::as_i8<0.0625>>, nn::dequantize<"ad">, nn::reshape<"t", nn::shape<1, 36>>,
                  nn::constant<"f", nn::shape<36, 5>, nn::i8>, nn::dequantize<"fd", nn::from<"f">, nn::of_i8<0.004>>,
                  nn::matmul<"g", nn::from<"t", "fd">>, nn::quantize<"gq", nn::as_i8<0.125>>, nn::dequantize<"gd">> {};

std::vector<float> some_pixels() {
  std::vector<float> x(72);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 29 % 72) / 8 - 4;
  return x;
}

}  // namespace

TEST_CASE("layers between DequantizeLinear and QuantizeLinear compute in integers, within a step of their floats") {
  const model fast = load(quantized_file()), slow = load(quantized_file(), false);
  CHECK(count_of(fast, "conv2d") == 2);
  CHECK(count_of(fast, "linear") == 1);
  CHECK(count_of(fast, "binary") == 1);
  CHECK(count_of(fast, "matmul") == 0);
  CHECK(count_of(fast, "quantize") == 1);    // of the image
  CHECK(count_of(fast, "dequantize") == 1);  // of the result
  extractor a = fast.extractor(), b = slow.extractor();
  for (extractor* e : {&a, &b}) e->input("x", array({1, 2, 6, 6}, some_pixels()));
  const array got = a.extract("g_d"), want = b.extract("g_d");
  bool tells = false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(std::fabs(got.values()[i] - want.values()[i]) <= inner_scale * 1.001f);
    tells = tells || (std::fabs(want.values()[i]) > 0.5f && std::fabs(want.values()[i]) < 15.0f);
  }
  CHECK(tells);
}

TEST_CASE("a type of bytes between real numbers gives the file's bits") {
  using fused = nn::optimized<quantized_type>;
  static_assert(fused::has<"c"> && !fused::has<"r"> && !fused::has<"rq"> && !fused::has<"wd">);
  std::vector<float> bias;
  for (std::size_t i = 0; i < 4; ++i) {
    const float unit = image_scale * conv_scale[i];
    bias.push_back(static_cast<float>(std::lround(conv_bias[i] / unit)) * unit);
  }
  const named_weight weights[] = {
      {"", "w", conv_weight}, {"", "ws", conv_scale}, {"", "b", bias}, {"", "v", wise_weight}, {"", "f", fc_weight}};
  const auto packed = std::make_unique<nn::parameters<fused>>(nn::zeros);
  const problem_report wrong = nn::load_folded<quantized_type>(*packed, weights);
  REQUIRE(!wrong.found);
  const auto engine = std::make_unique<nn::engine<fused>>(*packed);
  const std::vector<float> x = some_pixels();
  const auto got = (*engine)(std::span<const float, 72>(x));

  const model file = load(quantized_file());
  extractor e = file.extractor();
  e.input("x", array({1, 2, 6, 6}, x));
  const array want = e.extract("g_d");
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == want.values()[i]);
}

TEST_CASE("what is written of layers of bytes reads back as these layers, bit for bit") {
  const model m = load(quantized_file());
  const std::string written = onnx::write(m.code());
  const model again = model::load(pb::view(written));
  CHECK(count_of(again, "conv2d") == 2);
  CHECK(count_of(again, "linear") == 1);
  extractor a = m.extractor(), b = again.extractor();
  for (extractor* e : {&a, &b}) e->input("x", array({1, 2, 6, 6}, some_pixels()));
  const array first_run = a.extract("g_d"), second_run = b.extract("g_d");
  for (std::size_t i = 0; i < first_run.size(); ++i) CHECK(first_run.values()[i] == second_run.values()[i]);
}

TEST_CASE("what a scale of one number makes has the node's name, the scale has not") {
  const std::string graph = pb::initializer(pb::tensor<std::int8_t>("bytes", pb::i8, {1, 2, 1, 1}, {3, -4})) +
                            pb::initializer(pb::floats("scale", {1}, {0.5f})) +
                            pb::node("DequantizeLinear", {"bytes", "scale"}, {"w"}, pb::attribute("axis", 0), "w") +
                            pb::node("Conv", {"x", "w"}, {"y"}) + pb::input(pb::value("x", pb::f32, {1, 2, 3, 3})) +
                            pb::output(pb::value("y", pb::f32, {1, 1, 3, 3}));
  const model m = load(graph, false);
  int called_w = 0;
  for (const ir::value& v : m.graph().values) {
    if (v.name != "w") continue;
    ++called_w;
    CHECK(v.shape == extents{1, 2, 1, 1});
  }
  CHECK(called_w == 1);
  CHECK_NOTHROW(onnx::write(m.code()));  // which reads it back and compares
}
