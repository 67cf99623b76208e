// SPDX-License-Identifier: BSL-1.0
// ctnn optimize: writes the rewritten model, as ncnnoptimize does.
#include <ctnn/loaded/folded_weights.hpp>
#include <ctnn/formats/ncnn/write.hpp>
#include <ctnn/rewrite/sentences.hpp>

#include <filesystem>

#include "progress.hpp"
#include "rewriting.hpp"
#include "source.hpp"
#include "table.hpp"

namespace tool {

namespace {

std::string microseconds(double nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us", nanoseconds / 1000);
  return text;
}

void explain(const ir::optimization& o) {
  table steps("rllll", {"step", "rule", "layer", "becomes (part of)", "by cost"});
  std::map<std::string_view, std::int64_t> counts;
  for (std::size_t i = 0; i < o.history.size(); ++i) {
    const ir::rewrite_step& s = o.history[i];
    steps.row({std::to_string(i + 1), std::string(s.rule), std::string(s.consumed),
               s.into.empty()         ? "-"
               : s.into == s.consumed ? "another operator"
                                      : std::string(s.into),
               s.now == 0 ? "" : microseconds(s.now) + " -> " + microseconds(s.then)});
    ++counts[s.rule];
  }
  table sums("rl", {"times", "rule"});
  for (const auto& [rule, n] : counts) sums.row({std::to_string(n), std::string(rule)});
  std::printf("%s\n%s\n", steps.text().c_str(), sums.text().c_str());
}

/// For each layer of --why where it went, or what the rules that nearly matched miss.
void print_reasons(const optimize_options& options, const ctnn::loaded_model& m, const ir::optimization& o) {
  const std::vector<ir::rule_record> rules = rules_for(options.model);
  for (const std::string& layer : options.why) {
    ir::pool<ir::text> lines;
    ir::explain(m.network.view(), o.g.view(), o.history, rules, layer, lines);
    if (lines.empty()) {
      ir::nearest_name near(layer);
      for (const ir::node& n : m.network.nodes) near.consider(n.name);
      throw usage_error("--why " + layer + ": the model has no such layer" + meant(near.name()));
    }
    for (const ir::text& line : lines) std::printf("%s\n", std::string(line.view()).c_str());
  }
}

}  // namespace

void optimize(const optimize_options& options) {
  const bool explains = options.explain || !options.why.empty();
  if (options.out.empty() && !explains && !options.verify)
    throw usage_error("optimize needs -o y.param, --explain, --why LAYER or --verify");
  if (!options.out.empty() && !options.out.ends_with(".param"))
    throw usage_error("-o " + options.out + ": expected a file y.param (y.bin is written beside it)");
  ctnn::loaded_model m = load(options.model);
  const ir::optimization o = rewrite(m, options.model);
  if (options.explain) explain(o);
  print_reasons(options, m, o);
  if (options.verify) verify(options);
  if (options.out.empty()) return;
  ctnn::ncnn::written_model written;
  {
    const progress busy("folding weights");
    ir::folded_weights numbers(m, o.g.view());
    written = ctnn::ncnn::write(o.g.view(), std::ref(numbers),
                                options.fp16 ? ctnn::ncnn::weight_storage::fp16 : ctnn::ncnn::weight_storage::fp32);
  }
  const std::string bin = std::filesystem::path(options.out).replace_extension(".bin").string();
  ctnn::ncnn::save(written, options.out, bin);
  std::printf("%zu layers became %zu: %s, %s (%s bytes)\n", m.network.nodes.size(), o.g.nodes.size(),
              options.out.c_str(), bin.c_str(), grouped(static_cast<std::int64_t>(written.bin.size())).c_str());
}

}  // namespace tool
