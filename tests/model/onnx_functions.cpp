// SPDX-License-Identifier: BSL-1.0
// Operators that an ONNX file defines itself: their nodes come in place of every call.
#include <cmath>

#include <doctest/doctest.h>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace pb = test::onnx_bytes;

namespace {

const std::string local = pb::bytes(7, "local");  // the domain of a node

std::string defined(std::string_view name, const std::vector<std::string>& in, const std::vector<std::string>& out,
                    std::string_view more, std::int64_t opset = 18) {
  std::string f = pb::bytes(1, name) + pb::bytes(10, "local");
  for (const auto& i : in) f += pb::bytes(4, i);
  for (const auto& o : out) f += pb::bytes(5, o);
  for (const char* domain : {"", "local"})
    f += pb::bytes(9, pb::bytes(1, domain) + pb::number(2, *domain == 0 ? opset : 1));
  return pb::bytes(25, f + std::string(more));
}
/// Field 7 of a function, where a graph has its nodes in field 1.
std::string node_of(std::string_view type, const std::vector<std::string>& in, const std::vector<std::string>& out,
                    std::string_view attributes = {}) {
  const std::string n = pb::node(type, in, out, attributes);
  return std::string(1, 7 << 3 | 2) + n.substr(1);
}
enum kind { a_float = 1, an_integer = 2 };
std::string refers(std::string_view name, std::string_view to, kind k) {
  return pb::bytes(5, pb::bytes(1, name) + pb::bytes(21, to) + pb::number(20, k));
}
std::string declared(std::string_view attribute) { return pb::bytes(6, attribute); }
/// A default is the attribute that a node would have, in field 11.
std::string with_default(const std::string& attribute) { return std::string(1, 11 << 3 | 2) + attribute.substr(1); }

std::string call(std::string_view f, const std::vector<std::string>& in, const std::vector<std::string>& out,
                 const std::string& attributes = {}, std::string_view name = {}) {
  return pb::node(f, in, out, attributes + local, name);
}
std::string file(const std::string& graph, const std::string& functions) {
  return pb::model(graph, 18) + pb::bytes(8, pb::bytes(1, "local") + pb::number(2, 1)) + functions;
}
const std::string x3 = pb::input(pb::value("x", pb::f32, {3})), y3 = pb::output(pb::value("y", pb::f32, {3}));

loaded_model built(const std::string& bytes, const onnx::read_options& options = {}) {
  return onnx::build(onnx::parse_model(pb::view(bytes), "m.onnx", options.limits), options);
}
std::vector<float> answer(const std::string& bytes, const std::vector<float>& x) {
  const model m(built(bytes));
  extractor e = m.extractor();
  e.input("x", array({static_cast<int>(x.size())}, x));
  const array y = e.extract("y");
  return {y.values().begin(), y.values().end()};
}

/// leak(x, slope = 0.5): LeakyRelu.
const std::string leak = defined(
    "leak", {"x"}, {"y"},
    with_default(pb::attribute("slope", 0.5f)) + node_of("LeakyRelu", {"x"}, {"y"}, refers("alpha", "slope", a_float)));

}  // namespace

TEST_CASE("a call is the function's nodes, with the attributes that it gives or the function has") {
  CHECK(answer(file(call("leak", {"x"}, {"y"}) + x3 + y3, leak), {-2, 0, 3}) == std::vector<float>{-1, 0, 3});
  CHECK(answer(file(call("leak", {"x"}, {"y"}, pb::attribute("slope", 0.25f)) + x3 + y3, leak), {-2, 0, 3}) ==
        std::vector<float>{-0.5f, 0, 3});
  // One that neither gives is not there: the operator's own default holds.
  const std::string plain = defined(
      "plain", {"x"}, {"y"}, declared("slope") + node_of("LeakyRelu", {"x"}, {"y"}, refers("alpha", "slope", a_float)));
  CHECK(answer(file(call("plain", {"x"}, {"y"}) + x3 + y3, plain), {-100, 0, 3}) == std::vector<float>{-1, 0, 3});
}

