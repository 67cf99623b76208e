// SPDX-License-Identifier: BSL-1.0
// ctnn optimize: writes the rewritten model, for ncnn as ncnnoptimize does, or as ONNX.
#include <ctnn/loaded/folded_weights.hpp>
#include <ctnn/formats/ncnn/write.hpp>
#if __has_include(<protozero/pbf_writer.hpp>)
#include <ctnn/formats/onnx/write.hpp>
#define CTNN_TOOL_WRITES_ONNX 1
#endif
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

std::string bytes_and_layers(const ctnn::loaded_model& m, const ir::optimization& o, const std::string& files,
                             std::uintmax_t bytes) {
  return std::to_string(m.network.nodes.size()) + " layers became " + std::to_string(o.g.nodes.size()) + ": " + files +
         " (" + grouped(static_cast<std::int64_t>(bytes)) + " bytes)\n";
}

std::string write_ncnn(const optimize_options& options, const ctnn::loaded_model& m, const ir::optimization& o) {
  ctnn::ncnn::written_model written;
  {
    const progress busy("folding weights");
    ir::folded_weights numbers(m, o.g.view());
    written = ctnn::ncnn::write(
        o.g.view(), std::ref(numbers),
        options.fp16 ? ctnn::ncnn::weight_storage::fp16 : ctnn::ncnn::weight_storage::fp32,
        options.model.file.ends_with(".onnx") ? ctnn::ncnn::batch_axis::dropped : ctnn::ncnn::batch_axis::kept);
  }
  const std::string bin = std::filesystem::path(options.out).replace_extension(".bin").string();
  ctnn::ncnn::save(written, options.out, bin);
  return bytes_and_layers(m, o, options.out + ", " + bin, written.bin.size());
}

std::string write_onnx([[maybe_unused]] const optimize_options& options, [[maybe_unused]] const ctnn::loaded_model& m,
                       [[maybe_unused]] const ir::optimization& o) {
#if defined(CTNN_TOOL_WRITES_ONNX)
  for (const ctnn::model_input& i : m.inputs)
    if (i.needed)
      throw ctnn::error(options.model.file + ": shapes follow from the numbers of input '" + std::string(i.name) +
                        "': a model that is written would be good for these numbers only");
  ctnn::onnx::write_options how;
  how.external_data = options.data;
  if (const auto opsets = open(options.model).opsets; options.model.file.ends_with(".onnx"))
    if (const auto at = opsets.find(""); at != opsets.end() && at->second > 0) how.opset = at->second;
  const progress busy("writing " + options.out);
  const ctnn::onnx::saved_model done = ctnn::onnx::save(m, o.g.view(), options.out, how, [&](const auto& read_back) {
    if (options.verify) verify_written(options, ctnn::onnx::build(read_back));
  });
  return bytes_and_layers(m, o, options.out + (done.external_data.empty() ? "" : ", " + done.external_data),
                          done.bytes + done.data_bytes);
#else
  throw ctnn::error(options.out + ": this ctnn was built without protozero, which writing ONNX needs");
#endif
}

}  // namespace

void optimize(const optimize_options& options) {
  const bool explains = options.explain || !options.why.empty();
  const bool for_onnx = options.out.ends_with(".onnx");
  if (options.out.empty() && !explains && !options.verify)
    throw usage_error("optimize needs OUT (y.onnx or y.param), --explain, --why LAYER or --verify");
  if (!options.out.empty() && !for_onnx && !options.out.ends_with(".param"))
    throw usage_error(options.out + ": expected a file y.onnx, or y.param (y.bin is written beside it)");
  if (for_onnx && options.fp16) throw usage_error("--fp16: only for ncnn");
  if (!for_onnx && !options.data.empty()) throw usage_error("--data: only for ONNX");
  ctnn::loaded_model m = load(options.model);
  const ir::optimization o = rewrite(m, options.model);
  if (options.explain) explain(o);
  print_reasons(options, m, o);
  if (options.verify) verify(options);
  if (options.out.empty()) return;
  std::printf("%s", (for_onnx ? write_onnx : write_ncnn)(options, m, o).c_str());
}

}  // namespace tool
