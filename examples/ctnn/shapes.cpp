// SPDX-License-Identifier: BSL-1.0
#include "shapes.hpp"

#include <ctnn/base/nearest.hpp>
#include <ctnn/model/verify.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "rewriting.hpp"

namespace tool {

namespace {

ctnn::extents parse_shape(const std::string& text, const std::string& whole) {
  ctnn::extents shape;
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    int extent = 0;
    const auto [after, problem] = std::from_chars(at, end, extent);
    if (problem != std::errc() || extent < 1 || shape.rank == ctnn::max_rank)
      throw bad_shape("--shape " + whole + ": expected NAME=3x224x224, up to " + std::to_string(ctnn::max_rank) +
                      " extents of 1 or more");
    shape.push_back(extent);
    if (after == end) return shape;
    if (*after != 'x') throw bad_shape("--shape " + whole + ": expected NAME=3x224x224, got '" + text + "'");
    at = after + 1;
  }
}

/// Inputs whose shapes are not known yet.
std::vector<const ctnn::declared_value*> open_inputs(const opened_model& m, const ctnn::arrays_by_name& fed,
                                                     const shapes_by_name& shapes) {
  std::vector<const ctnn::declared_value*> all;
  for (const ctnn::declared_value& v : m.inputs)
    if (v.open() && !v.optional && !fed.contains(v.name) && !shapes.contains(v.name)) all.push_back(&v);
  return all;
}

/// One sample, and `size` for each other open axis.
ctnn::extents sized(const ctnn::declared_value& v, bool batched, int size) {
  if (!v.ranked) return batched ? ctnn::extents{1, 3, size, size} : ctnn::extents{3, size, size};
  ctnn::extents shape;
  for (const ctnn::declared_axis& a : v.axes)
    if (shape.rank < ctnn::max_rank) shape.push_back(!a.open() ? a.extent : batched && shape.rank == 0 ? 1 : size);
  return shape;
}

/// Options with which the model can be made; empty if no size was found.
std::string example(const std::vector<const ctnn::declared_value*>& open, const opened_model& m,
                    const shapes_by_name& given, const shape_trial& make) {
  constexpr std::array sizes{224, 320, 64, 32, 16, 1, 512, 16000};
  for (const int size : sizes) {
    shapes_by_name shapes = given;
    std::string options;
    for (const ctnn::declared_value* v : open) {
      const ctnn::extents shape = sized(*v, m.batched, size);
      options += " --shape " + assignment(v->name, shape);
      shapes.emplace(v->name, shape);
    }
    try {
      make(shapes);
      return options.empty() ? options : options.substr(1);
    } catch (const ctnn::ir::needs_running&) {
      return options.empty() ? options : options.substr(1);
    } catch (const ctnn::error&) {}
  }
  return {};
}

}  // namespace

std::string assignment(const std::string& name, const ctnn::extents& shape) {
  std::string text = name + '=';
  for (int i = 0; i < shape.rank; ++i) text += (i == 0 ? "" : "x") + std::to_string(shape[i]);
  return text;
}

shapes_by_name parse_shapes(const std::vector<std::string>& options) {
  shapes_by_name out;
  for (const std::string& s : options) {
    const std::size_t sign = s.rfind('=');
    if (sign == s.npos || sign == 0) throw bad_shape("--shape " + s + ": expected NAME=3x224x224");
    out[s.substr(0, sign)] = parse_shape(s.substr(sign + 1), s);
  }
  return out;
}

shapes_by_name shapes_for(const model_source& from, const opened_model& m) {
  shapes_by_name shapes = parse_shapes(from.shapes);
  for (const auto& [name, shape] : shapes) {
    const ctnn::declared_value* const v = m.find(name);
    if (!v) {
      ctnn::ir::nearest_name near(name);
      for (const ctnn::declared_value& known : m.inputs) near.consider(known.name);
      throw bad_shape("--shape " + name + ": the model has no input of this name" + meant(name, near.name()));
    }
    if (m.batched && v->ranked && static_cast<int>(v->axes.size()) != shape.rank)
      throw bad_shape("--shape " + assignment(name, shape) + ": has " + std::to_string(shape.rank) +
                      " axes, expected " + std::to_string(v->axes.size()));
  }
  return shapes;
}

