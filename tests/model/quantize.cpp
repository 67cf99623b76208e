// SPDX-License-Identifier: BSL-1.0
// Networks of floats as networks of bytes: the ranges that follow from samples, and what is made of each layer, beside
// numbers computed here.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>

#include <ctnn/model/quantize.hpp>

using namespace ctnn;

namespace {

std::vector<float> normal(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> out(count);
  for (float& x : out) {  // sums of uniform numbers: the same on every machine
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random()) / 4294967296.0;
    x = static_cast<float>(sum);
  }
  return out;
}

ir::observed_numbers seen(std::span<const float> numbers) {
  ir::observed_numbers o;
  CHECK(o.widen(numbers));
  o.count(numbers);
  return o;
}

/// A network of ncnn's layers, its weights made up.
loaded_model network(const std::string& layers) {
  const auto count = static_cast<std::size_t>(std::count(layers.begin(), layers.end(), '\n'));
  const std::string text = "7767517\n" + std::to_string(count) + ' ' + std::to_string(2 * count) + '\n' + layers;
  ncnn::bin_reader zeros = ncnn::bin_reader::zeros({});
  loaded_model m = ncnn::build(ncnn::parse_param(text, "small.param", {}), zeros);
  unsigned seed = 1;
  for (auto& [name, numbers] : m.weights)
    numbers = std::make_shared<const array>(numbers->shape(), normal(numbers->size(), seed++));
  return m;
}
array& weight(loaded_model& m, std::string_view layer, std::string_view slot) {
  return const_cast<array&>(*m.weights.at({layer, slot}));
}
loaded_model copy(const loaded_model& m) { return folded(m, m.network.view()); }

std::vector<arrays_by_name> samples(const extents& shape, std::size_t count = 4) {
  std::vector<arrays_by_name> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i].emplace("x", array(shape, normal(static_cast<std::size_t>(shape.count()), 100 + static_cast<unsigned>(i))));
  return all;
}
quantizer calibrated(const loaded_model& m, const std::vector<arrays_by_name>& all,
                     const quantize_options& options = {}) {
  quantizer q(copy(m), options);
  calibrate(q, model(copy(m), {.optimize = false}), all);
  return q;
}
array answer(loaded_model&& m, const arrays_by_name& sample, bool optimize = false) {
  const model ready(std::move(m), {.optimize = optimize});
  extractor ex = ready.extractor();
  for (const auto& [name, numbers] : sample) ex.input(name, numbers);
  return ex.extract(0);
}
const quantized_layer& layer(const quantized_network& q, std::string_view name) {
  for (const quantized_layer& l : q.layers)
    if (l.name == name) return l;
  FAIL("no layer " << std::string(name));
  return q.layers[0];
}
template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}
bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

double decibels(const array& wanted, const array& got) {
  ir::signal_and_noise s;
  for (std::size_t i = 0; i < wanted.size(); ++i) s.add(number_at(wanted, i), number_at(got, i));
  return s.decibels();
}

const std::string two_branches =
    "Input x 0 1 x 0=6 1=6 2=4\n"
    "Convolution a 1 1 x a 0=8 1=3 4=1 5=1 6=288 9=1\n"
    "Split s 1 3 a a1 a2 a3\n"
    "Convolution b 1 1 a1 b 0=8 1=1 5=1 6=64\n"
    "ConvolutionDepthWise c 1 1 a2 c 0=8 1=3 4=1 5=1 6=72 7=8 9=2 -23310=1,0.1\n"
    "Concat d 2 1 b c d\n"
    "Pooling e 1 1 d e 0=1 1=2 2=2\n"
    "Pooling f 1 1 a3 f 0=0 1=2 2=2\n"
    "Concat g 2 1 e f g\n"
    "InnerProduct h 1 1 g h 0=5 1=1 2=1080\n"
    "Softmax p 1 1 h p\n";

}  // namespace

