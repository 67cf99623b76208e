// SPDX-License-Identifier: BSL-1.0
// A sequence in parts gives the numbers of the whole: every layer that reaches back, in parts of several lengths,
// declared and optimised, and the plans for it; what cannot be taken in parts is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>

#include <ctnn/network/constant_run.hpp>
#include <ctnn/rewrite/expansions.hpp>
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/rewrite/streaming.hpp>

#include "support/builder.hpp"
#include "support/check_plan.hpp"
#include "support/numbers.hpp"
#include "support/streams.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

struct string_names : name_maker {
  std::deque<std::string> made;
  std::string_view operator()(std::string_view of, std::string_view with) override {
    return made.emplace_back(std::string(of) + std::string(with));
  }
};

/// What g gives for parts of its sequence, one after the other: outputs as long as all of them.
std::vector<floats> run_stream(const graph_view& g, const graph_view& whole, random_weights& weights) {
  const std::vector<floats> sequence = random_inputs(whole);
  std::vector<floats> in, out;
  std::vector<extents> shapes;
  int runs = 1;
  std::vector<value_id> fed, whole_inputs;
  for (const node& n : whole.nodes)
    if (n.type == &type_of<op::input>) whole_inputs.push_back(n.outputs.first);
  for (const node& n : g.nodes) {
    if (n.type != &type_of<op::input>) continue;
    fed.push_back(n.outputs.first);
    in.emplace_back(static_cast<std::size_t>(g.shape(fed.back()).count()), 0.0f);
    if (is_carried(g, n)) continue;
    const extents &part = g.shape(fed.back()), &all = whole.shape(whole_inputs[shapes.size()]);
    const int axis = axis_between(part, all);
    runs = std::max(runs, all[axis] / part[axis]);
    shapes.push_back(all);
  }
  for (const network_output& o : whole.outputs) {
    (void)o;
    out.emplace_back();
  }
  for (int run = 0; run < runs; ++run) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < fed.size(); ++i) {
      if (is_carried(g, g.at(g.at_value(fed[i]).producer))) continue;
      const extents& part = g.shape(fed[i]);
      const int axis = axis_between(part, shapes[next]);
      copy_part(sequence[next], shapes[next], part == shapes[next] ? 0 : run * part[axis], in[i], part, 0, axis,
                part[axis]);
      ++next;
    }
    graph_values values;
    const auto pointers = pointers_to(in);
    run_graph(g, weights, pointers, values);
    for (std::size_t o = 0; o < g.outputs.size(); ++o) {
      const auto numbers = values.of(g.outputs[o].value);
      const value_id next_state = carried_into(g, g.outputs[o]);
      if (next_state != none) {
        for (std::size_t i = 0; i < fed.size(); ++i)
          if (fed[i] == next_state) in[i].assign(numbers.begin(), numbers.end());
        continue;
      }
      const extents &part = g.shape(g.outputs[o].value), &all = whole.shape(whole.outputs[o].value);
      if (part == all) {
        out[o].assign(numbers.begin(), numbers.end());
        continue;
      }
      const int axis = axis_between(part, all);
      extents long_one = all;
      long_one[axis] = runs * part[axis];
      out[o].resize(static_cast<std::size_t>(long_one.count()));
      copy_part({numbers.begin(), numbers.end()}, part, 0, out[o], long_one, run * part[axis], axis, part[axis]);
    }
  }
  return out;
}

struct outcome {
  std::string difference;
  int delay = 0, states = 0;
};

