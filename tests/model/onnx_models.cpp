// SPDX-License-Identifier: BSL-1.0
// Published ONNX models give the answers of the runtimes they come from, unoptimised and optimised.
#include <doctest/doctest.h>

#include <cstring>

#include <ctnn/model.hpp>

#include "formats/shared_files.hpp"
#include "support/deviation.hpp"
#include "support/json.hpp"

using namespace ctnn;
namespace fs = std::filesystem;

namespace {

extents shape_of(const test::json& described) {
  extents shape;
  for (const test::json& extent : described["shape"].items) shape.push_back(extent.integer());
  return shape;
}
array read_numbers(const fs::path& folder, const test::json& described) {
  const dtype type = described.has("dtype") && described["dtype"].text == "int64" ? dtype::i64 : dtype::f32;
  array out(shape_of(described), type);
  const auto bytes = read_file((folder / described["file"].text).string());
  REQUIRE(bytes.size() == out.bytes().size());
  std::copy(bytes.begin(), bytes.end(), out.bytes().begin());
  return out;
}
double compare(const array& got, const array& want) {
  CHECK(got.type() == want.type());
  CHECK(got.shape() == want.shape());
  if (got.type() != want.type()) return HUGE_VAL;
  if (want.type() == dtype::f32) return test::deviation(got.values(), want.values());
  return std::ranges::equal(got.bytes(), want.bytes()) ? 0 : HUGE_VAL;
}

model load(const fs::path& folder, bool optimize) {
  load_options options;
  options.optimize = optimize;
  return model::load((folder / "model.onnx").string(), options);
}

/// The worst deviation of a model's cases, as a share of what is allowed.
double run_cases(const model& m, const fs::path& folder, const test::json& cases) {
  double worst = 0;
  for (const test::json& c : cases.items) {
    extractor e = m.extractor();
    for (const test::json& in : c["inputs"].items) e.input(in["name"].text, read_numbers(folder, in));
    for (const test::json& out : c["outputs"].items) worst = std::max(worst, compare(e.extract(out["name"].text), read_numbers(folder, out)));
  }
  return worst;
}

/// Slice `step` of an array whose first axis is the step.
array at_step(const array& all, int step) {
  extents shape;
  for (int i = 1; i < all.shape().rank; ++i) shape.push_back(all.shape()[i]);
  array out(shape, all.type());
  std::memcpy(out.bytes().data(), all.bytes().data() + static_cast<std::size_t>(step) * out.bytes().size(), out.bytes().size());
  return out;
}

/// A whole stream, states fed back.
double run_stream(const model& m, const fs::path& folder, const test::json& s) {
  std::map<std::string, array> states, streams;
  for (const test::json& state : s["states"].items) states.emplace(state["input"].text, array(shape_of(state)));
  for (const test::json& in : s["stream_inputs"].items) streams.emplace(in["name"].text, read_numbers(folder, in));
  double worst = 0;
  extractor e = m.extractor();
  for (const test::json& in : s["const_inputs"].items) e.input(in["name"].text, read_numbers(folder, in));
  for (int step = 0; step < s["steps"].integer(); ++step) {
    for (const auto& [name, all] : streams) e.input(name, at_step(all, step));
    for (const auto& [name, values] : states) e.input(name, values);
    for (const test::json& out : s["stream_outputs"].items)
      worst = std::max(worst, compare(e.extract(out["name"].text), at_step(read_numbers(folder, out), step)));
    std::map<std::string, array> next;
    for (const test::json& state : s["states"].items) next.insert_or_assign(state["input"].text, e.extract(state["output"].text));
    states = std::move(next);
  }
  for (const test::json& state : s["states"].items)
    worst = std::max(worst, compare(states.at(state["input"].text), read_numbers(folder, state["final"])));
  return worst;
}

void check(const std::string& name, const std::function<double(bool)>& run) {
  for (const bool optimize : {false, true}) {
    CAPTURE(name);
    CAPTURE(optimize);
    double worst = HUGE_VAL;
    CHECK_NOTHROW(worst = run(optimize));
    CHECK(worst <= 1);
    if (std::getenv("CTNN_VERBOSE")) std::printf("%s %s %.3f\n", name.c_str(), optimize ? "optimised" : "unoptimised", worst);
  }
}

}  // namespace

TEST_CASE("published ONNX models give their reference answers") {
  const fs::path folder = test::shared_models("onnx");
  if (folder.empty()) return;
  int models = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!fs::exists(entry.path() / "model.onnx")) continue;
    const test::json about = test::read_json((entry.path() / "model.json").string());
    check(entry.path().filename().string(), [&](bool optimize) {
      const model m = load(entry.path(), optimize);
      const double worst = run_cases(m, entry.path(), about["cases"]);
      return about.has("stream") ? std::max(worst, run_stream(m, entry.path(), about["stream"])) : worst;
    });
    ++models;
  }
  CHECK(models >= 31);
}

TEST_CASE("light ONNX models, whose weights are made by the model itself") {
  const fs::path folder = test::shared_models("light");
  if (folder.empty()) return;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!fs::exists(entry.path() / "model.onnx")) continue;
    const test::json about = test::read_json((entry.path() / "model.json").string());
    check(entry.path().filename().string(), [&](bool optimize) {
      const model m = load(entry.path(), optimize);
      array in(shape_of(about["input"]));
      for (std::size_t i = 0; i < in.size(); ++i) in.data()[i] = static_cast<float>(static_cast<double>(i) / static_cast<double>(in.size()));
      extractor e = m.extractor();
      e.input(about["input"]["name"].text, in);
      return compare(e.extract(about["output"]["name"].text), read_numbers(entry.path(), about["output"]));
    });
  }
}

TEST_CASE("MLPerf Tiny's networks") {
  const fs::path folder = test::shared_models("mlperf_tiny");
  if (folder.empty()) return;
  for (const std::string name : {"ic", "kws", "vww", "ad"})
    check("mlperf_tiny/" + name, [&](bool optimize) {
      load_options options;
      options.optimize = optimize;
      const model m = model::load((folder / (name + ".onnx")).string(), options);
      const model_input input = m.code().inputs()[0];
      array in(input.shape);
      const auto bytes = read_file((folder / (name + "_in_nchw.bin")).string());
      REQUIRE(bytes.size() == in.bytes().size());
      std::copy(bytes.begin(), bytes.end(), in.bytes().begin());
      extractor e = m.extractor();
      e.input(0, in);
      const array got = e.extract(0);
      const auto wanted = read_file((folder / (name + "_out.bin")).string());
      array want(got.shape());
      REQUIRE(wanted.size() == want.bytes().size());
      std::copy(wanted.begin(), wanted.end(), want.bytes().begin());
      return compare(got, want);
    });
}
