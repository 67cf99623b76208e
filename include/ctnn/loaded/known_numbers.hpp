// SPDX-License-Identifier: BSL-1.0
// What a loaded model's weights tell the rules, which see no numbers: of which constants the inverse exists, which are
// the same, and where channels of zeros are.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "../rewrite/zero_channels.hpp"
#include "equal_numbers.hpp"
#include "folded_weights.hpp"

namespace ctnn::ir {

/// Of booleans it counts whether all are false, or all true.
inline void note_booleans(const array& a, expression& e) {
  const std::span<const std::uint8_t> all = a.elements<std::uint8_t>();
  const auto is = [&](bool yes) {
    return std::all_of(all.begin(), all.end(), [&](std::uint8_t b) { return (b != 0) == yes; });
  };
  e.numbers = is(false) ? numbers_are::zeros : is(true) ? numbers_are::ones : numbers_are::anything;
}

/// Rules divide only by constants that say that they can be divided by, and leave out zeros and ones: of as many
/// numbers as a layer has channels.
inline void note_known_numbers(const loaded_model& source, graph& g) {
  constexpr std::int64_t most_channels = 1 << 16;
  if (source.without_numbers) return;
  const auto note = [&](expression& e) {
    const auto at = source.weights.find({e.layer, e.name});
    if (at == source.weights.end() || e.shape.count() > most_channels) return;
    const dtype stored = at->second->type();
    if (e.element == dtype::boolean && stored == dtype::boolean) return note_booleans(*at->second, e);
    if (!(e.element == dtype::f32 || is_narrow(e.element)) || !(stored == dtype::f32 || is_narrow(stored))) return;
    const auto look = [&] {
      std::deque<std::vector<float>> memory;
      return static_cast<std::int64_t>(known_of(numbers_of(source, e, memory)));
    };
    const number_source* const from = at->second->source().get();
    e.numbers = static_cast<numbers_are>(from ? from->once(number_source::question::numbers_are, look) : look());
  };
  for (const node& n : g.nodes)
    for (const expression_id w : g.view().weights(n))
      if (expression& e = g.expressions[static_cast<std::size_t>(w)];
          !e.type && (n.type == &type_of<op::constant> || e.shape.rank == 1))
        note(e);
}

/// A look at few of a file's floats, some at a time: no row that begins with 0, no column whose first number is 0, no
/// channel of zeros. Numbers from -below to below count as zeros.
inline bool may_have_zero_channels(const number_source& from, const extents& shape, float below = 0) {
  if (shape.rank < 1 || shape.count() == 0) return false;
  const auto count = static_cast<std::size_t>(shape.count());
  const auto row = static_cast<std::size_t>(shape.count(1, shape.rank));
  const std::size_t each = shape.rank > 1 ? static_cast<std::size_t>(shape.count(2, shape.rank)) : 1;
  constexpr std::size_t at_once = 16384, worth_a_read = 2048;  // numbers
  std::vector<float> some(std::min(count, at_once));
  // Of numbers 0, step, 2 * step ... below `end`. Those that are near each other are read with all between them.
  const auto any_zero = [&](std::size_t end, std::size_t step) {
    for (std::size_t at = 0; at < end;) {
      const std::size_t now = step < worth_a_read ? std::min((some.size() - 1) / step * step + 1, end - at) : 1;
      from.part(at * sizeof(float), std::as_writable_bytes(std::span(some).first(now)));
      for (std::size_t i = 0; i < now; i += step)
        if (some[i] <= below && some[i] >= -below) return true;
      at += (now - 1) / step * step + step;
    }
    return false;
  };
  return any_zero(count, row) || any_zero(row, each);
}

/// Rules leave out channels of zeros of layers with weights. Those of gigabytes are not read for it.
inline void note_zero_channels(const loaded_model& source, graph& g) {
  constexpr std::int64_t most_numbers = 1 << 22;
  if (source.without_numbers) return;
  const auto note = [&](expression& e) {
    const auto at = source.weights.find({e.layer, e.name});
    if (e.type || at == source.weights.end() || e.shape.count() > most_numbers) return;
    const array& a = *at->second;
    const bool fits = static_cast<std::int64_t>(a.size()) == e.shape.count();
    const bool floats = e.element == dtype::f32 && (a.type() == dtype::f32 || is_narrow(a.type()));
    if (!fits || !(floats || (is_integer(e.element) && a.type() == e.element))) return;
    const number_source* const from = a.source().get();
    const auto look_at = [&](const array& numbers) {
      std::deque<std::vector<float>> memory;
      const typed_span all = floats ? typed_span(numbers_of(numbers, e, memory)) : span_of(numbers);
      all.visit([&]<class T>(const T* first, std::size_t) {
        if constexpr (std::is_same_v<T, float>) note_zero_channels(g, e, first, source.prune_below);
        else if constexpr (may_be_zero_channels<T>) note_zero_channels(g, e, first);
      });
    };
    const auto look = [&] {
      if (from && from->has_parts() && a.type() == dtype::f32 &&
          !may_have_zero_channels(*from, e.shape, source.prune_below))
        return std::int64_t{0};
      // What a source gives is read for this look alone.
      if (from) look_at(array(a.shape(), a.type(), a.source()));
      else look_at(a);
      return std::int64_t{e.fields.count != 0};
    };
    if (!from) look();
    else if (from->once(number_source::question::zero_channels, look) == 1 && e.fields.count == 0) look();
  };
  for (const node& n : g.nodes)
    if (has_channels(*n.type))
      for (const expression_id w : g.view().weights(n)) note(g.expressions[static_cast<std::size_t>(w)]);
}

/// Weights of equal type, shape and bytes are one weight: it is in memory, folded, packed and written once, and what
/// differs by nothing else is a common subexpression. Those of a file without numbers stay apart but for constants, and
/// so do those that have to be computed to be compared.
inline void share_equal_weights(loaded_model& source, graph& g) {
  struct known {
    expression_id e;
    shared_array numbers;
  };
  equal_numbers<known> all;
  std::map<const number_source*, std::vector<known>> by_source;
  for (const node& n : g.nodes)
    for (int k = n.weights.first; k < n.weights.first + n.weights.count; ++k) {
      expression_id& own = g.operands[static_cast<std::size_t>(k)];
      const expression& e = g.view().at_expression(own);
      const auto at = source.weights.find({e.layer, e.name});
      const bool is_constant = n.type == &type_of<op::constant>;
      if (e.type || at == source.weights.end() || (source.without_numbers && !is_constant)) continue;
      shared_array& a = at->second;
      const known mine{own, a};
      const auto same = [&](const known& other) {
        const expression& x = g.view().at_expression(other.e);
        return other.e == mine.e || (x.shape == e.shape && x.element == e.element);
      };
      const known* twin = nullptr;
      if (a->source()) {
        std::vector<known>& readers = by_source[a->source().get()];
        const auto found = std::find_if(readers.begin(), readers.end(), [&](const known& other) {
          return same(other) && other.numbers->type() == a->type();
        });
        if (found == readers.end()) readers.push_back(mine);
        else twin = &*found;
      }
      if (!twin && (is_constant || !a->source() || a->source()->has_parts())) {
        twin = all.find(a, same);
        if (!twin) all.add(mine);
      }
      if (!twin) continue;
      own = twin->e;
      if (twin->numbers->shape() == a->shape()) a = twin->numbers;
    }
}

}  // namespace ctnn::ir
