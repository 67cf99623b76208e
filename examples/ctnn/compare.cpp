// SPDX-License-Identifier: BSL-1.0
// ctnn compare: a model beside another one, or beside stored values, and the first layer where they part.
#include <ctnn/formats/npy.hpp>
#include <ctnn/model/verify.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "files.hpp"
#include "progress.hpp"
#include "running.hpp"
#include "table.hpp"

namespace tool {

namespace {

namespace ir = ctnn::ir;

/// A model, or a file of arrays: values by name.
struct side {
  std::vector<std::string> outputs;                            ///< in the model's order
  std::vector<std::string> all;                                ///< in the order they are computed
  std::function<ctnn::array(const std::string&, bool)> value;  ///< of the network as it was read if `inside`
  bool has(const std::string& name) const { return std::find(all.begin(), all.end(), name) != all.end(); }
};

std::vector<std::string> names_in(const ir::graph_view& g) {
  std::vector<std::string> all;
  for (const ir::node& n : g.nodes)
    for (int k = 0; k < n.outputs.count; ++k)
      if (n.type != &ir::type_of<ctnn::op::constant>) all.emplace_back(g.at_value(n.outputs.first + k).name);
  for (const ir::network_output& o : g.outputs)
    if (std::find(all.begin(), all.end(), o.name) == all.end()) all.emplace_back(o.name);
  return all;
}

/// The same numbers with or without extents of 1 in front: ncnn has no axis for samples.
ctnn::array with_rank(const ctnn::array& a, int rank) {
  ctnn::extents shape;
  for (int k = a.shape().rank; k < rank; ++k) shape.push_back(1);
  int skipped = std::max(0, a.shape().rank - rank);
  for (int k = 0; k < a.shape().rank; ++k) {
    if (skipped > 0 && a.shape()[k] == 1) --skipped;
    else shape.push_back(a.shape()[k]);
  }
  ctnn::array out(shape, a.type());
  std::copy(a.bytes().begin(), a.bytes().end(), out.bytes().begin());
  return out;
}

/// What the model is fed: what is given, or made up; it is filled in for the other side.
side run_model(const model_source& from, ctnn::arrays_by_name& fed, bool first, int threads) {
  const opened_model opened = open(from);
  if (first) {
    const fed_inputs given = read_inputs(from, opened);
    require_inputs(given, opened);
    if (given.runs.size() > 1) throw usage_error("compare: expected one file for each input, not folders");
    fed = given.runs[0];
  }
  ctnn::arrays_by_name now = fed;
  if (!first) {
    // Inputs of other names are taken in their order.
    std::vector<const ctnn::declared_value*> wanted;
    for (const ctnn::declared_value& v : opened.inputs)
      if (!v.optional) wanted.push_back(&v);
    now.clear();
    if (wanted.size() == 1 && fed.size() == 1) {
      now.emplace(wanted[0]->name, fed.begin()->second);
    } else {
      for (const ctnn::declared_value* v : wanted) {
        const auto same = fed.find(v->name);
        if (same == fed.end())
          throw ctnn::error(from.file + ": input '" + v->name + "' has no counterpart of the same name");
        now.emplace(same->first, same->second);
      }
    }
    for (auto& [name, numbers] : now)
      if (const ctnn::declared_value* v = opened.find(name); v->ranked)
        numbers = with_rank(numbers, static_cast<int>(v->axes.size()));
  }
  const auto make = [from, opened, now, threads](bool rewritten) {
    model_source how = from;
    how.optimize = rewritten;
    return std::make_shared<const ctnn::model>(
        load_model(how, opened, now, ctnn::best_target(), make_threads(threads)));
  };
  const auto model = make(from.optimize);
  now = completed(*model, from, opened, std::move(now));
  if (first) fed = now;

  side out;
  struct state {
    std::shared_ptr<const ctnn::model> as_read;
    std::optional<ctnn::extractor> rewritten, inside;
  };
  const auto s = std::make_shared<state>();
  const auto extractor_of = [s, model, now, make, rewritten = from.optimize](bool inside) -> ctnn::extractor& {
    std::optional<ctnn::extractor>& ex = inside ? s->inside : s->rewritten;
    if (!ex) {
      if (inside) s->as_read = rewritten ? make(false) : model;
      ex = (inside ? *s->as_read : *model).extractor();
      ex->set_light_mode(!inside);
      for (const auto& [input, numbers] : now) ex->input(input, numbers);
    }
    return *ex;
  };
  const progress busy("running");
  out.outputs = extractor_of(false).outputs();
  out.all = model->is_known() ? names_in(model->source()) : extractor_of(true).values();
  out.value = [extractor_of](const std::string& name, bool inside) {
    const progress busy("running");
    return extractor_of(inside).extract(name);
  };
  return out;
}

side stored(const std::string& file, const side& model) {
  auto arrays = std::make_shared<ctnn::arrays_by_name>();
  if (has_names(file)) {
    *arrays = read_named(file, "");
  } else {
    if (model.outputs.size() != 1)
      throw usage_error(file + ": the model has " + std::to_string(model.outputs.size()) +
                        " outputs, an .npz file has their names");
    arrays->emplace(model.outputs[0], ctnn::npy::read(file));
  }
  side out;
  for (const auto& [name, numbers] : *arrays) {
    if (!model.has(name)) throw ctnn::error(file + ": '" + name + "' is no value of the model");
    out.all.push_back(name);
    if (std::find(model.outputs.begin(), model.outputs.end(), name) != model.outputs.end()) out.outputs.push_back(name);
  }
  out.value = [arrays](const std::string& name, bool) { return arrays->at(name); };
  return out;
}

struct difference {
  double largest = 0, relative = 0;  ///< relative to the largest number of the first
  std::size_t at = 0;
  bool shapes = false;
};
difference difference_of(const ctnn::array& a, const ctnn::array& b) {
  difference d;
  const int rank = std::min(a.shape().rank, b.shape().rank);
  if (!(with_rank(a, rank).shape() == with_rank(b, rank).shape())) {
    d.shapes = true;
    d.relative = d.largest = std::numeric_limits<double>::infinity();
    return d;
  }
  const auto first = [&](std::size_t i) { return ctnn::number_at(a, i); };
  const auto second = [&](std::size_t i) { return ctnn::number_at(b, i); };
  d.relative = ir::largest_difference(a.size(), first, second);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = first(i), y = second(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double now = std::isnan(x - y) ? std::numeric_limits<double>::infinity() : std::fabs(x - y);
    if (now > d.largest) d.largest = now, d.at = i;
  }
  return d;
}

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", v);
  return text;
}

}  // namespace

