// SPDX-License-Identifier: BSL-1.0
// What class extractor declares: which steps a value needs, their memory, and running them.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>

#include "../graph/cost.hpp"
#include "../kernels/kernel_call.hpp"
#include "by_sample.hpp"
#include "extractor.hpp"
#include "parts.hpp"
#include "where_it_went.hpp"

namespace ctnn {

CTNN_ONCE extractor::extractor(std::shared_ptr<ir::program_family> programs, std::shared_ptr<ctnn::executor> threads)
    : programs_(std::move(programs)), executor_(std::move(threads)) {
  if (programs_->first() && !programs_->parts()) use(programs_->first());
}

CTNN_ONCE void extractor::set_light_mode(bool light) {
  light_ = light;
  whole_ = false;
  if (in_parts_) {
    in_parts_ = false;
    program_ = nullptr;
    between_.clear();
    earlier_.clear();
  }
  if (program_) set_up();
}

CTNN_ONCE void extractor::input(std::string_view name, array values) {
  if (const auto state = states_.find(name); state != states_.end()) {
    require(name, state->second.shape(), state->second.type(), values, false);
    end_run();
    is_new_ = false;
    state->second = std::move(values);
    return forget();
  }
  if (!program_ || in_parts_ || program_->find_input(name)) return give(name, std::move(values));
  const ir::value_id v = find(name);
  if (is_input(v)) give(program_->g().at_value(v).name, std::move(values));
  else cut(v, name, std::move(values));
}

CTNN_ONCE void extractor::input(std::size_t index, array values) {
  const std::vector<std::string>& names = programs_->inputs;
  if ((program_ && !in_parts_) || names.empty()) {
    for (const model_input& i : (program_ ? *program_ : programs_->require_first()).inputs())
      if (!i.optional && index-- == 0) return give(i.name, std::move(values));
  } else if (index < names.size()) {
    return give(names[index], std::move(values));
  }
  throw error("the model has no input with that index");
}

CTNN_ONCE array extractor::extract(std::string_view name) {
  fit_shapes();
  if (in_parts_ && known(name) == ir::none) {
    if (const auto at = between_.find(name); at != between_.end()) return at->second;
    for (extractor& e : earlier_)
      if (e.known(name) != ir::none) return e.extract(name);
  }
  return read(find(name));
}

CTNN_ONCE std::vector<array> extractor::extract(std::span<const std::string> names) {
  fit_shapes();
  std::vector<ir::value_id> here;
  for (const std::string& name : names)
    if (const ir::value_id v = known(name); v != ir::none) here.push_back(v);
  std::vector<array> computed = begins_run() ? run_with(here) : read_all(here), out;
  auto next = computed.begin();
  for (const std::string& name : names)
    out.push_back(known(name) == ir::none ? extract(name) : std::move(*next++));
  return out;
}

CTNN_ONCE array extractor::extract(std::size_t index) {
  fit_shapes();
  if (index >= program_->outputs().size()) throw error("the model has no output with that index");
  return read(program_->outputs()[index].value);
}

CTNN_ONCE std::vector<std::string> extractor::outputs() {
  fit_shapes();
  std::vector<std::string> names;
  for (const ir::network_output& o : program_->outputs()) names.emplace_back(o.name);
  return names;
}

CTNN_ONCE std::vector<std::string> extractor::carried() {
  fit_shapes();
  return program_->carried_names();
}

CTNN_ONCE void extractor::reset() {
  left_.clear();
  is_new_ = true;
  if (program_) begin_states(*program_);
  connect();
  forget();
}

CTNN_ONCE std::vector<std::string> extractor::values() {
  fit_shapes();
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  };
  for (extractor& e : earlier_)
    for (const std::string& name : e.values()) add(name);
  const ir::graph_view g = program_->source().network.view();
  for (const ir::node& n : g.nodes)
    for (int k = 0; k < n.outputs.count; ++k)
      if (n.type != &ir::type_of<op::constant>) add(g.at_value(n.outputs.first + k).name);
  for (const ir::network_output& o : g.outputs) add(o.name);
  return names;
}

CTNN_ONCE result<void> extractor::try_input(std::string_view name, array values) {
  return attempt([&] { input(name, std::move(values)); });
}

CTNN_ONCE result<void> extractor::try_input(std::size_t index, array values) {
  return attempt([&] { input(index, std::move(values)); });
}

