// SPDX-License-Identifier: BSL-1.0
// Declared networks as models: their outputs are their engines', in bits; and what models have, types have so.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>

#include <ctnn/formats/graphviz.hpp>
#include <ctnn/model.hpp>
#include <ctnn/model/verify.hpp>
#include <ctnn/model/write_ncnn.hpp>
#if defined(CTNN_READS_ONNX)
#include <ctnn/model/write_onnx.hpp>
#endif
#include <ctnn/typed.hpp>
#include <ctnn/weights.hpp>

#include "../../examples/networks/transformer.hpp"
#include "support/run_both.hpp"
#include "support/scratch_folder.hpp"

namespace nn = ctnn;
namespace ir = nn::ir;
using ir::test::floats;

namespace {

// clang-format off

struct cnn : nn::network<
    nn::input<"image", nn::shape<3, 16, 16>>,
    nn::conv2d<"conv1", nn::out<8>, nn::kernel<3>, nn::pad<1>, nn::no_bias>, nn::batch_norm<"bn1">, nn::relu<"relu1">,
    nn::residual<"add",
        nn::conv2d<"depthwise", nn::out<8>, nn::kernel<3>, nn::pad<1>, nn::groups<8>>, nn::hardswish<"swish">,
        nn::conv2d<"pointwise", nn::out<8>, nn::kernel<1>>>,
    nn::max_pool2d<"pool", nn::kernel<2>>, nn::split<"halves", nn::axis<0>, nn::sizes<3, 5>>,
    nn::adaptive_avg_pool2d<"gap">, nn::flatten<"flat">, nn::linear<"fc", nn::out<10>>, nn::softmax<"prob">,
    nn::named_output<nn::from<"classes", "halves.0">, nn::from<"prob", "halves.0">>> {};

using encoder = networks::transformer_encoder<6, 16, 2, 24, 1>;

struct words : nn::network<nn::input<"x", nn::shape<12, 3>>, nn::gru<"cell", nn::hidden<8>>,
                           nn::linear<"dense", nn::from<"cell.0">, nn::out<2>>> {};
using step = nn::stateful<words, 1>;

/// Two inputs through the same layers.
struct siamese : nn::network<
    nn::input<"left", nn::shape<6>>, nn::linear<"of_left", nn::out<5>>,
    nn::input<"right", nn::shape<6>>, nn::linear<"of_right", nn::out<5>>,
    nn::sub<"apart", nn::from<"of_left", "of_right">>,
    nn::tied<"of_left.weight", "of_right.weight">, nn::tied<"of_left.bias", "of_right.bias">> {};

// clang-format on

using layer_weights = std::vector<nn::named_weight>;

template <class Engine>
std::vector<floats> run(Engine& engine, const std::vector<floats>& in) {
  const auto pointers = ir::test::pointers_to(in);
  engine.run(std::span<const float* const, Engine::inputs>(pointers));
  std::vector<floats> out;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (out.emplace_back(engine.template output<I>().begin(), engine.template output<I>().end()), ...);
  }
  (std::make_index_sequence<Engine::outputs>());
  return out;
}
std::vector<floats> run(nn::extractor& of, const nn::model& m, const std::vector<floats>& in) {
  for (std::size_t i = 0; i < in.size(); ++i) of.input(i, nn::array(m.code().inputs()[i].shape, in[i]));
  std::vector<floats> out;
  for (const nn::array& a : of.extract(of.outputs())) out.emplace_back(a.values().begin(), a.values().end());
  return out;
}

/// The caller's inputs of a network, made up; other ones for every run.
template <class Net>
std::vector<floats> inputs_of(int number = 0) {
  std::vector<floats> in;
  for (const ir::node& n : ir::declared_graph<Net>.nodes)
    if (ir::executable<Net>::is_input(n))
      in.push_back(ir::test::random_floats(std::string(n.name) + std::to_string(number),
                                           ir::declared_graph<Net>.shape(n.outputs.first).count()));
  return in;
}

