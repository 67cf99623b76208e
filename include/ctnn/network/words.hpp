// SPDX-License-Identifier: BSL-1.0
// A graph's layers in the words of layers.hpp and options.hpp: what formats/cpp/declaration.hpp writes into headers and
// texts.hpp shows. A style is how they are written: `scope` before ctnn's words, number() and quoted().
#pragma once

#include "../base/text.hpp"
#include "lift.hpp"
#include "names.hpp"

namespace ctnn::ir {

/// A word with what it says.
struct layer_word {
  std::string_view word;
  const operator_type* type;
  std::span<const option_record> says;
};
struct option_word {
  std::string_view word;
  option_record says;
  std::string_view value = {};  ///< what it says, as an expression of namespace ctnn
};

namespace detail {

template <class, class T>
struct later {
  using type = T;
};

/// The tables, made for those who ask: programs that only declare do not pay for them.
template <class Asked>
struct words {
#define CTNN_WORD(word, Op, ...)                       \
  {#word, &type_of<typename later<Asked, Op>::type>,   \
   later<Asked, ctnn::detail::option_records<__VA_ARGS__>>::type::all},
  static constexpr layer_word of_layers[] = {CTNN_LAYER_WORDS(CTNN_WORD)};
#undef CTNN_WORD
#define CTNN_WORD(word, key, ...) {#word, later<Asked, ctnn::word>::type::record, #__VA_ARGS__},
#define CTNN_ELEMENT_WORD(word, T) CTNN_WORD(word, "type", dtype::word)
  static constexpr option_word of_options[] = {CTNN_OPTION_WORDS(CTNN_WORD) CTNN_ELEMENTS(CTNN_ELEMENT_WORD)};
#undef CTNN_ELEMENT_WORD
#undef CTNN_WORD
#define CTNN_WORD(word, key) {#word, {key, {}}},
  static constexpr option_word before_numbers[] = {CTNN_NUMBER_WORDS(CTNN_WORD) CTNN_NUMBERS_WORDS(CTNN_WORD)};
#undef CTNN_WORD
};

constexpr bool says(const option_record& word, const spelled_option& o) {
  if (word.key != o.key || word.values.size() != o.values.size()) return false;
  for (std::size_t i = 0; i < word.values.size(); ++i)
    if (word.values[i] != o.values[i]) return false;
  return true;
}
constexpr bool says(const layer_word& w, const spelled_option& o) {
  for (const option_record& r : w.says)
    if (says(r, o)) return true;
  return false;
}

/// The word that says most of a layer's options; null if none does. What another word of the operator says is not left
/// to an option: add<"x", option<"function", 9>> would be no addition.
template <class Asked>
constexpr const layer_word* word_for(const operator_type* type, const spelled_options& options) {
  const layer_word* best = nullptr;
  for (const layer_word& w : words<Asked>::of_layers) {
    if (w.type != type || (best && w.says.size() <= best->says.size())) continue;
    std::size_t said = 0;
    for (const spelled_option& o : options) said += says(w, o) ? 1u : 0u;
    if (said == w.says.size()) best = &w;
  }
  if (!best) return nullptr;
  for (const layer_word& w : words<Asked>::of_layers) {
    if (w.type != type) continue;
    for (const option_record& r : w.says)
      for (const spelled_option& o : options)
        if (r.key == o.key && !says(*best, o)) return nullptr;
  }
  return best;
}

template <class Style, class Out>
constexpr void append_numbers(Out& out, std::span<const double> values, std::string_view before = {}) {
  for (double v : values) {
    out += before;
    before = ", ";
    Style::number(out, v);
  }
}

/// Words with arguments behind the name: leaky_relu<"a", 0.1>, unary<"b", function::exp>, reduce. Gives the option that
/// these say; none if there is no such word.
template <class Style, class Out>
constexpr std::string_view append_word_with_arguments(Out& out, const graph_view& g, const node& n,
                                                      std::string_view name) {
  const auto begin = [&](std::string_view word) {
    append(out, Style::scope, word, "<");
    Style::quoted(out, name);
  };
  if (n.type == &type_of<op::reduce>) {
    begin("reduce");
    const auto f = static_cast<std::size_t>(decode<op::reduce>(g.fields_of(n.fields)).function);
    append(out, ", ", Style::scope, "op::reduction::", reduction_names[f]);
    return "function";
  }
  if (n.type != &type_of<op::activation>) return {};
  const activation_function f = decode<op::activation>(g.fields_of(n.fields)).activation;
  const double numbers[] = {f.a, f.b};
  if (f.kind == function::clip || f.kind == function::leaky_relu || f.kind == function::elu ||
      f.kind == function::celu || f.kind == function::thresholded_relu) {
    begin(name_of(f.kind));
    append_numbers<Style>(out, {numbers, f.kind == function::clip ? 2u : 1u}, ", ");
  } else if (f.a != 0 || f.b != 0) {
    return {};
  } else {
    begin("unary");
    append(out, ", ", Style::scope, "function::", name_of(f.kind));
  }
  return "activation";
}

template <class Style, class Out>
constexpr void append_option(Out& out, const spelled_option& o) {
  using tables = words<Style>;
  const auto say = [&](const auto&... parts) { append(out, parts...); };
  for (const option_word& w : tables::of_options)
    if (says(w.says, o)) return say(Style::scope, w.word);
  const std::span<const double> values(o.values.data(), o.values.size());
  if (o.key == "to")
    for (const option_word& w : tables::of_options)
      if (says(w.says, {"type", o.values}))
        return say(Style::scope, "to<", Style::scope, "dtype::", w.word, ">");
  if (o.key == "activation") {
    say(Style::scope, "fused<", Style::scope, "function::", name_of(static_cast<function>(values[0])));
    append_numbers<Style>(out, values.subspan(1), ", ");
    return say(">");
  }
  for (const option_word& w : tables::before_numbers)
    if (w.says.key == o.key) {
      say(Style::scope, w.word, "<");
      append_numbers<Style>(out, values);
      return say(">");
    }
  say(Style::scope, "option<");
  Style::quoted(out, o.key);
  append_numbers<Style>(out, values, ", ");
  say(">");
}

/// "a", "b"
template <class Style, class Out>
constexpr void append_names(Out& out, const auto& names) {
  std::string_view before;
  for (const auto& name : names) {
    out += before;
    before = ", ";
    Style::quoted(out, name);
  }
}

}  // namespace detail

/// The layer that declares node n: `called` is its name, `from` what the values are called that it reads; none if it
/// reads the layer before it.
template <class Style, class Out>
constexpr void append_layer(Out& out, const graph_view& g, const node& n, const spelled_options& options,
                            std::string_view called, const auto& from) {
  const layer_word* const word = detail::word_for<Style>(n.type, options);
  std::string_view said;
  if (word) {
    append(out, Style::scope, word->word, "<");
    Style::quoted(out, called);
  } else {
    said = detail::append_word_with_arguments<Style>(out, g, n, called);
    if (said.empty()) {
      std::string_view spelling = n.type->spelling();
      if (Style::scope.empty() && spelling.starts_with("ctnn::")) spelling.remove_prefix(6);
      append(out, Style::scope, "layer<", spelling, ", ");
      Style::quoted(out, called);
    }
  }
  if (from.size() > 0) {
    append(out, ", ", Style::scope, "from<");
    detail::append_names<Style>(out, from);
    out += ">";
  }
  for (const spelled_option& o : options) {
    if ((word && detail::says(*word, o)) || o.key == said) continue;
    out += ", ";
    detail::append_option<Style>(out, o);
  }
  out += ">";
}

/// tied<...>: the names of weights that are one.
template <class Style, class Out>
constexpr void append_tied(Out& out, const auto& names) {
  append(out, Style::scope, "tied<");
  detail::append_names<Style>(out, names);
  out += ">";
}

/// output<...>: the outputs' public names, and the values they are.
template <class Style, class Out>
constexpr void append_outputs(Out& out, const auto& publicly, const auto& values) {
  bool same = true;
  for (std::size_t i = 0; i < values.size(); ++i)
    same = same && std::string_view(publicly[i]) == std::string_view(values[i]);
  append(out, Style::scope, same ? "output<" : "named_output<");
  if (!same) {
    append(out, Style::scope, "from<");
    detail::append_names<Style>(out, publicly);
    append(out, ">, ", Style::scope, "from<");
  }
  detail::append_names<Style>(out, values);
  out += same ? ">" : ">>";
}

}  // namespace ctnn::ir
