// SPDX-License-Identifier: BSL-1.0
// Every operator of TensorFlow Lite that ctnn reads, in a file of its own, against its interpreter's answers
// (tflite_answers.hpp).
#include <ctnn/formats/cpp/c_interface.hpp>
#include <ctnn/formats/cpp/declaration.hpp>
#include <ctnn/model.hpp>
#include <ctnn/model/folded.hpp>
#include <ctnn/model/write_onnx.hpp>
#include <doctest/doctest.h>

#include <optional>

#include "tflite_answers.hpp"
#include "tflite_checked.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fb = test::tflite_bytes;

using fb::sample;

TEST_CASE("operators of .tflite files give the interpreter's answers") {
  const std::size_t answers = test::check_samples(fb::samples(), test::tflite_answers, rounding::real);
  MESSAGE(answers << " answers compared");
}

namespace {

/// y = x + what it was in the run before, of a variable that begins with `first`; none: with zeros.
std::string running_sum(std::optional<float> first) {
  fb::subgraph g, once = g.beside();
  const auto handle = [](fb::subgraph& in) {
    const int h = in.tensor("", fb::resource, {});
    in.op("VAR_HANDLE", {}, {h}, {{1, fb::text("sum")}});
    return h;
  };
  std::vector<fb::part> called;
  if (first) {
    once.op("ASSIGN_VARIABLE",
            {handle(once), once.tensor("first", fb::f32, {2}, {}, fb::raws<float>({*first, *first}))}, {});
    g.op("CALL_ONCE", {}, {}, {{0, fb::integer(1)}});
    called.push_back(once.graph({}, {}));
  }
  const int x = g.tensor("x", fb::f32, {2}), before = g.tensor("before", fb::f32, {2}), y = g.tensor("y", fb::f32, {2}),
            z = g.tensor("z", fb::f32, {2}), sum = handle(g);
  g.op("READ_VARIABLE", {sum}, {before});
  g.op("ADD", {before, x}, {y}, {{0, fb::byte(0)}});
  g.op("MUL", {y, x}, {z}, {{0, fb::byte(0)}});
  g.op("ASSIGN_VARIABLE", {sum, y}, {});
  return fb::finish(g.model({x}, {y, z}, called));
}
array two(float a, float b) { return array({2}, std::vector<float>{a, b}); }

}  // namespace

TEST_CASE("what a run leaves in a variable, the next one of the same extractor finds") {
  for (const bool optimize : {false, true})
    for (const float first : {0.0f, 5.0f}) {
      CAPTURE(first);
      const std::string file = running_sum(first != 0 ? std::optional(first) : std::nullopt);
      const model m = model::load(std::as_bytes(std::span(file)), {.optimize = optimize});
      CHECK(m.inputs().size() == 1);
      CHECK(m.outputs().size() == 2);
      const std::vector<std::string> carried = m.carried();
      REQUIRE(carried.size() == (first != 0 ? 2u : 1u));
      CHECK(std::ranges::count(carried, "sum") == 1);
      extractor a = m.extractor(), b = m.extractor();
      a.input("x", two(1, 2));
      CHECK(a.extract("z")[1] == (first + 2) * 2);
      CHECK(a.extract("y")[0] == first + 1);  // the same run
      CHECK(a.extract("sum")[0] == first + 1);
      a.input("x", two(10, 20));
      CHECK(a.extract(0)[0] == first + 11);
      CHECK(a.extract(0)[0] == first + 11);
      CHECK_THROWS_AS(a.extract(2), error);
      CHECK(a.outputs() == std::vector<std::string>{"y", "z"});
      b.input("x", two(3, 4));
      CHECK(b.extract("y")[1] == first + 4);
      a.input("x", two(0, 0));  // a run that nobody asks for anything
      a.input("x", two(100, 200));
      CHECK(a.extract("y")[1] == first + 222);
      a.reset();
      CHECK(a.extract("y")[1] == first + 200);
      if (first == 0) {
        a.input("sum", two(7, 8));
        CHECK(a.extract("y")[0] == 107);
        CHECK(a.extract("y")[0] == 107);
      }
      CHECK_THROWS_AS(a.input("sum", array({3})), error);
    }
}

