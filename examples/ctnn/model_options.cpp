// SPDX-License-Identifier: BSL-1.0
// Options of every command that reads a model.
#include "command_line.hpp"

namespace tool {

namespace {

void add_pictures(CLI::App& command, picture_options& p) {
  const char* const group = "Pictures";
  command.add_option("--size", p.size, "WIDTHxHEIGHT, where the input has no size of its own")->group(group);
  command
      .add_option("--resize", p.resize,
                  "make the shorter side this long, then cut out the middle, as torchvision's Resize and CenterCrop do")
      ->check(CLI::Range(1, 32767))
      ->group(group);
  command.add_option("--fit", p.fit, "stretch (default), crop: cut off what is too long, pad: with grey (114)")
      ->check(CLI::IsMember({"stretch", "crop", "pad"}))
      ->group(group);
  command.add_flag("!--no-antialias", p.antialias, "resize as ncnn and OpenCV do, from four pixels each")->group(group);
  command.add_option("--pixels", p.full, "what a pixel of full brightness is: 1 (default) or 255")
      ->check(CLI::IsMember({1.0, 255.0}))
      ->group(group);
  command.add_option("--mean", p.mean, "taken from pixels: one number or one a channel, 0.485,0.456,0.406")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--std", p.deviation, "pixels are divided by it then: one number or one a channel")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  command.add_flag("--bgr,!--rgb", p.bgr, "blue comes first")->group(group);
}

void add_rewriting(CLI::App& command, model_source& m) {
  const char* const group = "Rewriting";
  command.add_flag("!--no-optimize", m.optimize, "do not rewrite the network")->group(group);
  command
      .add_flag("--exact", m.exact,
                "only rewrite where no number changes: no sum or product is taken in another order, "
                "half precision is rounded after each operator")
      ->group(group);
  command
      .add_flag("--exact-convolutions", m.exact_convolutions,
                "convolutions add product by product, none goes by Winograd's filtering")
      ->group(group);
  command
      .add_flag("--arena-first,!--speed-first", m.arena_first,
                "whether Winograd's filtering takes no more memory than the network needs layer by layer as it was "
                "read, as in types, or what is fastest, as in other commands")
      ->group(group);
  command
      .add_option(
          "--winograd-growth", m.winograd_growth,
          "what Winograd's filtering may have beyond the layers' weights, as a part of the network's, such as 0.04")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  command
      .add_option("--prune-below", m.prune_below,
                  "channels whose weights all are this small, or smaller, go as channels of zeros do, such as 1e-6: "
                  "answers change by what they would have added")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  const auto list = [&](const char* name, std::vector<std::string>& to, const char* text) {
    command.add_option(name, to, text)->take_all()->expected(1)->group(group);
  };
  list("--only", m.only, "a rule to apply, and no other; may be repeated");
  list("--without", m.without, "a rule to leave out; may be repeated");
  list("--keep", m.keep, "a blob that must survive; may be repeated");
}

}  // namespace

CLI::Option* add_model(CLI::App& command, model_source& m) {
  return command
      .add_option("MODEL", m.file,
                  "a model: x.onnx, TensorFlow Lite's x.tflite, ncnn's x.param, Neural Amp Modeler's x.nam, or "
                  "RTNeural's x.json; - reads any of them from standard input")
      ->required();
}

void add_model_options(CLI::App& command, model_source& m, bool with_rewriting) {
  const char* const group = "Model";
  command.add_option("--weights", m.weights, "file of an ncnn model's weights (by default MODEL.bin), or none: zeros")
      ->group(group);
  command.add_option("--shape", m.shapes, "an input's shape, NAME=3x224x224 (ONNX: NAME=1x3x224x224); may be repeated")
      ->take_all()
      ->expected(1)
      ->group(group);
  command
      .add_option(
          "--input", m.inputs,
          "NAME=FILE: .npy (- is standard input), .npz, a picture, or a folder of .npy files or pictures, run "
          "one by one; NAME may be the number of an input, from 0, and is not needed for the only one; FILE.npz "
          "feeds all its arrays by name; may be repeated")
      ->take_all()
      ->expected(1)
      ->group(group);
  command.add_flag("--external-data", m.external_data, "an ONNX model's weights may be in other files of its folder")
      ->group(group);
  command
      .add_option("--rounding", m.rounding,
                  "how TensorFlow Lite's sums of bytes are rounded: as XNNPACK does (xnnpack), in integers once, as "
                  "firmware does, or twice, as TensorFlow Lite Micro does")
      ->check(CLI::IsMember({"xnnpack", "once", "twice"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--signature", m.signature,
                  "which of a .tflite file's signatures is meant, if it has several (info lists them)")
      ->group(group);
  command
      .add_option("--memory", m.memory,
                  "GiB that a model's file, all its numbers, or a value between two layers may take (4, 4 and 1)")
      ->check(CLI::Range(0.001, 1048576.0))
      ->group(group);
  add_pictures(command, m.pictures);
  if (with_rewriting) add_rewriting(command, m);
}

}  // namespace tool
