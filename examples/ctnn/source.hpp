// SPDX-License-Identifier: BSL-1.0
// Reads the model that a command line names.
#pragma once

#include <ctnn/formats/ncnn/load.hpp>

#include "commands.hpp"

namespace tool {

/// "NAME=TEXT"; `what` says in a complaint which option it was.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& what);

/// Reads the model. Shapes in an ONNX model may follow from inputs, or their numbers, that have been `fed`.
ctnn::loaded_model load(const model_source&, const ctnn::arrays_by_name& fed = {});

/// The operator set of an ONNX model, 0 if it names none.
std::int64_t opset_of(const model_source&);

/// "x" of "some/path/x.param".
std::string stem_of(const std::string& file);

}  // namespace tool
