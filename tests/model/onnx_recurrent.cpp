// SPDX-License-Identifier: BSL-1.0
// ONNX's recurrent nodes: one operator, whether their weights are constants or inputs, with all that ONNX allows; and
// the layer that a declared network writes for it.
#include <doctest/doctest.h>

#include <cmath>

#include <ctnn/ctnn.hpp>
#include <ctnn/loaded/folded_weights.hpp>
#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace pb = test::onnx_bytes;

namespace {

struct recurrent_node {
  std::string_view type;
  std::int64_t gates, directions, batch;
  std::string_view direction = "forward";
  bool bias = true, states = false;
  bool lengths = false, peepholes = false, batch_first = false, after_reset = false, input_forget = false;
  float clip = 0;
  std::vector<std::string> functions{};  ///< of Affine are 2 x + 0.1
};

constexpr std::int64_t steps = 3, in = 2, units = 5;

/// ONNX's inputs: x, W, R, B, sequence_lens, initial_h, initial_c, P.
pb::dims shape_of(const recurrent_node& r, int i) {
  const auto rows = r.gates * units;
  switch (i) {
    case 0: return r.batch_first ? pb::dims{r.batch, steps, in} : pb::dims{steps, r.batch, in};
    case 1: return {r.directions, rows, in};
    case 2: return {r.directions, rows, units};
    case 3: return {r.directions, 2 * rows};
    case 4: return {r.batch};
    case 7: return {r.directions, 3 * units};
    default:
      return r.batch_first ? pb::dims{r.batch, r.directions, units} : pb::dims{r.directions, r.batch, units};
  }
}
bool has_input(const recurrent_node& r, int i) {
  const bool lstm = r.type == "LSTM";
  const bool there[] = {true, true, true, r.bias, r.lengths, r.states, r.states && lstm, r.peepholes};
  return there[i];
}
bool is_weight(int i) { return i == 1 || i == 2 || i == 3 || i == 7; }
constexpr const char* names[] = {"x", "w", "r", "b", "steps", "h", "c", "p"};

std::vector<float> numbers_of(const pb::dims& shape, int seed) {
  std::size_t n = 1;
  for (auto d : shape) n *= static_cast<std::size_t>(d);
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>((static_cast<int>(i) * 37 + seed * 11) % 29 - 14) * 0.05f;
  return v;
}
std::vector<float> numbers_of(const recurrent_node& r, int i) { return numbers_of(shape_of(r, i), i); }
/// Sequence b of the batch has 1, 2, 3, 1, ... steps.
int length_of(const recurrent_node& r, std::int64_t b) { return r.lengths ? 1 + static_cast<int>(b % steps) : steps; }

array array_of(const recurrent_node& r, int i, dtype type = dtype::f32) {
  extents e;
  for (auto d : shape_of(r, i)) e.push_back(static_cast<int>(d));
  array a(e, i == 4 ? dtype::i32 : type);
  if (i == 4)
    for (std::size_t b = 0; b < a.size(); ++b)
      a.elements<std::int32_t>()[b] = length_of(r, static_cast<std::int64_t>(b));
  else if (type == dtype::f64)
    std::ranges::copy(numbers_of(r, i), a.elements<double>().begin());
  else
    std::ranges::copy(numbers_of(r, i), a.elements<float>().begin());
  return a;
}

std::string strings(std::string_view name, const std::vector<std::string>& list) {
  std::string out = pb::bytes(1, name);
  for (const std::string& s : list) out += pb::bytes(9, s);
  return pb::bytes(5, out + pb::number(20, 8));
}
std::string reals(std::string_view name, const std::vector<float>& list) {
  std::string out = pb::bytes(1, name);
  for (float v : list) out += pb::real(7, v);
  return pb::bytes(5, out + pb::number(20, 6));
}

model made(const recurrent_node& r, bool constant, pb::element type = pb::f32, const load_options& options = {}) {
  std::string graph;
  std::vector<std::string> inputs;
  for (int i = 0; i < 8; ++i) {
    inputs.push_back(has_input(r, i) ? names[i] : "");
    if (!has_input(r, i)) continue;
    graph += is_weight(i) && constant ? pb::initializer(pb::floats(names[i], shape_of(r, i), numbers_of(r, i)))
                                      : pb::input(pb::value(names[i], i == 4 ? pb::i32 : type, shape_of(r, i)));
  }
  while (inputs.back().empty()) inputs.pop_back();
  std::vector<std::string> out{"y", "last_h"};
  if (r.type == "LSTM") out.push_back("last_c");
  for (const std::string& o : out) graph += pb::output(pb::value(o, type, {-1, -1, -1}));
  std::string attributes = pb::attribute("hidden_size", units) + pb::attribute("direction", r.direction);
  if (r.batch_first) attributes += pb::attribute("layout", std::int64_t{1});
  if (r.after_reset) attributes += pb::attribute("linear_before_reset", std::int64_t{1});
  if (r.input_forget) attributes += pb::attribute("input_forget", std::int64_t{1});
  if (r.clip > 0) attributes += pb::attribute("clip", r.clip);
  if (!r.functions.empty()) {
    const auto affine = static_cast<std::size_t>(std::ranges::count(r.functions, "Affine"));
    attributes += strings("activations", r.functions) + reals("activation_alpha", std::vector<float>(affine, 2.0f)) +
                  reals("activation_beta", std::vector<float>(affine, 0.1f));
  }
  graph += pb::node(r.type, inputs, out, attributes, "layer");
  const std::string bytes = pb::model(graph, 14);
  return model(onnx::build(onnx::parse_model(pb::view(bytes), "m.onnx")), options);
}

/// ONNX's equations, gate by gate.
struct oracle {
  const recurrent_node& r;
  std::vector<float> number[8];
  std::vector<double> y, last_h, last_c;

