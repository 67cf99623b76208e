// SPDX-License-Identifier: BSL-1.0
// Broken .tflite files end in a ctnn::error that says where, never in a crash, a hang or much memory.
#include <ctnn/model.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "support/tflite_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fb = test::tflite_bytes;
using fb::byte;
using fb::integer;

namespace {

constexpr budget tiny{.file_bytes = 1 << 20,
                      .memory_bytes = 1 << 20,
                      .value_elements = 1 << 16,
                      .layers = 1000,
                      .blobs = 1000,
                      .name_length = 1000,
                      .array_length = 1000,
                      .work = 1 << 20};

/// Empty if the file is read and built, else why not.
std::string outcome(const std::string& file) {
  onnx::read_options options;
  options.limits = tiny;
  try {
    onnx::build(tflite::parse_model(std::as_bytes(std::span(file)), "m.tflite", tiny), options);
  } catch (const error& e) {
    REQUIRE(std::string(e.what()).starts_with("m.tflite: "));
    return e.what();
  }
  return "";
}

/// What most files have: layers of floats and of bytes, scales, options, an open axis, a shape that is an input.
fb::subgraph various() {
  fb::subgraph g;
  const int x = g.tensor("x", fb::f32, {1, 4, 4, 2});
  g.last_tensor()->fields[7] = fb::numbers(fb::shape{-1, 4, 4, 2});
  const int w = g.floats({2, 3, 3, 2}, std::vector<float>(36, 0.5f)), b = g.floats({2}, {1, 2}),
            y = g.tensor("y", fb::f32, {1, 2, 2, 2}), to = g.whole({2}, {1, -1}),
            flat = g.tensor("flat", fb::f32, {1, 8}), q = g.tensor("q", fb::i8, {1, 8}, {{0.5f}, {3}}),
            m = g.tensor("m", fb::i8, {3, 8}, {{0.5f, 0.25f, 1}, {0, 0, 0}, 0}, std::string(24, '\5')),
            r = g.tensor("r", fb::i8, {1, 3}, {{0.75f}, {-4}});
  g.op("CONV_2D", {x, w, b}, {y},
       {{0, byte(0)}, {1, integer(2)}, {2, integer(2)}, {3, byte(1)}, {4, integer(1)}, {5, integer(1)}});
  g.op("RESHAPE", {y, to}, {flat});
  g.op("QUANTIZE", {flat}, {q});
  g.op("FULLY_CONNECTED", {q, m, -1}, {r}, {{0, byte(1)}});
  return g;
}

}  // namespace

TEST_CASE("a .tflite file that is cut off anywhere is refused") {
  const std::string file = various().file({0}, {8});
  REQUIRE(outcome(file) == "");
  for (std::size_t n = 0; n < file.size(); ++n) {
    CAPTURE(n);
    const std::string why = outcome(file.substr(0, n));
    // Only zeros that pad the end may be missing.
    CHECK((why != "" || file.find_first_not_of('\0', n) == file.npos));
  }
}

TEST_CASE("any byte of a .tflite file may be another") {
  const std::string file = various().file({0}, {8});
  int refused = 0;
  for (std::size_t n = 0; n < file.size(); ++n)
    for (const int change : {0x01, 0x04, 0x80, 0xff}) {
      std::string other = file;
      other[n] = static_cast<char>(other[n] ^ change);
      refused += outcome(other) != "";
    }
  CHECK(refused > static_cast<int>(file.size()));
  MESSAGE(refused << " of " << 4 * file.size() << " changed files refused");
}