CTNN_ONCE result<array> extractor::try_extract(std::string_view name) {
  return attempt([&] { return extract(name); });
}

CTNN_ONCE result<array> extractor::try_extract(std::size_t index) {
  return attempt([&] { return extract(index); });
}

CTNN_ONCE ir::value_id extractor::known(std::string_view name) const {
  const ir::graph_view g = program_->g();
  for (const ir::network_output& o : g.outputs)
    if (o.name == name) return o.value;
  const auto alias = program_->source().aliases.find(name);
  const std::string_view real = alias == program_->source().aliases.end() ? name : alias->second;
  for (std::size_t v = 0; v < g.values.size(); ++v)
    if (g.values[v].name == real) return static_cast<int>(v);
  return ir::none;
}

CTNN_ONCE ir::value_id extractor::find(std::string_view name) const {
  if (const ir::value_id v = known(name); v != ir::none) return v;
  const auto alias = program_->source().aliases.find(name);
  throw error(where_it_went(*program_, alias == program_->source().aliases.end() ? name : alias->second));
}

CTNN_ONCE bool extractor::is_input(ir::value_id v) const {
  return program_->g().is<op::input>(program_->g().at_value(v).producer);
}

CTNN_ONCE void extractor::require(std::string_view name, const extents& shape, dtype type, const array& values,
                                  bool any_shape) {
  if (values.type() != type)
    throw error("input '" + std::string(name) + "' is " + std::string(name_of(type)) + ", got " +
                std::string(name_of(values.type())));
  if (!any_shape && !(values.shape() == shape))
    throw error("input '" + std::string(name) + "' is " + ir::describe(shape) + ", got " +
                ir::describe(values.shape()));
}

CTNN_ONCE array extractor::beginning_of(const ir::program& code, ir::value_id v) {
  const ir::value& carried = code.g().at_value(v);
  array out(carried.shape, carried.type);
  const int zero = ir::begins_with(code.g(), v);
  const auto fill = [zero]<class T>(std::span<T> numbers) { std::ranges::fill(numbers, static_cast<T>(zero)); };
  if (zero != 0) switch (carried.type) {
      case dtype::i8: fill(out.elements<std::int8_t>()); break;
      case dtype::u8: fill(out.elements<std::uint8_t>()); break;
      case dtype::i16: fill(out.elements<std::int16_t>()); break;
      case dtype::u16: fill(out.elements<std::uint16_t>()); break;
      default: fill(out.elements<std::int32_t>());  // no other has zero points
    }
  return out;
}

CTNN_ONCE bool extractor::begins_run() const {
  return !program_->carried().empty() && (left_.empty() || program_->inputs().empty());
}

CTNN_ONCE void extractor::begin_states(const ir::program& code) {
  if (is_new_) states_.clear();
  for (const ir::program::carried_value& c : code.carried()) {
    const auto there = states_.find(c.name);
    if (there == states_.end()) states_.emplace(c.name, beginning_of(code, c.now));
    else if (const extents& now = code.g().shape(c.now); !(there->second.shape() == now))
      throw error("'" + std::string(c.name) + "', carried from the last run, is " +
                  ir::describe(there->second.shape()) + ", these inputs need " + ir::describe(now) +
                  ": reset() begins anew");
  }
}

CTNN_ONCE void extractor::end_run() {
  for (auto& [name, values] : left_) states_.find(name)->second = std::move(values);
  left_.clear();
}

CTNN_ONCE std::vector<array> extractor::run_with(std::span<const ir::value_id> values) {
  if (!left_.empty()) end_run(), forget();
  is_new_ = false;
  std::vector<ir::value_id> all(values.begin(), values.end());
  for (const ir::program::carried_value& c : program_->carried()) all.push_back(c.next);
  std::vector<array> made = read_all(all);
  for (std::size_t k = 0; k < program_->carried().size(); ++k)
    left_.insert_or_assign(std::string(program_->carried()[k].name), std::move(made[values.size() + k]));
  made.resize(values.size());
  return made;
}

