// SPDX-License-Identifier: BSL-1.0
// A network with open axes, written with them. Networks are made for sizes; what is the same of three networks for
// different sizes is taken to hold for all, and what differs must be said without the size: an extent that is kept or
// left over in a Reshape, a scale instead of a size. Two more sizes put that to the test: a large one and an odd one.
#pragma once

#include <algorithm>
#include <tuple>

#include "encode.hpp"

namespace ctnn::onnx {

namespace detail {

/// Something in a network follows from the size of an open axis in a way that a file does not say.
struct follows_from_size {
  std::string what;
};

/// Sizes that stand for open axes: those of one name have the same, all others different ones.
class sample_sizes {
 public:
  sample_sizes(const model_message& file, const shapes_by_name& given) {
    std::set<std::string> constants;
    for (const tensor& t : file.graph.initializers) constants.insert(t.name);
    for (const value_info& v : file.graph.inputs) {
      if (constants.contains(v.name) || given.contains(v.name) || !v.shape) continue;
      std::vector<int> axes;
      bool open = false;
      for (std::size_t i = 0; i < v.shape->size(); ++i) {
        const value_info::axis& a = (*v.shape)[i];
        if (a.size && *a.size > 0) {
          axes.push_back(-static_cast<int>(std::min<std::int64_t>(*a.size, 1 << 30)));
          continue;
        }
        const std::string key = a.name.empty() ? v.name + "#" + std::to_string(i) : a.name;
        const auto known = std::ranges::find(axes_, key, &axis::key);
        const auto number = static_cast<int>(known - axes_.begin());
        if (known == axes_.end()) axes_.push_back({key, a.name, i == 0, number});
        axes.push_back(number);
        open = true;
      }
      if (open) inputs_.emplace_back(v.name, std::move(axes));
    }
  }
  bool any() const { return !axes_.empty(); }
  static constexpr int attempts = 4, samples = 5, large = 3, odd = 4;

  int size(int attempt, int sample, int number) const {
    // Some networks take multiples of 32, others only few, or seconds of sound. What is left of a size behind windows
    // and strides must differ as well: the samples lie wide apart.
    constexpr int first[attempts] = {320, 64, 16384, 16}, step[attempts] = {64, 32, 4096, 16};
    constexpr int places[samples] = {0, 1, 5, 11, 6};
    const axis& a = axes_[static_cast<std::size_t>(number)];
    const int place = 12 * number + places[sample];
    return a.first ? 2 + place : first[attempt] + step[attempt] * place + (sample == odd ? 7 : 0);
  }
  shapes_by_name shapes(int attempt, int sample) const {
    shapes_by_name out;
    for (const auto& [name, axes] : inputs_) {
      extents s;
      for (const int a : axes) s.push_back(a < 0 ? -a : size(attempt, sample, a));
      out.emplace(name, s);
    }
    return out;
  }
  /// The axis whose size it is in two samples; its name may be empty.
  std::string name_of(int attempt, int second, std::int64_t a, std::int64_t b) const {
    for (const axis& x : axes_)
      if (size(attempt, 0, x.number) == a && size(attempt, second, x.number) == b) return x.name;
    return {};
  }

 private:
  struct axis {
    std::string key, name;
    bool first;  ///< of its input: a batch, most often
    int number;
  };
  std::vector<axis> axes_;
  std::vector<std::pair<std::string, std::vector<int>>> inputs_;  ///< an axis of size n is -n, an open one its number
};

inline bool same_numbers(const tensor& a, const tensor& b) {
  return a.type == b.type && a.shape == b.shape && (a.values == b.values || same_bytes(*a.values, *b.values));
}
inline bool same_attribute(const attribute& a, const attribute& b) {
  if (a.name != b.name || a.kind != b.kind || a.graph || b.graph) return false;
  if (a.tensor && !(b.tensor && same_numbers(*a.tensor, *b.tensor))) return false;
  const auto same_bits = [](const std::vector<float>& x, const std::vector<float>& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0);
  };
  return std::memcmp(&a.real, &b.real, sizeof a.real) == 0 && a.integer == b.integer && a.text == b.text &&
         a.integers == b.integers && same_bits(a.reals, b.reals) && a.texts == b.texts;
}

/// Those of a description for certain sizes; its inputs need not be the file's.
inline shapes_by_name shapes_of_inputs(const model_message& m) {
  shapes_by_name out;
  for (const value_info& v : m.graph.inputs) {
    extents s;
    for (const value_info::axis& a : *v.shape) s.push_back(static_cast<int>(*a.size));
    out.emplace(v.name, s);
  }
  return out;
}

/// Two descriptions of a network for different sizes become one for all.
class generalisation {
 public:
  generalisation(const model_message& a, const model_message& b,
                 const std::function<std::string(std::int64_t, std::int64_t)>& name_of)
      : a_(a), b_(b), name_of_(name_of) {
    for (auto* side : {&a_, &b_}) {
      auto& values = side == &a_ ? values_a_ : values_b_;
      auto& numbers = side == &a_ ? numbers_a_ : numbers_b_;
      for (const auto* list : {&side->graph.inputs, &side->graph.outputs, &side->graph.values})
        for (const value_info& v : *list) values.emplace(v.name, &v);
      for (const tensor& t : side->graph.initializers) numbers.emplace(t.name, &t);
    }
  }

