// SPDX-License-Identifier: BSL-1.0
// The graph of a parsed file, whatever its format: ONNX's messages also hold what formats/tflite/ reads.
#pragma once

#include "../../base/compiled.hpp"
#include "../../base/error.hpp"
#include "../../loaded/budget.hpp"
#include "../../loaded/declared_value.hpp"
#include "../../loaded/decoded_picture.hpp"
#include "../../loaded/network_parts.hpp"
#include "messages.hpp"
#include "node_type.hpp"

namespace ctnn::onnx {

struct read_options {
  std::map<std::string, extents, std::less<>> input_shapes{};  ///< instead of what the file says, by name
  budget limits{.name_length = 1 << 20};                       ///< exporters write whole paths as names
  bool external_data = false;                                  ///< tensors may be in other files of the model's folder
  std::span<const node_type> custom{};                         ///< the user's operators
  picture_decoder decode_picture = nullptr;                    ///< ImageDecoder; without one it is refused
  /// How TensorFlow Lite's convolutions, products and sums of bytes are rounded (load_options::rounding).
  ir::rounding rounding = ir::rounding::real;
  std::string signature{};  ///< of a .tflite file with several (load_options::signature)
  bool in_parts = false;  ///< throw ir::needs_running where numbers take more than a few steps to compute
};

/// Highest operator set that ctnn knows.
inline constexpr std::int64_t last_opset = 27;

using undetermined = ir::undecided;

/// Builds the graph of a parsed file for inputs of these shapes. Throws ctnn::error: for the first thing that is wrong,
/// or for all nodes that are not supported together; `undetermined` if shapes follow from inputs that are not known.
loaded_model build(const model_message& file, const read_options& options = {}, const arrays_by_name& fed = {});

/// The same, of a file that is divided where numbers decide shapes.
ir::network_maker maker_of(std::shared_ptr<const model_message> file, const read_options& options);

/// A file at the first node whose shapes follow from what runs above it: that as a file by itself, and the other nodes.
struct divided_file {
  model_message above, below;
};
divided_file divide(std::shared_ptr<const model_message> file, const read_options& options,
                    const ir::needs_running& at);

/// What the file says of its inputs, or outputs; those of types that ctnn does not have are left out.
std::vector<declared_value> declared_inputs(const model_message& file);
std::vector<declared_value> declared_outputs(const model_message& file);

}  // namespace ctnn::onnx

#if CTNN_DEFINES(CTNN_PART_ONNX_BUILDER)
#include "builder.hpp"
#include "divide.hpp"
#endif
