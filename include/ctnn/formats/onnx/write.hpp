// SPDX-License-Identifier: BSL-1.0
// Writes .onnx files; writer.hpp does it.
#pragma once

#include <functional>
#include <set>

#include "load.hpp"

namespace ctnn::onnx {

struct write_options {
  std::int64_t opset = 17;      ///< at least; an operator that came later raises it
  bool fused = false;           ///< com.microsoft's operators where one says what takes several of ONNX's
  std::string external_data{};  ///< name of the file, beside the model, for large weights; empty: in the model
};

/// The oldest operator set that is written: axes and sizes are inputs, softmax has one axis.
inline constexpr std::int64_t first_opset_written = 13;
/// What one protocol buffer holds at most.
inline constexpr std::uint64_t most_bytes_in_model = (std::uint64_t{1} << 31) - (std::uint64_t{1} << 24);

/// A graph rewritten from `m`, or m's own, as ONNX says it: inputs, outputs, values, nodes and weights keep their names
/// where these are unique, fused activations and sums become nodes of their own (unless `fused`). Weights of `m` are
/// shared, not copied. Throws ctnn::error naming all nodes that ONNX's standard operators cannot express.
model_message describe_for_file(const loaded_model& m, const graph_view& g, const write_options& options = {});

/// The bytes of an .onnx file. Throws ctnn::error if they are more than a protocol buffer holds.
std::string bytes_of(const model_message& file);

using shapes_by_name = std::map<std::string, extents, std::less<>>;

/// Builds the network of a file that has been read back and compares with what was to be written: inputs and outputs,
/// and every value that is in both, must have the same names, shapes and types. `fed` are inputs that shapes follow
/// from, `shapes` those of inputs whose axes are open. Throws ctnn::error otherwise, which is a defect of ctnn.
void require_same(const model_message& read_back, const model_message& written, const arrays_by_name& fed = {},
                  const shapes_by_name& shapes = {});

/// Makes a file's network for inputs of these shapes, rewrites it and describes it (describe_for_file).
using rewriter = std::function<model_message(const shapes_by_name&, const write_options&)>;

/// A description that holds for any size of the open axes, and one of the same network for a certain one.
struct open_model {
  model_message file;
  shapes_by_name shapes;
  model_message sample;  ///< for these shapes
};
/// Whether inputs have axes without a size, and no shape is given for them.
bool has_open_axes(const model_message& file, const shapes_by_name& given);
/// Throws `undetermined` with the reason where a network follows from the sizes in a way that no file says.
open_model describe_open(const model_message& file, const rewriter& make, const shapes_by_name& given = {},
                         const write_options& options = {});

/// The file with another description of what runs above a node (divide()): inputs, outputs and all other nodes are the
/// file's. Throws ctnn::error where those cannot be written as they are.
model_message join(const model_message& file, model_message above, const model_message& below);

/// Bytes of an .onnx file that have been read back and compared (require_same).
std::string write(const loaded_model& m, const graph_view& g, const write_options& options = {});
/// A model as it was read.
std::string write(const loaded_model& m, const write_options& options = {});

/// What save() has done.
struct saved_model {
  std::size_t nodes = 0;
  std::int64_t opset = 0;
  std::uintmax_t bytes = 0;       ///< of the model
  std::string external_data{};    ///< the name of the file with weights; empty: there is none
  std::uintmax_t data_bytes = 0;  ///< its size
};

/// Writes an .onnx file and reads it back from the disk; `check` compares what was read. Only then do the file, and
/// that of external data, get their names; with a ctnn::error neither is left behind, and what was there before stays.
/// Weights above most_bytes_in_model go to `path` + ".data" by themselves.
saved_model save(const model_message& file, const std::string& path, const write_options& options,
                 const std::function<void(const model_message& read_back)>& check);

/// The network of a graph rewritten from `m`, compared by require_same().
saved_model save(const loaded_model& m, const graph_view& g, const std::string& path,
                 const write_options& options = {});

}  // namespace ctnn::onnx

#if CTNN_DEFINES(CTNN_PART_ONNX_WRITER)
#include "join.hpp"
#include "open_axes.hpp"
#include "writer.hpp"
#endif
