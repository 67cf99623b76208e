// SPDX-License-Identifier: BSL-1.0
#include "source.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

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

std::map<std::string, ctnn::extents, std::less<>> parse_shapes(const model_source& from) {
  std::map<std::string, ctnn::extents, std::less<>> out;
  for (const std::string& s : from.shapes) {
    const auto [name, shape] = split_assignment(s, "--shape");
    out[name] = parse_shape(shape, s);
  }
  return out;
}

#if defined(CTNN_TOOL_READS_ONNX)
ctnn::onnx::model_message read_onnx(const model_source& from) {
  ctnn::onnx::read_options options;
  options.external_data = from.external_data;
  return ctnn::onnx::read(from.file, options);
}
#endif

namespace {

/// The reader does not know how its user gives shapes.
[[noreturn]] void ask_for_shape(const ctnn::error& e, const std::string& option) {
  throw ctnn::error(e.what() + std::string("; give it with ") + option);
}

#if defined(CTNN_TOOL_READS_ONNX)
/// --shape for the inputs whose axes are open, as they are called, such as "--shape ids=1x8 (batch x tokens)".
std::string missing_shapes(const model_source& from) {
  const ctnn::onnx::model_message file = read_onnx(from);
  const auto given = parse_shapes(from);
  std::string all;
  for (const ctnn::onnx::value_info& v : file.graph.inputs) {
    const bool constant = std::any_of(file.graph.initializers.begin(), file.graph.initializers.end(),
                                      [&](const ctnn::onnx::tensor& t) { return t.name == v.name; });
    if (constant || given.contains(v.name)) continue;
    std::string sizes, names;
    bool open = !v.shape;
    for (std::size_t i = 0; v.shape && i < v.shape->size(); ++i) {
      const auto& axis = (*v.shape)[i];
      const bool known = axis.size && *axis.size > 0;
      open = open || !known;
      sizes += (i == 0 ? "" : "x") + (known ? std::to_string(*axis.size) : i == 0 ? "1" : "224");
      names += (i == 0 ? "" : " x ") + (known ? std::to_string(*axis.size) : axis.name.empty() ? "?" : axis.name);
    }
    if (!open) continue;
    all +=
        (all.empty() ? "" : " ") + ("--shape " + v.name + "=" + (v.shape ? sizes + " (" + names + ")" : "1x3x224x224"));
  }
  return all.empty() ? "--shape" : all;
}
#endif

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
    // The input's name is what stands between the last quotes but those of other inputs.
    const std::string_view text = e.what();
    const std::size_t begin = text.find('\'');
    const std::size_t end = begin == text.npos ? text.npos : text.find('\'', begin + 1);
    ask_for_shape(e, "--shape " + (end == text.npos ? "NAME" : std::string(text.substr(begin + 1, end - begin - 1))) +
                         "=3x224x224");
  }
}

ctnn::loaded_model load_onnx(const model_source& from, const ctnn::arrays_by_name& fed) {
#if defined(CTNN_TOOL_READS_ONNX)
  if (!from.weights.empty()) throw usage_error("--weights " + from.weights + ": an ONNX model has its weights with it");
  ctnn::onnx::read_options options;
  options.input_shapes = parse_shapes(from);
  options.external_data = from.external_data;
  const progress busy("reading " + from.file);
  try {
    return ctnn::onnx::load(from.file, options, fed);
  } catch (const ctnn::onnx::undetermined& e) {
    if (std::string_view(e.what()).find("the numbers of") != std::string_view::npos) throw;
    ask_for_shape(e, missing_shapes(from));
  }
#else
  (void)fed;
  throw ctnn::error(from.file + ": this ctnn was built without protozero, which reading ONNX needs");
#endif
}

}  // namespace

ctnn::loaded_model load(const model_source& from, const ctnn::arrays_by_name& fed) {
  if (from.file.ends_with(".onnx")) return load_onnx(from, fed);
  if (from.file.ends_with(".param")) return load_ncnn(from);
  throw ctnn::error(from.file + ": unknown format, expected a file x.onnx or x.param");
}

}  // namespace tool
