// SPDX-License-Identifier: BSL-1.0
// Published ONNX models give the answers of the runtimes they come from, unoptimised and optimised.
#include <doctest/doctest.h>

#include <cstring>
#include <map>

#include <ctnn/model.hpp>
#include <ctnn/rewrite/measure.hpp>

#include "published.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fs = std::filesystem;

namespace {

/// Slice `step` of an array whose first axis is the step.
array at_step(const array& all, int step) {
  extents shape;
  for (int i = 1; i < all.shape().rank; ++i) shape.push_back(all.shape()[i]);
  array out(shape, all.type());
  std::memcpy(out.bytes().data(), all.bytes().data() + static_cast<std::size_t>(step) * out.bytes().size(),
              out.bytes().size());
  return out;
}

/// A whole stream: every step's outputs and the last states are one case's answers.
struct stream {
  test::published_case as_case{"stream", {}, {}};
  std::vector<test::named_array> constant, by_step;
  struct state {
    std::string input, output;
    extents shape;
  };
  std::vector<state> states;
  std::vector<std::string> outputs;
  int steps = 0;

  stream(const fs::path& folder, const test::json& s) : steps(s["steps"].integer()) {
    for (const test::json& in : s["const_inputs"].items) constant.push_back(test::read_array(folder, in));
    for (const test::json& in : s["stream_inputs"].items) by_step.push_back(test::read_array(folder, in));
    for (const test::json& out : s["stream_outputs"].items) {
      outputs.push_back(out["name"].text);
      const array all = test::read_numbers(folder, out);
      for (int step = 0; step < steps; ++step) as_case.answers.emplace_back(outputs.back(), at_step(all, step));
    }
    for (const test::json& one : s["states"].items) {
      states.push_back({one["input"].text, one["output"].text, test::shape_of(one)});
      as_case.answers.emplace_back(one["input"].text, test::read_numbers(folder, one["final"]));
    }
  }

  ncnn::read_options shapes() const {
    test::published_case first{"first step", constant, {}};
    for (const auto& [name, all] : by_step) first.inputs.emplace_back(name, at_step(all, 0));
    for (const state& s : states) first.inputs.emplace_back(s.input, array(s.shape));
    return first.shapes();
  }