TEST_CASE("a range has 0, and its bytes say 0 exactly") {
  const auto check = [](double low, double high, double scale, int zero) {
    const ir::quantization q = quantization_of({low, high});
    CHECK(q.scale == static_cast<double>(static_cast<float>(scale)));
    CHECK(q.zero == zero);
  };
  check(0, 255, 1, -128);
  check(-255, 0, 1, 127);
  check(-1, 3, 4.0 / 255, -64);
  check(-0.25, 1, 1.25 / 255, -77);
  CHECK(!quantization_of({0, 0}));
  CHECK(!quantization_of({0, 1e-36}));
}

TEST_CASE("what was seen is the range of minmax; percentiles leave the rarest numbers out at both ends") {
  std::vector<float> ramp(10000);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i) - 2000;
  const ir::observed_numbers o = seen(ramp);
  CHECK(o.range(range_method::minmax, 0).low == -2000);
  CHECK(o.range(range_method::minmax, 0).high == 7999);
  const value_range most = o.range(range_method::percentile, 90);  // 500 at either end
  CHECK(most.low == doctest::Approx(-1500).epsilon(0.005));
  CHECK(most.high == doctest::Approx(7499).epsilon(0.001));
  const value_range all = o.range(range_method::percentile, 100);
  CHECK(all.low == -2000);
  CHECK(all.high == doctest::Approx(7999).epsilon(0.001));
  ir::observed_numbers bad;
  const float nan[] = {1, std::numeric_limits<float>::quiet_NaN()},
              infinite[] = {std::numeric_limits<float>::infinity()};
  CHECK(!bad.widen(nan));
  CHECK(!bad.widen(infinite));
}

TEST_CASE("divergence gives up the far and rare, and nothing that is common") {
  std::vector<float> numbers = normal(100000, 7);
  numbers.push_back(60);
  const value_range r = seen(numbers).range(range_method::kl, 0);
  CHECK(r.high < 10);
  CHECK(r.high > 3);
  CHECK(r.low > -10);
  CHECK(r.low < -3);
  std::vector<float> even(4096);
  for (std::size_t i = 0; i < even.size(); ++i) even[i] = static_cast<float>(i % 256);
  CHECK(seen(even).range(range_method::kl, 0).high > 250);
}

TEST_CASE("a layer's bytes are those computed by hand") {
  loaded_model m = network(
      "Input x 0 1 x 0=3\n"
      "InnerProduct fc 1 1 x fc 0=2 1=1 2=6 9=1\n");
  const float w[] = {0.5f, -1.27f, 0.013f, 2.54f, 0, -0.01f}, b[] = {0.25f, -0.125f}, in[] = {1, -0.5f, 0.3f};
  std::copy_n(w, 6, weight(m, "fc", "weight").data());
  std::copy_n(b, 2, weight(m, "fc", "bias").data());
  std::vector<arrays_by_name> all(1);
  all[0].emplace("x", array({3}, in));
  const quantizer q = calibrated(m, all);

  // x: 1.5 / 255 a step, from -0.5 on; its bytes stand for
  const float step = 1.5f / 255;
  const int zero = static_cast<int>(std::nearbyint(-128 + 0.5 / static_cast<double>(step)));
  float stands[3];
  for (int i = 0; i < 3; ++i)
    stands[i] = std::clamp(std::nearbyint(in[i] / step) + static_cast<float>(zero), -128.f, 127.f) * step -
                static_cast<float>(zero) * step;
  const float scales[] = {1.27f / 127, 2.54f / 127};
  const int bytes[] = {50, -127, 1, 127, 0, 0};  // 0.013 / 0.01, -0.01 / 0.02: halves to even
  float wanted[2];
  for (int o = 0; o < 2; ++o) {
    double sum = std::nearbyint(b[o] / (step * scales[o])) * static_cast<double>(step * scales[o]);
    for (int i = 0; i < 3; ++i)
      sum += static_cast<double>(stands[i]) * bytes[3 * o + i] * static_cast<double>(scales[o]);
    wanted[o] = static_cast<float>(std::max(sum, 0.0));
  }
  const quantized_network made = q.quantized();
  const ir::quantization y = layer(made, "fc").as;
  CHECK(y.zero == -128);
  const array got = answer(q.quantized().model, all[0]);
  for (std::size_t o = 0; o < 2; ++o) CHECK(std::fabs(got[o] - wanted[o]) <= static_cast<float>(y.scale) * 0.501f);
  CHECK(layer(made, "fc").range.high ==
        doctest::Approx(static_cast<double>(0.5f + 0.635f + 0.0039f + 0.25f)).epsilon(3));
}

