// SPDX-License-Identifier: BSL-1.0
// The tool: exits with 1 for bad input and for what cannot be written, with 2 for bad usage.
#include <algorithm>
#include <cstdio>

#include "command_line.hpp"
#include "files.hpp"

namespace {

int complain(std::string line, int status) {
  std::replace(line.begin(), line.end(), '\n', ';');
  std::fprintf(stderr, "ctnn: %s\n", tool::shown(line).c_str());
  return status;
}

void work(tool::command_line& line, int argc, char** argv) {
  try {
    line.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::printf("%s", line.help().c_str());
    return;
  } catch (const CLI::CallForVersion& version) {
    std::printf("%s\n", version.what());
    return;
  }
  line.run();
}

}  // namespace

int main(int argc, char** argv) {
  tool::command_line line;
  const tool::standard_streams streams;
  try {
    work(line, argc, argv);
    streams.finish();
    return 0;
  } catch (const CLI::ParseError& e) {
    return complain(line.explain(e), 2);
  } catch (const tool::usage_error& e) {
    return complain(e.what(), 2);
  } catch (const std::exception& e) {
    return complain(e.what(), 1);
  }
}
