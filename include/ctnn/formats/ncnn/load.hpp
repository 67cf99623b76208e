// SPDX-License-Identifier: BSL-1.0
// Loads ncnn's .param and .bin; reader.hpp does it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "../../base/compiled.hpp"
#include "../../loaded/declared_value.hpp"
#include "../../loaded/loaded_model.hpp"
#include "../file.hpp"
#include "bin_reader.hpp"
#include "param_reader.hpp"

namespace ctnn::ncnn {

class layer_reader;

/// A layer type and the function that adds its nodes (layer_reader.hpp).
struct layer_type {
  std::string_view name;
  void (*read)(layer_reader&);
};

struct read_options {
  std::map<std::string, extents, std::less<>> input_shapes{};  ///< instead of what the file says, by blob name
  budget limits{};
  std::span<const layer_type> custom{};  ///< the user's layer types; they go before ours
};

/// Nothing is wrong with the file, but it says no shape for an input and none was given.
struct unknown_input_shape : error {
  using error::error;
};

/// Builds the graph of a parsed file, taking the weights in the order of its layers. Throws ctnn::error: for the first
/// thing that is wrong, or for all layers that are not supported together.
loaded_model build(const param_file& file, bin_reader& weights, const read_options& options = {});

/// What the file says of its inputs; shapes may be missing. Of outputs it has the names: what no layer reads.
std::vector<declared_value> declared_inputs(const param_file& file);
std::vector<std::string> declared_outputs(const param_file& file);

/// A network's files: what the .param file says, and the .bin file, which stays open as long as this lives. build()
/// takes the weights from it: for any number of input shapes, also when the files have been deleted.
struct network_files {
  param_file network;
  std::shared_ptr<const data_file> weights;                 ///< null: in memory
  std::shared_ptr<const std::vector<std::byte>> in_memory;  ///< null, too: zeros
  std::string weights_name;                                 ///< what messages call them
  std::shared_ptr<source_table> parts = std::make_shared<source_table>();  ///< of the weights, by where they lie
};
network_files open_network(const std::string& param, const std::string& bin, const budget& limits = {});
loaded_model build(const network_files& files, const read_options& options = {});

/// Reads `param` and `bin`; an empty `bin` takes zeros for all weights (an architecture alone). Errors in a file call
/// it by its name without directories, errors in finding it by its path.
loaded_model load(const std::string& param, const std::string& bin, const read_options& options = {});

}  // namespace ctnn::ncnn

#if CTNN_DEFINES(CTNN_PART_NCNN_READER)
#include "reader.hpp"
#endif
