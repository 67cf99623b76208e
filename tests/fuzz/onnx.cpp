// SPDX-License-Identifier: BSL-1.0
// libFuzzer: ONNX files.
#include "loaded.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ctnn::ir::fuzz::try_onnx(std::as_bytes(std::span(data, size)));
  return 0;
}
