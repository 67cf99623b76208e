// SPDX-License-Identifier: BSL-1.0
// Models whose shapes follow from what they compute run in parts (loaded/network_parts.hpp). What these are is known
// when they have run.
#pragma once

#include <ctnn/model.hpp>

#include <optional>

#include "source.hpp"

namespace tool {

/// The network for these inputs; nothing, and why, if it runs in parts.
std::optional<ctnn::loaded_model> build_whole(const opened_model&, const ctnn::arrays_by_name& fed,
                                              std::string* why = nullptr);

/// A network that has run, or a node whose numbers are computed while its network is made.
struct ran_part {
  std::shared_ptr<const ctnn::ir::program> code;  ///< null for a node
  std::string name, type;                         ///< of the node
  std::size_t turns = 1;                          ///< of the loop whose body it is
};

struct parts_run {
  ctnn::arrays_by_name fed;
  bool made_up = false;  ///< numbers of inputs that the command line does not feed
  std::vector<ran_part> parts;
  std::vector<std::pair<std::string, ctnn::array>> outputs;
  std::string broken;  ///< why it went no further

  /// "runs in 3 parts, for made-up numbers"
  std::string describe() const;
};

/// Runs the model once.
parts_run run_parts(const model_source&, const opened_model&, const ctnn::arrays_by_name& fed);

}  // namespace tool