TEST_CASE("a file with variables is a stateful type, and none of ONNX's") {
  for (const bool begun : {false, true}) {
    const std::string file = running_sum(begun ? std::optional(5.0f) : std::nullopt);
    const model m = model::load(std::as_bytes(std::span(file)), {.keep_weights = true});
    std::string text;
    for (const std::string& line : cpp::declaration(m.graph()).list()) text += line + '\n';
    CHECK(text.find("ctnn::input<\"sum\", ctnn::shape<2>, ctnn::carried>") != text.npos);
    CHECK((text.find("ctnn::input<\"has_begun\", ctnn::boolean, ctnn::carried>") != text.npos) == begun);
    CHECK(text.find("ctnn::named_output<ctnn::from<\"y\", \"z\", \"sum\"") != text.npos);
    const cpp::c_interface c(m.graph(), "net", "");
    CHECK(c.header().find("int net_run(const float* x, float* y, float* z);") != text.npos);
    CHECK(c.header().find("void net_reset(void);") != text.npos);
    CHECK_THROWS_WITH_AS(onnx::write(m.code()), doctest::Contains("from run to run"), error);
    CHECK_THROWS_WITH_AS(folded(m.code().source(), m.graph()), doctest::Contains("from run to run"), error);
  }
}

TEST_CASE("a file with an lstm of bytes is a type, its states being the layer's own") {
  for (const sample& s : fb::samples()) {
    if (s.name != "UNIDIRECTIONAL_SEQUENCE_LSTM_i8") continue;
    const std::string file = s.file();
    const model m = model::load(std::as_bytes(std::span(file)), {.keep_weights = true});
    std::string text;
    for (const std::string& line : cpp::declaration(m.graph()).list()) text += line + '\n';
    CAPTURE(text);
    CHECK(text.find("ctnn::lstm<") != text.npos);
    CHECK(text.find("ctnn::as_i8<0.0078125>, ctnn::rounded_twice") != text.npos);
    CHECK(text.find("ctnn::as_i8<0.00048828125>") != text.npos);
  }
}

