// SPDX-License-Identifier: BSL-1.0
// Runs networks for signals of files in JSON: whole, behind silence, and as a stream of parts.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include <ctnn/formats/json/load.hpp>
#include <ctnn/model.hpp>
#include <ctnn/rewrite/streaming.hpp>

namespace ctnn::ir::test {

/// As far as two lists of numbers are apart, in parts of the largest that is expected if it is above 1; infinity if one
/// is longer or has a number that is none.
inline double largest_difference(std::span<const float> got, std::span<const float> wanted) {
  if (got.size() != wanted.size()) return INFINITY;
  double most = 0, largest = 1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double apart = std::abs(static_cast<double>(got[i]) - static_cast<double>(wanted[i]));
    if (!(apart < INFINITY)) return INFINITY;
    most = std::max(most, apart);
    largest = std::max(largest, std::abs(static_cast<double>(wanted[i])));
  }
  return most / largest;
}

/// Names of new nodes, which live as long as this.
struct kept_names : name_maker {
  std::deque<std::string> made{};
  std::string_view operator()(std::string_view of, std::string_view with) override {
    return made.emplace_back(std::string(of) + std::string(with));
  }
};

/// x (1, channels, samples) behind so many zeros.
inline array behind_silence(const array& x, int silence) {
  const int channels = x.shape()[1], samples = x.shape()[2];
  array out({1, channels, silence + samples}, dtype::f32);
  for (int c = 0; c < channels; ++c) {
    const auto from = x.elements<float>().subspan(static_cast<std::size_t>(c * samples));
    std::copy_n(from.begin(), samples, out.elements<float>().begin() + c * (silence + samples) + silence);
  }
  return out;
}
/// The last `samples` of y (1, channels, more).
inline std::vector<float> end_of(const array& y, int samples) {
  std::vector<float> out;
  const int all = y.shape()[2];
  for (int c = 0; c < y.shape()[1]; ++c) {
    const auto from = y.elements<float>().begin() + c * all + all - samples;
    out.insert(out.end(), from, from + samples);
  }
  return out;
}

/// What the network makes of x behind so many samples of silence.
inline std::vector<float> after_silence(const ctnn::json::document& file, const array& x, int silence, bool optimize) {
  const array all = behind_silence(x, silence);
  const model m(ctnn::json::build(file, {{"x", all.shape()}}), {.optimize = optimize});
  extractor e = m.extractor();
  e.input("x", all);
  return end_of(e.extract("y"), x.shape()[2]);
}

/// The same, `block` samples at a time: what the network looks back at is carried from one to the next.
inline std::vector<float> in_parts(const ctnn::json::document& file, const array& x, int silence, int block) {
  const int before = (silence + block - 1) / block * block, samples = x.shape()[2];
  const array all = behind_silence(x, before);
  loaded_model whole = ctnn::json::build(file, {{"x", all.shape()}});
  kept_names names;
  if (const problem_report p = make_stateful(whole.network, {block, 2}, names); p.found)
    throw error(std::string(p.layer) + ": " + describe(p.found));
  const model m(std::move(whole));
  extractor e = m.extractor();
  std::vector<float> out;
  array part({1, x.shape()[1], block}, dtype::f32);
  std::vector<array> parts;
  for (int at = 0; at < before + samples; at += block) {
    for (int c = 0; c < x.shape()[1]; ++c)
      std::copy_n(all.elements<float>().begin() + c * (before + samples) + at, block,
                  part.elements<float>().begin() + c * block);
    e.input("x", part);
    parts.push_back(e.extract("y"));
  }
  for (int c = 0; c < parts[0].shape()[1]; ++c)
    for (std::size_t k = static_cast<std::size_t>(before / block); k < parts.size(); ++k) {
      const auto from = parts[k].elements<float>().begin() + c * block;
      out.insert(out.end(), from, from + block);
    }
  return out;
}

}  // namespace ctnn::ir::test
