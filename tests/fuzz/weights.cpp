// SPDX-License-Identifier: BSL-1.0
// libFuzzer: .safetensors and .npz files, and those of torch.save.
#include "loaded.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ctnn::ir::fuzz::try_weights(std::as_bytes(std::span(data, size)));
  return 0;
}
