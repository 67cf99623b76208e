// SPDX-License-Identifier: BSL-1.0
// A published model with inputs and the answers that others give to them.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ctnn/model.hpp>

#include "formats/shared_files.hpp"
#include "support/deviation.hpp"
#include "support/json.hpp"

namespace ctnn::ir::test {

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

inline extents shape_of(const json& described) {
  extents shape;
  for (const json& extent : described["shape"].items) shape.push_back(extent.integer());
  return shape;
}

/// Little-endian numbers described by {"shape", "file"} and, unless they are float32, "dtype".
inline array read_numbers(const std::filesystem::path& folder, const json& described) {
  const dtype type = described.has("dtype") && described["dtype"].text == "int64" ? dtype::i64 : dtype::f32;
  array out(shape_of(described), type);
  const auto bytes = read_file((folder / described["file"].text).string());
  REQUIRE(bytes.size() == out.bytes().size());
  std::copy(bytes.begin(), bytes.end(), out.bytes().begin());
  return out;
}
inline named_array read_array(const std::filesystem::path& folder, const json& described) {
  return {described["name"].text, read_numbers(folder, described)};
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

/// How far an answer is from its reference, as a share of what is allowed.
inline double deviation(const array& got, const array& want) {
  CHECK(got.type() == want.type());
  CHECK(got.shape() == want.shape());
  if (got.type() != want.type()) return HUGE_VAL;
  if (want.type() == dtype::f32) return deviation(got.values(), want.values());
  return std::ranges::equal(got.bytes(), want.bytes()) ? 0 : HUGE_VAL;
}

inline std::shared_ptr<executor> on_threads(int n) {
  static const std::shared_ptr<executor> pools[] = {std::make_shared<thread_pool>(1), std::make_shared<thread_pool>(2)};
  return pools[n - 1];
}

/// A model's answers to a case. Values that are no outputs of the network may be gone from an optimised one: they are
/// empty.
inline std::vector<std::optional<array>> answers_to(const published_case& c, const model& m, int threads = 1,
                                                    bool light = true) {
  extractor run = m.extractor();
  run.set_executor(on_threads(threads));
  run.set_light_mode(light);
  for (const auto& [name, values] : c.inputs) run.input(name, values);
  std::vector<std::optional<array>> out;
  for (const auto& [name, answer] : c.answers) {
    out.emplace_back();
    try {
      out.back() = run.extract(name);
    } catch (const error& e) {
      if (std::string(e.what()).find("is gone") == std::string::npos) throw;
    }
  }
  return out;
}

/// The largest deviation of all answers, as a share of what is allowed.
inline double deviation(const std::vector<std::optional<array>>& got, const published_case& c) {
  double worst = 0;
  int compared = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!got[i]) continue;
    worst = std::max(worst, deviation(*got[i], c.answers[i].second));
    ++compared;
  }
  CHECK(compared > 0);
  return worst;
}
inline double deviation(const model& m, const published_case& c, bool light = true) {
  return deviation(answers_to(c, m, 1, light), c);
}

/// Whether two runs gave the same to the last bit.
inline bool same_bits(const std::vector<std::optional<array>>& a, const std::vector<std::optional<array>>& b) {
  return std::ranges::equal(a, b, [](const std::optional<array>& x, const std::optional<array>& y) {
    return x.has_value() == y.has_value() &&
           (!x || (x->shape() == y->shape() && std::ranges::equal(x->bytes(), y->bytes())));
  });
}

/// What became of a model in one way of loading it: all its cases, on one thread and on two.
struct verdict {
  double worst = 0;  ///< deviation, as a share of what is allowed
  bool same_bits_on_two_threads = true;

  void note(const std::vector<std::optional<array>>& one, const std::vector<std::optional<array>>& two,
            const published_case& c) {
    worst = std::max(worst, deviation(one, c));
    same_bits_on_two_threads = same_bits_on_two_threads && same_bits(one, two);
  }
  void note(const model& m, const published_case& c) { note(answers_to(c, m, 1), answers_to(c, m, 2), c); }
};

/// A line of the table of all models, and the checks.
inline void report(const std::string& name, std::size_t cases, const verdict& as_read, const verdict& optimized,
                   const std::string& more = {}) {
  const bool same = as_read.same_bits_on_two_threads && optimized.same_bits_on_two_threads;
  MESSAGE(name << ": " << cases << " cases, " << as_read.worst << " as read, " << optimized.worst << " optimised"
               << more << " (1 is allowed), " << std::string(same ? "the same bits" : "OTHER BITS") << " on 2 threads");
  for (const verdict& v : {as_read, optimized}) {
    CHECK(v.worst <= 1);
    CHECK(v.same_bits_on_two_threads);
  }
}

/// The case with only those answers that network `m` has a value for.
inline published_case known_answers(const loaded_model& m, published_case c) {
  const graph_view g = m.network.view();
  std::erase_if(c.answers, [&](const named_array& answer) {
    return !m.aliases.contains(answer.first) &&
           std::none_of(g.values.begin(), g.values.end(), [&](const ir::value& v) { return v.name == answer.first; });
  });
  return c;
}

/// Whether an answer is rows of detections: their order and those near a threshold follow from the last bits of scores.
inline bool is_detections(const loaded_model& m, const std::string& name) {
  const graph_view g = m.network.view();
  for (const network_output& o : g.outputs)
    if (o.name == name) return g.at(g.at_value(o.value).producer).type->is.counts_rows;
  return false;
}

/// The share of wanted rows of six that `got` has as well, or of those it has that are wanted if that is less.
inline double shared_rows(std::span<const float> got, std::span<const float> want) {
  std::vector<bool> used(got.size() / 6);
  std::size_t found = 0;
  for (std::size_t i = 0; i < want.size(); i += 6)
    for (std::size_t k = 0; k < used.size(); ++k) {
      bool same = !used[k];
      for (std::size_t c = 0; c < 6 && same; ++c)
        same = std::fabs(got[6 * k + c] - want[i + c]) <= 1e-3f * std::fabs(want[i + c]) + 1e-4f;
      if (!same) continue;
      used[k] = true;
      ++found;
      break;
    }
  const std::size_t most = std::max(used.size(), want.size() / 6);
  return most == 0 ? 1 : static_cast<double>(found) / static_cast<double>(most);
}

}  // namespace ctnn::ir::test
