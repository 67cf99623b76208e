// SPDX-License-Identifier: BSL-1.0
// Networks whose shapes follow from what they compute run in parts; what is above a node that asks for numbers is never
// computed while a network is made.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include <doctest/doctest.h>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
namespace pb = ir::test::onnx_bytes;

namespace {

/// Of an ONNX graph, with next to no work while it is read.
model loaded(const std::string& graph, load_options options = {}) {
  options.read.limits.work = 1 << 16;
  const std::string bytes = pb::model(graph, 18);
  return model::load(pb::view(bytes), options);
}
array numbers(const extents& shape, const std::vector<float>& v) { return array(shape, v); }
template <class T>
array single(T v, dtype type) {
  array a(extents{}, type);
  a.elements<T>()[0] = v;
  return a;
}
std::vector<float> floats(const array& a) { return {a.values().begin(), a.values().end()}; }
std::vector<std::int64_t> longs(const array& a) {
  const auto all = a.elements<std::int64_t>();
  return {all.begin(), all.end()};
}

constexpr int side = 64;
/// x (64 x 64) times a matrix of twos on the diagonal: 262,144 multiplications.
const std::string doubled = [] {
  std::vector<float> diagonal(side * side);
  for (int k = 0; k < side; ++k) diagonal[static_cast<std::size_t>(k * (side + 1))] = 2;
  return pb::node("MatMul", {"x", "w"}, {"h"}) + pb::initializer(pb::floats("w", {side, side}, diagonal)) +
         pb::input(pb::value("x", pb::f32, {side, side}));
}();
array with(const std::vector<std::pair<int, float>>& some) {
  array x({side, side});
  for (const auto& [at, value] : some) x.values()[static_cast<std::size_t>(at)] = value;
  return x;
}

/// Halves v while its sum is above a limit; gathers v and the number of the turn.
std::string halving(const std::string& trips, const std::string& condition) {
  const std::string body = pb::node("Mul", {"v", "half"}, {"v2"}) +
                           pb::node("ReduceSum", {"v2"}, {"s"}, pb::attribute("keepdims", 0)) +
                           pb::node("Greater", {"s", "limit"}, {"more"}) + pb::node("Identity", {"v2"}, {"seen"}) +
                           pb::node("Identity", {"i"}, {"turn"}) + pb::input(pb::value("i", pb::i64, {})) +
                           pb::input(pb::value("c", pb::boolean, {})) + pb::input(pb::value("v", pb::f32, {2})) +
                           pb::output(pb::value("more", pb::boolean, {})) + pb::output(pb::value("v2", pb::f32, {2})) +
                           pb::output(pb::value("seen", pb::f32, {2})) + pb::output(pb::value("turn", pb::i64, {}));
  return pb::node("Loop", {trips, condition, "x"}, {"last", "all", "turns"}, pb::graph_attribute("body", body)) +
         pb::node("Neg", {"all"}, {"negated"}) + pb::initializer(pb::floats("half", {}, {0.5f})) +
         pb::input(pb::value("x", pb::f32, {2})) + pb::input(pb::value("limit", pb::f32, {})) +
         pb::output(pb::value("last", pb::f32, {2})) + pb::output(pb::value("negated", pb::f32, {-1, 2})) +
         pb::output(pb::value("turns", pb::i64, {-1}));
}

}  // namespace

TEST_CASE("what is above a node that counts is run, and what is below it is planned for the count") {
  const model m = loaded(doubled + pb::node("NonZero", {"h"}, {"at"}) + pb::node("Transpose", {"at"}, {"rows"}) +
                         pb::node("GatherND", {"h", "rows"}, {"found"}) + pb::node("Neg", {"found"}, {"y"}) +
                         pb::output(pb::value("y", pb::f32, {-1})) + pb::output(pb::value("h", pb::f32, {side, side})));
  CHECK_FALSE(m.outputs().empty());
  extractor e = m.extractor();
  for (int again = 0; again < 2; ++again) {
    e.input("x", with({{3, 1}, {70, 2}, {4095, 5}}));
    CHECK(floats(e.extract("y")) == std::vector<float>{-2, -4, -10});
    e.input("x", with({{64, 8}}));
    CHECK(floats(e.extract("y")) == std::vector<float>{-16});
    CHECK(e.extract("h")[64] == 16);
    e.input("x", with({}));
    CHECK(e.extract("y").shape() == extents{0});
  }
}

