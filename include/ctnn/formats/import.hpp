// SPDX-License-Identifier: BSL-1.0
// What the readers of all formats share: the model under construction, and what they refuse, said at once.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../base/error.hpp"
#include "../loaded/budget.hpp"
#include "../loaded/loaded_model.hpp"

namespace ctnn::ir {

/// Thrown by an operator's reader: the file is sound but ctnn has nothing for it. All are reported together.
struct unsupported {
  std::string reason;
};
/// Thrown when an input comes from what is not supported: there is no shape to go on with.
struct unknown_input {};

/// What a reader throws for all of these together: one sentence, and its parts, "Foo: its x in 'a', 'b'".
struct not_supported : error {
  not_supported(const std::string& source, std::vector<std::string> what_and_where)
      : error(source + ": not supported: " + joined(what_and_where)), reasons(std::move(what_and_where)) {}
  std::vector<std::string> reasons;

 private:
  static std::string joined(const std::vector<std::string>& all) {
    std::string out;
    for (const std::string& one : all) out += (out.empty() ? "" : "; ") + one;
    return out;
  }
};

/// What is not supported by reason, in order of appearance.
class refusals {
 public:
  void add(const std::string& type, const std::string& reason, std::string place) {
    const std::string key = type + (reason.empty() ? "" : ": " + reason);
    auto& places = by_reason_[key];
    if (places.empty()) order_.push_back(key);
    if (places.size() <= most_places) places.push_back(places.size() < most_places ? std::move(place) : "more");
  }
  bool any() const { return !order_.empty(); }
  /// Whether one reason is all, and begins like this.
  bool only(std::string_view begin) const { return order_.size() == 1 && order_[0].starts_with(begin); }
  /// "Foo: its x in 'a', 'b'" for each reason.
  std::vector<std::string> with_places() const {
    std::vector<std::string> out;
    for (const std::string& key : order_) {
      std::string& line = out.emplace_back(key + " in ");
      const auto& places = by_reason_.at(key);
      for (std::size_t i = 0; i < places.size(); ++i) line += (i == 0 ? "" : ", ") + places[i];
    }
    return out;
  }
  std::string text(const std::string& source) const { return not_supported(source, with_places()).what(); }

 private:
  static constexpr std::size_t most_places = 8;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>> by_reason_;
};

/// The model under construction.
struct model_builder {
  loaded_model model{};

  /// The wanted name, or one made from it that no node has.
  std::string_view fresh_name(std::string wanted) {
    if (!node_names_.insert(wanted).second) {
      int& n = suffixes_[wanted];
      std::string other;
      do other = wanted + "_" + std::to_string(++n);
      while (!node_names_.insert(other).second);
      wanted = std::move(other);
    }
    return model.keep(std::move(wanted));
  }
  /// Weight `slot` of the node that made v.
  const expression& weight_of(value_id v, std::size_t slot) const {
    const graph_view g = model.network.view();
    return g.at_expression(g.weights(g.at(g.at_value(v).producer))[slot]);
  }

 private:
  std::unordered_set<std::string> node_names_;
  std::unordered_map<std::string, int> suffixes_;
};

inline op::reshape reshaping(const extents& shape) { return {as_list(shape)}; }
inline op::permute permuting(std::initializer_list<int> order) {
  op::permute op;
  op.order = order;
  return op;
}

}  // namespace ctnn::ir
