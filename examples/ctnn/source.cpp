// SPDX-License-Identifier: BSL-1.0
#include "source.hpp"

#include <ctnn/base/nearest.hpp>
#include <ctnn/formats/json/load.hpp>
#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/model/verify.hpp>

#include <filesystem>

#include <ctnn/formats/tflite/load.hpp>
#if __has_include(<protozero/pbf_reader.hpp>)
#include <ctnn/formats/onnx/load.hpp>
#define CTNN_TOOL_READS_ONNX 1
#endif
#include "files.hpp"
#include "inputs.hpp"
#include "parts.hpp"
#include "picture.hpp"
#include "progress.hpp"
#include "shapes.hpp"

namespace tool {

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& what) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
    throw usage_error(what + ' ' + text + ": expected NAME=FILE.npy");
  return {text.substr(0, sign), text.substr(sign + 1)};
}

ctnn::budget limits_of(const model_source& from, ctnn::budget usual) {
  if (from.memory == 0) return usual;
  usual.file_bytes = usual.memory_bytes = static_cast<std::uint64_t>(from.memory * (std::uint64_t{1} << 30));
  usual.value_elements = static_cast<std::int64_t>(usual.memory_bytes / sizeof(float));
  return usual;
}

ctnn::onnx::read_options onnx_reading(const model_source& from) {
  ctnn::onnx::read_options read;
  read.limits = limits_of(from, read.limits);
  read.external_data = from.external_data;
  read.decode_picture = decode_picture;
  using enum ctnn::ir::rounding;
  read.signature = from.signature;
  read.rounding = from.rounding == "once" ? once : from.rounding == "twice" ? twice : real;
  return read;
}

std::string stem_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

ctnn::ncnn::network_files open_ncnn_files(const model_source& from) {
  if (from.external_data) throw usage_error("--external-data: only for ONNX models");
  std::string bin = from.weights == "none" ? "" : from.weights;
  if (from.weights.empty()) {
    if (is_standard_input(from.file))
      throw usage_error("standard input is a .param: name its weights with --weights FILE, or take zeros with none");
    bin = std::filesystem::path(from.file).replace_extension(".bin").string();
    if (const auto large = std::filesystem::path(from.file).replace_extension(".BIN");
        !std::filesystem::exists(bin) && std::filesystem::exists(large))
      bin = large.string();
    if (!std::filesystem::exists(bin))
      throw ctnn::error(bin +
                        ": no such file; name the weights with --weights FILE, or take zeros with --weights none");
  }
  const progress busy("reading " + from.file);
  return ctnn::ncnn::open_network(from.file, bin, limits_of(from));
}

namespace {

opened_model open_ncnn(const model_source& from) {
  const auto files = std::make_shared<const ctnn::ncnn::network_files>(open_ncnn_files(from));
  opened_model m;
  m.inputs = ctnn::ncnn::declared_inputs(files->network);
  m.maker = [files, m, name = from.file, limits = limits_of(from),
             shapes = shapes_for(from, m)](const ctnn::arrays_by_name& fed) {
    ctnn::ncnn::read_options options;
    options.limits = limits;
    options.input_shapes = shapes;
    for (const auto& [input, numbers] : fed) options.input_shapes.insert_or_assign(input, numbers.shape());
    try {
      return ctnn::ncnn::build(*files, options);
    } catch (const ctnn::ncnn::unknown_input_shape& e) {
      ask_for_shape(e, name, m, fed, options.input_shapes, [&](const shapes_by_name& tried) {
        options.input_shapes = tried;
        ctnn::ncnn::build(*files, options);
      });
    } catch (const ctnn::error& e) {
      throw ctnn::error(other_shapes(m, fed) + e.what());
    }
  };
  return m;
}

/// What ONNX's and TensorFlow Lite's files have in common.
opened_model open_messages(const model_source& from, const auto& read) {
  if (!from.weights.empty()) throw usage_error("--weights " + from.weights + ": the model has its weights with it");
  ctnn::onnx::read_options options = onnx_reading(from);
  const progress busy("reading " + from.file);
  const auto file = std::make_shared<const ctnn::onnx::model_message>(read(from.file, options));
  opened_model m;
  m.inputs = ctnn::onnx::declared_inputs(*file);
  m.outputs = ctnn::onnx::declared_outputs(*file);
  m.opsets = file->opsets;
  m.signatures = file->signatures;
  m.batched = true;
  options.input_shapes = shapes_for(from, m);
  const ctnn::ir::network_maker of_file = ctnn::onnx::maker_of(file, options);
  m.maker.divide = of_file.divide;
  m.maker.make = [file, m, name = from.file, options, one_sample = from.one_sample](const ctnn::arrays_by_name& fed,
                                                                                    bool whole) {
    ctnn::onnx::read_options now = options;
    now.in_parts = !whole;
    for (bool again = one_sample;; again = false) {
      try {
        return ctnn::onnx::build(*file, now, fed);
      } catch (const ctnn::ir::needs_running&) {
        throw;  // it runs in parts
      } catch (const ctnn::onnx::undetermined& e) {
        if (again && assume_one_sample(m, fed, now.input_shapes)) continue;
        const shapes_by_name known = now.input_shapes;
        ask_for_shape(e, name, m, fed, known, [&](const shapes_by_name& tried) {
          now.input_shapes = tried;
          ctnn::onnx::build(*file, now, fed);
        });
      }
    }
  };
  return m;
}

/// Neural Amp Modeler's and RTNeural's.
opened_model open_json(const model_source& from) {
  if (!from.weights.empty()) throw usage_error("--weights " + from.weights + ": the model has its weights with it");
  const progress busy("reading " + from.file);
  const auto file = std::make_shared<const ctnn::json::document>(ctnn::json::read(from.file, limits_of(from)));
  opened_model m;
  m.inputs = ctnn::json::declared_inputs(*file);
  m.batched = true;
  m.maker = [file, limits = limits_of(from), shapes = shapes_for(from, m)](const ctnn::arrays_by_name& fed) {
    ctnn::json::shapes_by_name now(shapes.begin(), shapes.end());
    for (const auto& [name, numbers] : fed) now.insert_or_assign(name, numbers.shape());
    return ctnn::json::build(*file, now, limits);
  };
  return m;
}

opened_model open_tflite(const model_source& from) {
  if (from.external_data) throw usage_error("--external-data: only for ONNX models");
  return open_messages(from, [](const auto& file, const auto& options) { return ctnn::tflite::read(file, options); });
}

}  // namespace