CTNN_ONCE void extractor::give(std::string_view name, array values) {
  end_run();
  if (in_parts_) {  // the last part is for other numbers
    in_parts_ = false;
    program_ = nullptr;
    between_.clear();
    earlier_.clear();
  }
  if (program_) {
    const model_input& i = *program_->find_input(name);
    require(name, i.shape, i.type, values, programs_->can_reshape());
  }
  // What has been fed before is there already, its place in the map does not change.
  const auto before = given_.find(name);
  if (before != given_.end()) before->second = std::move(values);
  else given_.emplace(name, std::move(values));
  if (program_ && program_->inputs().size() == 1) fit_shapes();
  if (before == given_.end() || !program_) connect();
  forget();
}

CTNN_ONCE void extractor::cut(ir::value_id v, std::string_view name, array values) {
  const ir::value& now = program_->g().at_value(v);
  require(name, now.shape, now.type, values, false);
  if (is_nowhere(v)) make_whole();
  end_run();
  cuts_.insert_or_assign(v, std::move(values));
  connect();
  forget();
}

CTNN_ONCE void extractor::connect() {
  fed_.clear();
  if (!program_) return;
  const ir::graph_view g = program_->g();
  for (const ir::node& n : g.nodes)
    if (n.type == &ir::type_of<op::input>)
      for (const arrays_by_name* all : {&given_, &states_, &between_})
        if (const auto found = all->find(g.at_value(n.outputs.first).name); found != all->end())
          fed_[n.outputs.first] = &found->second;
  for (const auto& [v, values] : cuts_) fed_[v] = &values;
}

CTNN_ONCE void extractor::fit_shapes() {
  if (in_parts_ || (program_ && program_->admits(given_))) return;
  try {
    use(prepare());
  } catch (const error& e) {
    if (of_part_) throw;
    std::string changes;
    for (auto i = given_.begin(); i != given_.end();) {
      const model_input* now = program_ ? program_->find_input(i->first) : nullptr;
      if (now && i->second.shape() == now->shape) {
        ++i;
        continue;
      }
      changes += (changes.empty() ? "input '" : ", input '") + i->first + "' of " + ir::describe(i->second.shape());
      i = given_.erase(i);
    }
    connect();
    throw error(changes.empty() ? std::string(e.what()) : changes + ": " + e.what());
  }
}

CTNN_ONCE std::shared_ptr<const ir::program> extractor::prepare() {
  try {
    arrays_by_name all;
    most_of_parts_ = 0;
    earlier_.clear();
    for (ir::program_family* family = programs_.get();;) {
      const auto& fed = family == programs_.get() ? given_ : all;
      std::shared_ptr<const ir::family_parts> parts = family->parts();
      if (!parts) {
        try {
          std::shared_ptr<const ir::program> code = family->at(fed);
          in_parts_ = family != programs_.get();
          between_ = std::move(all);
          return code;
        } catch (const ir::needs_running& at) {
          parts = family->divide(at);
        }
      }
      if (family == programs_.get()) all = given_;
      run_parts(parts, all);
      family = parts->after.get();
    }
  } catch (const ir::not_divisible&) {
    programs_->stay_whole();
    return programs_->at(given_);
  }
}

