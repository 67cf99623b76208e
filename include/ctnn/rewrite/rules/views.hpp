// SPDX-License-Identifier: BSL-1.0
// Layers in a row that only move, take or repeat elements are one map of indices, written as few layers.
#pragma once

#include "../rule.hpp"
#include "../view_chain.hpp"
#include "../view_writer.hpp"

namespace ctnn::rules {

/// reshape, permute, slice, expand, shuffles in a row, down to one that changes nothing  ->  fewer of them, or some
/// that copy less: none, a reshape, a slice, a permute between reshapes, a shuffle ... Those that others read stay for
/// them.
struct one_view {
  static constexpr rule_info info{"one_view",
                                  "flatten|reshape|permute|slice|expand|tile|a shuffle > ... -> fewer of them",
                                  lowers::movable, numerics::exact};
  static constexpr bool any_type = true;
  struct match {
    node_id last = none;
    value_id from = none;
    static_vector<node_id, view_chain::most> own{};  ///< layers that the steps take the place of, from the last
    view_steps steps{};
  };
  using pattern = find::node<view_layers, &match::last>;

  static constexpr reason guard(const rewriter& r, match& m) {
    const value_id y = r.output(m.last);
    if (r.shape(y).count() == 0) return {"it takes nothing"};
    const view_chain chain(r, y);
    const std::string_view before = chain.size() > 1 ? r.name(chain.layer(1)) : std::string_view{};
    reason no = chain.size() > 1 ? reason{"no fewer layers do both", before} : find::detail::another_operator;
    std::size_t gone = 0;
    for (std::size_t all = chain.size(); all > 0; --all) {
      const value_id from = chain.source(all);
      index_map map(r.shape(from));
      view_writer then(r.shape(from));
      if (!chain.map(all, map) || !then.write(map)) {
        no = {"its elements are at no regular distances", before};
        continue;
      }
      match tried{m.last, from, {}, then.steps()};
      for (std::size_t i = 0; i < all && i < chain.own(); ++i) tried.own.push_back(chain.layer(i));
      if (tried.steps.size() > tried.own.size() || !falls(r, tried)) continue;
      if (then.copied() > chain.copied(all)) {
        no = {"what does both copies more", before};
        continue;
      }
      const std::size_t fewer = tried.own.size() - tried.steps.size() + 1;
      if (fewer > gone) m = tried;
      if (fewer > gone) gone = fewer;
    }
    if (gone > 0) return {};
    if (chain.own() == 1 && chain.size() > 1 && !chain.is_part(1))
      return {r.is_output(chain.made_by(1)) ? "its input is a network output too"
                                            : "its input is also read by another layer",
              before, true};
    return no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const std::size_t n = m.steps.size();
    if (n == 0) return r.bypass(m.last, m.from);
    // A layer of its kind gives each its name, from the last.
    std::string_view names[view_chain::most]{};
    unsigned named = 0, said = 0;
    for (const bool alike : {true, false})
      for (std::size_t i = n; i-- > 0;)
        for (std::size_t k = 0; k < m.own.size() && (named >> i & 1u) == 0; ++k) {
          if (said >> k & 1u || (alike && r.at(m.own[k]).type != type_of_step(m.steps[i]))) continue;
          said |= 1u << k;
          named |= 1u << i;
          names[i] = r.name(m.own[k]);
        }
    for (std::size_t k = m.own.size(); k-- > 0;)
      if ((said >> k & 1u) == 0) r.note(r.name(m.own[k]), names[n - 1]);
    value_id x = m.from;
    for (std::size_t i = 0; i < n; ++i) {
      const node_id at = place(m, i);
      m.steps[i].visit(r.shape(x), [&](const auto& op) {
        if (at == m.last) r.become(at, op, names[i], {&x, 1}, {});
        else r.become(at, op, names[i], {&x, 1}, {}, m.steps[i].made);
      });
      x = r.output(at);
    }
  }

 private:
  static constexpr const operator_type* type_of_step(const view_step& s) {
    const operator_type* type = nullptr;
    s.visit(s.made, [&](const auto& op) { type = &type_of<std::remove_cvref_t<decltype(op)>>; });
    return type;
  }
  /// The layer whose place step i takes: of the first, and the last.
  static constexpr node_id place(const match& m, std::size_t i) {
    return i + 1 == m.steps.size() ? m.last : m.own[m.own.size() - 1 - i];
  }
  /// Is the measure (measure.hpp) less with the steps?
  static constexpr bool falls(const rewriter& r, const match& m) {
    if (m.steps.size() < m.own.size()) return true;
    const auto reads = [](const operator_type* t, node_id n) { return is_movable(t) ? n + 1 : 0; };
    measure was, now;
    const auto add = [&](measure& to, const operator_type* t, node_id n, value_id x, const operator_type* x_is) {
      to.tier += t->tier;
      if (t->is.lifts) to.position += n + 1;
      to.movable += reads(x_is, r.producer(x));
      if (n == m.last) to.movable += r.readers(r.output(n)) * reads(t, n);
    };
    value_id x = m.from;
    const operator_type* x_is = r.at(r.producer(x)).type;
    for (std::size_t i = 0; i < m.own.size(); ++i) {
      const node_id old = m.own[m.own.size() - 1 - i], n = place(m, i);
      const operator_type* const t = type_of_step(m.steps[i]);
      add(was, r.at(old).type, old, r.input(old), r.at(r.producer(r.input(old))).type);
      add(now, t, n, x, x_is);
      x = r.output(n);
      x_is = t;
    }
    return now < was;
  }
};

}  // namespace ctnn::rules
