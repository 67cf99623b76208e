// SPDX-License-Identifier: BSL-1.0
// What an extractor promises: lazy, each value once, light mode, intermediate values, clear errors.
#include <doctest/doctest.h>

#include "support/builder.hpp"
#include "support/loaded.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// x -> stem -> (left: conv, relu, drop), (right: conv, tanh); sum = left + right; a second input only `far` needs.
struct fixture {
  fixture(bool optimize = false) {
    builder b;
    const value_id x = b.input("x", {4, 8, 8});
    const value_id y = b.input("y", {3});
    const value_id stem = b.conv("stem", x, 4, 3);
    const value_id left = b.add(op::dropout{}, "drop", {b.relu("relu", b.conv("left", stem, 4, 3))});
    const value_id right = b.apply("tanh", b.conv("right", stem, 4), function::tanh);
    const value_id sum = b.sum("sum", left, right);
    const value_id far = b.apply("far", y, function::sigmoid);
    b.output("sum", sum);
    b.output("right_out", right);
    b.output("far", far);
    load_options o;
    o.optimize = optimize;
    random_weights numbers;
    source = thaw(b.g.view());
    m = std::make_unique<model>(as_loaded(b.g.view(), numbers), o);
    in = random_inputs(source.view());
    graph_values values;
    run_graph(source.view(), numbers, pointers_to(in), values);
    for (const ir::value& v : source.values)
      want[std::string(v.name)] = floats(values.of(static_cast<int>(&v - source.values.data())).begin(),
                                         values.of(static_cast<int>(&v - source.values.data())).end());
  }
  array x() const { return array({4, 8, 8}, in[0]); }
  array y() const { return array({3}, in[1]); }
  std::string check(const array& got, const std::string& name) const {
    return difference({floats(got.values().begin(), got.values().end())}, {want.at(name)}, 1e-4);
  }

  ir::graph source;
  std::unique_ptr<model> m;
  std::vector<floats> in;
  std::map<std::string, floats> want;
};

template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("only what is asked for is computed, and once") {
  const fixture f;
  for (bool light : {false, true}) {
    CAPTURE(light);
    extractor ex = f.m->extractor();
    ex.set_light_mode(light);
    ex.input("x", f.x());  // y is not needed
    CHECK(f.check(ex.extract("right_out"), "tanh") == "");
    const std::size_t right = ex.steps_run();
    CHECK(right >= 3);  // stem, right, tanh; conversions besides
    CHECK(right <= 5);
    CHECK(f.check(ex.extract("right_out"), "tanh") == "");
    CHECK(ex.steps_run() == right);
    CHECK(f.check(ex.extract("sum"), "sum") == "");
    if (!light) {
      const std::size_t all = ex.steps_run();
      CHECK(all <= right + 5);  // left, relu, drop, sum
      for (const char* name : {"stem", "left", "relu", "drop", "right", "tanh", "sum"})
        CHECK(f.check(ex.extract(name), name) == "");
      CHECK(ex.steps_run() == all);
    }
  }
}

TEST_CASE("the callback sees every kernel once") {
  const fixture f;
  extractor ex = f.m->extractor();
  ex.set_light_mode(false);
  std::map<node_id, int> seen;
  ex.on_step(
      [](void* c, const running_step& s) {
        if (s.begins && s.node != none) ++(*static_cast<std::map<node_id, int>*>(c))[s.node];
      },
      &seen);
  ex.input("x", f.x());
  ex.extract("sum");
  ex.extract("right_out");
  CHECK(seen.size() == 7);
  for (const auto& [n, times] : seen) CHECK(times == 1);
}

TEST_CASE("outputs by name and by index, in any order, by several extractors") {
  const fixture f;
  extractor a = f.m->extractor(), b = f.m->extractor();
  a.input(0, f.x());
  a.input(1, f.y());
  b.input("y", f.y());
  CHECK(f.check(b.extract("far"), "far") == "");
  CHECK(f.check(a.extract(2), "far") == "");
  CHECK(f.check(a.extract(0), "sum") == "");
  CHECK(f.check(a.extract(1), "tanh") == "");
  b.input("x", f.x());
  CHECK(f.check(b.extract(1), "tanh") == "");
  CHECK(f.check(b.extract("sum"), "sum") == "");
  CHECK(f.check(b.extract("far"), "far") == "");
}

TEST_CASE("every value, in light mode too, optimisation off") {
  const fixture f;
  extractor ex = f.m->extractor();
  ex.input("x", f.x());
  ex.input("y", f.y());
  for (const char* name : {"sum", "stem", "tanh", "relu", "left", "drop", "right", "far", "x", "sum"})
    CHECK(f.check(ex.extract(name), name) == "");
}

