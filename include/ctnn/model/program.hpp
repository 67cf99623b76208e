// SPDX-License-Identifier: BSL-1.0
// A loaded network made ready to run: rewritten, planned, its weights folded and packed, its kernels looked up.
// Constant after it is made, so any number of extractors on any number of threads may share it.
#pragma once

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "../base/compiled.hpp"
#include "../base/executor.hpp"
#include "../loaded/array.hpp"
#include "../loaded/loaded_model.hpp"
#include "../loaded/rewriting.hpp"
#include "../loaded/typed_kernels.hpp"
#include "../network/target.hpp"
#include "../plan/plan.hpp"

#if CTNN_DEFINES(CTNN_PART_MODEL)

#include "../graph/cost.hpp"
#include "../loaded/budget.hpp"
#include "../loaded/folded_weights.hpp"
#include "../loaded/planning.hpp"
#include "../weights/packed.hpp"
#include "free_memory.hpp"
#include "packed_weights.hpp"
#include "packing_key.hpp"
#include "samples.hpp"
#include "winograd_memory.hpp"
#endif

namespace ctnn::ir {

/// An operator of the user's for loaded models: its kernel is run(const Op&, const arguments&), found in Op's
/// namespace, or for each target in the file that CTNN_OWN_KERNELS names (which needs ctnn.hpp).
struct custom_operator {
  const operator_type* type;
  loaded_kernel (*kernel)(target_id);
};

/// What rewriting has done to all programs of a model together, of which there may be many, and when it stops.
class rewrite_count {
 public:
  explicit rewrite_count(std::size_t most = every_rewrite) : most_(most) {}

  std::size_t left() const {
    const std::lock_guard hold(mutex_);
    return most_ - applied_;
  }
  std::size_t applied() const {
    const std::lock_guard hold(mutex_);
    return applied_;
  }
  void add(std::size_t applied, span<const rewrite_step> history) {
    const std::lock_guard hold(mutex_);
    applied_ += applied;
    if (applied == 0 || history.empty()) return;
    const rewrite_step& s = history.back();
    last_ = {std::string(s.rule), std::string(s.consumed), std::string(s.into)};
  }
  struct step {
    std::string rule, layer, into;  ///< as in rewrite_step
  };
  step last() const {
    const std::lock_guard hold(mutex_);
    return last_;
  }

 private:
  mutable std::mutex mutex_;
  std::size_t most_, applied_ = 0;
  step last_;
};

struct program_options {
  bool optimize = true;
  std::span<const rule_record> rules = default_rule_records();
  target_id target = best_target();
  std::span<const custom_operator> operators{};
  std::vector<std::string> keep{};
  bool keep_weights = false;
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< of packed weights, and of values between layers
  std::shared_ptr<rewrite_count> rewrites = std::make_shared<rewrite_count>();
  bool exact_convolutions = false;
  double winograd_growth = std::numeric_limits<double>::infinity();
  bool arena_first = false;
  float prune_below = 0;
  std::shared_ptr<ctnn::executor> executor{};  ///< packs weights side by side
};

namespace detail {

template <class Op>
loaded_kernel custom_kernel([[maybe_unused]] target_id target) {
  if constexpr (
      requires(const Op& op, const arguments& a) { run(op, a); } ||
      requires(const Op& op, const arguments& a, scratch_memory m) { run(op, a, m); })
    return {&type_of<Op>, &run_own<Op>, traits_of<Op>.divisible};
  else return kernels_for<operator_list<Op>>(target).table[0];
}

}  // namespace detail

/// Entries for load_options::operators.
template <class... Ops>
inline constexpr custom_operator custom_operators[sizeof...(Ops)] = {{&type_of<Ops>, &detail::custom_kernel<Ops>}...};

class packed_weight;
class packed_weights;

class program {
 public:
  /// What a node needs to run.
  struct node_code {
    loaded_run run = nullptr;
    bool divides = false;    ///< `run` honours arguments::share
    double nanoseconds = 0;  ///< about what it takes on one thread
    std::shared_ptr<const void> op;
    std::vector<const float*> weights;
    std::vector<element> elements{};  ///< of inputs and results, where integers stand for real numbers
    std::size_t inputs = 0;           ///< of `elements`

    ir::integer_arguments integers(const integer_kernels& kernels) const {
      if (elements.empty()) return {&kernels};
      return {&kernels, elements.data(), elements.data() + inputs};
    }
  };

  /// `packed` has the weights of the same model's other programs, if there are any: what they share is in memory once.
  program(loaded_model&& source, const program_options& options, std::shared_ptr<packed_weights> packed = nullptr);

