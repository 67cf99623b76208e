// SPDX-License-Identifier: BSL-1.0
// A loaded model's graph expanded, and rewritten.
#pragma once

#include "../rewrite/driver.hpp"
#include "../rewrite/expansions.hpp"
#include "known_numbers.hpp"

namespace ctnn::ir {

/// The graph `source`, whose names are the model's, without what only others compute (rewrite/expansion.hpp).
inline graph expanded(loaded_model& names, graph source, pool<rewrite_step>& history) {
  struct : name_maker {
    loaded_model* model = nullptr;
    std::string_view operator()(std::string_view of, std::string_view with) override {
      return model->keep(std::string(of) + std::string(with));
    }
  } kept;
  kept.model = &names;
  return default_expansions::apply(std::move(source), kept, history);
}

/// The same, rewritten by the rules.
inline optimization optimize_loaded(loaded_model& names, graph source, std::span<const rule_record> rules,
                                    std::size_t most = every_rewrite) {
  share_equal_constants(names, source);
  note_known_numbers(names, source);
  note_zero_channels(names, source);
  pool<rewrite_step> history;
  optimization o = optimize(expanded(names, std::move(source), history), rules, most);
  history.append(o.history.data(), o.history.size());
  o.history = std::move(history);
  return o;
}

}  // namespace ctnn::ir