TEST_CASE("functions call functions, hand on attributes, and see their own values only") {
  const std::string twice =
      defined("twice", {"a"}, {"b"},
              declared("by") + node_of("leak", {"a"}, {"x"}, refers("slope", "by", a_float) + local) +
                  node_of("leak", {"x"}, {"b"}, local));
  const std::string bytes = file(call("twice", {"x"}, {"h"}, pb::attribute("by", 0.25f), "one") +
                                     call("twice", {"h"}, {"y"}, pb::attribute("by", 1.0f), "two") + x3 + y3,
                                 leak + twice);
  CHECK(answer(bytes, {-16, 0, 3}) == std::vector<float>{-1, 0, 3});
  const loaded_model m = built(bytes);
  std::vector<std::string_view> names;
  for (const node& n : m.network.nodes) names.push_back(n.name);
  CHECK(names == std::vector<std::string_view>{"x", "one/x/y", "one/b/y", "two/x/y", "two/b/y"});
  // The caller's `x` is not the function's.
  const std::string peeks = defined("peeks", {"a"}, {"y"}, node_of("Add", {"a", "x"}, {"y"}));
  CHECK_THROWS_WITH_AS(built(file(call("peeks", {"x"}, {"y"}) + x3 + y3, peeks)),
                       doctest::Contains("reads 'x', which nothing before it makes"), error);
}

TEST_CASE("inputs and outputs may be left out, and a function goes before an operator of its name") {
  const std::string bounded = defined("bounded", {"x", "low", "high"}, {"y", "z"},
                                      node_of("Clip", {"x", "low", "high"}, {"y"}) + node_of("Neg", {"x"}, {"z"}));
  const std::string one = pb::initializer(pb::floats("one", {}, {1}));
  CHECK(answer(file(call("bounded", {"x", "", "one"}, {"y"}) + one + x3 + y3, bounded), {-2, 0, 3}) ==
        std::vector<float>{-2, 0, 1});
  CHECK(answer(file(call("bounded", {"x"}, {"", "y"}) + x3 + y3, bounded), {-2, 1, 3}) ==
        std::vector<float>{2, -1, -3});
  // Operator sets are the function's: Clip had its bounds as attributes.
  const std::string old = defined("old", {"x"}, {"y"}, node_of("Clip", {"x"}, {"y"}, pb::attribute("max", 2.0f)), 6);
  CHECK(answer(file(call("old", {"x"}, {"y"}) + x3 + y3, old), {-2, 1, 3}) == std::vector<float>{-2, 1, 2});
  const std::string relu = pb::bytes(25, pb::bytes(1, "Relu") + pb::bytes(4, "a") + pb::bytes(5, "b") +
                                             pb::bytes(9, pb::number(2, 18)) + node_of("Neg", {"a"}, {"b"}));
  CHECK(answer(file(pb::node("Relu", {"x"}, {"y"}) + x3 + y3, relu), {-2, 1, 3}) == std::vector<float>{2, -1, -3});
}

TEST_CASE("graphs in a function see its values and its attributes") {
  const std::string graph =
      pb::node("LeakyRelu", {"x"}, {"t"}, refers("alpha", "slope", a_float)) + pb::output(pb::value("t", pb::f32, {3}));
  const std::string other = pb::node("Neg", {"x"}, {"e"}) + pb::output(pb::value("e", pb::f32, {3}));
  const std::string chooses = defined("chooses", {"x", "which"}, {"y"},
                                      declared("slope") + node_of("If", {"which"}, {"y"},
                                                                  pb::graph_attribute("then_branch", graph) +
                                                                      pb::graph_attribute("else_branch", other)));
  for (const bool which : {true, false}) {
    const std::string bytes =
        file(call("chooses", {"x", "c"}, {"y"}, pb::attribute("slope", 0.5f)) +
                 pb::initializer(pb::tensor("c", pb::boolean, {}, std::vector<char>{which})) + x3 + y3,
             chooses);
    CHECK(answer(bytes, {-2, 1, 3}) == (which ? std::vector<float>{-1, 1, 3} : std::vector<float>{2, -1, -3}));
  }
}

