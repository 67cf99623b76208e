// SPDX-License-Identifier: BSL-1.0
// Models from files as a WebAssembly module: a page hands over the bytes of a file, learns what became of the network,
// and runs it on numbers made up here. Answers are JSON, {"error": text} where something is refused.
#include <ctnn/formats/arena_picture.hpp>
#include <ctnn/model.hpp>
#include <ctnn/plan/planner.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "graph_json.hpp"

namespace {

namespace ir = ctnn::ir;

std::string answer;
std::optional<ctnn::model> opened;
/// Shapes for inputs whose axes the file leaves open.
std::map<std::string, ctnn::extents, std::less<>> given;

/// Runs f, whose result is the answer.
template <class F>
const char* answered(F&& f) {
  if (const auto text = ctnn::attempt(f)) {
    answer = *text;
  } else {
    answer = "{\"error\":";
    browser::append_quoted(answer, text.error().what());
    answer += "}";
  }
  return answer.c_str();
}

template <class Values>
void append_values(std::string& out, const Values& all) {
  out += "[";
  for (const ctnn::declared_value& v : all) {
    if (out.back() != '[') out += ",";
    out += "{\"name\":";
    browser::append_quoted(out, v.name);
    out += ",\"type\":";
    browser::append_quoted(out, ctnn::name_of(v.type));
    out += ",\"axes\":";
    if (!v.ranked) {
      out += "null}";
      continue;
    }
    out += "[";
    for (const ctnn::declared_axis& a : v.axes) {
      if (out.back() != '[') out += ",";
      if (a.open()) browser::append_quoted(out, a.name);
      else out += std::to_string(a.extent);
    }
    out += "]}";
  }
  out += "]";
}

/// A sample of one is what an axis for samples is when nobody says otherwise; other open axes must be given.
bool give_samples(const ctnn::model& m) {
  bool more = false;
  for (const ctnn::declared_value& v : m.inputs()) {
    if (!v.ranked || v.axes.empty() || !v.axes[0].open() || given.contains(v.name)) continue;
    if (std::any_of(v.axes.begin() + 1, v.axes.end(), [](const ctnn::declared_axis& a) { return a.open(); })) continue;
    ctnn::extents shape{1};
    for (std::size_t k = 1; k < v.axes.size(); ++k) shape.push_back(v.axes[k].extent);
    given.insert_or_assign(v.name, shape);
    more = true;
  }
  return more;
}

std::string text_of(const ctnn::model& m) {
  std::string out = "{\"inputs\":";
  append_values(out, m.inputs());
  bool shaped = true;
  for (const ctnn::declared_value& v : m.inputs()) shaped = shaped && (!v.open() || given.contains(v.name));
  if (!shaped) return out + "}";
  const ir::program& code = m.code();
  const ir::memory_plan plan = ir::make_plan(code.g());
  out += ",\"outputs\":";
  append_values(out, m.outputs());
  out += ",\"graphs\":";
  const std::int64_t arena = plan.arena_size * static_cast<std::int64_t>(sizeof(float));
  browser::append_graphs(out, m.source(), code.g(), code.history(), arena);
  out += ",\"memory\":";
  browser::append_quoted(out, ctnn::write_arena_picture(code.g(), plan.view()));
  return out + "}";
}

/// Uniform in 0 to 1, the same in every run; zeros where indices may be meant.
ctnn::array made_up(const ctnn::model_input& input) {
  ctnn::array values(input.shape, input.type);
  std::uint32_t state = 1;
  if (input.type == ctnn::dtype::f32)
    for (float& v : values.values()) {
      state = state * 1664525u + 1013904223u;
      v = static_cast<float>(state >> 8) / 16777216.0f;
    }
  return values;
}

}  // namespace

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

/// Room for `bytes` bytes of a file, until forget(); null where there is none.
EXPORT(room) void* room(unsigned bytes) { return std::malloc(bytes > 0 ? bytes : 1); }
EXPORT(forget) void forget(void* bytes) { std::free(bytes); }

/// The shape of an input for the next open_model(): one axis after the other, behind the name.
EXPORT(begin_shape) void begin_shape() { given.clear(); }
EXPORT(give_axis) void give_axis(const char* input, int extent) {
  if (auto& shape = given.try_emplace(input, ctnn::extents{}).first->second; shape.rank < ctnn::max_rank)
    shape.push_back(extent);
}

/// A .param file (kind 0; with the bytes of its .bin, zeros without), or an .onnx or .tflite file (kind 1).
/// {inputs, outputs, graphs, memory: an SVG}; inputs alone if these have open axes that begin_shape() and give_axis()
/// must say.
EXPORT(open_model)
const char* open_model(int kind, const char* file, unsigned size, const char* bin, unsigned bin_size) {
  opened.reset();
  return answered([&] {
    const auto load = [&] {
      ctnn::load_options options;
      options.read.input_shapes = given;
      options.read.limits.memory_bytes = std::uint64_t{1} << 30;
      const auto bytes = [](const char* p, unsigned n) { return std::as_bytes(std::span(p, n)); };
      return kind == 0 ? ctnn::model::load(std::string_view(file, size), bytes(bin, bin_size), options)
                       : ctnn::model::load(bytes(file, size), options);
    };
    opened = load();
    if (give_samples(*opened)) opened = load();
    return text_of(*opened);
  });
}

/// One inference of made-up numbers: {"outputs": [{name, shape, values}...]}, the first 100 values of each.
EXPORT(run_model) const char* run_model() {
  return answered([&] {
    if (!opened) throw ctnn::error("no model is open");
    ctnn::extractor ex = opened->extractor();
    for (const ctnn::model_input& i : opened->code().inputs())
      if (!i.optional) ex.input(i.name, i.needed ? *i.needed : made_up(i));
    std::vector<std::string> names;
    for (const ctnn::declared_value& o : opened->outputs()) names.push_back(o.name);
    const std::vector<ctnn::array> made = ex.extract(names);
    std::string out = "{\"outputs\":[";
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ctnn::array& values = made[i];
      out += out.back() == '[' ? "{\"name\":" : ",{\"name\":";
      browser::append_quoted(out, names[i]);
      out += ",\"shape\":\"" + ir::describe(values.shape()) + "\",\"values\":[";
      for (std::size_t k = 0; k < std::min<std::size_t>(values.size(), 100); ++k) {
        if (k > 0) out += ",";
        const double v = ctnn::number_at(values, k);
        out += v - v == 0 ? std::to_string(v) : "null";
      }
      out += "]}";
    }
    return out + "]}";
  });
}
