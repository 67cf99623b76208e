// SPDX-License-Identifier: BSL-1.0
// Options of each command; those that all have in common are in model_options.cpp.
#include "command_line.hpp"

#include <ctnn/version.h>

namespace tool {

namespace {

void add_list(CLI::App& command, const char* name, std::vector<std::string>& to, const char* text) {
  command.add_option(name, to, text)->take_all()->expected(1);
}
void add_force(CLI::App& command, bool& force) {
  command.add_flag("-f,--force", force, "write over a file that the command reads");
}
void add_threads(CLI::App& command, int& threads, const char* text = "for large layers (1)") {
  command.add_option("--threads", threads, text)->check(CLI::Range(1, 1024));
}
void add_target(CLI::App& command, std::string& target) {
  command.add_option("--target", target, "instruction set, such as AVX2 (by default the best)");
}

}  // namespace

command_line::command_line() : app_("ctnn: neural networks as C++ types, and models loaded from files", "ctnn") {
  app_.require_subcommand(1);
  app_.formatter(help_formatter());
  app_.set_version_flag("--version", "ctnn " CTNN_VERSION_STRING, "Print the version and exit");
  app_.footer(
      "`ctnn help COMMAND` has the options of a command. A file called - is standard input or output.\n"
      "Exits with 0, with 1 if something was wrong with a file, and with 2 for a command that cannot be understood.");
  add_info();
  add_optimize();
  add_quantize();
  add_run();
  add_compare();
  add_bench();
  add_header();
  add_draw();
  add_extract();
  add_others();
}

void command_line::add_info() {
  CLI::App& command =
      add("info", "layers, shapes, weights, multiply-adds, memory, before and after rewriting", info_, info);
  add_model(command, info_.model);
  command.add_flag("!--summary", info_.layers, "sums only");
  command.add_flag("--json", info_.json, "for programs: one document");
  add_model_options(command, info_.model);
}

void command_line::add_optimize() {
  CLI::App& command = add("optimize", "write the rewritten model as ONNX, or for ncnn", optimize_, optimize);
  add_model(command, optimize_.model);
  command.add_option("-o,--out,OUT", optimize_.out,
                     "OUT.onnx, or OUT.param; OUT.bin is written beside it; - is ONNX on standard output");
  command.add_option("--data", optimize_.data,
                     "name of a file beside OUT.onnx for its weights (by default they are in it, up to 2 GB)");
  command.add_flag("--fused", optimize_.fused,
                   "write OUT.onnx with fused operators of com.microsoft, which ONNX Runtime has");
  command.add_flag("--fp16", optimize_.fp16, "store weights as half-precision numbers");
  command.add_flag("--explain", optimize_.explain, "list every rewrite in order");
  add_list(command, "--why", optimize_.why,
           "a layer: where it went, or what each rule that nearly matches misses; may be repeated");
  command.add_flag("--verify", optimize_.verify,
                   "run the model rewritten and as it is, and name the first rewrite that changes an output");
  command.add_option("--tolerance", optimize_.tolerance, "for --verify, in parts of an output's largest number (1e-4)")
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--prove", optimize_.prove,
                   "say which rewrites are proved for any numbers, without rounding, and which are checked by running "
                   "alone, and why");
  add_force(command, optimize_.force);
  add_model_options(command, optimize_.model);
}

void command_line::add_quantize() {
  CLI::App& command = add("quantize", "write the model in bytes: as ONNX, C++, for ncnn, or ncnn's table of scales",
                          quantize_, quantize);
  add_model(command, quantize_.model);
  command
      .add_option("--calibration", quantize_.calibration,
                  "samples of the model's input, or NAME=FILE of each: a folder of .npy files or pictures, or one .npy "
                  "or .npz of many; may be repeated")
      ->required()
      ->take_all()
      ->expected(1);
  command
      .add_option(
          "-o,--out", quantize_.out,
          "OUT.onnx, OUT.hpp, OUT.param (OUT.bin is written beside it) or OUT.table for ncnn2int8; - is ONNX on "
          "standard output")
      ->required();
  command
      .add_option("--method", quantize_.method,
                  "which range of a value bytes stand for: minmax (default): all that was seen; percentile; kl: what "
                  "loses least, as TensorRT and ncnn find it")
      ->check(CLI::IsMember({"minmax", "percentile", "kl"}));
  command.add_option("--percentile", quantize_.percentile, "of numbers within the range (99.99)")
      ->check(CLI::Range(50.0, 100.0));
  add_list(command, "--keep-float", quantize_.keep_float, "a layer that stays as it is; may be repeated");
  command.add_flag("--bytes", quantize_.bytes, "inputs and outputs are bytes, too; the report has their scales");
  command.add_flag("--unsigned", quantize_.unsigned_bytes,
                   "activations are bytes from 0 to 255, with which ONNX Runtime is fastest on x86");
  command.add_option("--name", quantize_.name, "of the type in OUT.hpp (by default the file's)");
  add_force(command, quantize_.force);
  add_model_options(command, quantize_.model);
}