TEST_CASE("offsets, counts and numbers that cannot be are refused with the reason") {
  const auto refused = [](const std::string& file, const char* why) {
    const std::string said = outcome(file);
    CHECK_MESSAGE(said.find(why) != said.npos, said);
  };
  const auto changed = [](const std::function<void(fb::object&)>& change, int field) {
    const fb::part model = various().model({0}, {8});
    change(field < 0 ? *model : *model->fields[2].to->items[0]->fields[field].to);
    return fb::finish(model);
  };
  refused("", "empty file");
  refused(fb::finish(various().model({0}, {8}), "TFL2"), "its identifier is not TFL3");
  refused(changed([](fb::object& m) { m.fields[0] = fb::number(std::uint32_t{2}); }, -1), "version 2");
  refused(changed([](fb::object& m) { m.fields.erase(2); }, -1), "has no subgraph");
  std::string far = various().file({0}, {8});
  far.replace(0, 4, fb::raw(std::uint32_t{0xfffffff0}));
  refused(far, "ends behind the file");
  const auto tensor = [&](std::size_t i, int field, fb::cell c) {
    return changed([&](fb::object& tensors) { tensors.items[i]->fields[field] = c; }, 0);
  };
  refused(tensor(1, 0, fb::numbers(fb::shape{2, 3, 3, -2})), "extent -2 is out of range");
  refused(tensor(1, 0, fb::numbers(fb::shape{2, 3, 3, 1})), "has 144 bytes of data, 2 x 3 x 3 x 1 of f32 needs 72");
  refused(tensor(1, 0, fb::numbers(fb::shape{60000, 60000, 60000, 60000})), "more elements than the limit");
  refused(tensor(1, 2, fb::number(std::uint32_t{99})), "buffer 99 of ");
  refused(tensor(0, 1, byte(5)), "string");
  refused(tensor(0, 1, byte(77)), "");
  refused(tensor(7, 4, fb::child(fb::table({{2, fb::numbers(std::vector<float>{1, 2})}}))),
          "has 2 scales for its axis 0");
  refused(tensor(7, 4,
                 fb::child(fb::table(
                     {{2, fb::numbers(std::vector<float>{1})}, {3, fb::numbers(std::vector<std::int64_t>{0, 0})}}))),
          "has 1 scales and 2 zero points");
  refused(tensor(7, 4, fb::child(fb::table({{4, fb::number(std::uint8_t{2})}}))), "quantized in a way of its own");
  const auto node = [&](std::size_t i, int field, fb::cell c) {
    return changed([&](fb::object& nodes) { nodes.items[i]->fields[field] = c; }, 3);
  };
  refused(node(0, 0, fb::number(std::uint32_t{50})), "operator code 50 of 4");
  refused(node(0, 1, fb::numbers(fb::shape{0, 1, 40})), "has tensor 40 of 9");
  refused(node(0, 1, fb::numbers(fb::shape{0, -1})), "input 1 is missing");
  refused(node(0, 2, fb::numbers(fb::shape{1})), "which has numbers in the file");
  refused(node(1, 2, fb::numbers(fb::shape{3})), "is made twice");
  refused(node(0, 1, fb::numbers(fb::shape{8, 1, 2})), "reads, perhaps through others, what it makes");
  refused(node(0, 3, fb::number(std::uint8_t{9})), "options of another operator");
  refused(node(0, 4, fb::child(fb::table({{0, byte(7)}}))), "padding is 7");
  refused(node(0, 4, fb::child(fb::table({{0, byte(1)}}))), "stride");
  refused(node(0, 4, fb::child(fb::table({{1, integer(1)}, {2, integer(1)}, {9, integer(1)}}))), "option 9");
  // The same table many times over.
  const fb::part model = various().model({0}, {8});
  auto& nodes = model->fields[2].to->items[0]->fields[3].to->items;
  nodes.resize(20000, nodes[0]);
  refused(fb::finish(model), "");
}

TEST_CASE("scales of a .tflite file that are no scales are refused, with tensor, number and what is expected") {
  const auto with = [](std::size_t tensor, std::vector<float> scales) {
    const fb::part model = various().model({0}, {8});
    const std::vector<std::int64_t> zeros(scales.size());
    model->fields[2].to->items[0]->fields[0].to->items[tensor]->fields[4] =
        fb::child(fb::table({{2, fb::numbers(scales)}, {3, fb::numbers(zeros)}}));
    return outcome(fb::finish(model));
  };
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  struct refusal {
    float scale;
    const char* said;
  };
  for (const refusal& r : {refusal{nan, "nan"}, {infinity, "inf"}, {-infinity, "-inf"}, {-0.5f, "-0.5"}}) {
    CAPTURE(r.said);
    const std::string why = "' has the scale " + std::string(r.said) + ", expected a finite one, not below 0";
    CHECK(with(6, {r.scale}).find("tensor 'q" + why) != std::string::npos);
    CHECK(with(8, {r.scale}).find("tensor 'r" + why) != std::string::npos);
    CHECK(with(7, {0.5f, r.scale, 1}).find("tensor 'm" + why) != std::string::npos);
    CHECK(with(7, {r.scale}).find("tensor 'm" + why) != std::string::npos);
  }
  // Numbers are divided by what a value is scaled by; a filter of zeros may have any scale.
  CHECK(with(6, {0}).find("tensor 'q' has the scale 0, expected one above 0") != std::string::npos);
  CHECK(with(8, {0}).find("tensor 'r' has the scale 0, expected one above 0") != std::string::npos);
  CHECK(with(7, {0.5f, 0, 1}) == "");
}

