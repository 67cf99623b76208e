// SPDX-License-Identifier: BSL-1.0
// The list of layers that a function called, as a constant: what network_of (network.hpp) is of a list.
#pragma once

#include <tuple>

#include "declared.hpp"

namespace ctnn::detail {

/// How much a list of called layers is.
struct record_sizes {
  std::size_t letters = 0, numbers = 0, options = 0, names = 0, entries = 0;

  constexpr bool fits_in(const record_sizes& s) const {
    return letters <= s.letters && numbers <= s.numbers && options <= s.options && names <= s.names &&
           entries <= s.entries;
  }
};

// What forward() may give.
constexpr outputs outputs_of(const value& v) { return {{{}, v}}; }
constexpr outputs outputs_of(const outputs& all) { return all; }
template <class List>
requires requires(const List& l) { l.data(); }
constexpr outputs outputs_of(const List& list) {
  outputs all;
  for (const value& v : list) all.all.push_back({{}, v});
  return all;
}
template <class... Values>
constexpr outputs outputs_of(const std::tuple<Values...>& list) {
  return std::apply([](const auto&... v) { return outputs{{{}, v}...}; }, list);
}
template <class A, class B>
constexpr outputs outputs_of(const std::pair<A, B>& list) {
  return {{{}, list.first}, {{}, list.second}};
}
constexpr outputs outputs_of(const recurrent_values& v) { return {{{}, v.output}, {{}, v.h}}; }
constexpr outputs outputs_of(const lstm_values& v) { return {{{}, v.output}, {{}, v.h}, {{}, v.c}}; }

/// Made in place: its records point to its letters and numbers.
template <record_sizes Size>
struct written_record {
  record_sizes needed{};
  bool fits = false;
  int unread = ir::none;          ///< a layer that nobody reads
  mistake wrong = mistake::none;  ///< with the function itself
  // Arrays of the language: compilers count the steps of std::array's functions.
  char letters[Size.letters + 1]{};
  double numbers[Size.numbers + 1]{};
  ir::option_record options[Size.options + 1]{};
  std::string_view names[Size.names + 1]{};
  layer_record entries[Size.entries + 1]{};
  source_line lines[Size.entries + 1]{};

  constexpr void write(call_recorder& m, const outputs& result) {
    for (const outputs::named& o : result.all) m.read(o.v);
    if (result.all.empty()) wrong = mistake::no_values;
    const auto calls = m.calls();
    for (std::size_t i = 0; i < calls.size() && unread == ir::none; ++i)
      if (!calls[i].is_read && !calls[i].may_be_unread && calls[i].type != &ir::type_of<op::input>)
        unread = static_cast<int>(i);
    measure(m, result);
    fits = needed.fits_in(Size);
    if (fits) fill(m, result);
  }

 private:
  /// The last layer's result is the network's output without a word.
  static constexpr bool is_plain(const call_recorder& m, const outputs& result) {
    if (result.all.size() != 1 || !result.all[0].name.empty()) return false;
    const value& v = result.all[0].v;
    return v.recorder == &m && v.layer + 1 == static_cast<int>(m.calls().size()) &&
           v.output + 1 == m.calls()[static_cast<std::size_t>(v.layer)].outputs;
  }
  static constexpr std::size_t extra_letters(const call_recorder& m, const value& v) {
    if (v.recorder != &m || m.calls()[static_cast<std::size_t>(v.layer)].outputs == 1) return 0;
    return static_cast<std::size_t>(m.calls()[static_cast<std::size_t>(v.layer)].name.count) + (v.output > 9 ? 3 : 2);
  }
  constexpr void measure(const call_recorder& m, const outputs& result) {
    const bool plain = is_plain(m, result);
    needed.letters = m.letters().size();
    needed.numbers = m.numbers().size();
    needed.options = m.options().size();
    needed.entries = m.calls().size() + m.ties().size() + (plain ? 0 : 1);
    needed.names = m.reads().size() + 2 * m.ties().size() + (plain ? 0 : 2 * result.all.size());
    for (const value& v : m.reads()) needed.letters += extra_letters(m, v);
    for (const outputs::named& o : result.all) needed.letters += plain ? 0 : extra_letters(m, o.v);
    for (const recorded_call& c : m.calls()) {
      needed.options += c.said_by_word.size();
      if (c.same_as == ir::none) continue;
      ++needed.entries;
      needed.names += 2;
    }
  }

