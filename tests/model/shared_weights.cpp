// SPDX-License-Identifier: BSL-1.0
// Weights that several layers of a file read: one in memory, packed once, and one where the network is written again.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include <ctnn/formats/cpp_header.hpp>
#include <ctnn/loaded/folded_weights.hpp>
#include <ctnn/model.hpp>
#include <ctnn/model/packed_weights.hpp>
#include <ctnn/model/write_onnx.hpp>
#include <ctnn/weights/packed.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace pb = test::onnx_bytes;

namespace {

std::vector<float> some(std::size_t n, float from = -0.4f) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 37 % 101) / 101 + from;
  return v;
}

/// Two pictures through one tower, and how far apart they end. What the second tower's initializers are called: its
/// own have a name of their own and the same numbers, but for the factors of its batch normalisation.
struct siamese {
  std::string weights, norm;  ///< "": the first tower's
  float factor = 0.5f;

  std::string tower(const std::string& x, const std::string& w, const std::string& n) const {
    return pb::node("Conv", {x, "w" + w, "b" + w}, {x + "c"}, pb::attribute("pads", pb::dims{1, 1, 1, 1}), x + "conv") +
           pb::node("BatchNormalization", {x + "c", "scale" + n, "shift", "mean", "var"}, {x + "n"}, {}, x + "norm") +
           pb::node("Relu", {x + "n"}, {x + "r"}, {}, x + "relu") + pb::node("Flatten", {x + "r"}, {x + "f"}) +
           pb::node("Gemm", {x + "f", "m" + w, "v"}, {x + "y"}, {}, x + "fc");
  }
  std::string initializers(const std::string& w) const {
    return pb::initializer(pb::floats("w" + w, {8, 3, 3, 3}, some(216))) +
           pb::initializer(pb::floats("b" + w, {8}, some(8))) +
           pb::initializer(pb::floats("m" + w, {8 * 36, 5}, some(8 * 36 * 5)));
  }
  std::string bytes() const {
    std::string graph = tower("left", "", "") + tower("right", weights, norm) +
                        pb::node("Sub", {"lefty", "righty"}, {"apart"}, {}, "sub") + initializers("");
    if (!weights.empty()) graph += initializers(weights);
    graph += pb::initializer(pb::floats("scale", {8}, some(8, 0.5f))) +
             pb::initializer(pb::floats("shift", {8}, some(8, -0.1f))) +
             pb::initializer(pb::floats("mean", {8}, some(8, -0.3f))) +
             pb::initializer(pb::floats("var", {8}, some(8, 0.6f))) + pb::initializer(pb::floats("v", {5}, some(5)));
    if (!norm.empty()) graph += pb::initializer(pb::floats("scale" + norm, {8}, some(8, factor)));
    for (const std::string side : {"left", "right"}) graph += pb::input(pb::value(side, pb::f32, {-1, 3, 6, 6}));
    return pb::model(graph + pb::output(pb::value("apart", pb::f32, {-1, 5})), 13);
  }
  onnx::model_message file() const {
    const std::string text = bytes();
    return onnx::parse_model(pb::view(text), "siamese.onnx");
  }
};

onnx::read_options of_batch(int n) {
  onnx::read_options options;
  for (const std::string side : {"left", "right"}) options.input_shapes[side] = {n, 3, 6, 6};
  return options;
}
program code_of(const onnx::model_message& file, const std::shared_ptr<packed_weights>& packed = {}, int batch = 1,
                bool optimize = true) {
  program_options options;
  options.optimize = optimize;
  options.keep_weights = true;
  return program(onnx::build(file, of_batch(batch)), options, packed);
}
/// Packed arrays, and all reads of them.
std::pair<std::size_t, std::size_t> arrays_of(const program& p) {
  std::set<const float*> all;
  std::size_t reads = 0;
  for (std::size_t n = 0; n < p.g().nodes.size(); ++n)
    for (const float* w : p.code(static_cast<int>(n)).weights) all.insert(w), ++reads;
  return {all.size(), reads};
}
std::vector<float> answer(const onnx::model_message& file, bool optimize = true) {
  const model m(onnx::build(file, of_batch(1)), load_options{.optimize = optimize});
  extractor e = m.extractor();
  e.input("left", array({1, 3, 6, 6}, some(108)));
  e.input("right", array({1, 3, 6, 6}, some(108, -0.7f)));
  const array out = e.extract("apart");
  return {out.values().begin(), out.values().end()};
}
constexpr std::size_t numbers_of_tower = 216 + 8 + 8 * 36 * 5 + 5;
std::size_t initialized(const onnx::model_message& file) {
  std::size_t sum = 0;
  for (const onnx::tensor& t : file.graph.initializers)
    if (t.type == dtype::f32) sum += static_cast<std::size_t>(t.shape.count());
  return sum;
}
onnx::model_message written(const siamese& s, bool optimize = true) {
  const std::string bytes = onnx::write(code_of(s.file(), {}, 1, optimize), {.opset = 13});
  return onnx::parse_model(pb::view(bytes), "again.onnx");
}
void check_near(const std::vector<float>& got, const std::vector<float>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
}

}  // namespace

