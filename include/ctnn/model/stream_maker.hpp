// SPDX-License-Identifier: BSL-1.0
// How a loaded model becomes a stream: its network for the longest block and for one a unit shorter, rewritten and
// planned, as tables (network/block_table.hpp).
#pragma once

#include <algorithm>
#include <limits>

#include "../base/describe.hpp"
#include "../loaded/planning.hpp"
#include "../network/table_writer.hpp"
#include "../rewrite/streaming.hpp"
#include "programs.hpp"
#include "stream.hpp"

namespace ctnn::ir {

namespace detail {

/// Where what a loaded model's table names lies: weights, each a piece of its own, are among the inputs of a run.
struct loaded_places {
  const graph_view* g;
  const plan_view* plan;
  std::vector<value_id> inputs;
  std::vector<int> slots;  ///< of graph::operands: among the weights

  int before_weights() const { return static_cast<int>(inputs.size()) + plan->histories_before(); }
  memory_place weight(int slot) const {
    return {static_cast<std::int16_t>(before_weights() + slots[static_cast<std::size_t>(slot)]), 0};
  }
  memory_place of(int p) const {
    const placement& root = plan->at(plan->root(p));
    const node& producer = g->at(g->at_value(root.value).producer);
    if (root.external && producer.type == &type_of<op::constant>) {
      memory_place at = weight(producer.weights.first);
      at.offset = static_cast<std::ptrdiff_t>(plan->shift(p));
      return at;
    }
    const auto input_of = [&](value_id v) { return std::find(inputs.begin(), inputs.end(), v) - inputs.begin(); };
    return place_in(*g, *plan, p, static_cast<int>(inputs.size()), input_of, [](int) { return 0; });
  }
};

/// A program planned for blocks of its size, as a table.
class loaded_table {
 public:
  /// In the memory of a longer block, if there is one.
  loaded_table(std::shared_ptr<const program> code, const loaded_table* longest)
      : code_(std::move(code)), g_(code_->g()), plan_(plan_in(g_, longest)), view_(plan_.view()) {
    loaded_places places{&g_, &view_, {}, std::vector<int>(g_.operands.size())};
    for (const node& n : g_.nodes)
      if (n.type == &type_of<op::input> && !is_carried(g_, n)) places.inputs.push_back(n.outputs.first);
    inputs_ = places.inputs;
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      int slot = g_.nodes[i].weights.first;
      for (const float* w : code_->code(static_cast<int>(i)).weights) {
        places.slots[static_cast<std::size_t>(slot++)] = static_cast<int>(weights_.size());
        weights_.push_back(w);
      }
    }
    if (places.before_weights() + static_cast<int>(weights_.size()) > std::numeric_limits<std::int16_t>::max())
      throw error("stream: the model has more weights than a table of steps can name");
    const table_writer<loaded_places> writer(g_, view_, std::move(places));
    const auto needed = writer.needed();
    values_.resize(needed.values);
    elements_.resize(needed.elements);
    places_.resize(needed.weights);
    steps_.resize(needed.steps);
    operators_ = needed.operators;
    writer.write_values(values_.data());
    writer.write_elements(elements_.data());
    writer.write_weights(places_.data());
    writer.write_steps(
        steps_.data(), [&](std::size_t i) { return kernel_of(view_.steps[i]).run; },
        [&](std::size_t i) { return nanoseconds_of(g_, view_, view_.steps[i]); });
    for (const value_id v : inputs_) values_.push_back(writer.value_at(v));
    for (std::size_t o = 0; o < g_.outputs.size(); ++o)
      if (carried_into(g_, g_.outputs[o]) == none) outputs_.push_back(static_cast<int>(o));
      else carried_.push_back(static_cast<int>(o));
    for (const int o : outputs_) values_.push_back(writer.value_at(view_.outputs[static_cast<std::size_t>(o)]));
    for (const int o : carried_) values_.push_back(writer.value_at(past(o)));
    for (const int o : carried_) values_.push_back(writer.value_at(view_.outputs[static_cast<std::size_t>(o)]));
  }

