// SPDX-License-Identifier: BSL-1.0
// ctnn run, verifying for ctnn optimize, and the measuring for ctnn bench.
#include <ctnn/formats/npy.hpp>
#include <ctnn/kernels/winograd.hpp>
#include <ctnn/model.hpp>
#include <ctnn/model/verify.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>

#include "inputs.hpp"
#include "parts.hpp"
#include "profile.hpp"
#include "progress.hpp"
#include "rewriting.hpp"
#include "running.hpp"

namespace tool {

ctnn::target_id find_target(const std::string& name) {
  std::string known;
  const auto all = ctnn::supported_targets();
  for (ctnn::target_id t : all) {
    if (ctnn::target_name(t) == name || name.empty()) return t;
    known += ' ' + std::string(ctnn::target_name(t));
  }
  if (name == "fallback") return all[all.size() - 1];
  throw usage_error("--target " + name + ": expected one of" + known);
}

namespace {

ctnn::load_options options_of(const model_source& from, ctnn::target_id target,
                              std::shared_ptr<ctnn::executor> threads) {
  static const std::vector<ir::rule_record> rules = rules_for(from);  // one command line, one choice
  return {.optimize = from.optimize,
          .rules = rules,
          .keep = from.keep,
          .target = target,
          .read = {.limits = limits_of(from)},
          .executor = std::move(threads),
          .exact_convolutions = from.exact_convolutions,
          .winograd_growth = from.winograd_growth.value_or(ctnn::load_options().winograd_growth),
          .arena_first = from.arena_first.value_or(false),
          .prune_below = from.prune_below};
}

}  // namespace

ctnn::model load_model(const model_source& from, const opened_model& opened, const ctnn::arrays_by_name& fed,
                       ctnn::target_id target, std::shared_ptr<ctnn::executor> threads, bool keep_weights) {
  const progress busy("reading and rewriting " + from.file);
  ctnn::load_options options = options_of(from, target, std::move(threads));
  options.keep_weights = keep_weights;
  return ctnn::model(opened.maker, options, fed);
}

std::shared_ptr<ctnn::executor> make_threads(int n) { return n > 1 ? std::make_shared<ctnn::thread_pool>(n) : nullptr; }

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

/// "out: 4, least -1, mean 0.2, most 1 (at 3)"
std::string summary(const std::string& name, const ctnn::array& values) {
  std::vector<double> v(values.size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = ctnn::number_at(values, i);
  std::string out = name + ": " + ir::describe(values.shape());
  if (values.type() != ctnn::dtype::f32) out += " of " + std::string(ctnn::name_of(values.type()));
  if (v.empty()) return out;
  const std::size_t all = v.size();
  std::string missing;
  std::vector<std::size_t> places;  // of numbers
  for (std::size_t i = 0; i < all; ++i)
    if (!std::isnan(v[i])) places.push_back(i);
  if (places.size() < all) missing = ", " + std::to_string(all - places.size()) + " NaN";
  if (places.empty()) return out + missing;
  const auto [low, high] =
      std::minmax_element(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return v[a] < v[b]; });
  double sum = 0;
  for (const std::size_t i : places) sum += v[i];
  char text[160];
  std::snprintf(text, sizeof text, ", least %g, mean %g, most %g (at %zu)", v[*low],
                sum / static_cast<double>(places.size()), v[*high], *high);
  out += missing;
  return out + text;
}

std::vector<std::string> read_labels(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw ctnn::error(file + ": no such file");
  std::vector<std::string> labels;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    labels.push_back(std::move(line));
  }
  if (labels.empty()) throw ctnn::error(file + ": expected the name of a class in each line, there is none");
  return labels;
}

/// The axis of an output that counts classes: the last one that is more than 1.
int axis_of_classes(const ctnn::extents& shape) {
  int axis = shape.rank - 1;
  while (axis > 0 && shape[axis] == 1) --axis;
  return axis;
}

void check_labels(const std::string& name, const ctnn::array& values, const run_options& options,
                  const std::vector<std::string>& labels) {
  const int axis = axis_of_classes(values.shape());
  if (labels.empty() || axis < 0 || static_cast<int>(labels.size()) == values.shape()[axis]) return;
  throw ctnn::error(options.labels + ": " + std::to_string(labels.size()) + " lines, output '" + name + "' has " +
                    std::to_string(values.shape()[axis]) + " classes");
}

/// The largest numbers of each row, with what their places mean.
void print_top(const ctnn::array& values, const std::string& name, const run_options& options,
               const std::vector<std::string>& labels) {
  if (values.shape().rank == 0 || values.size() == 0) return;
  const auto classes = static_cast<std::size_t>(values.shape()[axis_of_classes(values.shape())]);
  const auto shown = std::min(classes, static_cast<std::size_t>(options.top ? options.top : 5));
  for (std::size_t row = 0; row * classes < values.size(); ++row) {
    if (values.size() > classes) std::printf("%s, row %zu:\n", name.c_str(), row);
    std::vector<std::size_t> order(classes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto number = [&](std::size_t i) {
      const double v = ctnn::number_at(values, row * classes + i);
      return std::isnan(v) ? -std::numeric_limits<double>::infinity() : v;
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        const double x = number(a), y = number(b);
                        return x != y ? x > y : a < b;
                      });
    for (std::size_t k = 0; k < shown; ++k)
      std::printf("%4zu  %-12.6g  %s\n", order[k], ctnn::number_at(values, row * classes + order[k]),
                  labels.empty() ? "" : labels[order[k]].c_str());
  }
}

}  // namespace

