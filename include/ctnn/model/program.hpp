// SPDX-License-Identifier: BSL-1.0
// A loaded network made ready to run: rewritten, planned, its weights folded and packed, its kernels looked up.
// Constant after it is made, so any number of extractors on any number of threads may share it.
#pragma once

#include <map>
#include <memory>
#include <new>
#include <string>

#include "../formats/folded_weights.hpp"
#include "../formats/loaded_model.hpp"
#include "../graph/loaded_operators.hpp"
#include "../kernels/dispatch.hpp"
#include "../kernels/typed/table.hpp"
#include "../network/parameters.hpp"
#include "../plan/planner.hpp"
#include "../rewrite/rules.hpp"
#include "../weights/packed.hpp"
#include "array.hpp"

namespace ctnn {

/// By input name.
using shapes_by_name = std::map<std::string, extents, std::less<>>;

/// Memory for numbers, aligned to a cache line and not initialised.
class number_buffer {
 public:
  number_buffer() = default;
  explicit number_buffer(std::size_t size) : memory_(allocate(size)), size_(size) {}
  float* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  explicit operator bool() const { return memory_ != nullptr; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct release {
    void operator()(float* p) const { ::operator delete[](p, alignment); }
  };
  static std::unique_ptr<float[], release> allocate(std::size_t size) {
    return std::unique_ptr<float[], release>(static_cast<float*>(::operator new[]((size + 1) * sizeof(float), alignment)));
  }
  std::unique_ptr<float[], release> memory_;
  std::size_t size_ = 0;
};

/// An operator of the user's for loaded models: its kernel is run(const Op&, const arguments&), found in Op's namespace.
struct custom_operator {
  const operator_type* type;
  std::shared_ptr<const void> (*decode)(std::span<const double>);
  void (*run)(const void*, const arguments&);
};

struct program_options {
  bool optimize = true;
  std::span<const rule_record> rules = default_rules::records;
  target_id target = best_target();
  std::span<const custom_operator> operators{};
};

namespace detail {

/// The struct of an operator, decoded once.
struct decoder {
  const operator_type* type;
  std::shared_ptr<const void> (*decode)(std::span<const double>);
};
template <class Op>
std::shared_ptr<const void> decode_shared(std::span<const double> fields) {
  return std::make_shared<const Op>(decode<Op>(fields));
}
template <class... A, class... B>
std::array<decoder, sizeof...(A) + sizeof...(B)> make_decoders(operator_list<A...>, operator_list<B...>) {
  return {{{&type_of<A>, &decode_shared<A>}..., {&type_of<B>, &decode_shared<B>}...}};
}

template <class Op>
void run_custom(const void* op, const arguments& a) {
  run(*static_cast<const Op*>(op), a);
}

}  // namespace detail

/// Entries for load_options::operators.
template <class... Ops>
inline constexpr custom_operator custom_operators[sizeof...(Ops)] = {
    {&type_of<Ops>, &detail::decode_shared<Ops>, &detail::run_custom<Ops>}...};

class program {
 public:
  /// What a node needs to run.
  struct node_code {
    void (*run)(const void*, const arguments&) = nullptr;
    std::shared_ptr<const void> op;
    std::vector<const float*> weights;
  };

  program(std::shared_ptr<const loaded_model> source, const program_options& options)
      : source_(std::move(source)), g_(thaw(source_->network.view())), kernels_(kernels_for<all_operators>(options.target)) {
    if (options.optimize) {
      optimization o = ctnn::optimize(std::move(g_), options.rules);
      if (!o.broken_rule.empty()) throw error("rule '" + std::string(o.broken_rule) + "' does not lower the measure");
      g_ = std::move(o.g);
      history_.assign(o.history.begin(), o.history.end());
    }
    for (const node& n : g_.view().nodes)
      if (n.type == &type_of<op::input>) {
        const value& v = g_.view().at_value(n.outputs.first);
        input_shapes_.emplace(v.name, v.shape);
      }
    light_ = make_plan(g_.view(), {.in_place = true});
    full_ = make_plan(g_.view(), {.in_place = false});
    pack_weights();
    look_up_kernels(options.operators);
  }

  graph_view g() const { return g_.view(); }
  const loaded_model& source() const { return *source_; }
  /// Shapes of all inputs, by the names of their values.
  const shapes_by_name& input_shapes() const { return input_shapes_; }
  /// What rewriting did, in order.
  std::span<const rewrite_step> history() const { return history_; }
  /// `light` lets operators write over their inputs.
  plan_view plan(bool light) const { return light ? light_.view() : full_.view(); }
  const node_code& code(node_id n) const { return code_[static_cast<std::size_t>(n)]; }
  const loaded_kernels& kernels() const { return kernels_; }
  std::size_t weights_bytes() const { return packed_.size() * sizeof(float); }

 private:
  void pack_weights() {
    const graph_view g = g_.view();
    packed_ = number_buffer(static_cast<std::size_t>(packed_total(g)));
    code_.resize(g.nodes.size());
    folded_weights numbers(*source_, g);
    for_each_slot(g, [&](const node& n, int slot, expression_id e, std::int64_t offset, std::int64_t) {
      float* to = packed_.data() + offset;
      code_[static_cast<std::size_t>(&n - g.nodes.data())].weights.push_back(to);
      pack_slot(g, n, slot, numbers(e).data(), to);
    });
  }

  /// The vector kernel if all values are f32 and there is one, else the typed one.
  void (*kernel_of(const node& n) const)(const void*, const arguments&) {
    const graph_view g = g_.view();
    bool f32 = true;
    for (value_id v : g.inputs(n)) f32 = f32 && g.at_value(v).type == dtype::f32;
    for (int i = 0; i < n.outputs.count; ++i) f32 = f32 && g.at_value(n.outputs.first + i).type == dtype::f32;
    if (f32)
      for (const loaded_kernel& k : kernels_.table)
        if (k.type == n.type && k.run != nullptr) return k.run;
    for (const loaded_kernel& k : typed_kernels())
      if (k.type == n.type) return k.run;
    return nullptr;
  }

  void look_up_kernels(std::span<const custom_operator> custom) {
    const graph_view g = g_.view();
    const auto decoders = detail::make_decoders(all_operators{}, loaded_operators{});
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      const node& n = g.nodes[i];
      for (const detail::decoder& d : decoders)
        if (d.type == n.type) code_[i].op = d.decode(g.fields_of(n.fields));
      code_[i].run = kernel_of(n);
      for (const custom_operator& c : custom) {
        if (c.type != n.type) continue;
        code_[i].op = c.decode(g.fields_of(n.fields));
        code_[i].run = c.run;
      }
      if (!code_[i].run && n.type != &type_of<op::input>)
        throw error("layer '" + std::string(n.name) + "': operator '" + std::string(n.type->name) +
                    "' has no kernel; give it in load_options::operators");
    }
  }

  std::shared_ptr<const loaded_model> source_;
  graph g_;
  std::vector<rewrite_step> history_;
  shapes_by_name input_shapes_;
  memory_plan light_, full_;
  number_buffer packed_;
  std::vector<node_code> code_;
  loaded_kernels kernels_;
};

}  // namespace ctnn
