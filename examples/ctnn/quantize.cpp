// SPDX-License-Identifier: BSL-1.0
// ctnn quantize: a model in bytes, calibrated with samples, and what that costs.
#include <ctnn/formats/cpp_header.hpp>
#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/formats/ncnn/write.hpp>
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/model/quantize.hpp>
#include <ctnn/rewrite/provenance.hpp>
#if __has_include(<protozero/pbf_writer.hpp>)
#include <ctnn/formats/onnx/write.hpp>
#define CTNN_TOOL_WRITES_ONNX 1
#endif

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "files.hpp"
#include "inputs.hpp"
#include "progress.hpp"
#include "rewriting.hpp"
#include "table.hpp"

namespace tool {

namespace {

using samples = std::vector<ctnn::arrays_by_name>;

ctnn::range_method method_of(const quantize_options& options) {
  using enum ctnn::range_method;
  return options.method == "kl" ? kl : options.method == "percentile" ? percentile : minmax;
}

std::string decibels(double v) { return std::isinf(v) ? "exact" : fixed(v, 1) + " dB"; }
std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", v);
  return text;
}

/// Layers of the network with a pair of quantize and dequantize round each, beside those of floats: of all samples.
std::vector<ir::signal_and_noise> measure_layers(const ctnn::model& floats, const ctnn::quantized_network& q,
                                                 const ctnn::model& bytes, const samples& all) {
  std::vector<ir::signal_and_noise> sums(q.layers.size());
  ctnn::extractor wanted = floats.extractor(), got = bytes.extractor();
  wanted.set_light_mode(false);
  got.set_light_mode(false);
  const progress busy("measuring layers");
  for (std::size_t s = 0; s < all.size(); ++s) {
    for (const auto& [name, numbers] : all[s]) {
      wanted.input(name, numbers);
      got.input(name, numbers);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (q.layers[i].made.empty()) continue;
      const ctnn::array a = wanted.extract(q.layers[i].value), b = got.extract(q.layers[i].made);
      for (std::size_t k = 0; k < a.size(); ++k) sums[i].add(ctnn::number_at(a, k), ctnn::number_at(b, k));
    }
    busy.done(static_cast<double>(s + 1) / static_cast<double>(all.size()));
  }
  return sums;
}

std::string report_layers(const ctnn::quantized_network& q, const std::vector<ir::signal_and_noise>& sums) {
  table t("lllrrrl", {"layer", "operator", "range", "scale", "zero point", "SQNR", ""});
  for (std::size_t i = 0; i < q.layers.size(); ++i) {
    const ctnn::quantized_layer& l = q.layers[i];
    const bool bytes = l.why_float.empty();
    t.row({l.name, std::string(l.type), bytes && l.as ? number(l.range.low) + " to " + number(l.range.high) : "",
           bytes && l.as ? number(l.as.scale) : "", bytes && l.as ? std::to_string(l.as.zero) : "",
           l.made.empty() ? "" : decibels(sums[i].decibels()), bytes ? "" : "floats: " + l.why_float});
  }
  return t.text();
}

/// The same numbers as the model takes them: without an axis for samples, or as bytes.
ctnn::array as_fed(const ctnn::array& a, const ctnn::model_input& input,
                   const std::map<std::string, ir::quantization>& bytes) {
  ctnn::array out(a.shape().count() == input.shape.count() ? input.shape : a.shape(), input.type);
  if (a.type() == input.type) {
    std::copy(a.bytes().begin(), a.bytes().end(), out.bytes().begin());
    return out;
  }
  const ir::quantization q = bytes.at(std::string(input.name));
  for (std::size_t i = 0; i < a.size(); ++i) ir::set_byte(out, i, static_cast<double>(a[i]), q);
  return out;
}

/// Of classes, perhaps: one number each.
bool is_vector(const ctnn::extents& shape) {
  int axes = 0;
  for (int k = 0; k < shape.rank; ++k) axes += shape[k] > 1;
  return axes == 1;
}

/// Outputs of what was written beside those of the model in floats.
std::string report_outputs(const ctnn::model& floats, const ctnn::model& made,
                           const std::map<std::string, ir::quantization>& bytes, const samples& all) {
  struct sums {
    ir::signal_and_noise numbers;
    std::int64_t samples = 0, same = 0;
  };
  std::vector<std::string> names;
  for (const ir::network_output& o : floats.graph().outputs) names.emplace_back(o.name);
  std::vector<sums> each(names.size());
  ctnn::extractor wanted = floats.extractor(), got = made.extractor();
  const progress busy("running what was written");
  for (std::size_t s = 0; s < all.size(); ++s) {
    for (const auto& [name, numbers] : all[s]) {
      wanted.input(name, numbers);
      got.input(name, as_fed(numbers, *made.code().find_input(name), bytes));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ctnn::array a = wanted.extract(names[i]), b = got.extract(names[i]);
      if (a.size() != b.size())
        throw ctnn::error("what was written has an output '" + names[i] + "' of " + ir::describe(b.shape()) +
                          ", expected " + ir::describe(a.shape()) + ", which is a defect of ctnn");
      const auto at = bytes.find(names[i]);
      const ir::quantization as = at == bytes.end() ? ir::quantization{1, 0} : at->second;
      const auto second = [&](std::size_t k) { return (ctnn::number_at(b, k) - as.zero) * as.scale; };
      if (is_vector(a.shape())) {
        std::size_t first_best = 0, second_best = 0;
        for (std::size_t k = 1; k < a.size(); ++k) {
          if (ctnn::number_at(a, k) > ctnn::number_at(a, first_best)) first_best = k;
          if (second(k) > second(second_best)) second_best = k;
        }
        ++each[i].samples;
        each[i].same += first_best == second_best;
      }
      for (std::size_t k = 0; k < a.size(); ++k) each[i].numbers.add(ctnn::number_at(a, k), second(k));
    }
    busy.done(static_cast<double>(s + 1) / static_cast<double>(all.size()));
  }
  table t("lrrr", {"output", "SQNR", "cosine", "same largest"});
  for (std::size_t i = 0; i < names.size(); ++i)
    t.row({names[i], decibels(each[i].numbers.decibels()), fixed(each[i].numbers.cosine(), 6),
           each[i].samples == 0 ? "" : std::to_string(each[i].same) + " of " + std::to_string(each[i].samples)});
  std::string text = t.text();
  for (const auto& [name, q] : bytes)
    text += name + ": real number = (byte " + (q.zero < 0 ? "+ " : "- ") + std::to_string(std::abs(q.zero)) + ") * " +
            number(q.scale) + '\n';
  return text;
}

std::string says(const quantize_options& options, const ctnn::quantized_network& q, std::size_t samples,
                 const std::string& files) {
  std::size_t bytes = 0;
  for (const ctnn::quantized_layer& l : q.layers) bytes += l.why_float.empty();
  return files + ": " + std::to_string(bytes) + " of " + std::to_string(q.layers.size()) +
         " layers in bytes, ranges by " + options.method + " of " + std::to_string(samples) +
         (samples == 1 ? " sample\n" : " samples\n");
}

ctnn::loaded_model read_back_ncnn(const ctnn::ncnn::written_model& w) {
  ctnn::ncnn::bin_reader numbers(std::as_bytes(std::span(w.bin)), "the .bin", ctnn::budget::none());
  ctnn::ncnn::read_options any;
  any.limits = ctnn::budget::none();
  return ctnn::ncnn::build(ctnn::ncnn::parse_param(w.param, "the .param", any.limits), numbers, any);
}

#if defined(CTNN_TOOL_WRITES_ONNX)
/// As ONNX has it: pairs of QuantizeLinear and DequantizeLinear. `made` for the samples' shape; `make` makes it for
/// others, where the file leaves axes open. `run` tries what has been read back.
void write_onnx(const quantize_options& options, const ctnn::loaded_model& made,
                const std::function<void(const ctnn::onnx::model_message&)>& run,
                const std::function<ctnn::loaded_model(const ctnn::onnx::shapes_by_name&)>& make) {
  ctnn::onnx::write_options how;
  std::optional<ctnn::onnx::open_model> open;
  if (has_ending(options.model.file, ".onnx")) {
    const ctnn::onnx::model_message file = read_onnx(options.model);
    if (const auto at = file.opsets.find(""); at != file.opsets.end()) how.opset = at->second;
    const auto given = parse_shapes(options.model.shapes);
    try {
      if (ctnn::onnx::has_open_axes(file, given))
        open = ctnn::onnx::describe_open(
            file,
            [&](const ctnn::onnx::shapes_by_name& shapes, const ctnn::onnx::write_options& as) {
              const ctnn::loaded_model m = make(shapes);
              return ctnn::onnx::describe_for_file(m, m.network.view(), as);
            },
            given, how);
    } catch (const ctnn::onnx::undetermined& e) {
      throw ctnn::error(e.what() + std::string("; give shapes with --shape"));
    }
  }
  const ctnn::onnx::model_message file =
      open ? open->file : ctnn::onnx::describe_for_file(made, made.network.view(), how);
  ctnn::onnx::save(file, options.out, how, [&](const ctnn::onnx::model_message& read_back) {
    ctnn::onnx::require_same(read_back, open ? open->sample : file, {},
                             open ? open->shapes : ctnn::onnx::shapes_by_name{});
    run(read_back);
  });
}
#endif

/// As C++ that computes with bytes.
std::string write_header(const quantize_options& options, ctnn::loaded_model& m, const ir::graph_view& g) {
  ir::folded_weights numbers(m, g);
  const std::string name = options.name.empty() ? ctnn::cpp::as_identifier(stem_of(options.out)) : options.name;
  return ctnn::cpp::write_header(
      g, [&](ir::expression_id e) { return numbers.elements(e); },
      {name, std::filesystem::path(options.model.file).filename().string(), 0, nullptr, "ctnn quantize"});
}

}  // namespace

