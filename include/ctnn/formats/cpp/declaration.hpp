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

/// A word of network/layers.hpp or network/options.hpp with what it says.
struct layer_word {
  std::string_view word;
  const operator_type* type;
  std::span<const option_record> says;
};
struct option_word {
  std::string_view word;
  option_record says;
};

#define CTNN_WORD(word, Op, ...) {#word, &type_of<Op>, ctnn::detail::option_records<__VA_ARGS__>::all},
inline constexpr layer_word layer_words[] = {CTNN_LAYER_WORDS(CTNN_WORD)};
#undef CTNN_WORD
#define CTNN_WORD(word, ...) {#word, ctnn::word::record},
#define CTNN_ELEMENT_WORD(word, T) CTNN_WORD(word)
inline constexpr option_word option_words[] = {CTNN_OPTION_WORDS(CTNN_WORD) CTNN_ELEMENTS(CTNN_ELEMENT_WORD)};
#undef CTNN_ELEMENT_WORD
#undef CTNN_WORD
#define CTNN_WORD(word, key) {#word, {key, {}}},
inline constexpr option_word words_before_numbers[] = {CTNN_NUMBER_WORDS(CTNN_WORD) CTNN_NUMBERS_WORDS(CTNN_WORD)};
#undef CTNN_WORD

inline bool says(const option_record& word, const spelled_option& o) {
  return word.key == o.key && std::equal(word.values.begin(), word.values.end(), o.values.begin(), o.values.end());
}
inline bool says(const layer_word& w, const spelled_option& o) {
  return std::any_of(w.says.begin(), w.says.end(), [&](const option_record& r) { return says(r, o); });
}

/// The word that says most of a layer's options; null if none does. What another word of the operator says is not left
/// to an option: add<"x", option<"function", 9>> would be no addition.
inline const layer_word* word_for(const operator_type* type, const spelled_options& options) {
  const layer_word* best = nullptr;
  for (const layer_word& w : layer_words) {
    const auto is_there = [&](const option_record& r) {
      return std::any_of(options.begin(), options.end(), [&](const spelled_option& o) { return says(r, o); });
    };
    if (w.type == type && (!best || w.says.size() > best->says.size()) &&
        std::all_of(w.says.begin(), w.says.end(), is_there))
      best = &w;
  }
  if (!best) return nullptr;
  for (const layer_word& w : layer_words)
    for (const option_record& r : w.says)
      for (const spelled_option& o : options)
        if (w.type == type && r.key == o.key && !says(*best, o)) return nullptr;
  return best;
}

inline std::string numbers_text(std::span<const double> values) {
  std::string out;
  for (double v : values) out += (out.empty() ? "" : ", ") + exact_argument(v);
  return out;
}

/// Words with arguments behind the name, and the option that these say: leaky_relu<"a", 0.1>, unary<"b", ...>, reduce.
struct word_with_arguments {
  std::string word;
  std::string arguments{};
  std::string_view said{};
};
inline word_with_arguments word_with_arguments_for(const operator_type* type, std::span<const double> fields) {
  if (type == &type_of<op::reduce>) {
    const auto f = static_cast<std::size_t>(decode<op::reduce>(fields).function);
    return {"reduce", ", ctnn::op::reduction::" + std::string(reduction_names[f]), "function"};
  }
  if (type != &type_of<op::activation>) return {};
  const activation_function f = decode<op::activation>(fields).activation;
  const double numbers[] = {f.a, f.b};
  if (f.kind == function::clip || f.kind == function::leaky_relu || f.kind == function::elu)
    return {std::string(name_of(f.kind)),
            ", " + numbers_text(std::span(numbers).first(f.kind == function::clip ? 2 : 1)), "activation"};
  if (f.a != 0 || f.b != 0) return {};
  return {"unary", ", ctnn::function::" + std::string(name_of(f.kind)), "activation"};
}

/// Is it a name that other files can use?
inline bool is_spelled(std::string_view type) { return type.find_first_of("{('") == std::string_view::npos; }

inline std::string option_text(const spelled_option& o) {
  for (const option_word& w : option_words)
    if (says(w.says, o)) return "ctnn::" + std::string(w.word);
  const std::string numbers = numbers_text({o.values.data(), o.values.size()});
  if (o.key == "to")
    for (const option_word& w : option_words)
      if (says(w.says, {"type", o.values})) return "ctnn::to<ctnn::dtype::" + std::string(w.word) + '>';
  if (o.key == "activation") {
    const std::string_view name = function_names[static_cast<std::size_t>(o.values[0])];
    const std::string parameters = numbers_text(std::span(o.values.data(), o.values.size()).subspan(1));
    return "ctnn::fused<ctnn::function::" + std::string(name) + (parameters.empty() ? "" : ", ") + parameters + '>';
  }
  for (const option_word& w : words_before_numbers)
    if (w.says.key == o.key) return "ctnn::" + std::string(w.word) + '<' + numbers + '>';
  return "ctnn::option<" + in_quotes(o.key) + (numbers.empty() ? "" : ", ") + numbers + '>';
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
    const detail::layer_word* const word = detail::word_for(n.type, options_.back());
    const auto with_arguments = word ? detail::word_with_arguments{std::string(word->word)}
                                     : detail::word_with_arguments_for(n.type, g_.fields_of(n.fields));
    for (int k = 0; k < n.outputs.count; ++k)
      needs_typed_ = needs_typed_ || g_.at_value(n.outputs.first + k).type != dtype::f32;
    for (value_id v : g_.inputs(n)) needs_typed_ = needs_typed_ || g_.at_value(v).type != dtype::f32;
    needs_typed_ = needs_typed_ || n.type->is.vectors != vectors_of::f32;
    std::string text = with_arguments.word.empty() ? "ctnn::layer<" + std::string(n.type->spelling()) + ", "
                                                   : "ctnn::" + with_arguments.word + '<';
    text += in_quotes(name(id)) + with_arguments.arguments;
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
      if (!(word && detail::says(*word, o)) && o.key != with_arguments.said) text += ", " + detail::option_text(o);
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
