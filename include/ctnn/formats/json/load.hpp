// SPDX-License-Identifier: BSL-1.0
// Loads networks for signals from JSON: Neural Amp Modeler's .nam and RTNeural's .json; what is in a file says which.
// They need nlohmann's JSON (Debian: nlohmann-json3-dev); parser.hpp alone includes it.
#pragma once

#include <map>

#include "../../loaded/declared_value.hpp"
#include "../../loaded/loaded_model.hpp"
#include "../file.hpp"
#include "document.hpp"

namespace ctnn::json {

using shapes_by_name = std::map<std::string, extents, std::less<>>;

/// Reads and parses a file. Errors in it call it by its name without directories.
document read(const std::string& path, const budget& limits = {});

/// The network of a parsed file: one input, "x", and one output, "y", of as many samples. `shapes` may say how many x
/// has, 64 or what the file says else. Throws ctnn::error: where in the file, what it has, what was expected.
/// loaded_model::prewarm is how many samples of silence Neural Amp Modeler's player runs first; the graph alone begins
/// with zeros in every history.
loaded_model build(const document& file, const shapes_by_name& shapes = {}, const budget& limits = {});

/// The input with the shape that it has if nobody says another.
std::vector<declared_value> declared_inputs(const document& file);

loaded_model load(const std::string& path, const shapes_by_name& shapes = {}, const budget& limits = {});

}  // namespace ctnn::json

#if CTNN_DEFINES(CTNN_PART_JSON)
#include "reader.hpp"
#endif
