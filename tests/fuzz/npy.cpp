// SPDX-License-Identifier: BSL-1.0
// libFuzzer: NumPy's .npy files.
#include "loaded.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ctnn::ir::fuzz::try_npy({reinterpret_cast<const char*>(data), size});
  return 0;
}
