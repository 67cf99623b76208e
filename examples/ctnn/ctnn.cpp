// SPDX-License-Identifier: BSL-1.0
// The command line of the tool; exits with 1 for bad input and 2 for bad usage.
#include <CLI/CLI.hpp>

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
  if (!optional_rewriting) return;
  command.add_flag("!--no-optimize", m.optimize, "do not rewrite the network");
  command.add_flag(
      "--exact", m.exact,
      "only rewrite where no number changes: no sum or product is taken in another order, "
      "half precision is rounded after each operator");
  command.add_flag("--exact-convolutions", m.exact_convolutions,
                   "convolutions add product by product, none goes by Winograd's filtering");
  command.add_option("--only", m.only, "a rule to apply, and no other; may be repeated")->take_all()->expected(1);
  command.add_option("--without", m.without, "a rule to leave out; may be repeated")->take_all()->expected(1);
  command.add_option("--keep", m.keep, "a blob that must survive; may be repeated")->take_all()->expected(1);
}
void add_model(CLI::App& command, model_source& m, bool optional_rewriting = true) {
  command.add_option("MODEL", m.file, "an ONNX model, x.onnx, or an ncnn model, x.param")->required();
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

  info_options info_with;
  CLI::App& on_info =
      *app.add_subcommand("info", "layers, shapes, weights, multiply-adds, memory, before and after rewriting");
  add_model(on_info, info_with.model);
  on_info.add_flag("!--summary", info_with.layers, "sums only");

  optimize_options optimize_with;
  CLI::App& on_optimize = *app.add_subcommand("optimize", "write the rewritten model for ncnn, as ncnnoptimize does");
  add_model(on_optimize, optimize_with.model);
  on_optimize.add_option("-o,--out", optimize_with.out, "OUT.param; OUT.bin is written beside it");
  on_optimize.add_flag("--fp16", optimize_with.fp16, "store weights as half-precision numbers");
  on_optimize.add_flag("--explain", optimize_with.explain, "list every rewrite in order");
  on_optimize
      .add_option("--why", optimize_with.why,
                  "a layer: where it went, or what each rule that nearly matches misses; may be repeated")
      ->take_all()
      ->expected(1);

  on_optimize.add_flag("--verify", optimize_with.verify,
                       "run the model rewritten and as it is, and name the first rewrite that changes an output");
  on_optimize.add_option("--input", optimize_with.inputs, "NAME=FILE.npy to verify with; may be repeated (made up)")
      ->take_all()
      ->expected(1);
  on_optimize
      .add_option("--tolerance", optimize_with.tolerance, "for --verify, in parts of an output's largest number (1e-4)")
      ->check(CLI::NonNegativeNumber);

  run_options run_with;
  CLI::App& on_run = *app.add_subcommand("run", "run a model on .npy files");
  add_model(on_run, run_with.model);
  on_run.add_option("--input", run_with.inputs, "NAME=FILE.npy; may be repeated")->take_all()->expected(1);
  on_run.add_option("--output", run_with.outputs, "NAME=FILE.npy; may be repeated")->take_all()->expected(1);
  on_run.add_flag("!--no-light", run_with.light, "keep every value");
  on_run.add_option("--target", run_with.target, "instruction set, such as AVX2 (by default the best)");
  on_run.add_option("--threads", run_with.threads, "for large layers (1); answers are the same")
      ->check(CLI::Range(1, 1024));

  bench_options bench_with;
  CLI::App& on_bench = *app.add_subcommand("bench", "latency by layer and in total");
  on_bench.add_option("MODEL", bench_with.files, "models, x.onnx or x.param")->required();
  add_model_options(on_bench, bench_with.model, true);
  on_bench.add_option("--target", bench_with.target, "instruction set, such as AVX2 (by default the best)");
  on_bench.add_option("--seconds", bench_with.seconds, "for each model (2)")->check(CLI::PositiveNumber);
  on_bench.add_option("--threads", bench_with.threads, "for large layers (1)")->check(CLI::Range(1, 1024));
  on_bench.add_flag("!--no-light", bench_with.light, "keep every value");
  on_bench.add_flag("--json", bench_with.json, "for programs");

  header_options header_with;
  CLI::App& on_header =
      *app.add_subcommand("header",
                          "the model as a C++ type with its weights, for ctnn/ctnn.hpp; without MODEL, the tensors of "
                          "--weights x.safetensors or x.npz by their names, for a type of your own");
  add_model(on_header, header_with.model);
  on_header.get_option("MODEL")->required(false);
  on_header.add_option("-o,--out", header_with.out, "NAME.hpp")->required();
  on_header.add_option("--name", header_with.name, "of the type (by default the file's)");
  on_header
      .add_option("--packed", header_with.packed,
                  "weights as the kernels want them: blocks of 16, or 4 for CTNN_PLAIN (Cortex-M)")
      ->check(CLI::IsMember({4, 16}));
  on_header.add_flag("--blob", header_with.blob,
                     "numbers in NAME.blob, which NAME.blob.cpp links, not in the header; those of a MODEL are packed");
  on_header.add_flag("--c", header_with.c,
                     "also NAME.h for programs in C, and NAME_c.cpp; weights are packed, by default for CTNN_PLAIN");
  on_header.add_option("--image", header_with.image,
                       "also a file of packed weights, which an engine of this network can take later");

  draw_options draw_with;
  CLI::App& on_draw = *app.add_subcommand("draw", "a picture of the network before and after rewriting");
  add_model(on_draw, draw_with.model);
  on_draw.add_option("-o,--out", draw_with.out, "X.svg, X.png, X.pdf or X.dot")->required();

  try {
    app.parse(argc, argv);
    if (on_info) info(info_with);
    if (on_optimize) optimize(optimize_with);
    if (on_run) run(run_with);
    if (on_bench) bench(bench_with);
    if (on_header && header_with.model.file.empty()) {
      if (header_with.model.weights.empty()) throw usage_error("header: expected MODEL, or --weights FILE");
      for (const CLI::Option* o : on_header.get_options())
        if (o->count() != 0 && !is_one_of(o, {"--weights", "--out", "--name", "--blob"}))
          throw usage_error(o->get_name() + ": there is no MODEL");
    }
    if (on_header) header(header_with);
    if (on_draw) draw(draw_with);
    return 0;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(e);  // --help
    return complain(std::string(e.what()) + " (ctnn --help)", 2);
  } catch (const usage_error& e) {
    return complain(e.what(), 2);
  } catch (const std::exception& e) {
    return complain(e.what(), 1);
  }
}