  graph_view g() const { return g_.view(); }
  /// The network as it was read. Its weights are gone, unless program_options::keep_weights said otherwise.
  const loaded_model& source() const { return source_; }
  std::span<const model_input> inputs() const { return inputs_; }
  /// A pair of an input and an output of one name that extractors keep for themselves (plan/carried.hpp).
  struct carried_value {
    std::string_view name;
    value_id now, next;
  };
  std::span<const carried_value> carried() const { return carried_; }
  std::vector<std::string> carried_names() const;
  /// Outputs of the network, without what is carried.
  std::span<const network_output> outputs() const { return outputs_; }
  /// The input called `name`, or null.
  const model_input* find_input(std::string_view name) const;
  /// Whether this is the program for these inputs: their shapes, and the numbers that shapes follow from.
  bool admits(const arrays_by_name& fed) const;
  /// What rewriting did, in order.
  std::span<const rewrite_step> history() const { return history_; }
  /// How many times rewriting changed something.
  std::size_t rewrites() const { return rewrites_; }
  /// Each is made when it is first asked for.
  enum class plan_kind {
    all_values,  ///< every value stays
    light,       ///< operators may write over their inputs
    cascades     ///< besides, values between the layers of a cascade are nowhere
  };
  plan_view plan(plan_kind) const;
  /// The program for one sample of the batch that this one is for, where running them one by one takes less
  /// (samples.hpp) and none tells on another's numbers; else null. Made when it is first asked for, with the weights of
  /// this one.
  const program* one_sample() const;
  const node_code& code(node_id n) const { return code_[static_cast<std::size_t>(n)]; }
  const loaded_kernels& kernels() const { return kernels_; }
  bool has_weights() const { return !weights_.empty(); }
  /// Of packed weights that only this program has now.
  std::size_t weights_bytes() const;
  /// About what is in memory for this program alone.
  std::size_t bytes() const;

 private:
  using weight_name = std::pair<std::string_view, std::string_view>;
  struct weight_to_pack;

  /// For one sample of a batch, with the weights of its program, which outlives it.
  program(const program& batch, graph&& one);
  /// Of an input; as it is said where no operator reads it.
  static extents shape_in(const graph_view& g, const model_input& i);

  static std::int64_t largest_step(const graph_view& g);
  static void require_memory(std::int64_t numbers, const char* what, std::uint64_t limit);
  /// Returns the bytes that were made for this program.
  std::size_t pack_weights(bool keep, packed_weights& packed, ctnn::executor* threads);
  /// Any number of threads may, for different weights.
  void pack_weight(weight_to_pack& w, packed_weights& packed) const;
  bool pack_by_rows(const node& n, int i, float* to) const;
  static void note_leaves(const graph_view& g, expression_id e, int reader, std::map<weight_name, int>& last_reader);
  void look_up_kernels(std::span<const custom_operator> custom);
  /// What the graph says of node n, beside its kernel.
  void look_up_operator(node_id n);

  struct lazy_plan {
    std::once_flag once;
    memory_plan made;
  };
  struct lazy_program {
    std::once_flag once;
    std::unique_ptr<const program> made;
  };

