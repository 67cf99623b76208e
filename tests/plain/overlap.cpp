// SPDX-License-Identifier: BSL-1.0
// Results that lie over the input they are made of: random networks in one arena, planned as for firmware, give what
// they give with memory of its own for every value. A program of its own: all of it is as firmware has it.
#define CTNN_PLAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>

#include <ctnn/kernels/packing.hpp>
#include <ctnn/network/run-inl.hpp>
#include <ctnn/plan/planner.hpp>

#include "support/numbers.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using kinds = operator_list<op::conv1d, op::conv2d, op::pool, op::binary, op::activation>;

/// Chains of convolutions of every kind over images or signals, with residuals, pools and activations between them, of
/// floats or of bytes.
template <int Axes>
class convolutions {
 public:
  convolutions(std::uint64_t seed, dtype type) : r_(seed), type_(type) {
    static constexpr int channels[] = {1, 2, 3, 4, 5, 8, 12, 66, 70};
    const int c = any_of(channels);
    op::input x{{}, type};
    if (type == dtype::i8) x.as = step_;
    const int height = 3 + r_.below(12), width = 3 + r_.below(12);
    if (r_.one_in(3)) x.shape.push_back(r_.one_in(8) ? 2 : 1);
    x.shape.push_back(c);
    if (Axes == 2) x.shape.push_back(height);
    x.shape.push_back(Axes == 2 ? width : 2 * width);
    x.in_arena = r_.one_in(2);
    value_id last = add(x, {});
    value_id residual = none;
    for (int i = 4 + r_.below(8); i > 0; --i) {
      const extents shape = g.values[static_cast<std::size_t>(last)].shape;
      value_id next = none;
      if (r_.one_in(8)) {
        next = add_activation(last);
      } else if (type == dtype::i8 && r_.one_in(6)) {
        next = add_pool(last);
      } else if (type == dtype::i8 && residual != none && residual != last && r_.one_in(2) &&
                 g.values[static_cast<std::size_t>(residual)].shape == shape) {
        next = add(op::binary{}, {last, residual}, step_);
        residual = none;
      } else {
        op::conv<Axes> p;
        const bool depthwise = r_.one_in(2), keeps = r_.one_in(2);
        const int from = shape.back(Axes);
        p.out = depthwise || keeps ? from : any_of(channels);
        p.groups = depthwise ? from : 1;
        const int part = type == dtype::i8 ? 4 : 2;  // rows of bytes go by pairs
        if (!depthwise && r_.one_in(8) && from % 2 == 0 && p.out % part == 0) p.groups = 2;
        if (!r_.one_in(3)) {
          for (std::size_t k = 0; k < static_cast<std::size_t>(Axes); ++k) {
            p.kernel[k] = 1 + r_.below(4);
            p.stride[k] = r_.one_in(3) ? 1 + r_.below(3) : 1;
            p.dilation[k] = r_.one_in(4) ? 2 : 1;
            p.pad[k] = r_.below(p.kernel[k] + 1);
            p.pad[k + static_cast<std::size_t>(Axes)] = r_.below(p.kernel[k] + 1);
          }
        } else {
          p.kernel = p.ones;
        }
        if (keeps && r_.one_in(2)) {
          p.kernel.fill(3);
          p.pad.fill(1);
          p.stride = p.dilation = p.ones;
        }
        p.bias = !r_.one_in(3);
        if (r_.one_in(2)) p.activation = {r_.one_in(3) && type == dtype::f32 ? function::tanh : function::relu};
        const bool adds = type == dtype::f32 && residual != none && p.out == from && r_.one_in(2) && residual != last &&
                          g.values[static_cast<std::size_t>(residual)].shape == shape;
        p.residual_last = adds && p.activation && r_.one_in(2);
        next = type == dtype::i8 ? add_bytes(p, last) : adds ? add(p, {last, residual}) : add(p, {last});
        if (next == none && adds) next = add(p, {last});
        if (r_.one_in(3)) residual = last;
      }
      if (next != none) last = next;
    }
    add_output(g, "y", last);
  }
  convolutions(const convolutions&) = delete;

  ir::graph g;