TEST_CASE("a network of any other shape may be the first that has to be divided") {
  const model m = loaded(pb::node("NonZero", {"x"}, {"at"}) + pb::input(pb::value("x", pb::f32, {-1})) +
                         pb::output(pb::value("at", pb::i64, {1, -1})));
  extractor e = m.extractor();
  e.input("x", numbers({3}, {0, 1, 2}));
  CHECK(longs(e.extract("at")) == std::vector<std::int64_t>{1, 2});
  e.input("x", array({3000}));
  CHECK(e.extract("at").shape() == extents{1, 0});
  e.input("x", numbers({2}, {1, 0}));
  CHECK(longs(e.extract("at")) == std::vector<std::int64_t>{0});
}

TEST_CASE("a loop turns as long as numbers say") {
  const model m = loaded(halving("", "") /* no count, no condition at first */);
  extractor e = m.extractor();
  for (int again = 0; again < 2; ++again) {
    e.input("x", numbers({2}, {16, 16}));
    e.input("limit", numbers({}, {5}));
    CHECK(floats(e.extract("last")) == std::vector<float>{2, 2});
    CHECK(floats(e.extract("negated")) == std::vector<float>{-8, -8, -4, -4, -2, -2});
    CHECK(longs(e.extract("turns")) == std::vector<std::int64_t>{0, 1, 2});
    e.input("x", numbers({2}, {4, 4}));  // the limit stays
    CHECK(floats(e.extract("last")) == std::vector<float>{2, 2});
    CHECK(e.extract("negated").shape() == extents{1, 2});
  }
}

TEST_CASE("a loop turns as often as is fed, or not at all") {
  const std::string fed = pb::input(pb::value("trips", pb::i64, {})) + pb::input(pb::value("go", pb::boolean, {}));
  const model m = loaded(halving("trips", "go") + fed);
  extractor e = m.extractor();
  const auto run = [&](std::int64_t trips, std::uint8_t go) {
    e.input("x", numbers({2}, {16, 32}));
    e.input("limit", numbers({}, {0}));
    e.input("trips", single(trips, dtype::i64));
    e.input("go", single(go, dtype::boolean));
    return e.extract("last");
  };
  CHECK(floats(run(2, 1)) == std::vector<float>{4, 8});
  CHECK(e.extract("negated").shape() == extents{2, 2});
  CHECK(floats(run(0, 1)) == std::vector<float>{16, 32});
  CHECK(e.extract("negated").shape() == extents{0, 2});
  CHECK(floats(run(3, 0)) == std::vector<float>{16, 32});
  CHECK(e.extract("turns").shape() == extents{0});
  CHECK(floats(run(4, 1)) == std::vector<float>{1, 2});
}

TEST_CASE("loops of many turns, of values that grow, and inside each other") {
  const auto body = [](const std::string& nodes, const pb::dims& shape) {
    return nodes + pb::node("Identity", {"c"}, {"c2"}) + pb::input(pb::value("i", pb::i64, {})) +
           pb::input(pb::value("c", pb::boolean, {})) + pb::input(pb::value("v", pb::f32, shape)) +
           pb::output(pb::value("c2", pb::boolean, {})) + pb::output(pb::value("v2", pb::f32, shape));
  };
  const auto model_of = [](const std::string& loop) {
    return loaded(pb::node("Loop", {"trips", "", "x"}, {"y"}, pb::graph_attribute("body", loop)) +
                  pb::initializer(pb::floats("one", {1}, {1})) + pb::input(pb::value("x", pb::f32, {-1})) +
                  pb::input(pb::value("trips", pb::i64, {})) + pb::output(pb::value("y", pb::f32, {-1})));
  };
  const auto run = [](const model& m, std::int64_t trips) {
    extractor e = m.extractor();
    e.input("x", numbers({1}, {3}));
    e.input("trips", single(trips, dtype::i64));
    return floats(e.extract("y"));
  };
  const std::string add = body(pb::node("Add", {"v", "one"}, {"v2"}), {1});
  CHECK(run(model_of(add), 20'000) == std::vector<float>{20'003});
  const std::string grow =
      body(pb::node("Neg", {"v"}, {"n"}) + pb::node("Concat", {"n", "one"}, {"v2"}, pb::attribute("axis", 0)), {-1});
  CHECK(run(model_of(grow), 3) == std::vector<float>{-3, 1, -1, 1});
  // As often inside as the turn around it says.
  const std::string inner =
      pb::node("Loop", {"i", "", "v"}, {"v2"},
               pb::graph_attribute(
                   "body", pb::node("Add", {"w", "one"}, {"w2"}) + pb::node("Identity", {"d"}, {"d2"}) +
                               pb::input(pb::value("j", pb::i64, {})) + pb::input(pb::value("d", pb::boolean, {})) +
                               pb::input(pb::value("w", pb::f32, {1})) + pb::output(pb::value("d2", pb::boolean, {})) +
                               pb::output(pb::value("w2", pb::f32, {1}))));
  CHECK(run(model_of(body(inner, {1})), 4) == std::vector<float>{3 + 0 + 1 + 2 + 3});
}

