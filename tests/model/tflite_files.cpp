// SPDX-License-Identifier: BSL-1.0
// What converters write into .tflite files besides operators: several signatures, names that tensors share, axes that
// nobody needs, unsigned weights.
#include <ctnn/model.hpp>
#include <ctnn/formats/npy.hpp>
#include <doctest/doctest.h>

#include <filesystem>

#include "formats/shared_files.hpp"
#include "support/tflite_samples.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fb = test::tflite_bytes;

namespace {

std::span<const std::byte> bytes(const std::string& file) { return std::as_bytes(std::span(file)); }
fb::part value(std::string_view word, int tensor) {
  return fb::table({{0, fb::text(word)}, {1, fb::number(static_cast<std::uint32_t>(tensor))}});
}
fb::part signature(std::string_view name, std::string_view in, std::string_view out, unsigned graph) {
  return fb::table({{0, fb::list({value(in, 0)})},
                    {1, fb::list({value(out, 1)})},
                    {2, fb::text(name)},
                    {4, fb::number(std::uint32_t{graph})}});
}
/// "double" and "negate", each a graph of its own.
fb::part two_ways_in() {
  fb::subgraph g, other = g.beside();
  const int x = g.tensor("x", fb::f32, {2}), y = g.tensor("y", fb::f32, {2});
  g.op("ADD", {x, x}, {y}, {{0, fb::byte(0)}});
  const int a = other.tensor("a", fb::f32, {2}), b = other.tensor("b", fb::f32, {2});
  other.op("NEG", {a}, {b});
  const fb::part root = g.model({x}, {y}, {other.graph({a}, {b})});
  root->fields[7] = fb::list({signature("double", "of", "twice", 0), signature("negate", "of", "less", 1)});
  return root;
}
std::string says(const std::string& file, const load_options& options = {}) {
  try {
    model::load(bytes(file), options);
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a file with several signatures is read by the one that is named, or by its first graph") {
  const std::string file = fb::finish(two_ways_in());
  for (const std::string name : {"", "double", "negate"}) {
    CAPTURE(name);
    const bool negates = name == "negate";
    const model m = model::load(bytes(file), {.signature = name});
    CHECK(m.outputs()[0].name == (negates ? "b" : "y"));
    extractor e = m.extractor();
    e.input(negates ? "a" : "x", array({2}, std::vector<float>{1, -3}));
    CHECK(e.extract(0)[1] == (negates ? 3.0f : -6.0f));
  }
  const auto parsed = tflite::parse_model(bytes(file), "two.tflite", {}, {}, "negate");
  REQUIRE(parsed.signatures.size() == 2);
  CHECK(parsed.signatures[0].name == "double");
  CHECK(!parsed.signatures[0].chosen);
  CHECK(parsed.signatures[1].chosen);
  CHECK(parsed.signatures[1].outputs == std::vector<std::string>{"less"});
  CHECK(says(file, {.signature = "halve"}).find("no signature 'halve'; it has 'double', 'negate'") !=
        std::string::npos);
  const fb::part wrong = two_ways_in();
  wrong->fields[7] = fb::list({signature("double", "of", "twice", 7)});
  CHECK(says(fb::finish(wrong)).find("signature 'double' is of subgraph 7 of 2") != std::string::npos);
  const fb::part none = two_ways_in();
  none->fields.erase(7);
  CHECK(says(fb::finish(none)).find("which the first does not call") != std::string::npos);
  CHECK(says(fb::finish(none), {.signature = "double"}).find("it has none") != std::string::npos);
}

TEST_CASE("an output keeps its name, though numbers before it have the same") {
  fb::subgraph g;
  const int b = g.tensor("y", fb::f32, {2}, {}, fb::raws<float>({5, 6})), x = g.tensor("x", fb::f32, {2}),
            y = g.tensor("y", fb::f32, {2});
  g.op("ADD", {x, b}, {y}, {{0, fb::byte(0)}});
  const std::string file = g.file({x}, {y});
  for (const bool optimize : {false, true}) {
    const model m = model::load(bytes(file), {.optimize = optimize});
    extractor e = m.extractor();
    e.input("x", array({2}, std::vector<float>{1, 2}));
    CHECK(e.extract("y")[1] == 8);
  }
}

TEST_CASE("the axis of a bias's scales is its only one, and axes may be counted from the end") {
  const auto read = [](int bias_axis, int weight_axis) {
    fb::sample s;
    const fb::scales of{{0.05f}, {3}};
    const int w = s.tensor("w", fb::i8, {1, 1, 1, 2}, {{0.1f, 0.2f}, {0, 0}, weight_axis}, std::string(2, 1)),
              b = s.tensor("b", fb::i32, {2}, {{0.1f, 0.1f}, {0, 0}, bias_axis}, std::string(8, 0));
    s.op("DEPTHWISE_CONV_2D", {s.in({1, 2, 2, 2}, fb::i8, of), w, b}, {s.out({1, 2, 2, 2}, fb::i8, of)},
         fb::depthwise(0, 1, 1));
    return says(s.file());
  };
  CHECK(read(0, 3).empty());
  CHECK(read(3, 3).empty());
  CHECK(read(3, -1).empty());
  CHECK(read(0, 1).find("has 2 scales for its axis 1") != std::string::npos);
  CHECK(read(0, -5).find("has 2 scales for its axis -5") != std::string::npos);
}

TEST_CASE("a gather from each of a batch has indices for each of it") {
  const auto read = [](int axis, int batch, const fb::shape& indices) {
    fb::sample s;
    const int i = s.tensor("i", fb::i32, indices);
    s.ins.push_back(i);
    s.op("GATHER", {s.in({2, 3, 4}), i}, {s.out({2, 3, 2})}, {{0, fb::integer(axis)}, {1, fb::integer(batch)}});
    return says(s.file());
  };
  CHECK(read(2, 2, {2, 3, 2}).empty());
  CHECK(read(1, 2, {2, 3, 2}).find("batch_dims is 2 for axis 1") != std::string::npos);
  CHECK(read(2, 1, {3, 2}).find("batch_dims is 1") != std::string::npos);
  CHECK(read(2, -4, {2, 3, 2}).find("batch_dims is -1") != std::string::npos);
}

namespace {

/// By the book: sums of 32 bits, which are multiplied by 31 digits and a power of two, and rounded each time.
int unsigned_step(std::int64_t sum, double factor, int zero) {
  int power = 0;
  const auto digits = static_cast<std::int64_t>(std::llround(std::frexp(factor, &power) * 2147483648.0));
  const std::int64_t once = (2 * sum * digits + (std::int64_t{1} << 31)) >> 32, half = std::int64_t{1} << (-power - 1);
  const std::int64_t y = ((once < 0 ? once - 1 : once) + half) >> -power;
  return static_cast<int>(std::clamp<std::int64_t>(y + zero, 0, 255));
}

}  // namespace

TEST_CASE("unsigned weights with a zero point, as converters wrote them before int8") {
  const int w_zero = 121, x_zero = 7, y_zero = 100;
  const std::string weights = fb::some_bytes(3 * 8, 3, 0, 255);
  const std::vector<std::int32_t> bias{400, -300, 20};
  fb::sample s;
  const int w = s.tensor("w", fb::u8, {3, 8}, {{0.02f}, {w_zero}}, weights),
            b = s.tensor("b", fb::i32, {3}, {{0.001f}, {0}}, fb::raws(bias));
  s.op("FULLY_CONNECTED", {s.in({2, 8}, fb::u8, {{0.05f}, {x_zero}}), w, b},
       {s.out({2, 3}, fb::u8, {{0.3f}, {y_zero}})}, {{0, fb::byte(0)}});
  const std::string file = s.file();
  for (const bool optimize : {false, true}) {
    const model m = model::load(bytes(file), {.optimize = optimize, .rounding = rounding::twice});
    extractor e = m.extractor();
    const array x = s.fed_in(0, 0);
    e.input("in0", x);
    const array y = e.extract("out0");
    for (std::size_t i = 0; i < 6; ++i) {
      std::int64_t sum = bias[i % 3];
      for (std::size_t k = 0; k < 8; ++k)
        sum += (x.elements<std::uint8_t>()[i / 3 * 8 + k] - x_zero) *
               (static_cast<unsigned char>(weights[i % 3 * 8 + k]) - w_zero);
      CAPTURE(i);
      CHECK(int{y.elements<std::uint8_t>()[i]} ==
            unsigned_step(sum, static_cast<double>(0.05f) * static_cast<double>(0.02f) / static_cast<double>(0.3f),
                          y_zero));
    }
  }
}

TEST_CASE("files from strangers give the interpreter's numbers") {
  const auto folder = test::shared_models("strangers");
  if (folder.empty()) return;
  for (const std::string name : {"lstm_cell_clip_10.0", "lstm_cell_clip_0.25", "gather_batch_dims"}) {
    CAPTURE(name);
    const std::filesystem::path at = folder / name;
    const model m = model::load((at / "m.tflite").string());
    extractor e = m.extractor();
    for (const auto& file : std::filesystem::directory_iterator(at)) {
      const std::string stem = file.path().stem().string();
      if (stem.starts_with("in_")) e.input(stem.substr(3), npy::read(file.path().string()));
    }
    int compared = 0;
    for (const auto& file : std::filesystem::directory_iterator(at)) {
      const std::string stem = file.path().stem().string();
      if (!stem.starts_with("exp_")) continue;
      const array wanted = npy::read(file.path().string()), y = e.extract(stem.substr(4));
      REQUIRE(y.size() == wanted.size());
      for (std::size_t i = 0; i < y.size(); ++i)
        CHECK(number_at(y, i) == doctest::Approx(number_at(wanted, i)).epsilon(1e-5));
      ++compared;
    }
    CHECK(compared == 1);
  }
  CHECK_NOTHROW(model::load((folder / "bias_axis3" / "m.tflite").string()));
}