  explicit oracle(const recurrent_node& node) : r(node) {
    for (int i = 0; i < 8; ++i)
      if (i != 4 && has_input(r, i)) number[i] = numbers_of(r, i);
    y.resize(static_cast<std::size_t>(steps * r.batch * r.directions * units));
    last_h.resize(static_cast<std::size_t>(r.batch * r.directions * units));
    last_c = last_h;
    for (std::int64_t d = 0; d < r.directions; ++d)
      for (std::int64_t b = 0; b < r.batch; ++b) run(d, b);
  }

 private:
  using state = std::vector<double>;
  std::int64_t state_at(std::int64_t d, std::int64_t b) const {
    return (r.batch_first ? b * r.directions + d : d * r.batch + b) * units;
  }
  double of(int i, std::int64_t at) const { return static_cast<double>(number[i][static_cast<std::size_t>(at)]); }

  double function(std::int64_t d, std::size_t i, double x) const {
    const std::size_t each = r.gates == 1 ? 1 : static_cast<std::size_t>(r.gates) - 1;
    std::string name = i == 0 && r.gates > 1 ? "Sigmoid" : "Tanh";
    if (!r.functions.empty()) name = r.functions[static_cast<std::size_t>(d) * each + i];
    if (name == "Sigmoid") return 1 / (1 + std::exp(-x));
    if (name == "Tanh") return std::tanh(x);
    if (name == "Relu") return x < 0 ? 0 : x;
    REQUIRE(name == "Affine");
    return 2 * x + static_cast<double>(0.1f);
  }
  double bounded(std::int64_t d, std::size_t i, double x) const {
    const double c = static_cast<double>(r.clip);
    return function(d, i, c > 0 ? std::min(std::max(x, -c), c) : x);
  }
  double of_x(std::int64_t d, std::int64_t row, std::int64_t t, std::int64_t b) const {
    double sum = r.bias ? of(3, d * 2 * r.gates * units + row) : 0;
    const std::int64_t place = r.batch_first ? b * steps + t : t * r.batch + b;
    for (std::int64_t k = 0; k < in; ++k) sum += of(1, (d * r.gates * units + row) * in + k) * of(0, place * in + k);
    return sum;
  }
  double of_h(std::int64_t d, std::int64_t row, const state& h) const {
    double sum = r.bias ? of(3, (d * 2 + 1) * r.gates * units + row) : 0;
    for (std::int64_t k = 0; k < units; ++k)
      sum += of(2, (d * r.gates * units + row) * units + k) * h[static_cast<std::size_t>(k)];
    return sum;
  }
  void run(std::int64_t d, std::int64_t b) {
    state h(units), c(units);
    for (std::int64_t j = 0; j < units; ++j) {
      if (r.states) h[static_cast<std::size_t>(j)] = of(5, state_at(d, b) + j);
      if (r.states && r.gates == 4) c[static_cast<std::size_t>(j)] = of(6, state_at(d, b) + j);
    }
    const int length = length_of(r, b);
    for (int s = 0; s < length; ++s) {
      const std::int64_t t = d == 1 || r.direction == "reverse" ? length - 1 - s : s;
      const state before = h;
      const auto sum = [&](int gate, std::int64_t j) {
        return of_x(d, gate * units + j, t, b) + of_h(d, gate * units + j, before);
      };
      state reset_h = before;
      for (std::int64_t j = 0; j < units && r.gates == 3; ++j)
        reset_h[static_cast<std::size_t>(j)] *= bounded(d, 0, sum(1, j));
      for (std::int64_t j = 0; j < units; ++j) {
        const auto k = static_cast<std::size_t>(j);
        if (r.gates == 1) {
          h[k] = bounded(d, 0, sum(0, j));
        } else if (r.gates == 3) {
          const double z = bounded(d, 0, sum(0, j)), reset = bounded(d, 0, sum(1, j));
          const std::int64_t row = 2 * units + j;
          const double seen = r.after_reset ? reset * of_h(d, row, before) : of_h(d, row, reset_h);
          const double n = bounded(d, 1, of_x(d, row, t, b) + seen);
          h[k] = (1 - z) * n + z * before[k];
        } else {
          const auto peephole = [&](int gate) { return r.peepholes ? of(7, (d * 3 + gate) * units + j) * c[k] : 0; };
          const double i = bounded(d, 0, sum(0, j) + peephole(0));
          const double f = r.input_forget ? 1 - i : bounded(d, 0, sum(2, j) + peephole(2));
          c[k] = f * c[k] + i * bounded(d, 1, sum(3, j));
          h[k] = bounded(d, 0, sum(1, j) + peephole(1)) * function(d, 2, c[k]);
        }
        const auto row = r.batch_first ? (b * steps + t) * r.directions + d : (t * r.directions + d) * r.batch + b;
        y[static_cast<std::size_t>(row * units + j)] = h[k];
      }
    }
    for (std::int64_t j = 0; j < units; ++j) {
      last_h[static_cast<std::size_t>(state_at(d, b) + j)] = h[static_cast<std::size_t>(j)];
      last_c[static_cast<std::size_t>(state_at(d, b) + j)] = c[static_cast<std::size_t>(j)];
    }
  }
};

bool has(const graph_view& g, std::string_view name) {
  return std::any_of(g.nodes.begin(), g.nodes.end(), [&](const node& n) { return n.type->name == name; });
}

void require_right(const recurrent_node& r) {
  CAPTURE(r.type);
  CAPTURE(r.direction);
  CAPTURE(r.batch);
  const model fixed = made(r, true), free = made(r, false), doubles = made(r, false, pb::f64);
  std::string lower;
  for (char c : r.type) lower += static_cast<char>(c + ('a' - 'A'));
  for (const model* m : {&fixed, &free, &doubles}) CHECK(has(m->source(), lower));
  for (const node& n : fixed.graph().nodes)
    if (n.type->name == lower) CHECK(n.weights.count > 0);
  extractor a = fixed.extractor(), b = free.extractor(), c = doubles.extractor();
  for (int i = 0; i < 8; ++i) {
    if (!has_input(r, i)) continue;
    if (!is_weight(i)) a.input(names[i], array_of(r, i));
    b.input(names[i], array_of(r, i));
    c.input(names[i], array_of(r, i, dtype::f64));
  }
  const oracle want(r);
  const auto check = [&](const char* name, const std::vector<double>& numbers) {
    CAPTURE(name);
    const array x = a.extract(name), y = b.extract(name), z = c.extract(name);
    REQUIRE(x.size() == numbers.size());
    REQUIRE(y.shape() == x.shape());
    REQUIRE(z.shape() == x.shape());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      REQUIRE(static_cast<double>(x[i]) == doctest::Approx(numbers[i]).epsilon(1e-5));
      REQUIRE(x[i] == y[i]);
      REQUIRE(z.elements<double>()[i] == doctest::Approx(numbers[i]).epsilon(1e-12));
    }
  };
  check("y", want.y);
  check("last_h", want.last_h);
  if (r.gates == 4) check("last_c", want.last_c);
}

}  // namespace

