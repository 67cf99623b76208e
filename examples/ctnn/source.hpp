// SPDX-License-Identifier: BSL-1.0
// Reads the model that a command line names.
#pragma once

#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/formats/onnx/build.hpp>
#include <ctnn/loaded/declared_value.hpp>
#include <ctnn/loaded/loaded_model.hpp>
#if __has_include(<protozero/pbf_reader.hpp>)
#include <ctnn/formats/onnx/load.hpp>
#endif

#include <functional>

#include "commands.hpp"

namespace tool {

/// "NAME=TEXT"; `what` says in a complaint which option it was.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& what);

/// `usual`, or what --memory says instead.
ctnn::budget limits_of(const model_source&, ctnn::budget usual = {});
/// How the tool reads ONNX's and TensorFlow Lite's files.
ctnn::onnx::read_options onnx_reading(const model_source&);

using shapes_by_name = std::map<std::string, ctnn::extents, std::less<>>;
/// Of "NAME=3x224x224" options.
shapes_by_name parse_shapes(const std::vector<std::string>& options);
/// "NAME=3x224x224"
std::string assignment(const std::string& name, const ctnn::extents& shape);

/// A model's file, parsed: any number of networks can be built of it.
struct opened_model {
  std::vector<ctnn::declared_value> inputs;
  std::vector<ctnn::declared_value> outputs;   ///< of an ONNX model
  std::map<std::string, std::int64_t> opsets;  ///< of an ONNX model
  std::vector<ctnn::onnx::signature> signatures{};  ///< of a .tflite file
  bool batched = false;                        ///< the first axis of inputs and outputs counts samples
  /// For inputs that have been fed; other shapes are those of the file or of --shape.
  ctnn::loaded_model build(const ctnn::arrays_by_name& fed) const { return maker.make(fed, true); }
  ctnn::ir::network_maker maker;

  const ctnn::declared_value* find(std::string_view name) const;
};
/// Throws ctnn::error, usage_error.
opened_model open(const model_source&);

/// What is fed, and numbers for the other inputs: made up, in the shapes of the file or of --shape.
ctnn::arrays_by_name with_made_up(const model_source&, const opened_model&, ctnn::arrays_by_name fed);

/// The network for the arrays that the command line feeds, for any numbers in them. Throws ctnn::error if it is for
/// these numbers only: `made` ("a C++ type") would be wrong for others.
ctnn::loaded_model load(const model_source&, const std::string& made);

/// What ncnn's files say.
ctnn::ncnn::network_files open_ncnn_files(const model_source&);
#if __has_include(<protozero/pbf_reader.hpp>)
/// What an ONNX file says.
ctnn::onnx::model_message read_onnx(const model_source&);
#endif

/// "x" of "some/path/x.param".
std::string stem_of(const std::string& file);

}  // namespace tool
