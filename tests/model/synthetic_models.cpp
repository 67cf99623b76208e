// SPDX-License-Identifier: BSL-1.0
// The architectures of ncnn's benchmark with synthetic weights, against ncnn's answers: as read, optimised, and the smaller
// ones written out again.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <ctnn/formats/ncnn/write_model.hpp>

#include "published.hpp"
#include "synthetic.hpp"

using namespace ctnn;

namespace {

struct known_architecture {
  std::string name;
  std::string stopped_by{};  ///< layer types ctnn has nothing for; empty: it must load
};

const std::vector<known_architecture> known_architectures{
    {"ncnn_benchmark__FastestDet"},
    {"ncnn_benchmark__alexnet"},
    {"ncnn_benchmark__blazeface"},
    {"ncnn_benchmark__efficientnet_b0"},
    {"ncnn_benchmark__efficientnetv2_b0"},
    {"ncnn_benchmark__googlenet"},
    {"ncnn_benchmark__mnasnet"},
    {"ncnn_benchmark__mobilenet"},
    {"ncnn_benchmark__mobilenet_ssd", "PriorBox; DetectionOutput"},
    {"ncnn_benchmark__mobilenet_v2"},
    {"ncnn_benchmark__mobilenetv2_yolov3", "Yolov3DetectionOutput"},
    {"ncnn_benchmark__resnet18"},
    {"ncnn_benchmark__resnet50"},
    {"ncnn_benchmark__shufflenet_v2"},
    {"ncnn_benchmark__squeezenet"},
    {"ncnn_benchmark__squeezenet_ssd", "PriorBox; DetectionOutput"},
    {"ncnn_benchmark__vgg16"},
    {"ncnn_benchmark__vision_transformer", "LayerNorm; MultiHeadAttention; Gemm"},
    {"ncnn_benchmark__yolo-fastest-1.1", "Yolov3DetectionOutput"},
    {"ncnn_benchmark__yolo-fastestv2"},
    {"ncnn_benchmark_old__alexnet"},
    {"ncnn_benchmark_old__efficientnet_b0"},
    {"ncnn_benchmark_old__googlenet"},
    {"ncnn_benchmark_old__mnasnet"},
    {"ncnn_benchmark_old__mobilenet"},
    {"ncnn_benchmark_old__mobilenet_yolov3", "Yolov3DetectionOutput"},
    {"ncnn_benchmark_old__mobilenetv2_yolov3", "Yolov3DetectionOutput"},
    {"ncnn_benchmark_old__resnet50"},
    {"ncnn_benchmark_old__shufflenet_v2"},
    {"ncnn_benchmark_old__squeezenet"},
    {"ncnn_benchmark_old__vgg16"},
};

/// An architecture, without the layers it is stopped by, as read and optimised.
void compare(const std::filesystem::path& folder, const std::string& stopped_by) {
  const test::json about = test::read_json((folder / "case.json").string());
  const auto path = folder.parent_path().parent_path() / about["param"].text;
  const auto text = read_file(path.string());
  const ncnn::param_file whole = ncnn::parse_param(as_text(text), path.filename().string());

  const test::json& input = about["input"];
  extents shape;
  for (const test::json& extent : input["shape_chw"].items) shape.push_back(extent.integer());
  test::published_case c{"synthetic", {}, {}};
  c.inputs.emplace_back(input["blob"].text, array(shape, test::synthetic_input(static_cast<std::size_t>(shape.count()))));
  for (const test::json& answer : about["outputs"].items) c.answers.push_back(test::read_array(folder, answer));
  const ncnn::read_options options = c.shapes();

  std::string refused;
  try {
    ncnn::bin_reader none = ncnn::bin_reader::zeros();
    ncnn::build(whole, none, options);
  } catch (const error& e) {
    refused = test::refused_layers(e.what());
  }
  CHECK(refused == stopped_by);
  // Detection layers have no weights and come last: what they read can be compared.
  if (!refused.empty() && refused.find("DetectionOutput") == std::string::npos) return;
  const ncnn::param_file file = test::without(whole, refused);
  const test::synthetic_weights weights(file);
  CHECK(test::crc32(weights.bytes()) == std::stoul(about["weights"]["crc32"].text, nullptr, 16));
  double worst[2] = {};
  for (bool optimize : {false, true}) {
    ncnn::bin_reader bin(weights.bytes(), "synthetic");
    loaded_model network = ncnn::build(file, bin, options);
    const test::published_case known = test::known_answers(network, c);
    CHECK(known.answers.size() + (refused.empty() ? 0 : refused.find(';') == refused.npos ? 1 : 2) == c.answers.size());
    const model m(std::move(network), {.optimize = optimize, .keep_weights = optimize});
    worst[optimize] = test::deviation(m, known);
    CHECK(worst[optimize] <= 1);
    if (!optimize || weights.bytes().size() > 64'000'000) continue;
    const ncnn::written_model again = ncnn::write(m.code());
    ncnn::bin_reader numbers(std::as_bytes(std::span(again.bin)), "again");
    loaded_model reread = ncnn::build(ncnn::parse_param(again.param), numbers);
    const test::published_case outputs = test::known_answers(reread, known);
    CHECK(test::deviation(model(std::move(reread)), outputs) <= 1);
  }
  MESSAGE(folder.filename().string() << std::string(refused.empty() ? ": " : " before detection: ") << worst[0] << " as read, " << worst[1]
                                     << " optimised (1 is allowed)");
}

}  // namespace

TEST_CASE("benchmark architectures answer as in ncnn, as read and optimised; the rest is stopped by known layers") {
  if (test::shared_models("ncnn_synth").empty()) return;
  for (const known_architecture& known : known_architectures) {
    CAPTURE(known.name);
    const auto folder = test::shared_models("ncnn_synth/" + known.name);
    if (!folder.empty()) CHECK_NOTHROW(compare(folder, known.stopped_by));
  }
}

TEST_CASE("no architecture with a reference is missing from the list") {
  for (const auto& path : test::files_below(test::shared_models("ncnn_synth"), "case.json")) {
    const std::string name = path.parent_path().filename().string();
    CAPTURE(name);
    CHECK(std::any_of(known_architectures.begin(), known_architectures.end(),
                      [&](const known_architecture& k) { return k.name == name; }));
  }
}
