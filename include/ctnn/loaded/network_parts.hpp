// SPDX-License-Identifier: BSL-1.0
// Networks whose shapes follow from what they compute: how many boxes are left, how often a loop turns. They run in
// parts: what can be planned is, the node that asks for numbers runs by itself, and what is below it is planned for
// what came out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "array.hpp"
#include "loaded_model.hpp"

namespace ctnn::ir {

/// The network cannot be made before an input has a shape, or numbers.
struct undecided : error {
  using error::error;
};
/// A node asks for numbers that take more than a few steps to compute, or that are too many to make a network for
/// each set of them.
struct needs_running : undecided {
  using undecided::undecided;
  std::size_t node = 0;  ///< among those of the file's graph
};
/// What lies between two parts is no array.
struct not_divisible : error {
  using error::error;
};

struct network_parts;

/// Makes networks of one file, or of a part of it.
struct network_maker {
  network_maker() = default;
  /// A function of what is fed makes whole networks.
  template <class Make>
    requires std::is_invocable_r_v<loaded_model, const Make&, const arrays_by_name&>
  network_maker(Make f) : make([f = std::move(f)](const arrays_by_name& fed, bool) { return f(fed); }) {}

  /// For these inputs, or throws ctnn::error. Their numbers matter where shapes follow from them. Several threads may
  /// call it at once. `whole`: compute what a node asks for, however long it takes, instead of throwing needs_running.
  std::function<loaded_model(const arrays_by_name&, bool whole)> make{};
  /// Takes it apart at a node. Values that are to be kept become outputs of the last part. Without it networks are
  /// never divided.
  std::function<network_parts(const needs_running&, const std::vector<std::string>& keep)> divide{};
};

struct network_part {
  network_maker maker;
  std::vector<std::string> inputs, outputs;
  std::string name{}, type{};  ///< of the node, where it is but one
};

/// A loop: ONNX's Loop and Scan, TensorFlow Lite's WHILE. The body is fed the number of the turn, whether the turn
/// before wanted another, what is carried, and slices of what is scanned; it makes whether it wants another, what is
/// carried, and what is gathered along a new axis. Names are those around the loop, or inside the body; an empty one is
/// left out. It turns as often as `trips` says and as there are slices, while `condition`, what the body wants, and
/// `test`, where it is there, say so.
struct loop_part {
  /// Along an axis, from the end if `backwards`. Of what is gathered the axis is one of the whole.
  struct slices {
    std::int64_t axis = 0;  ///< may be negative: from the last one
    bool backwards = false;
  };
  network_part body;
  std::optional<network_part> test{};  ///< makes a boolean of what is carried, before every turn
  std::string trips, condition;
  std::vector<std::string> carried, scanned;
  std::vector<slices> scanned_along, gathered_along;
  std::vector<std::string> results;              ///< carried, then gathered ones
  std::vector<std::string> body_inputs;          ///< turn, condition, carried, scanned
  std::vector<std::string> body_outputs;         ///< condition, carried, gathered
  std::vector<std::string> test_inputs{};        ///< carried
  std::uint64_t most_turns = 0, most_bytes = 0;  ///< of one gathered value
};

/// One of two graphs, by a boolean: ONNX's If, TensorFlow Lite's IF.
struct choice_part {
  struct branch {
    network_part graph;
    std::vector<std::string> inputs, outputs;  ///< in the node's order
  };
  std::string condition;
  branch yes, no;
  std::vector<std::string> given, results;
};

/// One after the other. Each reads, by name, what the model was fed and what parts before it made.
struct network_parts {
  std::optional<network_part> before;
  std::variant<std::monostate, network_part, loop_part, choice_part> node;
  std::map<std::string, shared_array> constants{};  ///< among what a loop or a choice reads
  network_part after;                               ///< makes the outputs
};

}  // namespace ctnn::ir
