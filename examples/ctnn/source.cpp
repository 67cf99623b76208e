// SPDX-License-Identifier: BSL-1.0
#include "source.hpp"

#include <charconv>

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

model_files find_files(const model_source& from) {
  model_files out{from.file, from.weights, {}};
  if (!from.file.ends_with(".param")) throw ctnn::error(from.file + ": unknown format, expected a file x.param");
  if (from.weights.empty()) {
    out.bin = std::filesystem::path(from.file).replace_extension(".bin").string();
    if (!std::filesystem::exists(out.bin))
      throw ctnn::error(out.bin + ": no such file; name the weights with --weights FILE, or take zeros with --weights none");
  } else if (from.weights == "none") {
    out.bin.clear();
  }
  for (const std::string& s : from.shapes) {
    const auto [name, shape] = split_assignment(s, "--shape");
    out.read.input_shapes[name] = parse_shape(shape, s);
  }
  return out;
}

ctnn::loaded_model load(const model_source& from) {
  const model_files files = find_files(from);
  const progress busy("reading " + from.file);
  try {
    return ctnn::ncnn::load(files.param, files.bin, files.read);
  } catch (const ctnn::error& e) {
    // The reader does not know how its user gives shapes.
    const std::string text = e.what();
    throw ctnn::error(text + (text.find("a shape that is neither in the file nor given") == std::string::npos
                                  ? "" : "; give it with --shape NAME=3x224x224"));
  }
}

}  // namespace tool
