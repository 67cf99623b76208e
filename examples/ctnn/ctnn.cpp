// SPDX-License-Identifier: BSL-1.0
// The command line of the tool; exits with 1 for bad input and 2 for bad usage.
#include <CLI/CLI.hpp>
#include <ctnn/version.h>

#include <algorithm>
#include <iostream>

#include "commands.hpp"

namespace {

using namespace tool;

void add_model_options(CLI::App& command, model_source& m, bool optional_rewriting) {
  command.add_option("--weights", m.weights, "file of an ncnn model's weights (by default MODEL.bin), or none: zeros");
  command.add_option("--shape", m.shapes, "an input's shape, NAME=3x224x224 (ONNX: NAME=1x3x224x224); may be repeated")
      ->take_all()
      ->expected(1);
  command.add_flag("--external-data", m.external_data, "an ONNX model's weights may be in other files of its folder");
  command
      .add_option("--rounding", m.rounding,
                  "how TensorFlow Lite's sums of bytes are rounded: as XNNPACK does (xnnpack), in integers once, as "
                  "firmware does, or twice, as TensorFlow Lite Micro does")
      ->check(CLI::IsMember({"xnnpack", "once", "twice"}))
      ->capture_default_str();
  command.add_option("--signature", m.signature,
                     "which of a .tflite file's signatures is meant, if it has several (info lists them)");
  command
      .add_option("--memory", m.memory,
                  "GiB that a model's file, all its numbers, or a value between two layers may take (4, 4 and 1)")
      ->check(CLI::Range(0.001, 1048576.0));
  command
      .add_option("--input", m.inputs,
                  "NAME=FILE: .npy, .npz, a picture, or a folder of .npy files or pictures, run one by one; FILE.npz "
                  "feeds all its arrays by name; may be repeated")
      ->take_all()
      ->expected(1);
  picture_options& p = m.pictures;
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
  if (!optional_rewriting) return;
  command.add_flag("!--no-optimize", m.optimize, "do not rewrite the network");
  command.add_flag(
      "--exact", m.exact,
      "only rewrite where no number changes: no sum or product is taken in another order, "
      "half precision is rounded after each operator");
  command.add_flag("--exact-convolutions", m.exact_convolutions,
                   "convolutions add product by product, none goes by Winograd's filtering");
  command.add_flag("--arena-first,!--speed-first", m.arena_first,
                   "whether Winograd's filtering takes no more memory than the network needs layer by layer as it was "
                   "read, as in types, or what is fastest, as in other commands");
  command
      .add_option(
          "--winograd-growth", m.winograd_growth,
          "what Winograd's filtering may have beyond the layers' weights, as a part of the network's, such as 0.04")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--prune-below", m.prune_below,
                  "channels whose weights all are this small, or smaller, go as channels of zeros do, such as 1e-6: "
                  "answers change by what they would have added")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--only", m.only, "a rule to apply, and no other; may be repeated")->take_all()->expected(1);
  command.add_option("--without", m.without, "a rule to leave out; may be repeated")->take_all()->expected(1);
  command.add_option("--keep", m.keep, "a blob that must survive; may be repeated")->take_all()->expected(1);
}
void add_model(CLI::App& command, model_source& m, bool optional_rewriting = true) {
  command
      .add_option("MODEL", m.file,
                  "a model: x.onnx, TensorFlow Lite's x.tflite, Neural Amp Modeler's x.nam, RTNeural's x.json, or "
                  "ncnn's x.param")
      ->required();
  add_model_options(command, m, optional_rewriting);
}

bool is_one_of(const CLI::Option* o, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return o->check_name(name); });
}

