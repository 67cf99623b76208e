// SPDX-License-Identifier: BSL-1.0
// One network made ready by one library, and run on the same numbers again and again.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "network_writer.hpp"

namespace ctnn::ir::test {

struct network_files {
  const written_network& network;
  std::string onnx, param, bin;  ///< paths
  std::span<const float> input;
  int threads;
};

class peer {
 public:
  virtual ~peer() = default;
  virtual void run() = 0;
  /// Of the last run().
  virtual std::span<const float> output() const = 0;
};

/// A library that is there: its name, with the version, and how to make it ready. Throws std::runtime_error.
struct library {
  std::string name;
  std::unique_ptr<peer> (*open)(const network_files& files);
  bool is_ctnn = false;
};

}  // namespace ctnn::ir::test
