// SPDX-License-Identifier: BSL-1.0
// Random valid graphs over all operators: small values, tame numbers, much sharing, several outputs.
#pragma once

#include <algorithm>
#include <deque>
#include <string>

#include "builder.hpp"
#include "numbers.hpp"

namespace ctnn::ir::test {

class random_graph {
 public:
  /// With layers side by side that may be one, or something resized between permutes, or without: the same graph
  /// otherwise.
  random_graph(std::uint64_t seed, int nodes, bool more = false) : random_graph(dice(seed), nodes, more) {}
  random_graph(dice throws, int nodes, bool more = false) : r_(throws) {
    const int inputs = 1 + r_.below(2);
    for (int i = 0; i < inputs; ++i) add(op::input{random_shape()}, {});
    for (int tries = 0; tries < 20 * nodes && static_cast<int>(g.nodes.size()) < inputs + nodes; ++tries) {
      if (tries == 0 || !r_.one_in(8) || !repeat()) add_random();
    }
    if (more && r_.one_in(4)) add_resized(any());
    else if (more) add_siblings(any());
    // Most ends are outputs, some of them twice; a value that is read may be one, and an input.
    const int last = static_cast<int>(g.values.size()) - 1;
    for (value_id v = last; v >= 0; --v)
      if (v == last || (g.values[static_cast<std::size_t>(v)].readers == 0 ? !r_.one_in(5) : r_.one_in(12)))
        add_output(g, name(), v);
    if (r_.one_in(6)) add_output(g, name(), any());
  }
  random_graph(const random_graph&) = delete;

  graph g;
  std::deque<std::string> names;

 private:
  std::string_view name() { return names.emplace_back("n" + std::to_string(names.size())); }
  const extents& shape(value_id v) const { return g.values[static_cast<std::size_t>(v)].shape; }
  /// Mostly a recent one, so that chains grow.
  value_id any() {
    const int n = static_cast<int>(g.values.size());
    return r_.one_in(3) ? r_.below(n) : n - 1 - r_.below(std::min(n, 3));
  }
  list<int> random_shape() {
    switch (r_.below(8)) {
      case 0: return {1 + r_.below(8)};
      case 1: return {1 + r_.below(4), 1 + r_.below(6)};
      case 2: return {1 + r_.below(2), 2 * (1 + r_.below(2)), 1 + r_.below(5), 1 + r_.below(5)};
      case 3: return {1 + r_.below(20), 1, 1};
      case 4: return {16 + r_.below(3), 2 + r_.below(4), 2 + r_.below(4)};
      default: return {2 * (1 + r_.below(3)), 1 + r_.below(6), 1 + r_.below(6)};
    }
  }
  static list<int> list_of(const extents& s) {
    list<int> out;
    for (int i = 0; i < s.rank; ++i) out.push_back(s[i]);
    return out;
  }

  template <class Op>
  bool add(const Op& op, std::vector<value_id> in) {
    const field_values f = encode(op);
    return add_erased(type_of<Op>, {f.data(), f.data() + f.size()}, in);
  }
  bool add_erased(const operator_type& type, const std::vector<double>& fields, const std::vector<value_id>& in) {
    description d;
    std::vector<extents> shapes;
    for (value_id v : in) shapes.push_back(shape(v));
    if (type.describe(fields, shapes, {}, d)) return false;
    for (const extents& s : d.outputs)
      if (s.count() > 1500) return false;
    const std::string_view called = name();
    if (add_node(g, type, called, in, fields)) return false;
    // Some of what rules are told of numbers.
    for (const expression_id w : g.view().weights(g.nodes.back())) {
      expression& e = g.expressions[static_cast<std::size_t>(w)];
      if ((e.name == "bias" || e.name == "value") && r_.one_in(8))
        e.numbers = e.name == "value" && r_.one_in(2) ? numbers_are::ones : numbers_are::zeros;
      else if (has_channels(type) && e.name != "running_var" && r_.one_in(6))
        note_zeros(g, e, places(e.shape[0]), places(e.shape.rank > 1 ? e.shape[1] : 0));
    }
    return true;
  }
  /// The same operator on the same inputs: a common subexpression unless it has weights.
  bool repeat() {
    const node n = g.nodes[static_cast<std::size_t>(r_.below(static_cast<int>(g.nodes.size())))];
    if (n.type == &type_of<op::input>) return false;
    const auto in = g.view().inputs(n);
    const auto f = g.view().fields_of(n.fields);
    return add_erased(*n.type, {f.begin(), f.end()}, {in.begin(), in.end()});
  }

  /// Some numbers below n.
  list<int> places(int n) {
    list<int> some;
    const int one_in = 1 + r_.below(4);
    for (int i = 0; i < std::min(n, 16); ++i)
      if (r_.one_in(one_in)) some.push_back(i);
    return some;
  }
  /// Mostly the one that needs no saying.
  int channel_axis_of(const extents& s) { return r_.one_in(3) ? r_.below(s.rank) : automatic_axis; }

