// SPDX-License-Identifier: BSL-1.0
#include "gives.hpp"

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

constexpr float much = 100;  // a score before which e^(all others) is nothing

/// Two keys (1, 0) and (0, 1), whose values are 10 and 20; a query that sees the first, or both alike.
constexpr bool attends() {
  const float keys[] = {1, 0, 0, 1}, values[] = {10, 20}, first[] = {much, 0}, both[] = {0, 0};
  op::attention p;
  p.scale = 1;
  return gives(p, {{{1, 1, 1, 2}, first}, {{1, 1, 2, 2}, keys}, {{1, 1, 2, 1}, values}}, {}, {10}) &&
         gives(p, {{{1, 1, 1, 2}, both}, {{1, 1, 2, 2}, keys}, {{1, 1, 2, 1}, values}}, {}, {15});
}
/// Two heads in rows share keys; the second row of two may see both, the first one alone.
constexpr bool attends_in_rows() {
  const float q[] = {0, 0, 0, 0}, k[] = {1, 2}, v[] = {10, 20};
  op::attention p;
  p.heads = 2;
  p.kv_heads = 1;
  p.causal = true;
  return gives(p, {{{1, 2, 2}, q}, {{1, 2, 1}, k}, {{1, 2, 1}, v}}, {}, {10, 10, 15, 15});
}
/// A mask hides the second of three keys, of which one was there before; they come back together.
constexpr bool remembers() {
  const float q[] = {0}, k[] = {1, 2}, v[] = {30, 60}, mask[] = {0, -1e9f, 0}, past_k[] = {7}, past_v[] = {90};
  op::attention p;
  p.mask = p.past = true;
  return gives(p,
               {{{1, 1, 1, 1}, q},
                {{1, 1, 2, 1}, k},
                {{1, 1, 2, 1}, v},
                {{1, 3}, mask},
                {{1, 1, 1, 1}, past_k},
                {{1, 1, 1, 1}, past_v}},
               {}, {75});
}
/// Values 10, 20, 30 of keys that weigh alike: the windows (10), (10, 20), (20, 30); and of two queries beside them.
constexpr bool slides() {
  const float zeros[] = {0, 0, 0}, values[] = {10, 20, 30};
  op::attention p;
  p.causal = true;
  p.sliding_window = 2;
  op::attention last = p;
  last.lower_right = true;
  const auto by = [&](const op::attention& of, int rows, std::initializer_list<float> want) {
    return gives(of,
                 {{{1, 1, rows, 1}, std::span(zeros).first(static_cast<std::size_t>(rows))},
                  {{1, 1, 3, 1}, zeros},
                  {{1, 1, 3, 1}, values}},
                 {}, want);
  };
  return by(p, 3, {10, 15, 25}) && by(p, 2, {10, 15}) && by(last, 3, {10, 15, 25}) && by(last, 2, {15, 25});
}
static_assert(attends() && attends_in_rows() && remembers() && slides());

}  // namespace

TEST_CASE("attention by hand") { CHECK((attends() && attends_in_rows() && remembers() && slides())); }