void compare(const compare_options& options) {
  ctnn::arrays_by_name fed;
  const side a = run_model(options.model, fed, true, options.threads);
  model_source other = options.model;
  other.file = options.other;
  other.weights = options.other_weights;
  other.shapes.clear();  // what is fed has shapes
  other.keep.clear();
  const bool arrays = has_names(options.other) || has_ending(options.other, ".npy");
  const side b = arrays ? stored(options.other, a) : run_model(other, fed, false, options.threads);

  table t("llrrrl", {"value", "shape", "largest difference", "of largest", "at", ""});
  std::string wrong;
  const auto row = [&](const std::string& name, const std::string& theirs, bool inside) {
    const ctnn::array mine = a.value(name, inside), its = b.value(theirs, inside);
    const difference d = difference_of(mine, its);
    const bool same = d.relative <= options.tolerance;
    t.row({name + (name == theirs ? "" : " / " + theirs),
           ir::describe(mine.shape()) + (d.shapes ? " / " + ir::describe(its.shape()) : ""), number(d.largest),
           number(d.relative), d.largest == 0 || d.shapes ? "" : std::to_string(d.at), same ? "" : "DIFFERS"});
    return same;
  };
  // Outputs of other names are taken in their order, if there are as many.
  std::size_t compared = 0;
  const bool by_name = std::any_of(a.outputs.begin(), a.outputs.end(), [&](const std::string& o) { return b.has(o); });
  if (!by_name && !arrays && a.outputs.size() != b.outputs.size())
    throw ctnn::error(options.other + ": has " + std::to_string(b.outputs.size()) +
                      " outputs of other names, expected " + std::to_string(a.outputs.size()));
  std::vector<std::string> differing;
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    const std::string& theirs = by_name || arrays ? a.outputs[i] : b.outputs[i];
    if (!b.has(theirs) && std::find(b.outputs.begin(), b.outputs.end(), theirs) == b.outputs.end()) continue;
    ++compared;
    if (!row(a.outputs[i], theirs, false)) differing.push_back(a.outputs[i]);
  }
  // Inside they are compared as they were read: rewriting takes other layers away on either side.
  std::string parted;
  for (const std::string& name : a.all) {
    if (!b.has(name) || fed.contains(name)) continue;
    const bool is_output = std::find(a.outputs.begin(), a.outputs.end(), name) != a.outputs.end();
    if (is_output || (!options.layers && !arrays && differing.empty())) continue;
    ++compared;
    if (options.layers || arrays) {
      if (!row(name, name, true)) {
        if (parted.empty()) parted = name;
        if (arrays) differing.push_back(name);
      }
    } else if (difference_of(a.value(name, true), b.value(name, true)).relative > options.tolerance) {
      parted = name;
      break;
    }
  }
  if (compared == 0) throw ctnn::error(options.other + ": nothing to compare with " + options.model.file);
  if (differing.empty()) {
    std::printf("%s", t.text().c_str());
    return;
  }
  std::fprintf(stdout, "%s", t.text().c_str());
  std::fflush(stdout);
  throw ctnn::error("'" + differing[0] + "' differs by more than " + number(options.tolerance) +
                    " of its largest number" +
                    (parted.empty() ? "" : "; the first value to differ is '" + parted + "'"));
}

}  // namespace tool
