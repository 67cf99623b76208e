// SPDX-License-Identifier: BSL-1.0
// Runs a model again and again for the times of its layers.
#include <ctnn/kernels/winograd.hpp>
#include <ctnn/model.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>

#include "parts.hpp"
#include "profile.hpp"
#include "progress.hpp"
#include "running.hpp"

namespace tool {

namespace ir = ctnn::ir;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Collects the times of steps, of all parts of a model.
struct stopwatch {
  struct row {
    ctnn::running_step of;
    double seconds = 0;
    std::size_t times = 0;  ///< more than one in a loop
  };
  std::vector<row> rows;  ///< in the order in which they began
  std::map<std::pair<const void*, std::size_t>, std::size_t> places;
  double begin = 0;

  static void step(void* self, const ctnn::running_step& s) {
    auto& w = *static_cast<stopwatch*>(self);
    if (s.begins) {
      w.begin = now();
      return;
    }
    const double end = now();
    const void* const whose = s.part ? static_cast<const void*>(s.part) : s.code.get();
    const auto [place, is_new] = w.places.try_emplace({whose, s.number}, w.rows.size());
    if (is_new) w.rows.push_back({s});
    row& r = w.rows[place->second];
    r.seconds += end - w.begin;
    ++r.times;
  }
  void start() {
    for (row& r : rows) r.seconds = 0, r.times = 0;
  }
};

layer_times layer_of(const stopwatch::row& r) {
  layer_times out;
  out.times = r.times;
  if (r.of.part) {  // what it reads and makes has no shape before
    out.name = r.of.part->name;
    out.type = r.of.part->type;
    return out;
  }
  if (r.of.node == ir::none) {
    out.type = "convert";
    return out;
  }
  const ir::graph_view g = r.of.code->g();
  const ir::node& n = g.at(r.of.node);
  out.name = n.name;
  out.type = n.type->name;
  out.shape = ir::describe(g.shape(n.outputs.first));
  out.macs = ir::macs_of(g, r.of.node);
  out.winograd = ir::winograd_size(g, n);
  for (const ir::node_id other : r.of.together.first(r.of.together.empty() ? 0 : r.of.together.size() - 1)) {
    out.macs += ir::macs_of(g, other);
    out.with.emplace_back(g.at(other).name);
  }
  out.macs *= static_cast<std::int64_t>(r.times);
  return out;
}

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

}  // namespace

profile measure(const model_source& from, const bench_options& options) {
  const ctnn::target_id target = find_target(options.target);
  const auto threads = make_threads(options.threads);
  const opened_model opened = open(from);
  const fed_inputs fed = read_inputs(from, opened);
  require_inputs(fed, opened);
  const ctnn::model m = load_model(from, opened, fed.runs[0], target, threads);
  ctnn::extractor ex = m.extractor(), whole = m.extractor();
  ex.set_light_mode(options.light);

  profile out;
  out.target = ctnn::target_name(target);
  out.threads = options.threads;
  const ctnn::arrays_by_name inputs = completed(m, from, opened, fed.runs[0]);
  stopwatch watch;
  std::vector<std::string> outputs;
  // What runs sample by sample has no layers of the whole batch: these are another extractor's, with memory of its own.
  out.by_sample = options.light && m.is_known() && m.code().one_sample();
  const auto once = [&](bool by_layer) {
    ctnn::extractor& now_runs = by_layer && out.by_sample ? whole : ex;
    now_runs.on_step(by_layer ? &stopwatch::step : nullptr, &watch);
    for (const auto& [name, numbers] : inputs) now_runs.input(name, numbers);
    watch.start();
    const double t0 = now();
    if (outputs.empty()) outputs = now_runs.outputs();
    now_runs.extract(outputs);
    return now() - t0;
  };

  const progress busy("measuring " + from.file);
  for (int i = 0; i < options.warmup; ++i) once(i == 0);
  out.warmup = options.warmup;
  const double begin = now();
  const auto goes_on = [&](double spent) {
    const std::size_t runs = out.total.size();
    return options.runs > 0 ? runs < static_cast<std::size_t>(options.runs) : spent < options.seconds || runs < 3;
  };
  for (double spent = 0; goes_on(spent); spent = now() - begin) {
    out.peak_flops = std::max(out.peak_flops, measure_peak(target, threads.get()));
    out.total.push_back(once(false));
    once(true);
    for (std::size_t i = out.layers.size(); i < watch.rows.size(); ++i) out.layers.push_back(layer_of(watch.rows[i]));
    for (std::size_t i = 0; i < out.layers.size(); ++i) out.layers[i].seconds.push_back(watch.rows[i].seconds);
    const double part =
        options.runs > 0 ? static_cast<double>(out.total.size()) / options.runs : spent / options.seconds;
    busy.done(std::min(1.0, part));
  }
  for (const layer_times& l : out.layers) out.macs += l.macs;
  out.peak_bytes = ex.peak_bytes();
  return out;
}

}  // namespace tool
