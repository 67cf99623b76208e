// SPDX-License-Identifier: BSL-1.0
// The commands of the tool, free of its command line. They throw ctnn::error (bad input) or usage_error.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace tool {

/// The command line asks for something that does not exist.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Which model.
struct model_source {
  std::string file;                 ///< x.param or x.onnx
  std::string weights;              ///< file, "none" for zeros, empty for x.bin
  std::vector<std::string> shapes;  ///< NAME=3x224x224
  bool external_data = false;       ///< an ONNX model's weights may be in other files of its folder
  bool optimize = true;
  std::vector<std::string> only;     ///< rules to apply; empty: all
  std::vector<std::string> without;  ///< rules to leave out
  bool exact = false;                ///< only rules that change no number
  std::vector<std::string> keep;     ///< blobs that must survive
  bool exact_convolutions = false;   ///< no Winograd filtering
};

struct info_options {
  model_source model;
  bool layers = true;
};
void info(const info_options&);

struct optimize_options {
  model_source model;
  std::string out;  ///< y.param; y.bin is written beside it; empty: only explain
  bool fp16 = false;
  bool explain = false;
  std::vector<std::string> why;     ///< layers
  bool verify = false;              ///< run both sides first
  std::vector<std::string> inputs;  ///< NAME=FILE.npy, to verify with
  double tolerance = 1e-4;          ///< of an output's largest number
};
void optimize(const optimize_options&);
/// Throws ctnn::error naming the first rewrite after which outputs differ.
void verify(const optimize_options&);

struct run_options {
  model_source model;
  std::vector<std::string> inputs;   ///< NAME=FILE.npy
  std::vector<std::string> outputs;  ///< NAME=FILE.npy
  bool light = true;
  std::string target;  ///< empty for the best
  int threads = 1;
};
void run(const run_options&);

struct bench_options {
  std::vector<std::string> files;
  model_source model;  ///< its file is one of `files`
  std::string target;
  double seconds = 2;  ///< for each model
  bool light = true;
  bool json = false;
  int threads = 1;
};
void bench(const bench_options&);

struct header_options {
  model_source model;  ///< of no file: its weights alone, x.safetensors or x.npz
  std::string out;
  std::string name;  ///< of the type; empty for the file's
  int packed = 0;    ///< block of channels: 16, 4 for Cortex-M; 0 leaves weights in logical order
  bool blob = false;  ///< numbers beside the header, to be linked
  bool c = false;     ///< a C interface beside the header
  std::string image;  ///< a file for an image of packed weights
};
void header(const header_options&);

struct draw_options {
  model_source model;
  std::string out;  ///< .dot, or .svg, .png, .pdf by way of Graphviz
};
void draw(const draw_options&);

}  // namespace tool
