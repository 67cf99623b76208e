// SPDX-License-Identifier: BSL-1.0
// What `ctnn info` knows of a model, before it is said to people or to programs.
#pragma once

#include <ctnn/loaded/loaded_model.hpp>
#include <ctnn/rewrite/optimization.hpp>

#include <map>

#include "parts.hpp"
#include "rewriting.hpp"
#include "source.hpp"

namespace tool {

struct totals {
  std::int64_t layers = 0, weights = 0, macs = 0, arena = 0, small_arena = 0;
};

/// Numbers of a layer's weights.
std::int64_t weights_of(const ir::graph_view&, const ir::node&);

/// A network, or a part of one, as it was read and as it runs.
struct part {
  ir::graph_view before, after;
  std::span<const ir::rewrite_step> history;
  std::int64_t turns = 1;
  const ctnn::loaded_model* source = nullptr;  ///< has the numbers of `before`, if they are there
};

/// An input, an output, or what is carried from run to run.
struct known_value {
  std::string name;
  ctnn::extents shape;
  ir::element type;
  const ctnn::declared_value* declared = nullptr;  ///< as the file has it
};

/// Weights of one type as they were read; those that layers share count once.
struct weights_of_type {
  std::int64_t count = 0, bytes = 0;
};

/// A model as far as it can be made. The rest of its facts are empty where it cannot.
struct model_facts {
  opened_model opened;
  std::vector<part> parts;
  std::vector<known_value> inputs, carried, outputs;
  std::map<std::string_view, weights_of_type> weights;
  bool zeros = false;  ///< instead of weights
  totals as_read, rewritten;
  std::optional<parts_run> run;            ///< of a model that runs in parts
  std::vector<std::string> not_supported;  ///< nodes that ctnn does not have, by reason
  std::string error;                       ///< what the reader says of them

  std::optional<ctnn::loaded_model> whole;  ///< these own what `parts` look at
  std::optional<ir::optimization> optimized;
};
/// Throws ctnn::error where the file cannot be read at all, usage_error.
std::unique_ptr<const model_facts> facts_of(const info_options&);

/// How often each operator occurs, inputs left out.
std::map<std::string_view, std::int64_t> operators_of(const std::vector<part>&, ir::graph_view part::*side);

/// The document of --json.
std::string info_as_json(const info_options&, const model_facts&);

}  // namespace tool