  step_table table() const {
    return {{steps_.data(), view_.steps.size()}, values_.data(), places_.data(), elements_.data()};
  }
  const graph_view& g() const { return g_; }
  const plan_view& plan() const { return view_; }
  const program& code() const { return *code_; }
  std::span<const value_id> inputs() const { return inputs_; }
  std::span<const int> outputs() const { return outputs_; }
  std::span<const int> carried() const { return carried_; }
  std::span<const float* const> weights() const { return weights_; }
  std::size_t values() const { return values_.size(); }
  std::size_t layers() const { return steps_.size(); }
  std::size_t operators() const { return operators_; }
  /// The kernel of a step that runs one.
  loaded_kernel kernel_of(const plan_step& s) const {
    if (!s.runs_kernel() || s.cascade.count > 0) return {};
    return {g_.at(s.node).type, code_->code(s.node).run, code_->code(s.node).divides};
  }
  /// The carried input that output o becomes.
  value_id past(int o) const { return carried_into(g_, g_.outputs[static_cast<std::size_t>(o)]); }

 private:
  static memory_plan plan_in(const graph_view& g, const loaded_table* longest) {
    memory_plan plan = plan_loaded(g, for_any_block);
    if (longest) lie_as({plan.placements.begin(), plan.placements.end()}, longest->plan().placements);
    return plan;
  }

  std::shared_ptr<const program> code_;
  graph_view g_;
  memory_plan plan_;
  plan_view view_;
  std::vector<value_id> inputs_;
  std::vector<int> outputs_, carried_;
  std::vector<const float*> weights_;
  std::vector<step_value> values_;
  std::vector<element> elements_;
  std::vector<memory_place> places_;
  std::vector<table_step> steps_;
  std::size_t operators_ = 0;
};

}  // namespace detail

struct loaded_blocks {
  std::shared_ptr<const program_family> programs;             ///< whose names and weights are in the tables
  std::vector<std::unique_ptr<detail::loaded_table>> tables;  ///< of the longest block, and of one a unit shorter
  std::vector<loaded_kernel> kernels;
  std::vector<block_state> states;
  std::vector<stream_signal> inputs, outputs;
  int histories = 0;
  stream_description description;
  bool flush_denormals = true;

  const detail::loaded_table& longest() const { return *tables[0]; }
};

namespace detail {

/// Makes loaded_blocks, step by step.
class loaded_stream_maker {
 public:
  loaded_stream_maker(std::shared_ptr<const program_family> programs, const stream_options& options)
      : programs_(*programs), options_(options), made_(std::make_shared<loaded_blocks>()) {
    made_->programs = std::move(programs);
  }

  std::shared_ptr<const loaded_blocks> make() {
    if (options_.at_most < 1)
      throw error("stream: at_most is " + std::to_string(options_.at_most) + ", needs 1 or more");
    made_->flush_denormals = options_.flush_denormals;
    if (options_.carry.empty()) make_stream();
    else make_as_it_is();
    describe_blocks();
    return made_;
  }

