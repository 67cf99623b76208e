// SPDX-License-Identifier: BSL-1.0
// libFuzzer: Neural Amp Modeler's and RTNeural's files. It writes the seeds itself, into the last folder of the command
// line.
#include <fstream>

#include "loaded.hpp"
#include "support/rtneural_samples.hpp"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string folder = (*argv)[*argc - 1];
  if (folder.starts_with("-") || !folder.ends_with("json")) return 0;
  for (const auto& s : ctnn::ir::test::nam::samples()) std::ofstream(folder + "/seed_nam_" + s.name) << s.file();
  for (const auto& s : ctnn::ir::test::rtneural::samples())
    std::ofstream(folder + "/seed_rtneural_" + s.name) << s.file();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ctnn::ir::fuzz::try_json({reinterpret_cast<const char*>(data), size});
  return 0;
}
