// SPDX-License-Identifier: BSL-1.0
// A graph as the network one would declare for it, in the words of network/layers.hpp and network/options.hpp.
#pragma once

#include <deque>
#include <unordered_set>
#include <vector>

#include "../../base/error.hpp"
#include "../../network/lift.hpp"
#include "../../base/describe.hpp"
#include "../names.hpp"
#include "numbers.hpp"

namespace ctnn::cpp {

namespace detail {

/// What a layer is called, the arguments between its name and its options, and the option that all this says.
struct alias {
  std::string word;
  std::string arguments{};
  std::string_view said{};
};

inline alias activation_alias(const activation_function& f) {
  const std::string name(name_of(f.kind));
  const bool usual = f.a == 0.16666667163372040f && f.b == 0.5f;
  switch (f.kind) {
    case function::clip:
      if (f.a == 0 && f.b == 6) return {"relu6", "", "activation"};
      return {name, ", " + argument(static_cast<double>(f.a)) + ", " + argument(static_cast<double>(f.b)), "activation"};
    case function::leaky_relu:
    case function::elu: return {name, ", " + argument(static_cast<double>(f.a)), "activation"};
    case function::hardsigmoid:
    case function::hardswish:
      if (usual) return {name, "", "activation"};
      break;
    case function::none: break;
    default: return {name, "", "activation"};
  }
  return {};
}

template <class Op>
alias alias_of(const Op&) {
  return {std::string(Op::name)};
}
inline alias alias_of(const op::activation& p) { return activation_alias(p.activation); }
inline alias alias_of(const op::full&) { return {}; }
inline alias alias_of(const op::matmul&) { return {}; }
inline alias alias_of(const op::pad& p) {
  if (p.mode != op::pad_mode::constant) return {};
  return {"constant_pad"};
}
inline alias alias_of(const op::pool2d& p) {
  return {std::string(pooling_names[static_cast<std::size_t>(p.function)]) + "_pool2d", "", "function"};
}
inline alias alias_of(const op::adaptive_pool2d& p) {
  return {"adaptive_" + std::string(pooling_names[static_cast<std::size_t>(p.function)]) + "_pool2d", "", "function"};
}
inline alias alias_of(const op::interpolate& p) {
  return {"interpolate_" + std::string(interpolation_names[static_cast<std::size_t>(p.mode)]), "", "mode"};
}
inline alias alias_of(const op::unary& p) {
  return {"unary", ", ctnn::op::unary_function::" + std::string(unary_names[static_cast<std::size_t>(p.function)]), "function"};
}
inline alias alias_of(const op::reduce& p) {
  return {"reduce", ", ctnn::op::reduction::" + std::string(reduction_names[static_cast<std::size_t>(p.function)]), "function"};
}
inline alias alias_of(const op::binary& p) {
  if (p.function > op::binary_function::pow) return {};
  return {std::string(binary_names[static_cast<std::size_t>(p.function)]), "", "function"};
}
inline alias alias_of(const op::eltwise& p) { return {std::string(eltwise_names[static_cast<std::size_t>(p.function)]), "", "function"}; }

/// What an operator's fields look like; one entry an operator.
struct speller {
  const operator_type* type;
  spelled_options (*options)(std::span<const double>);
  alias (*name)(std::span<const double>);
};
template <class Op>
alias alias_of_fields(std::span<const double> fields) {
  return alias_of(decode<Op>(fields));
}
template <class... Ops>
std::array<speller, sizeof...(Ops)> make_spellers(operator_list<Ops...>) {
  return {{{&type_of<Ops>, &ctnn::detail::spell_options<Ops>, &alias_of_fields<Ops>}...}};
}

inline std::string option_text(const operator_type* type, const spelled_option& o) {
  static constexpr std::string_view plain[] = {"out", "kernel", "stride", "dilation", "pad", "groups", "hidden", "size", "shape", "order", "sizes",
                                               "axis", "axes", "ones", "start", "end", "eps", "scalar", "coefficients", "output_padding", "before", "after"};
  const auto only = [&](double v) { return o.values.size() == 1 && o.values[0] == v; };
  if (o.key == "same" && only(1)) return "ctnn::same_upper";
  if (o.key == "same" && only(2)) return "ctnn::same_lower";
  if (o.key == "bias" && only(0)) return "ctnn::no_bias";
  if (o.key == "ceil" && only(1)) return "ctnn::ceil_mode";
  if (o.key == "keep" && only(0)) return "ctnn::drop_axes";
  if (o.key == "direction") return o.values[0] == 1 ? "ctnn::reverse" : "ctnn::bidirectional";
  if ((o.key == "count_include_pad" || o.key == "batch_first" || o.key == "align_corners") && only(1)) return "ctnn::" + std::string(o.key);
  std::string out;
  std::size_t first = 0;
  if (o.key == "activation") {
    out = "ctnn::fused<ctnn::function::" + std::string(function_names[static_cast<std::size_t>(o.values[0])]);
    first = 1;
  } else if (o.key == "scale" && type == &type_of<op::interpolate>) {
    out = "ctnn::scale_factor<";
  } else if (std::find(std::begin(plain), std::end(plain), o.key) != std::end(plain)) {
    out = "ctnn::" + std::string(o.key) + '<';
  } else {
    out = "ctnn::option<" + in_quotes(o.key);
    if (!o.values.empty()) out += ", ";
  }
  for (std::size_t i = first; i < o.values.size(); ++i) out += (i > 0 && !(i == first && first == 0) ? ", " : "") + argument(o.values[i]);
  return out + '>';
}

}  // namespace detail

/// Names and text of every layer of a graph.
class declaration {
 public:
  /// Throws ctnn::error naming all layers for which there is no word, or the first that cannot be declared otherwise.
  explicit declaration(const graph_view& g) : g_(g) {
    const auto spellers = detail::make_spellers(all_operators{});
    const auto speller_of = [&](const node& n) {
      return std::find_if(spellers.begin(), spellers.end(), [&](const detail::speller& s) { return s.type == n.type; });
    };
    refuse_all([&](const node& n) { return speller_of(n) != spellers.end(); });
    for (std::size_t i = 0; i < g.nodes.size(); ++i) names_.push_back(fresh_name(g.nodes[i]));
    for (std::size_t i = 0; i < g.nodes.size(); ++i) spell(static_cast<node_id>(i), *speller_of(g.nodes[i]));
    check();
  }