TEST_CASE("a loop begins with constants, and its body reads what is around it") {
  const std::string body =
      pb::node("MatMul", {"v", "w"}, {"v2"}) + pb::node("ReduceSum", {"v2"}, {"s"}, pb::attribute("keepdims", 0)) +
      pb::node("Less", {"s", "limit"}, {"more"}) + pb::node("Identity", {"v"}, {"v1"}) +
      pb::input(pb::value("i", pb::i64, {})) + pb::input(pb::value("c", pb::boolean, {})) +
      pb::input(pb::value("v", pb::f32, {1, side})) + pb::output(pb::value("more", pb::boolean, {})) +
      pb::output(pb::value("v2", pb::f32, {1, side})) + pb::output(pb::value("v1", pb::f32, {1, side}));
  const model m =
      loaded(doubled + pb::node("ReduceMax", {"h"}, {"limit"}, pb::attribute("keepdims", 0)) +
             pb::node("Expand", {"one", "row"}, {"start"}) + pb::node("Identity", {"yes"}, {"go"}) +
             pb::node("Loop", {"most", "go", "start"}, {"last", "all"}, pb::graph_attribute("body", body)) +
             pb::node("ReduceSum", {"all"}, {"y"}, pb::attribute("keepdims", 0)) +
             pb::initializer(pb::floats("one", {1, 1}, {1})) + pb::initializer(pb::longs("row", {2}, {1, side})) +
             pb::initializer(pb::longs("most", {}, {std::numeric_limits<std::int64_t>::max()})) +
             pb::initializer(pb::tensor<std::uint8_t>("yes", pb::boolean, {}, {1})) +
             pb::output(pb::value("y", pb::f32, {})) + pb::output(pb::value("last", pb::f32, {1, side})));
  extractor e = m.extractor();
  e.input("x", with({{3, 200}}));  // 64 * 2, 64 * 4, 64 * 8 are the sums: the third is not below 400
  CHECK(e.extract("y")[0] == 64 * (1 + 2 + 4));
  CHECK(e.extract("last")[0] == 8);
  e.input("x", with({{3, 50}}));
  CHECK(e.extract("last")[0] == 2);
}

