// SPDX-License-Identifier: BSL-1.0
// Layers that are declared in groups (blocks.hpp) as one flat list with full names: "conv1" of block "layer1.0" is
// "layer1.0.conv1". A group becomes an entry where it begins and one where it ends; lower.hpp knows what they mean.
#pragma once

#include "layers.hpp"

namespace ctnn::detail {

/// Where a name stands: the blocks around it, from the inside. Counted once, for compilers spend more on a letter than
/// on a layer's shape.
struct name_scope {
  const name_scope* outer;
  std::string_view name;
  int number;        ///< of an iteration, instead of a name
  std::size_t size;  ///< letters of a name's prefix, each part with the dot behind it

  constexpr name_scope(const name_scope* around, std::string_view called, int n = -1)
      : outer(around), name(called), number(n), size(size_of(around)) {
    if (!is_empty()) size += (number >= 0 ? digits_of(number) : name.size()) + 1;
  }
  constexpr bool is_empty() const { return number < 0 && name.empty(); }
  static constexpr std::size_t size_of(const name_scope* in) { return in ? in->size : 0; }
  static constexpr std::size_t digits_of(int n) { return n < 10 ? 1 : 1 + digits_of(n / 10); }
};

/// Writes a name's prefix, and goes on behind it.
constexpr void spell_prefix(const name_scope* in, char*& to) {
  if (in == nullptr) return;
  spell_prefix(in->outer, to);
  if (in->is_empty()) return;
  if (in->number >= 0) {
    int power = 1;
    while (in->number / power >= 10) power *= 10;
    for (; power > 0; power /= 10) *to++ = static_cast<char>('0' + in->number / power % 10);
  }
  for (char c : in->name) *to++ = c;
  *to++ = '.';
}

/// Walks a list of declared layers: `emit(record, scope)` is told of each entry of the flat list and where its names
/// stand.
template <class Emit>
class flattening {
 public:
  constexpr explicit flattening(Emit& emit) : emit_(emit) {}

  constexpr void walk(std::span<const layer_record> records, const name_scope* in, bool within) {
    for (const layer_record& r : records) {
      if (r.group == grouping::none) {
        layer_record e = r;
        if (within && r.is_output() && !r.keeps && !r.ties) e.does = entry::result;
        if (within && takes_inputs_ && r.type == &ir::type_of<op::input>) e.does = entry::input;
        any_before_ = any_before_ || e.is_layer();
        emit_(e, in);
      } else {
        group(r, in);
      }
    }
  }

 private:
  constexpr void group(const layer_record& r, const name_scope* in) {
    const bool outer_takes = takes_inputs_;
    // A network within a network that begins with it: its inputs are the network's.
    takes_inputs_ = !r.reads_previous || any_before_ || r.group != grouping::block;
    const name_scope own(in, r.name);
    const name_scope* inside = r.group == grouping::residual ? in : &own;
    layer_record e = r;
    e.does = entry::begin;
    e.reads_previous = r.reads_previous && takes_inputs_;
    e.times = r.name.empty() ? 0 : 1;
    emit_(e, in);
    if (r.group == grouping::repeat) {
      for (int i = 0; i < r.times; ++i) {
        const name_scope numbered(inside, {}, i);
        e = {nullptr, {}, {}, {}, {}, true};
        e.group = grouping::iteration;
        e.parts = r.parts;
        e.part_count = r.part_count;
        e.does = entry::begin;
        emit_(e, &numbered);
        walk({r.parts, r.part_count}, &numbered, true);
        e.does = entry::end;
        emit_(e, &numbered);
      }
    } else {
      walk({r.parts, r.part_count}, inside, true);
    }
    e = r;
    e.from = {};
    e.times = r.name.empty() ? 0 : 1;
    e.does = entry::end;
    any_before_ = any_before_ || e.is_layer();
    emit_(e, in);
    takes_inputs_ = outer_takes;
  }

  Emit& emit_;
  bool any_before_ = false, takes_inputs_ = false;
};

/// The flat list of a network with groups, as constants: its letters, the names that layers read, its entries.
template <class Network>
struct flattened {
  static constexpr void walk(auto&& emit) {
    flattening<std::remove_reference_t<decltype(emit)>>(emit).walk(Network::records, nullptr, false);
  }
  /// An entry's own name, and those that it lists.
  static constexpr void each_name(const layer_record& e, auto&& own, auto&& listed) {
    own(e.name);
    for (std::string_view n : e.from) listed(n);
    for (std::string_view n : e.output_names) listed(n);
  }
  struct sizes {
    std::size_t letters = 0, names = 0, entries = 0;
  };
  /// Names outside of all blocks are as they were, and no letters of `text`.
  static constexpr sizes count = [] {
    sizes n;
    walk([&](const layer_record& e, const name_scope* in) {
      const std::size_t prefix = name_scope::size_of(in);
      const auto name = [&](std::string_view called) { n.letters += prefix > 0 ? prefix + called.size() : 0; };
      each_name(e, name, name);
      n.names += e.from.size() + e.output_names.size();
      ++n.entries;
    });
    return n;
  }();
  static constexpr auto text = [] {
    std::array<char, count.letters + 1> all{};
    char* next = all.data();
    walk([&](const layer_record& e, const name_scope* in) {
      if (name_scope::size_of(in) == 0) return;
      const auto name = [&](std::string_view called) {
        spell_prefix(in, next);
        for (char c : called) *next++ = c;
      };
      each_name(e, name, name);
    });
    return all;
  }();

  /// The names once more, in the order of `text`, as views of it.
  static constexpr void each_view(auto&& own, auto&& listed, auto&& done) {
    const char* at = text.data();
    walk([&](const layer_record& e, const name_scope* in) {
      const std::size_t prefix = name_scope::size_of(in);
      const auto view = [&](std::string_view n) {
        if (prefix == 0) return n;
        const std::string_view full(at, prefix + n.size());
        at += full.size();
        return n.empty() ? full.substr(0, full.size() - 1) : full;  // of the block around it
      };
      each_name(
          e, [&](std::string_view n) { own(view(n)); }, [&](std::string_view n) { listed(view(n)); });
      done(e);
    });
  }
  static constexpr auto names = [] {
    std::array<std::string_view, count.names + 1> all{};
    std::size_t n = 0;
    each_view([](std::string_view) {}, [&](std::string_view name) { all[n++] = name; }, [](const layer_record&) {});
    return all;
  }();
  static constexpr auto records = [] {
    std::array<layer_record, count.entries> all{};
    std::size_t n = 0, listed = 0;
    std::string_view called;
    each_view([&](std::string_view name) { called = name; }, [](std::string_view) {},
              [&](const layer_record& e) {
                layer_record& to = all[n++];
                to = e;
                to.name = called;
                to.from = {names.data() + listed, e.from.size()};
                listed += e.from.size();
                to.output_names = {names.data() + listed, e.output_names.size()};
                listed += e.output_names.size();
              });
    return all;
  }();
};

}  // namespace ctnn::detail