TEST_CASE("one layer, with constant weights or such that are computed") {
  for (const std::int64_t batch : {1, 3})
    for (const bool states : {false, true})
      for (const std::string_view direction : {"forward", "reverse", "bidirectional"}) {
        const std::int64_t d = direction == "bidirectional" ? 2 : 1;
        require_right({"LSTM", 4, d, batch, direction, !states, states});
        recurrent_node gru{"GRU", 3, d, batch, direction, states, states};
        require_right(gru);
        gru.after_reset = true;
        require_right(gru);
        require_right({"RNN", 1, d, batch, direction, true, states});
      }
}

TEST_CASE("everything that ONNX has") {
  for (const bool batch_first : {false, true}) {
    const recurrent_node lstm{.type = "LSTM", .gates = 4, .directions = 2, .batch = 4, .direction = "bidirectional",
                              .states = true, .lengths = true, .peepholes = true, .batch_first = batch_first};
    require_right(lstm);
    recurrent_node r = lstm;
    r.input_forget = true;
    r.clip = 0.3f;
    require_right(r);
    r = lstm;
    r.functions = {"Affine", "Relu", "Tanh", "Sigmoid", "Tanh", "Affine"};
    require_right(r);
    r.functions = {"sigmoid", "tanh", "tanh", "sigmoid", "tanh", "tanh"};
    CHECK(has(made(r, true).source(), "lstm"));
    recurrent_node gru{.type = "GRU", .gates = 3, .directions = 2, .batch = 4, .direction = "bidirectional",
                       .states = true, .lengths = true, .batch_first = batch_first};
    require_right(gru);
    gru.clip = 0.2f;
    gru.functions = {"Affine", "Relu", "Sigmoid", "Tanh"};
    require_right(gru);
    gru.after_reset = true;
    require_right(gru);
    recurrent_node rnn{.type = "RNN", .gates = 1, .directions = 2, .batch = 4, .direction = "bidirectional",
                       .lengths = true, .batch_first = batch_first, .clip = 0.5f, .functions = {"Relu", "Affine"}};
    require_right(rnn);
  }
}