bool assume_one_sample(const opened_model& m, const ctnn::arrays_by_name& fed, shapes_by_name& shapes) {
  shapes_by_name more = shapes;
  for (const ctnn::declared_value& v : m.inputs) {
    if (!v.open() || fed.contains(v.name) || shapes.contains(v.name)) continue;
    if (!v.ranked || v.axes.empty() || static_cast<int>(v.axes.size()) > ctnn::max_rank) return false;
    ctnn::extents shape;
    for (const ctnn::declared_axis& a : v.axes) {
      if (a.open() && shape.rank > 0) return false;
      shape.push_back(a.open() ? 1 : a.extent);
    }
    more[v.name] = shape;
  }
  if (more.size() == shapes.size()) return false;
  shapes = std::move(more);
  return true;
}

shape_trial trial_of(const opened_model& m, const ctnn::arrays_by_name& fed) {
  return [&m, fed](const shapes_by_name& shapes) {
    ctnn::arrays_by_name all = fed;
    for (const auto& [name, shape] : shapes)
      if (const ctnn::declared_value* const v = m.find(name))
        all.emplace(name, ctnn::made_up_numbers({.name = name, .shape = shape, .type = v->type}));
    m.maker.make(all, false);
  };
}

void ask_for_shape(const ctnn::error& e, const std::string& file, const opened_model& m,
                   const ctnn::arrays_by_name& fed, const shapes_by_name& shapes, const shape_trial& make) {
  const std::vector<const ctnn::declared_value*> open = open_inputs(m, fed, shapes);
  if (open.empty()) throw ctnn::error(e.what() + std::string("; give them with --input NAME=FILE.npy"));
  std::string what, options;
  for (const ctnn::declared_value* v : open) {
    what += (what.empty() ? "input '" : ", input '") + v->name + "' has " +
            (v->ranked ? "the open shape " + ctnn::ir::describe(*v) : std::string("no shape in the file"));
    const std::string sizes = v->ranked ? ctnn::ir::describe(*v, "x") : m.batched ? "1x3x224x224" : "3x224x224";
    options += (options.empty() ? "--shape " : " --shape ") + v->name + '=' + sizes;
  }
  if (const std::string tried = example(open, m, shapes, make); !tried.empty()) options = tried;
  throw ctnn::error(std::filesystem::path(file).filename().string() + ": " + what + ": give sizes with " + options +
                    " or --input " + open[0]->name + "=FILE.npy");
}

std::string inputs_and_example(const opened_model& m, const shape_trial& make) {
  std::string out;
  std::vector<const ctnn::declared_value*> all;
  for (const ctnn::declared_value& v : m.inputs) {
    out += (out.empty() ? "; the model's inputs are '" : ", '") + v.name + "' of " + ctnn::ir::describe(v) +
           (v.open() && v.ranked ? " (names and ? are open)" : "");
    if (!v.optional) all.push_back(&v);
  }
  const std::string tried = example(all, m, {}, make);
  return out + (tried.empty() ? "" : ": for example " + tried);
}

std::string other_shapes(const opened_model& m, const ctnn::arrays_by_name& fed) {
  std::string said;
  for (const auto& [name, numbers] : fed) {
    const ctnn::declared_value* const v = m.find(name);
    const std::string got = ctnn::ir::describe(numbers.shape());
    if (v && v->ranked && ctnn::ir::describe(*v) != got)
      said += "input '" + name + "' of " + got + " (the file says " + ctnn::ir::describe(*v) + "): ";
  }
  return said;
}

}  // namespace tool
