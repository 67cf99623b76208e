// SPDX-License-Identifier: BSL-1.0
// param_file to the text of a .param file that stock ncnn reads.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "../../base/error.hpp"
#include "param_file.hpp"

namespace ctnn::ncnn {

/// A blob has one reader in ncnn: each with several gets a Split layer right behind its producer, whose outputs
/// "<blob>_splitncnn_<i>" are handed out in reading order.
inline param_file with_splits(const param_file& file) {
  std::unordered_map<std::string, int> readers;
  std::unordered_set<std::string> blobs, names;
  for (const layer& l : file.layers) {
    names.insert(l.name);
    for (const auto& in : l.inputs) ++readers[in];
    for (const auto& out : l.outputs) blobs.insert(out);
  }
  const auto fresh = [](std::unordered_set<std::string>& taken, std::string wanted) {
    while (!taken.insert(wanted).second) wanted += '_';
    return wanted;
  };
  param_file result{file.source, {}};
  std::unordered_map<std::string, std::vector<std::string>> parts;  // blob -> its copies not yet handed out, reversed
  int splits = 0;
  for (layer l : file.layers) {
    for (auto& in : l.inputs)
      if (auto at = parts.find(in); at != parts.end()) {
        in = at->second.back();
        at->second.pop_back();
      }
    result.layers.push_back(l);
    for (const auto& out : l.outputs) {
      const auto at = readers.find(out);
      if (at == readers.end() || at->second < 2) continue;
      layer split;
      split.type = "Split";
      split.name = fresh(names, "splitncnn_" + std::to_string(splits++));
      split.inputs = {out};
      for (int i = 0; i < at->second; ++i)
        split.outputs.push_back(fresh(blobs, out + "_splitncnn_" + std::to_string(i)));
      parts[out].assign(split.outputs.rbegin(), split.outputs.rend());
      result.layers.push_back(std::move(split));
    }
  }
  return result;
}

namespace detail {

/// As printf's %.8e, whatever the locale: at most 15 characters, all that ncnn reads.
inline std::string spell(const number& n) {
  char text[32];
  if (!n.is_float) {
    const auto end = std::to_chars(text, text + sizeof text, static_cast<long long>(n.value)).ptr;
    return {text, end};
  }
  // What ncnn cannot read back: infinities, and the last digits before them.
  if (std::isnan(n.value)) throw error("a parameter is not a number, which a .param file cannot say");
  const double value = std::clamp(n.value, -3.402823e+38, 3.402823e+38);
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 8).ptr;
  return {text, end};
}

inline std::string spell(int id, const parameter& p) {
  if (const auto* n = std::get_if<number>(&p)) return std::to_string(id) + "=" + spell(*n);
  if (const auto* text = std::get_if<std::string>(&p)) return std::to_string(id) + "=\"" + *text + "\"";
  const numbers& list = std::get<numbers>(p);
  std::string out = std::to_string(-23300 - id) + "=" + std::to_string(list.size());
  for (const number& n : list) out += "," + spell(n);
  return out;
}

inline void check_name(const std::string& name) {
  if (name.empty() || name.size() > 255 || name.find_first_of(" \t\n\v\f\r") != name.npos ||
      name.find('\0') != name.npos)
    throw error("'" + name + "' cannot be a name in a .param file: expected 1 to 255 characters without blanks");
}

}  // namespace detail

/// The text of a .param file. Readers of one blob are given by with_splits() first. Throws ctnn::error for names and
/// numbers the format has no spelling for.
inline std::string write_param(const param_file& file) {
  std::string body;
  std::size_t blobs = 0;
  const auto padded = [](std::string word, std::size_t width) {
    word.resize(std::max(word.size(), width), ' ');
    return word;
  };
  for (const layer& l : file.layers) {
    detail::check_name(l.type);
    detail::check_name(l.name);
    body += padded(l.type, 16) + " " + padded(l.name, 24) + " " + std::to_string(l.inputs.size()) + " " +
            std::to_string(l.outputs.size());
    for (const auto& blob : l.inputs) body += " " + blob;
    for (const auto& blob : l.outputs) {
      detail::check_name(blob);
      body += " " + blob;
      ++blobs;
    }
    for (const auto& [id, p] : l.params) (body += ' ') += detail::spell(id, p);
    body += "\n";
  }
  return "7767517\n" + std::to_string(file.layers.size()) + " " + std::to_string(blobs) + "\n" + body;
}

}  // namespace ctnn::ncnn
