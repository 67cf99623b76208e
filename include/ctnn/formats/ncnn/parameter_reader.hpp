// SPDX-License-Identifier: BSL-1.0
// The getters that read a layer's parameters.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "../../base/error.hpp"
#include "param_file.hpp"

namespace ctnn::ncnn {

/// "net.param:12: layer 'conv1' (Convolution): "
inline std::string place(const param_file& file, const layer& at) {
  return file.source + ":" + std::to_string(at.line) + ": layer '" + at.name + "' (" + at.type + "): ";
}

/// Reads the parameters of one layer with their defaults; throws ctnn::error with the place.
class parameter_reader {
 public:
  parameter_reader(const param_file& file, const layer& at) : file_(file), layer_(at) {}

  bool has(int id) const { return layer_.params.contains(id); }
  int int_or(int id, int otherwise) const {
    const parameter* p = find(id);
    return p ? to_int(id, scalar(id, *p)) : otherwise;
  }
  bool flag_or(int id, bool otherwise) const { return int_or(id, otherwise ? 1 : 0) != 0; }
  float float_or(int id, float otherwise) const {
    const parameter* p = find(id);
    return p ? static_cast<float>(scalar(id, *p).value) : otherwise;
  }
  std::vector<int> ints_or(int id, std::vector<int> otherwise = {}) const {
    const parameter* p = find(id);
    if (!p) return otherwise;
    std::vector<int> out;
    for (const number& n : array(id, *p)) out.push_back(to_int(id, n));
    return out;
  }
  std::vector<float> floats_or(int id, std::vector<float> otherwise = {}) const {
    const parameter* p = find(id);
    if (!p) return otherwise;
    std::vector<float> out;
    for (const number& n : array(id, *p)) out.push_back(static_cast<float>(n.value));
    return out;
  }
  std::string text_or(int id, std::string otherwise = {}) const {
    const parameter* p = find(id);
    if (!p) return otherwise;
    if (const auto* text = std::get_if<std::string>(p)) return *text;
    fail(id, "expected a string");
  }

  [[noreturn]] void fail(int id, const std::string& what) const {
    throw error(place(file_, layer_) + "parameter " + std::to_string(id) + ": " + what);
  }
  [[noreturn]] void fail(const std::string& what) const { throw error(place(file_, layer_) + what); }

 private:
  const parameter* find(int id) const {
    const auto at = layer_.params.find(id);
    return at == layer_.params.end() ? nullptr : &at->second;
  }
  const number& scalar(int id, const parameter& p) const {
    if (const auto* n = std::get_if<number>(&p)) return *n;
    fail(id, "expected one number");
  }
  const numbers& array(int id, const parameter& p) const {
    if (const auto* list = std::get_if<numbers>(&p)) return *list;
    fail(id, "expected an array");
  }
  int to_int(int id, const number& n) const {
    constexpr double low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
    if (!(n.value >= low && n.value <= high) || n.value != static_cast<double>(static_cast<int>(n.value)))
      fail(id, "expected an integer, got " + std::to_string(n.value));
    return static_cast<int>(n.value);
  }

  const param_file& file_;
  const layer& layer_;
};

}  // namespace ctnn::ncnn
