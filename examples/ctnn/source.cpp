// SPDX-License-Identifier: BSL-1.0
#include "source.hpp"

#include <charconv>
#include <filesystem>

#include <ctnn/formats/tflite/load.hpp>
#if __has_include(<protozero/pbf_reader.hpp>)
#include <ctnn/formats/onnx/load.hpp>
#define CTNN_TOOL_READS_ONNX 1
#endif
#include "progress.hpp"

namespace tool {

namespace {

ctnn::extents parse_shape(const std::string& text, const std::string& whole) {
  ctnn::extents shape;
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    int extent = 0;
    const auto [after, problem] = std::from_chars(at, end, extent);
    if (problem != std::errc() || extent < 1 || shape.rank == ctnn::max_rank)
      throw usage_error("--shape " + whole + ": expected NAME=3x224x224, up to " + std::to_string(ctnn::max_rank) +
                        " extents of 1 or more");
    shape.push_back(extent);
    if (after == end) return shape;
    if (*after != 'x') throw usage_error("--shape " + whole + ": expected NAME=3x224x224, got '" + text + "'");
    at = after + 1;
  }
}

}  // namespace

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& what) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
    throw usage_error(what + ' ' + text + ": expected NAME=" + (what == "--shape" ? "3x224x224" : "FILE.npy"));
  return {text.substr(0, sign), text.substr(sign + 1)};
}

std::string stem_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

namespace {

using shapes_by_name = std::map<std::string, ctnn::extents, std::less<>>;

shapes_by_name parse_shapes(const model_source& from) {
  shapes_by_name out;
  for (const std::string& s : from.shapes) {
    const auto [name, shape] = split_assignment(s, "--shape");
    out[name] = parse_shape(shape, s);
  }
  return out;
}

/// The reader does not know how its user gives shapes.
[[noreturn]] void ask_for_shape(const ctnn::error& e) {
  throw ctnn::error(e.what() + std::string("; give it with --shape NAME=1x3x224x224"));
}

ctnn::loaded_model load_ncnn(const model_source& from) {
  if (from.external_data) throw usage_error("--external-data: only for ONNX models");
  std::string bin = from.weights == "none" ? "" : from.weights;
  if (from.weights.empty()) {
    bin = std::filesystem::path(from.file).replace_extension(".bin").string();
    if (!std::filesystem::exists(bin))
      throw ctnn::error(bin +
                        ": no such file; name the weights with --weights FILE, or take zeros with --weights none");
  }
  ctnn::ncnn::read_options options;
  options.input_shapes = parse_shapes(from);
  const progress busy("reading " + from.file);
  try {
    return ctnn::ncnn::load(from.file, bin, options);
  } catch (const ctnn::ncnn::unknown_input_shape& e) {
    ask_for_shape(e);
  }
}

/// What ONNX's and TensorFlow Lite's files have in common.
template <class Load>
ctnn::loaded_model load_whole(const model_source& from, Load&& read) {
  if (!from.weights.empty()) throw usage_error("--weights " + from.weights + ": the model has its weights with it");
  ctnn::onnx::read_options options;
  options.input_shapes = parse_shapes(from);
  options.external_data = from.external_data;
  const progress busy("reading " + from.file);
  try {
    return read(options);
  } catch (const ctnn::onnx::undetermined& e) {
    if (std::string_view(e.what()).find("the numbers of") != std::string_view::npos) throw;
    ask_for_shape(e);
  }
}

ctnn::loaded_model load_tflite(const model_source& from, const ctnn::arrays_by_name& fed) {
  if (from.external_data) throw usage_error("--external-data: only for ONNX models");
  return load_whole(from, [&](const auto& options) { return ctnn::tflite::load(from.file, options, fed); });
}

ctnn::loaded_model load_onnx(const model_source& from, const ctnn::arrays_by_name& fed) {
#if defined(CTNN_TOOL_READS_ONNX)
  return load_whole(from, [&](const auto& options) { return ctnn::onnx::load(from.file, options, fed); });
#else
  (void)fed;
  throw ctnn::error(from.file + ": this ctnn was built without protozero, which reading ONNX needs");
#endif
}

}  // namespace

std::int64_t opset_of([[maybe_unused]] const model_source& from) {
#if defined(CTNN_TOOL_READS_ONNX)
  ctnn::onnx::read_options options;
  options.external_data = from.external_data;
  const ctnn::onnx::model_message file = ctnn::onnx::read(from.file, options);
  if (const auto at = file.opsets.find(""); at != file.opsets.end()) return at->second;
#endif
  return 0;
}

ctnn::loaded_model load(const model_source& from, const ctnn::arrays_by_name& fed) {
  if (from.file.ends_with(".onnx")) return load_onnx(from, fed);
  if (from.file.ends_with(".tflite")) return load_tflite(from, fed);
  if (from.file.ends_with(".param")) return load_ncnn(from);
  throw ctnn::error(from.file + ": unknown format, expected a file x.onnx, x.tflite or x.param");
}

}  // namespace tool