 private:
  arrays_by_name fed() const {
    arrays_by_name inputs;
    for (const auto& [name, shape] : options_.input_shapes) inputs.emplace(name, array(shape));
    return inputs;
  }
  void make_stream() {
    stream_finding found;
    streaming how{0, options_.axis};
    {
      loaded_model whole = programs_.network(fed());
      prewarm_ = whole.prewarm;
      pool<rewrite_step> history;
      const graph g = ir::expanded(whole, std::move(whole.network), history);
      find_stream(g.view(), how, found);
      if (found.error.found && found.error.found.kind != mistake::block_not_a_multiple) refuse(found.error);
      unit_ = unit_of_stream(g.view(), how);
    }
    units_ = units_of_longest(options_.at_most, unit_, found.carried);
    made_->description.receptive_field = found.receptive_field;
    made_->description.delay = found.offsets.empty() ? 0 : found.offsets[0];
    add_both(how);
    if (!carries_any_block()) {
      // Not all histories stay where they are. What is copied is longer than any block, so that it is never of the
      // block alone.
      how.keep = (units_ + 1) * unit_;
      made_->tables.clear();
      add_both(how);
    }
    const loaded_table &a = *made_->tables[0], &b = *made_->tables[1];
    if (a.values() != b.values() || a.layers() != b.layers() ||
        !are_alike(a.table(), b.table(), a.values(), a.layers()) || !has_same_constants(a, b))
      throw error("stream: blocks of " + std::to_string(units_ * unit_) + " and of " +
                  std::to_string((units_ - 1) * unit_) +
                  " samples are computed in different steps; another at_most may do");
    if (!carries_any_block()) throw error("stream: what is carried is not in every block");
  }
  /// Of constants a shorter block has others, and not the first ones of the longer block's.
  static bool has_same_constants(const loaded_table& a, const loaded_table& b) {
    for (std::size_t v = 0; v < a.g().values.size() && v < b.g().values.size(); ++v) {
      const value &x = a.g().values[v], &y = b.g().values[v];
      if (a.g().at(x.producer).type == &type_of<op::constant> && !(x.shape == y.shape)) return false;
    }
    return true;
  }
  void add_both(streaming how) {
    how.block = units_ * unit_;
    add(how);
    how.block -= unit_;
    add(how);
  }
  bool carries_any_block() const {
    const loaded_table &a = *made_->tables[0], &b = *made_->tables[1];
    if (a.values() != b.values()) return true;  // said elsewhere
    for (std::size_t s = 0; s < a.carried().size(); ++s) {
      const std::size_t next = a.values() - a.carried().size() + s;
      const plan_view& plan = a.plan();
      const placement& memory = plan.at(plan.root(plan.outputs[static_cast<std::size_t>(a.carried()[s])]));
      if (memory.advance == 0 &&
          !is_there_in_any(a.table().values[next], b.table().values[next], units_, memory.offset))
        return false;
    }
    return true;
  }
  void add(const streaming& how) {
    loaded_model part = programs_.network(fed());
    pool<rewrite_step> history;
    graph g = ir::expanded(part, std::move(part.network), history);
    struct : name_maker {
      loaded_model* model = nullptr;
      std::string_view operator()(std::string_view of, std::string_view with) override {
        return model->keep(std::string(of) + std::string(with));
      }
    } kept;
    kept.model = &part;
    if (const problem_report p = make_stateful(g, how, kept); p.found) refuse(p);
    part.network = std::move(g);
    part.inputs.clear();  // other sizes
    made_->tables.push_back(std::make_unique<loaded_table>(programs_.make_exact(std::move(part)),
                                                           made_->tables.empty() ? nullptr : made_->tables[0].get()));
  }
  [[noreturn]] static void refuse(const problem_report& p) {
    throw error("stream: layer '" + std::string(p.layer) + "': " + describe(p.found));
  }

  void make_as_it_is() {
    loaded_model whole = programs_.network(fed());
    graph& g = whole.network;
    for (const auto& [in, out] : options_.carry) {
      node* state = nullptr;
      for (node& n : g.nodes)
        if (n.type == &type_of<op::input> && g.view().at_value(n.outputs.first).name == in) state = &n;
      network_output* next = nullptr;
      for (network_output& o : g.outputs)
        if (o.name == out) next = &o;
      if (!state) throw error("stream: carry: the model has no input called '" + in + "'");
      if (!next) throw error("stream: carry: the model has no output called '" + out + "'");
      const value &a = g.view().at_value(state->outputs.first), &b = g.view().at_value(next->value);
      if (!(a.shape == b.shape) || a.type != b.type)
        throw error("stream: carry: input '" + in + "' is " + ir::describe(a.shape) + ", output '" + out + "' is " +
                    ir::describe(b.shape));
      auto fields = decode<op::input>(g.view().fields_of(state->fields));
      fields.carried = true;
      state->fields = g.store_fields_of(fields);
      next->name = state->name;
    }
    whole.inputs.clear();
    made_->tables.push_back(std::make_unique<loaded_table>(programs_.make_exact(std::move(whole)), nullptr));
  }

  /// The axis along which a value is longer in the longer block; of a model as it is the one that options say.
  stream_signal signal_of(const step_value& longest, const step_value* shorter, bool is_input, bool is_first) {
    const extents& s = longest.like.shape;
    int axis = none, unit = 0;
    if (shorter) {
      for (int i = 0; i < s.rank; ++i)
        if (s[i] != shorter->like.shape[i]) axis = i, unit = s[i] - shorter->like.shape[i];
    } else if (is_first) {
      axis = options_.axis == automatic_axis ? s.rank - 1 : normal_axis(options_.axis, s.rank);
      if (axis < 0 || axis >= s.rank)
        throw error("stream: the first input, " + ir::describe(s) + ", has no axis " + std::to_string(options_.axis));
      unit = unit_ = s[axis];
    } else {
      for (int i = 0; i < s.rank; ++i)
        if (s[i] == unit_) axis = i, unit = unit_;
      if (axis == none && !is_input) return {static_cast<int>(s.count()), 1, 1};  // once in each block
    }
    if (axis == none) return {static_cast<int>(s.count()), 1, 0};
    return {static_cast<int>(s.count(0, axis)), static_cast<int>(s.count(axis + 1, s.rank)), unit};
  }

