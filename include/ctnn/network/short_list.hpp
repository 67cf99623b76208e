// SPDX-License-Identifier: BSL-1.0
// Lists of layers under short names. Compilers write the arguments of a template into the name of whatever is made with
// it: of a network of 60 layers 12,000 letters, time and again. So a number stands for the list, and lists that are
// equal are one type as before. What list it was is told by a function that the list defines where it is named first
// (a friend, found by its argument): two lists with one number would define it twice, which does not compile.
#pragma once

#include <bit>
#include <type_traits>

#include "../base/compiler.hpp"
#include "../base/hash.hpp"
#include "blocks.hpp"

namespace ctnn {

template <class List>
struct network_of;

namespace detail {

/// A number for a type.
struct type_key {
  std::uint64_t number = 0;
  bool is_whole = true;   ///< no other type of the program has it
  bool is_local = false;  ///< but in other units, for something in it is of an unnamed namespace
};

class type_key_maker {
 public:
  constexpr explicit type_key_maker(std::string_view kind) { add(kind); }

  constexpr void add(std::string_view text) {
    hash_.add(text);
    hash_.add(text.size());
  }
  constexpr void add(double value) { hash_.add(std::bit_cast<std::uint64_t>(value)); }
  constexpr void add(const type_key& part) {
    hash_.add(part.number);
    is_whole_ = is_whole_ && part.is_whole;
    is_local_ = is_local_ || part.is_local;
  }
  constexpr type_key made() const { return {hash_.value, is_whole_, is_local_}; }

  /// Of a type that is all that its name says: no class of a function, no lambda, and none with a value of a class in
  /// its name, of which compilers say a part.
  static constexpr type_key of_name(std::string_view function) {
    const std::size_t begin = function.find("T = ");
    const std::string_view name = function.substr(begin == std::string_view::npos ? 0 : begin);
    type_key_maker key("name");
    key.add(name);
    for (std::size_t i = 0; i + 1 < name.size(); ++i) {
      const char c = name[i];
      bool unnamed = false;
      if (c == '{' || c == '(')
        for (std::string_view scope : {std::string_view("{anonymous}::"), std::string_view("(anonymous namespace)::")})
          if (name.substr(i, scope.size()) == scope) {
            unnamed = true;
            i += scope.size() - 1;
          }
      key.is_local_ = key.is_local_ || unnamed;
      if (!unnamed && (c == '{' || c == '(' || c == '"' || c == '\'' || c == '.')) key.is_whole_ = false;
      if (c == '<' && name.substr(i + 1, 7) == "unnamed") key.is_whole_ = false;
    }
    return key.made();
  }

 private:
  ir::hash_of_text hash_;
  bool is_whole_ = true, is_local_ = false;
};

template <class T>
constexpr const char* name_of_function() {
  return CTNN_FUNCTION;
}

template <class T>
inline constexpr type_key key_of = type_key_maker::of_name(name_of_function<T>());

/// Loops: Clang limits folds to 256 operands.
constexpr type_key key_of_parts(std::string_view kind, std::string_view name, std::initializer_list<type_key> parts) {
  type_key_maker key(kind);
  key.add(name);
  for (const type_key& part : parts) key.add(part);
  return key.made();
}
template <fixed_string... Names>
constexpr type_key key_of_names(std::string_view kind) {
  type_key_maker key(kind);
  for (std::string_view name : {std::string_view{}, Names.view()...}) key.add(name);
  return key.made();
}
template <fixed_string Key, number... Values>
inline constexpr type_key key_of<option<Key, Values...>> = [] {
  type_key_maker key("option");
  key.add(Key.view());
  for (double value : {0.0, Values.value...}) key.add(value);
  return key.made();
}();
template <fixed_string... Names>
inline constexpr type_key key_of<from<Names...>> = key_of_names<Names...>("from");
template <fixed_string... Names>
inline constexpr type_key key_of<output<Names...>> = key_of_names<Names...>("output");
template <fixed_string... Names>
inline constexpr type_key key_of<keep<Names...>> = key_of_names<Names...>("keep");
template <fixed_string... Names>
inline constexpr type_key key_of<tied<Names...>> = key_of_names<Names...>("tied");
template <class Public, class Layers>
inline constexpr type_key key_of<named_output<Public, Layers>> =
    key_of_parts("named_output", {}, {key_of<Public>, key_of<Layers>});
template <class Op, fixed_string Name, class... Options>
inline constexpr type_key key_of<layer<Op, Name, Options...>> =
    key_of_parts("layer", Name, {key_of<Op>, key_of<Options>...});
template <fixed_string Name, class... Parts>
inline constexpr type_key key_of<block<Name, Parts...>> = key_of_parts("block", Name, {key_of<Parts>...});
template <fixed_string Name, class... Parts>
inline constexpr type_key key_of<residual<Name, Parts...>> = key_of_parts("residual", Name, {key_of<Parts>...});
template <fixed_string Name, class... Parts>
inline constexpr type_key key_of<shortcut<Name, Parts...>> = key_of_parts("shortcut", Name, {key_of<Parts>...});
template <fixed_string Name, int Times, class... Parts>
inline constexpr type_key key_of<repeat<Name, Times, Parts...>> =
    key_of_parts("repeat", Name, {key_of<option<"times", Times>>, key_of<Parts>...});
template <class List>
inline constexpr type_key key_of<network_of<List>> = key_of_parts("network", {}, {key_of<List>});

// clang-format off
template <class... Layers>
struct layer_list {
  static_assert(detail::are_complete({sizeof(Layers)...}));
  using parts = parts_or<input<"x", shape<1>>, Layers...>;
  static constexpr std::size_t count = sizeof...(Layers);
  static constexpr bool are_parts = count == 0 || (detail::are_parts<Layers...> && parts::count == count);
};
// clang-format on
template <class... Layers>
inline constexpr type_key key_of<layer_list<Layers...>> = key_of_parts("list", {}, {key_of<Layers>...});

namespace {
/// For the names of types that only this unit of the program has.
struct this_unit;
}  // namespace

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"  // there is one for each number: that is meant
#endif
/// What stands for a list. `Where` is where: void for the whole program.
template <std::uint64_t Number, class Where>
struct short_list {
  friend constexpr auto list_of_number(const short_list*);
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
template <std::uint64_t Number, class Where>
inline constexpr type_key key_of<short_list<Number, Where>>{Number, true, !std::is_void_v<Where>};

/// Says what `Short` stands for.
template <class Short, class List>
struct shortened {
  friend constexpr auto list_of_number(const Short*) { return std::type_identity<List>{}; }
  using type = Short;
};
/// A list's name: short where a number can stand for it.
template <class List, type_key Key = key_of<List>>
struct name_of_list : shortened<short_list<Key.number, void>, List> {};
template <class List, type_key Key>
  requires(Key.is_whole && Key.is_local)
struct name_of_list<List, Key> : shortened<short_list<Key.number, this_unit>, List> {};
template <class List, type_key Key>
  requires(!Key.is_whole)
struct name_of_list<List, Key> {
  using type = List;
};

template <class Name>
struct list_behind {
  using type = Name;
};
template <std::uint64_t Number, class Where>
struct list_behind<short_list<Number, Where>> {
  using type = typename decltype(list_of_number(static_cast<const short_list<Number, Where>*>(nullptr)))::type;
};

}  // namespace detail

/// A network as a type; an alias of this, or better a struct that inherits it. Within another network it is a block
/// without a name: block<"encoder", encoder_network> gives it one.
template <class... Layers>
using network = network_of<typename detail::name_of_list<detail::layer_list<Layers...>>::type>;

}  // namespace ctnn
