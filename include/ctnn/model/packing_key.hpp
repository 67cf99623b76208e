// SPDX-License-Identifier: BSL-1.0
// What a packed weight follows from, as text: where its numbers come from, what is computed of them, and how the kernel
// wants them. Programs for other input shapes say mostly the same, and need neither read nor pack what is there.
#pragma once

#include <map>

#include "../loaded/loaded_model.hpp"
#include "../weights/packed.hpp"
#include "packed_weights.hpp"

namespace ctnn::ir {

class packing_key_maker {
 public:
  packing_key_maker(const loaded_model& source, const graph_view& g) : source_(source), g_(g) {}

  /// Of weight i of a node. Without text where numbers come from nowhere but their array.
  packing_key operator()(const node& n, int i) {
    key_ = {};
    known_ = true;
    add(n.type);
    add(g_.fields_of(n.fields));
    add(i);
    add(packed_winograd_size(g_, n));
    const byte_rows rows = byte_rows_of(g_, n);
    for (const int x : {rows.outs, rows.depth, rows.channels, rows.taps, rows.depthwise ? 1 : 0}) add(x);
    const auto weights = g_.weights(n);
    for (int k = 0; k < n.weights.count && known_; ++k)
      if (rows || k == i) add_expression(weights[static_cast<std::size_t>(k)]);
    if (!known_) key_ = {};
    return std::move(key_);
  }

 private:
  static constexpr std::size_t most_bytes = 1024;  ///< of numbers that are said one by one

  template <class T>
    requires std::is_scalar_v<T>  // a list is added number by number
  void add(const T& value) {
    add(std::as_bytes(std::span(&value, 1)));
  }
  void add(std::span<const std::byte> bytes) {
    key_.text.append(static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size());
  }
  void add(span<const double> fields) {
    add(fields.size());
    add(std::as_bytes(std::span<const double>(fields)));
  }
  void add(const extents& shape) {
    add(shape.rank);
    for (int k = 0; k < shape.rank; ++k) add(shape[k]);
  }
  /// It and all it is made of, each once.
  void add_expression(expression_id target) {
    std::vector<expression_id> all{target};
    std::map<expression_id, int> places{{target, 0}};
    for (std::size_t k = 0; k < all.size() && known_; ++k) {
      const expression& e = g_.at_expression(all[k]);
      add(e.type);
      add(e.shape);
      add(e.element.type);
      add(e.element.real.scale);
      add(e.element.real.zero);
      if (!e.type) {
        add_leaf(e);
        continue;
      }
      add(g_.fields_of(e.fields));
      const auto arguments = g_.arguments(e);
      add(arguments.size());
      for (const expression_id a : arguments) {
        const auto [at, is_new] = places.emplace(a, static_cast<int>(all.size()));
        if (is_new) all.push_back(a);
        add(at->second);
      }
    }
  }
  void add_leaf(const expression& leaf) {
    const auto at = source_.weights.find({leaf.layer, leaf.name});
    known_ = at != source_.weights.end();
    if (!known_) return;
    const array& numbers = *at->second;
    add(numbers.type());
    add(numbers.shape());
    add(numbers.source() ? numbers.source()->id() : 0);
    if (numbers.source()) return key_.of.push_back(numbers.source());
    known_ = numbers.bytes().size() <= most_bytes;
    if (known_) add(numbers.bytes());
  }

  const loaded_model& source_;
  graph_view g_;
  packing_key key_;
  bool known_ = true;
};

}  // namespace ctnn::ir
