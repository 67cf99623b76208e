// SPDX-License-Identifier: BSL-1.0
// A graph as the network one would declare for it, in the words of network/layers.hpp and network/options.hpp.
#pragma once

#include <algorithm>
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
  std::string_view also_said{};
};

inline alias activation_alias(const activation_function& f) {
  const std::string name(name_of(f.kind));
  const bool usual = f.a == 0.16666667163372040f && f.b == 0.5f;
  switch (f.kind) {
    case function::clip:
      if (f.a == 0 && f.b == 6) return {"relu6", "", "activation"};
      return {name, ", " + argument(static_cast<double>(f.a)) + ", " + argument(static_cast<double>(f.b)),
              "activation"};
    case function::leaky_relu:
    case function::elu: return {name, ", " + argument(static_cast<double>(f.a)), "activation"};
    case function::hardsigmoid:
    case function::hardswish:
      if (usual) return {name, "", "activation"};
      break;
    case function::none: break;
    case function::relu:
    case function::sigmoid:
    case function::tanh:
    case function::silu:
    case function::mish:
    case function::gelu: return {name, "", "activation"};
    default:
      if (f.a == 0 && f.b == 0) return {"unary", ", ctnn::function::" + name, "activation"};
  }
  return {};
}

/// What ctnn.hpp has no kernel for it has no word for either.
template <class Op>
alias alias_of(const Op&) {
  return {std::string(traits_of<Op>.vectors == vectors_of::f32 ? Op::name : std::string_view())};
}
template <int Axes>
alias alias_of(const op::conv<Axes>& p) {
  return {std::string(p.name)};
}
template <int Axes>
alias alias_of(const op::conv_transpose<Axes>& p) {
  return {std::string(p.name)};
}
inline alias alias_of(const op::activation& p) { return activation_alias(p.activation); }
inline alias alias_of(const op::full&) { return {}; }
inline alias alias_of(const op::matmul&) { return {}; }
inline alias alias_of(const op::pad& p) {
  if (p.mode != op::pad_mode::constant) return {};
  return {"constant_pad"};
}
inline alias alias_of(const op::pool& p) {
  if (p.axes > 3) return {};
  return {std::string(pooling_names[static_cast<std::size_t>(p.function)]) + "_pool" + std::to_string(p.axes) + "d", "",
          "function", "axes"};
}
inline alias alias_of(const op::adaptive_pool& p) {
  if (p.axes > 3) return {};
  return {"adaptive_" + std::string(pooling_names[static_cast<std::size_t>(p.function)]) + "_pool" +
              std::to_string(p.axes) + "d",
          "", "function", "axes"};
}
inline alias alias_of(const op::interpolate& p) {
  static constexpr const char* linear[] = {"interpolate_linear", "interpolate_bilinear", "interpolate_trilinear"};
  if (p.mode == op::interpolation::nearest) return {"interpolate_nearest", "", "mode"};
  if (p.mode == op::interpolation::cubic) return {"interpolate_bicubic", "", "mode"};
  if (p.axes > 3) return {};
  return {linear[p.axes - 1], "", "mode", "axes"};
}
inline alias alias_of(const op::reduce& p) {
  return {"reduce", ", ctnn::op::reduction::" + std::string(reduction_names[static_cast<std::size_t>(p.function)]),
          "function"};
}
inline alias alias_of(const op::binary& p) {
  if (p.function > op::binary_function::pow) return {};
  return {std::string(binary_names[static_cast<std::size_t>(p.function)]), "", "function"};
}
inline alias alias_of(const op::eltwise& p) {
  return {std::string(eltwise_names[static_cast<std::size_t>(p.function)]), "", "function"};
}

/// The word for a node of an operator; without one it is a layer<...> of the operator's struct.
template <class... Ops>
alias word_among(operator_list<Ops...>, const operator_type* type, std::span<const double> fields) {
  alias found;
  (void)((type == &type_of<Ops> && (found = alias_of(decode<Ops>(fields)), true)) || ...);
  return found;
}
inline alias word_for(const operator_type* type, std::span<const double> fields) {
  return word_among(all_operators{}, type, fields);
}

/// Of an element type: its name, but a boolean's in full.
inline std::string_view name_of_option(double type) {
  const auto t = static_cast<dtype>(static_cast<int>(type));
  return t == dtype::boolean ? "boolean" : name_of(t);
}

/// Is it a name that other files can use?
inline bool is_spelled(std::string_view type) { return type.find_first_of("{('") == std::string_view::npos; }

