// SPDX-License-Identifier: BSL-1.0
// The words of functions as a table: which operator each of them calls, and how a call of it is written.
// formats/cpp/declaration.hpp writes with it, as words.hpp writes with the words of lists.
#pragma once

#include "declared.hpp"
#include "words.hpp"

namespace ctnn::ir {

/// A member of an options struct (call_options.hpp), and the operator's field that it sets.
struct option_member {
  std::string_view name, key;
};

/// A word, what it says, and what stands in its parentheses. `takes` has what stands before the options, apart by
/// blanks: `name`; `x`, the next value that it reads; `x...`, the values that are left, or `{x...}`, always in braces;
/// `{shape}`, a list, `{padding}`, the lists before and after in pad's order; `axis=0`, a number or boolean with what
/// the operator has by itself, `keep=true|false` with what the word has by itself, too; `activation.1`, number 1 of an
/// option; a number, which says nothing of the layer. `<>` is first: the word takes the number of results as template
/// argument, and gives an array of them.
struct call_word {
  std::string_view word;
  const operator_type* type;
  std::span<const option_record> says;
  std::string_view takes;
  std::span<const option_member> members;
  bool (*is_boolean)(std::string_view key);  ///< is the operator's field one?
  int results = 1;                           ///< of `<>` any
};

namespace detail {

template <class Options>
struct option_members {
  struct counter {
    std::size_t& count;
    constexpr void operator()(std::string_view, std::string_view) const { ++count; }
  };
  struct writer {
    option_member* to;
    constexpr void operator()(std::string_view name, std::string_view key) { *to++ = {name, key}; }
  };
  static constexpr std::size_t count = [] {
    std::size_t n = 0;
    Options::names(counter{n});
    return n;
  }();
  struct list {
    option_member all[count + 1]{};
    constexpr list() { Options::names(writer{all}); }
  };
  static constexpr list made{};
  static constexpr std::span<const option_member> all{made.all, count};
};

template <class Op>
struct boolean_fields {
  struct finder {
    std::string_view wanted;
    bool found = false;
    template <class Field>
    constexpr void operator()(std::string_view key, const Field&) {
      if constexpr (std::is_same_v<Field, bool>) found = found || key == wanted;
    }
  };
  static bool contain(std::string_view key) {
    finder look{key};
    const Op any{};
    Op::fields(any, look);
    return look.found;
  }
};

// clang-format off
/// Functions of a word that are not in the rows of word_calls.hpp, norm_calls.hpp and number_calls.hpp: the word, its
/// operator, what it takes, how many results it gives, its options, and what it says. Of two rows that say as much of a
/// layer the first one is written.
#define CTNN_OTHER_CALLS(x) \
  x(input, op::input, "name {shape}", 1, input_options) \
  x(parameter, op::constant, "name {shape}", 1, constant_options) \
  x(full, op::full, "{shape} value=0", 1, no_options) \
  x(leaky_relu, op::activation, "x activation.1", 1, no_options, option<"activation", function::leaky_relu>) \
  x(elu, op::activation, "x activation.1", 1, no_options, option<"activation", function::elu>) \
  x(celu, op::activation, "x activation.1", 1, no_options, option<"activation", function::celu>) \
  x(clamp, op::activation, "x activation.1 activation.2", 1, no_options, option<"activation", function::clip>) \
  x(gelu, op::activation, "x", 1, no_options, option<"activation", function::gelu>) \
  x(softplus, op::activation, "x", 1, no_options, option<"activation", function::softplus>) \
  x(add, op::binary, "x scalar=0", 1, no_options) \
  x(sub, op::binary, "x scalar=0", 1, no_options, option<"function", op::binary_function::sub>) \
  x(mul, op::binary, "x scalar=0", 1, no_options, option<"function", op::binary_function::mul>) \
  x(div, op::binary, "x scalar=0", 1, no_options, option<"function", op::binary_function::div>) \
  x(pow, op::binary, "x scalar=0", 1, no_options, option<"function", op::binary_function::pow>) \
  x(rsub, op::binary, "x scalar=0", 1, no_options, option<"function", op::binary_function::rsub>) \
  x(rdiv, op::binary, "x scalar=0", 1, no_options, option<"function", op::binary_function::rdiv>) \
  x(maximum, op::binary, "x scalar=0", 1, no_options, option<"function", op::binary_function::maximum>) \
  x(minimum, op::binary, "x scalar=0", 1, no_options, option<"function", op::binary_function::minimum>) \
  x(div, op::binary, "x x", 1, no_options, option<"function", op::binary_function::div>) \
  x(pow, op::binary, "x x", 1, no_options, option<"function", op::binary_function::pow>) \
  x(remainder, op::remainder, "x x", 1, no_options) \
  x(fmod, op::remainder, "x x", 1, no_options, option<"truncated", 1>) \
  x(isnan, op::is_nan, "x", 1, no_options) \
  x(isinf, op::is_inf, "x", 1, no_options) \
  x(bitwise_not, op::bitwise_not, "x", 1, no_options) \
  x(where, op::where, "x x x", 1, no_options) \
  x(reshape, op::reshape, "x {shape}", 1, no_options) \
  x(unflatten, op::reshape, "x axis=0 {shape}", 1, no_options, option<"one_axis", 1>) \
  x(permute, op::permute, "x {order}", 1, no_options) \
  x(expand, op::expand, "x {shape}", 1, no_options) \
  x(tile, op::tile, "x {repeats}", 1, no_options) \
  x(pad, op::pad, "x {padding}", 1, no_options) \
  x(split, op::split, "<> x {sizes} axis=0|0", 0, no_options) \
  x(sum, op::reduce, "x {axes}=|{} keep=true|false", 1, no_options) \
  x(mean, op::reduce, "x {axes}=|{} keep=true|false", 1, no_options, option<"function", op::reduction::mean>) \
  x(amax, op::reduce, "x {axes}=|{} keep=true|false", 1, no_options, option<"function", op::reduction::max>) \
  x(amin, op::reduce, "x {axes}=|{} keep=true|false", 1, no_options, option<"function", op::reduction::min>) \
  x(prod, op::reduce, "x {axes}=|{} keep=true|false", 1, no_options, option<"function", op::reduction::prod>) \
  x(logsumexp, op::reduce, "x {axes}=|{} keep=true|false", 1, no_options, \
    option<"function", op::reduction::log_sum_exp>) \
  x(norm, op::reduce, "x 1 {axes}=|{} keep=true|false", 1, no_options, option<"function", op::reduction::l1>) \
  x(norm, op::reduce, "x 2 {axes}=|{} keep=true|false", 1, no_options, option<"function", op::reduction::l2>) \
  x(argmax, op::arg_reduce, "x axis=0 keep=true|false", 1, no_options) \
  x(argmin, op::arg_reduce, "x axis=0 keep=true|false", 1, no_options, option<"largest", 0>) \
  x(topk, op::topk, "x k=0 axis=-1|-1 largest=true|true", 2, no_options) \
  x(index_select, op::gather, "x axis=0 x", 1, no_options) \
  x(gather, op::gather_elements, "x axis=0 x", 1, no_options) \
  x(det, op::det, "x", 1, no_options) \
  x(attention, op::attention, "{x...}", 1, attention_options) \
  x(rnn, op::rnn, "name x...", 2, rnn_options) \
  x(gru, op::gru, "name x...", 2, gru_options) \
  x(lstm, op::lstm, "name x...", 3, lstm_options)
// clang-format on

/// An option, if it is not what the layer has without it.
template <auto Function>
using unless_first = std::conditional_t<static_cast<int>(Function) == 0, from<>, option<"function", Function>>;

/// The table, made for those who ask.
template <class Asked>
struct call_words {
  template <class Op, class Options>
  static constexpr call_word of(std::string_view word, std::span<const option_record> says, std::string_view takes,
                                int results = 1) {
    return {word, &type_of<Op>, says, takes, option_members<Options>::all, boolean_fields<Op>::contain, results};
  }
#define CTNN_ROW(word, Op, takes, results, Options, ...) \
  of<typename later<Asked, Op>::type, Options>(#word, ctnn::detail::option_records<__VA_ARGS__>::all, takes, results),
#define CTNN_ROW_OF_WORD(word, Options, takes)                                     \
  of<typename later<Asked, ctnn::word<"">>::type::operator_struct, ctnn::Options>( \
      #word, later<Asked, ctnn::word<"">>::type::record.options, takes),
#define CTNN_ROW_OF_NAMED(word, Options) CTNN_ROW_OF_WORD(word, Options, "name x...")
#define CTNN_ROW_OF_ONE(word, Options) CTNN_ROW_OF_WORD(word, Options, "x")
#define CTNN_ROW_OF_TWO(word, Options) CTNN_ROW_OF_WORD(word, Options, "x x")
#define CTNN_ROW_OF_THREE(word, Options) CTNN_ROW_OF_WORD(word, Options, "x x x")
#define CTNN_ROW_OF_SEVERAL(word, Options) CTNN_ROW_OF_WORD(word, Options, "{x...}")
#define CTNN_ROW_OF_FUNCTION(word) \
  CTNN_ROW(word, op::activation, "x", 1, no_options, option<"activation", function::word>)
#define CTNN_ROW_OF_COMPARISON(word, name) \
  CTNN_ROW(word, op::compare, "x x", 1, no_options, unless_first<op::comparison::name>)
#define CTNN_ROW_OF_LOGIC(word, name) \
  CTNN_ROW(word, op::logic, "x x", 1, no_options, unless_first<op::logic_function::name>)
  static constexpr call_word all[] = {
      CTNN_OTHER_CALLS(CTNN_ROW)  //
      CTNN_CALLS(CTNN_ROW_OF_NAMED, CTNN_ROW_OF_NAMED, CTNN_ROW_OF_ONE, CTNN_ROW_OF_TWO, CTNN_ROW_OF_THREE,
                 CTNN_ROW_OF_SEVERAL)     //
      CTNN_NORM_CALLS(CTNN_ROW_OF_NAMED)  //
      CTNN_NUMBER_CALLS(CTNN_ROW_OF_FUNCTION, CTNN_ROW_OF_COMPARISON, CTNN_ROW_OF_LOGIC)};
#undef CTNN_ROW_OF_LOGIC
#undef CTNN_ROW_OF_COMPARISON
#undef CTNN_ROW_OF_FUNCTION
#undef CTNN_ROW_OF_SEVERAL
#undef CTNN_ROW_OF_THREE
#undef CTNN_ROW_OF_TWO
#undef CTNN_ROW_OF_ONE
#undef CTNN_ROW_OF_NAMED
#undef CTNN_ROW_OF_WORD
#undef CTNN_ROW
};

}  // namespace detail
}  // namespace ctnn::ir
