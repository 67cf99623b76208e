// SPDX-License-Identifier: BSL-1.0
// Runs small .tflite files and compares. $CTNN_WRITE_TFLITE names a folder to write the files and their inputs to:
// NAME.tflite, NAME.0.in.
#pragma once

#include <ctnn/model.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "support/tflite_samples.hpp"

namespace ctnn::ir::test {

inline std::vector<array> run_sample(const tflite_bytes::sample& s, bool optimize, rounding rounded) {
  const std::string file = s.file();
  const model m = model::load(std::as_bytes(std::span(file)), {.optimize = optimize, .rounding = rounded});
  extractor ex = m.extractor();
  std::vector<array> out;
  for (int r = 0; r < s.runs; ++r) {
    for (std::size_t i = 0; i < s.fed.size(); ++i) ex.input("in" + std::to_string(i), s.fed_in(r, i));
    for (std::size_t i = 0; i < s.outs.size(); ++i) out.push_back(ex.extract("out" + std::to_string(i)));
  }
  return out;
}
inline void write_sample(const tflite_bytes::sample& s, const std::string& stem) {
  write_file(stem + ".tflite", s.file());
  for (std::size_t i = 0; i < s.fed.size(); ++i) {
    std::string numbers;  // of all runs
    for (int r = 0; r < s.runs; ++r) {
      const array a = s.fed_in(r, i);
      numbers.append(reinterpret_cast<const char*>(a.bytes().data()), a.bytes().size());
    }
    write_file(stem + "." + std::to_string(i) + ".in", numbers);
  }
}

/// How many answers there were: integers are equal but for what a sample says, floats nearly.
inline std::size_t check_samples(const std::vector<tflite_bytes::sample>& samples,
                                 const std::map<std::string, std::vector<double>>& answers, rounding rounded) {
  const char* folder = std::getenv("CTNN_WRITE_TFLITE");
  std::size_t compared = 0;
  for (const tflite_bytes::sample& s : samples) {
    CAPTURE(s.name);
    if (folder) write_sample(s, std::string(folder) + "/" + s.name);
    for (const bool optimize : {false, true}) {
      CAPTURE(optimize);
      std::vector<array> out;
      try {
        out = run_sample(s, optimize, rounded);
      } catch (const error& e) {
        FAIL_CHECK(std::string(e.what()));
        continue;
      }
      if (folder) {
        std::string types;
        for (const array& a : out) types += std::string(name_of(a.type())) + "\n";
        write_file(std::string(folder) + "/" + s.name + ".types", types);
      }
      const auto known = answers.find(s.name);
      if (known == answers.end()) {
        CHECK(folder);
        continue;
      }
      std::vector<double> numbers;
      for (const array& a : out)
        for (std::size_t i = 0; i < a.size(); ++i) numbers.push_back(number_at(a, i));
      REQUIRE(numbers.size() == known->second.size());
      const bool exact = !is_floating(out[0].type());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        CAPTURE(i);
        const double wanted = known->second[i];
        if (exact) CHECK(std::abs(numbers[i] - wanted) <= s.steps);
        else CHECK(std::abs(numbers[i] - wanted) <= 2e-6 * std::max(1.0, std::abs(wanted)));
      }
      ++compared;
    }
  }
  return compared;
}

}  // namespace ctnn::ir::test