TEST_CASE("a loop turns as long as numbers say, or very often") {
  for (const bool on_data : {true, false}) {
    fb::subgraph g;
    const auto numbers = [](const auto&... n) { return (fb::raw(n) + ...); };
    fb::subgraph test = g.beside(), body = g.beside();
    const fb::shape state{test.tensor("i", fb::i32, {}), test.tensor("most", fb::i32, {}),
                          test.tensor("x", fb::f32, {2})};
    test.op("LESS", {state[0], state[1]}, {test.tensor("go_on", fb::boolean, {})});
    const int one = body.tensor("one", fb::i32, {}, {}, numbers(std::int32_t{1})),
              ones = body.tensor("ones", fb::f32, {2}, {}, numbers(1.0f, 2.0f));
    const fb::shape now{body.tensor("i", fb::i32, {}), body.tensor("most", fb::i32, {}),
                        body.tensor("x", fb::f32, {2})},
        next{body.tensor("i2", fb::i32, {}), now[1], body.tensor("x2", fb::f32, {2})};
    body.op("ADD", {now[0], one}, {next[0]}, {{0, fb::byte(0)}});
    body.op("ADD", {now[2], ones}, {next[2]}, {{0, fb::byte(0)}});
    const int zero = g.tensor("zero", fb::i32, {}, {}, numbers(std::int32_t{0})), x = g.tensor("x", fb::f32, {2}),
              most = g.tensor("most", fb::i32, {}, {}, on_data ? std::string() : numbers(std::int32_t{20'000})),
              turns = g.tensor("turns", fb::i32, {}), y = g.tensor("y", fb::f32, {2});
    g.op("WHILE", {zero, most, x}, {turns, g.tensor("same", fb::i32, {}), y},
         {{0, fb::integer(1)}, {1, fb::integer(2)}});
    const fb::shape ins = on_data ? fb::shape{x, most} : fb::shape{x};
    const std::string file = fb::finish(g.model(ins, {turns, y}, {test.graph(state, {3}), body.graph(now, next)}));
    const model m = model::load(std::as_bytes(std::span(file)));
    extractor e = m.extractor();
    for (const int often : on_data ? std::vector{5, 0, 7000} : std::vector{20'000}) {
      e.input("x", array({2}, std::vector<float>{0, 1}));
      if (on_data) {
        array n(extents{}, dtype::i32);
        n.elements<std::int32_t>()[0] = often;
        e.input("most", n);
      }
      const array last = e.extract("y");
      CHECK(e.extract("turns").elements<std::int32_t>()[0] == often);
      CHECK(last[0] == static_cast<float>(often));
      CHECK(last[1] == static_cast<float>(2 * often + 1));
    }
  }
}

TEST_CASE("a branch is chosen by what is computed, and another inside it") {
  fb::subgraph g;
  const auto real = [](fb::subgraph& of, float x) { return of.tensor("k", fb::f32, {}, {}, fb::raw(x)); };
  const auto whether = [&](fb::subgraph& of, int x, float above) {  // the sum of x is
    const int sum = of.tensor("sum", fb::f32, {}), yes = of.tensor("yes", fb::boolean, {}),
              axes = of.tensor("axes", fb::i32, {2}, {}, fb::raw(std::int32_t{0}) + fb::raw(std::int32_t{1}));
    of.op("SUM", {x, axes}, {sum}, {{0, fb::byte(0)}});
    of.op("GREATER", {sum, real(of, above)}, {yes});
    return yes;
  };
  fb::subgraph outer = g.beside();
  const fb::shape in{outer.tensor("a", fb::f32, {64, 64}), outer.tensor("b", fb::f32, {})};
  const int tenfold = outer.tensor("tenfold", fb::f32, {64, 64}), out = outer.tensor("o", fb::f32, {});
  outer.op("MUL", {in[0], real(outer, 10)}, {tenfold}, {{0, fb::byte(0)}});
  std::vector<fb::part> graphs(1);
  const auto branch = [&](const char* op) {  // of a number
    fb::subgraph b = outer.beside();
    const int x = b.tensor("x", fb::f32, {}), y = b.tensor("y", fb::f32, {});
    b.op(op, {x}, {y});
    graphs.push_back(b.graph({x}, {y}));
    return static_cast<int>(graphs.size());
  };
  const int negative = branch("NEG"), squared = branch("SQUARE");
  outer.op("IF", {whether(outer, tenfold, 100), in[1]}, {out}, {{0, fb::integer(negative)}, {1, fb::integer(squared)}});
  graphs[0] = outer.graph(in, {out});
  fb::subgraph other = outer.beside();
  const fb::shape same{other.tensor("a", fb::f32, {64, 64}), other.tensor("b", fb::f32, {})};
  graphs.push_back(other.graph(same, {same[1]}));
  const int x = g.tensor("x", fb::f32, {64, 64}), b = g.tensor("b", fb::f32, {}), y = g.tensor("y", fb::f32, {});
  g.op("IF", {whether(g, x, 1), x, b}, {y}, {{0, fb::integer(1)}, {1, fb::integer(static_cast<int>(graphs.size()))}});
  const std::string file = fb::finish(g.model({x, b}, {y}, graphs));
  load_options options;
  options.read.limits.work = 1 << 10;  // none of it is computed while a network is made
  const model m = model::load(std::as_bytes(std::span(file)), options);
  extractor e = m.extractor();
  e.input("b", array({}, std::vector<float>{3}));
  for (const auto& [sum, answer] : {std::pair{0.5f, 3.0f}, {5.0f, 9.0f}, {50.0f, -3.0f}, {-1.0f, 3.0f}}) {
    array numbers({64, 64});
    numbers.values()[70] = sum;
    e.input("x", numbers);
    CHECK(e.extract("y")[0] == answer);
  }
}

TEST_CASE("bits are read as those of another type of their width") {
  const auto loaded = [](fb::type to) {
    fb::subgraph g;
    const int x = g.tensor("x", fb::f32, {2}), y = g.tensor("y", to, {2});
    g.op("BITCAST", {x}, {y});
    const std::string file = g.file({x}, {y});
    return model::load(std::as_bytes(std::span(file)));
  };
  const model m = loaded(fb::i32);
  extractor e = m.extractor();
  e.input("x", array({2}, std::vector<float>{1, -2}));
  const array y = e.extract("y");
  CHECK(y.elements<std::int32_t>()[0] == 0x3f800000);
  CHECK(y.elements<std::int32_t>()[1] == -0x40000000);
  CHECK_THROWS_WITH_AS(loaded(fb::i64), doctest::Contains("bits of f32 as i64"), error);
}

TEST_CASE("nothing is turned between layers that are channels last in the file") {
  fb::subgraph g;
  const auto value = [&](const fb::shape& s) { return g.tensor("v", fb::f32, s); };
  const auto numbers = [&](const fb::shape& s, std::size_t n) { return g.floats(s, fb::some(n)); };
  const int x = g.tensor("x", fb::f32, {1, 9, 9, 3}), padded = value({1, 11, 11, 3}), a = value({1, 5, 5, 8}),
            b = value({1, 5, 5, 8}), c = value({1, 5, 5, 8}), sum = value({1, 5, 5, 8}), both = value({1, 5, 5, 16}),
            scaled = value({1, 5, 5, 16}), curved = value({1, 5, 5, 16}), pooled = value({1, 3, 3, 16}),
            mean = value({1, 16}), flat = value({1, 4}), y = g.tensor("y", fb::f32, {1, 4});
  g.op("PAD", {x, g.whole({4, 2}, {0, 0, 1, 1, 1, 1, 0, 0})}, {padded});
  g.op("CONV_2D", {padded, numbers({8, 3, 3, 3}, 216), numbers({8}, 8)}, {a}, fb::conv(1, 2, 3));
  g.op("DEPTHWISE_CONV_2D", {a, numbers({1, 3, 3, 8}, 72), numbers({8}, 8)}, {b}, fb::depthwise(0, 1, 1, 1));
  g.op("CONV_2D", {b, numbers({8, 1, 1, 8}, 64), numbers({8}, 8)}, {c}, fb::conv(0, 1));
  g.op("ADD", {a, c}, {sum}, {{0, fb::byte(1)}});
  g.op("CONCATENATION", {sum, b}, {both}, {{0, fb::integer(3)}});
  g.op("MUL", {both, numbers({16}, 16)}, {scaled}, {{0, fb::byte(0)}});
  g.op("PRELU", {scaled, numbers({1, 1, 16}, 16)}, {curved});
  g.op("MAX_POOL_2D", {curved}, {pooled}, fb::pool(0, 2, 2));
  g.op("MEAN", {pooled, g.whole({2}, {1, 2})}, {mean}, {{0, fb::flag(false)}});
  g.op("FULLY_CONNECTED", {mean, numbers({4, 16}, 64), numbers({4}, 4)}, {flat}, {{0, fb::byte(0)}});
  g.op("SOFTMAX", {flat}, {y}, {{0, fb::real(1)}});
  const std::string file = g.file({x}, {y});
  const auto parsed = tflite::parse_model(std::as_bytes(std::span(file)), "net.tflite");
  const model plain(onnx::build(parsed), {.optimize = false}), optimized(onnx::build(parsed));
  int turned = 0;
  for (const node& n : optimized.graph().nodes) turned += n.type == &type_of<op::permute>;
  CHECK(turned == 1);  // the image's
  array image({1, 9, 9, 3});
  std::ranges::copy(fb::some(image.size(), 5), image.values().begin());
  std::vector<array> out;
  for (const model* m : {&plain, &optimized}) {
    extractor ex = m->extractor();
    ex.input("x", image);
    out.push_back(ex.extract("y"));
  }
  for (std::size_t i = 0; i < 4; ++i) CHECK(out[0][i] == doctest::Approx(out[1][i]).epsilon(1e-5));
}