int complain(const std::string& text, int status) {
  std::string line = text;
  std::replace(line.begin(), line.end(), '\n', ';');
  std::cerr << "ctnn: " << line << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"ctnn: neural networks as C++ types, and models loaded from files"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "ctnn " CTNN_VERSION_STRING);

  info_options info_with;
  CLI::App& on_info =
      *app.add_subcommand("info", "layers, shapes, weights, multiply-adds, memory, before and after rewriting");
  add_model(on_info, info_with.model);
  on_info.add_flag("!--summary", info_with.layers, "sums only");

  optimize_options optimize_with;
  CLI::App& on_optimize = *app.add_subcommand("optimize", "write the rewritten model as ONNX, or for ncnn");
  add_model(on_optimize, optimize_with.model);
  on_optimize.add_option("-o,--out,OUT", optimize_with.out, "OUT.onnx, or OUT.param; OUT.bin is written beside it");
  on_optimize.add_option("--data", optimize_with.data,
                         "name of a file beside OUT.onnx for its weights (by default they are in it, up to 2 GB)");
  on_optimize.add_flag("--fused", optimize_with.fused,
                       "write OUT.onnx with fused operators of com.microsoft, which ONNX Runtime has");
  on_optimize.add_flag("--fp16", optimize_with.fp16, "store weights as half-precision numbers");
  on_optimize.add_flag("--explain", optimize_with.explain, "list every rewrite in order");
  on_optimize
      .add_option("--why", optimize_with.why,
                  "a layer: where it went, or what each rule that nearly matches misses; may be repeated")
      ->take_all()
      ->expected(1);

  on_optimize.add_flag("--verify", optimize_with.verify,
                       "run the model rewritten and as it is, and name the first rewrite that changes an output");
  on_optimize
      .add_option("--tolerance", optimize_with.tolerance, "for --verify, in parts of an output's largest number (1e-4)")
      ->check(CLI::NonNegativeNumber);
  on_optimize.add_flag("--prove", optimize_with.prove,
                       "say which rewrites are proved for any numbers, without rounding, and which are checked by "
                       "running alone, and why");

  quantize_options quantize_with;
  CLI::App& on_quantize =
      *app.add_subcommand("quantize", "write the model in bytes: as ONNX, C++, for ncnn, or ncnn's table of scales");
  add_model(on_quantize, quantize_with.model);
  on_quantize
      .add_option("--calibration", quantize_with.calibration,
                  "samples of the model's input, or NAME=FILE of each: a folder of .npy files or pictures, or one .npy "
                  "or .npz of many; may be repeated")
      ->required()
      ->take_all()
      ->expected(1);
  on_quantize
      .add_option("-o,--out", quantize_with.out,
                  "OUT.onnx, OUT.hpp, OUT.param (OUT.bin is written beside it) or OUT.table for ncnn2int8")
      ->required();
  on_quantize
      .add_option("--method", quantize_with.method,
                  "which range of a value bytes stand for: minmax (default): all that was seen; percentile; kl: what "
                  "loses least, as TensorRT and ncnn find it")
      ->check(CLI::IsMember({"minmax", "percentile", "kl"}));
  on_quantize.add_option("--percentile", quantize_with.percentile, "of numbers within the range (99.99)")
      ->check(CLI::Range(50.0, 100.0));
  on_quantize.add_option("--keep-float", quantize_with.keep_float, "a layer that stays as it is; may be repeated")
      ->take_all()
      ->expected(1);
  on_quantize.add_flag("--bytes", quantize_with.bytes,
                       "inputs and outputs are bytes, too; the report has their scales");
  on_quantize.add_flag("--unsigned", quantize_with.unsigned_bytes,
                       "activations are bytes from 0 to 255, with which ONNX Runtime is fastest on x86");
  on_quantize.add_option("--name", quantize_with.name, "of the type in OUT.hpp (by default the file's)");

  run_options run_with;
  CLI::App& on_run = *app.add_subcommand("run", "run a model on arrays or pictures");
  add_model(on_run, run_with.model);
  on_run.add_option("--output", run_with.outputs, "NAME=FILE.npy; may be repeated")->take_all()->expected(1);
  on_run.add_option("--top", run_with.top, "print the N largest numbers of each row of the outputs")
      ->check(CLI::Range(1, 1000));
  on_run.add_option("--labels", run_with.labels, "a file with the name of a class in each line, for --top (5)");
  on_run.add_flag("!--no-light", run_with.light, "keep every value");
  on_run.add_option("--target", run_with.target, "instruction set, such as AVX2 (by default the best)");
  on_run.add_option("--threads", run_with.threads, "for large layers (1); answers are the same")
      ->check(CLI::Range(1, 1024));

  compare_options compare_with;
  CLI::App& on_compare = *app.add_subcommand(
      "compare", "outputs of two models, or of a model and stored ones; where they part; exits with 1 if they do");
  add_model(on_compare, compare_with.model);
  on_compare.add_option("OTHER", compare_with.other, "a model, or values by name: x.npz, x.npy (of the only output)")
      ->required();
  on_compare.add_option("--other-weights", compare_with.other_weights, "file of OTHER's weights, or none: zeros");
  on_compare.add_option("--tolerance", compare_with.tolerance, "in parts of a value's largest number (1e-4)")
      ->check(CLI::NonNegativeNumber);
  on_compare.add_flag("--layers", compare_with.layers, "every value that both have by the same name, not outputs only");
  on_compare.add_option("--threads", compare_with.threads, "for large layers (1)")->check(CLI::Range(1, 1024));

  bench_options bench_with;
  CLI::App& on_bench = *app.add_subcommand("bench", "latency by layer and in total");
  on_bench.add_option("MODEL", bench_with.files, "models, x.onnx, x.tflite, x.nam, x.json or x.param")->required();
  add_model_options(on_bench, bench_with.model, true);
  on_bench.add_option("--target", bench_with.target, "instruction set, such as AVX2 (by default the best)");
  on_bench.add_option("--seconds", bench_with.seconds, "for each model (2)")->check(CLI::PositiveNumber);
  on_bench.add_option("--threads", bench_with.threads, "for large layers (1)")->check(CLI::Range(1, 1024));
  on_bench.add_flag("!--no-light", bench_with.light, "keep every value");
  on_bench.add_flag("--json", bench_with.json, "for programs");

  header_options header_with;
  header_with.model.rounding = "once";  // firmware has kernels of it
  CLI::App& on_header =
      *app.add_subcommand("header",
                          "the model as a C++ type with its weights, for ctnn/ctnn.hpp; without MODEL, the tensors of "
                          "--weights x.pt, x.safetensors or x.npz by their names, for a type of your own");
  add_model(on_header, header_with.model);
  on_header.get_option("MODEL")->required(false);
  on_header.add_option("-o,--out", header_with.out, "NAME.hpp")->required();
  on_header.add_option("--name", header_with.name, "of the type (by default the file's)");
  on_header
      .add_option("--packed", header_with.packed,
                  "weights as the kernels want them: blocks of 16, or 4 for CTNN_PLAIN (Cortex-M)")
      ->check(CLI::IsMember({4, 16}));
  on_header.add_flag("--list", header_with.list, "a list of layers, ctnn::network<...>, instead of a function");
  on_header.add_flag("--blob", header_with.blob,
                     "numbers in NAME.blob, which NAME.blob.cpp links, not in the header; those of a MODEL are packed");
  on_header.add_flag("--c", header_with.c,
                     "also NAME.h for programs in C, and NAME_c.cpp; weights are packed, by default for CTNN_PLAIN");
  on_header.add_flag("--in-arena", header_with.in_arena,
                     "inputs are filled in the engine's memory, which later values take: less RAM in all");
  on_header.add_option("--prefix", header_with.prefix,
                       "of --weights alone: only names that begin so are taken, without it, such as module.");
  on_header.add_option("--rename", header_with.rename, "of --weights alone: FROM=TO, names or what they begin with");
  on_header.add_option("--image", header_with.image,
                       "also a file of packed weights, which an engine of this network can take later");

  draw_options draw_with;
  CLI::App& on_draw = *app.add_subcommand("draw", "a picture of the network before and after rewriting");
  add_model(on_draw, draw_with.model);
  on_draw.add_option("-o,--out", draw_with.out, "X.svg, X.png, X.pdf or X.dot")->required();
  CLI::Option* const by_time =
      on_draw.add_flag("--time", draw_with.time, "run it, and colour layers by what they take");
  on_draw.add_flag("--arena", draw_with.arena, "which bytes hold which value during which steps; X.svg")
      ->excludes(by_time);
  on_draw.add_option("--seconds", draw_with.seconds, "for --time (1)")->check(CLI::PositiveNumber);

  try {
    app.parse(argc, argv);
    if (on_info) info(info_with);
    if (on_optimize) optimize(optimize_with);
    if (on_quantize) quantize(quantize_with);
    if (on_run) run(run_with);
    if (on_compare) compare(compare_with);
    if (on_bench) bench(bench_with);
    if (on_header && header_with.model.file.empty()) {
      if (header_with.model.weights.empty()) throw usage_error("header: expected MODEL, or --weights FILE");
      for (const CLI::Option* o : on_header.get_options())
        if (o->count() != 0 && !is_one_of(o, {"--weights", "--out", "--name", "--blob", "--prefix", "--rename"}))
          throw usage_error(o->get_name() + ": there is no MODEL");
    } else if (on_header && (!header_with.prefix.empty() || !header_with.rename.empty())) {
      throw usage_error("--prefix and --rename: of --weights without a MODEL");
    }
    if (on_header) header(header_with);
    if (on_draw) draw(draw_with);
    return 0;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(e);  // --help, --version
    return complain(std::string(e.what()) + " (ctnn --help)", 2);
  } catch (const usage_error& e) {
    return complain(e.what(), 2);
  } catch (const std::exception& e) {
    return complain(e.what(), 1);
  }
}
