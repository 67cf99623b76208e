// SPDX-License-Identifier: BSL-1.0
// ctnn optimize: writes the rewritten model, for ncnn as ncnnoptimize does, or as ONNX.
#include <ctnn/loaded/folded_weights.hpp>
#include <ctnn/loaded/proof/network.hpp>
#include <ctnn/formats/ncnn/write.hpp>
#if __has_include(<protozero/pbf_writer.hpp>)
#include <ctnn/formats/onnx/write.hpp>
#define CTNN_TOOL_WRITES_ONNX 1
#endif
#include <ctnn/rewrite/sentences.hpp>

#include <filesystem>
#include <optional>

#include "files.hpp"
#include "inputs.hpp"
#include "parts.hpp"
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

void explain(std::span<const ir::rewrite_step> history) {
  table steps("rllll", {"step", "rule", "layer", "becomes (part of)", "by cost"});
  std::map<std::string_view, std::int64_t> counts;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const ir::rewrite_step& s = history[i];
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

/// A network as it was read and as it runs.
struct both_graphs {
  ir::graph_view before, after;
  std::span<const ir::rewrite_step> history;
};

/// For each layer of --why where it went, or what the rules that nearly matched miss.
void print_reasons(const optimize_options& options, const std::vector<both_graphs>& parts) {
  const std::vector<ir::rule_record> rules = rules_for(options.model);
  for (const std::string& layer : options.why) {
    ir::pool<ir::text> lines;
    for (const both_graphs& p : parts)
      if (lines.empty()) ir::explain(p.before, p.after, p.history, rules, layer, lines);
    if (lines.empty()) {
      ir::nearest_name near(layer);
      for (const both_graphs& p : parts)
        for (const ir::node& n : p.before.nodes) near.consider(n.name);
      throw usage_error("--why " + layer + ": the model has no such layer" + meant(layer, near.name()));
    }
    for (const ir::text& line : lines) std::printf("%s\n", std::string(line.view()).c_str());
  }
}

std::string bytes_and_layers(const ctnn::loaded_model& m, const ir::optimization& o, const std::string& files,
                             std::uintmax_t bytes) {
  return std::to_string(m.network.nodes.size()) + " layers became " + std::to_string(o.g.nodes.size()) + ": " + files +
         " (" + grouped(static_cast<std::int64_t>(bytes)) + " bytes)\n";
}

ctnn::ncnn::written_model describe_ncnn(const optimize_options& options, const ctnn::loaded_model& m,
                                        const ir::optimization& o) {
  const progress busy("folding weights");
  ir::folded_weights numbers(m, o.g.view());
  return ctnn::ncnn::write(
      o.g.view(), std::ref(numbers), options.fp16 ? ctnn::ncnn::weight_storage::fp16 : ctnn::ncnn::weight_storage::fp32,
      has_ending(options.model.file, ".onnx") ? ctnn::ncnn::batch_axis::dropped : ctnn::ncnn::batch_axis::kept);
}

/// Shapes that a model with open axes was tried with become those of the command line.
void take_shapes(model_source& from, const auto& shapes) {
  const auto given = parse_shapes(from.shapes);
  for (const auto& [name, shape] : shapes)
    if (!given.contains(name)) from.shapes.push_back(assignment(name, shape));
}

/// The same of a .param that leaves extents of its inputs open: files that leave them open, too. Nothing, and `closed`
/// says why, where that cannot be and shapes follow from what is fed.
std::optional<ctnn::ncnn::written_model> describe_open_ncnn(optimize_options& options, std::string& closed) {
  if (!has_ending(options.model.file, ".param")) return {};
  const ctnn::ncnn::network_files files = open_ncnn_files(options.model);
  const auto given = parse_shapes(options.model.shapes);
  if (!ctnn::ncnn::has_open_extents(files.network, given)) return {};
  const auto make = [&](const ctnn::ncnn::input_shapes& shapes) {
    ctnn::ncnn::read_options read;
    read.limits = limits_of(options.model, read.limits);
    read.input_shapes = shapes;
    ctnn::loaded_model m = ctnn::ncnn::build(files, read);
    const ir::optimization o = rewrite(m, options.model);
    return describe_ncnn(options, m, o);
  };
  try {
    ctnn::ncnn::open_model made = ctnn::ncnn::write_open(files.network, make, given);
    take_shapes(options.model, made.shapes);
    return std::move(made.files);
  } catch (const ctnn::ncnn::unknown_input_shape& e) {
    if (options.model.inputs.empty())
      throw ctnn::error(e.what() + std::string("; give shapes with --shape or --input"));
    closed = e.what();
    return {};
  }
}

std::string write_ncnn(const optimize_options& options, const ctnn::loaded_model& m, const ir::optimization& o,
                       const std::optional<ctnn::ncnn::written_model>& open) {
  const ctnn::ncnn::written_model written = open ? *open : describe_ncnn(options, m, o);
  const std::string bin = std::filesystem::path(options.out).replace_extension(".bin").string();
  ctnn::ncnn::save(written, options.out, bin);
  return bytes_and_layers(m, o, options.out + ", " + bin, written.bin.size());
}

#if defined(CTNN_TOOL_WRITES_ONNX)
ctnn::onnx::write_options onnx_options(const optimize_options& options) {
  ctnn::onnx::write_options how;
  how.external_data = options.data;
  how.fused = options.fused;
  if (has_ending(options.model.file, ".onnx")) {
    const auto opsets = read_onnx(options.model).opsets;
    if (const auto at = opsets.find(""); at != opsets.end()) how.opset = at->second;
  }
  return how;
}

/// The model for any size of the axes that it leaves open. `options` get the shapes that it is tried with. Where these
/// cannot stay open, `closed` gets the reason, and the model is for what is fed.
std::optional<ctnn::onnx::open_model> describe_open(optimize_options& options, std::string& closed) {
  if (!has_ending(options.model.file, ".onnx")) return {};
  const ctnn::onnx::model_message file = read_onnx(options.model);
  const auto given = parse_shapes(options.model.shapes);
  if (!ctnn::onnx::has_open_axes(file, given)) return {};
  const auto make = [&](const ctnn::onnx::shapes_by_name& shapes, const ctnn::onnx::write_options& how) {
    ctnn::onnx::read_options read = onnx_reading(options.model);
    read.input_shapes = shapes;
    ctnn::loaded_model m = ctnn::onnx::build(file, read);
    const ir::optimization o = rewrite(m, options.model);
    return ctnn::onnx::describe_for_file(m, o.g.view(), how);
  };
  try {
    ctnn::onnx::open_model made = ctnn::onnx::describe_open(file, make, given, onnx_options(options));
    take_shapes(options.model, made.shapes);
    return made;
  } catch (const ctnn::onnx::undetermined& e) {
    if (options.model.inputs.empty())
      throw ctnn::error(e.what() + std::string("; give shapes with --shape or --input"));
    closed = e.what();
    return {};
  }
}

std::string write_onnx(const optimize_options& options, const ctnn::loaded_model& m, const ir::optimization& o,
                       const std::optional<ctnn::onnx::open_model>& open) {
  const ctnn::onnx::write_options how = onnx_options(options);
  const progress busy("writing " + options.out);
  const ctnn::onnx::model_message file = open ? open->file : ctnn::onnx::describe_for_file(m, o.g.view(), how);
  const ctnn::onnx::shapes_by_name shapes = open ? open->shapes : ctnn::onnx::shapes_by_name{};
  const ctnn::onnx::saved_model done = ctnn::onnx::save(file, options.out, how, [&](const auto& read_back) {
    ctnn::onnx::require_same(read_back, open ? open->sample : file, {}, shapes);
    if (!options.verify) return;
    ctnn::onnx::read_options read = onnx_reading(options.model);
    read.input_shapes = shapes;
    verify_written(options, ctnn::onnx::maker_of(std::make_shared<const ctnn::onnx::model_message>(read_back), read));
  });
  return bytes_and_layers(m, o, options.out + (done.external_data.empty() ? "" : ", " + done.external_data),
                          done.bytes + done.data_bytes);
}

/// Of a model that runs in parts: what runs before the first node that asks for numbers is rewritten, the others stay.
std::string write_in_parts(const optimize_options& options, const parts_run& run) {
  const auto file = std::make_shared<const ctnn::onnx::model_message>(read_onnx(options.model));
  ctnn::onnx::read_options read = onnx_reading(options.model);
  for (const auto& [name, numbers] : run.fed) read.input_shapes.emplace(name, numbers.shape());
  const auto divided = [&](const std::shared_ptr<const ctnn::onnx::model_message>& m) {
    try {
      ctnn::onnx::maker_of(m, read).make({}, false);
    } catch (const ir::needs_running& at) {
      return ctnn::onnx::divide(m, read, at);
    }
    throw ctnn::error("'" + m->source + "' does not run in parts");
  };
  const ctnn::onnx::divided_file now = divided(file);
  if (now.above.graph.nodes.empty())
    throw ctnn::error(options.model.file +
                      ": what follows from its inputs' numbers begins with its first layers: "
                      "nothing above that can be rewritten");
  ctnn::loaded_model m = ctnn::onnx::build(now.above, read);
  const ir::optimization o = rewrite(m, options.model);
  const ctnn::onnx::write_options how = onnx_options(options);
  const ctnn::onnx::model_message above = ctnn::onnx::describe_for_file(m, o.g.view(), how);
  const progress busy("writing " + options.out);
  const ctnn::onnx::saved_model done =
      ctnn::onnx::save(ctnn::onnx::join(*file, above, now.below), options.out, how, [&](const auto& read_back) {
        const auto again = std::make_shared<const ctnn::onnx::model_message>(read_back);
        ctnn::onnx::require_same(divided(again).above, above);
        if (options.verify) verify_written(options, ctnn::onnx::maker_of(again, read));
      });
  return bytes_and_layers(m, o, options.out + (done.external_data.empty() ? "" : ", " + done.external_data),
                          done.bytes + done.data_bytes) +
         std::to_string(now.below.graph.nodes.size()) +
         " nodes whose shapes follow from what is computed stay as they are\n";
}
#endif

}  // namespace

