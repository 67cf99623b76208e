// SPDX-License-Identifier: BSL-1.0
// libFuzzer: TensorFlow Lite's files. It writes the seeds itself, into the last folder of the command line.
#include <fstream>

#include "loaded.hpp"
#include "support/tflite_samples.hpp"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string folder = (*argv)[*argc - 1];
  if (folder.starts_with("-") || !folder.ends_with("tflite")) return 0;
  for (const auto& s : ctnn::ir::test::tflite_bytes::samples())
    std::ofstream(folder + "/seed_" + s.name, std::ios::binary) << s.file();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ctnn::ir::fuzz::try_tflite(std::as_bytes(std::span(data, size)));
  return 0;
}