 private:
  int any_of(std::span<const int> n) { return n[static_cast<std::size_t>(r_.below(static_cast<int>(n.size())))]; }
  value_id add_activation(value_id x) {
    const activation_function f{r_.one_in(2) ? function::sigmoid : function::relu};
    if (type_ == dtype::f32) return add(op::activation{f}, {x});
    return add(op::activation{f}, {x}, step_);
  }
  value_id add_pool(value_id x) {
    op::pool p;
    p.function = r_.one_in(2) ? op::pooling::max : op::pooling::average;
    p.axes = Axes;
    for (std::size_t k = 0; k < static_cast<std::size_t>(Axes); ++k) {
      p.kernel[k] = 1 + r_.below(3);
      p.stride[k] = 1 + r_.below(2);
      p.pad[k] = p.pad[k + static_cast<std::size_t>(Axes)] = r_.below(p.kernel[k] / 2 + 1);
    }
    return add(p, {x});
  }
  value_id add_bytes(const op::conv<Axes>& p, value_id x) {
    op::conv<Axes> q = p;
    q.weight = {dtype::i8, true, false, false};
    return add(q, {x}, {step_.scale, r_.one_in(4) ? 11 : step_.zero});  // 11: relu has bounds of its own
  }
  template <class Op>
  value_id add(const Op& op, std::initializer_list<value_id> in, const quantization& made = {}) {
    names_.push_back("n" + std::to_string(names_.size()));
    const element wanted(type_, made);
    if (add_node(g, op, names_.back(), std::span<const value_id>(in.begin(), in.size()), {}, {&wanted, 1})) return none;
    return g.nodes.back().outputs.first;
  }

  static constexpr quantization step_{0.0625, -128};
  dice r_;
  dtype type_;
  std::deque<std::string> names_;
};

/// The node's firmware kernel for bytes.
void run_bytes_of(const graph_view& g, const node& n, const arguments& a, float* scratch) {
  const auto run_as = [&]<class Op>(std::type_identity<Op>) {
    if (n.type != &type_of<Op>) return;
    const Op op = decode<Op>(g.fields_of(n.fields));
    plain::byte_operands o{};
    o.at[o.in] = a.in[0].data;
    o.at[o.second] = a.in[a.in.size() - 1].data;
    o.at[o.out] = a.out[0].data;
    o.at[o.scratch] = scratch;
    if (!a.weights.empty()) {
      o.at[o.weights] = a.weights[0];
      o.at[o.rows] = a.weights[a.weights.size() - 1];
    }
    plain::run(plain::byte_task_of(op, a), o);
  };
  run_as(std::type_identity<op::conv1d>{});
  run_as(std::type_identity<op::conv2d>{});
  run_as(std::type_identity<op::activation>{});
  run_as(std::type_identity<op::binary>{});
  run_as(std::type_identity<op::pool>{});
}

/// Weight i of a node of bytes, as its kernel wants it.
floats packed_bytes(const graph_view& g, const node& n, int i) {
  std::deque<std::vector<std::int8_t>> bytes;
  std::deque<std::vector<std::int32_t>> biases;
  std::deque<floats> scales;
  const auto numbers = [&](int k) -> typed_span {
    const expression& e = g.at_expression(g.weights(n)[static_cast<std::size_t>(k)]);
    const floats random = random_floats(std::string(e.layer) + std::string(e.name), e.shape.count());
    if (e.element == dtype::i8) {
      auto& to = bytes.emplace_back();
      for (const float f : random) to.push_back(static_cast<std::int8_t>(f * 127));
      return typed_span(std::span<const std::int8_t>(to));
    }
    if (e.element == dtype::i32) {
      auto& to = biases.emplace_back();
      for (const float f : random) to.push_back(static_cast<std::int32_t>(f * 5000));
      return typed_span(std::span<const std::int32_t>(to));
    }
    auto& to = scales.emplace_back();
    // Now and then an output has a factor above 1/2.
    for (const float f : random) to.push_back(f > 0.95f ? 0.75f : 0.002f + 0.001f * f);
    return typed_span(std::span<const float>(to));
  };
  floats to(static_cast<std::size_t>(packed_size(g, n, i)) + 1);
  pack_slot(g, n, i, numbers, to.data());
  return to;
}

