// SPDX-License-Identifier: BSL-1.0
// Broken and odd ncnn files: each is loaded in a child process that has one second and 64 MB.
#include <ctnn/model.hpp>

#include "malformed_files.hpp"
#include "shared_files.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("malformed ncnn files neither crash nor hang nor take memory, and are refused with a reason") {
  const auto folder = test::shared_models("malformed");
  if (folder.empty()) return;
  std::map<std::string, int> counts;
  for (const test::odd_file& odd : test::listed(folder / "malformed.json")) {
    if (odd.kind != "param" && odd.kind != "parambin" && odd.kind != "bin") continue;
    CAPTURE(odd.file);
    const std::string path = (folder / odd.file).string();
    const bool has_partner = odd.use_with.ends_with(".bin") || odd.use_with.ends_with(".param");
    const std::string partner = has_partner ? (folder / "base" / odd.use_with).string() : "";
    std::string message;
    const bool is_param = odd.kind != "bin";  // ncnn's binary .param is not read: refused as text
    const int code = test::load_in_child(
        [&] { const model ready(ncnn::load(is_param ? path : partner, is_param ? partner : path)); }, message);
    CAPTURE(message);
    CHECK((code == test::accepted || code == test::rejected));
    CHECK((code == test::accepted) == message.empty());
    CHECK(message.find('\n') == message.npos);
    if (odd.expect == "reject") CHECK(code == test::rejected);
    if (odd.expect == "accept") CHECK(code == test::accepted);
    ++counts[odd.kind + ", expected " + odd.expect + ": " + (code == test::accepted ? "accepted" : "refused")];
    if (std::getenv("CTNN_VERBOSE"))
      std::printf("%s %s %d %s\n", odd.file.c_str(), odd.expect.c_str(), code, message.c_str());
  }
  test::tell(counts);
}
