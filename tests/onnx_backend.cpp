// SPDX-License-Identifier: BSL-1.0
// onnx_backend DIR: runs every ONNX backend case below a folder and prints a line for each and, last, how many passed.
#include "support/onnx_backend.hpp"

int main(int argc, char** argv) {
  namespace backend = ctnn::ir::test::backend;
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: onnx_backend DIR\n");
    return 2;
  }
  const auto counts = backend::run_all(argv[1], [](const std::string& name, const backend::answer& a) {
    constexpr const char* words[] = {"passed", "FAILED", "unsupported"};
    std::printf("%s %s%s%s\n", words[static_cast<int>(a.what)], name.c_str(), a.why.empty() ? "" : ": ", a.why.c_str());
    std::fflush(stdout);
  });
  std::printf("%d passed, %d failed, %d unsupported\n", counts[0], counts[1], counts[2]);
  return counts[1] == 0 && counts[0] > 0 ? 0 : 1;
}
