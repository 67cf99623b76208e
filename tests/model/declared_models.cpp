// SPDX-License-Identifier: BSL-1.0
// Every published model whose shapes are fixed can be declared: `ctnn header` has a word for each of its layers, and
// what it says is lowered to the same shapes and element types.
#include <doctest/doctest.h>

#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/formats/cpp/declaration.hpp>

#include "published.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

std::map<std::string, extents, std::less<>> shapes_of(const test::json& case_or_model) {
  std::map<std::string, extents, std::less<>> out;
  for (const test::json& in : case_or_model["inputs"].items) out[in["name"].text] = test::shape_of(in);
  return out;
}

/// Declared as read and as optimised. Returns why it cannot be, or nothing.
std::string declared(loaded_model&& m) {
  try {
    (void)cpp::declaration(m.network.view()).statements();
    const optimization o = optimize(std::move(m.network), default_rule_records());
    (void)cpp::declaration(o.g.view()).statements();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("every published model can be declared") {
  int models = 0;
  const auto count = [&](const std::filesystem::path& file, auto&& load) {
    CAPTURE(file.string());
    ++models;
    CHECK(declared(load()) == "");
  };
  for (const std::string group : {"ncnn", "ncnn_converted", "ncnn_int8", "onnx", "light"})
    for (const auto& described : test::files_below(test::shared_models(group), "model.json")) {
      const auto folder = described.parent_path();
      const test::json about = test::read_json(described.string());
      std::map<std::string, extents, std::less<>> shapes;
      if (about.has("cases")) shapes = shapes_of(about["cases"].items.at(0));
      else shapes[about["input"]["name"].text] = test::shape_of(about["input"]);
      if (const auto param = folder / "model.param"; std::filesystem::exists(param)) {
        ncnn::read_options options;
        options.input_shapes = {shapes.begin(), shapes.end()};
        count(param, [&] { return ncnn::load(param.string(), (folder / "model.bin").string(), options); });
      }
#if defined(CTNN_READS_ONNX)
      if (const auto file = folder / "model.onnx"; std::filesystem::exists(file)) {
        onnx::read_options options;
        options.input_shapes = {shapes.begin(), shapes.end()};
        count(file, [&] { return onnx::load(file.string(), options); });
      }
#endif
    }
#if defined(CTNN_READS_ONNX)
  for (const auto& file : test::files_below(test::shared_models("mlperf_tiny"), ".onnx"))
    if (file.parent_path().filename() == "mlperf_tiny") count(file, [&] { return onnx::load(file.string(), {}); });
#endif
  for (const auto& described : test::files_below(test::shared_models("ncnn_synth"), "case.json")) {
    const test::json about = test::read_json(described.string());
    ncnn::read_options options;
    extents shape;
    for (const test::json& n : about["input"]["shape_chw"].items) shape.push_back(n.integer());
    options.input_shapes[about["input"]["blob"].text] = shape;
    const auto file = test::shared_directory() / "models" / about["param"].text;
    count(file, [&] { return ncnn::load(file.string(), "", options); });
  }
  MESSAGE(models << " models declared");
}
