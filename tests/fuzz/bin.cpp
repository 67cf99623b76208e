// SPDX-License-Identifier: BSL-1.0
// libFuzzer: ncnn's weight files, for a fixed .param with every layer that has weights.
#include "loaded.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ctnn::ir::fuzz::try_bin(std::as_bytes(std::span(data, size)));
  return 0;
}