TEST_CASE("one state given: the other begins at 0, and zeros are none") {
  const auto last_c = [](bool h, float value) {
    const recurrent_node r{"LSTM", 4, 1, 1};
    std::string graph = pb::input(pb::value("x", pb::f32, shape_of(r, 0)));
    graph += pb::output(pb::value("c", pb::f32, {-1, -1, -1}));
    for (int i = 1; i < 4; ++i) graph += pb::initializer(pb::floats(names[i], shape_of(r, i), numbers_of(r, i)));
    graph += pb::initializer(pb::floats("s", shape_of(r, 5), std::vector<float>(units, value)));
    graph += pb::node("LSTM", {"x", "w", "r", "b", "", h ? "s" : "", h ? "" : "s"}, {"", "", "c"},
                      pb::attribute("hidden_size", units));
    const std::string bytes = pb::model(graph, 14);
    const model m(onnx::build(onnx::parse_model(pb::view(bytes), "m.onnx")));
    for (const node& n : m.graph().nodes)
      if (n.type == &type_of<op::lstm>) CHECK(n.inputs.count == (value == 0 ? 1 : 3));
    extractor run = m.extractor();
    run.input("x", array_of(r, 0));
    const array c = run.extract("c");
    return std::vector<float>(c.values().begin(), c.values().end());
  };
  CHECK(last_c(true, 0) == last_c(false, 0));
  CHECK(last_c(true, 0.5f) != last_c(true, 0));
  CHECK(last_c(false, 0.5f) != last_c(true, 0.5f));
}

TEST_CASE("lengths that are not of the sequences are refused") {
  const recurrent_node r{.type = "GRU", .gates = 3, .directions = 1, .batch = 2, .lengths = true};
  const model m = made(r, true);
  extractor run = m.extractor();
  run.input("x", array_of(r, 0));
  array lengths({2}, dtype::i32);
  lengths.elements<std::int32_t>()[1] = steps + 1;
  run.input("steps", lengths);
  CHECK_THROWS_WITH_AS(run.extract("y"), doctest::Contains("4 steps of a sequence of 3"), error);
}