void run(const run_options& options) {
  const opened_model opened = open(options.model);
  fed_inputs fed = read_inputs(options.model, opened);
  // What is no input is a value inside the network, which is cut there.
  std::vector<ctnn::arrays_by_name> cuts(fed.runs.size());
  for (std::size_t i = 0; i < fed.runs.size(); ++i)
    for (auto at = fed.runs[i].begin(); at != fed.runs[i].end();)
      if (const auto now = at++; !opened.find(now->first)) cuts[i].insert(fed.runs[i].extract(now));
  const std::vector<std::string> labels =
      options.labels.empty() ? std::vector<std::string>() : read_labels(options.labels);
  const ctnn::target_id target = find_target(options.target);
  const ctnn::model m = load_model(options.model, opened, fed.runs[0], target, make_threads(options.threads));
  ctnn::extractor ex = m.extractor();
  ex.set_light_mode(options.light);
  // Everything is computed before anything is written; without --output the outputs are summarised.
  std::vector<std::pair<std::string, ctnn::array>> results;
  std::vector<std::string> names, files;
  for (const std::string& assignment : options.outputs) {
    const auto [name, file] = split_assignment(assignment, "--output");
    names.push_back(name);
    files.push_back(file);
  }
  if (names.empty())
    for (const ctnn::declared_value& v : m.outputs().empty() ? std::span(opened.outputs) : m.outputs())
      names.push_back(v.name);
  std::vector<std::vector<ctnn::array>> all(names.size());
  {
    const progress busy("running");
    for (std::size_t i = 0; i < fed.runs.size(); ++i) {
      for (auto* given : {&fed.runs[i], &cuts[i]})
        for (auto& [name, numbers] : *given) ex.input(name, std::move(numbers));
      std::vector<ctnn::array> of_run = ex.extract(names);
      for (std::size_t k = 0; k < names.size(); ++k) all[k].push_back(std::move(of_run[k]));
      if (fed.many) busy.done(static_cast<double>(i + 1) / static_cast<double>(fed.runs.size()));
    }
  }
  for (std::size_t k = 0; k < names.size(); ++k)
    results.emplace_back(names[k], fed.many ? stacked(names[k], all[k], opened.batched) : std::move(all[k][0]));
  for (const auto& [name, values] : results) check_labels(name, values, options, labels);
  for (std::size_t i = 0; i < files.size(); ++i) ir::write_file(files[i], ctnn::npy::write(results[i].second));
  for (const auto& [name, values] : results) {
    std::printf("%s\n", summary(name, values).c_str());
    if (options.top || !labels.empty()) print_top(values, name, options, labels);
  }
}

void verify(const optimize_options& options) {
  const model_source& from = options.model;
  const opened_model opened = open(from);
  const fed_inputs fed = read_inputs(from, opened);
  require_inputs(fed, opened);
  const ctnn::load_options how = options_of(from, ctnn::best_target(), nullptr);
  for (const ctnn::arrays_by_name& arrays : fed.runs) {
    const bool whole = build_whole(opened, arrays).has_value();
    const progress busy("running both sides");
    const ctnn::verification v =
        ctnn::verify(opened.maker, whole ? arrays : with_made_up(from, opened, arrays), options.tolerance, how);
    if (!v.same) throw ctnn::error(ir::describe(v));
    std::printf("verified, %s\n", ir::describe(v).c_str());
  }
}

void verify_written(const optimize_options& options, const ctnn::ir::network_maker& written) {
  const opened_model opened = open(options.model);
  const fed_inputs fed = read_inputs(options.model, opened);
  const bool whole = build_whole(opened, fed.runs[0]).has_value();
  const ctnn::arrays_by_name arrays = whole ? fed.runs[0] : with_made_up(options.model, opened, fed.runs[0]);
  const progress busy("running what was written");
  const ctnn::model before(opened.maker, {.optimize = false}, arrays), after(written, {}, arrays);
  const ctnn::verification v = ctnn::compare(before, after, arrays, options.tolerance);
  if (!v.same)
    throw ctnn::error(options.out + ": output '" + v.output + "' of what was written differs by " +
                      std::to_string(v.difference) + " of its largest number");
}

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
  ctnn::arrays_by_name inputs = m.is_known() ? fed.runs[0] : with_made_up(from, opened, fed.runs[0]);
  if (m.is_known())
    for (const ctnn::model_input& i : m.code().inputs())
      if (!i.left_out && !inputs.contains(i.name)) inputs.emplace(i.name, ctnn::made_up_numbers(i));
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
  once(true);
  for (const stopwatch::row& r : watch.rows) out.layers.push_back(layer_of(r));
  for (const layer_times& l : out.layers) out.macs += l.macs;
  const double begin = now();
  for (double spent = 0; spent < options.seconds || out.total.size() < 3; spent = now() - begin) {
    out.peak_flops = std::max(out.peak_flops, measure_peak(target, threads.get()));
    out.total.push_back(once(false));
    once(true);
    for (std::size_t i = out.layers.size(); i < watch.rows.size(); ++i) out.layers.push_back(layer_of(watch.rows[i]));
    for (std::size_t i = 0; i < out.layers.size(); ++i) out.layers[i].seconds.push_back(watch.rows[i].seconds);
    busy.done(std::min(1.0, spent / options.seconds));
  }
  out.peak_bytes = ex.peak_bytes();
  return out;
}

}  // namespace tool