  std::size_t letter_ = 0, name_ = 0, option_ = 0, entry_ = 0;

  constexpr std::string_view text(ir::range r) const { return {letters + r.first, static_cast<std::size_t>(r.count)}; }
  constexpr std::string_view name_of(const call_recorder& m, const value& v) {
    if (v.recorder != &m) return {};
    const std::string_view name = entries[static_cast<std::size_t>(v.layer)].name;
    if (m.calls()[static_cast<std::size_t>(v.layer)].outputs == 1) return name;
    const std::size_t begin = letter_;
    for (char c : name) letters[letter_++] = c;
    letters[letter_++] = '.';
    if (v.output > 9) letters[letter_++] = static_cast<char>('0' + v.output / 10);
    letters[letter_++] = static_cast<char>('0' + v.output % 10);
    return {letters + begin, letter_ - begin};
  }
  constexpr std::span<const std::string_view> names_since(std::size_t begin) const {
    return {names + begin, name_ - begin};
  }
  constexpr void tie(std::string_view first, std::string_view second, bool layers) {
    layer_record& e = entries[entry_++];
    const std::size_t begin = name_;
    names[name_++] = first;
    names[name_++] = second;
    e.from = names_since(begin);
    e.ties = true;
    e.ties_layers = layers;
  }

  constexpr void fill(const call_recorder& m, const outputs& result) {
    const double* const said = m.numbers().data();
    for (std::size_t i = 0; i < needed.numbers; ++i) numbers[i] = said[i];
    const char* const from = m.letters().data();
    letter_ = m.letters().size();
    for (std::size_t i = 0; i < letter_; ++i) letters[i] = from[i];
    const value* const reads = m.reads().data();
    const recorded_option* const said_options = m.options().data();
    for (const recorded_call& c : m.calls()) {
      lines[entry_] = c.at;
      layer_record& e = entries[entry_];
      e.type = c.type;
      e.name = text(c.name);
      e.reads_previous = false;
      const std::size_t begin = name_, first = option_;
      for (int i = c.reads.first; i < c.reads.first + c.reads.count; ++i) names[name_++] = name_of(m, reads[i]);
      e.from = names_since(begin);
      for (const ir::option_record& o : c.said_by_word) options[option_++] = o;
      for (int i = c.options.first; i < c.options.first + c.options.count; ++i) {
        const recorded_option& o = said_options[i];
        options[option_++] = {o.key, {numbers + o.numbers.first, static_cast<std::size_t>(o.numbers.count)}};
      }
      e.options = {options + first, option_ - first};
      ++entry_;
    }
    const std::size_t layers = entry_;
    for (std::size_t i = 0; i < layers; ++i)
      if (const int same = m.calls()[i].same_as; same != ir::none)
        tie(entries[static_cast<std::size_t>(same)].name, entries[i].name, true);
    for (const tie_of_names& t : m.ties()) tie(text(t.first), text(t.second), false);
    if (is_plain(m, result)) return;
    layer_record& e = entries[entry_++];
    std::size_t begin = name_;
    for (const outputs::named& o : result.all) names[name_++] = name_of(m, o.v);
    e.from = names_since(begin);
    begin = name_;
    for (std::size_t i = 0; i < result.all.size(); ++i)
      names[name_++] = result.all[i].name.empty() ? e.from[i] : result.all[i].name;
    e.output_names = names_since(begin);
  }
};

/// Where one line of forward() is wrong the compiler has said so, and need not say it of every constant made of it.
template <class Net>
concept gives_values = requires(graph& m) {
  outputs_of(Net::forward(m));
};
template <class Net>
struct forward_run {
  static constexpr int once() {
    graph m;
    (void)Net::forward(m);
    return 0;
  }
};
template <class Net>
concept runs_in_compiler = gives_values<Net> && requires {
  typename std::integral_constant<int, forward_run<Net>::once()>;
};

/// What forward() calls.
template <class Net>
struct record_of {
  static constexpr written_record<record_sizes{}> first = [] {
    written_record<record_sizes{}> none_of_them;
    none_of_them.wrong = gives_values<Net> ? mistake::not_constant : mistake::no_values;
    none_of_them.fits = true;
    return none_of_them;
  }();
};
/// Once for networks of up to 128 layers, twice for others.
template <runs_in_compiler Net>
struct record_of<Net> {
  template <record_sizes Size>
  struct in_size : written_record<Size> {
    constexpr in_size() {
      graph m;
      this->write(m, outputs_of(Net::forward(m)));
    }
  };
  static constexpr in_size<record_sizes{4096, 1024, 768, 512, 144}> first{};
};
template <class Net>
struct record_exactly_of {
  static constexpr typename record_of<Net>::template in_size<record_of<Net>::first.needed> result{};
};
template <class Net>
constexpr const auto& written() {
  if constexpr (record_of<Net>::first.fits) return record_of<Net>::first;
  else return record_exactly_of<Net>::result;
}

/// What declared<Net> has of network_of.
template <class Net>
struct recorded_network {
  using network_type = recorded_network;
  using operator_struct = void;
  static constexpr bool has_groups = true;  // layers_of asks for the list that canonical<Net> is