/// The model of Net gives what its engines give, bit for bit: as declared, and rewritten.
template <class Net>
void check_bits(int runs = 1) {
  ir::test::made_up_weights numbers;
  const layer_weights weights = ir::test::weights_of_network<Net>(numbers);
  using fused = nn::optimized<Net>;
  const auto packed = std::make_unique<nn::parameters<Net>>(nn::zeros);
  const auto folded = std::make_unique<nn::parameters<fused>>(nn::zeros);
  REQUIRE(!nn::load(*packed, weights).found);
  REQUIRE(!nn::load_folded<Net>(*folded, weights).found);
  const auto plain = std::make_unique<nn::engine<Net>>(*packed);
  const auto fast = std::make_unique<nn::engine<fused>>(*folded);
  const nn::model as_declared = nn::to_model<Net>(weights, {.optimize = false}), rewritten = nn::to_model<Net>(weights);
  CHECK(as_declared.graph().nodes.size() == ir::declared_graph<Net>.nodes.size());
  CHECK(rewritten.graph().nodes.size() == ir::declared_graph<fused>.nodes.size());
  nn::extractor one = as_declared.extractor(), other = rewritten.extractor();
  for (int i = 0; i < runs; ++i) {
    const std::vector<floats> in = inputs_of<Net>(i);
    CHECK(run(one, as_declared, in) == run(*plain, in));
    CHECK(run(other, rewritten, in) == run(*fast, in));
  }
}

template <class Net>
nn::model model_of(const nn::load_options& options = {}) {
  ir::test::made_up_weights numbers;
  return nn::to_model<Net>(ir::test::weights_of_network<Net>(numbers), options);
}
/// What both make of the same inputs, by the project's tolerance.
void check_same(const nn::model& want, const nn::model& got) {
  const nn::verification v = nn::compare(want, got);
  CAPTURE(ir::describe(v));
  CHECK(v.same);
}

}  // namespace

TEST_CASE("a model of a type gives its engine's bits") {
  check_bits<cnn>();
  check_bits<encoder>();
  check_bits<words>();
  check_bits<siamese>();
  check_bits<nn::batched<cnn, 2>>();
  check_bits<nn::optimized<cnn>>();
}

TEST_CASE("states are each extractor's own") { check_bits<step>(5); }

TEST_CASE("names are as declared") {
  const nn::model m = model_of<cnn>({.optimize = false});
  REQUIRE(m.inputs().size() == 1);
  CHECK(m.inputs()[0].name == "image");
  REQUIRE(m.outputs().size() == 2);
  CHECK(m.outputs()[0].name == "classes");
  CHECK(m.outputs()[1].name == "halves.0");
  nn::extractor ex = m.extractor();
  ex.input("image", nn::array({3, 16, 16}));
  CHECK(ex.extract("halves.1").shape() == nn::extents{5, 8, 8});
  CHECK(ex.extract("prob").shape() == nn::extents{10});
  CHECK(model_of<words>().outputs()[0].name == "dense");
}

TEST_CASE("half precision stays what was declared") {
  using halves = nn::network<nn::input<"x", nn::shape<2, 6, 6>, nn::f16>, nn::conv2d<"c", nn::out<3>, nn::kernel<3>>>;
  std::vector<nn::float16> weight(54), bias(3);
  for (std::size_t i = 0; i < weight.size(); ++i)
    weight[i] = nn::float16{nn::float_to_half(static_cast<float>(i % 7) / 8)};
  const layer_weights weights{{"c", "weight", weight}, {"c", "bias", bias}};
  const nn::model m = nn::to_model<halves>(weights);
  CHECK(m.inputs()[0].type == nn::dtype::f16);
  nn::array x({2, 6, 6}, nn::dtype::f16);
  for (std::uint16_t& h : x.elements<std::uint16_t>()) h = nn::float_to_half(0.5f);
  nn::extractor ex = m.extractor();
  ex.input("x", x);
  const nn::array got = ex.extract("c");
  static nn::parameters<nn::optimized<halves>> packed{nn::zeros};
  REQUIRE(!nn::load_folded<halves>(packed, weights).found);
  static nn::engine<nn::optimized<halves>> engine(packed);
  const std::vector<nn::float16> same(72, nn::float16{nn::float_to_half(0.5f)});
  const auto want = engine(std::span<const nn::float16, 72>(same));
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    CHECK(got.elements<std::uint16_t>()[i] == static_cast<std::uint16_t>(want[i]));
}

