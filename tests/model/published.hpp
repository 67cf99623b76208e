// SPDX-License-Identifier: BSL-1.0
// A published model with inputs and the answers ncnn gives to them.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ctnn/model.hpp>

#include "formats/shared_files.hpp"
#include "support/deviation.hpp"
#include "support/json.hpp"

namespace ctnn::test {

using named_array = std::pair<std::string, array>;

struct published_case {
  std::string id;
  std::vector<named_array> inputs, answers;

  ncnn::read_options shapes() const {
    ncnn::read_options options;
    for (const auto& [name, values] : inputs) options.input_shapes[name] = values.shape();
    return options;
  }
};

/// Little-endian float32.
inline std::vector<float> read_floats(const std::filesystem::path& path) {
  const auto bytes = read_file(path.string());
  std::vector<float> out(bytes.size() / 4);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k) word |= std::to_integer<std::uint32_t>(bytes[4 * i + k]) << 8 * k;
    out[i] = std::bit_cast<float>(word);
  }
  return out;
}

/// An array described by {"name", "shape", "file"}.
inline named_array read_array(const std::filesystem::path& folder, const json& described) {
  extents shape;
  for (const json& extent : described["shape"].items) shape.push_back(extent.integer());
  return {described["name"].text, array(shape, read_floats(folder / described["file"].text))};
}

inline std::vector<published_case> read_cases(const std::filesystem::path& folder) {
  std::vector<published_case> out;
  const json all = read_json((folder / "model.json").string());
  for (const json& one : all["cases"].items) {
    published_case c{one["id"].text, {}, {}};
    for (const json& in : one["inputs"].items) c.inputs.push_back(read_array(folder, in));
    for (const json& answer : one["outputs"].items) c.answers.push_back(read_array(folder, answer));
    out.push_back(std::move(c));
  }
  return out;
}

/// The largest deviation of all answers, as a share of what is allowed. Values that are no outputs of the network may be
/// gone from an optimised one; they are passed over.
inline double deviation(const model& m, const published_case& c, bool light = true) {
  extractor run = m.extractor();
  run.set_light_mode(light);
  for (const auto& [name, values] : c.inputs) run.input(name, values);
  double worst = 0;
  int compared = 0;
  for (const auto& [name, answer] : c.answers) {
    array got;
    try {
      got = run.extract(name);
    } catch (const error& e) {
      if (std::string(e.what()).find("is gone") == std::string::npos) throw;
      continue;
    }
    CHECK(got.shape() == answer.shape());
    worst = std::max(worst, deviation(got.values(), answer.values()));
    ++compared;
  }
  CHECK(compared > 0);
  return worst;
}

/// Whether a value is the same to the last bit on one thread and on two.
inline bool same_on_two_threads(const model& m, const published_case& c, std::string_view name) {
  array got[2];
  for (int threads : {1, 2}) {
    extractor run = m.extractor();
    run.set_executor(std::make_shared<thread_pool>(threads));
    for (const auto& [input, values] : c.inputs) run.input(input, values);
    got[threads - 1] = run.extract(name);
  }
  return std::ranges::equal(got[0].bytes(), got[1].bytes());
}

/// The case with only those answers that network `m` has a value for.
inline published_case known_answers(const loaded_model& m, published_case c) {
  const graph_view g = m.network.view();
  std::erase_if(c.answers, [&](const named_array& answer) {
    return !m.aliases.contains(answer.first) &&
           std::none_of(g.values.begin(), g.values.end(), [&](const value& v) { return v.name == answer.first; });
  });
  return c;
}

/// Whether an answer is rows of detections: their order and those near a threshold follow from the last bits of scores.
inline bool is_detections(const loaded_model& m, const std::string& name) {
  const graph_view g = m.network.view();
  for (const network_output& o : g.outputs)
    if (o.name == name) return counts_its_rows(g.at(g.at_value(o.value).producer).type);
  return false;
}

/// The share of wanted rows of six that `got` has as well, or of those it has that are wanted if that is less.
inline double shared_rows(std::span<const float> got, std::span<const float> want) {
  std::vector<bool> used(got.size() / 6);
  std::size_t found = 0;
  for (std::size_t i = 0; i < want.size(); i += 6)
    for (std::size_t k = 0; k < used.size(); ++k) {
      bool same = !used[k];
      for (std::size_t c = 0; c < 6 && same; ++c) same = std::fabs(got[6 * k + c] - want[i + c]) <= 1e-3f * std::fabs(want[i + c]) + 1e-4f;
      if (!same) continue;
      used[k] = true;
      ++found;
      break;
    }
  const std::size_t most = std::max(used.size(), want.size() / 6);
  return most == 0 ? 1 : static_cast<double>(found) / static_cast<double>(most);
}

}  // namespace ctnn::test
