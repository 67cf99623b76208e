// SPDX-License-Identifier: BSL-1.0
// The commands of the tool, free of its command line. They throw ctnn::error (bad input) or usage_error.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tool {

/// The command line asks for something that does not exist.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How pictures become numbers.
struct picture_options {
  std::string size;             ///< 224x224; empty: what the model's input says, or the picture's own
  int resize = 0;               ///< the shorter side becomes this long first, then the middle of `size` is cut out
  std::string fit = "stretch";  ///< what happens to the rest: stretch, crop, pad
  bool antialias = true;        ///< as PIL and torchvision do; else four neighbours, as ncnn and OpenCV do
  double full = 1;              ///< what a pixel of full brightness is before mean and standard deviation: 1 or 255
  std::vector<double> mean, deviation;  ///< one, or one a channel
  bool bgr = false;
};

/// Which model.
struct model_source {
  std::string file;                 ///< x.param, x.onnx, x.tflite, x.nam or x.json
  std::string weights;              ///< file, "none" for zeros, empty for x.bin
  std::vector<std::string> shapes;  ///< NAME=3x224x224
  bool one_sample = true;           ///< an open first axis is 1, if nothing else is open
  std::string rounding = "xnnpack";  ///< of TensorFlow Lite's bytes: xnnpack, once or twice
  std::string signature;             ///< of a .tflite file with several; empty: its first graph
  bool external_data = false;       ///< an ONNX model's weights may be in other files of its folder
  double memory = 0;                ///< GiB that a file and its numbers may take; 0: ctnn::budget's
  bool optimize = true;
  std::vector<std::string> only;     ///< rules to apply; empty: all
  std::vector<std::string> without;  ///< rules to leave out
  bool exact = false;                ///< only rules that change no number
  std::vector<std::string> keep;     ///< blobs that must survive
  bool exact_convolutions = false;   ///< no Winograd filtering
  /// As load_options has it; without one, its own, but types keep all of Winograd's weights.
  std::optional<double> winograd_growth;
  /// As load_options has it; without a word of it types put the arena first, and nothing else does.
  std::optional<bool> arena_first;
  float prune_below = 0;             ///< as load_options has it
  std::vector<std::string> inputs;   ///< NAME=FILE: .npy, .npz, .pt, a picture, or a folder of these; or FILE.npz
  picture_options pictures;
};

struct info_options {
  model_source model;
  bool layers = true;
  bool json = false;
};
void info(const info_options&);

struct optimize_options {
  model_source model;
  std::string out;   ///< y.onnx, or y.param, y.bin is written beside it; empty: only explain
  std::string data;  ///< name of a file beside y.onnx for its weights
  bool fused = false;  ///< com.microsoft's operators, too
  bool fp16 = false;
  bool explain = false;
  std::vector<std::string> why;     ///< layers
  bool verify = false;              ///< run both sides first
  double tolerance = 1e-4;          ///< of an output's largest number
  bool prove = false;               ///< the rewrites, first
  bool force = false;               ///< files that are read may be written over
};
void optimize(const optimize_options&);
/// Throws ctnn::error naming the first rewrite after which outputs differ.
void verify(const optimize_options&);

struct quantize_options {
  model_source model;
  std::vector<std::string> calibration;  ///< NAME=FILE, or FILE for the only input, as those of --input
  std::string out;                       ///< y.onnx, y.hpp, y.param (y.bin is written beside it), y.table
  std::string method = "minmax";
  double percentile = 99.99;
  std::vector<std::string> keep_float;  ///< layers
  std::string name;                     ///< of the type in y.hpp; empty for the file's
  bool bytes = false;                   ///< inputs and outputs are bytes, too
  bool unsigned_bytes = false;          ///< activations are u8, not i8
  bool force = false;                   ///< files that are read may be written over
};
void quantize(const quantize_options&);

struct run_options {
  model_source model;
  std::vector<std::string> outputs;  ///< NAME=FILE.npy, or FILE.npy of the only output
  std::string labels;                ///< a file with a line a class
  int top = 0;                       ///< largest numbers of each output to print
  bool light = true;
  std::string target;  ///< empty for the best
  int threads = 1;
  std::uint32_t seed = 0;  ///< of numbers for inputs that are not given
  bool force = false;      ///< files that are read may be written over
};
void run(const run_options&);

struct compare_options {
  model_source model;
  std::string other;          ///< a model, or stored values: .npy, .npz, .pt
  std::string other_weights;  ///< of an ncnn model
  double tolerance = 1e-4;    ///< of a value's largest number
  bool layers = false;        ///< print all values that both have
  int threads = 1;
};
/// Throws ctnn::error if an output differs.
void compare(const compare_options&);

struct bench_options {
  std::vector<std::string> files;
  model_source model;  ///< its file is one of `files`
  std::string target;
  double seconds = 2;  ///< for each model
  int runs = 0;        ///< so many instead; 0: as many as take `seconds`
  int warmup = 1;      ///< runs before those that are measured
  bool light = true;
  bool json = false;
  bool times = false;  ///< with `json`, seconds of each run
  int threads = 1;
};
void bench(const bench_options&);

struct header_options {
  model_source model;               ///< of no file: its weights alone, x.pt, x.safetensors or x.npz
  std::string prefix;               ///< of weights alone: that of the names that are taken, without it
  std::vector<std::string> rename;  ///< of weights alone: FROM=TO
  std::string out;
  std::string name;  ///< of the type; empty for the file's
  int packed = 0;    ///< block of channels: 16, 4 for Cortex-M; 0 leaves weights in logical order
  bool list = false;  ///< a list of layers instead of a function
  bool blob = false;  ///< numbers beside the header, to be linked
  bool c = false;     ///< a C interface beside the header
  bool in_arena = false;  ///< inputs are in the engine's memory
  std::string image;  ///< a file for an image of packed weights
  bool force = false;  ///< files that are read may be written over
};
void header(const header_options&);

struct draw_options {
  model_source model;
  std::string out;     ///< .dot, or .svg, .png, .pdf by way of Graphviz
  bool time = false;   ///< layers coloured by what they take
  bool arena = false;  ///< the memory instead, as .svg
  double seconds = 1;  ///< for --time
  bool force = false;  ///< files that are read may be written over
};
void draw(const draw_options&);

struct extract_options {
  model_source model;
  std::vector<std::string> from, to;  ///< values or layers; empty: the model's inputs, its outputs
  std::string out;                    ///< y.onnx
  double tolerance = 1e-4;            ///< of an output's largest number, beside the whole model
  bool force = false;                 ///< files that are read may be written over
};
/// Throws ctnn::error if the part computes other numbers than the whole.
void extract(const extract_options&);

}  // namespace tool