TEST_CASE("branches, groups, pooling and joining: everything is bytes, what is joined is of one scale") {
  const loaded_model m = network(two_branches);
  const auto all = samples({4, 6, 6});
  for (const range_method how : {range_method::minmax, range_method::percentile, range_method::kl}) {
    const quantizer q = calibrated(m, all, {.method = how});
    const quantized_network made = q.quantized();
    for (const quantized_layer& l : made.layers) {
      CHECK_MESSAGE(l.why_float.empty(), l.name);
      CHECK(l.as.scale > 0);
    }
    for (const char* same : {"c_leaky_relu", "d", "e", "f", "g", "a"})
      CHECK(layer(made, same).as == layer(made, "b").as);
    CHECK(layer(made, "p").as == ir::quantization{1.0 / 256, -128});
    const array wanted = answer(copy(m), all[0]);
    CHECK(decibels(wanted, answer(q.quantized().model, all[0])) > 20);
    CHECK(decibels(wanted, answer(q.quantized().model, all[0], true)) > 20);
    CHECK(decibels(answer(q.quantized().model, all[0]), answer(q.integers().model, all[0])) > 30);
    const quantized_network integers = q.integers();
    for (const ir::node& n : integers.model.network.nodes)
      if (n.type != &ir::type_of<op::input> && n.type != &ir::type_of<op::dequantize>)
        CHECK_MESSAGE(integers.model.network.view().at_value(n.outputs.first).type == dtype::i8, n.name);
    if (how == range_method::minmax) CHECK(decibels(wanted, answer(q.for_ncnn().model, all[0])) > 20);
  }
}

TEST_CASE("inputs and outputs may be bytes, too") {
  const loaded_model m = network(two_branches);
  const auto all = samples({4, 6, 6});
  const quantizer q = calibrated(m, all);
  quantized_network made = q.quantized(network_ends::bytes);
  REQUIRE(made.bytes.size() == 2);
  const ir::quantization x = made.bytes.at("x"), p = made.bytes.at("p");
  const array& floats = all[0].at("x");
  array bytes(floats.shape(), dtype::i8);
  for (std::size_t i = 0; i < floats.size(); ++i)
    bytes.elements<std::int8_t>()[i] = static_cast<std::int8_t>(
        std::clamp(std::nearbyint(static_cast<double>(floats[i]) / x.scale) + x.zero, -128.0, 127.0));
  arrays_by_name fed;
  fed.emplace("x", bytes);
  const array got = answer(std::move(made.model), fed), wanted = answer(q.quantized().model, all[0]);
  REQUIRE(got.type() == dtype::i8);
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK((number_at(got, i) - p.zero) * p.scale == doctest::Approx(static_cast<double>(wanted[i])));
}