CTNN_ONCE void extractor::run_parts(const std::shared_ptr<const ir::family_parts>& parts, arrays_by_name& all) {
  const auto extractor_of = [&](const std::unique_ptr<ir::program_family>& family, const ir::network_part& part) {
    extractor e(std::shared_ptr<ir::program_family>(parts, family.get()), executor_);
    e.of_part_ = true;
    e.light_ = light_;
    e.on_step(callback_, context_);
    for (const std::string& name : part.inputs)
      if (const auto at = all.find(name); at != all.end()) e.given_.insert(*at);
    return e;
  };
  const auto bytes_now = [&] {
    std::size_t bytes = bytes_of_earlier();
    for (const auto& [name, values] : all)
      if (!given_.contains(name)) bytes += values.bytes().size();
    return bytes;
  };
  const auto finish = [&](extractor&& e) {
    most_of_parts_ = std::max(most_of_parts_, bytes_now() + e.peak_bytes());
    if (!light_) earlier_.push_back(std::move(e));
  };
  const auto run = [&](const std::unique_ptr<ir::program_family>& family, const ir::network_part& part) {
    extractor e = extractor_of(family, part);
    if (!part.type.empty()) {  // its numbers are computed now
      const auto tell = [&](bool begins) {
        if (callback_) callback_(context_, {.part = &part, .begins = begins});
      };
      tell(true);
      e.fit_shapes();
      tell(false);
    }
    std::vector<array> made = e.extract(part.outputs);
    for (std::size_t k = 0; k < made.size(); ++k) all.insert_or_assign(part.outputs[k], std::move(made[k]));
    finish(std::move(e));
  };
  if (const auto& before = parts->of.before) run(parts->before, *before);
  for (const auto& [name, numbers] : parts->of.constants) all.try_emplace(name, *numbers);
  if (const auto* alone = std::get_if<ir::network_part>(&parts->of.node)) {
    run(parts->node, *alone);
  } else if (const auto* loop = std::get_if<ir::loop_part>(&parts->of.node)) {
    extractor body = extractor_of(parts->node, loop->body);
    body.light_ = true;  // of its values only those that leave it have a name outside
    std::optional<extractor> test;
    if (loop->test) test.emplace(extractor_of(parts->other, *loop->test)).light_ = true;
    const std::size_t before = bytes_now();
    most_of_parts_ = std::max(most_of_parts_, before + ir::run_loop(*loop, body, test ? &*test : nullptr, all));
  } else if (const auto* choice = std::get_if<ir::choice_part>(&parts->of.node)) {
    const bool yes = ir::truth_of(ir::part_value(all, choice->condition), choice->condition);
    const ir::choice_part::branch& chosen = yes ? choice->yes : choice->no;
    extractor branch = extractor_of(yes ? parts->node : parts->other, chosen.graph);
    for (std::size_t k = 0; k < chosen.inputs.size(); ++k)
      branch.input(chosen.inputs[k], ir::part_value(all, choice->given[k]));
    std::vector<std::string> wanted, results;
    for (std::size_t k = 0; k < choice->results.size(); ++k)
      if (!choice->results[k].empty()) wanted.push_back(chosen.outputs[k]), results.push_back(choice->results[k]);
    std::vector<array> made = branch.extract(wanted);
    for (std::size_t k = 0; k < made.size(); ++k) all.insert_or_assign(results[k], std::move(made[k]));
    finish(std::move(branch));
  }
}

CTNN_ONCE std::size_t extractor::bytes_between() const {
  std::size_t bytes = 0;
  for (const auto& [name, values] : between_)
    if (!given_.contains(name)) bytes += values.bytes().size();
  return bytes;
}

CTNN_ONCE std::size_t extractor::bytes_of_earlier() const {
  std::size_t bytes = 0;
  for (const extractor& e : earlier_) bytes += e.peak_bytes();
  return bytes;
}

CTNN_ONCE void extractor::use(std::shared_ptr<const ir::program> code) {
  begin_states(*code);
  side_by_side_.clear();
  together_.clear();
  program_ = std::move(code);
  cuts_.clear();
  set_up();
  connect();
}

CTNN_ONCE extractor::plan_kind extractor::kind_of_plan() const {
  constexpr int few = 4;
  if (!light_) return plan_kind::all_values;
  return whole_ || (executor_ && executor_->width() > few) ? plan_kind::light : plan_kind::cascades;
}

CTNN_ONCE void extractor::set_up() {
  plan_ = program_->plan(kind_of_plan());
  readers_.assign(plan_.placements.size(), 0);
  for (const ir::plan_step& s : plan_.steps)
    for (int p : plan_.ids_of(s.inputs)) ++readers_[at(plan_.root(p))];
  for (int p : plan_.outputs) ++readers_[at(plan_.root(p))];  // outputs stay
  producers_.assign(plan_.placements.size(), ir::none);
  for (std::size_t s = 0; s < plan_.steps.size(); ++s)
    for (int p : plan_.ids_of(plan_.steps[s].outputs)) producers_[at(p)] = static_cast<int>(s);
  beside_.resize(plan_.placements.size());
  std::iota(beside_.begin(), beside_.end(), 0);
  for (std::size_t p = 0; p < beside_.size(); ++p)
    if (const int r = plan_.root(static_cast<int>(p)); at(r) != p) std::swap(beside_[p], beside_[at(r)]);
  memory_ = ir::buffers(plan_.placements.size());
  for (int p : plan_.outputs) {
    const ir::placement& root = plan_.at(plan_.root(p));
    if (!root.external && root.size >= worth_sharing) memory_.set_apart(at(plan_.root(p)));
  }
  forget();
}