  /// What layer n is called: its name, made unique.
  const std::string& name(node_id n) const { return names_[static_cast<std::size_t>(n)]; }

  /// The arguments of network<...>, a line each.
  std::vector<std::string> lines() const {
    std::vector<std::string> out = texts_;
    std::string publicly, layers;
    bool same = true;
    for (const network_output& o : g_.outputs) {
      const std::string from = reference(o.value);
      const std::string name = o.name.empty() ? from : std::string(o.name);
      same = same && name == from;
      publicly += (publicly.empty() ? "" : ", ") + in_quotes(name);
      layers += (layers.empty() ? "" : ", ") + in_quotes(from);
    }
    out.push_back(same ? "ctnn::output<" + layers + '>'
                       : "ctnn::named_output<ctnn::from<" + publicly + ">, ctnn::from<" + layers + ">>");
    return out;
  }

 private:
  /// Throws if there are layers without a word, or with values that are not f32: each operator with its layers.
  void refuse_all(auto&& has_word) const {
    std::vector<std::pair<std::string, std::string>> refused;
    for (const node& n : g_.nodes) {
      std::string what(n.type->name);
      const auto other = [&](value_id v) { return g_.at_value(v).type != dtype::f32; };
      bool typed = false;
      for (value_id v : g_.inputs(n)) typed = typed || other(v);
      for (int k = 0; k < n.outputs.count; ++k) typed = typed || other(n.outputs.first + k);
      if (has_word(n) && !typed) continue;
      if (has_word(n)) what += " of other numbers than f32";
      const auto known = std::find_if(refused.begin(), refused.end(), [&](const auto& r) { return r.first == what; });
      auto& layers = known != refused.end() ? known->second : refused.emplace_back(what, "").second;
      layers += (layers.empty() ? "'" : ", '") + std::string(n.name) + '\'';
    }
    std::string text;
    for (const auto& [what, layers] : refused) text += (text.empty() ? "" : "; ") + what + " in " + layers;
    if (!refused.empty()) throw error("no words in ctnn/ctnn.hpp for: " + text);
  }
  std::string fresh_name(const node& n) {
    const std::string wanted = n.name.empty() ? std::string(n.type->name) : std::string(n.name);
    std::string name = wanted;
    for (int k = 2; !free(name, n.outputs.count); ++k) name = wanted + '_' + std::to_string(k);
    taken_.insert(name);
    for (int k = 0; n.outputs.count > 1 && k < n.outputs.count; ++k) taken_.insert(name + '.' + std::to_string(k));
    return name;
  }
  bool free(const std::string& name, int outputs) const {
    for (int k = 0; outputs > 1 && k < outputs; ++k)
      if (taken_.contains(name + '.' + std::to_string(k))) return false;
    return !taken_.contains(name);
  }

