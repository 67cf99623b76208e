// SPDX-License-Identifier: BSL-1.0
// What is read as one layer is written as the same layer, with the same numbers in the weight file.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/formats/ncnn/param_reader.hpp>
#include <ctnn/formats/ncnn/parameter_reader.hpp>
#include <ctnn/formats/ncnn/write.hpp>

using namespace ctnn;
using namespace ctnn::ir;
using floats = std::vector<float>;

namespace {

/// Weights by a pattern: "t12" is a tagged array of 12 numbers, "r3" one without a tag, "b4" one of bytes.
std::string arrays(const std::string& pattern) {
  ncnn::bin_writer w;
  int next = 1;
  for (std::size_t at = 0; at < pattern.size();) {
    const char kind = pattern[at];
    std::size_t used = 0;
    floats numbers(std::stoul(pattern.substr(at + 1), &used));
    for (float& x : numbers)
      x = kind == 'b' ? static_cast<float>(next++ % 255 - 127) : static_cast<float>(next++ % 64) / 8;
    kind == 't' ? w.tagged(numbers) : kind == 'b' ? w.int8(numbers) : w.raw(numbers);
    at += 1 + used + (at + 1 + used < pattern.size() ? 1 : 0);
  }
  return w.bytes();
}

loaded_model read(const std::string& param, const std::string& bin) {
  ncnn::bin_reader numbers(std::as_bytes(std::span(bin)), "t.bin");
  return ncnn::build(ncnn::parse_param(param, "t.param"), numbers);
}

struct one_layer {
  std::string inputs;  ///< parameters of each, with "; " between
  std::string layer;   ///< what follows the names of the blobs
  std::string weights;
  int outputs = 1;
};

/// The file is written as it was read, byte by byte.
void survives(const one_layer& l) {
  CAPTURE(l.layer);
  const std::string type = l.layer.substr(0, l.layer.find(' ')), params = l.layer.substr(l.layer.find(' ') + 1);
  std::string text, from, to;
  int count = 0;
  for (std::size_t at = 0; at <= l.inputs.size(); ++count) {
    const std::size_t end = std::min(l.inputs.find("; ", at), l.inputs.size());
    const std::string name = "i" + std::to_string(count);
    text += "Input " + name + " 0 1 " + name + " " + l.inputs.substr(at, end - at) + "\n";
    from += " " + name;
    at = end + 2;
  }
  for (int i = 0; i < l.outputs; ++i) to += " o" + std::to_string(i);
  text += type + " layer " + std::to_string(count) + " " + std::to_string(l.outputs) + from + to + " " + params + "\n";
  const std::string param =
      "7767517\n" + std::to_string(count + 1) + " " + std::to_string(count + l.outputs) + "\n" + text;
  const std::string bin = arrays(l.weights);
  const ncnn::written_model w = ncnn::write(read(param, bin));
  CAPTURE(w.param);
  CHECK(w.bin == bin);
  const auto before = ncnn::parse_param(param), after = ncnn::parse_param(w.param);
  REQUIRE(after.layers.size() == before.layers.size());
  for (std::size_t i = 0; i < after.layers.size(); ++i) {
    const ncnn::layer &x = before.layers[i], &y = after.layers[i];
    CHECK(x.type == y.type);
    CHECK(x.name == y.name);
    CHECK(x.inputs == y.inputs);
    CHECK(x.outputs == y.outputs);
    CHECK(x.params.size() == y.params.size());
    const ncnn::parameter_reader given(before, x), written(after, y);
    for (const auto& [id, value] : x.params) {
      const int called = id;  // a lambda cannot have what a declaration took apart
      CAPTURE(called);
      if (std::holds_alternative<ncnn::number>(value)) CHECK(given.float_or(id, 0) == written.float_or(id, 1));
      else CHECK(given.floats_or(id) == written.floats_or(id));
    }
  }
}

std::string refused(const one_layer& l) {
  try {
    survives(l);
  } catch (const error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("recurrent layers, in every direction and with states") {
  survives({"0=3 1=5", "LSTM 0=2 1=24", "t24 t8 t16"});
  survives({"0=3 1=5; 0=2 1=2; 0=2 1=2", "LSTM 0=2 1=48 2=2", "t48 t16 t32", 1});
  survives({"0=3 1=5", "GRU 0=2 1=18 2=1", "t18 t8 t12"});
  survives({"0=3 1=5; 0=2 1=1", "GRU 0=2 1=18", "t18 t8 t12"});
  survives({"0=3 1=5", "RNN 0=2 1=12 2=2", "t12 t4 t8"});
}

TEST_CASE("normalisations, with and without scales") {
  survives({"0=4 1=3", "LayerNorm 0=4 1=1.000000e-06", "r4 r4"});
  survives({"0=4 1=3 2=2", "LayerNorm 0=12 2=0", ""});
  survives({"0=4 1=3", "RMSNorm 0=4 1=1.000000e-05", "r4"});
  survives({"0=4 1=3 2=2", "RMSNorm 0=4 2=0", ""});
  survives({"0=4 1=3 2=6", "GroupNorm 0=2 1=6", "r6 r6"});
  survives({"0=4 1=6", "GroupNorm 0=3 1=6 3=0", ""});
  survives({"0=4 1=3 2=6", "InstanceNorm 0=6", "r6 r6"});
}

TEST_CASE("products of matrices") {
  survives({"0=3 1=2; 0=3 1=4", "Gemm 3=1", ""});
  survives({"0=3 1=2; 0=4 1=3; 0=4", "Gemm 0=2.0 1=0.5", ""});
  survives({"0=3 1=2", "Gemm 4=1 6=1 7=5 9=2 10=2", "t10 t5"});
  survives({"0=3 1=2; 0=4 1=3", "MatMul ", ""});
  survives({"0=3 1=2 2=5; 0=3 1=4 2=5", "MatMul 0=1", ""});
}

TEST_CASE("attention and rotations") {
  survives({"0=4 1=3; 0=6 1=5; 0=6 1=5", "MultiHeadAttention 0=4 1=2 2=16 3=6 4=6", "t16 r4 t24 r4 t24 r4 t16 r4"});
  survives({"0=4 1=3; 0=4 1=5; 0=4 1=5; 0=5 1=3", "MultiHeadAttention 0=8 1=2 2=32 3=4 4=4 5=1 6=0.25",
            "t32 r8 t32 r8 t32 r8 t32 r4"});
  survives({"0=4 1=3 2=2; 0=4 1=5 2=2; 0=4 1=5 2=2", "SDPA 6=0.5", ""});
  survives({"0=4 1=3 2=2; 0=4 1=1 2=2; 0=4 1=1 2=2; 0=6 1=3; 0=4 1=5 2=2; 0=4 1=5 2=2", "SDPA 5=1 7=1", "", 3});
  survives({"0=4 1=3 2=2; 0=2 1=3; 0=2 1=3", "RotaryEmbed 0=1", ""});
  survives({"0=4 1=3; 0=2 1=3; 0=2 1=3", "RotaryEmbed ", ""});
}

TEST_CASE("the ends of detectors") {
  survives(
      {"0=4 1=3 2=8; 0=32 1=24 2=3",
       "PriorBox -23300=2,1.600000e+01,3.200000e+01 -23301=2,2.000000e+01,4.000000e+01 -23302=1,2.000000e+00 "
       "9=-233 10=-233 "
       "11=8.000000e+00 12=8.000000e+00 13=5.000000e-01",
       ""});
  survives({"0=8; 0=6; 0=8 1=2", "DetectionOutput 0=3 1=4.500000e-01 2=40 3=20 4=2.500000e-01", ""});
  survives({"0=2 1=2 2=14", "YoloDetectionOutput 0=2 1=2 -23304=4,1.0,2.0,3.0,4.0", ""});
  survives({"0=2 1=2 2=14; 0=4 1=4 2=14",
            "Yolov3DetectionOutput 0=2 1=2 2=0.5 -23304=4,1.0,2.0,3.0,4.0 -23305=4,1.0,0.0,0.0,1.0 -23306=2,32.0,16.0",
            ""});
}

TEST_CASE("int8 weights and their scales") {
  survives({"0=5 1=5 2=3", "Convolution 0=4 1=3 4=1 5=1 6=108 8=2 9=1", "b108 r4 r4 r1"});
  survives({"0=5 1=5 2=4", "ConvolutionDepthWise 0=4 1=3 6=36 7=4 8=101", "b36 r4 r1 r1"});
  survives({"0=6", "InnerProduct 0=3 1=1 2=18 8=2", "b18 r3 r3 r1"});
}

TEST_CASE("what no file may say of these layers") {
  CHECK(refused({"0=3 1=5", "LSTM 0=2 1=25", "t24 t8 t16"}).find("weight size 25, expected 24") != std::string::npos);
  CHECK(refused({"0=3 1=5", "LSTM 0=2000000000 1=24", "t24"}).find("out of range") != std::string::npos);
  CHECK(refused({"0=4 1=3", "LayerNorm 0=5", "r5 r5"}).find("statistics of 5 numbers") != std::string::npos);
  CHECK(refused({"0=4 1=3", "Gemm 5=1 6=1 10=9 8=3 9=4", "t12"}).find("kind 9") != std::string::npos);
  CHECK(refused({"0=4 1=3", "Gemm 5=1 6=1 10=-1 8=3 9=5", "t15"}).find("depth 5") != std::string::npos);
  CHECK(refused({"0=2 1=2 2=14", "YoloDetectionOutput 0=2 1=2 -23304=3,1.0,2.0,3.0", ""}).find("mask") !=
        std::string::npos);
  CHECK(refused({"0=2 1=2 2=14", "Yolov3DetectionOutput 0=2 1=2 -23304=4,1.0,2.0,3.0,4.0 -23305=2,0.0,7.0 -23306=1,8.0",
                 ""})
            .find("mask") != std::string::npos);
  CHECK(refused({"0=8; 0=6; 0=8 1=2", "DetectionOutput 0=3 3=-1", ""}).find("most") != std::string::npos);
  CHECK(refused({"0=4 1=3 2=8; 0=32 1=24 2=3", "PriorBox -23300=2,1.0,2.0 -23301=1,3.0 9=-233 10=-233", ""})
            .find("max_sizes") != std::string::npos);
  CHECK(refused({"0=4 1=3 2=2; 0=4 1=5 2=3; 0=4 1=5 2=3", "SDPA 6=0.5", ""}).find("K") != std::string::npos);
  CHECK(refused({"0=5 1=5 2=3", "Convolution 0=4 1=3 5=1 6=108 8=2", "b108 r4 r4"}).find("t.bin") != std::string::npos);
}
