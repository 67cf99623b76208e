// SPDX-License-Identifier: BSL-1.0
// The weights of a .nam file: one array, which layers take from in turn.
#pragma once

#include "../json/network_builder.hpp"

namespace ctnn::nam {

using json::element;

class weight_reader {
 public:
  explicit weight_reader(const element& weights) : at_(weights), numbers_(weights.reals()) {}

  /// The next `count` numbers; `of` is what wants them.
  std::span<const float> take(const element& of, std::int64_t count) {
    if (count > static_cast<std::int64_t>(numbers_.size() - next_))
      at_.fail("has " + std::to_string(numbers_.size() + taken_last_) + " numbers, " + of.path() + " needs " +
               std::to_string(count) + " more behind the first " + std::to_string(next_));
    const auto from = next_;
    next_ += static_cast<std::size_t>(count);
    return std::span(numbers_).subspan(from, static_cast<std::size_t>(count));
  }
  /// The very last number, before the others are taken.
  float take_last(const element& of) {
    if (numbers_.size() == next_) at_.fail("is empty, " + of.path() + " needs a number");
    const float last = numbers_.back();
    numbers_.pop_back();
    ++taken_last_;
    return last;
  }
  /// All weights of the node that made v, in order.
  void take_all(json::network_builder& b, const element& of, value_id v) {
    const graph_view g = b.model.network.view();
    const auto slots = g.weights(g.at(g.at_value(v).producer)).size();
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const auto count = checked_count(b.weight_of(v, slot).shape);
      if (!count) of.fail("its weights, " + describe(b.weight_of(v, slot).shape) + ", are too many");
      b.set_weight(of, v, slot, take(of, *count));
    }
  }
  void finish() const {
    if (next_ != numbers_.size())
      at_.fail("has " + std::to_string(numbers_.size() + taken_last_) + " numbers, the layers take " +
               std::to_string(next_ + taken_last_));
  }

 private:
  element at_;
  std::vector<float> numbers_;
  std::size_t next_ = 0, taken_last_ = 0;
};

/// What an architecture's reader works with, and what it makes.
struct part {
  json::network_builder& b;
  const element& config;
  weight_reader& weights;
  double sample_rate;  ///< below 0: the file does not say it
  std::string prefix;  ///< of its nodes' names
};
struct made {
  value_id y;
  std::int64_t prewarm;  ///< samples of silence that NAM's player runs first
};

inline value_id convolution(part& p, const element& at, const std::string& name, const op::conv1d& op, value_id x) {
  const value_id v = p.b.node(at, p.prefix + name, op, {x});
  p.weights.take_all(p.b, at, v);
  return v;
}

/// Channels, kernels and the like.
inline constexpr int most_channels = 1 << 20;
inline int count_of(const element& e) { return e.integer(1, most_channels); }
inline int count_or(const element& e, std::string_view key, int otherwise) {
  return e.integer_or(key, otherwise, 1, most_channels);
}

/// x's channels are as many as a part of the file says.
inline void expect_channels(const part& p, const element& says, int channels, value_id x) {
  if (const int has = p.b.shape(x)[1]; has != channels)
    says.fail(std::to_string(channels) + " channels, the input has " + std::to_string(has));
}

}  // namespace ctnn::nam