  void describe_blocks() {
    loaded_blocks& m = *made_;
    const loaded_table& a = m.longest();
    for (const plan_step& s : a.plan().steps) m.kernels.push_back(a.kernel_of(s));
    for (const int o : a.carried()) {
      const value_id v = a.past(o);
      const int root = a.plan().root(v);
      const placement& whole = a.plan().at(root);
      m.states.push_back({whole.advance != 0 ? a.plan().histories_before(root) : none, whole.offset, whole.size,
                          begins_with(a.g(), v)});
    }
    m.histories = a.plan().histories_before();
    block_tables& blocks = m.description.blocks;
    blocks = {.longest = a.table(),
              .shorter = m.tables.back()->table(),
              .units = units_,
              .values = a.values(),
              .inputs = a.inputs().size(),
              .outputs = a.outputs().size(),
              .states = {m.states.data(), m.states.size()}};
    const auto signal = [&](std::size_t at, std::string_view name, bool is_input, bool is_first) {
      const step_value& v = blocks.longest.values[at];
      const stream_signal s =
          signal_of(v, m.tables.size() > 1 ? &blocks.shorter.values[at] : nullptr, is_input, is_first);
      if (v.like.type != dtype::f32)
        throw error("stream: '" + std::string(name) + "' is " + std::string(name_of(v.like.type)) +
                    ", streams take and give f32");
      return s;
    };
    for (std::size_t i = 0; i < blocks.inputs; ++i)
      m.inputs.push_back(signal(blocks.input(i), a.g().at_value(a.inputs()[i]).name, true, i == 0));
    for (std::size_t o = 0; o < blocks.outputs; ++o)
      m.outputs.push_back(
          signal(blocks.output(o), a.g().outputs[static_cast<std::size_t>(a.outputs()[o])].name, false, false));
    if (m.inputs.empty() || m.outputs.empty()) throw error("stream: a model without inputs or outputs");
    m.description.signals = {{m.inputs.data(), m.inputs.size()}, {m.outputs.data(), m.outputs.size()}, units_};
    m.description.prewarm = options_.prewarm >= 0 ? options_.prewarm
                            : prewarm_ > 0        ? prewarm_
                                                  : std::max<std::int64_t>(0, m.description.receptive_field - 1);
  }

  const program_family& programs_;
  const stream_options& options_;
  std::shared_ptr<loaded_blocks> made_;
  std::int64_t prewarm_ = 0;  ///< as the file says
  int unit_ = 1, units_ = 1;
};

}  // namespace detail

}  // namespace ctnn::ir

namespace ctnn {

struct model_stream::own {
  explicit own(const ir::loaded_blocks& m)
      : values(m.longest().values()),
        steps(m.longest().layers()),
        fields(count_fields(m)),
        operators(m.longest().operators() / sizeof(std::max_align_t) + 1),
        advanced(static_cast<std::size_t>(m.histories) + 1),
        pointers(m.longest().inputs().size() + static_cast<std::size_t>(m.histories) + m.longest().weights().size() +
                 1),
        inputs(m.inputs.size()),
        arena(static_cast<std::size_t>(m.longest().plan().arena_size) * sizeof(float) / sizeof(line) + 1),
        waiting(m.description.signals.waiting() + 1),
        late(m.description.signals.late() + 1),
        assembled(m.description.signals.assembled() + 1),
        kernels_of_steps(m.kernels) {
    std::copy(m.longest().weights().begin(), m.longest().weights().end(),
              pointers.begin() + static_cast<std::ptrdiff_t>(m.inputs.size()) + m.histories);
    for (std::size_t i = 0; i < m.inputs.size(); ++i)
      if (m.inputs[i].unit == 0) zeros.resize(std::max(zeros.size(), static_cast<std::size_t>(m.inputs[i].channels())));
    for (std::size_t i = 0; i < m.inputs.size(); ++i)
      if (m.inputs[i].unit == 0) inputs[i] = zeros.data();
  }
  own(const own&) = default;
  static std::size_t count_fields(const ir::loaded_blocks& m) {
    std::size_t sum = 1;
    for (std::size_t i = 0; i < m.longest().layers(); ++i) sum += m.longest().table().steps.data()[i].fields.size();
    return sum;
  }