  model_message run() {
    model_message out;
    out.source = a_.source;
    out.ir_version = a_.ir_version;
    out.opsets = a_.opsets;
    if (a_.opsets != b_.opsets || a_.graph.nodes.size() != b_.graph.nodes.size())
      throw follows_from_size{"the number of nodes"};
    for (std::size_t i = 0; i < a_.graph.nodes.size(); ++i)
      out.graph.nodes.push_back(node_of(a_.graph.nodes[i], b_.graph.nodes[i], out));
    std::set<std::string> read;
    for (const node_message& n : out.graph.nodes) read.insert(n.inputs.begin(), n.inputs.end());
    for (const tensor& t : a_.graph.initializers)
      if (read.contains(t.name)) out.graph.initializers.push_back(t);
    infos(a_.graph.inputs, b_.graph.inputs, out.graph.inputs);
    infos(a_.graph.outputs, b_.graph.outputs, out.graph.outputs);
    infos(a_.graph.values, b_.graph.values, out.graph.values);
    return out;
  }

 private:
  using infos_by_name = std::map<std::string_view, const value_info*>;
  using tensors_by_name = std::map<std::string_view, const tensor*>;

  void infos(const std::vector<value_info>& a, const std::vector<value_info>& b, std::vector<value_info>& out) const {
    if (a.size() != b.size()) throw follows_from_size{"the number of values"};
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto &of_a = a[i].shape, &of_b = b[i].shape;
      if (a[i].name != b[i].name || a[i].element != b[i].element || !of_a || !of_b || of_a->size() != of_b->size())
        throw follows_from_size{"value '" + a[i].name + "'"};
      out.push_back(a[i]);
      for (std::size_t k = 0; k < of_a->size(); ++k) {
        const std::int64_t m = *(*of_a)[k].size, n = *(*of_b)[k].size;
        if (m != n) (*out.back().shape)[k] = {{}, name_of_(m, n)};
      }
    }
  }

  node_message node_of(const node_message& a, const node_message& b, model_message& out) const {
    const std::string who = "node '" + a.name + "' (" + a.type + ")";
    if (a.type != b.type || a.domain != b.domain || a.outputs != b.outputs || a.inputs.size() != b.inputs.size() ||
        !std::equal(a.attributes.begin(), a.attributes.end(), b.attributes.begin(), b.attributes.end(), same_attribute))
      throw follows_from_size{who};
    node_message n = a;
    for (std::size_t i = 0; i < a.inputs.size(); ++i) {
      const auto x = numbers_a_.find(a.inputs[i]), y = numbers_b_.find(b.inputs[i]);
      if (x == numbers_a_.end() && y == numbers_b_.end() && a.inputs[i] == b.inputs[i]) continue;
      if (x == numbers_a_.end() || y == numbers_b_.end()) throw follows_from_size{who};
      if (same_numbers(*x->second, *y->second)) continue;
      const tensor *from = x->second, *other = y->second;
      const bool sizes = a.type == "Resize" && i == 3;
      if (!(a.type == "Reshape" && i == 1) && !sizes) throw follows_from_size{who};
      if (!from->values || !other->values || !(from->shape == other->shape)) throw follows_from_size{who};
      tensor t = sizes ? scales_for(who, a.inputs[0], *from, *other) : shape_for(who, a.inputs[0], *from, *other);
      t.name = from->name + "_for_" + a.outputs[0];
      if (sizes) {
        n.inputs.pop_back();
        n.inputs.back() = t.name;
      } else {
        n.inputs[i] = t.name;
      }
      out.graph.initializers.push_back(std::move(t));
    }
    return n;
  }

  /// An extent of the value in both networks.
  std::pair<std::int64_t, std::int64_t> extents_of(const std::string& value, std::size_t axis) const {
    const auto a = values_a_.find(value), b = values_b_.find(value);
    if (a == values_a_.end() || b == values_b_.end() || axis >= a->second->shape->size() ||
        axis >= b->second->shape->size())
      return {-1, -1};
    return {*(*a->second->shape)[axis].size, *(*b->second->shape)[axis].size};
  }