namespace {

/// Whether the model runs in parts for what is fed; where shapes are missing, that is said later.
bool runs_in_parts(const opened_model& opened, const ctnn::arrays_by_name& fed, std::string& why) {
  try {
    return !build_whole(opened, fed, &why);
  } catch (const ctnn::error&) {
    return false;
  }
}

/// "52 rewrites are proved: by algebra alone", and a line for each rule whose rewrites are not.
void prove(const optimize_options& options) {
  ctnn::loaded_model m = load(options.model, "what is proved");
  const progress busy("running both sides without rounding");
  const ctnn::network_proof p = ir::prove(m, rules_for(options.model));
  if (p.result == ctnn::proof_result::not_algebra) {
    std::printf("nothing is proved: %s\n", p.what.c_str());
  } else {
    std::printf(
        "%zu rewrites are proved: %s\n", p.rewrites,
        p.result == ctnn::proof_result::order ? "by algebra and the order of real numbers" : "by algebra alone");
  }
  for (const ctnn::unproved_rule& rule : p.others)
    std::printf("not proved, see --verify: %s: %s\n", rule.name.c_str(), rule.why.c_str());
}

void optimize_parts(const optimize_options& options, const parts_run& run, const std::string& why) {
  if (options.prove) throw ctnn::error(why + "; it runs in parts, which --prove does not take");
  if (!run.broken.empty()) throw ctnn::error(run.broken + " (of made-up numbers): feed --input NAME=FILE");
  std::vector<both_graphs> parts;
  for (const ran_part& p : run.parts)
    if (p.code) parts.push_back({p.code->source().network.view(), p.code->g(), p.code->history()});
  if (options.explain)
    for (const both_graphs& p : parts)
      if (!p.history.empty()) explain(p.history);
  print_reasons(options, parts);
  if (options.verify) verify(options);
  if (options.out.empty()) return;
#if defined(CTNN_TOOL_WRITES_ONNX)
  if (has_ending(options.out, ".onnx")) {
    std::printf("%s", write_in_parts(options, run).c_str());
    return;
  }
#endif
  throw ctnn::error(why + "; it runs in parts, which ncnn's files cannot say");
}

}  // namespace