TEST_CASE("layers are kept in floats by their names, and by what they are") {
  const loaded_model m = network(two_branches);
  const auto all = samples({4, 6, 6});
  const quantizer kept = calibrated(m, all, {.keep_float = {"c", "p"}});
  const quantized_network made = kept.quantized();
  CHECK(layer(made, "c").why_float == "kept");
  CHECK(layer(made, "p").why_float == "kept");
  CHECK(layer(made, "a").why_float.empty());
  CHECK(decibels(answer(copy(m), all[0]), answer(kept.quantized().model, all[0])) > 20);
  CHECK(says(message([&] { quantizer(copy(m), {.keep_float = {"bb"}}); }), "layer 'bb'"));

  const loaded_model normed =
      network("Input x 0 1 x 0=4 1=4 2=4\nConvolution a 1 1 x a 0=4 1=1 5=1 6=16\nExp e 1 1 a e\nLRN q 1 1 e q\n");
  const quantized_network some = calibrated(normed, samples({4, 4, 4})).quantized();
  CHECK(layer(some, "a").why_float.empty());
  CHECK(says(layer(some, "q").why_float, "no kernel of bytes"));
  const loaded_model none = network("Input x 0 1 x 0=4 1=4 2=4\nLRN q 1 1 x q\n");
  CHECK(says(message([&] { quantizer{copy(none)}; }), "no layer of it can be quantized"));
}

TEST_CASE("outputs whose weights are zeros keep their bias") {
  loaded_model m = network("Input x 0 1 x 0=6 1=6 2=4\nConvolution a 1 1 x a 0=2 1=1 5=1 6=8\n");
  std::fill_n(weight(m, "a", "weight").data(), 4, 0.f);
  weight(m, "a", "bias").data()[0] = 0.7f;
  const auto all = samples({4, 6, 6});
  const quantizer q = calibrated(m, all);
  const array got = answer(q.quantized().model, all[0]);
  CHECK(std::fabs(got[0] - 0.7f) <= static_cast<float>(layer(q.quantized(), "a").as.scale) * 0.51f);
}

TEST_CASE("what no range follows from is refused by name") {
  loaded_model m = network("Input x 0 1 x 0=6 1=6 2=4\nConvolution a 1 1 x a 0=2 1=1 5=1 6=8\nSoftmax p 1 1 a p\n");
  auto all = samples({4, 6, 6});
  CHECK(says(message([&] { calibrated(m, {}); }), "no samples"));
  all[2].at("x").data()[5] = std::numeric_limits<float>::quiet_NaN();
  const std::string nan = message([&] { calibrated(m, all); });
  CHECK(says(nan, "sample 3"));
  CHECK(says(nan, "'x'"));
  const std::vector<arrays_by_name> zeros(1, arrays_by_name{{"x", array({4, 6, 6})}});
  CHECK(says(message([&] { calibrated(m, zeros); }), "value 'x' lies between 0 and 0"));
  weight(m, "a", "weight").data()[3] = std::numeric_limits<float>::infinity();
  CHECK(!message([&] { calibrated(m, samples({4, 6, 6})).quantized(); }).empty());
}

TEST_CASE("ncnn's scales: 127 / largest of the input, of each output's weight or group's; 31 where ncnn filters") {
  const loaded_model m = network(two_branches);
  const auto all = samples({4, 6, 6});
  const quantizer q = calibrated(m, all);
  const quantized_network made = q.for_ncnn();
  REQUIRE(made.scales.size() == 4);
  float largest = 0, of_weight = 0;
  for (const arrays_by_name& s : all)
    for (const float x : s.at("x").values()) largest = std::max(largest, std::fabs(x));
  for (std::size_t i = 0; i < 36; ++i)
    of_weight = std::max(of_weight, std::fabs(weight(const_cast<loaded_model&>(m), "a", "weight")[i]));
  CHECK(made.scales[0].layer == "a");
  CHECK(made.scales[0].input == doctest::Approx(127 / largest));
  CHECK(made.scales[0].weight.size() == 8);
  CHECK(made.scales[0].weight[0] == doctest::Approx(31 / of_weight));
  CHECK(made.scales[2].layer == "c");
  CHECK(made.scales[2].weight.size() == 8);
  const ncnn::layer_scales two[] = {{"a", {0.5f, 2}, 3}, {"b", {1}, 0.25f}};
  CHECK(ncnn::write_table(two) == "a_param_0 0.5 2\nb_param_0 1\na 3\nb 0.25\n");
}