/// Runs a plan; without offsets every placement has memory of its own.
floats run_plan(const graph_view& g, const plan_view& p, const floats& input) {
  const loaded_kernels kernels = plain::kernels_of<kinds>();
  floats arena(static_cast<std::size_t>(p.arena_size), std::numeric_limits<float>::quiet_NaN());
  std::deque<floats> apart;
  std::vector<float*> memory;
  for (std::size_t i = 0; i < p.placements.size(); ++i) {
    const placement& now = p.placements[i];
    if (now.parent != none) memory.push_back(nullptr);
    else if (now.external) memory.push_back(apart.emplace_back(input).data());
    else if (p.arena_size != 0) memory.push_back(now.offset < 0 ? nullptr : arena.data() + now.offset);
    else memory.push_back(apart.emplace_back(static_cast<std::size_t>(now.size)).data());
    if (now.fed) std::copy_n(input.data(), now.size, memory.back());
  }
  const auto at = [&](int id) {
    const placement& now = p.at(id);
    return tensor{memory[static_cast<std::size_t>(p.root(id))] + p.shift(id), g.shape(now.value), now.order, now.pitch,
                  g.at_value(now.value).type};
  };
  for (const plan_step& step : p.steps) {
    std::vector<const_tensor> in;
    std::vector<tensor> out;
    for (int id : p.ids_of(step.inputs)) in.push_back(at(id));
    for (int id : p.ids_of(step.outputs)) out.push_back(at(id));
    if (step.node == none) {
      kernels.convert(out[0], in[0], {});
      continue;
    }
    const node& n = g.at(step.node);
    std::deque<floats> packed;
    std::vector<const float*> weights;
    if (byte_kernel_of(g, n).there) {
      for (int i = 0; i < n.weights.count; ++i) weights.push_back(packed.emplace_back(packed_bytes(g, n, i)).data());
      const float* const own = step.scratch == none ? nullptr : memory[static_cast<std::size_t>(step.scratch)];
      run_bytes_of(g, n, {in, out, weights, {}, nullptr, step.backwards}, const_cast<float*>(own));
      continue;
    }
    for (int i = 0; i < n.weights.count; ++i) {
      const expression& e = g.at_expression(g.weights(n)[static_cast<std::size_t>(i)]);
      const floats numbers = random_floats(std::string(e.layer) + std::string(e.name), e.shape.count(), -0.3f, 0.3f);
      const std::span<const double> fields = g.fields_of(n.fields);
      floats& to =
          packed.emplace_back(static_cast<std::size_t>(n.type->packed_count(fields, i, e.shape, channel_block)));
      n.type->pack(fields, i, e.shape, numbers.data(), to.data(), channel_block);
      weights.push_back(to.data());
    }
    for (const loaded_kernel& k : kernels.table)
      if (k.type == n.type) {
        std::vector<std::byte> op(n.type->size + 64);
        n.type->construct(g.fields_of(n.fields), op.data());
        k.run(op.data(), {in, out, weights, {}, nullptr, step.backwards}, {});
      }
  }
  const tensor y = at(p.outputs[0]);
  if (y.type == dtype::f32) return {y.data, y.data + y.shape.count()};
  const auto* bytes = elements<std::int8_t>(y);
  return {bytes, bytes + y.shape.count()};
}

