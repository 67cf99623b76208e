// SPDX-License-Identifier: BSL-1.0
// What a function that declares a network computes with: values, several of them, and the lines that they come from.
#pragma once

#include <concepts>
#include <initializer_list>

#include "../base/namespaces.hpp"
#include "../graph/graph.hpp"

// `ctnn` has a graph, values and outputs of its own, those of functions that declare networks. Where both namespaces
// are spoken (base/namespaces.hpp) these words are ir's.
namespace ctnn::op {
using ir::graph, ir::outputs, ir::value;
}
namespace ctnn::rules {
using ir::graph, ir::outputs, ir::value;
}
namespace ctnn::onnx {
using ir::graph, ir::outputs, ir::value;
}
namespace ctnn::tflite {
using ir::graph, ir::outputs, ir::value;
}
namespace ctnn::ncnn {
using ir::graph, ir::outputs, ir::value;
}
namespace ctnn::cpp {
using ir::graph, ir::outputs, ir::value;
}
namespace ctnn::npy {
using ir::graph, ir::outputs, ir::value;
}

namespace ctnn {

namespace detail {
class call_recorder;
}  // namespace detail

/// A value of a network that is being declared: what a layer gives. Copied freely; reading one twice is a skip.
struct value {
  detail::call_recorder* recorder = nullptr;
  int layer = ir::none;
  int output = 0;
};

/// Several values, for the length of a call: {a, b}, an array, a value_list.
class values {
 public:
  constexpr values(const value& one) : first_(&one), count_(1) {}
  constexpr values(std::initializer_list<value> list) : count_(list.size()) {
    first_ = list.begin();  // lives as long as the call
  }
  template <class List>
  requires requires(const List& l) {
    { l.data() } -> std::convertible_to<const value*>;
    l.size();
  }
  constexpr values(const List& list) : first_(list.data()), count_(list.size()) {}

  constexpr const value* begin() const { return first_; }
  constexpr const value* end() const { return first_ + count_; }
  constexpr std::size_t size() const { return count_; }
  constexpr const value& operator[](std::size_t i) const { return first_[i]; }

 private:
  const value* first_ = nullptr;
  std::size_t count_;
};

/// As many values as a function says: the parts of a split.
struct value_list : ir::static_vector<value, ir::max_list> {};

/// A line of the program that declares a network, for messages. Functions that make layers of others take one as their
/// last argument and hand it on: `nn::source_line at = nn::source_line::here()`.
struct source_line {
  const char* file = "";
  int line = 0;

  static constexpr source_line here(const char* f = __builtin_FILE(), int l = __builtin_LINE()) { return {f, l}; }
};

}  // namespace ctnn
