// SPDX-License-Identifier: BSL-1.0
// The ONNX file under construction: names, initializers, and what is known of each of its values.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "../../base/describe.hpp"
#include "../../loaded/equal_numbers.hpp"
#include "../../loaded/folded_weights.hpp"
#include "encode.hpp"
#include "evaluate.hpp"
#include "write.hpp"

namespace ctnn::onnx {

/// Thrown by an operator's writer: ONNX's standard operators do not say it. All of a graph's are reported together.
struct inexpressible {
  std::string reason;
};
/// Thrown by an operator's writer: its form came with this operator set. Everything is written again in it.
struct needs_opset {
  std::int64_t version;
};

using integers = std::vector<std::int64_t>;

inline attribute attribute_of(std::string name, attribute_kind kind) {
  attribute a;
  a.name = std::move(name);
  a.kind = kind;
  return a;
}
inline attribute with(std::string name, std::int64_t value) {
  attribute a = attribute_of(std::move(name), attribute_kind::integer);
  a.integer = value;
  return a;
}
inline attribute with(std::string name, int value) { return with(std::move(name), std::int64_t{value}); }
inline attribute with(std::string name, bool value) { return with(std::move(name), std::int64_t{value}); }
inline attribute with(std::string name, float value) {
  attribute a = attribute_of(std::move(name), attribute_kind::real);
  a.real = value;
  return a;
}
inline attribute with(std::string name, const char* value) {
  attribute a = attribute_of(std::move(name), attribute_kind::text);
  a.text = value;
  return a;
}
inline attribute with(std::string name, integers value) {
  attribute a = attribute_of(std::move(name), attribute_kind::integers);
  a.integers = std::move(value);
  return a;
}
inline attribute with(std::string name, std::vector<float> value) {
  attribute a = attribute_of(std::move(name), attribute_kind::reals);
  a.reals = std::move(value);
  return a;
}
template <class List>
integers as_integers(const List& list) {
  return integers(list.begin(), list.end());
}
inline integers as_integers(const extents& s) {
  integers out;
  for (int i = 0; i < s.rank; ++i) out.push_back(s[i]);
  return out;
}

/// Names that are all different.
class fresh_names {
 public:
  std::string operator()(std::string wanted) {
    if (wanted.empty()) wanted = "unnamed";
    if (taken_.insert(wanted).second) return wanted;
    int& n = suffixes_[wanted];
    std::string other;
    do other = wanted + "_" + std::to_string(++n);
    while (!taken_.insert(other).second);
    return other;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::map<std::string, int> suffixes_;
};

/// What is known of a value of the file, by its name.
struct written_value {
  dtype type = dtype::f32;
  std::string scale{}, zero{};  ///< of bytes, the names of what they stand for; empty: nobody has said it
};

/// The file under construction.
struct model_writer {
  model_writer(const loaded_model& from, const graph_view& graph, std::int64_t opset, bool fused)
      : model(from),
        g(graph),
        numbers(from, graph),
        version(opset),
        fused(fused),
        forms(graph.values.size()),
        public_names(graph.values.size()) {}

  const loaded_model& model;
  graph_view g;
  ir::folded_weights numbers;
  std::int64_t version;
  bool fused;  ///< com.microsoft's operators may be written
  model_message file{};
  fresh_names values{}, nodes{};
  /// Of a value: as it is, and with a batch of 1 in front, as operators want it that know no other; what is empty has
  /// not been made yet.
  std::vector<std::array<std::string, 2>> forms;
  std::vector<std::string> public_names;                              ///< that values take
  std::map<std::pair<const void*, std::string>, std::string> shared;  ///< initializers by where their numbers are
  std::map<std::pair<dtype, std::vector<std::byte>>, std::map<std::string, std::string>> small;  ///< and by the numbers

  /// Sums that the normalisation behind them is to compute as well, and, once their node has been come to, of what.
  std::map<value_id, std::array<std::string, 2>> sums_left{};

  std::map<const void*, shared_array> turned{};  ///< transposed matrices, by their numbers
  std::unordered_map<std::string, written_value> written{};

  /// An initializer of these numbers, one for all who want them; `wanted` is its name if nobody has it.
  std::string initializer(const std::string& wanted, const extents& shape, const shared_array& a) {
    std::string& name = shared[{a.get(), ir::describe(shape)}];
    if (!name.empty()) return name;
    // Of bytes it is also known what they stand for, by name.
    const bool may_share = is_floating(a->type()) && !model.without_numbers;
    const auto same_shape = [&](const known_initializer& k) { return k.shape == shape; };
    if (const known_initializer* const twin = may_share ? known_.find(a, same_shape) : nullptr)
      return name = twin->name;
    tensor t;
    t.name = name = values(wanted);
    t.shape = shape;
    t.type = a->type();
    t.values = a;
    file.graph.initializers.push_back(std::move(t));
    written[name].type = a->type();
    if (may_share) known_.add({a, shape, name});
    return name;
  }
  /// The same for few numbers, which one initializer holds for all nodes.
  std::string parameter(const std::string& wanted, const shared_array& a) {
    std::string& name = small[{a->type(), {a->bytes().begin(), a->bytes().end()}}][ir::describe(a->shape())];
    if (name.empty()) name = initializer(wanted, a->shape(), a);
    return name;
  }

  /// The numbers of a weight in the type of its slot; those that were read are shared.
  shared_array numbers_of(expression_id e) {
    while (is_integer(g.at_expression(e).element) && g.at_expression(e).type && g.at_expression(e).type->is.view)
      e = g.arguments(g.at_expression(e))[0];
    const expression& x = g.at_expression(e);
    if (!x.type)
      if (const auto at = model.weights.find({x.layer, x.name}); at != model.weights.end())
        if (at->second->type() == x.element && static_cast<std::int64_t>(at->second->size()) == x.shape.count())
          return at->second;
    shared_array& known = evaluated_[e];
    if (known) return known;
    if (x.element == dtype::f32) return known = std::make_shared<const array>(x.shape, numbers(e));
    if (!x.type) return known = std::make_shared<const array>(ir::array_of(model, x));
    return known = std::make_shared<const array>(ir::copy_of(numbers.elements(e), x.shape));
  }

 private:
  struct known_initializer {
    shared_array numbers;
    extents shape;
    std::string name;
  };
  ir::equal_numbers<known_initializer> known_;
  std::map<expression_id, shared_array> evaluated_;
};

}  // namespace ctnn::onnx