  std::vector<std::optional<array>> answers(const model& m, int threads) const {
    std::vector<std::optional<array>> out(as_case.answers.size());
    extractor run = m.extractor();
    run.set_executor(test::on_threads(threads));
    for (const auto& [name, values] : constant) run.input(name, values);
    std::vector<array> now;
    for (const state& s : states) now.emplace_back(s.shape);
    for (int step = 0; step < steps; ++step) {
      for (const auto& [name, all] : by_step) run.input(name, at_step(all, step));
      for (std::size_t i = 0; i < states.size(); ++i) run.input(states[i].input, now[i]);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        out[i * static_cast<std::size_t>(steps) + static_cast<std::size_t>(step)] = run.extract(outputs[i]);
      std::vector<array> next;
      for (const state& s : states) next.push_back(run.extract(s.output));
      now = std::move(next);
    }
    std::copy(now.begin(), now.end(), out.end() - static_cast<std::ptrdiff_t>(now.size()));
    return out;
  }
};

/// Nodes that ONNX Runtime 1.30 leaves of the models, com.microsoft's fused ones among them: the fewer of its levels
/// "extended" and "all", which adds nodes that change layouts. Of a model with open axes it knows less than we, who see
/// its inputs.
const std::map<std::string, int> onnx_runtime_nodes{
    {"autoencoder1d", 19}, {"basic_pitch", 240}, {"bert_mlm", 127}, {"bert_tiny", 83}, {"cct_2_32_32_128", 61},
    {"dtln_1", 35}, {"fastestdet", 136}, {"fsmn_vad", 82}, {"go1_policy", 11}, {"gtcrn_simple", 420},
    {"keras_mlp", 2}, {"light_bvlc_alexnet", 15}, {"light_densenet121", 432}, {"light_inception_v1", 83},
    {"light_resnet50", 59}, {"light_squeezenet", 39}, {"light_vgg19", 26}, {"magika_v1", 88}, {"mlperf_tiny/ad", 10},
    {"mlperf_tiny/ic", 14}, {"mlperf_tiny/kws", 13}, {"mlperf_tiny/vww", 31}, {"mnist_8", 6},
    {"mnist_pytorch_mlp", 3}, {"mnist_quant_convinteger", 20}, {"ppocr_v3_det", 152}, {"prisma_portrait", 153},
    {"retinaface_mbnet025", 106}, {"silero_vad_16k", 36}, {"silero_vad_micro_2021", 224},
    {"silero_vad_openvino_16k", 31}, {"steerable_nafx_tcn", 20}, {"super_resolution_10", 7}, {"t5_encoder", 61},
    {"tfl_helloworld", 3}, {"ultraface_rfb320", 151}, {"ultraface_rfb320_simplified", 72}, {"upsample_nhwc", 10},
    {"vittrack", 135}, {"wakeword_leo", 8}, {"yunet_n_320", 97}, {"ncnn_antispoof_1", 99},
    {"ncnn_converted_fastestdet", 236}, {"ncnn_converted_keras_mlp", 6}, {"ncnn_converted_mnist_8", 10},
    {"ncnn_converted_steerable_nafx_tcn", 24}, {"ncnn_converted_super_resolution_10", 10},
    {"ncnn_converted_tfl_helloworld", 8}, {"ncnn_converted_ultraface_rfb320_simplified", 119},
    {"ncnn_fastestdet", 236}, {"ncnn_int8_rfb320", 835}, {"ncnn_int8_squeezenet11", 394}, {"ncnn_mnet25", 123},
    {"ncnn_mobilefacenet", 99}, {"ncnn_mtcnn_det1", 13}, {"ncnn_mtcnn_det3", 22}, {"ncnn_nanodet_m", 277},
    {"ncnn_ppocr_rec_lstm", 119}, {"ncnn_ppocrv5_det", 252}, {"ncnn_realcugan_pro", 96},
    {"ncnn_retinaface_landmark", 142}, {"ncnn_rfb320", 119}, {"ncnn_squeezenet11", 68}, {"ncnn_waifu2x_cunet", 96},
    {"ncnn_waifu2x_upconv7", 15}, {"onnx_autoencoder1d", 22}, {"onnx_basic_pitch", 143}, {"onnx_bert_mlm", 49},
    {"onnx_bert_tiny", 43}, {"onnx_cct_2_32_32_128", 58}, {"onnx_dtln_1", 22}, {"onnx_fastestdet", 169},
    {"onnx_fsmn_vad", 52}, {"onnx_go1_policy", 12}, {"onnx_gtcrn_simple", 382}, {"onnx_keras_mlp", 4},
    {"onnx_magika_v1", 53}, {"onnx_mnist_8", 8}, {"onnx_mnist_pytorch_mlp", 1}, {"onnx_mnist_quant_convinteger", 20},
    {"onnx_ppocr_v3_det", 170}, {"onnx_prisma_portrait", 176}, {"onnx_retinaface_mbnet025", 126},
    {"onnx_silero_vad_16k", 33}, {"onnx_silero_vad_micro_2021", 170}, {"onnx_silero_vad_openvino_16k", 30},
    {"onnx_steerable_nafx_tcn", 22}, {"onnx_super_resolution_10", 8}, {"onnx_t5_encoder", 25},
    {"onnx_tfl_helloworld", 5}, {"onnx_ultraface_rfb320", 122}, {"onnx_ultraface_rfb320_simplified", 110},
    {"onnx_upsample_nhwc", 3}, {"onnx_vittrack", 143}, {"onnx_wakeword_leo", 9}, {"onnx_yunet_n_320", 109},
};

/// Layers that compute something.
int layers_of(const graph_view& g) {
  return static_cast<int>(std::ranges::count_if(g.nodes, [](const node& n) { return counts_as_node(n.type); }));
}

/// A model as read and optimised: all cases, and the stream if it has one.
void check(const std::string& name, const fs::path& file, const std::vector<test::published_case>& cases,
           const stream* s = nullptr) {
  CAPTURE(name);
  test::verdict verdicts[2];
  int layers = 0;
  for (const bool optimize : {false, true}) {
    CAPTURE(optimize);
    const auto run = [&] {
      load_options options;
      options.optimize = optimize;
      const model m = model::load(file.string(), options);
      if (m.is_known()) layers = layers_of(m.graph());
      for (const test::published_case& c : cases) verdicts[optimize].note(m, c);
      if (s) verdicts[optimize].note(s->answers(m, 1), s->answers(m, 2), s->as_case);
    };
    verdicts[optimize].worst = HUGE_VAL;
    CHECK_NOTHROW(verdicts[optimize].worst = 0, run());
  }
  const auto others = onnx_runtime_nodes.find(name);
  REQUIRE(others != onnx_runtime_nodes.end());
  if (layers == 0) {  // its axes are open
    load_options options;
    options.read = s ? s->shapes() : cases[0].shapes();
    layers = layers_of(model::load(file.string(), options).graph());
  }
  MESSAGE(name << ": " << layers << " layers, ONNX Runtime " << others->second);
  CHECK(layers <= others->second);
  test::report(name, cases.size(), verdicts[0], verdicts[1],
               s ? ", stream of " + std::to_string(s->steps) + " steps" : "");
}

}  // namespace

TEST_CASE("published ONNX models give their reference answers") {
  const fs::path folder = test::shared_models("onnx");
  if (folder.empty()) return;
  int models = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path file = entry.path() / "model.onnx";
    if (!fs::exists(file)) continue;
    const test::json about = test::read_json((entry.path() / "model.json").string());
    std::optional<stream> s;
    if (about.has("stream")) s.emplace(entry.path(), about["stream"]);
    check(entry.path().filename().string(), file, test::read_cases(entry.path()), s ? &*s : nullptr);
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
    array in(test::shape_of(about["input"]));
    for (std::size_t i = 0; i < in.size(); ++i)
      in.data()[i] = static_cast<float>(static_cast<double>(i) / static_cast<double>(in.size()));
    const test::published_case c{
        "ramp", {{about["input"]["name"].text, in}}, {test::read_array(entry.path(), about["output"])}};
    check(entry.path().filename().string(), entry.path() / "model.onnx", {c});
  }
}

TEST_CASE("MLPerf Tiny's networks") {
  const fs::path folder = test::shared_models("mlperf_tiny");
  if (folder.empty()) return;
  const auto fill = [&](array to, const std::string& file) {
    const auto bytes = read_file((folder / file).string());
    REQUIRE(bytes.size() == to.bytes().size());
    std::copy(bytes.begin(), bytes.end(), to.bytes().begin());
    return to;
  };
  for (const std::string name : {"ic", "kws", "vww", "ad"}) {
    const fs::path file = folder / (name + ".onnx");
    const model m = model::load(file.string(), {.optimize = false});
    const model_input input = m.code().inputs()[0];
    const network_output output = m.graph().outputs[0];
    const array in = fill(array(input.shape), name + "_in_nchw.bin"),
                out = fill(array(m.graph().shape(output.value)), name + "_out.bin");
    check("mlperf_tiny/" + name, file,
          {{"random", {{std::string(input.name), in}}, {{std::string(output.name), out}}}});
  }
}