  static constexpr std::span<const layer_record> flat() {
    return {written<Net>().entries, written<Net>().needed.entries};
  }
  static constexpr std::size_t size = count_layers(flat());
  template <fixed_string Name>
  static constexpr bool has = has_layer(flat(), Name);

  /// The line of the program that a layer is in.
  static constexpr source_line line_of(std::string_view layer) {
    for (std::size_t i = 0; i < flat().size(); ++i)
      if (flat()[i].name == layer) return written<Net>().lines[i];
    return {};
  }
  /// A mistake with the line it is in; without one, what nobody reads.
  static constexpr problem_report located(const problem_report& found) {
    const auto& calls = written<Net>();
    if (calls.wrong != mistake::none) return {{calls.wrong}, "forward"};
    if (!found.found && calls.unread == ir::none) return {};
    const auto i = static_cast<std::size_t>(calls.unread);
    const problem_report said =
        found.found ? found : problem_report{{mistake::unread_layer, flat()[i].type->name}, flat()[i].name};
    const source_line at = line_of(said.layer);
    return {said.found, said.layer, at.file, at.line};
  }
};

/// As the list that it is.
template <class Net>
struct list_of<recorded_network<Net>> {
  using type = typename canonical<recorded_network<Net>>::network_type::list;
};
template <class Net>
struct exact_part<recorded_network<Net>> : exact_part<typename list_of<recorded_network<Net>>::type> {};

}  // namespace ctnn::detail

namespace ctnn {

/// The base of a network that is a function: struct net : nn::declared<net> with `static constexpr auto
/// forward(nn::graph& m)`, which gives a value, several (an array, a pair, a tuple), or outputs with names.
template <class Net>
struct declared {
  using network_type = detail::recorded_network<Net>;
  using operator_struct = void;
  static constexpr layer_record record = canonical<network_type>::network_type::record;

  static constexpr std::span<const layer_record> flat() { return network_type::flat(); }
  static constexpr std::size_t size = network_type::size;
  template <fixed_string Name>
  static constexpr bool has = network_type::template has<Name>;
};

}  // namespace ctnn