/// Empty if parts of so many samples give what the whole gives.
outcome stream_differs(const graph_view& declared, int block, int axis = automatic_axis) {
  string_names names;
  pool<rewrite_step> history;
  const ir::graph whole = default_expansions::apply(thaw(declared), names, history);
  random_weights weights;
  const std::vector<floats> want = reference_outputs(declared, weights);
  ir::graph g = thaw(whole.view());
  ir::detail::stream_finding found;
  if (const problem_report p = make_stateful(g, {block, axis}, names, &found); p.found)
    return {std::string(p.layer) + ": " + std::to_string(static_cast<int>(p.found.kind))};
  outcome result;
  for (const node& n : g.nodes) result.states += is_carried(g.view(), n) ? 1 : 0;
  for (const bool optimised : {false, true}) {
    const optimization o = optimised ? optimize(thaw(g.view()), default_rule_records()) : optimization{};
    const graph_view now = optimised ? o.g.view() : g.view();
    const memory_plan plan = make_plan(now);
    if (const std::string wrong = plan_judge(now, plan.view()).judge(); !wrong.empty())
      return {wrong + "\n" + describe_graph(now)};
    const std::vector<floats> got = run_stream(now, declared, weights);
    for (std::size_t i = 0; i < want.size(); ++i) {
      const extents &part = now.shape(now.outputs[i].value), &all = declared.shape(declared.outputs[i].value);
      const int at = axis_between(part, all);
      extents stream = all;
      stream[at] = static_cast<int>(static_cast<std::int64_t>(got[i].size()) / (all.count() / all[at]));
      const int kept = std::min(all[at], stream[at] - found.offsets[i]);
      if (kept < 1) return {"nothing to compare"};
      extents shape = all;
      shape[at] = kept;
      floats a(static_cast<std::size_t>(shape.count())), b = a;
      copy_part(got[i], stream, found.offsets[i], a, shape, 0, at, kept);
      copy_part(want[i], all, 0, b, shape, 0, at, kept);
      if (const std::string d = difference({a}, {b}, 1e-5); !d.empty())
        return {(optimised ? "optimised: " : "") + d + "\n" + describe_graph(now)};
      result.delay = std::max(result.delay, found.offsets[i]);
    }
  }
  return result;
}

constexpr op::conv1d windows(int out, int kernel, int left, int dilation = 1, int stride = 1, int groups = 1,
                             int right = 0) {
  op::conv1d c;
  c.out = out;
  c.kernel = {kernel};
  c.pad = {left, right};
  c.dilation = {dilation};
  c.stride = {stride};
  c.groups = groups;
  return c;
}

void check(builder& b, value_id result, std::initializer_list<int> blocks, int delay = 0, int states = -1) {
  REQUIRE(!b.error);
  add_output(b.g, "y", result);
  for (const int block : blocks) {
    CAPTURE(block);
    const outcome o = stream_differs(b.g.view(), block);
    CHECK(o.difference == "");
    CHECK(o.delay == delay);
    if (states >= 0) CHECK(o.states == states);
  }
}

}  // namespace

