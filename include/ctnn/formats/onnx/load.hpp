// SPDX-License-Identifier: BSL-1.0
// Loads .onnx files; reader.hpp does it.
#pragma once

#include "../../base/compiled.hpp"
#include "../../loaded/budget.hpp"
#include "../../loaded/declared_value.hpp"
#include "../file.hpp"
#include "messages.hpp"
#include "node_type.hpp"

namespace ctnn::onnx {

struct read_options {
  std::map<std::string, extents, std::less<>> input_shapes{};  ///< instead of what the file says, by name
  budget limits{.name_length = 1 << 20};  ///< exporters write whole paths as names
  bool external_data = false;  ///< tensors may be in other files of the model's folder
  std::span<const node_type> custom{};  ///< the user's operators
};

/// Highest operator set that ctnn knows.
inline constexpr std::int64_t last_opset = 27;

/// The network cannot be made before an input has a shape, or numbers.
struct undetermined : error {
  using error::error;
};

/// Builds the graph of a parsed file for inputs of these shapes. Throws ctnn::error: for the first thing that is wrong,
/// or for all nodes that are not supported together; `undetermined` if shapes follow from inputs that are not known.
loaded_model build(const model_message& file, const read_options& options = {}, const arrays_by_name& fed = {});

/// What the file says of its inputs, or outputs; those of types that ctnn does not have are left out.
std::vector<declared_value> declared_inputs(const model_message& file);
std::vector<declared_value> declared_outputs(const model_message& file);

/// Parses the bytes of an .onnx file. `folder` is where external data may be read from; empty refuses it. The numbers
/// of large tensors are read now, unless `file` is the open file that the bytes come from: then build() reads them.
model_message parse_model(std::span<const std::byte> bytes, const std::string& source, const budget& limits = {},
                          const std::string& folder = {}, const std::shared_ptr<const data_file>& file = {});

/// Reads and parses an .onnx file, which stays open as long as the result lives, for large tensors: any number of
/// networks may be built, also when the file has been deleted. Errors in it call it by its name without directories.
model_message read(const std::string& path, const read_options& options = {});

/// The numbers of a tensor, from memory or from its file; null if it is refused. Throws ctnn::error if the file has
/// been written into since it was opened. `source` is what messages call the model.
shared_array numbers_of(const tensor& t, const std::string& source, const budget& limits = {});

loaded_model load(const std::string& path, const read_options& options = {}, const arrays_by_name& fed = {});

}  // namespace ctnn::onnx

#if !CTNN_COMPILED_ELSEWHERE
#include "reader.hpp"
#endif
