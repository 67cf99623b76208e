// SPDX-License-Identifier: BSL-1.0
// ctnn optimize: writes the rewritten model, as ncnnoptimize does.
#include <ctnn/formats/folded_weights.hpp>
#include <ctnn/formats/ncnn/write.hpp>

#include "progress.hpp"
#include "rewriting.hpp"
#include "source.hpp"
#include "table.hpp"

namespace tool {

namespace {

void explain(const ctnn::optimization& o) {
  table steps("rlll", {"step", "rule", "layer", "becomes part of"});
  std::map<std::string_view, std::int64_t> counts;
  for (std::size_t i = 0; i < o.history.size(); ++i) {
    const ctnn::rewrite_step& s = o.history[i];
    steps.row({std::to_string(i + 1), std::string(s.rule), std::string(s.consumed), s.into.empty() ? "-" : std::string(s.into)});
    ++counts[s.rule];
  }
  table sums("rl", {"times", "rule"});
  for (const auto& [rule, n] : counts) sums.row({std::to_string(n), std::string(rule)});
  std::printf("%s\n%s\n", steps.text().c_str(), sums.text().c_str());
}

}  // namespace

void optimize(const optimize_options& options) {
  if (!options.out.ends_with(".param")) throw usage_error("-o " + options.out + ": expected a file y.param (y.bin is written beside it)");
  const ctnn::loaded_model m = load(options.model);
  const ctnn::optimization o = rewrite(m, options.model.optimize);
  if (options.explain) explain(o);
  ctnn::ncnn::written_model written;
  {
    const progress busy("folding weights");
    ctnn::folded_weights numbers(m, o.g.view());
    written = ctnn::ncnn::write(o.g.view(), std::ref(numbers),
                                options.fp16 ? ctnn::ncnn::weight_storage::fp16 : ctnn::ncnn::weight_storage::fp32);
  }
  const std::string bin = std::filesystem::path(options.out).replace_extension(".bin").string();
  ctnn::write_file(options.out, written.param);
  ctnn::write_file(bin, written.bin);
  std::printf("%zu layers became %zu: %s, %s (%s bytes)\n", m.network.nodes.size(), o.g.nodes.size(), options.out.c_str(),
              bin.c_str(), grouped(static_cast<std::int64_t>(written.bin.size())).c_str());
}

}  // namespace tool