  loaded_model source_;
  graph g_;
  std::vector<rewrite_step> history_;
  std::size_t rewrites_ = 0;
  std::vector<model_input> inputs_;
  std::vector<carried_value> carried_;
  std::vector<network_output> outputs_;
  mutable lazy_plan plans_[3];
  mutable lazy_program one_sample_;
  bool optimized_ = true;
  std::vector<std::shared_ptr<const packed_weight>> weights_;
  std::vector<node_code> code_;
  loaded_kernels kernels_;
  target_id target_;
};

#if CTNN_DEFINES(CTNN_PART_MODEL)

CTNN_ONCE const model_input* program::find_input(std::string_view name) const {
  for (const model_input& i : inputs_)
    if (i.name == name) return &i;
  return nullptr;
}

CTNN_ONCE std::vector<std::string> program::carried_names() const {
  std::vector<std::string> names;
  for (const carried_value& c : carried_) names.emplace_back(c.name);
  return names;
}

CTNN_ONCE bool program::admits(const arrays_by_name& fed) const {
  for (const model_input& i : inputs_) {
    const auto at = fed.find(i.name);
    if (i.optional && i.left_out != (at == fed.end())) return false;
    if (at == fed.end()) {
      if (i.needed) return false;
      continue;
    }
    // Types only part where a part of a network takes what the parts before it made (branches of an If, say).
    if (!(at->second.shape() == i.shape) || at->second.type() != i.type) return false;
    if (i.needed && !same_bytes(at->second, *i.needed)) return false;
  }
  return true;
}

CTNN_ONCE std::size_t program::weights_bytes() const {
  std::map<const packed_weight*, long> held;  // by this program, of which several layers may read one
  for (const auto& w : weights_)
    if (++held[w.get()] == 1 && w->same()) ++held[w->same().get()];
  std::size_t sum = 0;
  for (const auto& w : weights_)
    for (const auto* p : {&w, &w->same()})
      if (*p && std::exchange(held[p->get()], 0) == p->use_count()) sum += (*p)->bytes();
  return sum;
}

CTNN_ONCE program::program(loaded_model&& source, const program_options& options,
                           std::shared_ptr<packed_weights> packed)
    : source_(std::move(source)),
      g_(thaw(source_.network.view())),
      optimized_(options.optimize),
      kernels_(kernels_for<all_operators>(options.target)),
      target_(options.target) {
  if (options.exact_convolutions) make_convolutions_exact(g_);
  if (options.optimize) {
    source_.prune_below = options.prune_below;
    optimization o = optimize_loaded(source_, std::move(g_), options.rules, options.rewrites->left());
    if (!o.broken_rule.empty()) throw error("rule '" + std::string(o.broken_rule) + "' does not lower the measure");
    g_ = std::move(o.g);
    history_.assign(o.history.begin(), o.history.end());
    rewrites_ = o.applied;
    options.rewrites->add(rewrites_, {history_.data(), history_.size()});
  } else {
    pool<rewrite_step> history;
    g_ = expanded(source_, std::move(g_), history);
  }
  limit_winograd(g_, options.winograd_growth);
  if (options.arena_first) put_arena_first(g_, source_.network.view());
  inputs_ = source_.all_inputs();
  for (const network_output& o : g_.outputs)
    if (const value_id now = carried_into(g_.view(), o); now != none) carried_.push_back({o.name, now, o.value});
    else outputs_.push_back(o);
  require_memory(packed_total(g_.view()), "packed weights", options.memory_bytes);
  require_memory(largest_step(g_.view()), "the values of one layer", options.memory_bytes);
  if (!packed) packed = std::make_shared<packed_weights>();
  constexpr std::size_t much = std::size_t{1} << 20;
  if (pack_weights(options.keep_weights, *packed, options.executor.get()) >= much) return_free_memory();
  look_up_kernels(options.operators);
}

CTNN_ONCE program::program(const program& batch, graph&& one)
    : g_(std::move(one)),
      inputs_(batch.inputs_),
      outputs_(batch.outputs_),
      code_(batch.code_),
      kernels_(batch.kernels_),
      target_(batch.target_) {
  for (model_input& i : inputs_) i.shape = shape_in(g(), i);
  for (std::size_t i = 0; i < g_.nodes.size(); ++i) look_up_operator(static_cast<int>(i));
}

CTNN_ONCE extents program::shape_in(const graph_view& g, const model_input& i) {
  for (const node& n : g.nodes)
    if (n.type == &type_of<op::input> && g.at_value(n.outputs.first).name == i.name) return g.shape(n.outputs.first);
  return i.shape;
}

CTNN_ONCE const program* program::one_sample() const {
  std::call_once(one_sample_.once, [&] {
    if (!optimized_ || !carried_.empty() || !pays_apart(g())) return;
    std::optional<graph> one = ir::one_sample(g());
    // Numbers that shapes follow from have to be there whole.
    for (const model_input& i : inputs_)
      if (one && i.needed && !(shape_in(one->view(), i) == i.shape)) one.reset();
    if (one && is_packed_the_same(g(), one->view())) one_sample_.made.reset(new program(*this, std::move(*one)));
  });
  return one_sample_.made.get();
}

CTNN_ONCE plan_view program::plan(plan_kind kind) const {
  lazy_plan& p = plans_[static_cast<std::size_t>(kind)];
  std::call_once(p.once, [&] {
    p.made = plan_loaded(g_.view(), {.in_place = kind != plan_kind::all_values,
                                   .cascades = kind == plan_kind::cascades,
                                   .arena = false});
  });
  return p.made.view();
}

/// Numbers that the node needing most has before it and after it: any run holds these together.
CTNN_ONCE std::int64_t program::largest_step(const graph_view& g) {
  std::int64_t most = 0;
  for (const node& n : g.nodes) {
    std::int64_t sum = 0;
    const auto count = [&](value_id v) { sum += words(g.shape(v).count(), g.at_value(v).type); };
    for (value_id v : g.inputs(n)) count(v);
    for (int i = 0; i < n.outputs.count; ++i) count(n.outputs.first + i);
    sum += words(kernel_scratch_bytes(g, n), dtype::i8);
    most = std::max(most, sum);
  }
  return most;
}

CTNN_ONCE void program::require_memory(std::int64_t numbers, const char* what, std::uint64_t limit) {
  if (numbers < 0 || static_cast<std::uint64_t>(numbers) > limit / sizeof(float))
    throw error(std::string(what) + ": " +
                over_limit(static_cast<std::uint64_t>(numbers) * sizeof(float), limit, "bytes", "memory_bytes"));
}

/// Notes `reader` for every weight as read that expression e is made of.
CTNN_ONCE void program::note_leaves(const graph_view& g, expression_id e, int reader,
                                    std::map<weight_name, int>& last_reader) {
  std::vector<expression_id> open{e};
  std::vector<bool> seen(static_cast<std::size_t>(e) + 1);  // arguments have smaller numbers
  while (!open.empty()) {
    const expression_id now = open.back();
    open.pop_back();
    if (seen[static_cast<std::size_t>(now)]) continue;
    seen[static_cast<std::size_t>(now)] = true;
    const expression& x = g.at_expression(now);
    if (!x.type) last_reader[{x.layer, x.name}] = reader;
    for (expression_id a : g.arguments(x)) open.push_back(a);
  }
}

/// Packs the rows of a large matrix some at a time, as they are read, if that is possible: it would be in memory twice
/// else, and there are networks of which one matrix is nearly all.
CTNN_ONCE bool program::pack_by_rows(const node& n, int i, float* to) const {
  constexpr std::size_t large = std::size_t{1} << 20, at_once = std::size_t{1} << 18;  // numbers
  const graph_view g = g_.view();
  const expression& e = g.at_expression(g.weights(n)[static_cast<std::size_t>(i)]);
  const int slot = slot_of(g.given(n), i);
  if (n.type != &type_of<op::linear> || slot != 0 || e.type || e.element != dtype::f32 || e.shape.rank != 2)
    return false;
  const array& matrix = array_of(source_, e);
  if (!matrix.source() || matrix.type() != dtype::f32 || matrix.size() < large) return false;
  const auto depth = static_cast<std::size_t>(e.shape[1]);
  const int some = static_cast<int>(std::max<std::size_t>(1, at_once / depth / channel_block)) * channel_block;
  std::vector<float> rows;
  for (int first = 0; first < e.shape[0]; first += some) {
    const extents shape{std::min(some, e.shape[0] - first), e.shape[1]};
    rows.resize(static_cast<std::size_t>(shape.count()));
    const std::size_t from = static_cast<std::size_t>(first) * depth;
    if (!matrix.source()->part(from * sizeof(float), std::as_writable_bytes(std::span(rows)))) return false;
    n.type->pack(g.fields_of(n.fields), slot, shape, rows.data(), to + from, channel_block);
  }
  return true;
}

struct program::weight_to_pack {
  const node* n;
  int slot;
  std::int64_t size;
  packing_key key;
  std::shared_ptr<const packed_weight> made{};
  bool is_new = false;  ///< no other program had it
  std::exception_ptr failed{};
};

CTNN_ONCE void program::pack_weight(weight_to_pack& w, packed_weights& packed) const {
  try {
    w.made = packed.get(std::move(w.key), w.size, [&](float* to) {
      w.is_new = true;
      if (pack_by_rows(*w.n, w.slot, to)) return;
      const graph_view g = g_.view();
      folded_weights numbers(source_, g);
      pack_slot(
          g, *w.n, w.slot, [&](int k) { return numbers.elements(g.weights(*w.n)[static_cast<std::size_t>(k)]); }, to);
    });
  } catch (...) {
    w.failed = std::current_exception();
  }
}

/// As the kernels want them. What was read is released as soon as nothing needs it any more.
CTNN_ONCE std::size_t program::pack_weights(bool keep, packed_weights& packed, ctnn::executor* threads) {
  const graph_view g = g_.view();
  code_.resize(g.nodes.size());
  std::map<weight_name, int> last_reader;
  std::vector<weight_to_pack> all;
  packing_key_maker key_of(source_, g);
  std::int64_t total = 0;
  for_each_slot(g, [&](const node& n, int slot, expression_id e, std::int64_t, std::int64_t size, bool) {
    if (!keep) note_leaves(g, e, static_cast<int>(all.size()), last_reader);
    all.push_back({&n, slot, size, key_of(n, slot)});
    total += size;
  });
  std::vector<std::vector<weight_name>> unneeded(all.size());
  for (const auto& [name, last] : last_reader) unneeded[static_cast<std::size_t>(last)].push_back(name);
  // Few at once: what they are made of is in memory as long.
  constexpr std::int64_t worth_threads = std::int64_t{1} << 18;  // numbers
  const bool divides = threads && threads->width() > 1 && total >= worth_threads;
  const std::size_t at_once = divides ? 8 * static_cast<std::size_t>(threads->width()) : 1;
  std::size_t bytes = 0;
  for (std::size_t first = 0; first < all.size(); first += at_once) {
    const auto some = std::span(all).subspan(first, std::min(at_once, all.size() - first));
    auto pack = [&](int i) { pack_weight(some[static_cast<std::size_t>(i)], packed); };
    if (!divides) pack(0);
    else
      threads->run(
          static_cast<int>(some.size()), [](void* work, int i) { (*static_cast<decltype(pack)*>(work))(i); }, &pack);
    for (std::size_t i = 0; i < some.size(); ++i) {
      weight_to_pack& w = some[i];
      if (w.failed) std::rethrow_exception(w.failed);
      if (w.is_new) bytes += static_cast<std::size_t>(w.size) * sizeof(float);
      code_[static_cast<std::size_t>(w.n - g.nodes.data())].weights.push_back(w.made->data());
      weights_.push_back(std::move(w.made));
      for (const weight_name& name : unneeded[first + i]) source_.weights.erase(name);
    }
  }
  if (!keep) source_.weights.clear();
  std::map<const array*, shared_array> anew;
  for (auto& [name, kept] : source_.weights) {
    shared_array& now = anew[kept.get()];
    if (!now) now = taken_anew(kept);
    kept = now;
  }
  return bytes;
}

CTNN_ONCE std::size_t program::bytes() const {
  std::size_t sum = sizeof *this + weights_bytes();
  for (const graph_view& g : {g_.view(), source_.network.view()})
    sum += g.nodes.size_bytes() + g.values.size_bytes() + g.operands.size_bytes() + g.fields.size_bytes() +
           g.expressions.size_bytes();
  for (const std::string& name : source_.names) sum += sizeof name + name.capacity();
  for (const node_code& code : code_)
    sum += sizeof code + code.weights.size() * sizeof(float*) + code.elements.size() * sizeof(element) + 64;
  // Plans, made when they are asked for, have a step a node and a place a value, or two.
  return sum + history_.size() * sizeof(rewrite_step) + code_.size() * 4 * sizeof(plan_step);
}

CTNN_ONCE void program::look_up_operator(node_id n) {
  const node& now = g_.nodes[static_cast<std::size_t>(n)];
  node_code& code = code_[static_cast<std::size_t>(n)];
  code.op = make_operator(*now.type, g_.view().fields_of(now.fields));
  code.nanoseconds = nanoseconds_of(g(), n);
  const pool<element> of = input_elements(g(), now), made = output_elements(g(), now);
  code.elements.assign(of.begin(), of.end());
  code.inputs = of.size();
  code.elements.insert(code.elements.end(), made.begin(), made.end());
  const auto is_real = [](const element& e) { return static_cast<bool>(e.real); };
  if (std::none_of(code.elements.begin(), code.elements.end(), is_real)) code.elements.clear();
}

CTNN_ONCE void program::look_up_kernels(std::span<const custom_operator> custom) {
  const graph_view g = g_.view();
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    look_up_operator(static_cast<int>(i));
    const loaded_kernel kernel = choose_kernel(kernels_, *n.type, takes_vectors(g, n));
    code_[i].run = kernel.run;
    code_[i].divides = kernel.divides && !n.type->refuses(g.fields_of(n.fields));
    for (const custom_operator& c : custom) {
      if (c.type != n.type) continue;
      const loaded_kernel own = c.kernel(target_);
      code_[i].run = own.run;
      code_[i].divides = own.divides;
    }
    if (!code_[i].run && n.type != &type_of<op::input> && n.type != &type_of<op::constant>)
      throw error("layer '" + std::string(n.name) + "': operator '" + std::string(n.type->name) +
                  "' has no kernel; give it in load_options::operators");
  }
}

#endif

}  // namespace ctnn::ir

namespace ctnn {
using ir::custom_operator;
using ir::custom_operators;
}  // namespace ctnn
