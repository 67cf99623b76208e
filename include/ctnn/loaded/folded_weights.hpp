// SPDX-License-Identifier: BSL-1.0
// The numbers of weight expressions over a loaded model's weights.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>

#include "../base/error.hpp"
#include "../base/half.hpp"
#include "../weights/evaluate.hpp"
#include "../base/describe.hpp"
#include "loaded_model.hpp"

namespace ctnn::ir {

/// A leaf as it was read. Throws ctnn::error if the model does not have it.
inline const array& array_of(const loaded_model& source, const expression& leaf) {
  const auto at = source.weights.find({leaf.layer, leaf.name});
  if (at == source.weights.end() || static_cast<std::int64_t>(at->second->size()) != leaf.shape.count())
    throw error("layer '" + std::string(leaf.layer) + "': weight '" + std::string(leaf.name) + "' of shape " +
                describe(leaf.shape) + " has not been read");
  return *at->second;
}

/// Numbers of a leaf that `a` holds; half precision and bytes are expanded into `memory`.
inline std::span<const float> numbers_of(const array& a, const expression& leaf,
                                         std::deque<std::vector<float>>& memory) {
  if (a.type() == dtype::f32) return a.values();
  if (a.type() == dtype::i8) {
    const auto bytes = a.elements<std::int8_t>();
    return memory.emplace_back(bytes.begin(), bytes.end());
  }
  if (a.type() != dtype::f16 && a.type() != dtype::bf16)
    throw error("layer '" + std::string(leaf.layer) + "': weight '" + std::string(leaf.name) + "' is " +
                std::string(name_of(a.type())));
  std::vector<float>& to = memory.emplace_back(a.size());
  const auto halves = a.elements<std::uint16_t>();
  std::transform(halves.begin(), halves.end(), to.begin(), a.type() == dtype::f16 ? half_to_float : bfloat_to_float);
  return to;
}
inline std::span<const float> numbers_of(const loaded_model& source, const expression& leaf,
                                         std::deque<std::vector<float>>& memory) {
  return numbers_of(array_of(source, leaf), leaf, memory);
}

/// An array of its own with these numbers.
inline array copy_of(const typed_span& numbers, const extents& shape) {
  array copy = array::empty(shape, numbers.type());
  numbers.visit([&](const auto* first, std::size_t count) {
    if (count != 0) std::memcpy(copy.bytes().data(), first, count * sizeof *first);
  });
  return copy;
}

/// Evaluates the expressions of a graph rewritten from `source`. The result of a call is valid until the next one, that
/// of elements() until the fourth: a layer of bytes is packed with a look at all its weights.
class folded_weights {
 public:
  folded_weights(const loaded_model& source, const graph_view& g) : source_(&source), g_(g) {}

  std::span<const float> operator()(expression_id e) { return evaluated(e, kept_[0]); }

  /// The same in the expression's own type.
  typed_span elements(expression_id e) {
    const expression& x = g_.at_expression(e);
    next_ = (next_ + 1) % kept_.size();
    if (x.element == dtype::f32) return evaluated(e, kept_[next_]);
    if (!x.type) return typed(x);
    array& a = kept_[next_].integers;
    with_integers(g_, e, leaves{*this, kept_[next_]}, [&](const typed_span& all) { a = copy_of(all, x.shape); });
    return span_of(a);
  }

 private:
  /// What a result lies in.
  struct kept {
    std::vector<float> numbers;
    array integers;
    std::deque<std::vector<float>> expanded;
  };
  struct leaves {
    const folded_weights& of;
    kept& in;
    const float* operator()(const expression& leaf) const { return numbers_of(*of.source_, leaf, in.expanded).data(); }
    typed_span numbers(const expression& leaf) const { return of.typed(leaf); }
  };
  std::span<const float> evaluated(expression_id e, kept& in) {
    const expression& x = g_.at_expression(e);
    in.expanded.clear();
    if (!x.type) return numbers_of(*source_, x, in.expanded);
    if (is_integer(x.element)) {
      with_integers(g_, e, leaves{*this, in}, [&](const typed_span& all) {
        all.visit([&](const auto* first, std::size_t count) {
          in.numbers.resize(count);
          std::transform(first, first + count, in.numbers.begin(), [](auto n) { return static_cast<float>(n); });
        });
      });
      return in.numbers;
    }
    const expression_evaluator evaluate(g_, e);
    scratch_.resize(static_cast<std::size_t>(evaluate.scratch_size()));
    in.numbers.resize(static_cast<std::size_t>(x.shape.count()));
    evaluate.run(leaves{*this, in}, scratch_.data(), in.numbers.data());
    return in.numbers;
  }
  typed_span typed(const expression& leaf) const {
    const array& a = array_of(*source_, leaf);
    if (a.type() != leaf.element)
      throw error("layer '" + std::string(leaf.layer) + "': weight '" + std::string(leaf.name) + "' is " +
                  std::string(name_of(a.type())));
    return span_of(a);
  }

  const loaded_model* source_;
  graph_view g_;
  std::vector<float> scratch_;
  std::array<kept, 4> kept_;
  std::size_t next_ = 0;
};

}  // namespace ctnn::ir