  std::string reference(value_id v) const {
    const node_id n = g_.at_value(v).producer;
    const range out = g_.at(n).outputs;
    return name(n) + (out.count == 1 ? "" : '.' + std::to_string(v - out.first));
  }

  void spell(node_id id, const detail::speller& as) {
    const node& n = g_.at(id);
    options_.push_back(as.options(g_.fields_of(n.fields)));
    const detail::alias word = as.name(g_.fields_of(n.fields));
    std::string text = word.word.empty() ? "ctnn::layer<ctnn::op::" + std::string(n.type->name) + ", " : "ctnn::" + word.word + '<';
    text += in_quotes(name(id)) + word.arguments;
    const auto in = g_.inputs(n);
    from_.emplace_back();
    previous_.push_back(in.empty() || (in.size() == 1 && id > 0 && in[0] == g_.at(id - 1).outputs.first + g_.at(id - 1).outputs.count - 1));
    if (!previous_.back()) {
      std::string list;
      for (value_id v : in) {
        from_.back().push_back(reference(v));
        list += (list.empty() ? "" : ", ") + in_quotes(from_.back().back());
      }
      text += ", ctnn::from<" + list + '>';
    }
    for (const spelled_option& o : options_.back())
      if (word.word.empty() || o.key != word.said) text += ", " + detail::option_text(n.type, o);
    texts_.push_back(text + '>');
  }

  /// Lowers what has been spelled, as the compiler will.
  void check() const {
    std::deque<std::vector<std::string_view>> views;
    std::deque<std::vector<option_record>> records;
    std::vector<layer_record> layers;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      views.emplace_back(from_[i].begin(), from_[i].end());
      records.emplace_back();
      for (const spelled_option& o : options_[i]) records.back().push_back({o.key, {o.values.data(), o.values.size()}});
      layers.push_back({g_.nodes[i].type, names_[i], views.back(), records.back(), {}, previous_[i]});
    }
    lowering result;
    lower(layers, result);
    if (result.error) throw error("layer '" + std::string(result.layer) + "' cannot be declared: " + describe(result.error));
    for (std::size_t v = 0; v < g_.values.size(); ++v)
      if (!(g_.values[v].shape == result.g.values[v].shape))
        throw error("layer '" + name(g_.values[v].producer) + "' cannot be declared: its output would be " +
                    describe(result.g.values[v].shape) + " instead of " + describe(g_.values[v].shape));
  }

  graph_view g_;
  std::unordered_set<std::string> taken_;
  std::vector<std::string> names_, texts_;
  std::deque<std::vector<std::string>> from_;
  std::deque<spelled_options> options_;
  std::vector<bool> previous_;
};

}  // namespace ctnn::cpp
