// SPDX-License-Identifier: BSL-1.0
// Reads the model that a command line names.
#pragma once

#include <ctnn/formats/ncnn/load.hpp>

#include "commands.hpp"

namespace tool {

/// "NAME=TEXT"; `what` says in a complaint which option it was.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& what);

/// What ctnn::model and ctnn::ncnn::load take.
struct model_files {
  std::string param, bin;  ///< bin is empty for zeros
  ctnn::ncnn::read_options read;
};
model_files find_files(const model_source&);
ctnn::loaded_model load(const model_source&);

/// "x" of "some/path/x.param".
std::string stem_of(const std::string& file);

}  // namespace tool