  activation_function activation() {
    switch (r_.below(10)) {
      case 8: return {r_.one_in(2) ? function::gelu : function::gelu_tanh};
      case 9: return {r_.one_in(2) ? function::silu : function::hardsigmoid, 0.2f, 0.5f};
      case 0: return {function::leaky_relu, 0.1f};
      case 1: return {function::clip, -0.5f, 0.75f};
      case 2: return {function::sigmoid};
      case 3: return {function::tanh};
      case 4: return {function::hardswish, 1.0f / 6, 0.5f};
      case 5: return {function::elu, 1};
      default: return {function::relu};
    }
  }
  activation_function rarely_activated() { return r_.one_in(4) ? activation() : activation_function{}; }
  value_id same_shape_as(value_id x) {
    for (int i = 0; i < 6; ++i)
      if (const value_id v = any(); shape(v) == shape(x)) return v;
    return x;
  }

  void add_reduction(value_id x) {
    constexpr op::reduction f[] = {op::reduction::sum,        op::reduction::mean, op::reduction::max,
                                   op::reduction::min,        op::reduction::l1,   op::reduction::l2,
                                   op::reduction::log_sum_exp};
    op::reduce p{f[r_.below(7)]};
    for (int i = 0; i < shape(x).rank; ++i)
      if (r_.one_in(2)) p.axes.push_back(i);
    const int left = shape(x).rank - static_cast<int>(p.axes.size());
    p.keep = p.axes.empty() || left == 0 || !r_.one_in(3);  // scalars end most chains
    add(p, {x});
  }
  void add_recurrent(value_id x) {
    const auto any_layer = [&]<class Op>(Op p) {
      p.hidden = 1 + r_.below(20);
      p.direction = static_cast<op::direction>(r_.below(3));
      p.batch_first = r_.one_in(3);
      p.bias = !r_.one_in(3);
      p.clip = r_.one_in(6) ? 0.5f : 0.0f;
      const bool permutes = shape(x).rank == 3 && r_.one_in(2);
      if (!permutes) return void(add(p, {x}));
      if (!add(op::permute{r_.one_in(2) ? list<int>{2, 0, 1} : list<int>{1, 0, 2}}, {x})) return;
      if (add(p, {newest()})) add(op::permute{{1, 0, 2}}, {g.nodes.back().outputs.first});
    };
    switch (r_.below(3)) {
      case 0: return any_layer(op::rnn{});
      case 1: return any_layer(op::gru{{}, !r_.one_in(4)});
      default: return any_layer(op::lstm{{}, r_.one_in(5), r_.one_in(6)});
    }
  }

  void add_random() {
    const value_id x = any();
    const extents s = shape(x);
    switch (r_.below(30)) {
      case 28: return add_reduction(x);
      case 29: return add_recurrent(x);
      case 26: return add_product(x);
      case 27:
        if (r_.one_in(4)) return add_spelled_function(x);
        return r_.one_in(3) ? add_spelled(x) : r_.one_in(2) ? add_gelu(x) : add_inverse(x);
      case 0: case 1: case 2: case 3: return add_conv(x);
      case 4: return add_linear(x);
      case 5: case 6: return void(add(op::batch_norm{1e-5f, channel_axis_of(s)}, {x}));
      case 7: return void(add(op::scale{r_.one_in(2), channel_axis_of(s), rarely_activated()}, {x}));
      case 8: return void(add(op::bias{channel_axis_of(s), rarely_activated()}, {x}));
      case 9: case 10: case 11: return void(add(op::activation{activation()}, {x}));
      case 12:
        if (r_.one_in(3))
          return void(add(op::local_response_norm{1 + 2 * r_.below(3), 0.5f, 0.75f, 1, r_.one_in(2)}, {x}));
        return r_.one_in(2) ? void(add(op::prelu{}, {x})) : void(add(op::softmax{r_.below(s.rank)}, {x}));
      case 13: if (r_.one_in(4)) {
          const int axis = r_.below(s.rank);
          return axis == 1 ? void(add(op::rms_norm{axis, 0.1f}, {x})) : void(add(op::layer_norm{axis, 0.1f}, {x}));
        }
        return r_.one_in(2) ? void(add(op::identity{}, {x})) : void(add(op::dropout{r_.one_in(2) ? 1.0f : 0.5f}, {x}));
      case 14: {
        constexpr function f[] = {function::abs,    function::neg, function::atan, function::tanh,
                                  function::square, function::exp, function::sin,  function::cos};
        return void(add(op::activation{{f[r_.below(8)]}}, {x}));
      }
      case 15: case 16: return add_scalar(x);
      case 17: case 18: return add_binary(x);
      case 19: {
        op::eltwise e;
        e.function = static_cast<op::eltwise_function>(r_.below(3));
        std::vector<value_id> in{x, same_shape_as(x)};
        if (r_.one_in(3)) in.push_back(same_shape_as(x));
        if (e.function == op::eltwise_function::sum && r_.one_in(2))
          for (std::size_t i = 0; i < in.size(); ++i) e.coefficients.push_back(r_.one_in(2) ? 1.0f : -0.5f);
        return void(add(e, in));
      }
      case 20: return add_pool(x);
      case 21: return add_reshape(x);
      case 22: {
        if (r_.one_in(3) && s.rank >= 3) return add_shuffle(x);
        if (r_.one_in(3)) return add_pad(x);
        op::permute p;
        for (int i = 0; i < s.rank; ++i) p.order.push_back(i);
        for (int i = s.rank - 1; i > 0; --i)
          std::swap(p.order[static_cast<std::size_t>(i)], p.order[static_cast<std::size_t>(r_.below(i + 1))]);
        return void(add(p, {x}));
      }
      case 23: {
        std::vector<value_id> in{x};
        const int more = r_.below(4);
        for (int i = 0; i < more; ++i) in.push_back(r_.one_in(4) ? any() : same_shape_as(x));
        return void(add(op::concat{r_.one_in(3) ? r_.below(s.rank) : channel_axis(s)}, in));
      }
      case 24: {
        const int axis = r_.one_in(3) ? r_.below(s.rank) : channel_axis(s);
        op::split p;
        p.axis = axis;
        for (int left = s[axis]; left > 0;) {
          const int piece = r_.one_in(3) ? left : 1 + r_.below(left);
          p.sizes.push_back(piece);
          left -= piece;
        }
        return void(add(p, {x}));
      }
      default: {
        const int axis = r_.one_in(3) ? r_.below(s.rank) : channel_axis(s), from = r_.below(s[axis]);
        op::slice p{{axis}, {from}};
        if (!r_.one_in(3)) p.end = {from + 1 + r_.below(s[axis])};
        if (r_.one_in(4)) p.step = {1 + r_.below(3)};
        else if (r_.one_in(4)) p = {{axis}, {from}, {}, {-1 - r_.below(2)}};
        if (const int other = r_.below(s.rank); other != axis && r_.one_in(3))
          p = {{axis, other}, {from, 0}, {from + 1, s[other]}};
        return void(add(p, {x}));
      }
    }
  }

