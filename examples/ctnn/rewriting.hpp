// SPDX-License-Identifier: BSL-1.0
// Rewrites a loaded model.
#pragma once

#include <ctnn/loaded/loaded_model.hpp>
#include <ctnn/loaded/network_parts.hpp>
#include <ctnn/rewrite/optimization.hpp>

#include "commands.hpp"

namespace tool {

namespace ir = ctnn::ir;

/// "; did you mean 'conv1'?", or nothing if the nearest name is far from the one that was asked for: a third of the
/// letters may differ, or all behind the first three.
std::string meant(std::string_view asked, std::string_view nearest);

/// The rules that the command line asks for and does not leave out. Throws usage_error for a name that no rule has.
std::vector<ir::rule_record> rules_for(const model_source&);

/// Applies those rules, after making the blobs to be kept outputs; without rewriting the result is the graph as it was
/// read. Throws ctnn::error, usage_error.
ir::optimization rewrite(ctnn::loaded_model&, const model_source&);

/// Runs the model as it was read and what has been written of it, with the inputs of the command line. Throws
/// ctnn::error naming the output that differs.
void verify_written(const optimize_options&, const ir::network_maker& written);

}  // namespace tool