namespace {

// What only files had, in a type.
namespace nn = ctnn;
struct declared : nn::network<
    nn::input<"x", nn::shape<3, 4, 2>>, nn::input<"steps", nn::shape<4>, nn::option<"type", nn::dtype::i32>>,
    nn::lstm<"layer", nn::from<"x", "steps">, nn::hidden<5>, nn::bidirectional, nn::lengths, nn::peepholes,
             nn::option<"input_forget", 1>, nn::option<"clip", 0.3>,
             nn::functions<function::affine, function::relu, function::tanh,      // forwards
                           function::sigmoid, function::tanh, function::affine>,  // backwards
             nn::option<"alpha", 2, 0, 0, 0, 0, 2>, nn::option<"beta", 0.1, 0, 0, 0, 0, 0.1>>,
    nn::output<"layer.0", "layer.1", "layer.2">> {};

}  // namespace

TEST_CASE("a declared layer is the loaded one: the same operator, the same bits") {
  const recurrent_node r{.type = "LSTM", .gates = 4, .directions = 2, .batch = 4, .direction = "bidirectional",
                         .lengths = true, .peepholes = true, .input_forget = true, .clip = 0.3f,
                         .functions = {"Affine", "Relu", "Tanh", "Sigmoid", "Tanh", "Affine"}};
  const model m = made(r, true, pb::f32, {.keep_weights = true});
  const graph_view written = nn::ir::optimized_graph<declared>, read = m.graph();
  const auto layer = [](const graph_view& g) {
    return *std::ranges::find_if(g.nodes, [](const node& n) { return n.type == &type_of<op::lstm>; });
  };
  const node ours = layer(written), theirs = layer(read);
  CHECK(std::ranges::equal(written.fields_of(ours.fields), read.fields_of(theirs.fields)));
  CHECK(ours.inputs.count == theirs.inputs.count);
  REQUIRE(ours.weights.count == theirs.weights.count);
  folded_weights numbers(m.code().source(), read);
  std::vector<std::vector<float>> kept;
  std::vector<nn::named_weight> weights;
  for (int i = 0; i < ours.weights.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const expression& own = written.at_expression(written.weights(ours)[k]);
    CHECK(own.shape == read.at_expression(read.weights(theirs)[k]).shape);
    const auto of_file = numbers(read.weights(theirs)[k]);
    kept.emplace_back(of_file.begin(), of_file.end());
    weights.push_back({"layer", own.name, kept.back()});
  }
  static nn::parameters<declared> parameters{nn::zeros};
  REQUIRE_FALSE(nn::load(parameters, weights).found);
  const array x = array_of(r, 0), lengths = array_of(r, 4);
  extractor run = m.extractor();
  run.input("x", x);
  run.input("steps", lengths);
  using declared_engine = nn::engine<declared>;
  declared_engine engine{parameters};
  engine.run(declared_engine::input_span<0>(x.values()),
             declared_engine::input_span<1>(lengths.elements<std::int32_t>()));
  const array last_h = run.extract("last_h"), last_c = run.extract("last_c");
  CHECK(std::ranges::equal(engine.output<1>(), last_h.values()));
  CHECK(std::ranges::equal(engine.output<2>(), last_c.values()));
  const array y = run.extract("y");  // (steps, directions, batch, units) of (steps, batch, directions * units)
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t b = 0; b < 4; ++b)
      for (std::size_t k = 0; k < 2 * units; ++k)
        REQUIRE(engine.output<0>()[(t * 4 + b) * 2 * units + k] ==
                y[((t * 2 + k / units) * 4 + b) * units + k % units]);
}

TEST_CASE("weights that do not fit are refused with the node") {
  const std::string graph =
      pb::node("LSTM", {"x", "w", "r"}, {"y"}, pb::attribute("hidden_size", std::int64_t{2}), "here") +
      pb::input(pb::value("x", pb::f32, {1, 1, 3})) +
      pb::initializer(pb::floats("w", {1, 8, 2}, std::vector<float>(16))) +
      pb::initializer(pb::floats("r", {1, 8, 2}, std::vector<float>(16))) +
      pb::output(pb::value("y", pb::f32, {1, 1, 1, 2}));
  const std::string bytes = pb::model(graph, 14);
  CHECK_THROWS_WITH_AS(onnx::build(onnx::parse_model(pb::view(bytes), "m.onnx")), doctest::Contains("'here'"), error);
}
