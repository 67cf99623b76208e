// SPDX-License-Identifier: BSL-1.0
// What --input feeds.
#pragma once

#include "source.hpp"

namespace tool {

struct fed_inputs {
  std::vector<ctnn::arrays_by_name> runs{1};  ///< by name; folders make one of each of their files
  bool many = false;                          ///< a folder was given, of one file perhaps
};

/// Whether a file holds arrays by name: .npz, .safetensors, or what torch.save wrote.
bool has_names(const std::string& file);
/// All arrays of such a file by their names; for an `input` the one called so, or its only one.
ctnn::arrays_by_name read_named(const std::string& file, const std::string& input);

/// The name and the file of "NAME=FILE"; "2=FILE" is the third of `all`, if nothing is called so, and "FILE" the only
/// one of `wanted`. Throws usage_error for `option` otherwise.
std::pair<std::string, std::string> named_file(const std::string& text, const std::string& option,
                                               const std::vector<std::string>& all,
                                               const std::vector<std::string>& wanted);

/// Reads the files: .npy, arrays by name, pictures, folders of .npy files and pictures, which the model runs on one by
/// one.
fed_inputs read_inputs(const model_source&, const opened_model&);

/// The same of a model with samples of its inputs: each `NAME=FILE`, or `FILE` for the only input. Arrays with an axis
/// more than the input has, or of another extent than 1 where it counts samples, are one sample after the other.
std::vector<ctnn::arrays_by_name> read_samples(model_source, const std::vector<std::string>& files,
                                               const opened_model&);

/// Throws usage_error if something is fed that is not an input of the model.
void require_inputs(const fed_inputs&, const opened_model&);

/// Results of runs as one array: each a row of a new first axis, or one behind the other along the first axis where
/// that counts samples. Throws ctnn::error if their shapes differ.
ctnn::array stacked(const std::string& name, const std::vector<ctnn::array>& results, bool batched);

}  // namespace tool