inline std::string option_text(const operator_type* type, const spelled_option& o) {
  static constexpr std::string_view plain[] = {
      "out",    "kernel",       "stride",         "dilation", "pad",  "groups", "hidden", "size", "shape",
      "order",  "sizes",        "axis",           "axes",     "ones", "start",  "end",    "step", "eps",
      "scalar", "coefficients", "output_padding", "before",   "after"};
  const auto only = [&](double v) { return o.values.size() == 1 && o.values[0] == v; };
  if (o.key == "same" && only(1)) return "ctnn::same_upper";
  if (o.key == "same" && only(2)) return "ctnn::same_lower";
  if (o.key == "bias" && only(0)) return "ctnn::no_bias";
  if (o.key == "ceil" && only(1)) return "ctnn::ceil_mode";
  if (o.key == "keep" && only(0)) return "ctnn::drop_axes";
  if (o.key == "coordinates" && only(static_cast<double>(op::coordinates::align_corners))) return "ctnn::align_corners";
  if (o.key == "type") return "ctnn::" + std::string(name_of_option(o.values[0]));
  if (o.key == "to") return "ctnn::to<ctnn::dtype::" + std::string(name_of_option(o.values[0])) + '>';
  if (o.key == "direction") return o.values[0] == 1 ? "ctnn::reverse" : "ctnn::bidirectional";
  if ((o.key == "count_include_pad" || o.key == "batch_first") && only(1)) return "ctnn::" + std::string(o.key);
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
  for (std::size_t i = first; i < o.values.size(); ++i)
    out += (i > 0 && !(i == first && first == 0) ? ", " : "") + exact_argument(o.values[i]);
  return out + '>';
}

}  // namespace detail

/// Names and text of every layer of a graph.
class declaration {
 public:
  /// Throws ctnn::error naming all layers for which there is no word, or the first that cannot be declared otherwise.
  explicit declaration(const graph_view& g) : g_(g) {
    refuse_all([](const node& n) { return detail::is_spelled(n.type->spelling()); });
    for (std::size_t i = 0; i < g.nodes.size(); ++i) names_.push_back(fresh_name(g.nodes[i]));
    for (std::size_t i = 0; i < g.nodes.size(); ++i) spell(static_cast<node_id>(i));
    check();
  }

  /// What layer n is called: its name, made unique.
  const std::string& name(node_id n) const { return names_[static_cast<std::size_t>(n)]; }

  /// Does it need more than ctnn.hpp has: other operators, other elements than f32?
  bool needs_typed() const { return needs_typed_; }

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
  /// Throws if there are layers of operators that cannot be named: each operator with its layers.
  void refuse_all(auto&& has_word) const {
    std::vector<std::pair<std::string, std::string>> refused;
    for (const node& n : g_.nodes) {
      if (has_word(n)) continue;
      const std::string what(n.type->name);
      const auto known = std::find_if(refused.begin(), refused.end(), [&](const auto& r) { return r.first == what; });
      auto& layers = known != refused.end() ? known->second : refused.emplace_back(what, "").second;
      layers += (layers.empty() ? "'" : ", '") + std::string(n.name) + '\'';
    }
    std::string text;
    for (const auto& [what, layers] : refused) text += (text.empty() ? "" : "; ") + what + " in " + layers;
    if (!refused.empty()) throw error("no name that a header can use for: " + text);
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

  void spell(node_id id) {
    const node& n = g_.at(id);
    options_.push_back(ir::spell(g_, n));
    const detail::alias word = detail::word_for(n.type, g_.fields_of(n.fields));
    for (int k = 0; k < n.outputs.count; ++k)
      needs_typed_ = needs_typed_ || g_.at_value(n.outputs.first + k).type != dtype::f32;
    for (value_id v : g_.inputs(n)) needs_typed_ = needs_typed_ || g_.at_value(v).type != dtype::f32;
    needs_typed_ = needs_typed_ || n.type->is.vectors != vectors_of::f32;
    std::string text =
        word.word.empty() ? "ctnn::layer<" + std::string(n.type->spelling()) + ", " : "ctnn::" + word.word + '<';
    text += in_quotes(name(id)) + word.arguments;
    const auto in = g_.inputs(n);
    from_.emplace_back();
    previous_.push_back(in.empty() || (in.size() == 1 && id > 0 &&
                                       in[0] == g_.at(id - 1).outputs.first + g_.at(id - 1).outputs.count - 1));
    if (!previous_.back()) {
      std::string list;
      for (value_id v : in) {
        from_.back().push_back(reference(v));
        list += (list.empty() ? "" : ", ") + in_quotes(from_.back().back());
      }
      text += ", ctnn::from<" + list + '>';
    }
    for (const spelled_option& o : options_.back())
      if (word.word.empty() || (o.key != word.said && o.key != word.also_said))
        text += ", " + detail::option_text(n.type, o);
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
    if (result.error)
      throw error("layer '" + std::string(result.layer) + "' cannot be declared: " + describe(result.error));
    for (std::size_t v = 0; v < g_.values.size(); ++v)
      if (!(g_.values[v].shape == result.g.values[v].shape))
        throw error("layer '" + name(g_.values[v].producer) + "' cannot be declared: its output would be " +
                    describe(result.g.values[v].shape) + " instead of " + describe(g_.values[v].shape));
      else if (g_.values[v].type != result.g.values[v].type)
        throw error("layer '" + name(g_.values[v].producer) + "' cannot be declared: its output would be " +
                    std::string(name_of(result.g.values[v].type)) + " instead of " +
                    std::string(name_of(g_.values[v].type)));
  }

  graph_view g_;
  std::unordered_set<std::string> taken_;
  std::vector<std::string> names_, texts_;
  std::deque<std::vector<std::string>> from_;
  std::deque<spelled_options> options_;
  std::vector<bool> previous_;
  bool needs_typed_ = false;
};

}  // namespace ctnn::cpp