TEST_CASE(
    "operators of bytes that TensorFlow Lite does not have, or of sizes and scales that lead astray, are refused") {
  const fb::scales of{{0.5f}, {3}};
  const auto said = [](const fb::subgraph& g, int x, int y) { return outcome(g.file({x}, {y})); };
  const auto alone = [&](std::string_view op, const fb::scales& as, const std::map<int, fb::cell>& options = {}) {
    fb::subgraph g;
    const int x = g.tensor("x", fb::i8, {4}, of), y = g.tensor("y", fb::i8, {4}, as);
    g.op(op, {x}, {y}, options);
    return said(g, x, y);
  };
  CHECK(alone("NEG", of).find("quantized i8") != std::string::npos);
  CHECK(alone("HARD_SWISH", of) == "");
  CHECK(alone("HARD_SWISH", {{0.5f / 200}, {0}}).find("as") != std::string::npos);  // more steps than 16 bits have
  CHECK(alone("LEAKY_RELU", of, {{0, fb::real(0.1f)}}) == "");
  CHECK(alone("LEAKY_RELU", of, {{0, fb::real(1000)}}).find("as") != std::string::npos);
  const auto back = [&](int stride, int size) {
    fb::subgraph g;
    const int x = g.tensor("x", fb::i8, {1, 2, 2, 1}, of), y = g.tensor("y", fb::i8, {1, size, size, 1}, of),
              w = g.tensor("w", fb::i8, {1, 3, 3, 1}, {{0.5f}, {0}}, std::string(9, '\1'));
    g.op("TRANSPOSE_CONV", {g.whole({4}, {1, size, size, 1}), w, x}, {y},
         {{0, byte(1)}, {1, integer(stride)}, {2, integer(stride)}});
    return said(g, x, y);
  };
  CHECK(back(2, 5) == "");
  CHECK(back(65, 68).find("a stride of 65") != std::string::npos);
  CHECK(back(std::numeric_limits<std::int32_t>::max(), 5).find("a stride of 2147483647") != std::string::npos);
  CHECK(back(0, 5).find("strides of 0") != std::string::npos);
  CHECK(back(2, 1 << 27) != "");
}