  /// 0 keeps the extent of the same axis, -1 is what is left over, once.
  tensor shape_for(const std::string& who, const std::string& from, const tensor& a, const tensor& b) const {
    const auto x = a.values->elements<std::int64_t>(), y = b.values->elements<std::int64_t>();
    const auto to = std::make_shared<array>(a.shape, dtype::i64);
    bool rest = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::int64_t& size = to->elements<std::int64_t>()[i];
      size = x[i];
      if (x[i] == y[i]) continue;
      size = extents_of(from, i) == std::pair{x[i], y[i]} ? 0 : -1;
      if (size == -1 && std::exchange(rest, true)) throw follows_from_size{who};
    }
    tensor t = a;
    t.values = to;
    return t;
  }

  /// Sizes that are the same multiple of the input's in both networks.
  tensor scales_for(const std::string& who, const std::string& from, const tensor& a, const tensor& b) const {
    const auto x = a.values->elements<std::int64_t>(), y = b.values->elements<std::int64_t>();
    const auto to = std::make_shared<array>(a.shape, dtype::f32);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto [m, n] = extents_of(from, i);
      if (m < 1 || n < 1 || x[i] * n != y[i] * m) throw follows_from_size{who};
      const float scale = static_cast<float>(x[i]) / static_cast<float>(m);
      // A size that is no whole multiple would be rounded for some input.
      if (x[i] % m != 0 && m % x[i] != 0) throw follows_from_size{who};
      to->data()[i] = scale;
    }
    tensor t = a;
    t.type = dtype::f32;
    t.values = to;
    return t;
  }

  const model_message &a_, &b_;
  const std::function<std::string(std::int64_t, std::int64_t)>& name_of_;
  infos_by_name values_a_, values_b_;
  tensors_by_name numbers_a_, numbers_b_;
};

}  // namespace detail

CTNN_ONCE bool has_open_axes(const model_message& file, const shapes_by_name& given) {
  return detail::sample_sizes(file, given).any();
}

CTNN_ONCE open_model describe_open(const model_message& file, const rewriter& make, const shapes_by_name& given,
                                   const write_options& options) {
  const detail::sample_sizes sizes(file, given);
  std::string why, unmade;  // what comes of the first sizes says most
  for (int attempt = 0; attempt < detail::sample_sizes::attempts; ++attempt) {
    try {
      std::vector<model_message> made;
      const auto shapes_of = [&](int sample) {
        shapes_by_name shapes = sizes.shapes(attempt, sample);
        shapes.insert(given.begin(), given.end());
        return shapes;
      };
      for (int sample = 0; sample < 3; ++sample) made.push_back(make(shapes_of(sample), options));
      const auto of_both = [&](int second) {
        const std::function<std::string(std::int64_t, std::int64_t)> name_of = [&](std::int64_t a, std::int64_t b) {
          return sizes.name_of(attempt, second, a, b);
        };
        return detail::generalisation(made[0], made[static_cast<std::size_t>(second)], name_of).run();
      };
      const model_message other = of_both(2);
      open_model out{of_both(1), shapes_of(2), std::move(made[2])};
      const auto &own = out.file.graph, &third = other.graph;
      for (std::size_t i = 0; i < own.nodes.size(); ++i)
        if (own.nodes[i].inputs != third.nodes[i].inputs)
          throw detail::follows_from_size{"node '" + own.nodes[i].name + "'"};
      if (own.initializers.size() != third.initializers.size()) throw detail::follows_from_size{"a number"};
      for (std::size_t i = 0; i < own.initializers.size(); ++i)
        if (!detail::same_numbers(own.initializers[i], third.initializers[i]))
          throw detail::follows_from_size{"'" + own.initializers[i].name + "'"};
      // Others show what all three had in common by chance, such as padding to a multiple. Some are refused.
      std::vector<model_message> tests;
      for (const int sample : {detail::sample_sizes::odd, detail::sample_sizes::large}) {
        try {
          tests.push_back(make(shapes_of(sample), options));
        } catch (const error&) {
        }
      }
      if (tests.empty()) tests.push_back(std::move(out.sample));
      out.shapes = shapes_of(0);  // the smallest: whoever runs the model waits least
      out.sample = std::move(made[0]);
      if (detail::weight_bytes(out.file) > most_bytes_in_model) return out;
      const std::string bytes = bytes_of(out.file);
      const model_message again = parse_model(std::as_bytes(std::span(bytes)), file.source, detail::no_limits());
      try {
        for (const model_message& wanted : tests) require_same(again, wanted, {}, detail::shapes_of_inputs(wanted));
      } catch (const error&) {
        throw detail::follows_from_size{"a reshape"};
      }
      return out;
    } catch (const detail::follows_from_size& e) {
      if (why.empty()) why = e.what + " follows from the size of an open axis";
    } catch (const error& e) {
      if (unmade.empty()) unmade = e.what();
    }
  }
  throw undetermined(file.source + ": its open axes cannot stay open: " + (why.empty() ? unmade : why));
}

}  // namespace ctnn::onnx
