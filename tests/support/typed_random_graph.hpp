// SPDX-License-Identifier: BSL-1.0
// Random valid graphs of every operator on values of every element type, and layers of real numbers between bytes.
#pragma once

#include <deque>
#include <string>

#include "every_operator.hpp"
#include "numbers.hpp"

namespace ctnn::ir::test {

class typed_random_graph {
 public:
  typed_random_graph(std::uint64_t seed, int steps) : r_(seed) {
    for (int i = 0; i < steps; ++i) {
      if (r_.one_in(3)) add_between_bytes();
      else if (r_.one_in(5)) add_idiom();
      else add_sample();
    }
    if (seed % 16 == 5) add_attention();
    for (value_id v = 0; v < static_cast<int>(g.values.size()); ++v)
      if (g.at_value(v).readers == 0 || r_.one_in(12)) add_output(g, name("out"), v);
  }
  typed_random_graph(const typed_random_graph&) = delete;

  graph g;
  std::deque<std::string> names;

 private:
  std::string_view name(std::string_view kind = "n") {
    return names.emplace_back(std::string(kind) + std::to_string(names.size()));
  }
  const extents& shape(value_id v) const { return g.view().shape(v); }
  value_id newest() const { return static_cast<int>(g.values.size()) - 1; }
  template <class Op>
  bool add(const Op& op, std::vector<value_id> in, std::string_view kind = "n", types wanted = {}) {
    const field_values f = encode(op);
    return !add_node(g, type_of<Op>, name(kind), in, {f.items, f.count}, {}, wanted);
  }
  value_id input(const extents& s, dtype type, std::string_view kind = "x") {
    add(op::input{as_list(s), type}, {}, kind);
    return newest();
  }
  /// One that is there, more often a late one, or an input.
  value_id value(const extents& s, dtype type) {
    for (value_id v = newest(); v >= 0 && !r_.one_in(12); --v)
      if (shape(v) == s && g.at_value(v).type == type && !r_.one_in(3)) return v;
    return input(s, type);
  }
  /// Places to look at, which no arithmetic makes.
  value_id index(const extents& s, dtype type) { return input(s, type, "index"); }

  /// A node of every_operator.
  void add_sample() {
    static const std::deque<every_operator> samples = [] {
      std::deque<every_operator> all;
      for (const dtype t : {dtype::f32, dtype::f32, dtype::f64, dtype::f16, dtype::bf16, dtype::i8, dtype::u8,
                            dtype::i16, dtype::i32, dtype::i64, dtype::boolean})
        all.emplace_back(t);
      return all;
    }();
    const graph_view from = samples[static_cast<std::size_t>(r_.below(static_cast<int>(samples.size())))].g.view();
    const node& n = from.nodes[static_cast<std::size_t>(r_.below(static_cast<int>(from.nodes.size())))];
    if (n.type == &type_of<op::input>) return;
    std::vector<value_id> in;
    for (const value_id v : from.inputs(n))
      in.push_back(!in.empty() && is_integer(from.at_value(v).type) && size_of(from.at_value(v).type) >= 4
                       ? index(from.shape(v), from.at_value(v).type)
                       : value(from.shape(v), from.at_value(v).type));
    const auto f = from.fields_of(n.fields);
    const pool<element> made = output_elements(from, n);
    add_node(g, *n.type, name(), in, {f.data(), f.size()}, {}, {made.data(), made.size()});
  }

  /// Attention in products and a softmax, of rows, with a cache, or of one head of keys for all.
  void add_attention() {
    const extents rows{2, 3, 8}, apart{2, 2, 3, 4}, one_head{2, 1, 3, 4}, past{2, 2, 5, 4};
    const auto from_rows = [&] {
      if (add(op::reshape{{2, 3, 2, 4}}, {value(rows, dtype::f32)})) add(op::permute{{0, 2, 1, 3}}, {newest()});
      return newest();
    };
    const int kind = r_.below(3);
    const auto keys = [&] {
      if (kind == 0) return from_rows();
      if (kind == 1) add(op::concat{2}, {value(past, dtype::f32), value(apart, dtype::f32)});
      else if (add(op::reshape{{2, 1, 1, 3, 4}}, {value(one_head, dtype::f32)}) &&
               add(op::expand{{2, 1, 2, 3, 4}}, {newest()}))
        add(op::reshape{{2, 2, 3, 4}}, {newest()});
      return newest();
    };
    const value_id q = from_rows(), k = keys(), v = keys();
    if (add(op::matmul{false, true, 0.5f}, {q, k}) && add(op::softmax{}, {newest()}) &&
        add(op::matmul{}, {newest(), v}) && add(op::permute{{0, 2, 1, 3}}, {newest()}))
      add(op::reshape{{2, 3, 8}}, {newest()});
  }