void command_line::add_run() {
  CLI::App& command = add("run", "run a model on arrays, pictures or made-up numbers", run_, tool::run);
  add_model(command, run_.model);
  add_list(command, "--output", run_.outputs,
           "NAME=FILE.npy (- is standard output); NAME may be the number of an output, from 0, and is not needed for "
           "the only one; may be repeated");
  command.add_option("--seed", run_.seed, "of the numbers that are made up for inputs without --input (0)");
  command.add_option("--top", run_.top, "print the N largest numbers of each row of the outputs")
      ->check(CLI::Range(1, 1000));
  command.add_option("--labels", run_.labels, "a file with the name of a class in each line, for --top (5)");
  command.add_flag("!--no-light", run_.light, "keep every value");
  add_target(command, run_.target);
  add_threads(command, run_.threads, "for large layers (1); answers are the same");
  add_force(command, run_.force);
  add_model_options(command, run_.model);
}

void command_line::add_compare() {
  CLI::App& command =
      add("compare", "outputs of two models, or of a model and stored ones; where they part; exits with 1 if they do",
          compare_, compare);
  add_model(command, compare_.model);
  command.add_option("OTHER", compare_.other, "a model, or values by name: x.npz, x.npy (of the only output)")
      ->required();
  command.add_option("--other-weights", compare_.other_weights, "file of OTHER's weights, or none: zeros");
  command.add_option("--tolerance", compare_.tolerance, "in parts of a value's largest number (1e-4)")
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--layers", compare_.layers, "every value that both have by the same name, not outputs only");
  add_threads(command, compare_.threads);
  add_model_options(command, compare_.model);
}

void command_line::add_bench() {
  CLI::App& command = add("bench", "latency by layer and in total", bench_, bench);
  command.add_option("MODEL", bench_.files, "models, x.onnx, x.tflite, x.nam, x.json or x.param; - is standard input")
      ->required();
  CLI::Option* const seconds =
      command.add_option("--seconds", bench_.seconds, "for each model (2)")->check(CLI::PositiveNumber);
  command.add_option("--runs", bench_.runs, "so many for each model, however long they take")
      ->check(CLI::Range(1, 100'000'000))
      ->excludes(seconds);
  command.add_option("--warmup", bench_.warmup, "runs that come before those that are measured (1)")
      ->check(CLI::Range(0, 100'000'000));
  add_target(command, bench_.target);
  add_threads(command, bench_.threads);
  command.add_flag("!--no-light", bench_.light, "keep every value");
  CLI::Option* const json = command.add_flag("--json", bench_.json, "for programs");
  command.add_flag("--times", bench_.times, "with --json: the seconds of every run")->needs(json);
  add_model_options(command, bench_.model);
}

