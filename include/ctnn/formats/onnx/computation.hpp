// SPDX-License-Identifier: BSL-1.0
// Numbers that follow from known ones. Small results are there at once, as arithmetic on shapes needs them; large ones
// are made of weights, and wait until somebody looks: a network for another shape finds them packed already.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "evaluate.hpp"

namespace ctnn::onnx {

/// An operator and all that its results follow from.
struct computation {
  const operator_type* type;
  std::vector<double> fields;
  std::vector<shared_array> in, weights;
  std::vector<element> of;  ///< of `in`
  std::vector<std::pair<extents, element>> out;
  std::uint64_t steps;  ///< that run() takes, without what the numbers in `in` take

  std::vector<std::shared_ptr<array>> run() const {
    std::vector<std::shared_ptr<array>> made;
    std::vector<element> elements;
    for (const auto& [shape, as] : out) {
      made.push_back(std::make_shared<array>(shape, as));
      elements.push_back(as);
    }
    evaluate(*type, fields, in, of, weights, made, elements);
    return made;
  }
};

namespace detail {

/// One result of a computation, made when somebody looks at it.
class computed_numbers final : public number_source {
 public:
  computed_numbers(computation of, std::size_t which, effort all) : of_(std::move(of)), which_(which), all_(all) {
    take_anew(of_);
  }
  std::span<const std::byte> bytes(byte_buffer& memory) const override {
    computation now = of_;
    take_anew(now);
    const auto made = now.run();
    return memory = byte_buffer(std::as_const(*made[which_]).bytes());
  }
  effort needs() const override { return all_; }

 private:
  /// So that what it is made of is in memory no longer than it is computed.
  static void take_anew(computation& c) {
    for (auto* const list : {&c.in, &c.weights})
      for (shared_array& a : *list) a = taken_anew(a);
  }

  computation of_;
  std::size_t which_;
  effort all_;
};

/// What one result takes if nothing of what it is made of is in memory.
inline number_source::effort needs_of(const computation& c) {
  number_source::effort all{c.steps, 0};
  for (const auto* const list : {&c.in, &c.weights})
    for (const shared_array& a : *list) {
      if (!a->source()) continue;
      const auto of = a->source()->needs();
      all.steps += of.steps;
      all.depth = std::max(all.depth, of.depth);
    }
  ++all.depth;
  return all;
}

template <class T>
void append(std::string& to, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  to.append(static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size());
}
inline void append(std::string& to, const extents& shape) {
  append(to, shape.rank);
  for (int k = 0; k < shape.rank; ++k) append(to, shape[k]);
}
/// Says what a computation is; empty if large numbers come from nowhere.
inline std::string key_of(const computation& c) {
  std::string key;
  append(key, c.type);
  append(key, c.fields.size());
  for (const double f : c.fields) append(key, f);
  const auto add = [&](const element& e) {
    append(key, e.type);
    append(key, e.real.scale);
    append(key, e.real.zero);
  };
  for (const element& e : c.of) add(e);
  for (const auto& [shape, made] : c.out) add(made);
  for (const auto* const list : {&c.in, &c.weights})
    for (const shared_array& a : *list) {
      append(key, a->type());
      append(key, a->shape());
      append(key, a->source() ? a->source()->id() : 0);
      if (a->source()) continue;
      const auto bytes = a->bytes();
      if (bytes.size() > most_bytes_kept) return "";
      key.append(static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size());
    }
  return key;
}

}  // namespace detail

/// All results. `known` has those of other networks of the same file. What waits is computed alone, perhaps several
/// times: not where that takes much more than computing all in turn.
inline std::vector<shared_array> results_of(computation c, source_table& known) {
  constexpr std::size_t most_results = 4;
  constexpr int deepest = 8;
  std::size_t largest = 0;
  for (const auto& [shape, made] : c.out)
    largest = std::max(largest, static_cast<std::size_t>(shape.count() * size_of(made)));
  const auto needs = detail::needs_of(c);
  const bool waits = largest > most_bytes_kept && c.out.size() <= most_results && needs.depth <= deepest &&
                     needs.steps / 4 <= c.steps;
  const std::string key = waits ? detail::key_of(c) : std::string();
  std::vector<shared_array> results;
  if (key.empty()) {
    for (auto& made : c.run()) results.push_back(std::move(made));
    return results;
  }
  for (std::size_t i = 0; i < c.out.size(); ++i)
    results.push_back(std::make_shared<const array>(
        c.out[i].first, c.out[i].second, known.find(key + std::to_string(i), [&] {
          return std::make_shared<const detail::computed_numbers>(c, i, needs);
        })));
  return results;
}

}  // namespace ctnn::onnx