  /// What rules about types, copies and choices look for.
  void add_idiom() {
    const extents m{4, 6};
    switch (r_.below(13)) {
      case 12: return add_ncnn_layers();
      case 8: return void(add(op::dynamic_quantize{}, {value(m, dtype::f32)}));
      case 9: {  // relu(x) + k relu(-x)
        const value_id x = value(m, dtype::f32);
        if (!add(op::activation{{function::relu}}, {x})) return;
        const value_id above = newest();
        if (add(op::activation{{function::neg}}, {x}) && add(op::activation{{function::relu}}, {newest()}) &&
            add(op::binary{op::binary_function::mul, -0.25f}, {newest()}))
          add(op::binary{}, {above, newest()});
        return;
      }
      case 10: {  // x / 2 * (1 + erf(x / sqrt(2)))
        const value_id x = value(m, dtype::f32);
        if (add(op::binary{op::binary_function::div, 1.41421356f}, {x}) &&
            add(op::activation{{function::erf}}, {newest()}) &&
            add(op::binary{op::binary_function::add, 1.0f}, {newest()}) &&
            add(op::binary{op::binary_function::mul}, {x, newest()}))
          add(op::binary{op::binary_function::mul, 0.5f}, {newest()});
        return;
      }
      case 11: {
        op::pool p;
        p.kernel = {2, 2};
        if (add(op::activation{{function::relu}}, {value({2, 4, 6, 6}, dtype::f32)}) &&
            add(op::pad{op::pad_mode::constant, {0, 0, 1, 1}, {0, 0, 1, 1}}, {newest()}))
          add(p, {newest()});
        return;
      }
      case 0: {
        constexpr dtype types[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64, dtype::i32, dtype::i64};
        const dtype t = types[r_.below(6)];
        if (add(op::cast{types[r_.below(6)]}, {value(m, t)}))
          add(op::cast{r_.one_in(2) ? t : types[r_.below(6)]}, {newest()});
        return;
      }
      case 1: {
        if (r_.one_in(3)) {
          if (!add(op::constant{{4, 6}, dtype::boolean}, {}, "on")) return;
          g.expressions.back().numbers = r_.one_in(2) ? numbers_are::ones : numbers_are::zeros;
          return void(add(op::where{}, {newest(), value(m, dtype::f32), value(m, dtype::f32)}));
        }
        const value_id on = value(m, dtype::boolean);
        if (add(op::bitwise_not{}, {on})) add(op::where{}, {newest(), value(m, dtype::f32), value(m, dtype::f32)});
        return;
      }
      case 2: {
        const dtype t = r_.one_in(2) ? dtype::f32 : dtype::i32;
        if (add(op::expand{{2, 4, 6}}, {value(m, t)})) add(op::binary{}, {newest(), value({2, 4, 6}, t)});
        return;
      }
      case 3:
        if (add(op::activation{{function::relu}}, {value(m, dtype::f32)})) quantize();
        return;
      case 4: return void(add(op::einsum::of("ij->ij"), {value(m, dtype::f32)}));
      case 5: {
        const dtype t = r_.one_in(2) ? dtype::u8 : dtype::i8;
        if (dequantize(value(m, t), 0)) quantize(t, r_.below(2));
        return;
      }
      case 6: {
        constexpr dtype types[] = {dtype::f16, dtype::i8, dtype::i64, dtype::boolean};
        if (add(op::permute{{1, 0}}, {value(m, types[r_.below(4)])})) add(op::permute{{1, 0}}, {newest()});
        return;
      }
      default: {
        constexpr dtype types[] = {dtype::f16, dtype::u8, dtype::i32, dtype::boolean};
        if (add(op::reshape{{3, 8}}, {value(m, types[r_.below(4)])})) add(op::reshape{{2, 12}}, {newest()});
        if (r_.one_in(2)) add(op::concat{}, {newest()});
        return;
      }
    }
  }

