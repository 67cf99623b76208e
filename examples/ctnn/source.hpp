// SPDX-License-Identifier: BSL-1.0
// Reads the model that a command line names.
#pragma once

#include <ctnn/formats/ncnn/load.hpp>
#if __has_include(<protozero/pbf_reader.hpp>)
#include <ctnn/formats/onnx/load.hpp>
#endif

#include <map>

#include "commands.hpp"

namespace tool {

/// "NAME=TEXT"; `what` says in a complaint which option it was.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& what);

/// Reads the model. Shapes in an ONNX model may follow from inputs, or their numbers, that have been `fed`.
ctnn::loaded_model load(const model_source&, const ctnn::arrays_by_name& fed = {});

#if __has_include(<protozero/pbf_reader.hpp>)
/// What an ONNX file says.
ctnn::onnx::model_message read_onnx(const model_source&);
#endif
/// The shapes of the command line.
std::map<std::string, ctnn::extents, std::less<>> parse_shapes(const model_source&);

/// "x" of "some/path/x.param".
std::string stem_of(const std::string& file);

}  // namespace tool