CTNN_ONCE void extractor::forget() {
  if (!program_) return;
  done_.assign(plan_.steps.size(), false);
  holds_.assign(plan_.placements.size(), false);
  waiting_ = readers_;
  memory_.release_all();
  steps_run_ = 0;
}

CTNN_ONCE bool extractor::is_nowhere(ir::value_id v) const {
  return producers_[at(v)] == ir::none && plan_.at(v).parent == ir::none && !plan_.at(v).external;
}

CTNN_ONCE void extractor::make_whole() {
  whole_ = true;
  set_up();
}

CTNN_ONCE bool extractor::need(std::span<const int> places) {
  wanted_.assign(plan_.steps.size(), false);
  open_.assign(places.begin(), places.end());
  while (!open_.empty()) {
    const int now = open_.back();
    open_.pop_back();
    if (is_lost(now)) return false;
    if (available(now)) continue;
    const int s = producers_[at(now)];
    if (s == ir::none && plan_.at(now).parent != ir::none) {  // a value described in its other layout
      open_.push_back(plan_.at(now).parent);
      continue;
    }
    if (s == ir::none) {
      const ir::value_id v = plan_.at(now).value;
      throw error("input '" + std::string(program_->g().at_value(v).name) + "' has not been given");
    }
    if (done_[at(s)]) return false;
    if (wanted_[at(s)]) continue;
    wanted_[at(s)] = true;
    for (int in : plan_.ids_of(plan_.steps[at(s)].inputs)) open_.push_back(in);
  }
  return true;
}

CTNN_ONCE bool extractor::available(int p) const { return holds_[at(p)] || is_fed(p) || is_constant(p); }

CTNN_ONCE bool extractor::is_fed(int p) const {
  return p < static_cast<int>(program_->g().values.size()) && fed_.contains(p);
}

CTNN_ONCE bool extractor::is_lost(int p) const {
  if (!is_fed(p) || plan_.at(p).external || holds_[at(p)] || plan_.root(p) != p) return false;
  for (int q = beside_[at(p)]; q != p; q = beside_[at(q)])
    if (holds_[at(q)]) return true;
  return false;
}

CTNN_ONCE void extractor::lose(int p) {
  int q = p;
  do holds_[at(q)] = false;
  while ((q = beside_[at(q)]) != p);
}

CTNN_ONCE bool extractor::is_constant(int p) const {
  const ir::graph_view g = program_->g();
  return p < static_cast<int>(g.values.size()) && g.is<op::constant>(g.at_value(p).producer);
}

CTNN_ONCE array extractor::read(ir::value_id v) {
  return begins_run() ? std::move(run_with({&v, 1})[0]) : read_alone(v);
}

CTNN_ONCE array extractor::read_alone(ir::value_id v) {
  if (const auto at_v = fed_.find(v); at_v != fed_.end()) return *at_v->second;
  compute({&v, 1});
  array out = array_of(v);
  for (int p : held_) finished_with(p);
  return out;
}

CTNN_ONCE void extractor::compute(std::span<const ir::value_id> values) {
  for (ir::value_id v : values)
    if (is_nowhere(v)) {
      make_whole();
      break;
    }
  if (light_ && !callback_)
    if (const ir::program* const one = program_->one_sample(); one && begins_and_ends(values)) run_samples(*one);
  const auto need_all = [&] {
    held_.clear();
    for (ir::value_id v : values) {
      held_.push_back(place_of(v));
      if (has_counted_rows(v)) held_.push_back(v + 1);
    }
    return need(held_);
  };
  if (!need_all()) {
    forget();
    need_all();
  }
  for (int p : held_) ++waiting_[at(plan_.root(p))];  // they stay until they are read
  for (std::size_t s = 0; s < wanted_.size(); ++s)
    if (wanted_[s]) run(static_cast<int>(s));
}

CTNN_ONCE std::vector<array> extractor::read_all(std::span<const ir::value_id> values) {
  std::vector<ir::value_id> computed;
  for (ir::value_id v : values)
    if (!fed_.contains(v)) computed.push_back(v);
  compute(computed);
  std::vector<array> out(values.size());
  std::vector<std::size_t> overwritten;  // by another of them, which took its place
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (fed_.contains(values[k])) out[k] = *fed_.at(values[k]);
    else if (is_there(place_of(values[k]))) out[k] = array_of(values[k]);
    else overwritten.push_back(k);
  }
  for (int p : held_) finished_with(p);
  for (std::size_t k : overwritten) out[k] = read_alone(values[k]);
  return out;
}