TEST_CASE("what two towers read is packed once, whether the file has it once or twice") {
  for (const siamese& s : {siamese{}, siamese{"2", ""}, siamese{"2", "2"}}) {
    const program p = code_of(s.file());
    CHECK(arrays_of(p) == std::pair<std::size_t, std::size_t>{4, 8});
    CHECK(packed_total(p.g(), 16) == 16 * 27 + 16 + 16 * 288 + 16);
    CHECK(p.weights_bytes() == 4 * (16 * 27 + 8 + 16 * 288 + 5));
    check_near(answer(s.file()), answer(s.file(), false));
  }
}
TEST_CASE("what is folded into a shared weight in two ways is two") {
  const siamese s{"", "2", 0.25f};
  CHECK(arrays_of(code_of(s.file())) == std::pair<std::size_t, std::size_t>{6, 8});
  check_near(answer(s.file()), answer(s.file(), false));
  CHECK(initialized(written(s)) == numbers_of_tower + 216 + 8);
}
TEST_CASE("arrays of a model that are the same are in memory once") {
  const program p = code_of(siamese{"2", ""}.file());
  std::map<std::string_view, std::set<const array*>> by_name;
  for (const auto& [name, numbers] : p.source().weights)
    if (name.first.ends_with("conv") || name.first.ends_with("fc")) by_name[name.second].insert(numbers.get());
  for (const auto& [slot, arrays] : by_name) {
    const std::string called(slot);  // a lambda cannot have what a declaration took apart
    CAPTURE(called);
    CHECK(arrays.size() == 2);  // conv's and fc's, not four
  }
}
TEST_CASE("a batch beside one sample packs nothing again") {
  const auto packed = std::make_shared<packed_weights>();
  const program one = code_of(siamese{}.file(), packed), eight = code_of(siamese{}.file(), packed, 8);
  CHECK(one.weights_bytes() == 0);
  CHECK(eight.weights_bytes() == 0);  // each shared with the other
}
TEST_CASE("written files have one initializer for all readers, and give the same numbers") {
  for (const siamese& s : {siamese{}, siamese{"2", ""}, siamese{"2", "2"}}) {
    const onnx::model_message again = written(s);
    CHECK(initialized(again) == numbers_of_tower);
    check_near(answer(again), answer(s.file()));
    const onnx::model_message as_read = written(s, false);
    CHECK(initialized(as_read) == numbers_of_tower + 4 * 8);
    check_near(answer(as_read), answer(s.file()));
  }
}
TEST_CASE("headers have them once, and say so") {
  const program p = code_of(siamese{"2", ""}.file());
  folded_weights numbers(p.source(), p.g());
  const auto text = [&](int packed) {
    return cpp::write_header(p.g(), [&](expression_id e) { return numbers.elements(e); },
                             {"net", "siamese.onnx", packed});
  };
  const std::string loads = text(0), firmware = text(4);
  CHECK(loads.find(std::to_string(numbers_of_tower) + " numbers") != std::string::npos);
  CHECK(loads.find("m.tie(\"leftconv.weight\", \"rightconv.weight\");") != std::string::npos);
  CHECK(loads.find("{\"rightconv\"") == std::string::npos);
  CHECK(firmware.find(std::to_string(packed_total(p.g(), 4)) + " packed numbers") != std::string::npos);
  CHECK(packed_total(p.g(), 4) == 8 * 28 + 16 + 8 * 288 + 16);  // by whole lines of 16
}
