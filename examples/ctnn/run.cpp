// SPDX-License-Identifier: BSL-1.0
// ctnn run, and the measuring for ctnn bench: the one file that compiles the kernels.
#include <ctnn/formats/npy.hpp>
#include <ctnn/model.hpp>
#include <ctnn/model/verify.hpp>

#include <atomic>
#include <chrono>
#include <numeric>

#include "profile.hpp"
#include "progress.hpp"
#include "rewriting.hpp"
#include "source.hpp"

namespace tool {

namespace {

ctnn::target_id find_target(const std::string& name) {
  std::string known;
  for (ctnn::target_id t : ctnn::supported_targets()) {
    if (ctnn::target_name(t) == name || name.empty()) return t;
    known += ' ' + std::string(ctnn::target_name(t));
  }
  if (name == "fallback") return ctnn::supported_targets().back();
  throw usage_error("--target " + name + ": expected one of" + known);
}

ctnn::model load_model(const model_source& from, ctnn::target_id target, std::shared_ptr<ctnn::executor> threads,
                       const ctnn::arrays_by_name& fed = {}) {
  ctnn::loaded_model network = load(from, fed);
  const progress busy("rewriting and packing weights");
  static const std::vector<ir::rule_record> rules = rules_for(from);  // one command line, one choice
  return ctnn::model(std::move(network), {.optimize = from.optimize,
                                          .rules = rules,
                                          .keep = from.keep,
                                          .target = target,
                                          .executor = std::move(threads),
                                          .exact_convolutions = from.exact_convolutions});
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Collects the times of steps.
struct stopwatch {
  std::vector<ir::node_id> nodes;
  std::vector<double> seconds;
  double begin = 0;

  static void step(void* self, ir::node_id n, bool begins) {
    auto& s = *static_cast<stopwatch*>(self);
    if (begins) {
      s.begin = now();
    } else {
      s.seconds.push_back(now() - s.begin);
      s.nodes.push_back(n);
    }
  }
};

/// None for one thread.
std::shared_ptr<ctnn::executor> make_threads(int n) { return n > 1 ? std::make_shared<ctnn::thread_pool>(n) : nullptr; }

/// Of all threads together.
double measure_peak(ctnn::target_id target, ctnn::executor* threads) {
  struct work {
    ctnn::target_id target;
    std::atomic<std::int64_t> flops{0};
    static void part(void* self, int) {
      auto& w = *static_cast<work*>(self);
      float sink[14];
      std::fill(sink, sink + 14, 0.5f);
      w.flops += ir::multiply_registers(w.target, 20'000, sink);
    }
  } all{target};
  const double t0 = now();
  if (threads) threads->run(threads->width(), &work::part, &all);
  else work::part(&all, 0);
  return static_cast<double>(all.flops) / (now() - t0);
}

/// "out: 4, least -1, mean 0.2, most 1 (at 3)"
std::string summary(const std::string& name, const ctnn::array& values) {
  std::vector<double> v(values.size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = ctnn::number_at(values, i);
  std::string out = name + ": " + ir::describe(values.shape());
  if (values.type() != ctnn::dtype::f32) out += " of " + std::string(ctnn::name_of(values.type()));
  if (v.empty()) return out;
  const auto [low, high] = std::minmax_element(v.begin(), v.end());
  char text[160];
  std::snprintf(text, sizeof text, ", least %g, mean %g, most %g (at %td)", *low,
                std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size()), *high, high - v.begin());
  return out + text;
}

/// The arrays of "NAME=FILE.npy" options.
ctnn::arrays_by_name read_inputs(const std::vector<std::string>& assignments) {
  ctnn::arrays_by_name all;
  for (const std::string& assignment : assignments) {
    const auto [name, file] = split_assignment(assignment, "--input");
    all[name] = ctnn::npy::read(file);
  }
  return all;
}

}  // namespace

void run(const run_options& options) {
  ctnn::arrays_by_name fed, cuts;  // inputs of an ONNX model decide its shapes
  const bool is_onnx = options.model.file.ends_with(".onnx");
  (is_onnx ? fed : cuts) = read_inputs(options.inputs);
  const ctnn::model m = load_model(options.model, find_target(options.target), make_threads(options.threads), fed);
  ctnn::extractor ex = m.extractor();
  ex.set_light_mode(options.light);
  for (auto* given : {&fed, &cuts})
    for (auto& [name, numbers] : *given) ex.input(name, std::move(numbers));
  // Everything is computed before anything is written; without --output the outputs are summarised.
  std::vector<std::pair<std::string, ctnn::array>> results;
  std::vector<std::string> names, files;
  for (const std::string& assignment : options.outputs) {
    const auto [name, file] = split_assignment(assignment, "--output");
    names.push_back(name);
    files.push_back(file);
  }
  if (names.empty())
    for (const ir::network_output& o : m.graph().outputs) names.emplace_back(o.name);
  {
    const progress busy("running");
    for (const std::string& name : names) results.emplace_back(name, ex.extract(name));
  }
  for (std::size_t i = 0; i < files.size(); ++i) ir::write_file(files[i], ctnn::npy::write(results[i].second));
  for (const auto& [name, values] : results) std::printf("%s\n", summary(name, values).c_str());
}

void verify(const optimize_options& options) {
  const ctnn::arrays_by_name fed = read_inputs(options.inputs);
  const std::vector<ir::rule_record> rules = rules_for(options.model);
  const progress busy("running both sides");
  const model_source& from = options.model;
  const ctnn::verification v = ctnn::verify(
      [&] { return load(from, fed); }, fed, options.tolerance,
      {.optimize = from.optimize, .rules = rules, .keep = from.keep, .exact_convolutions = from.exact_convolutions});
  if (!v.same) throw ctnn::error(ir::describe(v));
  std::printf("verified, %s\n", ir::describe(v).c_str());
}

profile measure(const model_source& from, const bench_options& options) {
  const ctnn::target_id target = find_target(options.target);
  const auto threads = make_threads(options.threads);
  const ctnn::model m = load_model(from, target, threads);
  const ir::graph_view g = m.graph();
  ctnn::extractor ex = m.extractor();
  ex.set_light_mode(options.light);

  profile out;
  out.target = ctnn::target_name(target);
  out.threads = options.threads;
  std::vector<std::pair<std::string, ctnn::array>> inputs;
  for (const ctnn::model_input& i : m.code().inputs())
    if (!i.left_out) inputs.emplace_back(i.name, ctnn::made_up_numbers(i));
  stopwatch watch;
  const auto once = [&](bool by_layer) {
    ex.on_step(by_layer ? &stopwatch::step : nullptr, &watch);
    for (const auto& [name, numbers] : inputs) ex.input(name, numbers);
    watch.nodes.clear();
    watch.seconds.clear();
    const double t0 = now();
    for (const ir::network_output& o : g.outputs) ex.extract(o.name);
    return now() - t0;
  };

  const progress busy("measuring " + from.file);
  once(true);
  for (std::size_t i = 0; i < watch.nodes.size(); ++i) {
    const ir::node_id n = watch.nodes[i];
    if (n == ir::none) {
      out.layers.push_back({"", "convert", "", 0, {}});
      continue;
    }
    out.layers.push_back({std::string(g.at(n).name),
                          std::string(g.at(n).type->name),
                          ir::describe(g.shape(g.at(n).outputs.first)),
                          ir::macs_of(g, n),
                          {},
                          ir::winograd_size(g, g.at(n))});
  }
  for (std::size_t n = 0; n < g.nodes.size(); ++n) out.macs += ir::macs_of(g, static_cast<int>(n));
  const double begin = now();
  for (double spent = 0; spent < options.seconds || out.total.size() < 3; spent = now() - begin) {
    out.peak_flops = std::max(out.peak_flops, measure_peak(target, threads.get()));
    out.total.push_back(once(false));
    once(true);
    for (std::size_t i = 0; i < out.layers.size(); ++i) out.layers[i].seconds.push_back(watch.seconds[i]);
    busy.done(std::min(1.0, spent / options.seconds));
  }
  out.peak_bytes = ex.peak_bytes();
  return out;
}

}  // namespace tool