TEST_CASE("light mode takes less memory") {
  const fixture f;
  extractor light = f.m->extractor(), full = f.m->extractor();
  full.set_light_mode(false);
  for (extractor* ex : {&light, &full}) {
    ex->input("x", f.x());
    ex->extract("sum");
    CHECK(ex->peak_bytes() >= 2 * 4 * 8 * 8 * sizeof(float));
  }
  MESSAGE("peak " << light.peak_bytes() << " bytes light, " << full.peak_bytes() << " full");
  CHECK(light.peak_bytes() < full.peak_bytes());
}

TEST_CASE("what rewriting took is named, with the rule that took it") {
  const fixture f(true);
  extractor ex = f.m->extractor();
  ex.input("x", f.x());
  const std::string gone = message([&] { ex.extract("left"); });
  CHECK(gone.find("value 'left' is gone") != gone.npos);
  CHECK(gone.find("fuse_activation") != gone.npos);
  CHECK(gone.find("load without optimization") != gone.npos);
  CHECK(message([&] { ex.extract("relu"); }).find("value 'relu' is gone") != std::string::npos);
  CHECK(f.check(ex.extract("sum"), "sum") == "");  // survived: the convolution computes it
  CHECK(message([&] { ex.extract("drop"); }).find("dropout") != std::string::npos);
  CHECK(message([&] { ex.extract("nobody"); }) == "the model has no value called 'nobody'");
}

TEST_CASE("an intermediate value that is fed cuts the graph there") {
  const fixture f;
  for (bool light : {true, false}) {
    CAPTURE(light);
    extractor ex = f.m->extractor();
    ex.set_light_mode(light);
    ex.input("stem", array({4, 8, 8}, f.want.at("stem")));  // x is not needed
    CHECK(f.check(ex.extract("sum"), "sum") == "");
    CHECK(f.check(ex.extract("right_out"), "tanh") == "");
    CHECK(f.check(ex.extract("stem"), "stem") == "");
    CHECK(f.check(ex.extract("left"), "left") == "");
    CHECK(f.check(ex.extract("sum"), "sum") == "");
    CHECK(message([&] { ex.extract("far"); }) == "input 'y' has not been given");
  }
}

TEST_CASE("inputs that are missing, unknown or of another shape") {
  const fixture f;
  extractor ex = f.m->extractor();
  CHECK(message([&] { ex.extract("sum"); }) == "input 'x' has not been given");
  CHECK(message([&] { ex.input("z", f.x()); }) == "the model has no value called 'z'");
  CHECK(message([&] { ex.input(2, f.x()); }) == "the model has no input with that index");
  CHECK(message([&] { ex.extract(3); }) == "the model has no output with that index");
  const std::string shape = message([&] { ex.input("x", array({4, 8, 7})); });
  CHECK(shape.find("input 'x'") != shape.npos);
  CHECK(shape.find("8") != shape.npos);
  CHECK(shape.find("7") != shape.npos);
  CHECK(message([&] { array({2, 2}, floats{1, 2, 3}); }).find("needs 4 values, got 3") != std::string::npos);
}

TEST_CASE("feeding again starts over, with the memory at hand") {
  const fixture f;
  extractor ex = f.m->extractor();
  floats other = f.in[0];
  for (float& v : other) v = -v;
  ex.input("x", array({4, 8, 8}, other));
  const array first = ex.extract("sum");
  CHECK(f.check(first, "sum") != "");
  ex.input("x", f.x());
  CHECK(ex.steps_run() == 0);
  CHECK(f.check(ex.extract("sum"), "sum") == "");
}

TEST_CASE("an extractor keeps its model alive") {
  auto f = std::make_unique<fixture>();
  extractor ex = f->m->extractor();
  f->m.reset();
  ex.input("x", f->x());
  CHECK(f->check(ex.extract("sum"), "sum") == "");
}

TEST_CASE("an output that others read in the layout of outputs is not computed again for itself") {
  // Convolutions make blocks of channels; what softmax along the width reads has none.
  loaded_model m;
  {
    ncnn::bin_reader zeros = ncnn::bin_reader::zeros({});
    m = ncnn::build(ncnn::parse_param("7767517\n4 5\nInput x 0 1 x 0=8 1=8 2=16\n"
                                      "Convolution conv 1 1 x c 0=16 1=3 4=1 5=1 6=2304\n"
                                      "Split both 1 2 c kept read\nSoftmax soft 1 1 read s 0=2 1=1\n",
                                      "kept.param", {}),
                    zeros);
  }
  const model net(std::move(m), {.keep = {"c"}});
  extractor ex = net.extractor();
  int convolutions = 0;
  ex.on_step(
      [](void* count, const running_step& s) {
        if (s.begins && s.node != none && s.code->g().is<op::conv2d>(s.node)) ++*static_cast<int*>(count);
      },
      &convolutions);
  ex.input("x", array({16, 8, 8}));
  ex.extract("s");
  ex.extract("c");
  CHECK(convolutions == 1);
}
