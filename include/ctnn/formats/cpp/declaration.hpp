// SPDX-License-Identifier: BSL-1.0
// A graph as the network one would declare for it: a list, in the words of network/layers.hpp and network/options.hpp,
// or a function, in those of network/call_words.hpp.
#pragma once

#include <algorithm>
#include <deque>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../base/error.hpp"
#include "../../base/describe.hpp"
#include "call.hpp"
#include "identifier.hpp"

namespace ctnn::cpp {

namespace detail {

/// How headers write (network/words.hpp).
struct in_headers {
  static constexpr std::string_view scope = "ctnn::";
  static void number(std::string& out, double v) { out += exact_argument(v); }
  static void quoted(std::string& out, std::string_view name) { out += in_quotes(name); }
};

/// Is it a name that other files can use?
inline bool is_spelled(std::string_view type) { return type.find_first_of("{('") == std::string_view::npos; }

}  // namespace detail

/// What is said of every layer of a graph, and how lists and functions say it.
class declaration {
 public:
  /// Throws ctnn::error naming all layers for which there is no word, or the first that cannot be declared otherwise.
  explicit declaration(const graph_view& g) : g_(g) {
    refuse_all([](const node& n) { return detail::is_spelled(n.type->spelling()); });
    for (const node& n : g.nodes) layers_.push_back({&n, fresh_name(n)});
    for (std::size_t i = 0; i < g.nodes.size(); ++i) spell(static_cast<node_id>(i));
    find_tied();
    check();
  }

  /// What layer n is called: its name, made unique.
  const std::string& name(node_id n) const { return layers_[static_cast<std::size_t>(n)].name; }

  /// Does it need more than ctnn.hpp has: other operators, other elements than f32?
  bool needs_typed() const { return needs_typed_; }

