// SPDX-License-Identifier: BSL-1.0
// Neural Amp Modeler's files against its own player, NeuralAmpModelerCore: small ones of every architecture, whose
// answers are in nam_answers.hpp, and published ones of $CTNN_SHARED/models/nam. $CTNN_WRITE_NAM names a folder to
// write the small ones to: NAME.nam, NAME.in.f32.
#include <ctnn/formats/json/load.hpp>
#include <ctnn/model.hpp>
#include <doctest/doctest.h>

#if __has_include(<nlohmann/json.hpp>)

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "formats/shared_files.hpp"
#include "nam_answers.hpp"
#include "support/nam_samples.hpp"
#include "support/signals.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace samples = test::nam;

namespace {

array floats_of(const std::string& file) {
  const byte_buffer bytes = read_file(file);
  const auto count = static_cast<int>(bytes.size() / sizeof(float));
  array a({1, 1, count}, dtype::f32);
  std::memcpy(a.bytes().data(), bytes.data(), a.bytes().size());
  return a;
}

}  // namespace

TEST_CASE("small .nam files of every architecture give NAM's answers, whole and in parts") {
  const char* folder = std::getenv("CTNN_WRITE_NAM");
  for (const samples::sample& s : samples::samples()) {
    CAPTURE(s.name);
    const std::vector<float> numbers = s.input();
    if (folder) {
      write_file(std::string(folder) + "/" + s.name + ".nam", s.file());
      write_file(std::string(folder) + "/" + s.name + ".in.f32",
                 {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)});
    }
    const ctnn::json::document file = ctnn::json::parse(s.file(), s.name + ".nam");
    const auto known = test::nam_answers.find(s.name);
    REQUIRE(known != test::nam_answers.end());
    const auto& [prewarm, answers] = known->second;
    CHECK(ctnn::json::build(file).prewarm == prewarm);
    const array x(extents{1, s.channels, samples::sample::samples}, numbers);
    for (const bool optimize : {false, true})
      CHECK(test::largest_difference(test::after_silence(file, x, prewarm, optimize), answers) < 1e-6);
    CHECK(test::largest_difference(test::in_parts(file, x, prewarm, 8), answers) < 1e-6);
  }
}

TEST_CASE("published .nam files give NAM's answers") {
  const auto folder = test::shared_models("nam");
  for (const std::filesystem::path& path : test::files_below(folder, ".nam")) {
    CAPTURE(path.filename().string());
    const std::string stem = (path.parent_path() / path.stem()).string();
    const array x = floats_of(stem + ".in.f32"), y = floats_of(stem + ".out.f32");
    const ctnn::json::document file = ctnn::json::read(path.string());
    // The player went in blocks of 64, and began with whole ones of silence.
    const int prewarm = (ctnn::json::build(file).prewarm + 63) / 64 * 64;
    const double apart = test::largest_difference(test::after_silence(file, x, prewarm, true), y.values());
    MESSAGE(path.stem().string() << ": " << apart << " from NAM");
    // This LSTM makes much of how sums of floats are rounded: NAM's are 5e-6 from the same arithmetic in doubles.
    const double most = path.stem() == "BossLSTM-1x16" ? 2e-5 : 1e-6;
    CHECK(apart < most);
    // As its player does: samples as they come.
    model_stream stream = model::load(path.string()).stream({.at_most = 128, .prewarm = prewarm});
    stream.prewarm();
    std::vector<float> out(x.size());
    std::mt19937 random(1);
    for (int at = 0, n = 0; at < static_cast<int>(x.size()); at += n) {
      n = std::min(static_cast<int>(x.size()) - at, std::uniform_int_distribution(1, 300)(random));
      REQUIRE(stream.process(x.data() + at, out.data() + at, n) == n);
    }
    CHECK(test::largest_difference(out, y.values()) < most);
  }
}

TEST_CASE("a .nam file is a model like others: by its name, by its bytes, of any length") {
  const samples::sample s = samples::samples()[0];
  const std::string text = "\n " + s.file();
  const model m = model::load(std::as_bytes(std::span(text)));
  REQUIRE(m.inputs().size() == 1);
  CHECK(m.inputs()[0].name == "x");
  CHECK(describe(m.inputs()[0]) == "1 x 1 x 64");
  CHECK(m.outputs()[0].name == "y");
  CHECK(m.prewarm() > 0);
  for (const int length : {1, 64, 100}) {
    extractor e = m.extractor();
    e.input("x", array({1, 1, length}, dtype::f32));
    CHECK(e.extract("y").shape() == extents{1, 1, length});
  }
  load_options options;
  options.read.input_shapes["x"] = {1, 1, 512};
  CHECK(describe(model::load(std::as_bytes(std::span(text)), options).inputs()[0]) == "1 x 1 x 512");
}

#else
TEST_CASE(".nam files") { MESSAGE("SKIPPED: nlohmann's JSON is missing (Debian: nlohmann-json3-dev)"); }
#endif
