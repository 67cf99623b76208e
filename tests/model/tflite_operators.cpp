// SPDX-License-Identifier: BSL-1.0
// Every operator of TensorFlow Lite that ctnn reads, in a file of its own, against its interpreter's answers
// (tflite_answers.hpp). $CTNN_WRITE_TFLITE names a folder to write the files and their inputs to: NAME.tflite,
// NAME.0.in.
#include <ctnn/model.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "support/tflite_samples.hpp"
#include "tflite_answers.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fb = test::tflite_bytes;

namespace {

using fb::sample;

std::vector<array> run(const sample& s, bool optimize) {
  const std::string file = s.file();
  onnx::model_message parsed = tflite::parse_model(std::as_bytes(std::span(file)), s.name + ".tflite");
  const model m(onnx::build(parsed), {.optimize = optimize});
  extractor ex = m.extractor();
  for (std::size_t i = 0; i < s.fed.size(); ++i) ex.input("in" + std::to_string(i), s.fed[i]);
  std::vector<array> out;
  for (std::size_t i = 0; i < s.outs.size(); ++i) out.push_back(ex.extract("out" + std::to_string(i)));
  return out;
}

}  // namespace

TEST_CASE("operators of .tflite files give the interpreter's answers") {
  const char* folder = std::getenv("CTNN_WRITE_TFLITE");
  std::size_t answers = 0;
  for (const sample& s : fb::samples()) {
    CAPTURE(s.name);
    if (folder) {
      const std::string stem = std::string(folder) + "/" + s.name;
      write_file(stem + ".tflite", s.file());
      for (std::size_t i = 0; i < s.fed.size(); ++i)
        write_file(stem + "." + std::to_string(i) + ".in",
                   {reinterpret_cast<const char*>(s.fed[i].bytes().data()), s.fed[i].bytes().size()});
    }
    for (const bool optimize : {false, true}) {
      CAPTURE(optimize);
      std::vector<array> out;
      try {
        out = run(s, optimize);
      } catch (const error& e) {
        FAIL_CHECK(std::string(e.what()));
        continue;
      }
      if (folder) {
        std::string types;
        for (const array& a : out) types += std::string(name_of(a.type())) + "\n";
        write_file(std::string(folder) + "/" + s.name + ".types", types);
      }
      const auto known = test::tflite_answers.find(s.name);
      if (known == test::tflite_answers.end()) {
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
      ++answers;
    }
  }
  MESSAGE(answers << " answers compared");
}
