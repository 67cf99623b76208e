// SPDX-License-Identifier: BSL-1.0
// An ncnn network as plain structs, as its .param file says it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace ctnn::ncnn {

/// A number as spelled: "5" is an integer, "5.0" and "5e0" are not. Either spelling serves a float parameter; an
/// integer parameter takes a float literal only if it is a whole number. (ncnn reinterprets the bits instead.)
struct number {
  double value = 0;
  bool is_float = false;
};

using numbers = std::vector<number>;
using parameter = std::variant<number, numbers, std::string>;

/// One line of a .param file.
struct layer {
  std::string type;
  std::string name;
  std::vector<std::string> inputs;   ///< blob names ("bottoms")
  std::vector<std::string> outputs;  ///< blob names ("tops")
  std::map<int, parameter> params;
  std::size_t line = 0;
};

/// Layers in topological order; every blob has exactly one producer.
struct param_file {
  std::string source;  ///< what messages call the file
  std::vector<layer> layers;
};

}  // namespace ctnn::ncnn
