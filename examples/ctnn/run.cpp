// SPDX-License-Identifier: BSL-1.0
// ctnn run, and verifying for ctnn optimize.
#include <ctnn/formats/npy.hpp>
#include <ctnn/model.hpp>
#include <ctnn/model/verify.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>

#include "files.hpp"
#include "inputs.hpp"
#include "parts.hpp"
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

/// Reals from 0 to 1, bytes of all values; other integers, which may be places in a table, stay.
void fill(ctnn::array& numbers, std::uint32_t seed) {
  std::mt19937 next(seed);
  if (numbers.type() == ctnn::dtype::f32)
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers.data()[i] = static_cast<float>(next() >> 8) * 0x1p-24f;
  else if (ctnn::size_of(numbers.type()) == 1 && numbers.type() != ctnn::dtype::boolean)
    for (std::byte& b : numbers.bytes()) b = static_cast<std::byte>(next() >> 24);
}

}  // namespace

ctnn::arrays_by_name completed(const ctnn::model& m, const model_source& from, const opened_model& opened,
                               ctnn::arrays_by_name fed, std::uint32_t seed) {
  ctnn::arrays_by_name all = fed;
  if (!m.is_known()) all = with_made_up(from, opened, std::move(all));
  else
    for (const ctnn::model_input& i : m.code().inputs())
      if (!i.left_out && !all.contains(i.name)) all.emplace(i.name, ctnn::made_up_numbers(i));
  for (auto& [name, numbers] : all)
    if (seed != 0 && !fed.contains(name)) fill(numbers, seed++);
  return all;
}

namespace {

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

namespace {

/// Which inputs got numbers that nobody gave.
void say_made_up(const ctnn::arrays_by_name& given, const ctnn::arrays_by_name& all, std::uint32_t seed) {
  std::string names;
  for (const auto& [name, numbers] : all)
    if (!given.contains(name))
      names += (names.empty() ? "'" : ", '") + name + "' (" + std::string(ctnn::name_of(numbers.type())) + ' ' +
               ir::describe(numbers.shape()) + ')';
  if (!names.empty())
    std::fprintf(stderr, "ctnn: there is no --input for %s: its numbers are made up (--seed %u)\n", names.c_str(),
                 seed);
}

struct wanted_output {
  std::string name, file;  ///< without a file it is summarised only
};
std::vector<wanted_output> outputs_of(const run_options& options, const std::vector<std::string>& known) {
  std::vector<wanted_output> all;
  for (const std::string& text : options.outputs) {
    const auto [name, file] = named_file(text, "--output", known, known);
    all.push_back({name, file_for_standard_output(file, ".npy")});
  }
  if (all.empty())
    for (const std::string& name : known) all.push_back({name, ""});
  return all;
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
  if (cuts[0].empty()) {  // behind a cut other inputs may not be needed
    const ctnn::arrays_by_name given = fed.runs[0];
    for (ctnn::arrays_by_name& arrays : fed.runs)
      arrays = completed(m, options.model, opened, std::move(arrays), options.seed);
    say_made_up(given, fed.runs[0], options.seed);
  }
  ctnn::extractor ex = m.extractor();
  ex.set_light_mode(options.light);
  // Everything is computed before anything is written; without --output the outputs are summarised.
  std::vector<std::string> known, names;
  for (const ctnn::declared_value& v : m.outputs().empty() ? std::span(opened.outputs) : m.outputs())
    known.push_back(v.name);
  const std::vector<wanted_output> wanted = outputs_of(options, known);
  for (const wanted_output& w : wanted) names.push_back(w.name);
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
  std::vector<ctnn::array> results;
  for (std::size_t k = 0; k < names.size(); ++k)
    results.push_back(fed.many ? stacked(names[k], all[k], opened.batched) : std::move(all[k][0]));
  for (std::size_t k = 0; k < names.size(); ++k) check_labels(names[k], results[k], options, labels);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (!wanted[k].file.empty()) ir::write_file(wanted[k].file, ctnn::npy::write(results[k]));
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::printf("%s\n", summary(names[k], results[k]).c_str());
    if (options.top || !labels.empty()) print_top(results[k], names[k], options, labels);
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

}  // namespace tool