  /// Several operators that rules look for together.
  void add_idiom(value_id x) {
    const extents s = shape(x);
    switch (r_.below(9)) {
      case 8: return add_parts(x);
      case 5: case 6: return add_turned(x);
      case 7:
        if (s.rank >= 3 && s[0] % 2 == 0 &&
            add(op::reshape{{s[0] / 2, 2, static_cast<int>(s.count(1, s.rank))}}, {x}) &&
            add(op::permute{{1, 0, 2}}, {newest()}) && add(op::slice{{0}, {r_.below(2)}, {}, {2}}, {newest()}))
          add(op::flatten{}, {newest()});
        return;
      case 0:
        if (r_.one_in(3) && s.rank == 3 && add(op::bias{0}, {x}) &&
            add(op::adaptive_pool{op::pooling::max}, {newest()}))
          return void(add(op::activation{{function::relu}}, {newest()}));
        if (s.rank == 3 && add(op::adaptive_pool{r_.one_in(2) ? op::pooling::average : op::pooling::max}, {x}))
          add(op::flatten{}, {newest()});
        return;
      case 1: {
        op::pool p;
        p.axes = 1;
        p.kernel = {2};
        if (s.rank == 3 && add(op::reshape{{s[0], s[1] * s[2]}}, {x})) add(p, {newest()});
        return;
      }
      case 2:
        if (add(op::concat{0}, {x, x})) add(op::concat{0}, {newest(), x});
        return;
      case 3: {
        op::split halves;
        if (s.rank == 0 || s[0] < 2) return;
        halves.sizes = {1, s[0] - 1};
        if (add(halves, {x})) add(op::concat{0}, {newest() - 1, newest()});
        return;
      }
      default:
        if (add(op::activation{{function::sigmoid}}, {x})) add(op::binary{op::binary_function::mul}, {x, newest()});
        return;
    }
  }
  /// Layers that are joined, or one that is cut, and what follows.
  void add_parts(value_id x) {
    const extents s = shape(x);
    if (s.rank == 0) return;
    const int axis = s.rank >= 3 ? s.rank - 3 : s.rank - 1;
    const auto layer = [&](int out, bool of_x = true) {
      const value_id of = of_x ? x : same_shape_as(x);
      if (s.rank < 3) return add(op::linear{out, r_.one_in(2)}, {of});
      op::conv2d c;
      c.out = out;
      c.kernel = {1, 1};
      c.bias = r_.one_in(2);
      return add(c, {of});
    };
    if (r_.one_in(6)) return add_maps(x, axis);
    if (r_.one_in(3)) {
      if (!layer(4)) return;
      const value_id whole = newest();
      if (r_.one_in(3)) {
        if (add(op::slice{{axis}, {0}, {1}}, {whole})) add(op::slice{{axis}, {1}, {4}}, {whole});
        return;
      }
      if (!add(op::split{{1, 3}, axis}, {whole})) return;
      const value_id second = newest();
      const activation_function f = activation();
      if (add(op::activation{f}, {second - 1})) add(op::activation{r_.one_in(4) ? activation() : f}, {second});
      return;
    }
    if (!layer(1 + r_.below(3))) return;
    const value_id first = newest();
    if (!layer(1 + r_.below(3), r_.one_in(2)) || !add(op::concat{axis}, {first, newest()})) return;
    if (r_.one_in(2)) add(op::batch_norm{1e-5f, axis}, {newest()});
    if (r_.one_in(2)) add(op::activation{activation()}, {newest()});
  }
  /// Linear maps of one input that are added, and arithmetic with numbers and constants in a row.
  void add_maps(value_id x, int axis) {
    const extents s = shape(x);
    const auto scalar = [&](op::binary_function f) {
      return add(op::binary{f, 0.5f + static_cast<float>(r_.below(4))}, {newest()});
    };
    if (r_.one_in(4) && s.rank == 3) {
      op::interpolate p;
      p.size = {2 * s[1], 2 * s[2]};
      op::conv2d c;
      c.out = 1;
      c.kernel = {1, 1};
      if (add(p, {x})) add(c, {newest()});
      return;
    }
    if (r_.one_in(4) && s.rank >= 3) {
      op::pool p;
      p.function = r_.one_in(3) ? op::pooling::max : op::pooling::average;
      p.kernel = {1 + r_.below(2), 2};
      op::conv2d c;
      c.out = 1 + r_.below(4);
      c.kernel = {1, 1 + r_.below(2)};
      if (!add(c, {x}) || !add(p, {newest()})) return;
      if (r_.one_in(2)) add(op::batch_norm{1e-5f, axis}, {newest()});
      else scalar(op::binary_function::mul);
      return;
    }
    if (r_.one_in(4)) {
      if (!add(op::binary{op::binary_function::mul, 2.0f}, {x})) return;
      const value_id y = newest();
      extents grid = s;
      if (s.rank >= 3) grid[0] = 1;
      if (add(op::constant{as_list(grid)}, {}) && add(op::binary{op::binary_function::add}, {y, newest()}))
        scalar(op::binary_function::mul);
      return;
    }
    if (r_.one_in(2)) {
      const bool square = r_.one_in(2);
      if (!add(op::binary{op::binary_function::mul, 0.5f}, {x})) return;
      if (square && !add(op::activation{{function::square}}, {newest()})) return;
      const value_id y = newest();
      if (r_.one_in(2)) return void(scalar(op::binary_function::mul));
      list<int> shape_of_k;
      for (int a = r_.one_in(2) ? 0 : s.rank - 1; a < s.rank; ++a) shape_of_k.push_back(r_.one_in(4) ? 1 : s[a]);
      if (add(op::constant{shape_of_k}, {}) && add(op::binary{op::binary_function::mul}, {y, newest()}))
        scalar(op::binary_function::mul);
      return;
    }
    const auto map = [&](int size) {
      if (s.rank < 3) return add(op::linear{s[axis], r_.one_in(2)}, {x});
      op::conv2d c;
      c.out = s[axis];
      c.kernel = {size, size};
      c.pad = {size / 2, size / 2, size / 2, size / 2};
      c.groups = r_.one_in(4) ? s[axis] : 1;
      c.bias = r_.one_in(2);
      return add(c, {x});
    };
    if (!map(3)) return;
    const value_id first = newest();
    value_id second = x;
    if (r_.one_in(2) && map(1)) second = newest();
    else if (r_.one_in(2) && add(op::scale{true, axis}, {x})) second = newest();
    if (r_.one_in(2)) add(op::binary{op::binary_function::add}, {first, second});
    else add(op::binary{op::binary_function::sub}, {second, first});
  }
  /// Layers of one input, mostly alike, and what reads them; or one layer whose parts are mapped.
  void add_siblings(value_id x) {
    if (shape(x).rank < 3 && !r_.one_in(3) && add(op::flatten{}, {x})) x = newest();
    const extents s = shape(x);
    if (s.rank == 0) return;
    const bool images = s.rank >= 3;
    const int axis = images ? s.rank - 3 : s.rank - 1, size = 1 + 2 * r_.below(2);
    const activation_function f = rarely_activated();
    const auto layer = [&](value_id of, int out, const activation_function& then) {
      const bool bias = r_.one_in(2);
      if (!images) return add(op::linear{out, bias, then}, {of});
      op::conv2d c;
      c.out = out;
      c.kernel = {size, size};
      c.pad = {size / 2, size / 2, size / 2, size / 2};
      c.bias = bias;
      c.activation = then;
      return add(c, {of});
    };
    std::vector<value_id> parts;
    if (r_.one_in(4)) {
      if (!layer(x, 6, {}) || !add(op::split{{1, 2, 3}, axis}, {newest()})) return;
      parts = {newest() - 2, newest() - 1, newest()};
      for (value_id& part : parts) {
        if (r_.one_in(3)) continue;
        if (!add(op::batch_norm{1e-5f, axis}, {part})) return;
        part = newest();
      }
    } else {
      for (int i = 3 + r_.below(2); i > 0; --i) {
        if (!layer(x, 1 + r_.below(5), r_.one_in(12) ? activation() : f)) return;
        parts.push_back(newest());
      }
    }
    op::pool half;
    half.kernel = {2, 2};
    for (const value_id part : parts)
      if (!(images && r_.one_in(4) && add(half, {part}))) layer(part, 2, {});
    if (r_.one_in(4)) add(op::activation{activation()}, {parts[0]});
  }
  /// All axes but the first, which comes last for it.
  void add_resized(value_id x) {
    const int rank = shape(x).rank;
    if (rank < 2) return;
    if (r_.one_in(3)) return add_groups(x);
    op::permute to, back;
    op::interpolate p;
    p.mode = r_.one_in(2) ? op::interpolation::nearest : op::interpolation::linear;
    p.axes = rank;
    p.scale = {};
    for (int i = 0; i < rank; ++i) {
      to.order.push_back((i + 1) % rank);
      back.order.push_back((i + rank - 1) % rank);
      p.scale.push_back(i + 1 < rank ? 1 + 0.5 * r_.below(3) : 1);
    }
    if (add(to, {x}) && add(p, {newest()})) add(back, {newest()});
  }
  /// A norm of two groups of channels, or of what cuts them, by reshapes.
  void add_groups(value_id x) {
    const extents s = shape(x);
    const int all = static_cast<int>(s.count(1, s.rank));
    if (all % 2 != 0) return;
    if (!add(op::reshape{{s[0], 2, all / 2}}, {x})) return;
    const value_id apart = newest();
    if (!add(op::constant{{2}}, {})) return;
    if (!add(op::group_norm{2, 1e-2f, 1}, {apart, newest(), newest()}) || !add(op::reshape{as_list(s)}, {newest()}))
      return;
    for (const auto f : {op::binary_function::mul, op::binary_function::add}) {
      const value_id y = newest();
      list<int> c = as_list(s.from(1));
      for (std::size_t i = 1; i < c.size(); ++i) c[i] = 1;
      if (r_.one_in(3) || !add(op::constant{c}, {}) || !add(op::binary{f, {}, {}}, {y, newest()})) return;
    }
  }
  /// Something between a permute and its inverse.
  void add_turned(value_id x) {
    const extents s = shape(x);
    if (s.rank < 2) return;
    op::permute to, back;
    for (int i = 0; i < s.rank; ++i) {
      to.order.push_back((i + 1) % s.rank);
      back.order.push_back((i + s.rank - 1) % s.rank);
    }
    const value_id other = same_shape_as(x);
    if (s.rank == 4 && s[0] > 1) {  // matrices in permuted batches
      if (!add(op::permute{{1, 0, 2, 3}}, {x})) return;
      const value_id left = newest();
      if (add(op::permute{{1, 0, 3, 2}}, {other})) add(op::matmul{}, {left, newest()});
      return;
    }
    if (!add(to, {x})) return;
    const value_id y = newest();
    switch (r_.below(4)) {
      case 0: {
        op::pad p;
        for (int i = 0; i < s.rank; ++i) {
          p.before.push_back(r_.below(2));
          p.after.push_back(r_.below(3) - (shape(y)[i] > 1));
        }
        add(p, {y});
        break;
      }
      case 1:
        if (shape(y)[0] > 1) add(op::split{{1, shape(y)[0] - 1}, 0}, {y});
        break;
      case 2:
        if (r_.one_in(2)) add(op::binary{}, {y, same_shape_as(y)});
        else if (add(op::constant{{shape(y).back(0)}}, {})) add(op::binary{}, {y, newest()});
        break;
      default:
        if (!add(to, {other})) return;
        if (r_.one_in(2)) add(op::concat{r_.below(s.rank)}, {y, newest()});
        else add(op::binary{op::binary_function::maximum}, {y, newest()});
    }
    add(back, {newest()});
  }
  /// Windows over one axis or three.
  void add_other_axes(value_id x) {
    const auto windows = [&](auto c) {
      c.out = 1 + r_.below(4);
      for (int& k : c.kernel) k = 1 + r_.below(2);
      for (int& n : c.stride) n = 1 + r_.below(2);
      c.bias = !r_.one_in(3);
      if (r_.one_in(4)) c.activation = activation();
      add(c, {x});
    };
    switch (r_.below(4)) {
      case 0: return windows(op::conv1d{});
      case 1: return windows(op::conv3d{});
      case 2: return windows(op::conv_transpose1d{});
      default: return windows(op::conv_transpose3d{});
    }
  }
  void add_linear(value_id x) {
    const extents s = shape(x);
    op::linear p{r_.one_in(3) ? 1 + r_.below(6) : s.back(0), !r_.one_in(3), rarely_activated(),
                 r_.one_in(3) ? s.rank : 1, r_.one_in(6) ? 2 : 0};
    std::vector<value_id> in{x};
    if (r_.one_in(6)) in.push_back(same_shape_as(x));
    if (add(p, in) && r_.one_in(3)) add(op::binary{}, {newest(), same_shape_as(newest())});
  }
  /// A linear layer whose weight is a constant, or computed from one.
  void add_given_weight(value_id x) {
    op::linear by{1 + r_.below(6), !r_.one_in(3)};
    by.given = 1;
    if (!add(op::constant{{by.out, shape(x).back(0)}}, {})) return;
    if (r_.one_in(2) && !add(op::softmax{}, {newest()})) return;
    add(by, {x, newest()});
  }
  void add_conv(value_id x) {
    const extents s = shape(x);
    if (r_.one_in(12)) return add_given_weight(x);
    if (r_.one_in(6)) return add_idiom(x);
    if (s.rank < 3) return r_.one_in(3) ? add_other_axes(x) : void();
    if (r_.one_in(6)) return add_conv_transpose(x);
    if (r_.one_in(8)) return add_other_axes(x);
    op::conv2d c;
    c.out = r_.one_in(3) ? 1 + r_.below(18) : s.back(2);
    const int k = 1 + 2 * r_.below(2);
    c.kernel = {k, r_.one_in(5) ? 2 : k};
    if (r_.one_in(4)) c.same = r_.one_in(2) ? same_padding::upper : same_padding::lower;
    else c.pad = {k / 2, k / 2, k / 2, k / 2};
    if (r_.one_in(5)) c.stride = {2, 1};
    if (r_.one_in(6)) c.dilation = {1, 2};
    if (r_.one_in(4)) c.groups = c.out = s.back(2);
    else if (r_.one_in(6) && c.out % 2 == 0) c.groups = 2;
    c.bias = !r_.one_in(4);
    if (r_.one_in(5)) c.activation = activation();
    std::vector<value_id> in{x};
    if (r_.one_in(5)) in.push_back(same_shape_as(x));
    add(c, in);
  }
  void add_conv_transpose(value_id x) {
    const int channels = shape(x).back(2);
    op::conv_transpose2d c;
    c.out = r_.one_in(3) ? 1 + r_.below(18) : channels;
    c.kernel = {1 + r_.below(4), 1 + r_.below(4)};
    c.stride = {1 + r_.below(2), 1 + r_.below(3)};
    if (r_.one_in(3)) c.dilation = {2, 1};
    if (r_.one_in(2)) c.pad = {r_.below(2), r_.below(2), r_.below(2), 0};
    if (r_.one_in(3)) c.output_padding = {r_.below(2), r_.below(2)};
    if (r_.one_in(3)) c.groups = c.out = channels;
    else if (r_.one_in(3) && c.out % 2 == 0) c.groups = 2;
    c.bias = !r_.one_in(4);
    if (r_.one_in(5)) c.activation = activation();
    add(c, {x});
  }
  void add_scalar(value_id x) {
    constexpr op::binary_function f[] = {
        op::binary_function::add,  op::binary_function::sub,     op::binary_function::mul,    op::binary_function::div,
        op::binary_function::rsub, op::binary_function::maximum, op::binary_function::minimum};
    constexpr float by[] = {0.0f, 1.0f, 2.0f, -0.5f};
    op::binary b;
    b.function = f[r_.below(7)];
    b.scalar = b.function == op::binary_function::div ? by[1 + r_.below(3)] : by[r_.below(4)];
    if (r_.one_in(6)) b.activation = activation();
    add(b, {x});
  }
  void add_binary(value_id x) {
    constexpr op::binary_function f[] = {op::binary_function::add,     op::binary_function::add,
                                         op::binary_function::mul,     op::binary_function::sub,
                                         op::binary_function::maximum, op::binary_function::rsub};
    op::binary b;
    b.function = f[r_.below(6)];
    if (r_.one_in(6)) b.activation = activation();
    value_id other = r_.one_in(3) ? any() : same_shape_as(x);
    if (r_.one_in(2)) {  // with a constant: whole, one number a channel, a row, one number
      extents s = shape(x);
      const int which = r_.below(4), channel = channel_axis(s);
      for (int i = 0; i < s.rank; ++i)
        if ((which == 1 && i != channel) || (which == 2 && i != s.rank - 1) || which == 3) s[i] = 1;
      if (r_.one_in(3) ? !add(op::full{list_of(s), 0.5f}, {}) : !add(op::constant{list_of(s)}, {})) return;
      other = static_cast<int>(g.values.size()) - 1;
    }
    add(b, r_.one_in(3) ? std::vector<value_id>{other, x} : std::vector<value_id>{x, other});
  }
  value_id newest() const { return static_cast<int>(g.values.size()) - 1; }
  /// Two matrices, often turned or scaled before or after.
  void add_product(value_id x) {
    const extents s = shape(x);
    if (s.rank < 2) return;
    list<int> turn;
    for (int i = 0; i < s.rank; ++i) turn.push_back(i);
    std::swap(turn[turn.size() - 1], turn[turn.size() - 2]);
    op::matmul p{false, r_.one_in(3), r_.one_in(4) ? 0.5f : 1.0f};
    value_id left = x, right = same_shape_as(x);
    if (!p.transpose_b) {
      if (!add(op::permute{turn}, {right})) return;
      right = newest();
    }
    if (r_.one_in(3)) {
      if (!add(op::binary{op::binary_function::mul, 0.25f, {}}, {left})) return;
      left = newest();
    }
    if (!add(p, {left, right})) return;
    if (r_.one_in(3) && !add(op::permute{turn}, {newest()})) return;
    if (r_.one_in(3)) add(op::binary{op::binary_function::div, 2.0f, {}}, {newest()});
  }
  /// Root, inverse and product of something positive.
  void add_inverse(value_id x) {
    if (!add(op::activation{{function::sigmoid}}, {x})) return;
    if (r_.one_in(2) && !add(op::binary{op::binary_function::pow, 0.5f, {}}, {newest()})) return;
    if (!(r_.one_in(2) ? add(op::activation{{function::reciprocal}}, {newest()})
                       : add(op::binary{op::binary_function::rdiv, 1.0f, {}}, {newest()})))
      return;
    if (r_.one_in(2))
      add(op::binary{op::binary_function::mul, {}, {}}, {r_.one_in(4) ? newest() : same_shape_as(newest()), newest()});
  }
  /// Hard sigmoid, hard swish, and norms with a scaled root, spelled out.
  void add_spelled(value_id x) {
    const auto last = [&] { return static_cast<value_id>(g.values.size()) - 1; };
    if (r_.one_in(2)) {
      if (!add(op::binary{op::binary_function::add, 3.0f, {function::clip, 0, 6}}, {x})) return;
      if (r_.one_in(2) && !add(op::binary{op::binary_function::mul, {}, {}}, {last(), x})) return;
      return void(add(op::binary{op::binary_function::div, 6.0f, {}}, {last()}));
    }
    op::reduce mean{op::reduction::mean, {-1}, true};
    const bool centred = r_.one_in(2);
    if (centred && !add(mean, {x})) return;
    const value_id middle = last();
    if (centred && !add(op::binary{op::binary_function::sub, {}, {}}, {x, middle})) return;
    const value_id d = centred ? last() : x;
    if (!add(op::activation{{function::square}}, {d}) || !add(mean, {last()})) return;
    if (!add(op::binary{op::binary_function::add, 0.1f, {}}, {last()})) return;
    if (!add(op::activation{{function::rsqrt}}, {last()})) return;
    const value_id root = last();
    if (!add(op::constant{list_of({shape(x).back(0)})}, {})) return;
    if (!add(op::binary{op::binary_function::mul, {}, {}}, {root, last()})) return;
    const value_id s = last();
    if (!centred || r_.one_in(2)) return void(add(op::binary{op::binary_function::mul, {}, {}}, {d, s}));
    add(op::binary{op::binary_function::mul, {}, {}}, {x, s});
    const value_id xs = last();
    add(op::binary{op::binary_function::mul, {}, {}}, {middle, s});
    const value_id ms = last();
    add(op::constant{list_of({shape(x).back(0)})}, {});
    add(op::binary{op::binary_function::sub, {}, {}}, {last(), ms});
    add(op::binary{op::binary_function::add, {}, {}}, {xs, last()});
  }
  /// Softplus, mish, softsign, softmax, lengths of rows, and blocks of pixels before a convolution, spelled out.
  void add_spelled_function(value_id x) {
    const auto apply = [&](activation_function f) { return add(op::activation{f}, {newest()}); };
    const auto pair_of = [&](op::binary_function f, value_id a) { return add(op::binary{f, {}, {}}, {a, newest()}); };
    const op::binary plus_one{op::binary_function::add, 1.0f, {}};
    const int axis = shape(x).rank - 1;
    switch (r_.below(5)) {
      case 0:
        if (!add(op::activation{{function::exp}}, {x}) || !add(plus_one, {newest()}) || !apply({function::log})) return;
        if (!r_.one_in(4) && apply({function::tanh})) pair_of(op::binary_function::mul, x);
        return;
      case 1:
        if (add(op::activation{{function::abs}}, {x}) && add(plus_one, {newest()}))
          pair_of(op::binary_function::div, x);
        return;
      case 2: {
        const op::reduce sum{op::reduction::sum, {axis}, true};
        if (r_.one_in(3)) {
          if (add(op::reduce{op::reduction::log_sum_exp, {axis}, true}, {x})) pair_of(op::binary_function::sub, x);
          return;
        }
        if (!add(op::reduce{op::reduction::max, {axis}, true}, {x}) || !pair_of(op::binary_function::sub, x)) return;
        if (!add(op::activation{{function::exp}}, {r_.one_in(2) ? x : newest()})) return;
        const value_id e = newest();
        if (add(sum, {e}) && pair_of(op::binary_function::div, e) && r_.one_in(3)) apply({function::log});
        return;
      }
      case 3:
        if (!add(op::activation{{function::square}}, {x})) return;
        if (!add(op::reduce{op::reduction::sum, {axis}, true}, {newest()})) return;
        if (r_.one_in(2)) {
          if (add(op::binary{op::binary_function::add, 0.1f, {}}, {newest()}) && apply({function::sqrt}))
            pair_of(op::binary_function::div, x);
          return;
        }
        if (apply({function::sqrt}) && apply({function::clip, 0.1f, HUGE_VALF})) pair_of(op::binary_function::div, x);
        return;
      default: {
        const extents s = shape(x);
        if (s.rank < 3 || s.rank > 4 || s.back(1) % 2 != 0) return;
        if (!add(op::slice{{s.rank - 2}, {0}, {s.back(1)}, {2}}, {x})) return;
        const value_id even = newest();
        if (!add(op::slice{{s.rank - 2}, {1}, {s.back(1)}, {2}}, {x})) return;
        if (!add(op::concat{s.rank - 3}, {even, newest()})) return;
        op::conv2d c;
        c.out = 2;
        c.kernel = {1, 1};
        add(c, {newest()});
      }
    }
  }
  /// GELU as exporters spell it.
  void add_gelu(value_id x) {
    constexpr auto times = op::binary_function::mul, plus = op::binary_function::add;
    if (!add(op::binary{op::binary_function::pow, 3.0f, {}}, {x}) ||
        !add(op::binary{times, 0.044715f, {}}, {newest()}) || !add(op::binary{plus, {}, {}}, {x, newest()}) ||
        !add(op::binary{times, 0.79788456f, {}}, {newest()}) || !add(op::activation{{function::tanh}}, {newest()}))
      return;
    if (r_.one_in(6)) add_output(g, name(), newest());
    if (!add(op::binary{plus, 1.0f, {}}, {newest()}) || !add(op::binary{times, {}, {}}, {x, newest()})) return;
    add(op::binary{times, r_.one_in(6) ? 0.4f : 0.5f, {}}, {newest()});
  }
  void add_pool(value_id x) {
    switch (r_.below(4)) {
      case 0: {
        op::pool p;
        p.function = static_cast<op::pooling>(r_.below(r_.one_in(4) ? 3 : 2));
        const int k = 1 + r_.below(3);
        p.kernel = {k, k};
        p.stride = {1 + r_.below(2), 1 + r_.below(2)};
        if (k > 1 && r_.one_in(2)) p.pad = {1, 0, 0, 1};
        p.ceil = r_.one_in(3);
        p.count_include_pad = r_.one_in(3);
        if (r_.one_in(5)) p.dilation = {1 + r_.below(2), 1 + r_.below(2)};
        if (r_.one_in(3)) {
          p.axes = 1 + r_.below(3);
          p.kernel = {k};
          p.stride = {1 + r_.below(2)};
          p.pad = {p.pad.at(0), 0};
        }
        return void(add(p, {x}));
      }
      case 1: return void(add(op::adaptive_pool{static_cast<op::pooling>(r_.below(2)), {2, r_.below(3)}}, {x}));
      case 2:
        return void(
            add(op::adaptive_pool{static_cast<op::pooling>(r_.below(2)), {1}, r_.one_in(2), 1 + r_.below(2)}, {x}));
      default: {
        op::interpolate i;
        i.mode = static_cast<op::interpolation>(r_.below(r_.one_in(3) ? 3 : 2));
        const extents s = shape(x);
        if (s.rank < 3) return;
        if (r_.one_in(3)) i.size = {s.back(1), s.back(0)};
        else i.size = {1 + r_.below(6), 1 + r_.below(6)};
        if (r_.one_in(3)) i.coordinates = op::coordinates::align_corners;
        if (r_.one_in(5)) i.axes = 1, i.size = {1 + r_.below(6)};
        return void(add(i, {x}));
      }
    }
  }
  /// Groups of channels in one operator or spelled out.
  void add_shuffle(value_id x) {
    const extents s = shape(x);
    const int groups = 1 + r_.below(3), c = s.back(2);
    if (r_.one_in(3)) {
      const pair f{groups, 1 + r_.below(2)};
      if (s.rank != 3 || c % (f[0] * f[1]) != 0 || r_.one_in(2)) return void(add(op::pixel_shuffle{f}, {x}));
      const extents in = s;
      if (!add(op::reshape{{-1, f[0], f[1], in[1], in[2]}}, {x})) return;
      if (!add(op::permute{{0, 3, 1, 4, 2}}, {static_cast<int>(g.values.size()) - 1})) return;
      return void(add(op::reshape{{-1, in[1] * f[0], in[2] * f[1]}}, {static_cast<int>(g.values.size()) - 1}));
    }
    if (c % groups != 0) return;
    if (r_.one_in(3) || s.rank != 3) return void(add(op::channel_shuffle{groups}, {x}));
    if (!add(op::reshape{{groups, c / groups, -1}}, {x})) return;
    if (!add(op::permute{{1, 0, 2}}, {static_cast<int>(g.values.size()) - 1})) return;
    add(op::reshape{list_of(shape(x))}, {static_cast<int>(g.values.size()) - 1});
  }
  /// Often zeros around rows and columns, then a window.
  void add_pad(value_id x) {
    const extents s = shape(x);
    op::pad p;
    for (int i = 0; i < s.rank; ++i) {
      const bool inside = i >= s.rank - 2 || r_.one_in(6);
      p.before.push_back(inside ? r_.below(3) : 0);
      p.after.push_back(inside ? r_.below(3) : 0);
    }
    if (r_.one_in(6))  // a crop
      for (int& n : p.before) n = -n;
    p.value = r_.one_in(4) ? 0.5 : 0;
    if (r_.one_in(6)) p.mode = static_cast<op::pad_mode>(r_.below(4));
    if (!add(p, {x}) || r_.one_in(3)) return;
    const value_id padded = static_cast<int>(g.values.size()) - 1;
    if (r_.one_in(4)) return void(add(op::pool{op::pooling::max, 2, {2}}, {padded}));
    if (s.rank >= 4 && r_.one_in(2)) add_other_axes(padded);
    else if (r_.one_in(2)) add_conv(padded);
    else add_pool(padded);
  }
  void add_reshape(value_id x) {
    const extents s = shape(x);
    switch (r_.below(4)) {
      case 0: return void(add(op::flatten{r_.below(s.rank), -1}, {x}));
      case 1: return void(add(op::reshape{{-1, 1, 1}}, {x}));
      case 2: return void(add(op::reshape{{0, -1}}, {x}));
      default: return void(add(op::reshape{s.count() % 2 ? list<int>{1, -1} : list<int>{2, -1, 1}}, {x}));
    }
  }

  dice r_;
};

/// The largest finite magnitude in any value; infinite if something is not finite.
inline double magnitude(const graph_values& values) {
  double most = 0;
  for (float x : values.numbers) most = std::isfinite(x) ? std::max(most, std::fabs(static_cast<double>(x))) : HUGE_VAL;
  return most;
}

}  // namespace ctnn::ir::test