  static constexpr quantization scales[] = {{0.05, 0}, {0.02, 3}, {0.025, 0}};
  bool dequantize(value_id bytes, int scale) {
    const element of(g.at_value(bytes).type, scales[scale]);
    if (!g.at_value(bytes).type.real && g.at_value(bytes).readers == 0) {
      say_element(g, bytes, of.real);
    } else if (!(g.at_value(bytes).type == of)) {
      if (!add(op::storage_cast{}, {bytes}, "n", {&of, 1})) return false;
      bytes = newest();
    }
    return add(op::dequantize{}, {bytes});
  }
  bool quantize(dtype to = dtype::u8, int scale = 1) {
    const element made(to, scales[scale]);
    return add(op::quantize{}, {newest()}, "n", {&made, 1});
  }
  /// A constant of bytes, dequantised by one scale or by one each place of `axis`.
  bool add_weight(const list<int>& s, int axis) {
    if (!add(op::constant{s, dtype::i8}, {}, "w")) return false;
    const value_id bytes = newest();
    op::dequantize p;
    p.axis = axis;
    const list<int> scaled = r_.one_in(3) ? list<int>{} : list<int>{s[static_cast<std::size_t>(axis)]};
    return add(op::constant{scaled}, {}, "scale") && add(p, {bytes, newest()});
  }
  /// bytes > dequantize > a layer > quantize, of which the layer may be anything that has a form for bytes.
  void add_between_bytes() {
    const dtype type = r_.one_in(2) ? dtype::u8 : dtype::i8;
    const int scale = r_.below(3);
    const extents image{4, 5, 6};
    if (!dequantize(input(image, type), scale)) return;
    const value_id x = newest();
    if (!add_real(x, image, type, scale)) return;
    if (r_.one_in(4)) add(op::activation{{function::relu}}, {newest()});
    if (r_.one_in(8)) return;
    const bool same = r_.one_in(2);
    quantize(same ? type : dtype::i8, same ? scale : r_.below(3));
  }
  /// Layers of bytes in ncnn's arithmetic, of which the last quantizes what the others make.
  void add_ncnn_layers() {
    op::conv2d c;
    c.out = 4;
    c.kernel = {3, 3};
    c.pad = {1, 1, 1, 1};
    c.weight = {dtype::i8, true, false, true};
    const extents image{4, 5, 6};
    const element bytes(dtype::i8, {0.05, 0}, rounding::away);
    const auto layer = [&](value_id x) { return add(op::quantize{}, {x}, "n", {&bytes, 1}) && add(c, {newest()}); };
    if (!layer(value(image, dtype::f32))) return;
    const value_id x = newest();
    if (r_.one_in(2) && (!layer(value(image, dtype::f32)) || !add(op::concat{}, {x, newest()}))) return;
    op::pool p;
    p.kernel = {2, 2};
    if (r_.one_in(2) && !add(p, {newest()})) return;
    layer(newest());
  }
  bool add_real(value_id x, const extents& image, dtype type, int scale) {
    switch (r_.below(12)) {
      case 0:
      case 1: {
        op::conv2d c;
        c.out = 4;
        c.kernel = {3, 3};
        c.pad = {1, 1, 1, 1};
        c.groups = r_.one_in(3) ? 2 : 1;
        c.given = 3;
        if (!add_weight({4, 4 / c.groups, 3, 3}, 0)) return false;
        const value_id w = newest();
        return add(op::constant{{4}}, {}, "k") && add(c, {x, w, newest()}) && then_affine();
      }
      case 2: {
        op::linear l{4};
        l.given = 3;
        if (!add_weight({4, 6}, 0)) return false;
        const value_id w = newest();
        return add(op::constant{{4}}, {}, "k") && add(l, {x, w, newest()});
      }
      case 3: {
        op::pool p;
        p.kernel = {2, 2};
        p.function = r_.one_in(2) ? op::pooling::max : op::pooling::average;
        return add(p, {x});
      }
      case 4: return add(op::adaptive_pool{r_.one_in(2) ? op::pooling::max : op::pooling::average}, {x});
      case 5: return add(op::permute{{0, 2, 1}}, {x}) && (r_.one_in(2) || add(op::flatten{}, {newest()}));
      case 6: return add(op::slice{{1}, {1}, {4}}, {x}) && (r_.one_in(2) || add(op::reshape{{72}}, {newest()}));
      case 7: return add(op::pad{op::pad_mode::constant, {0, 1, 0}, {0, 0, 2}}, {x});
      case 8:
        return dequantize(input(image, type), r_.one_in(2) ? scale : r_.below(3)) && add(op::concat{}, {x, newest()});
      case 9: {
        constexpr function f[] = {function::sigmoid, function::tanh, function::leaky_relu, function::hardswish};
        return add(op::activation{{f[r_.below(4)], 1.0f / 6, 0.5f}}, {x});
      }
      case 10: {
        constexpr op::binary_function f[] = {op::binary_function::add, op::binary_function::mul,
                                             op::binary_function::sub};
        return dequantize(input(image, type), r_.below(3)) && add(op::binary{f[r_.below(3)]}, {x, newest()});
      }
      default: return add(op::softmax{r_.one_in(2) ? -1 : 0}, {x});
    }
  }
  bool then_affine() {
    const value_id y = newest();
    if (!r_.one_in(4)) return true;
    return add(op::constant{{4, 1, 1}}, {}, "k") &&
           add(op::binary{r_.one_in(2) ? op::binary_function::mul : op::binary_function::add}, {y, newest()});
  }

  dice r_;
};

}  // namespace ctnn::ir::test
