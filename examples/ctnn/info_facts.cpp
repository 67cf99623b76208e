// SPDX-License-Identifier: BSL-1.0
#include "info_facts.hpp"

#include <ctnn/formats/import.hpp>
#include <ctnn/loaded/planning.hpp>

#include <algorithm>
#include <set>

#include "inputs.hpp"
#include "rewriting.hpp"

namespace tool {

namespace {

std::int64_t bytes_of(std::int64_t numbers) { return numbers * static_cast<std::int64_t>(sizeof(float)); }

/// The same for arrays of the same numbers of a file.
const void* identity(const ctnn::array& a) {
  const auto source = a.source();
  return source ? static_cast<const void*>(source.get()) : &a;
}

/// Those that several layers share count once.
std::int64_t weights_of_all(const ir::graph_view& g, const ctnn::loaded_model* numbers) {
  std::int64_t sum = 0;
  std::set<ir::expression_id> known;
  std::set<const void*> read;
  for (const ir::node& n : g.nodes)
    for (ir::expression_id id : g.weights(n)) {
      const ir::expression& e = g.at_expression(id);
      bool is_new = known.insert(id).second;
      if (numbers && !e.type)
        if (const auto at = numbers->weights.find({e.layer, e.name}); at != numbers->weights.end() && at->second)
          is_new = read.insert(identity(*at->second)).second && is_new;
      sum += is_new ? e.shape.count() : 0;
    }
  return sum;
}

totals add_up(const ir::graph_view& g, const ctnn::loaded_model* numbers = nullptr) {
  totals t;
  t.weights = weights_of_all(g, numbers);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    ++t.layers;
    t.macs += ir::macs_of(g, static_cast<int>(i));
  }
  t.arena = bytes_of(ir::plan_loaded(g).arena_size);
  return t;
}

/// What it is if memory comes first.
std::int64_t small_arena(const part& p) {
  ir::graph g = ir::thaw(p.after);
  ir::put_arena_first(g, p.before);
  return bytes_of(ir::plan_loaded(g.view()).arena_size);
}

void count_weights(model_facts& f, const std::vector<const ctnn::loaded_model*>& all) {
  std::set<const void*> known;
  for (const ctnn::loaded_model* m : all) {
    f.zeros = f.zeros || m->without_numbers;
    for (const auto& [name, numbers] : m->weights) {
      if (!numbers || !known.insert(identity(*numbers)).second) continue;
      weights_of_type& of = f.weights[ctnn::name_of(numbers->type())];
      of.count += static_cast<std::int64_t>(numbers->size());
      of.bytes += static_cast<std::int64_t>(numbers->size()) * ctnn::size_of(numbers->type());
    }
  }
}

void count_all(model_facts& f) {
  for (const part& p : f.parts) {
    const auto add = [&](totals& to, const totals& now) {
      to.layers += now.layers, to.weights += now.weights, to.macs += p.turns * now.macs;
      to.arena = std::max(to.arena, now.arena);  // one after the other
      to.small_arena = std::max(to.small_arena, now.small_arena);
    };
    totals before = add_up(p.before, p.source), after = add_up(p.after);
    before.small_arena = bytes_of(ir::loaded_arena_by_layer(p.before));
    after.small_arena = small_arena(p);
    add(f.as_read, before);
    add(f.rewritten, after);
  }
}

const ctnn::declared_value* declared_output(const opened_model& opened, std::string_view name) {
  for (const ctnn::declared_value& v : opened.outputs)
    if (v.name == name && v.ranked) return &v;
  return nullptr;
}

/// For the numbers that are fed, or for made-up ones.
void look_at_parts(model_facts& f) {
  std::vector<const ctnn::loaded_model*> sources;
  for (const ran_part& p : f.run->parts) {
    if (!p.code) continue;
    sources.push_back(&p.code->source());
    f.parts.push_back({p.code->source().network.view(), p.code->g(), p.code->history(),
                       static_cast<std::int64_t>(p.turns), &p.code->source()});
  }
  for (const auto& [name, numbers] : f.run->fed)
    f.inputs.push_back({name, numbers.shape(), numbers.type(), f.opened.find(name)});
  for (const auto& [name, numbers] : f.run->outputs)
    f.outputs.push_back({name, numbers.shape(), numbers.type(), declared_output(f.opened, name)});
  count_weights(f, sources);
}

void look_at(model_facts& f, const model_source& from) {
  ctnn::loaded_model& m = *f.whole;
  count_weights(f, {&m});
  f.optimized = rewrite(m, from);
  const ir::graph_view before = m.network.view();
  f.parts.push_back({before, f.optimized->g.view(), {f.optimized->history.data(), f.optimized->history.size()}, 1, &m});
  for (const ir::node& n : before.nodes)
    if (n.type == &ir::type_of<ctnn::op::input>) {
      const ir::value& v = before.at_value(n.outputs.first);
      auto& list = ir::is_carried(before, n) ? f.carried : f.inputs;
      list.push_back({std::string(v.name), v.shape, v.type, f.opened.find(v.name)});
    }
  for (const ir::network_output& out : before.outputs) {
    if (ir::carried_into(before, out) != ir::none) continue;
    const ir::value& v = before.at_value(out.value);
    f.outputs.push_back({std::string(out.name), v.shape, v.type, declared_output(f.opened, out.name)});
  }
}

}  // namespace

std::int64_t weights_of(const ir::graph_view& g, const ir::node& n) {
  std::int64_t sum = 0;
  for (ir::expression_id e : g.weights(n)) sum += g.at_expression(e).shape.count();
  return sum;
}

std::map<std::string_view, std::int64_t> operators_of(const std::vector<part>& parts, ir::graph_view part::*side) {
  std::map<std::string_view, std::int64_t> counts;
  for (const part& p : parts)
    for (const ir::node& n : (p.*side).nodes)
      if (n.type != &ir::type_of<ctnn::op::input>) ++counts[n.type->name];
  return counts;
}

std::unique_ptr<const model_facts> facts_of(const info_options& options) {
  auto all = std::make_unique<model_facts>();
  model_facts& f = *all;
  f.opened = open(options.model);
  const fed_inputs fed = read_inputs(options.model, f.opened);
  require_inputs(fed, f.opened);
  try {
    f.whole = build_whole(f.opened, fed.runs[0]);
  } catch (const ir::not_supported& e) {
    f.not_supported = e.reasons;
    f.error = e.what();
    return all;
  }
  if (f.whole) {
    look_at(f, options.model);
  } else {
    f.run = run_parts(options.model, f.opened, fed.runs[0]);
    look_at_parts(f);
  }
  count_all(f);
  return all;
}

}  // namespace tool
