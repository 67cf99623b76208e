// SPDX-License-Identifier: BSL-1.0
// ctnn draw: the network before and after rewriting, as a picture; what its layers take; its arena.
#include <ctnn/formats/arena_picture.hpp>
#include <ctnn/formats/file.hpp>
#include <ctnn/formats/graphviz.hpp>
#include <ctnn/plan/planner.hpp>

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "profile.hpp"
#include "progress.hpp"
#include "rewriting.hpp"
#include "source.hpp"

extern char** environ;

namespace tool {

namespace {

/// Runs Graphviz without a shell.
void render(const std::string& dot, const std::string& format, const std::string& out) {
  const std::string kind = "-T" + format;
  const char* const command[] = {"dot", kind.c_str(), "-o", out.c_str(), dot.c_str(), nullptr};
  const progress busy("drawing " + out);
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, "dot", nullptr, nullptr, const_cast<char* const*>(command), environ) != 0)
    throw ctnn::error(out + ": Graphviz's dot is not installed (Debian: graphviz); -o X.dot needs none");
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw ctnn::error(out + ": dot could not draw it");
}

/// The median of each node; 0 for those without a kernel of their own, or that run together with a later one.
std::vector<double> times_of(const ir::graph_view& g, const draw_options& options) {
  bench_options how;
  how.seconds = options.seconds;
  std::map<std::string, double> medians;
  for (layer_times& l : measure(options.model, how).layers) {
    std::sort(l.seconds.begin(), l.seconds.end());
    medians[l.name] += l.seconds[l.seconds.size() / 2];
  }
  std::vector<double> all;
  for (const ir::node& n : g.nodes) {
    const auto found = medians.find(std::string(n.name));
    all.push_back(found == medians.end() ? 0 : found->second);
  }
  return all;
}

}  // namespace

void draw(const draw_options& options) {
  const std::string extension = std::filesystem::path(options.out).extension().string();
  const std::string format = extension.empty() ? "" : extension.substr(1);
  if (format != "dot" && format != "svg" && format != "png" && format != "pdf")
    throw usage_error("-o " + options.out + ": expected a file .dot, .svg, .png or .pdf");
  if (options.arena && format != "svg") throw usage_error("-o " + options.out + ": --arena writes a file .svg");
  ctnn::loaded_model m = load(options.model);
  const ir::optimization o = rewrite(m, options.model);
  if (options.arena) {
    const ir::memory_plan plan = ir::make_plan(o.g.view());
    return ir::write_file(options.out, ctnn::write_arena_picture(o.g.view(), plan.view()));
  }
  const std::vector<double> seconds = options.time ? times_of(o.g.view(), options) : std::vector<double>();
  const std::string text = options.model.optimize
                               ? ctnn::write_graphviz(m.network.view(), o.g.view(), o.history, seconds)
                               : ctnn::write_graphviz(o.g.view(), seconds);
  if (format == "dot") return ir::write_file(options.out, text);
  const std::string source = options.out + ".dot";
  ir::write_file(source, text);
  try {
    render(source, format, options.out);
  } catch (...) {
    std::filesystem::remove(source);
    throw;
  }
  std::filesystem::remove(source);
}

}  // namespace tool