CTNN_ONCE bool extractor::is_there(int p) const {
  while (producers_[at(p)] == ir::none && plan_.at(p).parent != ir::none) p = plan_.at(p).parent;
  return available(p);
}

CTNN_ONCE bool extractor::has_counted_rows(ir::value_id v) const {
  const ir::node& maker = program_->g().at(program_->g().at_value(v).producer);
  return maker.type->is.counts_rows && maker.outputs.first == v;
}

CTNN_ONCE bool extractor::can_share(int p) const {
  const int r = plan_.root(p);
  if (!memory_.is_apart(at(r)) || plan_.at(p).order != ir::layout::nchw) return false;
  const auto may_change = [&](int q) { return producers_[at(q)] != ir::none && !done_[at(producers_[at(q)])]; };
  if (may_change(r)) return false;
  for (int q = beside_[at(r)]; q != r; q = beside_[at(q)])
    if (may_change(q)) return false;
  return true;
}

CTNN_ONCE array extractor::array_of(ir::value_id v) {
  const int p = place_of(v);
  ir::tensor from = tensor_at(p);
  if (has_counted_rows(v)) from.shape[0] = *elements<std::int32_t>(tensor_at(v + 1));
  if (can_share(p)) {
    const std::span<const float> all(from.data, static_cast<std::size_t>(ctnn::words(from.shape.count(), from.type)));
    const auto numbers = std::as_bytes(all).first(static_cast<std::size_t>(from.shape.count() * size_of(from.type)));
    return {from.shape, from.type, std::make_shared<ir::numbers_of_run>(memory_.memory_of(at(plan_.root(p))), numbers)};
  }
  array out = array::empty(from.shape, from.type);
  if (from.type == dtype::f32) program_->kernels().convert({out.data(), out.shape(), ir::layout::nchw, 0}, from, {});
  else if (out.size()) std::memcpy(out.bytes().data(), from.data, out.bytes().size());
  return out;
}

CTNN_ONCE int extractor::place_of(ir::value_id v) const {
  if (available(v)) return v;
  const ir::graph_view g = program_->g();
  for (std::size_t k = 0; k < g.outputs.size(); ++k)
    if (g.outputs[k].value == v && available(plan_.outputs[k])) return plan_.outputs[k];
  return v;
}

CTNN_ONCE ir::tensor extractor::tensor_at(int p) {
  const ir::placement& now = plan_.at(p);
  const int r = plan_.root(p);
  float* base = nullptr;
  if (is_fed(r) && plan_.at(r).external) base = const_cast<float*>(numbers_of(*fed_.at(r)));
  else if (is_constant(r)) base = const_cast<float*>(program_->code(program_->g().at_value(r).producer).weights[0]);
  else base = memory_.at(at(r), static_cast<std::size_t>(plan_.at(r).size));
  return {base + plan_.shift(p), program_->g().shape(now.value), now.order, now.pitch,
          program_->g().at_value(now.value).type};
}

CTNN_ONCE const float* extractor::numbers_of(const array& a) {
  return static_cast<const float*>(static_cast<const void*>(a.bytes().data()));
}

CTNN_ONCE ir::tensor extractor::input_tensor(int p) {
  int q = p;  // not what describes it in its other layout
  while (producers_[at(q)] == ir::none && plan_.at(q).parent != ir::none) q = plan_.at(q).parent;
  if (is_fed(q) && !plan_.at(q).external && !holds_[at(q)]) {
    const array& given = *fed_.at(q);
    if (given.type() == dtype::f32)
      program_->kernels().convert(tensor_at(q), {given.data(), given.shape(), ir::layout::nchw, 0}, {});
    else if (given.size()) std::memcpy(tensor_at(q).data, given.bytes().data(), given.bytes().size());
    holds_[at(q)] = true;
  }
  return tensor_at(p);
}