  /// The arguments of network<...>, a line each: first the layers.
  std::vector<std::string> list() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const said_layer& l = layers_[i];
      const std::span<const std::string> from(l.reads.data(), previous_[i] ? 0 : l.reads.size());
      append_layer<detail::in_headers>(out.emplace_back(), g_, *l.n, l.options, l.name, from);
    }
    for (const std::vector<std::string>& names : tied_) append_tied<detail::in_headers>(out.emplace_back(), names);
    const auto [publicly, layers] = outputs();
    append_outputs<detail::in_headers>(out.emplace_back(), publicly, layers);
    return out;
  }

  /// The statements of forward(nn::graph& m), a line each: first the layers. Throws ctnn::error if it gives more than
  /// functions can.
  std::vector<std::string> statements() const {
    std::vector<std::string> out;
    std::unordered_set<std::string> taken{"m"};
    std::vector<std::string> variables;
    for (std::size_t v = 0; v < g_.values.size(); ++v) {
      const std::string wanted = as_identifier(reference(static_cast<value_id>(v)));
      std::string word = wanted;
      for (int k = 2; !taken.insert(word).second; ++k) word = as_identifier(wanted + '_' + std::to_string(k));
      variables.push_back(word);
    }
    ctnn::detail::call_recorder names;  // of layers that name themselves
    for (const said_layer& l : layers_) out.push_back(statement(l, variables, names));
    for (const std::vector<std::string>& tied : tied_)
      for (std::size_t i = 1; i < tied.size(); ++i)
        out.push_back("m.tie(" + string_of(tied[0]) + ", " + string_of(tied[i]) + ");");
    out.push_back(result(variables));
    return out;
  }

 private:
  std::string statement(const said_layer& l, std::span<const std::string> variables,
                        ctnn::detail::call_recorder& names) const {
    std::vector<std::string> reads;
    for (value_id v : g_.inputs(*l.n)) reads.push_back(variables[static_cast<std::size_t>(v)]);
    const call said(l, reads);
    names.begin({l.n->type, {}, {}, {}, {}, false}, said.word(),
                said.says_name() ? std::string_view(l.name) : std::string_view(), {}, {}, l.n->outputs.count);
    const bool named = names.text(names.calls().back().name) == l.name;
    const auto first = static_cast<std::size_t>(l.n->outputs.first),
               count = static_cast<std::size_t>(l.n->outputs.count);
    std::string all;
    bool is_read = false;
    for (std::size_t k = first; k < first + count; ++k) {
      all += (k == first ? "" : ", ") + variables[k];
      is_read = is_read || g_.values[k].readers > 0;
    }
    const bool may_be_unread = is_read || l.n->type == &type_of<op::input>;
    if (said.gives_several()) {
      std::string text = "const auto [" + all + "] = " + said.text() + ';';
      if (!named) text += " m.named(" + string_of(l.name) + ", " + variables[first] + ");";
      return may_be_unread ? text : text + " m.unused(" + variables[first] + ");";
    }
    std::string text = named ? said.text() : "m.named(" + string_of(l.name) + ", " + said.text() + ')';
    if (!may_be_unread) text = "m.unused(" + text + ')';
    return (is_read ? "const auto " + all + " = " : "") + text + ';';
  }
  std::string result(std::span<const std::string> variables) const {
    if (g_.outputs.size() > max_list)
      throw error(std::to_string(g_.outputs.size()) + " outputs: a function gives " + std::to_string(max_list) +
                  " at most; a list has any number (--list)");
    const auto [publicly, layers] = outputs();
    std::string all;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::string& variable = variables[static_cast<std::size_t>(g_.outputs[i].value)];
      const node& n = g_.at(g_.at_value(g_.outputs[i].value).producer);
      if (layers.size() == 1 && publicly[i] == layers[i] && n.outputs.count == 1) return "return " + variable + ';';
      all += (i == 0 ? "{" : ", {") + string_of(publicly[i]) + ", " + variable + '}';
    }
    return "return ctnn::outputs{" + all + "};";
  }

  /// Names of the outputs, and of the layers that make them.
  std::pair<std::vector<std::string>, std::vector<std::string>> outputs() const {
    std::vector<std::string> publicly, layers;
    for (const network_output& o : g_.outputs) {
      layers.push_back(reference(o.value));
      publicly.push_back(o.name.empty() ? layers.back() : std::string(o.name));
    }
    return {std::move(publicly), std::move(layers)};
  }
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
    said_layer& l = layers_[static_cast<std::size_t>(id)];
    const node& n = *l.n;
    l.options = ir::spell(g_, n);
    for (int k = 0; k < n.outputs.count; ++k)
      needs_typed_ = needs_typed_ || g_.at_value(n.outputs.first + k).type != dtype::f32;
    for (value_id v : g_.inputs(n)) needs_typed_ = needs_typed_ || g_.at_value(v).type != dtype::f32;
    needs_typed_ = needs_typed_ || n.type->is.vectors != vectors_of::f32;
    previous_.push_back(reads_previous(g_, id));
    for (value_id v : g_.inputs(n)) l.reads.push_back(reference(v));
  }

  void find_tied() {
    const tied_places tied = tied_places_of(g_);
    auto at = tied.all.begin();
    for (const std::size_t count : tied.counts) {
      std::vector<std::string>& names = tied_.emplace_back();
      for (std::size_t i = 0; i < count; ++i, ++at)
        names.push_back(name(at->of) + '.' +
                        std::string(slots_of(g_, g_.at(at->of))[static_cast<std::size_t>(at->number)].name));
    }
  }

  /// Lowers what has been spelled, as the compiler will.
  void check() const {
    std::deque<std::vector<std::string_view>> views;
    std::deque<std::vector<option_record>> records;
    std::vector<layer_record> layers;
    for (const said_layer& l : layers_) {
      views.emplace_back(l.reads.begin(), l.reads.end());
      records.emplace_back();
      for (const spelled_option& o : l.options) records.back().push_back({o.key, {o.values.data(), o.values.size()}});
      layers.push_back({l.n->type, l.name, views.back(), records.back(), {}, false});
    }
    for (const std::vector<std::string>& names : tied_) {
      views.emplace_back(names.begin(), names.end());
      layer_record& tied = layers.emplace_back(layer_record{nullptr, {}, views.back(), {}, {}, false});
      tied.ties = true;
    }
    const auto [publicly, made_by] = outputs();
    const std::vector<std::string_view> names(publicly.begin(), publicly.end()), values(made_by.begin(), made_by.end());
    layers.push_back({nullptr, {}, values, {}, names, false});
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
  std::vector<said_layer> layers_;
  std::vector<bool> previous_;
  std::vector<std::vector<std::string>> tied_;
  bool needs_typed_ = false;
};

}  // namespace ctnn::cpp