TEST_CASE("what a function cannot be") {
  const auto refused = [](const std::string& graph, const std::string& functions, const char* why) {
    CAPTURE(why);
    CHECK_THROWS_WITH_AS(built(file(graph + x3 + y3, functions)), doctest::Contains(why), error);
  };
  const std::string plain = call("f", {"x"}, {"y"});
  refused(plain, defined("f", {"x"}, {"y"}, node_of("f", {"x"}, {"y"}, local)), "a function that calls itself");
  refused(plain,
          defined("f", {"x"}, {"y"}, node_of("g", {"x"}, {"y"}, local)) +
              defined("g", {"x"}, {"y"}, node_of("f", {"x"}, {"y"}, local)),
          "a function that calls itself");
  refused(call("leak", {"x", "x"}, {"y"}), leak, "has 2 inputs, the function 1");
  refused(call("leak", {"x"}, {"y", "z"}), leak, "has 2 outputs, the function 1");
  refused(call("leak", {"x"}, {"y"}, pb::attribute("other", 1.0f)), leak, "local:leak: attribute 'other'");
  refused(call("leak", {"x"}, {"y"}, pb::attribute("slope", std::int64_t{1})), leak,
          "attribute 'alpha' is an int, expected a float");
  refused(plain, defined("f", {"x"}, {"y"}, node_of("NoSuch", {"x"}, {"y"})), "NoSuch in 'y/y'");
  refused(plain, defined("f", {"x"}, {"y"}, node_of("Neg", {"x"}, {"z"})), "output 'y' is made by no node");
  refused(plain, defined("f", {"x"}, {"y"}, node_of("LeakyRelu", {"x"}, {"y"}, refers("alpha", "slope", a_float))),
          "refers to a function's attribute 'slope'");
  refused(pb::node("LeakyRelu", {"x"}, {"y"}, refers("alpha", "slope", a_float)), leak,
          "refers to a function's attribute 'slope'");
  refused(plain, defined("f", {"x"}, {"y"}, node_of("Neg", {"x"}, {"y"}), 99), "operator set 99 is unknown");
  refused(plain, leak + leak, "function 'leak' is there twice");
}

TEST_CASE("a small file does not become a large network") {
  // Every function calls the one before it twice: 2^n nodes of n functions.
  std::string functions = defined("f0", {"x"}, {"y"}, node_of("Neg", {"x"}, {"y"}));
  for (int n = 1; n < 40; ++n) {
    const std::string below = "f" + std::to_string(n - 1);
    functions += defined("f" + std::to_string(n), {"x"}, {"y"},
                         node_of(below, {"x"}, {"h"}, local) + node_of(below, {"h"}, {"y"}, local));
  }
  CHECK_THROWS_WITH_AS(built(file(call("f39", {"x"}, {"y"}) + x3 + y3, functions)),
                       doctest::Contains("functions are nested deeper than 16"), error);
  onnx::read_options few;
  few.limits.layers = 1000;
  CHECK_THROWS_WITH_AS(built(file(call("f14", {"x"}, {"y"}) + x3 + y3, functions), few),
                       doctest::Contains("more than 1000 nodes"), error);
  // Neither do names: each is its caller's and more.
  const std::string name(1 << 20, 'n');
  std::string calls;
  for (int k = 0; k < 40; ++k)
    calls += call("f10", {"x"}, {"v" + std::to_string(k)}, {}, k == 0 ? name : std::string_view("short"));
  few.limits = {.memory_bytes = 1 << 27, .name_length = 2 << 20};
  CHECK_THROWS_WITH_AS(built(file(calls + call("leak", {"x"}, {"y"}) + x3 + y3, functions + leak), few),
                       doctest::Contains("their names need more memory than the limit"), error);
}