template <int Axes>
void require_same_results(dtype type) {
  int forwards = 0, backwards = 0, smaller = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const convolutions<Axes> made(seed, type);
    const graph_view g = made.g.view();
    const memory_plan close = make_plan(g), usual = make_plan(g, {.overlap = false});
    memory_plan apart = make_plan(g, {.in_place = false, .arena = false});
    REQUIRE(close.arena_size <= usual.arena_size);
    smaller += close.arena_size < usual.arena_size;
    REQUIRE(apart.steps.size() == close.steps.size());
    for (std::size_t k = 0; k < close.steps.size(); ++k) {
      const plan_step& step = close.steps[k];
      apart.steps[k].backwards = step.backwards;  // the last rows of a walk may be added up in another order
      const placement& out = close.view().at(close.ids[static_cast<std::size_t>(step.outputs.first)]);
      if (out.over == none) continue;
      const placement& in = close.view().at(out.over);
      const bool over = out.offset < in.offset + in.size && in.offset < out.offset + out.size;
      forwards += over && !step.backwards;
      backwards += step.backwards;
    }
    floats input = random_floats("x", g.shape(0).count());
    if (type == dtype::i8)
      for (float& f : input)
        f = std::bit_cast<float>(0x01010101u * static_cast<std::uint32_t>(f * 60 + 64) ^ 0x80402010u);
    const floats got = run_plan(g, close.view(), input), want = run_plan(g, apart.view(), input);
    CAPTURE(seed);
    REQUIRE(difference({got}, {want}, 0) == "");  // bit for bit, but for what is no number
  }
  // The test is about something.
  CHECK(forwards > 300);
  CHECK(backwards > 300);
  CHECK(smaller > 100);  // elsewhere another order of the values does as well
}

/// A convolution of floats whose result lies at the distance that its kernel states, or apart from its input.
floats convolve(const op::conv2d& p, const const_tensor& x, tensor y, std::int64_t distance, bool backwards) {
  const std::int64_t in = x.shape.count(), out = y.shape.count(), place = distance < 0 ? 0 : distance;
  floats memory(static_cast<std::size_t>(place + in + out)), packed;
  float* const to = memory.data() + (backwards ? place : 0);
  float* const from = memory.data() + (backwards ? 0 : place);
  std::copy_n(x.data, in, from);
  const extents shape{p.out, x.shape.back(2) / p.groups, p.kernel[0], p.kernel[1]};
  const floats numbers = random_floats("weights", shape.count());
  packed.resize(static_cast<std::size_t>(packed_count(p, 0, shape)));
  pack(p, 0, shape, numbers.data(), packed.data());
  const const_tensor inputs[] = {{from, x.shape, x.order, x.pitch}};
  y.data = to;
  const tensor outputs[] = {y};
  const float* const weights[] = {packed.data()};
  plain::run(p, {inputs, outputs, weights, {}, nullptr, backwards});
  return {to, to + out};
}

}  // namespace

TEST_CASE("the distances that convolutions state are enough") {
  dice r(7);
  int planes = 0, shorter = 0;
  for (int n = 0; n < 20'000; ++n) {
    op::conv2d p;
    const int c = 1 + r.below(6);
    const extents in{c, 1 + r.below(14), 1 + r.below(6)};
    p.out = 1 + r.below(9);
    p.bias = false;
    if (r.one_in(3)) p.groups = p.out = c;
    for (std::size_t k = 0; k < 2; ++k) {
      p.kernel[k] = 1 + r.below(4);
      p.stride[k] = 1 + r.below(3);
      p.dilation[k] = 1 + r.below(2);
      p.pad[k] = r.below(p.kernel[k]);
      p.pad[k + 2] = r.below(p.kernel[k]);
    }
    if (r.one_in(4)) p.kernel = p.stride = {1, 1}, p.pad = {};
    extents out;
    if (p.infer({&in, 1}, {&out, 1})) continue;
    const bool planar = r.one_in(2);
    const floats x = random_floats("x", in.count());
    const const_tensor from{x.data(), in, planar ? layout::nchw : layout::nhwc, c};
    const tensor to{nullptr, out, layout::nhwc, p.out};
    const overlap o = overlap_of(p, from, to);
    if (!o.possible) continue;
    planes += planar && c > 1;
    shorter += o.behind < out.count() && o.ahead < in.count();
    CAPTURE(n);
    REQUIRE(convolve(p, from, to, o.behind, false) == convolve(p, from, to, out.count(), false));
    REQUIRE(convolve(p, from, to, o.ahead, true) == convolve(p, from, to, in.count(), true));
  }
  CHECK(planes > 3000);
  CHECK(shorter > 3000);
}

TEST_CASE("results over their inputs are what they are apart from them") {
  require_same_results<2>(dtype::f32);
  require_same_results<1>(dtype::f32);
}
TEST_CASE("so are bytes") {
  require_same_results<2>(dtype::i8);
  require_same_results<1>(dtype::i8);
}
