// SPDX-License-Identifier: BSL-1.0
// libFuzzer: ncnn's .param text, with made-up weights.
#include "loaded.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ctnn::ir::fuzz::try_param({reinterpret_cast<const char*>(data), size});
  return 0;
}
