// SPDX-License-Identifier: BSL-1.0
// Loads and runs what fuzzing made up.
#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/formats/ncnn/param_reader.hpp>
#include <ctnn/formats/npy.hpp>
#include <ctnn/model.hpp>
#include <ctnn/weights.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "loaded.hpp"
#include "weight_layers.hpp"

namespace ctnn::ir::fuzz {

void found(const std::string& what) {
  std::fprintf(stderr, "FOUND: %s\n", what.c_str());
  std::abort();
}

namespace {

constexpr budget tiny{.file_bytes = 1 << 20,
                      .memory_bytes = 8 << 20,
                      .value_elements = 1 << 13,
                      .layers = 100,
                      .blobs = 400,
                      .name_length = 255,
                      .array_length = 4096,
                      .nesting = 4,
                      .work = 1 << 22,
                      .turns = 12};
constexpr std::int64_t most_work = 1 << 22;  ///< multiply-adds of a network that is run

/// Runs f; false if it threw a ctnn::error, which must say something.
bool succeeds(const std::function<void()>& f) {
  try {
    f();
    return true;
  } catch (const error& e) {
    if (std::string_view(e.what()).empty()) found("an error without a text");
    return false;
  }
}

template <class T>
void fill(array& a, double scale, int wrap) {
  int k = 3;
  for (T& x : a.elements<T>()) x = static_cast<T>(scale * ((k = k * 7 % 11) % wrap));
}
/// Numbers that depend on the shape and type alone.
array some_numbers(const extents& shape, dtype type) {
  array a(shape, type);
  int k = 5;
  switch (type) {
    case dtype::f32:
      for (float& x : a.elements<float>()) x = static_cast<float>((k = (k * 37 + 11) % 101) - 50) / 40.0f;
      break;
    case dtype::f64: fill<double>(a, 0.25, 7); break;
    case dtype::f16:
      for (auto& x : a.elements<std::uint16_t>()) x = static_cast<std::uint16_t>(0x3800 + 64 * ((k = k * 7 % 11)));
      break;
    case dtype::bf16:
      for (auto& x : a.elements<std::uint16_t>()) x = static_cast<std::uint16_t>(0x3f00 + 8 * ((k = k * 7 % 11)));
      break;
    case dtype::i64: fill<std::int64_t>(a, 1, 3); break;
    case dtype::u64: fill<std::uint64_t>(a, 1, 3); break;
    case dtype::i32: fill<std::int32_t>(a, 1, 3); break;
    case dtype::u32: fill<std::uint32_t>(a, 1, 3); break;
    case dtype::i16: fill<std::int16_t>(a, 1, 5); break;
    case dtype::u16: fill<std::uint16_t>(a, 1, 5); break;
    case dtype::i8: fill<std::int8_t>(a, 1, 9); break;
    case dtype::u8: fill<std::uint8_t>(a, 1, 9); break;
    case dtype::boolean: fill<std::uint8_t>(a, 1, 2); break;
  }
  return a;
}

/// A small change of an input can change these a lot, so that two right answers may differ.
bool jumps(const graph_view& g) {
  constexpr std::string_view names[] = {
      "abs",           "conv2d",          "linear",       "scale",   "bias",     "batch_norm", "activation", "prelu",
      "softmax",       "input",           "constant",     "full",    "identity", "dropout",    "eltwise",    "pool",
      "adaptive_pool", "interpolate",     "flatten",      "reshape", "permute",  "concat",     "split",      "slice",
      "pad",           "channel_shuffle", "pixel_shuffle"};
  for (const node& n : g.nodes) {
    bool smooth = false;
    for (std::string_view name : names) smooth = smooth || n.type->name == name;
    if (n.type == &type_of<op::binary>) {
      const auto f = decode<op::binary>(g.fields_of(n.fields)).function;
      smooth = f == op::binary_function::add || f == op::binary_function::sub || f == op::binary_function::mul ||
               f == op::binary_function::rsub || f == op::binary_function::maximum || f == op::binary_function::minimum;
    }
    if (!smooth) return true;
  }
  return false;
}

double magnitude(std::span<const float> numbers) {
  double most = 0;
  for (float x : numbers) most = std::isfinite(x) ? std::max(most, std::fabs(static_cast<double>(x))) : HUGE_VAL;
  return most;
}

/// Nothing if a kernel refuses the numbers it gets, such as an index out of range.
std::optional<std::vector<array>> outputs_of(const model& m) {
  std::vector<array> out;
  const bool ran = succeeds([&] {
    ctnn::extractor e = m.extractor();
    for (const model_input& i : m.code().inputs())
      if (!i.left_out) e.input(i.name, i.needed ? *i.needed : some_numbers(i.shape, i.type));
    for (std::size_t k = 0; k < m.graph().outputs.size(); ++k) out.push_back(e.extract(k));
  });
  if (!ran) return {};
  return out;
}
/// The largest magnitude of any number in the network.
double magnitude_within(const model& m) {
  double most = 0;
  for (const auto& [name, numbers] : m.code().source().weights)
    if (numbers->type() == dtype::f32) most = std::max(most, magnitude(numbers->elements<float>()));
  ctnn::extractor e = m.extractor();
  e.set_light_mode(false);
  for (const model_input& i : m.code().inputs())
    if (!i.left_out) e.input(i.name, i.needed ? *i.needed : some_numbers(i.shape, i.type));
  for (const value& v : m.graph().values) {
    if (v.name.empty() || v.type != dtype::f32) continue;
    const array now = e.extract(v.name);
    most = std::max(most, magnitude(now.values()));
  }
  return most;
}

void compare(const array& optimized, const array& as_read, std::size_t k, double most) {
  const std::string who = "optimising makes output " + std::to_string(k);
  if (!(optimized.shape() == as_read.shape()) || optimized.type() != as_read.type())
    found(who + ' ' + describe(optimized.shape()) + ", was " + describe(as_read.shape()));
  if (as_read.type() != dtype::f32 || most > 1e4) return;
  for (std::size_t i = 0; i < as_read.size(); ++i)
    if (!(std::fabs(optimized[i] - as_read[i]) <= 1e-3 * std::max(1.0, most)))
      found(who + ": element " + std::to_string(i) + " is " + std::to_string(optimized[i]) + ", was " +
            std::to_string(as_read[i]));
}

}  // namespace

void try_model(const std::function<loaded_model()>& make) {
  std::optional<loaded_model> network;
  if (!succeeds([&] { network = make(); })) return;
  const graph_view g = network->network.view();
  std::int64_t work = 0, elements = 0;
  for (std::size_t n = 0; n < g.nodes.size(); ++n)
    work += std::min<std::int64_t>(macs_of(g, static_cast<int>(n)), most_work);
  for (const value& v : g.values) elements += v.shape.count();
  for (const auto& [name, numbers] : network->weights) elements += static_cast<std::int64_t>(numbers->size());
  if (work > most_work || elements > 1 << 20) return;
  const bool comparable = !jumps(g);
  std::optional<std::vector<array>> as_read;
  double most = HUGE_VAL;
  if (!succeeds([&] {
        const model m(std::move(*network), {.optimize = false});
        as_read = outputs_of(m);
        if (comparable && as_read) most = magnitude_within(m);
      }))
    return;
  loaded_model again;
  try {
    again = make();
  } catch (const error& e) {
    found(std::string("the same bytes load once but not twice: ") + e.what());
  }
  const model m(std::move(again));
  const std::optional<std::vector<array>> optimized = outputs_of(m);
  if (!as_read) return;
  if (!optimized) found("it runs, but not optimised");
  for (std::size_t k = 0; k < as_read->size(); ++k) compare((*optimized)[k], (*as_read)[k], k, most);
}

void try_param(std::string_view text) {
  ncnn::param_file file;
  if (!succeeds([&] { file = ncnn::parse_param(text, "fuzz.param", tiny); })) return;
  ncnn::read_options options;
  options.limits = tiny;
  for (const ncnn::layer& l : file.layers)  // sizes left to the caller
    if (l.type == "Input" && l.params.empty())
      for (const std::string& blob : l.outputs) options.input_shapes[blob] = {3, 6, 5};
  try_model([&] {
    auto zeros = ncnn::bin_reader::zeros(tiny);
    loaded_model m = ncnn::build(file, zeros, options);
    for (auto& [name, numbers] : m.weights) {
      if (numbers->type() != dtype::f32) continue;
      array made = some_numbers(numbers->shape(), dtype::f32);
      if (name.second == "running_var")
        for (float& x : made.values()) x = x * x + 0.5f;
      numbers = std::make_shared<const array>(std::move(made));
    }
    return m;
  });
}

void try_bin(std::span<const std::byte> bytes) {
  static const ncnn::param_file file = ncnn::parse_param(weight_layers, "weight_layers.param");
  try_model([&] {
    ncnn::bin_reader weights(bytes, "fuzz.bin", tiny);
    return ncnn::build(file, weights);
  });
}

namespace {

/// Stops a run that has become long, by an error like any other.
struct bounded_work {
  std::int64_t steps = 0, multiplications = 0;
  static void step(void* self, const running_step& s) {
    auto& w = *static_cast<bounded_work*>(self);
    if (!s.begins) return;
    if (s.code)
      for (const node_id n : s.together.empty() ? std::span(&s.node, 1) : std::span<const node_id>(s.together))
        if (n != none) w.multiplications += macs_of(s.code->g(), n);
    if (++w.steps > 3000 || w.multiplications > most_work) throw error("much work");
  }
};

/// All outputs of a network that runs in parts; nothing if it refuses what it is fed, and why.
std::optional<arrays_by_name> outputs_in_parts(extractor& e, const arrays_by_name& fed, std::string& why) {
  bounded_work work;
  e.on_step(&bounded_work::step, &work);
  std::optional<arrays_by_name> out(std::in_place);
  const bool ran = succeeds([&] {
    try {
      for (const auto& [name, numbers] : fed) e.input(name, numbers);
      for (const std::string& name : e.outputs()) out->insert_or_assign(name, e.extract(name));
    } catch (const error& now) {
      why = now.what();
      throw;
    }
  });
  e.on_step(nullptr, nullptr);
  if (!ran) return {};
  return out;
}

void require_same(const arrays_by_name& now, const arrays_by_name& before, const std::string& who, bool exact) {
  if (now.size() != before.size()) found(who + " makes " + std::to_string(now.size()) + " outputs");
  for (const auto& [name, numbers] : before) {
    const auto at = now.find(name);
    if (at == now.end()) found(who + " does not make '" + name + "'");
    const array& other = at->second;
    if (other.type() != numbers.type()) found(who + " makes '" + name + "' of another type");
    if (!exact) continue;
    if (!(other.shape() == numbers.shape()))
      found(who + " makes '" + name + "' " + describe(other.shape()) + ", is " + describe(numbers.shape()));
    const auto same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (numbers.type() == dtype::f32 ? !std::ranges::equal(other.values(), numbers.values(), same)
                                     : !std::ranges::equal(other.bytes(), numbers.bytes()))
      found(who + " makes other numbers of '" + name + "'");
  }
}

/// Whether what is refused in parts is so by a limit that making the network whole does not meet.
bool is_limit(std::string_view why) {
  return why.find("much work") != why.npos || why.find("limit") != why.npos;
}

/// Runs a file in parts for every set of inputs, twice each. If its answers are `exact`, they are those of the network
/// that is made whole for the same numbers.
void try_in_parts(const onnx::model_message& file, onnx::read_options options, std::span<const arrays_by_name> inputs,
                  bool exact) {
  const auto shared = std::make_shared<const onnx::model_message>(file);
  load_options load;
  load.read.limits = options.limits;
  std::optional<model> m;
  if (!succeeds([&] { m.emplace(onnx::maker_of(shared, options), load); }) || m->is_known()) return;
  extractor light = m->extractor(), all = m->extractor();
  all.set_light_mode(false);
  for (const arrays_by_name& fed : inputs) {
    std::string why, also;
    const std::optional<arrays_by_name> once = outputs_in_parts(light, fed, why);
    if (!once && exact && !is_limit(why)) {
      std::optional<arrays_by_name> whole;
      std::string reason;
      succeeds([&] {
        const model w(onnx::build(file, options, fed), load);
        extractor e = w.extractor();
        whole = outputs_in_parts(e, fed, reason);
      });
      if (whole) found("runs whole, but not in parts: " + why);
    }
    if (!once) continue;
    const std::optional<arrays_by_name> every = outputs_in_parts(all, fed, also);
    if (!every && !is_limit(also)) found("runs, but not where all values stay: " + also);
    if (every) {
      require_same(*every, *once, "where all values stay it", exact);
      for (const std::string& name : all.values()) succeeds([&] { all.extract(name); });
    }
    succeeds([&] {
      const model whole(onnx::build(file, options, fed), load);
      extractor e = whole.extractor();
      if (const auto as_whole = outputs_in_parts(e, fed, also)) require_same(*once, *as_whole, "in parts it", exact);
    });
  }
}

/// What a file of ONNX's or of TensorFlow Lite's says, built and run.
void try_messages(const std::function<onnx::model_message()>& parse) {
  onnx::model_message file;
  if (!succeeds([&] { file = parse(); })) return;
  onnx::read_options options;
  options.limits = tiny;
  arrays_by_name fed;
  for (const onnx::value_info& v : file.graph.inputs) {
    extents shape;
    if (v.shape)
      for (const auto& axis : *v.shape)
        shape.push_back(static_cast<int>(axis.size && *axis.size > 0 && *axis.size < 1 << 13 ? *axis.size : 2));
    const auto count = checked_count(shape);
    if (!count || *count > tiny.value_elements) return;
    if (const auto type = onnx::element_type(v.element)) fed.insert_or_assign(v.name, some_numbers(shape, *type));
    options.input_shapes[v.name] = shape;
  }
  const arrays_by_name nothing;
  const arrays_by_name* given = &nothing;
  succeeds([&] {  // numbers only where shapes follow from them
    try {
      onnx::build(file, options);
    } catch (const onnx::undetermined&) {
      given = &fed;
    }
  });
  try_model([&] { return onnx::build(file, options, *given); });
  try_in_parts(file, options, std::span(&fed, 1), false);
}

}  // namespace

void try_parts(std::span<const std::byte> bytes, std::span<const arrays_by_name> inputs) {
  onnx::model_message file;
  onnx::read_options options;
  options.limits = tiny;
  options.limits.layers = 3000;  // whole, loops are unrolled
  if (succeeds([&] { file = onnx::parse_model(bytes, "fuzz.onnx", options.limits); }))
    try_in_parts(file, options, inputs, true);
}

void try_onnx(std::span<const std::byte> bytes) {
  try_messages([&] { return onnx::parse_model(bytes, "fuzz.onnx", tiny); });
}

void try_tflite(std::span<const std::byte> bytes) {
  try_messages([&] { return tflite::parse_model(bytes, "fuzz.tflite", tiny); });
}

void try_json(std::string_view text) {
  json::document file;
  if (succeeds([&] { file = json::parse(text, "fuzz.nam", tiny); }))
    try_model([&] { return json::build(file, {}, tiny); });
}

void try_npy(std::string_view bytes) {
  array a;
  if (!succeeds([&] { a = npy::parse(bytes, "fuzz.npy", tiny); })) return;
  const array again = npy::parse(npy::write(a), "again.npy", tiny);
  if (!(again.shape() == a.shape()) || !std::ranges::equal(again.bytes(), a.bytes()))
    found("writing and reading changes an array");
}

void try_weights(std::span<const std::byte> bytes) {
  const auto read = [&](std::uint64_t from, std::span<std::byte> to) {
    if (from > bytes.size() || to.size() > bytes.size() - from) found("reads behind the end of the file");
    if (!to.empty()) std::memcpy(to.data(), bytes.data() + from, to.size());
    return true;
  };
  succeeds([&] {
    const weights::file file = weights::open({"fuzz.weights", bytes.size(), read}, tiny);
    for (const auto& tensor : file.tensors())
      succeeds([&] {
        if (file.read(tensor.second).bytes().size() > 1032 * bytes.size()) found("numbers from nowhere");
      });
    for (const auto& tensor : file.state()) succeeds([&] { tensor.second.read(); });
  });
}

}  // namespace ctnn::ir::fuzz
