// SPDX-License-Identifier: BSL-1.0
#include "settle.hpp"

#include <filesystem>

#include "files.hpp"
#include "source.hpp"

namespace tool {

namespace {

namespace fs = std::filesystem;

void take_standard_input(std::string& file, const model_source& m) {
  if (file == "-") file = file_of_standard_input(limits_of(m).file_bytes);
}

std::string beside(const std::string& file, const std::string& ending) {
  return (fs::path(file).replace_extension() += ending).string();
}
bool is_ncnn(const std::string& file) { return has_ending(file, ".param"); }

/// FILE of NAME=FILE.
std::string file_in(const std::string& text) {
  std::error_code none;
  const std::size_t sign = text.rfind('=');
  return sign == text.npos || fs::exists(text, none) ? text : text.substr(sign + 1);
}

std::vector<std::string> files_of(const model_source& m) {
  std::vector<std::string> all{m.file, m.weights};
  if (is_ncnn(m.file) && m.weights.empty()) all.push_back(beside(m.file, ".bin"));
  for (const std::string& text : m.inputs) all.push_back(file_in(text));
  return all;
}

/// A model that is written: ncnn's is two files.
std::vector<std::string> files_of(const std::string& out) {
  return is_ncnn(out) ? std::vector{out, beside(out, ".bin")} : std::vector{out};
}

}  // namespace

void settle(info_options& o) { take_standard_input(o.model.file, o.model); }

void settle(bench_options& o) {
  for (std::string& file : o.files) take_standard_input(file, o.model);
}

void settle(compare_options& o) {
  take_standard_input(o.model.file, o.model);
  take_standard_input(o.other, o.model);
}

void settle(optimize_options& o) {
  take_standard_input(o.model.file, o.model);
  std::vector<std::string> written = files_of(o.out);
  if (!o.data.empty()) written.push_back((fs::path(o.out).parent_path() / o.data).string());
  if (!o.force) require_apart(written, files_of(o.model));
  o.out = file_for_standard_output(o.out, ".onnx");
}

void settle(extract_options& o) {
  take_standard_input(o.model.file, o.model);
  if (!o.force) require_apart(files_of(o.out), files_of(o.model));
  o.out = file_for_standard_output(o.out, ".onnx");
}

void settle(quantize_options& o) {
  take_standard_input(o.model.file, o.model);
  std::vector<std::string> read = files_of(o.model);
  for (const std::string& text : o.calibration) read.push_back(file_in(text));
  if (!o.force) require_apart(files_of(o.out), read);
  o.out = file_for_standard_output(o.out, ".onnx");
}

void settle(run_options& o) {
  take_standard_input(o.model.file, o.model);
  std::vector<std::string> written, read = files_of(o.model);
  for (const std::string& text : o.outputs) written.push_back(file_in(text));
  read.push_back(o.labels);
  if (!o.force) require_apart(written, read);
}

void settle(header_options& o) {
  take_standard_input(o.model.file, o.model);
  std::vector<std::string> written{o.out, o.image};
  for (const char* const ending : {".blob", ".blob.cpp", ".h", "_c.cpp"}) written.push_back(beside(o.out, ending));
  if (!o.force) require_apart(written, files_of(o.model));
  if (o.out != "-") return;
  if (o.name.empty()) throw usage_error("--out -: expected --name NAME of the type, too");
  if (o.blob || o.c) throw usage_error("--out -: --blob and --c write files beside NAME.hpp, expected its name");
  o.out = file_for_standard_output(o.out, ".hpp");
}

void settle(draw_options& o) {
  take_standard_input(o.model.file, o.model);
  if (!o.force) require_apart({o.out}, files_of(o.model));
  o.out = file_for_standard_output(o.out, o.arena ? ".svg" : ".dot");
}

}  // namespace tool