TEST_CASE("a long loop over nothing but constants is a part, too") {
  const auto looping = [](const std::string& start) {
    const std::string body =
        pb::node("Add", {"v", "one"}, {"v2"}) + pb::node("Identity", {"c"}, {"c2"}) +
        pb::input(pb::value("i", pb::i64, {})) + pb::input(pb::value("c", pb::boolean, {})) +
        pb::input(pb::value("v", pb::f32, {1})) + pb::output(pb::value("c2", pb::boolean, {})) +
        pb::output(pb::value("v2", pb::f32, {1}));
    return loaded(pb::node("Loop", {"trips", "", start}, {"many"}, pb::graph_attribute("body", body)) +
                  pb::node("Neg", {"many"}, {"less"}) + pb::node("Add", {"less", "x"}, {"y"}) +
                  pb::initializer(pb::floats("one", {1}, {1})) + pb::initializer(pb::longs("trips", {}, {20'000})) +
                  pb::input(pb::value("x", pb::f32, {1})) + pb::output(pb::value("y", pb::f32, {1})));
  };
  extractor e = looping("one").extractor();
  e.input("x", numbers({1}, {3}));
  CHECK(floats(e.extract("y")) == std::vector<float>{3 - 20'001});
  // What nobody makes follows from no input, either.
  extractor none = looping("nowhere").extractor();
  none.input("x", numbers({1}, {3}));
  CHECK_THROWS_AS(none.extract("y"), error);
}

TEST_CASE("a body's own names may be those of values around it") {
  const std::string body = pb::node("Add", {"x", "y"}, {"h"}) + pb::node("Less", {"h", "limit"}, {"more"}) +
                           pb::input(pb::value("i", pb::i64, {})) + pb::input(pb::value("c", pb::boolean, {})) +
                           pb::input(pb::value("y", pb::f32, {})) + pb::output(pb::value("more", pb::boolean, {})) +
                           pb::output(pb::value("h", pb::f32, {}));
  const model m =
      loaded(pb::node("Neg", {"x"}, {"n"}) + pb::node("Loop", {"", "", "n"}, {"y"}, pb::graph_attribute("body", body)) +
             pb::node("Neg", {"y"}, {"z"}) + pb::input(pb::value("x", pb::f32, {})) +
             pb::input(pb::value("limit", pb::f32, {})) + pb::output(pb::value("z", pb::f32, {})));
  extractor e = m.extractor();
  e.input("x", numbers({}, {2}));
  e.input("limit", numbers({}, {5}));
  CHECK(e.extract("z")[0] == -6);
}

TEST_CASE("a branch that counts what is computed") {
  const auto branch = [](const std::string& nodes) { return nodes + pb::output(pb::value("b", pb::i64, {-1, -1})); };
  const model m =
      loaded(doubled + pb::node("ReduceMax", {"h"}, {"top"}, pb::attribute("keepdims", 0)) +
             pb::node("Greater", {"top", "zero"}, {"some"}) +
             pb::node("If", {"some"}, {"at"},
                      pb::graph_attribute("then_branch", branch(pb::node("NonZero", {"h"}, {"b"}))) +
                          pb::graph_attribute("else_branch", branch(pb::node("Identity", {"none"}, {"b"})))) +
             pb::node("Shape", {"at"}, {"y"}) + pb::initializer(pb::floats("zero", {}, {0})) +
             pb::initializer(pb::longs("none", {2, 1}, {-1, -1})) + pb::output(pb::value("y", pb::i64, {2})));
  extractor e = m.extractor();
  e.input("x", with({{3, 1}, {70, 2}, {71, 2}}));
  CHECK(longs(e.extract("y")) == std::vector<std::int64_t>{2, 3});
  e.input("x", with({{3, -1}}));
  CHECK(longs(e.extract("y")) == std::vector<std::int64_t>{2, 1});
}

TEST_CASE("what is below branches of different types is made for either") {
  const auto branch = [](const std::string& nodes, pb::element type) {
    return nodes + pb::output(pb::value("b", type, {-1, -1}));
  };
  const model m = loaded(
      doubled + pb::node("ReduceMax", {"h"}, {"top"}, pb::attribute("keepdims", 0)) +
      pb::node("Greater", {"top", "zero"}, {"some"}) +
      pb::node("If", {"some"}, {"at"},
               pb::graph_attribute("then_branch", branch(pb::node("NonZero", {"h"}, {"b"}), pb::i64)) +
                   pb::graph_attribute("else_branch", branch(pb::node("Identity", {"none"}, {"b"}), pb::f32))) +
      pb::node("ReduceSum", {"at"}, {"sum"}, pb::attribute("keepdims", 0)) +
      pb::node("Cast", {"sum"}, {"y"}, pb::attribute("to", pb::f32)) + pb::initializer(pb::floats("zero", {}, {0})) +
      pb::initializer(pb::floats("none", {2, 1}, {1.5f, 2.5f})) + pb::output(pb::value("y", pb::f32, {})));
  extractor e = m.extractor();
  for (const float x : {1.0f, -1.0f, 2.0f}) {
    e.input("x", with({{3, x}}));
    CHECK(floats(e.extract("y")) == std::vector<float>{x > 0 ? 3.0f : 4.0f});
  }
}

TEST_CASE("a scan over nothing leaves its state, and gathers nothing along the axis that is asked for") {
  const std::string body = pb::node("Add", {"s", "v"}, {"s2"}) + pb::node("Mul", {"s2", "v"}, {"out"}) +
                           pb::input(pb::value("s", pb::f32, {2})) + pb::input(pb::value("v", pb::f32, {2})) +
                           pb::output(pb::value("s2", pb::f32, {2})) + pb::output(pb::value("out", pb::f32, {2}));
  const model m =
      loaded(pb::node("Scan", {"start", "x"}, {"last", "all"},
                      pb::graph_attribute("body", body) + pb::attribute("num_scan_inputs", 1) +
                          pb::attribute("scan_output_axes", pb::dims{-1})) +
             pb::initializer(pb::floats("start", {2}, {1, 2})) + pb::input(pb::value("x", pb::f32, {-1, 2})) +
             pb::output(pb::value("last", pb::f32, {2})) + pb::output(pb::value("all", pb::f32, {2, -1})));
  extractor e = m.extractor();
  e.input("x", numbers({3, 2}, {1, 2, 3, 4, 5, 6}));
  CHECK(floats(e.extract("last")) == std::vector<float>{10, 14});
  CHECK(floats(e.extract("all")) == std::vector<float>{2, 15, 50, 8, 32, 84});
  e.input("x", array({0, 2}));
  CHECK(floats(e.extract("last")) == std::vector<float>{1, 2});
  CHECK(e.extract("all").shape() == extents{2, 0});
}

TEST_CASE("a long scan is a loop, along any axis and from either end") {
  const std::string body = pb::node("Add", {"s", "v"}, {"s2"}) + pb::node("Sub", {"s2", "w"}, {"out"}) +
                           pb::input(pb::value("s", pb::f32, {2})) + pb::input(pb::value("v", pb::f32, {2})) +
                           pb::input(pb::value("w", pb::f32, {2})) + pb::output(pb::value("s2", pb::f32, {2})) +
                           pb::output(pb::value("out", pb::f32, {2}));
  const model m = loaded(pb::node("Scan", {"start", "x", "z"}, {"last", "all"},
                                  pb::graph_attribute("body", body) + pb::attribute("num_scan_inputs", 2) +
                                      pb::attribute("scan_input_axes", pb::dims{0, -1}) +
                                      pb::attribute("scan_input_directions", pb::dims{0, 1}) +
                                      pb::attribute("scan_output_axes", pb::dims{-1}) +
                                      pb::attribute("scan_output_directions", pb::dims{1})) +
                         pb::initializer(pb::floats("start", {2}, {1, 2})) +
                         pb::input(pb::value("x", pb::f32, {-1, 2})) + pb::input(pb::value("z", pb::f32, {2, -1})) +
                         pb::output(pb::value("last", pb::f32, {2})) + pb::output(pb::value("all", pb::f32, {2, -1})));
  extractor e = m.extractor();
  struct counted {
    std::map<std::string_view, int> nodes;
  };
  for (const int length : {3, 3000}) {  // as nodes, as a loop
    array x({length, 2}), z({2, length});
    for (std::size_t i = 0; i < x.size(); ++i)
      x.values()[i] = static_cast<float>(i % 7), z.values()[i] = static_cast<float>(i % 5);
    e.input("x", x);
    e.input("z", z);
    counted seen;
    e.on_step(
        [](void* to, const running_step& s) {
          if (s.begins && s.node != ir::none) ++static_cast<counted*>(to)->nodes[s.code->g().at(s.node).name];
        },
        &seen);
    const array all = e.extract("all"), last = e.extract("last");
    int most = 0;
    for (const auto& [name, times] : seen.nodes) most = std::max(most, times);
    CHECK(most == (length == 3 ? 1 : length));
    REQUIRE(all.shape() == extents{2, length});
    const auto n = static_cast<std::size_t>(length);
    float sums[2] = {1, 2};
    bool same = true;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < 2; ++k) {
        sums[k] += x[2 * i + k];
        same = same && all[k * n + n - 1 - i] == sums[k] - z[k * n + n - 1 - i];
      }
    CHECK(same);
    CHECK(floats(last) == std::vector<float>{sums[0], sums[1]});
  }
  e.input("x", array({4, 2}));
  e.input("z", array({2, 5}));
  CHECK_THROWS_WITH_AS(e.extract("all"), doctest::Contains("4 slices of 'x' and 5 of 'z'"), error);
  e.input("x", array({4000, 2}));
  e.input("z", array({2, 3000}));
  CHECK_THROWS_WITH_AS(e.extract("all"), doctest::Contains("4000 slices of 'x' and 3000 of 'z'"), error);
}

TEST_CASE("what a scan's turns count is run turn by turn") {
  const std::string body = pb::node("NonZero", {"v"}, {"at"}) +
                           pb::node("ReduceSum", {"at"}, {"out"}, pb::attribute("keepdims", 0)) +
                           pb::input(pb::value("v", pb::f32, {side})) + pb::output(pb::value("out", pb::i64, {}));
  const model m = loaded(
      doubled +
      pb::node("Scan", {"h"}, {"sums"}, pb::graph_attribute("body", body) + pb::attribute("num_scan_inputs", 1)) +
      pb::output(pb::value("sums", pb::i64, {side})));
  extractor e = m.extractor();
  for (const float one : {1.0f, 0.0f}) {
    e.input("x", with({{3, 1}, {5, one}, {70, 2}}));
    std::vector<std::int64_t> wanted(side);
    wanted[0] = one != 0 ? 3 + 5 : 3;
    wanted[1] = 6;
    CHECK(longs(e.extract("sums")) == wanted);
  }
}

TEST_CASE("samples of a scan may be of different lengths") {
  const std::string body = pb::node("Add", {"s", "v"}, {"s2"}) + pb::node("Identity", {"s2"}, {"out"}) +
                           pb::input(pb::value("s", pb::f32, {})) + pb::input(pb::value("v", pb::f32, {})) +
                           pb::output(pb::value("s2", pb::f32, {})) + pb::output(pb::value("out", pb::f32, {}));
  const auto model_of = [&](int back) {
    const std::string bytes =
        pb::model(pb::node("Scan", {"lengths", "start", "x"}, {"last", "all"},
                           pb::graph_attribute("body", body) + pb::attribute("num_scan_inputs", 1) +
                               pb::attribute("directions", pb::dims{back})) +
                      pb::initializer(pb::floats("start", {3}, {10, 20, 30})) +
                      pb::input(pb::value("x", pb::f32, {3, 4})) + pb::input(pb::value("lengths", pb::i64, {3})) +
                      pb::output(pb::value("last", pb::f32, {3})) + pb::output(pb::value("all", pb::f32, {3, 4})),
                  8);
    return model::load(pb::view(bytes));
  };
  const auto run = [](const model& m, const std::vector<std::int64_t>& lengths) {
    array l({3}, dtype::i64);
    std::ranges::copy(lengths, l.elements<std::int64_t>().begin());
    extractor e = m.extractor();
    e.input("x", numbers({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
    e.input("lengths", l);
    return std::pair(floats(e.extract("last")), floats(e.extract("all")));
  };
  const auto [last, all] = run(model_of(0), {2, 4, 0});
  CHECK(last == std::vector<float>{13, 46, 30});
  CHECK(all == std::vector<float>{11, 13, 0, 0, 25, 31, 38, 46, 0, 0, 0, 0});
  // From the end of what a sample has.
  CHECK(run(model_of(1), {2, 4, 1}).second == std::vector<float>{12, 13, 0, 0, 28, 35, 41, 46, 39, 0, 0, 0});
  CHECK_THROWS_WITH_AS(run(model_of(0), {2, 5, 0}), doctest::Contains("a sequence of 5 slices, of 4"), error);
}

TEST_CASE("loops on data inside functions are loops") {
  // Halves a until its sum is at most 5; how often, and what is left, by a function that calls another.
  const auto function = [](std::string_view name, const std::vector<std::string>& in,
                           const std::vector<std::string>& out, const std::string& more) {
    std::string f = pb::bytes(1, name) + pb::bytes(10, "local");
    for (const auto& i : in) f += pb::bytes(4, i);
    for (const auto& o : out) f += pb::bytes(5, o);
    for (const char* domain : {"", "local"})
      f += pb::bytes(9, pb::bytes(1, domain) + pb::number(2, *domain == 0 ? 18 : 1));
    return pb::bytes(25, f + more);
  };
  const auto inside = [](const std::string& node) { return std::string(1, 7 << 3 | 2) + node.substr(1); };
  const std::string local = pb::bytes(7, "local");
  const std::string body = pb::node("Mul", {"v", "half"}, {"v2"}) +
                           pb::node("ReduceSum", {"v2"}, {"s"}, pb::attribute("keepdims", 0)) +
                           pb::node("Greater", {"s", "limit"}, {"more"}) + pb::node("Identity", {"i"}, {"turn"}) +
                           pb::input(pb::value("i", pb::i64, {})) + pb::input(pb::value("c", pb::boolean, {})) +
                           pb::input(pb::value("v", pb::f32, {2})) + pb::output(pb::value("more", pb::boolean, {})) +
                           pb::output(pb::value("v2", pb::f32, {2})) + pb::output(pb::value("turn", pb::i64, {}));
  const auto constant = [&](const char* name, const std::string& refers) {
    return inside(pb::node("Constant", {}, {name},
                           pb::bytes(5, pb::bytes(1, "value_float") + pb::bytes(21, refers) + pb::number(20, 1))));
  };
  const std::string halves = function(
      "halves", {"a"}, {"last", "turns"},
      pb::bytes(6, "by") + pb::bytes(6, "to") + constant("half", "by") + constant("limit", "to") +
          inside(pb::node("Loop", {"", "", "a"}, {"last", "turns"}, pb::graph_attribute("body", body), "around")));
  const auto handed = [](const char* name) {
    return pb::bytes(5, pb::bytes(1, name) + pb::bytes(21, name) + pb::number(20, 1));
  };
  const std::string outer =
      function("outer", {"a"}, {"same", "b", "n"},
               pb::bytes(6, "by") +
                   inside(pb::node("halves", {"a"}, {"b", "t"}, handed("by") + pb::attribute("to", 5.0f) + local)) +
                   inside(pb::node("Size", {"t"}, {"n"})) + inside(pb::node("Identity", {"a"}, {"same"})));
  const std::string bytes =
      pb::model(pb::node("Neg", {"x"}, {"a"}) +
                    pb::node("outer", {"a"}, {"same", "b", "n"}, pb::attribute("by", 0.5f) + local, "call") +
                    pb::node("outer", {"b"}, {"", "", "m"}, pb::attribute("by", 0.25f) + local) +
                    pb::input(pb::value("x", pb::f32, {2})) + pb::output(pb::value("same", pb::f32, {2})) +
                    pb::output(pb::value("b", pb::f32, {2})) + pb::output(pb::value("n", pb::i64, {})) +
                    pb::output(pb::value("m", pb::i64, {})),
                18) +
      pb::bytes(8, pb::bytes(1, "local") + pb::number(2, 1)) + halves + outer;
  const model m = model::load(pb::view(bytes));
  CHECK_FALSE(m.is_known());
  extractor e = m.extractor();
  std::map<std::string, int> seen;
  e.on_step(
      [](void* to, const running_step& s) {
        if (s.begins && s.node != ir::none)
          ++(*static_cast<std::map<std::string, int>*>(to))[std::string(s.code->g().at(s.node).type->name)];
      },
      &seen);
  for (const auto& [x, turns, left] : {std::tuple(-16.0f, 3, 2.0f), std::tuple(-64.0f, 5, 2.0f)}) {
    e.input("x", numbers({2}, {x, x}));
    CHECK(longs(e.extract("n")) == std::vector<std::int64_t>{turns});
    CHECK(floats(e.extract("b")) == std::vector<float>{left, left});
    CHECK(longs(e.extract("m")) == std::vector<std::int64_t>{1});
    CHECK(floats(e.extract("same")) == std::vector<float>{-x, -x});
  }
  CHECK(seen["reduce"] == 3 + 1 + 5 + 1);
}

TEST_CASE("functions that call themselves are refused wherever they ask for numbers") {
  const std::string f = pb::bytes(25, pb::bytes(1, "f") + pb::bytes(10, "local") + pb::bytes(4, "a") +
                                          pb::bytes(5, "b") + pb::bytes(9, pb::bytes(1, "") + pb::number(2, 18)) +
                                          pb::bytes(7, pb::node("NonZero", {"a"}, {"c"}).substr(2)) +
                                          pb::bytes(7, pb::node("f", {"c"}, {"b"}, pb::bytes(7, "local")).substr(2)));
  const std::string bytes =
      pb::model(pb::node("f", {"x"}, {"y"}, pb::bytes(7, "local")) + pb::input(pb::value("x", pb::f32, {40, 40})) +
                    pb::output(pb::value("y", pb::i64, {2, -1})),
                18) +
      pb::bytes(8, pb::bytes(1, "local") + pb::number(2, 1)) + f;
  CHECK_THROWS_WITH_AS(
      [&] {
        const model m = model::load(pb::view(bytes));
        extractor e = m.extractor();
        e.input("x", array({40, 40}));
        e.extract("y");
      }(),
      doctest::Contains("calls itself"), error);
}

TEST_CASE("loops that carry sequences are computed while reading, as before") {
  const std::string body = pb::node("SequenceInsert", {"s", "x"}, {"s2"}) + pb::node("Less", {"i", "limit"}, {"c2"}) +
                           pb::input(pb::value("i", pb::i64, {})) + pb::input(pb::value("c", pb::boolean, {})) +
                           pb::input(pb::bytes(1, "s")) + pb::output(pb::value("c2", pb::boolean, {})) +
                           pb::output(pb::bytes(1, "s2"));
  const model m = loaded(pb::node("SequenceEmpty", {}, {"none"}) +
                         pb::node("Loop", {"", "", "none"}, {"all"}, pb::graph_attribute("body", body)) +
                         pb::node("ConcatFromSequence", {"all"}, {"y"}, pb::attribute("axis", 0)) +
                         pb::input(pb::value("x", pb::f32, {1})) + pb::input(pb::value("limit", pb::i64, {})) +
                         pb::output(pb::value("y", pb::f32, {-1})));
  extractor e = m.extractor();
  e.input("x", numbers({1}, {7}));
  e.input("limit", single<std::int64_t>(2, dtype::i64));
  CHECK(floats(e.extract("y")) == std::vector<float>{7, 7, 7});
}

TEST_CASE("a loop that does not end is refused at a limit") {
  load_options options;
  options.read.limits.turns = 100;
  const model m = loaded(halving("", ""), options);
  extractor e = m.extractor();
  e.input("x", numbers({2}, {1, 1}));
  e.input("limit", numbers({}, {-1}));
  CHECK_THROWS_WITH_AS(e.extract("last"), doctest::Contains("the limit of 100: budget::turns"), error);
  options.read.limits = {.memory_bytes = 4096};
  const model small = loaded(halving("", ""), options);
  extractor other = small.extractor();
  other.input("x", numbers({2}, {1, 1}));
  other.input("limit", numbers({}, {-1}));
  CHECK_THROWS_WITH_AS(other.extract("last"), doctest::Contains("gathered by a loop, needs more memory"), error);
}

namespace {

/// Counts what is not 0 of x times a diagonal of twos, and negates that.
const std::string counting = doubled + pb::node("NonZero", {"h"}, {"at"}) + pb::node("Transpose", {"at"}, {"rows"}) +
                             pb::node("GatherND", {"h", "rows"}, {"found"}) + pb::node("Neg", {"found"}, {"y"}) +
                             pb::output(pb::value("y", pb::f32, {-1}));

}  // namespace

TEST_CASE("values of every part can be kept, and extracted where all values stay") {
  load_options options;
  options.keep = {"h", "at", "found"};
  const model kept = loaded(counting, options), plain = loaded(counting);
  extractor e = kept.extractor(), all = plain.extractor();
  all.set_light_mode(false);
  for (const float number : {1.0f, 3.0f}) {
    for (extractor* now : {&e, &all}) {
      now->input("x", with({{3, number}, {70, 2}}));
      CHECK(floats(now->extract("found")) == std::vector<float>{2 * number, 4});
      CHECK(now->extract("h")[3] == 2 * number);
      CHECK(longs(now->extract("at")) == std::vector<std::int64_t>{0, 1, 3, 6});
    }
    CHECK(e.outputs() == std::vector<std::string>{"y", "h", "at", "found"});
    CHECK(all.outputs() == std::vector<std::string>{"y"});
    const std::vector<std::string> names = all.values();
    for (const char* name : {"x", "h", "at", "found", "y"}) CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
  options.keep = {"nothing"};
  const model none = loaded(counting, options);
  extractor ex = none.extractor();
  ex.input("x", with({{3, 1}}));
  CHECK_THROWS_WITH_AS(ex.extract("y"), doctest::Contains("keep: the model has no value called 'nothing'"), error);
  CHECK_THROWS_WITH_AS(loaded(counting).extractor().extract("y"), doctest::Contains("x"), error);
}

TEST_CASE("steps of every part are told, with the node that asks for numbers, and their memory counts") {
  const model m = loaded(counting);
  extractor e = m.extractor();
  struct seen {
    std::map<std::string, int> kernels, alone;
    bool open = false;
  } all;
  e.on_step(
      [](void* to, const running_step& s) {
        auto& w = *static_cast<seen*>(to);
        CHECK(w.open != s.begins);
        w.open = s.begins;
        if (!s.begins) return;
        if (s.part) ++w.alone[s.part->type];
        else if (s.node != ir::none) ++w.kernels[std::string(s.code->g().at(s.node).type->name)];
      },
      &all);
  e.input("x", with({{3, 1}}));
  e.extract("y");
  CHECK(all.kernels["linear"] + all.kernels["matmul"] == 1);
  CHECK(all.alone == std::map<std::string, int>{{"NonZero", 1}});
  const std::size_t h = side * side * sizeof(float);
  CHECK(e.peak_bytes() >= 2 * h);  // h as it is computed, and between the parts
  CHECK(e.peak_bytes() < 6 * h);
  // The numbers are computed for every run, for those of the last time, too.
  e.input("x", with({{3, 1}}));
  e.extract("y");
  CHECK(all.alone["NonZero"] == 2);

  const model loop = loaded(halving("", ""));
  extractor turns = loop.extractor();
  seen body;
  turns.on_step(
      [](void* to, const running_step& s) {
        if (s.begins && s.node != ir::none) ++static_cast<seen*>(to)->kernels[std::string(s.code->g().at(s.node).name)];
      },
      &body);
  turns.input("x", numbers({2}, {16, 16}));
  turns.input("limit", numbers({}, {5}));
  turns.extract("last");
  int most = 0;
  for (const auto& [name, times] : body.kernels) most = std::max(most, times);
  CHECK(most == 3);
}
