// SPDX-License-Identifier: BSL-1.0
// RTNeural's files against RTNeural: small ones with every type of layer, whose answers are in rtneural_answers.hpp,
// and those of its repository, a copy of which $CTNN_RTNEURAL names. $CTNN_WRITE_RTNEURAL names a folder to write the
// small ones to: NAME.json, NAME.in.f32.
#include <ctnn/formats/json/load.hpp>
#include <ctnn/model.hpp>
#include <doctest/doctest.h>

#if __has_include(<nlohmann/json.hpp>)

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "rtneural_answers.hpp"
#include "support/rtneural_samples.hpp"
#include "support/signals.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace samples = test::rtneural;

namespace {

/// The input's shape for all of these numbers.
extents shape_for(const ctnn::json::document& file, std::size_t numbers) {
  const declared_value x = ctnn::json::declared_inputs(file)[0];
  extents shape;
  std::int64_t of_a_sample = 1;
  const std::size_t axis = x.axes.size() == 2 ? 0 : 1;
  for (std::size_t i = 0; i < x.axes.size(); ++i) {
    shape.push_back(x.axes[i].extent);
    if (i > axis) of_a_sample *= x.axes[i].extent;
  }
  shape[static_cast<int>(axis)] = static_cast<int>(static_cast<std::int64_t>(numbers) / of_a_sample);
  return shape;
}
/// What comes out of all of x: whole, or a block at a time.
std::vector<float> run_whole(const ctnn::json::document& file, const std::vector<float>& x, bool optimize) {
  const array in(shape_for(file, x.size()), x);
  const model m(ctnn::json::build(file, {{"x", in.shape()}}), {.optimize = optimize});
  extractor e = m.extractor();
  e.input("x", in);
  const array y = e.extract("y");
  return {y.values().begin(), y.values().end()};
}
std::vector<float> run_blocks(const ctnn::json::document& file, const std::vector<float>& x, int block) {
  const extents all = shape_for(file, x.size());
  const int axis = all.rank == 2 ? 0 : 1;
  loaded_model whole = ctnn::json::build(file, {{"x", all}});
  test::kept_names names;
  if (const problem_report p = make_stateful(whole.network, {block, axis}, names); p.found)
    throw error(std::string(p.layer) + ": " + describe(p.found));
  extents part = all;
  part[axis] = block;
  const model m(std::move(whole));
  extractor e = m.extractor();
  std::vector<float> out;
  for (auto at = x.begin(); at != x.end(); at += part.count()) {
    e.input("x", array(part, std::span<const float>(at, at + part.count())));
    const array y = e.extract("y");
    out.insert(out.end(), y.values().begin(), y.values().end());
  }
  return out;
}
std::vector<float> numbers_in(const std::filesystem::path& file) {
  std::vector<float> out;
  std::ifstream in(file);
  for (double n = 0; in >> n;) out.push_back(static_cast<float>(n));
  return out;
}

}  // namespace

TEST_CASE("small files of RTNeural's give its answers, whole and in parts") {
  const char* folder = std::getenv("CTNN_WRITE_RTNEURAL");
  for (const samples::sample& s : samples::samples()) {
    CAPTURE(s.name);
    const std::vector<float> x = s.input();
    if (folder) {
      write_file(std::string(folder) + "/" + s.name + ".json", s.file());
      write_file(std::string(folder) + "/" + s.name + ".in.f32",
                 {reinterpret_cast<const char*>(x.data()), x.size() * sizeof(float)});
    }
    const auto known = test::rtneural_answers.find(s.name);
    REQUIRE(known != test::rtneural_answers.end());
    const ctnn::json::document file = ctnn::json::parse(s.file(), s.name + ".json");
    for (const bool optimize : {false, true})
      CHECK(test::largest_difference(run_whole(file, x, optimize), known->second) < 2e-6);
    CHECK(test::largest_difference(run_blocks(file, x, 8), known->second) < 2e-6);
  }
}

TEST_CASE("the files of RTNeural's own tests give the answers that lie beside them") {
  const char* repository = std::getenv("CTNN_RTNEURAL");
  if (!repository) {
    MESSAGE("SKIPPED: the files of RTNeural's tests; CTNN_RTNEURAL may name a copy of its repository");
    return;
  }
  const std::filesystem::path root = repository;
  // Of conv2d Keras' answers lie there, whose padding looks ahead in time; RTNeural's own are among the small files'.
  for (const std::string name : {"dense", "conv", "conv_stateless", "gru", "gru_1d", "lstm", "lstm_1d"}) {
    CAPTURE(name);
    const ctnn::json::document file = ctnn::json::read((root / "models" / (name + ".json")).string());
    const std::vector<float> x = numbers_in(root / "test_data" / (name + "_x_python.csv"));
    const std::vector<float> wanted = numbers_in(root / "test_data" / (name + "_y_python.csv"));
    std::vector<float> y = run_whole(file, x, true);
    REQUIRE(y.size() >= wanted.size());
    // Keras left out the first samples of convolutions without padding.
    y.erase(y.begin(), y.end() - static_cast<std::ptrdiff_t>(wanted.size()));
    CHECK(test::largest_difference(y, wanted) < 2e-6);
  }
}

TEST_CASE("a file of RTNeural's is a model like others") {
  const std::string text = samples::samples()[3].file();
  const model m = model::load(std::as_bytes(std::span(text)));
  CHECK(describe(m.inputs()[0]) == "1 x 20 x 1");
  CHECK(m.prewarm() == 0);
  extractor e = m.extractor();
  e.input("x", array({1, 33, 1}, dtype::f32));
  CHECK(e.extract("y").shape() == extents{1, 33, 1});
}

#else
TEST_CASE("RTNeural's files") { MESSAGE("SKIPPED: nlohmann's JSON is missing (Debian: nlohmann-json3-dev)"); }
#endif