void command_line::add_header() {
  header_.model.rounding = "once";  // firmware has kernels of it
  CLI::App& command = add("header",
                          "the model as a C++ type with its weights, for ctnn/ctnn.hpp; without MODEL, the tensors of "
                          "--weights x.pt, x.safetensors or x.npz by their names, for a type of your own",
                          header_, header);
  add_model(command, header_.model)->required(false);
  command.add_option("-o,--out", header_.out, "NAME.hpp; - is standard output")->required();
  command.add_option("--name", header_.name, "of the type (by default the file's)");
  command
      .add_option("--packed", header_.packed,
                  "weights as the kernels want them: blocks of 16, or 4 for CTNN_PLAIN (Cortex-M)")
      ->check(CLI::IsMember({4, 16}));
  command.add_flag("--list", header_.list, "a list of layers, ctnn::network<...>, instead of a function");
  command.add_flag("--blob", header_.blob,
                   "numbers in NAME.blob, which NAME.blob.cpp links, not in the header; those of a MODEL are packed");
  command.add_flag("--c", header_.c,
                   "also NAME.h for programs in C, and NAME_c.cpp; weights are packed, by default for CTNN_PLAIN");
  command.add_flag("--in-arena", header_.in_arena,
                   "inputs are filled in the engine's memory, which later values take: less RAM in all");
  command.add_option("--prefix", header_.prefix,
                     "of --weights alone: only names that begin so are taken, without it, such as module.");
  command.add_option("--rename", header_.rename, "of --weights alone: FROM=TO, names or what they begin with");
  command.add_option("--image", header_.image,
                     "also a file of packed weights, which an engine of this network can take later");
  add_force(command, header_.force);
  add_model_options(command, header_.model);
  command.parse_complete_callback([this, &command] {
    const auto is_one_of = [](const CLI::Option* o, std::initializer_list<const char*> names) {
      return std::any_of(names.begin(), names.end(), [&](const char* name) { return o->check_name(name); });
    };
    if (!header_.model.file.empty()) {
      if (header_.prefix.empty() && header_.rename.empty()) return;
      throw usage_error("--prefix and --rename: of --weights without a MODEL");
    }
    if (header_.model.weights.empty()) throw usage_error("header: expected MODEL, or --weights FILE");
    for (const CLI::Option* o : command.get_options())
      if (o->count() != 0 &&
          !is_one_of(o, {"--weights", "--out", "--name", "--blob", "--prefix", "--rename", "--force"}))
        throw usage_error(o->get_name() + ": there is no MODEL");
  });
}

void command_line::add_draw() {
  CLI::App& command = add("draw", "a picture of the network before and after rewriting", draw_, draw);
  add_model(command, draw_.model);
  command
      .add_option("-o,--out", draw_.out, "X.svg, X.png, X.pdf or X.dot; - is .dot (.svg of --arena) on standard output")
      ->required();
  CLI::Option* const by_time = command.add_flag("--time", draw_.time, "run it, and colour layers by what they take");
  command.add_flag("--arena", draw_.arena, "which bytes hold which value during which steps; X.svg")->excludes(by_time);
  command.add_option("--seconds", draw_.seconds, "for --time (1)")->check(CLI::PositiveNumber);
  add_force(command, draw_.force);
  add_model_options(command, draw_.model);
}

void command_line::add_extract() {
  CLI::App& command =
      add("extract", "a part of the model as a model of its own, checked beside the whole", extract_, extract);
  add_model(command, extract_.model);
  const auto values = [&](const char* name, std::vector<std::string>& to, const char* text) {
    command.add_option(name, to, text)->delimiter(',')->take_all()->allow_extra_args(false);
  };
  values("--from", extract_.from,
         "values, or layers that make one, which become inputs: a,b (by default the model's inputs, as far as they are "
         "needed)");
  values("--to", extract_.to, "values or layers that become outputs: c,d (by default the model's outputs)");
  command.add_option("-o,--out", extract_.out, "OUT.onnx; - is standard output")->required();
  command.add_option("--tolerance", extract_.tolerance, "in parts of an output's largest number (1e-4)")
      ->check(CLI::NonNegativeNumber);
  add_force(command, extract_.force);
  add_model_options(command, extract_.model, false);
}

void command_line::add_others() {
  CLI::App& on_help = *app_.add_subcommand("help", "the options of a command, as COMMAND --help has them");
  on_help.add_option("COMMAND", about_, "by default all commands");
  CLI::App& on_completion =
      *app_.add_subcommand("completion", "completion of commands, options and files for a shell, or the manual");
  on_completion.add_option("SHELL", shell_, "bash, zsh or fish: to be sourced; man: the manual as man reads it")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}));
  on_completion.callback([this] { chosen_ = [this] { std::fputs(description(app_, shell_).c_str(), stdout); }; });
}

}  // namespace tool