#if defined(CTNN_TOOL_READS_ONNX)
ctnn::onnx::model_message read_onnx(const model_source& from) {
  ctnn::onnx::read_options options = onnx_reading(from);
  return ctnn::onnx::read(from.file, options);
}
#endif

namespace {

opened_model open_onnx(const model_source& from) {
#if defined(CTNN_TOOL_READS_ONNX)
  return open_messages(from, [](const auto& file, const auto& options) { return ctnn::onnx::read(file, options); });
#else
  throw ctnn::error(from.file + ": this ctnn was built without protozero, which reading ONNX needs");
#endif
}

}  // namespace

const ctnn::declared_value* opened_model::find(std::string_view name) const {
  for (const ctnn::declared_value& v : inputs)
    if (v.name == name) return &v;
  return nullptr;
}

namespace {

opened_model open_file(const model_source& from) {
  if (has_ending(from.file, ".onnx")) return open_onnx(from);
  if (has_ending(from.file, ".tflite")) return open_tflite(from);
  if (has_ending(from.file, ".param")) return open_ncnn(from);
  if (has_ending(from.file, ".nam") || has_ending(from.file, ".json")) return open_json(from);
  throw ctnn::error(from.file + ": unknown format, expected a file x.onnx, x.tflite, x.nam, x.json or x.param");
}

}  // namespace

opened_model open(const model_source& from) {
  try {
    return open_file(from);
  } catch (const bad_shape& e) {
    model_source without = from;
    without.shapes.clear();
    const opened_model m = open_file(without);
    throw usage_error(e.what() + inputs_and_example(m, trial_of(m, {})));
  }
}

ctnn::arrays_by_name with_made_up(const model_source& from, const opened_model& m, ctnn::arrays_by_name fed) {
  shapes_by_name shapes = shapes_for(from, m);
  if (from.one_sample) assume_one_sample(m, fed, shapes);
  for (const ctnn::declared_value& v : m.inputs) {
    if (v.optional || fed.contains(v.name)) continue;
    ctnn::extents shape;
    if (const auto given = shapes.find(v.name); given != shapes.end()) shape = given->second;
    else if (v.open())
      ask_for_shape(ctnn::error("'" + v.name + "' has no shape"), from.file, m, fed, shapes, trial_of(m, fed));
    else
      for (const ctnn::declared_axis& a : v.axes) shape.push_back(a.extent);
    fed.emplace(v.name, ctnn::made_up_numbers({.name = v.name, .shape = shape, .type = v.type}));
  }
  return fed;
}

ctnn::loaded_model load(const model_source& from, const std::string& made) {
  const opened_model m = open(from);
  const fed_inputs fed = read_inputs(from, m);
  require_inputs(fed, m);
  const progress busy("reading " + from.file);
  std::string why;
  std::optional<ctnn::loaded_model> network = build_whole(m, fed.runs[0], &why);
  if (!network) throw ctnn::error(why + "; it runs in parts, which " + made + " cannot");
  for (const ctnn::model_input& i : network->inputs)
    if (i.needed)
      throw ctnn::error(from.file + ": shapes follow from the numbers of input '" + std::string(i.name) + "': " + made +
                        " would be good for these numbers only");
  return std::move(*network);
}

}  // namespace tool
