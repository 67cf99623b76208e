// SPDX-License-Identifier: BSL-1.0
// ctnn draw: the network before and after rewriting, as a picture; what its layers take; its arena.
#include <ctnn/formats/arena_picture.hpp>
#include <ctnn/formats/file.hpp>
#include <ctnn/formats/graphviz.hpp>
#include <ctnn/loaded/planning.hpp>

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>

#include "inputs.hpp"
#include "parts.hpp"
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
class times {
 public:
  explicit times(const draw_options& options) {
    if (!options.time) return;
    bench_options how;
    how.seconds = options.seconds;
    for (layer_times& l : measure(options.model, how).layers) {
      std::sort(l.seconds.begin(), l.seconds.end());
      medians_[l.name] += l.seconds[l.seconds.size() / 2];
    }
  }
  std::vector<double> of(const ir::graph_view& g) const {
    std::vector<double> all;
    if (medians_.empty()) return all;
    for (const ir::node& n : g.nodes) {
      const auto found = medians_.find(std::string(n.name));
      all.push_back(found == medians_.end() ? 0 : found->second);
    }
    return all;
  }

 private:
  std::map<std::string, double> medians_;
};

void draw_arena(const ir::graph_view& g, const std::string& out) {
  const ir::memory_plan plan = ir::plan_loaded(g);
  ir::write_file(out, ctnn::write_arena_picture(g, plan.view()));
}
/// Parts have memory of their own, one after the other: x.1.svg, x.2.svg of those that are planned.
void draw_arenas(const draw_options& options, const parts_run& run) {
  const std::filesystem::path out(options.out);
  std::size_t number = 0;
  for (const ran_part& p : run.parts) {
    ++number;
    if (!p.code) continue;
    std::filesystem::path name = out;
    name.replace_extension(std::to_string(number) + out.extension().string());
    draw_arena(p.code->g(), name.string());
    std::printf("%s\n", name.string().c_str());
  }
}

/// What ran for the numbers that are fed, or for made-up ones.
std::string text_of_parts(const draw_options& options, const parts_run& run) {
  if (!run.broken.empty()) throw ctnn::error(run.broken + " (of made-up numbers): feed --input NAME=FILE");
  if (options.arena) return draw_arenas(options, run), "";
  const times medians(options);
  std::deque<ir::graph_view> graphs;
  std::deque<std::vector<double>> seconds;
  std::vector<ctnn::drawn_part> parts;
  for (const ran_part& p : run.parts) {
    ctnn::drawn_part& now = parts.emplace_back();
    now.title = "part " + std::to_string(parts.size());
    if (!p.code) {
      now.title += ": " + p.type + " '" + p.name + "', as its numbers come";
      continue;
    }
    if (p.turns > 1) now.title += ": " + std::to_string(p.turns) + " turns of a loop";
    if (options.model.optimize) now.before = &graphs.emplace_back(p.code->source().network.view());
    now.after = &graphs.emplace_back(p.code->g());
    now.history = p.code->history();
    now.seconds = seconds.emplace_back(medians.of(*now.after));
  }
  return ctnn::write_graphviz(parts);
}

/// Empty where --arena has written the picture.
std::string text_of(const draw_options& options) {
  const opened_model opened = open(options.model);
  const fed_inputs fed = read_inputs(options.model, opened);
  require_inputs(fed, opened);
  std::optional<ctnn::loaded_model> whole = build_whole(opened, fed.runs[0]);
  if (!whole) return text_of_parts(options, run_parts(options.model, opened, fed.runs[0]));
  ctnn::loaded_model& m = *whole;
  const ir::optimization o = rewrite(m, options.model);
  if (options.arena) {
    draw_arena(o.g.view(), options.out);
    return "";
  }
  const std::vector<double> seconds = times(options).of(o.g.view());
  return options.model.optimize ? ctnn::write_graphviz(m.network.view(), o.g.view(), o.history, seconds)
                                : ctnn::write_graphviz(o.g.view(), seconds);
}

}  // namespace

void draw(const draw_options& options) {
  const std::string extension = std::filesystem::path(options.out).extension().string();
  const std::string format = extension.empty() ? "" : extension.substr(1);
  if (format != "dot" && format != "svg" && format != "png" && format != "pdf")
    throw usage_error("-o " + options.out + ": expected a file .dot, .svg, .png or .pdf");
  if (options.arena && format != "svg") throw usage_error("-o " + options.out + ": --arena writes a file .svg");
  const std::string text = text_of(options);
  if (text.empty()) return;
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