TEST_CASE("networks of bytes give their engines' bytes") {
  using bytes = nn::network<
      nn::input<"x", nn::shape<2, 6, 6>, nn::as_i8<0.5, 3>>,
      nn::conv2d<"c", nn::out<3>, nn::kernel<3>, nn::per_channel, nn::as_i8<0.25, -5>, nn::fused<nn::function::relu>>,
      nn::adaptive_avg_pool2d<"gap">, nn::flatten<"flat">, nn::linear<"fc", nn::out<4>, nn::as_i8<0.125, 7>>,
      nn::softmax<"p", nn::as_i8<1.0 / 256, -128>>>;
  std::vector<std::int8_t> conv(54), fc(12), x(72);
  for (std::size_t i = 0; i < conv.size(); ++i) conv[i] = static_cast<std::int8_t>(i * 37 % 201 - 100);
  for (std::size_t i = 0; i < fc.size(); ++i) fc[i] = static_cast<std::int8_t>(i * 53 % 201 - 100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int8_t>(i * 29 % 255 - 127);
  const std::int32_t bias[] = {100, -200, 300, 0};
  const floats scales{0.01f, 0.02f, 0.005f}, scale{0.03f};
  const layer_weights weights{{"c", "weight", conv},         {"c", "bias", std::span(bias).first(3)},
                              {"c", "weight_scale", scales}, {"fc", "weight", fc},
                              {"fc", "bias", bias},          {"fc", "weight_scale", scale}};
  static nn::parameters<nn::optimized<bytes>> packed{nn::zeros};
  REQUIRE(!nn::load_folded<bytes>(packed, weights).found);
  static nn::engine<nn::optimized<bytes>> engine(packed);
  const auto want = engine(std::span<const std::int8_t, 72>(x));
  for (const bool optimize : {false, true}) {
    nn::extractor ex = nn::to_model<bytes>(weights, {.optimize = optimize}).extractor();
    nn::array fed({2, 6, 6}, nn::dtype::i8);
    std::ranges::copy(x, fed.elements<std::int8_t>().begin());
    ex.input("x", fed);
    const nn::array got = ex.extract("p");
    CHECK(std::ranges::equal(got.elements<std::int8_t>(), want));
  }
  CHECK(std::ranges::any_of(want, [&](std::int8_t y) { return y != want[0]; }));
}

TEST_CASE("weights that are wrong are refused by name") {
  ir::test::made_up_weights numbers;
  layer_weights weights = ir::test::weights_of_network<siamese>(numbers);
  const floats three(3);
  const auto message = [&] {
    try {
      (void)nn::to_model<siamese>(weights);
    } catch (const nn::error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(message() == "");
  weights.push_back({"of_left", "slope", three});
  CHECK(message() == "layer 'of_left': no layer has a weight slope");
  weights.pop_back();
  weights.back().numbers = three;
  CHECK(message() == "layer 'of_left': bias has shape 3, expected 5");
  weights.pop_back();
  CHECK(message() == "layer 'of_left': no numbers for weight bias");
}

TEST_CASE("states are fed, extracted and begun anew by their names") {
  ir::test::made_up_weights numbers;
  const nn::model m = nn::to_model<step>(ir::test::weights_of_network<step>(numbers));
  CHECK(m.carried() == std::vector<std::string>{"cell.h"});
  CHECK(m.inputs().size() == 1);
  const floats sample = ir::test::random_floats("x", 3);
  nn::extractor ex = m.extractor();
  const auto next = [&] {
    ex.input("x", nn::array({1, 3}, sample));
    return ex.extract("dense");
  };
  const nn::array first = next(), state = ex.extract("cell.h"), second = next();
  CHECK(!nn::same_bytes(first, second));
  ex.reset();
  CHECK(nn::same_bytes(next(), first));
  nn::extractor other = m.extractor();
  other.input("cell.h", state);
  other.input("x", nn::array({1, 3}, sample));
  CHECK(nn::same_bytes(other.extract("dense"), second));
}

#if defined(CTNN_READS_SAFETENSORS)
TEST_CASE("weights come from files by the names of the state_dict") {
  using small = nn::network<nn::input<"x", nn::shape<2>>, nn::linear<"fc", nn::out<2>>>;
  const std::string head = R"({"fc.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                           R"("fc.bias":{"dtype":"F32","shape":[2],"data_offsets":[16,24]}})";
  const float numbers[] = {1, 2, 3, 4, 5, 6};
  std::string text(8, '\0');
  text[0] = static_cast<char>(head.size());
  text += head;
  text.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  const ir::test::scratch_folder folder;
  ir::write_file(folder.file("small.safetensors"), text);
  nn::extractor ex = nn::to_model<small>(nn::weights::open(folder.file("small.safetensors"))).extractor();
  const float x[] = {1, -1};
  ex.input("x", nn::array({2}, x));
  const nn::array y = ex.extract("fc");
  CHECK(y[0] == 4);
  CHECK(y[1] == 5);
}
#endif

#if defined(CTNN_READS_ONNX)
TEST_CASE("a type is written as ONNX and read back, and compared with a model from a file") {
  const ir::test::scratch_folder folder;
  const auto check = [&]<class Net>(std::type_identity<Net>) {
    const nn::model m = model_of<Net>({.keep_weights = true});
    nn::onnx::save(m, folder.file("net.onnx"));
    const nn::model read = nn::model::load(folder.file("net.onnx"));
    check_same(m, read);
    for (std::size_t i = 0; i < m.outputs().size(); ++i) CHECK(read.outputs()[i].name == m.outputs()[i].name);
  };
  check(std::type_identity<cnn>());
  check(std::type_identity<encoder>());
  check(std::type_identity<words>());
  check(std::type_identity<siamese>());
  CHECK_THROWS_WITH_AS(nn::onnx::write(model_of<cnn>().code()), doctest::Contains("load_options::keep_weights"),
                       nn::error);
  CHECK_THROWS_WITH_AS(nn::onnx::write(model_of<step>({.keep_weights = true}).code()),
                       doctest::Contains("carries from run to run"), nn::error);
}
#endif

TEST_CASE("a type is written for ncnn and drawn") {
  const ir::test::scratch_folder folder;
  const nn::model m = model_of<cnn>({.keep_weights = true});
  nn::ncnn::save(m, folder.file("net.param"), folder.file("net.bin"));
  check_same(m, nn::model::load(folder.file("net.param"), folder.file("net.bin")));
  const std::string picture = nn::write_graphviz(m.source(), m.graph(), m.code().history());
  CHECK(picture.find("depthwise") != picture.npos);
}

TEST_CASE("layers of a type are told of as they run, and where they went") {
  const nn::model m = model_of<cnn>();
  nn::extractor ex = m.extractor();
  std::map<std::string, int> ran;
  ex.on_step(
      [](void* to, const nn::running_step& s) {
        if (s.begins || s.node == ir::none) return;
        for (const int n : s.together)
          ++(*static_cast<std::map<std::string, int>*>(to))[std::string(s.code->g().at(n).name)];
        if (s.together.empty())
          ++(*static_cast<std::map<std::string, int>*>(to))[std::string(s.code->g().at(s.node).name)];
      },
      &ran);
  (void)run(ex, m, inputs_of<cnn>());
  for (const nn::layer_info& l : nn::layers_after<cnn>)
    CHECK(ran.contains(std::string(l.name)) == (l.into == l.name && l.name != "image"));
  CHECK_THROWS_WITH_AS(ex.extract("bn1"), doctest::Contains("conv1"), nn::error);
}
