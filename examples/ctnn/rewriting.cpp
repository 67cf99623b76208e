// SPDX-License-Identifier: BSL-1.0
#include "rewriting.hpp"

#include <ctnn/base/error.hpp>
#include <ctnn/base/nearest.hpp>
#include <ctnn/kernels/winograd.hpp>
#include <ctnn/loaded/planning.hpp>
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/model/winograd_memory.hpp>
#include <ctnn/rewrite/rule.hpp>

#include <algorithm>
#include <string>

#include "progress.hpp"

namespace tool {

namespace {

/// What --keep names becomes an output of the network, which no rule removes.
void keep_blob(ctnn::loaded_model& m, const std::string& name) {
  const auto alias = m.aliases.find(name);
  const std::string_view called = alias == m.aliases.end() ? std::string_view(name) : alias->second;
  for (const ir::network_output& o : m.network.outputs)
    if (o.name == name) return;
  for (std::size_t v = 0; v < m.network.values.size(); ++v)
    if (m.network.values[v].name == called)
      return ir::add_output(m.network, m.keep(name), static_cast<ir::value_id>(v));
  ir::nearest_name near(name);
  for (const ir::value& v : m.network.values) near.consider(v.name);
  throw usage_error("--keep " + name + ": the model has no such blob" + meant(name, near.name()));
}

void require_rule(const std::string& option, const std::string& name) {
  std::string_view nearest;
  if (!ir::has_rule(ir::default_rule_records(), name, nearest))
    throw usage_error(option + ' ' + name + ": no rule has this name" + meant(name, nearest));
}

}  // namespace

std::string meant(std::string_view asked, std::string_view nearest) {
  const std::size_t shorter = std::min(asked.size(), nearest.size()), longer = std::max(asked.size(), nearest.size());
  const bool begins = shorter >= 3 && asked.substr(0, shorter) == nearest.substr(0, shorter);
  if (nearest.empty() || (!begins && ir::edits_between(asked, nearest) > (longer + 2) / 3)) return "";
  return "; did you mean '" + std::string(nearest) + "'?";
}

std::vector<ir::rule_record> rules_for(const model_source& from) {
  const std::span<const ir::rule_record> all = ir::default_rule_records();
  std::vector<ir::rule_record> rules(all.begin(), all.end());
  if (from.exact)
    std::erase_if(rules, [](const ir::rule_record& r) { return r.info.effect != ir::numerics::exact; });
  const auto names_it = [](const std::vector<std::string>& names, const ir::rule_record& r) {
    return std::find(names.begin(), names.end(), r.info.name) != names.end();
  };
  for (const std::string& name : from.only) require_rule("--only", name);
  for (const std::string& name : from.without) require_rule("--without", name);
  std::erase_if(rules, [&](const ir::rule_record& r) {
    return names_it(from.without, r) || (!from.only.empty() && !names_it(from.only, r));
  });
  return rules;
}

ir::optimization rewrite(ctnn::loaded_model& m, const model_source& how) {
  for (const std::string& name : how.keep) keep_blob(m, name);
  const std::vector<ir::rule_record> rules = rules_for(how);
  ir::graph g = ir::thaw(m.network.view());
  if (how.exact_convolutions) ir::make_convolutions_exact(g);
  ir::optimization o{std::move(g), {}, {}};
  if (how.optimize) {
    const progress busy("rewriting");
    m.prune_below = how.prune_below;
    o = ir::optimize_loaded(m, std::move(o.g), rules);
  }
  if (!o.broken_rule.empty()) throw ctnn::error("rule '" + std::string(o.broken_rule) + "' does not lower the measure");
  if (how.winograd_growth) ir::limit_winograd(o.g, *how.winograd_growth);
  if (how.arena_first.value_or(false)) ir::put_arena_first(o.g, m.network.view());
  return o;
}

}  // namespace tool
