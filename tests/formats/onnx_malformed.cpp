// SPDX-License-Identifier: BSL-1.0
// Broken and odd ONNX files: each is loaded in a child process that has one second and 64 MB.
#include <ctnn/model.hpp>

#include "malformed_files.hpp"
#include "shared_files.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

/// Loads a file and makes it ready to run; axes that it leaves open are 1.
void load_file(const std::string& path, onnx::read_options options) {
  const onnx::model_message file = onnx::read(path, options);
  for (const onnx::value_info& v : file.graph.inputs) {
    if (!v.shape) continue;
    extents shape;
    bool open = false;
    for (const auto& axis : *v.shape) {
      open = open || !axis.size;
      shape.push_back(static_cast<int>(axis.size.value_or(1)));
    }
    if (open) options.input_shapes[v.name] = shape;
  }
  const model ready(onnx::build(file, options));
}

}  // namespace

TEST_CASE("malformed ONNX files neither crash nor hang nor take memory, and are refused with a reason") {
  const auto folder = test::shared_models("malformed");
  if (folder.empty()) return;
  std::map<std::string, int> counts;
  for (const test::odd_file& odd : test::listed(folder / "malformed.json")) {
    if (odd.kind != "onnx" && odd.kind != "onnx_public") continue;
    CAPTURE(odd.file);
    const std::string path = (folder / odd.file).string();
    for (const bool external : {false, true}) {
      onnx::read_options options;
      options.external_data = external;
      std::string message;
      const int code = test::load_in_child([&] { load_file(path, options); }, message);
      CAPTURE(message);
      CHECK((code == test::accepted || code == test::rejected));
      CHECK((code == test::accepted) == message.empty());
      CHECK(message.find('\n') == message.npos);
      if (odd.expect == "reject") CHECK(code == test::rejected);
      if (odd.expect == "accept") CHECK(code == test::accepted);
      if (external) continue;
      ++counts[odd.kind + ", expected " + odd.expect + ": " + (code == test::accepted ? "accepted" : "refused")];
      if (std::getenv("CTNN_VERBOSE"))
        std::printf("%s %s %d %.300s\n", odd.file.c_str(), odd.expect.c_str(), code, message.c_str());
    }
  }
  test::tell(counts);
}