void quantize(const quantize_options& options) {
  const std::string& out = options.out;
  const bool for_onnx = has_ending(out, ".onnx"), as_header = has_ending(out, ".hpp"),
             as_table = has_ending(out, ".table"), for_ncnn = has_ending(out, ".param") || as_table;
  if (!for_onnx && !as_header && !for_ncnn)
    throw usage_error(out + ": expected y.onnx, y.hpp, y.param (y.bin is written beside it) or y.table");
  if (for_ncnn && options.bytes) throw usage_error("--bytes: ncnn's inputs and outputs are floats");
  if (!as_header && !options.name.empty()) throw usage_error("--name: only for " + stem_of(out) + ".hpp");
#if !defined(CTNN_TOOL_WRITES_ONNX)
  if (for_onnx) throw ctnn::error(out + ": this ctnn was built without protozero, which writing ONNX needs");
#endif

  const opened_model opened = open(options.model);
  const samples all = read_samples(options.model, options.calibration, opened);
  ctnn::loaded_model m = opened.build(all[0]);
  model_source how_to_rewrite = options.model;
  for (const std::string_view rule : ctnn::rules_without_bytes) how_to_rewrite.without.emplace_back(rule);
  const ir::optimization o = rewrite(m, how_to_rewrite);
  const ctnn::model floats(ctnn::folded(m, o.g.view(), !for_ncnn), {.optimize = false});
  std::vector<std::string> kept;
  for (const std::string& layer : options.keep_float) {
    const std::string_view now = ir::provenance_of(layer, o.g.view(), o.history).into;
    kept.emplace_back(now.empty() ? layer : now);
  }
  const ctnn::quantize_options how{method_of(options), options.percentile, kept,
                                   options.unsigned_bytes ? ctnn::dtype::u8 : ctnn::dtype::i8};
  ctnn::quantizer q(ctnn::folded(m, o.g.view(), !for_ncnn), how);
  {
    const progress busy("calibrating");
    ctnn::calibrate(q, floats, all, [&](double part) { busy.done(part); });
  }

  if (for_ncnn) {
    const ctnn::quantized_network made = q.for_ncnn();
    const ctnn::model inside(q.for_ncnn().model, {.optimize = false});
    const std::string layers = report_layers(made, measure_layers(floats, made, inside, all));
    const auto batch =
        has_ending(options.model.file, ".param") ? ctnn::ncnn::batch_axis::kept : ctnn::ncnn::batch_axis::dropped;
    ir::folded_weights numbers(made.model, made.model.network.view());
    const ctnn::ncnn::written_model written =
        ctnn::ncnn::write(made.model.network.view(), std::ref(numbers), ctnn::ncnn::weight_storage::fp32, batch);
    const std::string outputs = report_outputs(floats, ctnn::model(read_back_ncnn(written)), {}, all);
    std::string files = out;
    if (as_table) {
      ir::write_file(out, ctnn::ncnn::write_table(made.scales));
    } else {
      const std::string bin = std::filesystem::path(out).replace_extension(".bin").string();
      ctnn::ncnn::save(written, out, bin);
      files += ", " + bin;
    }
    std::printf("%s\n%s\n%s", layers.c_str(), outputs.c_str(), says(options, made, all.size(), files).c_str());
    return;
  }

  ctnn::quantized_network inside = q.quantized();
  const ctnn::model pairs(std::move(inside.model), {.optimize = false});
  const std::string layers = report_layers(inside, measure_layers(floats, inside, pairs, all));
  const ctnn::network_ends ends = options.bytes ? ctnn::network_ends::bytes : ctnn::network_ends::floats;
  ctnn::quantized_network made = as_header ? q.integers(ends) : q.quantized(ends);
  std::string outputs;
  if (as_header) {
    ir::graph g = ir::thaw(made.model.network.view());
    const ir::optimization lowered = ir::optimize_loaded(made.model, std::move(g), ir::default_rule_records());
    outputs = report_outputs(floats, ctnn::model(ctnn::folded(made.model, lowered.g.view())), made.bytes, all);
    ir::write_file(out, write_header(options, made.model, lowered.g.view()));
  }
#if defined(CTNN_TOOL_WRITES_ONNX)
  if (for_onnx) {
    const auto run = [&](const ctnn::onnx::model_message& read_back) {
      ctnn::onnx::read_options as_sample;
      for (const auto& [name, numbers] : all[0]) as_sample.input_shapes.emplace(name, numbers.shape());
      outputs = report_outputs(floats, ctnn::model(ctnn::onnx::build(read_back, as_sample)), made.bytes, all);
    };
    write_onnx(options, made.model, run, [&](const ctnn::onnx::shapes_by_name& shapes) {
      ctnn::onnx::read_options read;
      read.input_shapes = shapes;
      ctnn::loaded_model other = ctnn::onnx::build(read_onnx(options.model), read);
      const ir::optimization rewritten = rewrite(other, how_to_rewrite);
      ctnn::quantizer same(ctnn::folded(other, rewritten.g.view()), how);
      same.adopt(q);
      same.settle();
      return same.quantized(ends).model;
    });
  }
#endif
  std::printf("%s\n%s\n%s", layers.c_str(), outputs.c_str(), says(options, inside, all.size(), out).c_str());
}

}  // namespace tool
