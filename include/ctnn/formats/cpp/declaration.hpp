// SPDX-License-Identifier: BSL-1.0
// A graph as the network one would declare for it, in the words of network/layers.hpp and network/options.hpp.
#pragma once

#include <algorithm>
#include <deque>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../base/error.hpp"
#include "../../base/describe.hpp"
#include "../../network/words.hpp"
#include "numbers.hpp"

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

/// Names and text of every layer of a graph.
class declaration {
 public:
  /// Throws ctnn::error naming all layers for which there is no word, or the first that cannot be declared otherwise.
  explicit declaration(const graph_view& g) : g_(g) {
    refuse_all([](const node& n) { return detail::is_spelled(n.type->spelling()); });
    for (std::size_t i = 0; i < g.nodes.size(); ++i) names_.push_back(fresh_name(g.nodes[i]));
    for (std::size_t i = 0; i < g.nodes.size(); ++i) spell(static_cast<node_id>(i));
    find_tied();
    check();
  }

  /// What layer n is called: its name, made unique.
  const std::string& name(node_id n) const { return names_[static_cast<std::size_t>(n)]; }

  /// Does it need more than ctnn.hpp has: other operators, other elements than f32?
  bool needs_typed() const { return needs_typed_; }

  /// The arguments of network<...>, a line each.
  std::vector<std::string> lines() const {
    std::vector<std::string> out = texts_;
    for (const std::vector<std::string>& names : tied_) append_tied<detail::in_headers>(out.emplace_back(), names);
    const auto [publicly, layers] = outputs();
    append_outputs<detail::in_headers>(out.emplace_back(), publicly, layers);
    return out;
  }

 private:
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
    const node& n = g_.at(id);
    options_.push_back(ir::spell(g_, n));
    for (int k = 0; k < n.outputs.count; ++k)
      needs_typed_ = needs_typed_ || g_.at_value(n.outputs.first + k).type != dtype::f32;
    for (value_id v : g_.inputs(n)) needs_typed_ = needs_typed_ || g_.at_value(v).type != dtype::f32;
    needs_typed_ = needs_typed_ || n.type->is.vectors != vectors_of::f32;
    from_.emplace_back();
    previous_.push_back(reads_previous(g_, id));
    if (!previous_.back())
      for (value_id v : g_.inputs(n)) from_.back().push_back(reference(v));
    append_layer<detail::in_headers>(texts_.emplace_back(), g_, n, options_.back(), name(id), from_.back());
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
    for (std::size_t i = 0; i < names_.size(); ++i) {
      views.emplace_back(from_[i].begin(), from_[i].end());
      records.emplace_back();
      for (const spelled_option& o : options_[i]) records.back().push_back({o.key, {o.values.data(), o.values.size()}});
      layers.push_back({g_.nodes[i].type, names_[i], views.back(), records.back(), {}, previous_[i]});
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
  std::vector<std::string> names_, texts_;
  std::deque<std::vector<std::string>> from_;
  std::deque<spelled_options> options_;
  std::vector<bool> previous_;
  std::vector<std::vector<std::string>> tied_;
  bool needs_typed_ = false;
};

}  // namespace ctnn::cpp
