// SPDX-License-Identifier: BSL-1.0
#include "inputs.hpp"

#include <ctnn/base/nearest.hpp>
#include <ctnn/formats/npy.hpp>
#include <ctnn/weights.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "files.hpp"
#include "picture.hpp"
#include "progress.hpp"
#include "rewriting.hpp"

namespace tool {

bool has_names(const std::string& file) {
  for (const char* end : {".npz", ".safetensors", ".pt", ".pth", ".ckpt"})
    if (has_ending(file, end)) return true;
  return false;
}

ctnn::arrays_by_name read_named(const std::string& file, const std::string& input) {
  const ctnn::weights::file arrays = ctnn::weights::open(file);
  ctnn::arrays_by_name out;
  if (input.empty()) {
    for (const auto& [name, tensor] : arrays.tensors()) out.emplace(name, arrays.read(tensor));
    return out;
  }
  auto found = arrays.tensors().find(input);
  if (found == arrays.tensors().end() && arrays.tensors().size() == 1) found = arrays.tensors().begin();
  if (found == arrays.tensors().end())
    throw ctnn::error(file + ": has " + std::to_string(arrays.tensors().size()) + " arrays, none is called '" + input +
                      "'");
  out.emplace(input, arrays.read(found->second));
  return out;
}

namespace {

namespace fs = std::filesystem;

ctnn::array read_file(const std::string& file, const std::string& name, const model_source& from,
                      const opened_model& m) {
  if (has_names(file)) return std::move(read_named(file, name).begin()->second);
  if (is_picture(file)) {
    const ctnn::declared_value* const input = m.find(name);
    if (!input) throw usage_error("--input " + name + '=' + file + ": only inputs of the model take pictures");
    return read_picture(file, *input, from.shapes, from.pictures);
  }
  return ctnn::npy::read(file);
}

/// A sample of a batch may have been stored without the axis that counts samples.
void add_batch_axis(ctnn::array& a, const ctnn::declared_value* input) {
  if (!input || !input->ranked || static_cast<int>(input->axes.size()) != a.shape().rank + 1) return;
  if (!input->axes[0].open() && input->axes[0].extent != 1) return;
  ctnn::extents shape{1};
  for (int k = 0; k < a.shape().rank; ++k) shape.push_back(a.shape()[k]);
  ctnn::array out(shape, a.type());
  std::copy(a.bytes().begin(), a.bytes().end(), out.bytes().begin());
  a = std::move(out);
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& e : fs::directory_iterator(folder)) {
    const std::string file = e.path().string();
    if (e.path().filename().string().starts_with('.')) continue;
    if (!has_ending(file, ".npy") && !is_picture(file)) throw ctnn::error(file + ": expected .npy files and pictures");
    files.push_back(file);
  }
  if (files.empty()) throw ctnn::error(folder + ": has no .npy file and no picture");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::pair<std::string, std::string> named_file(const std::string& text, const std::string& option,
                                               const std::vector<std::string>& all,
                                               const std::vector<std::string>& wanted) {
  const bool reads = option == "--input";
  if (text.find('=') == text.npos || (reads && fs::exists(text))) {
    std::string known;
    for (const std::string& name : wanted) known += (known.empty() ? "'" : ", '") + name + '\'';
    if (wanted.size() != 1) throw usage_error(option + ' ' + text + ": expected NAME=FILE.npy, NAME one of " + known);
    if (reads && text != "-" && !fs::exists(text))
      throw usage_error(option + ' ' + text + ": no such file; expected NAME=FILE.npy, or FILE.npy of input " + known);
    return {wanted[0], text};
  }
  auto [name, file] = split_assignment(text, option);
  std::size_t number = 0;
  const auto [after, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool counts = problem == std::errc() && after == name.data() + name.size() && number < all.size();
  if (counts && std::find(all.begin(), all.end(), name) == all.end()) name = all[number];
  return {name, file};
}

fed_inputs read_inputs(const model_source& from, const opened_model& m) {
  fed_inputs all;
  ctnn::arrays_by_name same;
  std::vector<std::string> names, wanted;
  for (const ctnn::declared_value& v : m.inputs) {
    names.push_back(v.name);
    if (!v.optional) wanted.push_back(v.name);
  }
  for (const std::string& text : from.inputs) {
    if (has_names(text) && (text.find('=') == text.npos || fs::exists(text))) {
      for (auto& [name, numbers] : read_named(text, "")) same.insert_or_assign(name, std::move(numbers));
      continue;
    }
    auto [name, file] = named_file(text, "--input", names, wanted);
    if (file == "-") file = file_of_standard_input(limits_of(from).file_bytes);
    if (!fs::is_directory(file)) {
      same.insert_or_assign(name, read_file(file, name, from, m));
      continue;
    }
    const progress busy("reading " + file);
    const std::vector<std::string> files = files_in(file);
    if (all.many && files.size() != all.runs.size())
      throw ctnn::error(file + ": " + std::to_string(files.size()) + " files, another input has " +
                        std::to_string(all.runs.size()));
    all.many = true;
    all.runs.resize(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      ctnn::array numbers = read_file(files[i], name, from, m);
      if (m.batched) add_batch_axis(numbers, m.find(name));
      all.runs[i].insert_or_assign(name, std::move(numbers));
    }
  }
  for (ctnn::arrays_by_name& run : all.runs)
    for (const auto& [name, numbers] : same) run.insert_or_assign(name, numbers);
  return all;
}

namespace {

/// Samples that one array holds, along its first axis; none if it is one sample.
int samples_in(const ctnn::array& a, const ctnn::declared_value& input, bool batched) {
  const int rank = static_cast<int>(input.axes.size());
  if (!input.ranked || a.shape().rank == 0) return 0;
  if (a.shape().rank == rank + 1) return a.shape()[0];
  const bool counts = batched && rank > 0 && (input.axes[0].open() || input.axes[0].extent == 1);
  return counts && a.shape().rank == rank && a.shape()[0] != 1 ? a.shape()[0] : 0;
}
ctnn::array sample_of(const ctnn::array& a, std::size_t i, const ctnn::declared_value& input) {
  ctnn::extents shape;
  if (a.shape().rank == static_cast<int>(input.axes.size())) shape.push_back(1);
  for (int k = 1; k < a.shape().rank; ++k) shape.push_back(a.shape()[k]);
  ctnn::array out(shape, a.type());
  std::copy_n(a.bytes().begin() + static_cast<std::ptrdiff_t>(i * out.bytes().size()), out.bytes().size(),
              out.bytes().begin());
  return out;
}

}  // namespace

std::vector<ctnn::arrays_by_name> read_samples(model_source from, const std::vector<std::string>& files,
                                               const opened_model& m) {
  std::vector<const ctnn::declared_value*> wanted;
  for (const ctnn::declared_value& v : m.inputs)
    if (!v.optional) wanted.push_back(&v);
  for (const std::string& file : files) {
    const bool named = file.find('=') != file.npos && !fs::exists(file);
    if (!named && !fs::exists(file)) throw ctnn::error(file + ": no such file or folder");
    if (!named && !has_names(file) && wanted.size() != 1)
      throw usage_error("--calibration " + file + ": the model has " + std::to_string(wanted.size()) +
                        " inputs, expected NAME=FILE");
    from.inputs.push_back(named || has_names(file) ? file : wanted[0]->name + '=' + file);
  }
  fed_inputs fed = read_inputs(from, m);
  require_inputs(fed, m);
  for (const ctnn::declared_value* v : wanted)
    if (!fed.runs[0].contains(v->name)) throw usage_error("--calibration: no samples of input '" + v->name + "'");
  if (fed.many) return std::move(fed.runs);
  int count = 0;
  for (const auto& [name, numbers] : fed.runs[0])
    if (const int n = samples_in(numbers, *m.find(name), m.batched); n != 0) {
      if (count != 0 && n != count)
        throw ctnn::error("--calibration: input '" + name + "' has " + std::to_string(n) + " samples, another one " +
                          std::to_string(count));
      count = n;
    }
  if (count == 0) return std::move(fed.runs);
  std::vector<ctnn::arrays_by_name> all(static_cast<std::size_t>(count));
  for (const auto& [name, numbers] : fed.runs[0])
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i].emplace(
          name, samples_in(numbers, *m.find(name), m.batched) == 0 ? numbers : sample_of(numbers, i, *m.find(name)));
  return all;
}

void require_inputs(const fed_inputs& fed, const opened_model& m) {
  for (const auto& [name, numbers] : fed.runs[0]) {
    if (m.find(name)) continue;
    ctnn::ir::nearest_name near(name);
    for (const ctnn::declared_value& v : m.inputs) near.consider(v.name);
    throw usage_error("--input " + name + ": the model has no input of this name" + meant(name, near.name()));
  }
}

ctnn::array stacked(const std::string& name, const std::vector<ctnn::array>& results, bool batched) {
  const ctnn::extents each = results[0].shape();
  const bool joined = batched && each.rank > 0 && each[0] == 1;
  if (!joined && each.rank == ctnn::max_rank)
    throw ctnn::error("output '" + name + "' is " + ctnn::ir::describe(each) + ", which leaves no axis for samples");
  ctnn::extents shape{static_cast<int>(results.size())};
  for (int k = joined ? 1 : 0; k < each.rank; ++k) shape.push_back(each[k]);
  ctnn::array all(shape, results[0].type());
  auto to = all.bytes().begin();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!(results[i].shape() == each))
      throw ctnn::error("output '" + name + "' is " + ctnn::ir::describe(each) + " of the first file, " +
                        ctnn::ir::describe(results[i].shape()) + " of file " + std::to_string(i + 1) +
                        ": these are no batch");
    to = std::copy(results[i].bytes().begin(), results[i].bytes().end(), to);
  }
  return all;
}

}  // namespace tool
