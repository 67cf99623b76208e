// SPDX-License-Identifier: BSL-1.0
// Operators of the user's in ONNX files.
#pragma once

#include <string_view>

namespace ctnn::onnx {

class node_reader;

/// An operator of a custom domain and the function that adds its nodes (node_reader.hpp). It goes before ctnn's own,
/// whose domain is "".
struct node_type {
  std::string_view domain;
  std::string_view name;
  void (*read)(node_reader&);
};

}  // namespace ctnn::onnx