CTNN_ONCE ir::scratch_memory extractor::scratch_of(const ir::plan_step& step) {
  if (step.scratch == ir::none) return {};
  const auto numbers = static_cast<std::size_t>(plan_.at(step.scratch).size);
  return ir::scratch_memory(std::as_writable_bytes(std::span<float>(memory_.at(at(step.scratch), numbers), numbers)));
}

CTNN_ONCE bool extractor::divides_scratch(ir::node_id n) const { return program_->g().at(n).type->is.divides_scratch; }

CTNN_ONCE void extractor::finished_with(int p) {
  const int r = plan_.root(p);
  if (--waiting_[at(r)] > 0 || !light_ || plan_.at(r).external) return;
  lose(r);
  memory_.release(at(r));
}

CTNN_ONCE void extractor::run(int s) {
  const ir::plan_step& step = plan_.steps[at(s)];
  const auto in = plan_.ids_of(step.inputs), out = plan_.ids_of(step.outputs);
  in_.clear();
  out_.clear();
  for (int p : out) memory_.part_from(at(plan_.root(p)));
  for (int p : plan_.own_inputs(step)) in_.push_back(input_tensor(p));
  for (int p : out) out_.push_back(tensor_at(p));
  const auto tell = [&](bool begins) {
    if (callback_) callback_(context_, {program_, step.node, at(s), plan_.ids_of(step.cascade), nullptr, begins});
  };
  tell(true);
  if (step.cascade.count > 0) {
    run_cascade(step);
  } else if (step.node == ir::none) {
    ir::kernel_call{.all = {in_, out_, {}}, .copy = program_->kernels().convert}.run_on(
        executor_.get(), static_cast<double>(in_[0].shape.count()));
  } else if (step.packs != ir::none) {
    const ir::graph_view g = program_->g();
    const ir::node& n = g.at(step.node);
    n.type->pack(g.fields_of(n.fields), step.packs, in_[0].shape, in_[0].data, out_[0].data, ir::channel_block);
  } else {
    const ir::program::node_code& code = program_->code(step.node);
    weights_.clear();
    ir::merge_slots(
        step.given, [&](std::size_t i) { return input_tensor(plan_.given_inputs(step)[i]).data; },
        [&](std::size_t i) { return code.weights[i]; }, code.weights.size(), weights_);
    // Parts would share what a kernel writes to.
    const bool apart = step.scratch == ir::none || divides_scratch(step.node);
    const ir::integer_arguments integers = code.integers(program_->kernels().integers);
    ir::kernel_call{
        .all = {in_, out_, weights_, {}, &integers}, .scratch = scratch_of(step), .run = code.run, .op = code.op.get()}
        .run_on(executor_.get(), code.divides && apart ? code.nanoseconds : 0);
    if (step.scratch != ir::none) memory_.release(at(step.scratch));
  }
  tell(false);
  ++steps_run_;
  done_[at(s)] = true;
  // Written over an input: what was there, and every view of it, is no more.
  for (int p : out)
    for (int q : in)
      if (plan_.at(p).parent == q && step.overwrites) lose(p);
  for (int p : out) holds_[at(p)] = true;
  for (int p : in) finished_with(p);
}

CTNN_ONCE void extractor::run_cascade(const ir::plan_step& step) {
  const ir::graph_view g = program_->g();
  const auto nodes = plan_.ids_of(step.cascade);
  ir::cascade_call call;
  ir::const_tensor from[ir::longest_cascade][2];
  ir::tensor to[ir::longest_cascade];
  for (const int n : nodes) {
    const std::size_t i = at(call.count++);
    const ir::program::node_code& code = program_->code(n);
    const bool last = i + 1 == nodes.size();
    from[i][0] = i == 0 ? in_[0] : to[i - 1];
    if (last && in_.size() > 1) from[i][1] = in_[1];
    const ir::value_id v = g.at(n).outputs.first;
    to[i] = last ? out_[0] : ir::tensor{nullptr, g.shape(v), plan_.at(v).order, plan_.at(v).pitch};
    call.stages[i] = {g.at(n).type, code.op.get()};
    call.all[i] = {{from[i], last ? in_.size() : 1}, {&to[i], 1}, code.weights};
  }
  ir::kernel_call{.scratch = scratch_of(step), .cascade = &call, .run_cascade = program_->kernels().cascade}.run_on(
      executor_.get(), nanoseconds_of(g, nodes));
  memory_.release(at(step.scratch));
}

}  // namespace ctnn