TEST_CASE("recurrent layers of bytes have states, and scales that their kernels take") {
  const auto state = [](fb::subgraph& g, fb::type t, const fb::shape& of, const fb::scales& q) {
    const int s = g.tensor("state", t, of, q);
    g.last_tensor()->fields[5] = fb::flag(true);
    return s;
  };
  const auto filters = [&](bool kept, int zero, const fb::scales& over) {
    fb::subgraph g;
    const int x = g.tensor("x", fb::i8, {1, 2}, {{0.5f}, {3}}), y = g.tensor("y", fb::i8, {1, 3}, {{0.5f}, {0}}),
              features = g.tensor("features", fb::i8, {3, 2}, {{0.5f}, {0}}, std::string(6, '\1')),
              factors = g.tensor("over", fb::i16, {3, 4}, over, std::string(24, '\1')),
              before = kept ? state(g, fb::i16, {1, 12}, {{0.5f}, {zero}}) : -1;
    g.op("SVDF", {x, features, factors, -1, before}, {y}, {{0, integer(1)}, {1, byte(1)}});
    return outcome(g.file({x}, {y}));
  };
  CHECK(filters(true, 0, {{0.5f}, {0}}) == "");
  CHECK(filters(false, 0, {{0.5f}, {0}}).find("input 4 that is no state") != std::string::npos);
  CHECK(filters(true, 1, {{0.5f}, {0}}).find("a zero point of the state") != std::string::npos);
  CHECK(filters(true, 0, {{0.5f}, {2}}).find("a zero point of input 2") != std::string::npos);
  CHECK(filters(true, 0, {}).find("'over' has no scale") != std::string::npos);
  const auto layer = [&](float cell, int peephole, int in, std::vector<int> between) {
    fb::subgraph g;
    fb::shape from(24, -1);
    from[0] = g.tensor("x", fb::i8, {1, 2, 3}, {{0.5f}, {3}});
    for (std::size_t i = 1; i <= 4; ++i)
      from[i] = g.tensor("w", fb::i8, {2, in}, {{0.5f}, {0}}, std::string(static_cast<std::size_t>(2 * in), '\1'));
    for (std::size_t i = 5; i <= 8; ++i) from[i] = g.tensor("r", fb::i8, {2, 2}, {{0.5f}, {0}}, std::string(4, '\1'));
    for (std::size_t i = 12; i <= 15; ++i) from[i] = g.tensor("b", fb::i32, {2}, {{0.5f}, {0}}, std::string(8, '\1'));
    if (peephole >= 0) from[static_cast<std::size_t>(peephole)] = g.tensor("p", fb::i16, {2}, {{0.5f}, {0}}, "1234");
    from[18] = state(g, fb::i8, {1, 2}, {{0.5f}, {0}});
    from[19] = state(g, fb::i16, {1, 2}, {{cell}, {0}});
    const int y = g.tensor("y", fb::i8, {1, 2, 2}, {{0.5f}, {0}});
    g.op("UNIDIRECTIONAL_SEQUENCE_LSTM", from, {y}, {{0, byte(4)}});
    if (!between.empty()) g.last_operator()->fields[8] = fb::numbers(fb::shape(between.begin(), between.end()));
    return outcome(g.file({from[0]}, {y}));
  };
  CHECK(layer(1.0f / 2048, -1, 3, {}) == "");
  CHECK(layer(1.0f / 2048, -1, 3, {0, 0, 0, 0, 0}) == "");
  CHECK(layer(1.0f / 2048, -1, 3, {0, 0, 0, 0, 99}).find("the list of intermediates has tensor 99") !=
        std::string::npos);
  CHECK(layer(0.001f, -1, 3, {}).find("no power of 2") != std::string::npos);
  CHECK(layer(1.0f / 256, -1, 3, {}).find("no power of 2") != std::string::npos);
  CHECK(layer(1.0f / 2048, 10, 3, {}).find("peepholes") != std::string::npos);
  CHECK(layer(1.0f / 2048, -1, 4, {}) != "");
}

TEST_CASE("a variable cannot be fed") {
  fb::subgraph g;
  const int handle = g.tensor("sum", fb::resource, {}), y = g.tensor("y", fb::f32, {2});
  g.op("READ_VARIABLE", {handle}, {y});
  const std::string said = outcome(g.file({handle}, {y}));
  CHECK_MESSAGE(said.find("input 'sum': tensor of a variable") != said.npos, said);
}

TEST_CASE("subgraphs that call themselves, or that nobody calls, are refused") {
  const auto conditional = [](int then) {
    fb::subgraph g;
    g.op("IF", {g.tensor("c", fb::boolean, {1}), g.tensor("x", fb::f32, {2})}, {g.tensor("y", fb::f32, {2})},
         {{0, integer(then)}, {1, integer(1)}});
    return g;
  };
  fb::subgraph inner;  // its operator is the first of the model's, IF, without what that needs
  inner.op("RELU", {inner.tensor("a", fb::f32, {2})}, {inner.tensor("b", fb::f32, {2})});
  CHECK(outcome(fb::finish(conditional(0).model({0, 1}, {2}, {inner.graph({0}, {1})}))).find("deeper than 16") !=
        std::string::npos);
  CHECK(outcome(fb::finish(conditional(7).model({0, 1}, {2}, {inner.graph({0}, {1})}))).find("calls subgraph 7 of 2") !=
        std::string::npos);
  CHECK(outcome(fb::finish(various().model({0}, {8}, {inner.graph({0}, {1})})))
            .find("subgraph 1 'main', which the first does not call") != std::string::npos);
}