void optimize(const optimize_options& asked) {
  optimize_options options = asked;
  const bool explains = options.explain || !options.why.empty();
  const bool for_onnx = has_ending(options.out, ".onnx");
  if (options.out.empty() && !explains && !options.verify && !options.prove)
    throw usage_error("optimize needs OUT (y.onnx or y.param), --explain, --why LAYER, --verify or --prove");
  if (!options.out.empty() && !for_onnx && !has_ending(options.out, ".param"))
    throw usage_error(options.out + ": expected a file y.onnx, or y.param (y.bin is written beside it)");
  if (for_onnx && options.fp16) throw usage_error("--fp16: only for ncnn");
  if (!for_onnx && options.fused) throw usage_error("--fused: only for ONNX");
  if (!for_onnx && !options.data.empty()) throw usage_error("--data: only for ONNX");
  {
    const opened_model opened = open(options.model);
    const fed_inputs fed = read_inputs(options.model, opened);
    require_inputs(fed, opened);
    std::string why;
    if (runs_in_parts(opened, fed.runs[0], why))
      return optimize_parts(options, run_parts(options.model, opened, fed.runs[0]), why);
  }
  std::string closed;
  const auto open_ncnn = for_onnx ? std::nullopt : describe_open_ncnn(options, closed);
#if defined(CTNN_TOOL_WRITES_ONNX)
  const auto open = for_onnx ? describe_open(options, closed) : std::nullopt;
#else
  if (for_onnx) throw ctnn::error(options.out + ": this ctnn was built without protozero, which writing ONNX needs");
#endif
  ctnn::loaded_model m = load(options.model, "what is written");
  const ir::optimization o = rewrite(m, options.model);
  const std::span<const ir::rewrite_step> history{o.history.data(), o.history.size()};
  if (options.explain) explain(history);
  print_reasons(options, {{m.network.view(), o.g.view(), history}});
  if (options.prove) prove(options);
  if (options.verify) verify(options);
  if (options.out.empty()) return;
#if defined(CTNN_TOOL_WRITES_ONNX)
  if (for_onnx) {
    std::printf("%s", write_onnx(options, m, o, open).c_str());
    if (!closed.empty()) std::printf("for inputs of these shapes: %s\n", closed.c_str());
    return;
  }
#endif
  std::printf("%s", write_ncnn(options, m, o, open_ncnn).c_str());
  if (!closed.empty()) std::printf("for inputs of these shapes: %s\n", closed.c_str());
}

}  // namespace tool