TEST_CASE("causal convolutions: dilated, grouped, depthwise, a batch") {
  builder b;
  const value_id x = b.input("x", {1, 4, 48});
  const value_id y1 = b.relu("r1", b.add(windows(6, 3, 2), "c1", {x}));
  const value_id y2 = b.add(windows(6, 2, 8, 8), "c2", {y1});
  const value_id y3 = b.apply("t3", b.add(windows(6, 4, 3, 1, 1, 6), "depthwise", {y2}), function::tanh);
  check(b, b.add(windows(4, 5, 8, 2, 1, 2), "grouped", {y3}), {1, 3, 16, 24}, 0, 4);
}
TEST_CASE("padding by layers of their own, and PyTorch's both sides with the end cut off") {
  builder b;
  const value_id x = b.input("x", {3, 48});
  const value_id padded = b.add(op::pad{op::pad_mode::constant, {0, 4}, {0, 0}}, "p", {x});
  const value_id y = b.relu("r1", b.add(windows(3, 3, 0, 2), "c1", {padded}));
  const value_id both = b.add(windows(3, 3, 4, 2, 1, 1, 4), "c2", {y});
  const value_id cut = b.add(op::slice{{1}, {0}, {-4}}, "chomp", {both});
  check(b, b.relu("r2", b.sum("s", cut, x)), {1, 3, 16}, 0, 2);
}
TEST_CASE("without padding samples drop; skip paths are delayed to meet") {
  builder b;
  const value_id x = b.input("x", {2, 60});
  const value_id y = b.apply("t", b.add(windows(2, 3, 0, 4), "c1", {x}), function::tanh);  // 52
  const value_id late = b.sum("s1", y, b.add(op::slice{{1}, {8}, {60}}, "crop", {x}));     // as WaveNet does
  const value_id z = b.add(windows(2, 2, 0, 3), "c2", {late});                             // 49
  check(b, b.sum("s2", z, b.add(op::slice{{1}, {0}, {49}}, "early", {x})), {1, 3, 12}, 11, 2);
}
TEST_CASE("strides and windows of pooling, which may overlap") {
  builder b;
  op::pool p;
  p.axes = 1;
  p.function = op::pooling::average;
  p.kernel = {2};
  p.stride = {1};
  p.pad = {1, 0};
  p.count_include_pad = true;
  const value_id x = b.add(p, "mean", {b.input("x", {2, 48})});
  const value_id y = b.add(windows(4, 5, 3, 1, 2), "c1", {x});  // 24
  p.function = op::pooling::max;
  p.kernel = {3};
  p.stride = {2};
  p.pad = {0};
  p.ceil = true;
  const value_id z = b.add(p, "max", {y});  // 12, the last over the end
  const value_id cut = b.add(op::slice{{1}, {0}, {-1}}, "cut", {z});
  check(b, b.add(windows(2, 2, 0, 1, 2), "c2", {cut}), {8, 24}, 1, 4);
}
TEST_CASE("transposed convolutions overlap") {
  builder b;
  const value_id x = b.input("x", {3, 24});
  const value_id y = b.add(windows(4, 2, 1, 1, 2), "down", {x});  // 12
  op::conv_transpose1d up;
  up.out = 2;
  up.kernel = {7};
  up.stride = {3};
  const value_id more = b.add(up, "up", {y});  // 40, of which the last 4 go on after the end
  const value_id cut = b.add(op::slice{{1}, {0}, {36}}, "cut", {more});
  up.kernel = {2};
  up.stride = {2};
  check(b, b.add(up, "apart", {cut}), {2, 8}, 0, 2);
}
TEST_CASE("recurrent layers: any kind, several, a batch first, between convolutions") {
  for (const bool batch_first : {false, true}) {
    builder b;
    const value_id x = batch_first ? b.input("x", {2, 48, 5}) : b.input("x", {48, 5});
    op::lstm lstm;
    lstm.hidden = 6;
    lstm.batch_first = batch_first;
    op::gru gru;
    gru.hidden = 4;
    gru.batch_first = batch_first;
    op::rnn rnn;
    rnn.hidden = 3;
    rnn.batch_first = batch_first;
    const value_id y = b.add(rnn, "rnn", {b.add(gru, "gru", {b.add(lstm, "lstm", {x})})});
    const value_id probable = b.add(op::softmax{}, "prob", {b.linear("fc", y, 4)});
    check(b, b.add(op::reduce{op::reduction::sum, {-1}, false}, "sum", {probable}), {1, 3, 16}, 0, 4);
  }
  builder b;
  const value_id c = b.relu("r", b.add(windows(4, 3, 2), "conv", {b.input("x", {2, 48})}));
  op::gru gru;
  gru.hidden = 4;
  const value_id y = b.add(gru, "gru", {b.add(op::permute{{1, 0}}, "turn", {c})});
  add_output(b.g, "state", y + 1);
  check(b, b.add(windows(1, 2, 1), "head", {b.add(op::permute{{1, 0}}, "back", {y})}), {1, 3, 16}, 0, 3);
}
TEST_CASE("two sequences, and what is the same for all samples") {
  builder b;
  const value_id x = b.input("x", {4, 48}), also = b.input("also", {4, 48}), style = b.input("style", {4, 1});
  const value_id y = b.add(windows(4, 4, 3), "c1", {b.add(op::concat{0}, "both", {x, also})});
  const value_id z = b.binary("styled", op::binary_function::mul, y, style);
  op::split halves;
  halves.sizes = {2, 2};
  const value_id parts = b.add(halves, "halves", {z});
  const value_id late = b.add(op::slice{{1}, {0}, {-2}}, "late", {parts + 1});
  const value_id dropped = b.add(windows(2, 3, 0), "c2", {parts});
  check(b, b.binary("gated", op::binary_function::mul, dropped, late), {1, 3, 16}, 2, 3);
}

TEST_CASE("queries of a stream see a memory that is none; rows of a stream meet matrices") {
  builder b;
  const value_id x = b.relu("r", b.add(windows(6, 3, 2), "conv", {b.input("x", {1, 6, 48})}));
  const value_id memory = b.input("memory", {1, 5, 6});
  op::attention a;
  a.heads = a.kv_heads = 2;
  const value_id rows = b.add(op::permute{{0, 2, 1}}, "rows", {x});
  const value_id y = b.add(a, "attention", {rows, memory, memory});
  op::matmul by_columns;
  by_columns.transpose_b = true;
  const value_id product = b.add(op::matmul{}, "product", {y, b.input("matrix", {6, 4})});
  check(b, b.add(by_columns, "turned", {b.input("more", {1, 3, 4}), product}), {1, 3, 16}, 0, 1);
}

