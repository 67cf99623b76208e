// SPDX-License-Identifier: BSL-1.0
// Writes ncnn's .param and .bin; writer.hpp does it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <system_error>

#include "../../base/compiled.hpp"
#include "../../loaded/loaded_model.hpp"
#include "../file.hpp"
#include "bin_writer.hpp"
#include "param_file.hpp"

namespace ctnn::ncnn {

struct written_model {
  std::string param;
  std::string bin;
};

struct written_output {
  std::string name;
  extents shape;
};

/// Reads what was written. Throws ctnn::error if it does not load, or lacks one of these outputs in its shape.
void require_readable(const written_model& w, std::span<const written_output> outputs);

/// What becomes of inputs whose first axis is 1: ncnn has no batch, so what comes from ONNX is `dropped` (by
/// without_batch.hpp), while the one channel of an image that ncnn has read is `kept`.
enum class batch_axis { kept, dropped };

/// Writes every live node of the graph and reads it back before anybody gets it. Throws ctnn::error naming all nodes
/// that ncnn cannot express.
written_model write(const graph_view& g, const weight_numbers& numbers, weight_storage storage = weight_storage::fp32,
                    batch_axis batch = batch_axis::kept);

/// Writes a model as it was read.
written_model write(const loaded_model& m, weight_storage storage = weight_storage::fp32,
                    batch_axis batch = batch_axis::kept);

/// By blob name.
using input_shapes = std::map<std::string, extents, std::less<>>;
/// Makes a file's network for inputs of these shapes, rewrites it and writes it.
using maker = std::function<written_model(const input_shapes&)>;
/// Files that hold for any extents that the .param leaves open, and shapes with which they were tried.
struct open_model {
  written_model files;
  input_shapes shapes;
};
/// Whether the file leaves extents of an input open, and no shape is given for it.
bool has_open_extents(const param_file& file, const input_shapes& given);
/// Throws `unknown_input_shape` with the reason where a network follows from the extents in a way that no file says.
open_model write_open(const param_file& file, const maker& make, const input_shapes& given = {});

/// Both files or, with a ctnn::error, neither.
inline void save(const written_model& w, const std::string& param, const std::string& bin) {
  write_file(bin, w.bin);
  try {
    write_file(param, w.param);
  } catch (const error&) {
    std::error_code ignored;
    std::filesystem::remove(bin, ignored);
    throw;
  }
}

}  // namespace ctnn::ncnn

#if CTNN_DEFINES(CTNN_PART_NCNN_WRITER)
#include "open_extents.hpp"
#include "writer.hpp"
#endif
