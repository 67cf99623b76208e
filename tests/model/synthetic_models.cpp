// SPDX-License-Identifier: BSL-1.0
// The architectures of ncnn's benchmark with synthetic weights, against ncnn's answers: as read, optimised, and the
// smaller ones written out again.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <ctnn/formats/ncnn/param_reader.hpp>
#include <ctnn/model/write_ncnn.hpp>

#include "published.hpp"
#include "synthetic.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

const std::vector<std::string> known_architectures{
    "ncnn_benchmark__FastestDet",
    "ncnn_benchmark__alexnet",
    "ncnn_benchmark__blazeface",
    "ncnn_benchmark__efficientnet_b0",
    "ncnn_benchmark__efficientnetv2_b0",
    "ncnn_benchmark__googlenet",
    "ncnn_benchmark__mnasnet",
    "ncnn_benchmark__mobilenet",
    "ncnn_benchmark__mobilenet_ssd",
    "ncnn_benchmark__mobilenet_v2",
    "ncnn_benchmark__mobilenetv2_yolov3",
    "ncnn_benchmark__resnet18",
    "ncnn_benchmark__resnet50",
    "ncnn_benchmark__shufflenet_v2",
    "ncnn_benchmark__squeezenet",
    "ncnn_benchmark__squeezenet_ssd",
    "ncnn_benchmark__vgg16",
    "ncnn_benchmark__vision_transformer",
    "ncnn_benchmark__yolo-fastest-1.1",
    "ncnn_benchmark__yolo-fastestv2",
    "ncnn_benchmark_old__alexnet",
    "ncnn_benchmark_old__efficientnet_b0",
    "ncnn_benchmark_old__googlenet",
    "ncnn_benchmark_old__mnasnet",
    "ncnn_benchmark_old__mobilenet",
    "ncnn_benchmark_old__mobilenet_yolov3",
    "ncnn_benchmark_old__mobilenetv2_yolov3",
    "ncnn_benchmark_old__resnet50",
    "ncnn_benchmark_old__shufflenet_v2",
    "ncnn_benchmark_old__squeezenet",
    "ncnn_benchmark_old__vgg16",
};

/// An architecture as read and optimised, and as it is written.
void compare(const std::filesystem::path& folder) {
  const test::json about = test::read_json((folder / "case.json").string());
  const auto path = folder.parent_path().parent_path() / about["param"].text;
  const auto text = read_file(path.string());
  const ncnn::param_file file = ncnn::parse_param(as_text(text), path.filename().string());

  const test::json& input = about["input"];
  extents shape;
  for (const test::json& extent : input["shape_chw"].items) shape.push_back(extent.integer());
  test::published_case c{"synthetic", {}, {}};
  c.inputs.emplace_back(input["blob"].text,
                        array(shape, test::synthetic_input(static_cast<std::size_t>(shape.count()))));
  for (const test::json& answer : about["outputs"].items) c.answers.push_back(test::read_array(folder, answer));
  const ncnn::read_options options = c.shapes();

  const test::synthetic_weights weights(file);
  CHECK(test::crc32(weights.bytes()) == std::stoul(about["weights"]["crc32"].text, nullptr, 16));
  test::verdict verdicts[2];
  double rows = 1;
  for (bool optimize : {false, true}) {
    ncnn::bin_reader bin(weights.bytes(), "synthetic");
    loaded_model network = ncnn::build(file, bin, options);
    test::published_case known = test::known_answers(network, c);
    CHECK(known.answers.size() == c.answers.size());
    const auto detected =
        std::stable_partition(known.answers.begin(), known.answers.end(),
                              [&](const test::named_array& a) { return !test::is_detections(network, a.first); });
    const std::vector<test::named_array> detections(detected, known.answers.end());
    known.answers.erase(detected, known.answers.end());
    const model m(std::move(network), {.optimize = optimize, .keep_weights = optimize});
    verdicts[optimize].note(m, known);
    for (const auto& [name, want] : detections) {
      extractor run = m.extractor();
      for (const auto& [blob, values] : known.inputs) run.input(blob, values);
      const array got = run.extract(name);
      rows = std::min(rows, test::shared_rows(got.values(), want.values()));
      CHECK(rows >= 0.98);
    }
    if (!optimize || weights.bytes().size() > 64'000'000) continue;
    const ncnn::written_model again = ncnn::write(m.code());
    ncnn::bin_reader numbers(std::as_bytes(std::span(again.bin)), "again");
    loaded_model reread = ncnn::build(ncnn::parse_param(again.param), numbers);
    const test::published_case outputs = test::known_answers(reread, known);
    CHECK(test::same_bits(test::answers_to(outputs, model(std::move(reread))), test::answers_to(outputs, m)));
  }
  test::report(folder.filename().string(), 1, verdicts[0], verdicts[1],
               ", " + std::to_string(rows) + " of the detections");
}

}  // namespace

TEST_CASE("benchmark architectures answer as in ncnn, as read and optimised") {
  if (test::shared_models("ncnn_synth").empty()) return;
  for (const std::string& name : known_architectures) {
    CAPTURE(name);
    const auto folder = test::shared_models("ncnn_synth/" + name);
    if (!folder.empty()) CHECK_NOTHROW(compare(folder));
  }
}

TEST_CASE("no architecture with a reference is missing from the list") {
  for (const auto& path : test::files_below(test::shared_models("ncnn_synth"), "case.json")) {
    const std::string name = path.parent_path().filename().string();
    CAPTURE(name);
    CHECK(std::find(known_architectures.begin(), known_architectures.end(), name) != known_architectures.end());
  }
}