namespace {

mistake mistake_of(builder& b, value_id y, int block = 0, int axis = automatic_axis, std::string_view layer = {}) {
  REQUIRE(!b.error);
  add_output(b.g, "y", y);
  string_names names;
  pool<rewrite_step> history;
  ir::graph g = default_expansions::apply(thaw(b.g.view()), names, history);
  const problem_report p = make_stateful(g, {block, axis}, names);
  if (!layer.empty()) CHECK(p.layer == layer);
  return p.found.kind;
}

}  // namespace

TEST_CASE("what cannot be taken in parts is refused, with the layer") {
  const auto with = [](auto layer) {
    builder b;
    return layer(b, b.input("x", {4, 48}));
  };
  CHECK(with([](builder& b, value_id x) {
          return mistake_of(b, b.relu("r", b.add(windows(4, 3, 1, 1, 1, 1, 1), "c", {x})), 0, automatic_axis, "c");
        }) == mistake::looks_ahead);
  CHECK(with([](builder& b, value_id x) {
          op::gru g;
          g.hidden = 3;
          g.direction = op::direction::bidirectional;
          return mistake_of(b, b.add(g, "g", {x}), 0, automatic_axis, "g");
        }) == mistake::looks_ahead);
  CHECK(with([](builder& b, value_id x) {
          const value_id y = b.add(windows(4, 3, 2), "c", {x});
          return mistake_of(b, b.add(op::softmax{-1}, "s", {y}), 0, automatic_axis, "s");
        }) == mistake::mixes_sequence);
  CHECK(with([](builder& b, value_id x) {
          return mistake_of(b, b.flatten("f", b.add(windows(4, 3, 2), "c", {x})), 0, automatic_axis, "f");
        }) == mistake::mixes_sequence);
  CHECK(with([](builder& b, value_id x) {  // a first sample that all are compared with
          const value_id y = b.add(windows(4, 3, 2), "c", {x});
          return mistake_of(b, b.sum("s", y, b.add(op::slice{{1}, {0}, {1}}, "first", {y})), 0, automatic_axis, "s");
        }) == mistake::mixes_sequence);
  CHECK(with([](builder& b, value_id x) {  // the last state, for all samples
          op::gru g;
          g.hidden = 4;
          const value_id y = b.add(g, "g", {x});
          return mistake_of(b, b.sum("s", y, y + 1), 0, automatic_axis, "s");
        }) == mistake::mixes_sequence);
  CHECK(with([](builder& b, value_id x) {
          return mistake_of(b, b.add(windows(4, 3, 2, 1, 2), "c", {x}), 3, automatic_axis, "c");
        }) == mistake::block_not_a_multiple);
  CHECK(with([](builder& b, value_id x) {
          return mistake_of(b, b.add(windows(4, 3, 2), "c2", {b.add(windows(4, 3, 0), "c1", {x})}), 0, 1, "c2");
        }) == mistake::stream_begins_later);
  CHECK(with([](builder& b, value_id x) { return mistake_of(b, x, 0, 2); }) == mistake::no_sequence);
  op::attention a;
  a.heads = a.kv_heads = 2;
  for (const bool masked : {false, true}) {
    builder b;
    const value_id x = b.input("x", {1, 48, 4});
    a.causal = a.mask = masked;
    const value_id y = masked ? b.add(a, "a", {x, x, x, b.input("mask", {48, 1})}) : b.add(a, "a", {x, x, x});
    CHECK(mistake_of(b, y, 0, 1, "a") == (masked ? mistake::mixes_sequence : mistake::looks_ahead));
  }
  builder b;
  const value_id image = b.input("x", {1, 9, 9});
  op::conv2d c;
  c.out = 2;
  c.kernel = {2, 2};
  c.pad = {1, 1, 0, 0};
  const value_id y = b.add(c, "c", {image});
  ir::graph g = thaw(b.g.view());
  CHECK(mistake_of(b, y) == mistake::no_sequence);
  add_output(g, "y", y);
  for (const int axis : {1, 2}) CHECK(stream_differs(g.view(), 3, axis).difference == "");
}
