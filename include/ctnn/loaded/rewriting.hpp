// SPDX-License-Identifier: BSL-1.0
// A loaded model's graph expanded, and rewritten.
#pragma once

#include <span>

#include "../base/compiled.hpp"
#include "../rewrite/optimization.hpp"
#include "loaded_model.hpp"

namespace ctnn::ir {

/// The records of default_rules.
std::span<const rule_record> default_rule_records();

/// The graph `source`, whose names are the model's, without what only others compute (rewrite/expansion.hpp).
graph expanded(loaded_model& names, graph source, pool<rewrite_step>& history);

/// The same, rewritten by the rules.
optimization optimize_loaded(loaded_model& names, graph source, std::span<const rule_record> rules,
                             std::size_t most = every_rewrite);

}  // namespace ctnn::ir

#if CTNN_DEFINES(CTNN_PART_REWRITING)

#include "../rewrite/driver.hpp"
#include "../rewrite/expansions.hpp"
#include "../rewrite/rules.hpp"
#include "known_numbers.hpp"

namespace ctnn::ir {

CTNN_ONCE std::span<const rule_record> default_rule_records() { return default_rules::records; }

namespace detail {

inline graph expand_loaded(loaded_model& names, graph source, pool<rewrite_step>& history) {
  struct : name_maker {
    loaded_model* model = nullptr;
    std::string_view operator()(std::string_view of, std::string_view with) override {
      return model->keep(std::string(of) + std::string(with));
    }
  } kept;
  kept.model = &names;
  return default_expansions::apply(std::move(source), kept, history);
}

}  // namespace detail

CTNN_ONCE graph expanded(loaded_model& names, graph source, pool<rewrite_step>& history) {
  share_equal_weights(names, source);
  return detail::expand_loaded(names, std::move(source), history);
}

CTNN_ONCE optimization optimize_loaded(loaded_model& names, graph source, std::span<const rule_record> rules,
                                       std::size_t most) {
  share_equal_weights(names, source);
  note_known_numbers(names, source);
  note_zero_channels(names, source);
  pool<rewrite_step> history;
  optimization o = optimize(detail::expand_loaded(names, std::move(source), history), rules, most);
  history.append(o.history.data(), o.history.size());
  o.history = std::move(history);
  return o;
}

}  // namespace ctnn::ir

#endif