  struct alignas(64) line {
    float numbers[16]{};
  };
  std::vector<ir::step_value> values;
  std::vector<ir::table_step> steps;
  std::vector<double> fields;
  std::vector<std::max_align_t> operators;
  std::vector<std::int32_t> advanced;
  std::vector<const float*> pointers, inputs;
  std::vector<line> arena;
  std::vector<float> waiting, late, assembled, zeros;
  int units = 0, waits = 0;
  std::vector<ir::loaded_kernel> kernels_of_steps;
  ir::loaded_kernels kernels{};
};

CTNN_ONCE model_stream::model_stream(std::shared_ptr<const ir::program_family> programs, const stream_options& options)
    : blocks_(ir::detail::loaded_stream_maker(std::move(programs), options).make()),
      own_(std::make_unique<own>(*blocks_)) {
  own_->kernels = blocks_->longest().code().kernels();
  reset();
}
CTNN_ONCE model_stream::model_stream(model_stream&&) noexcept = default;
CTNN_ONCE model_stream& model_stream::operator=(model_stream&&) noexcept = default;
CTNN_ONCE model_stream::~model_stream() = default;
CTNN_ONCE model_stream::model_stream(const model_stream& other)
    : blocks_(other.blocks_), own_(std::make_unique<own>(*other.own_)) {
  own_->units = 0;  // what points into the other's memory is made anew
  for (std::size_t i = 0; i < own_->inputs.size(); ++i)
    if (other.own_->inputs[i] == other.own_->zeros.data()) own_->inputs[i] = own_->zeros.data();
}

CTNN_ONCE void model_stream::set(std::string_view input, std::span<const float> numbers) {
  const ir::detail::loaded_table& t = blocks_->longest();
  for (std::size_t i = 0; i < t.inputs().size(); ++i) {
    if (t.g().at_value(t.inputs()[i]).name != input || blocks_->inputs[i].unit != 0) continue;
    if (numbers.size() != static_cast<std::size_t>(blocks_->inputs[i].channels()))
      throw error("stream: input '" + std::string(input) + "' has " + std::to_string(blocks_->inputs[i].channels()) +
                  " numbers, got " + std::to_string(numbers.size()));
    own_->inputs[i] = numbers.data();
    return;
  }
  throw error("stream: there is no input '" + std::string(input) + "' beside the sequence");
}

CTNN_ONCE std::size_t model_stream::bytes() const {
  const own& o = *own_;
  const auto of = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return sizeof *this + sizeof o + of(o.values) + of(o.steps) + of(o.fields) + of(o.operators) + of(o.advanced) +
         of(o.pointers) + of(o.inputs) + of(o.arena) + of(o.waiting) + of(o.late) + of(o.assembled) + of(o.zeros);
}
CTNN_ONCE const ir::stream_description& model_stream::description() const { return blocks_->description; }
CTNN_ONCE ir::table_kernels model_stream::kernels() {
  return {own_->kernels, own_->kernels_of_steps,
          static_cast<const std::byte*>(static_cast<const void*>(own_->operators.data()))};
}
CTNN_ONCE bool model_stream::flushes_denormals() const { return blocks_->flush_denormals; }
CTNN_ONCE ir::stream_memory model_stream::memory() {
  own& o = *own_;
  return {{o.values.data(), o.steps.data(), o.fields.data(),
           static_cast<std::byte*>(static_cast<void*>(o.operators.data())), o.advanced.data(), o.pointers.data(),
           o.arena[0].numbers, nullptr, &o.units},
          {o.waiting.data(), o.late.data(), o.assembled.data(), &o.waits},
          o.inputs.data()};
}

CTNN_ONCE model_stream model::stream(const stream_options& options) const { return {programs_, options}; }

}  // namespace ctnn
