// SPDX-License-Identifier: BSL-1.0
// The functions of ctnn.h: the one file that libctnn, or a program that calls them, compiles.
#define CTNN_C_BUILDS

#include "ctnn.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "model.hpp"

struct ctnn_options {
  ctnn::load_options with;
};
struct ctnn_model {
  ctnn::model of;
  std::vector<ctnn_value> inputs, outputs;
};
struct ctnn_extractor {
  ctnn::extractor of;
};
struct ctnn_array {
  ctnn::array of;
  std::int64_t extents[CTNN_MAX_RANK];
};

namespace {

std::unique_ptr<ctnn_array> array_of(ctnn::array&& values) {
  auto made = std::make_unique<ctnn_array>(ctnn_array{std::move(values), {}});
  for (int k = 0; k < made->of.shape().rank; ++k) made->extents[k] = made->of.shape()[k];
  return made;
}

static_assert(CTNN_MAX_RANK == ctnn::max_rank);

thread_local std::string last_error;

ctnn_status fail(ctnn_status status, const char* what) noexcept {
  try {
    last_error = what;
  } catch (...) {
    last_error.clear();
  }
  return status;
}

/// A mistake of the caller, not of what was given.
struct bad_call {
  const char* what;
};
void require(bool right, const char* what) {
  if (!right) throw bad_call{what};
}

ctnn_status guarded(const auto& work) noexcept {
  try {
    work();
    return CTNN_OK;
  } catch (const bad_call& e) {
    return fail(CTNN_BAD_CALL, e.what);
  } catch (const std::bad_alloc&) {
    return fail(CTNN_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return fail(CTNN_BAD_INPUT, e.what());
  } catch (...) {
    return fail(CTNN_BAD_INPUT, "unknown error");
  }
}

struct type_pair {
  ctnn_type c;
  ctnn::dtype type;
};
constexpr type_pair types[] = {
    {CTNN_F32, ctnn::dtype::f32},     {CTNN_F64, ctnn::dtype::f64}, {CTNN_F16, ctnn::dtype::f16},
    {CTNN_BF16, ctnn::dtype::bf16},   {CTNN_I8, ctnn::dtype::i8},   {CTNN_I16, ctnn::dtype::i16},
    {CTNN_I32, ctnn::dtype::i32},     {CTNN_I64, ctnn::dtype::i64}, {CTNN_U8, ctnn::dtype::u8},
    {CTNN_U16, ctnn::dtype::u16},     {CTNN_U32, ctnn::dtype::u32}, {CTNN_U64, ctnn::dtype::u64},
    {CTNN_BOOL, ctnn::dtype::boolean}};

ctnn_type c_type(ctnn::dtype type) {
  for (const type_pair& t : types)
    if (t.type == type) return t.c;
  return {};
}
const type_pair* find_type(ctnn_type c) {
  for (const type_pair& t : types)
    if (t.c == c) return &t;
  return nullptr;
}

ctnn::extents shape_of(int rank, const std::int64_t* extents) {
  require(rank >= 0 && rank <= CTNN_MAX_RANK, "rank: expected 0 to 10");
  require(rank == 0 || extents, "extents: a null pointer");
  ctnn::extents shape;
  for (int k = 0; k < rank; ++k) {
    require(extents[k] >= 0 && extents[k] <= 2147483647, "extents: expected 0 to 2147483647");
    shape.push_back(static_cast<int>(extents[k]));
  }
  return shape;
}

std::vector<ctnn_value> values_of(std::span<const ctnn::declared_value> declared) {
  std::vector<ctnn_value> all;
  for (const ctnn::declared_value& v : declared) {
    if (v.optional) continue;
    const bool ranked = v.ranked && v.axes.size() <= CTNN_MAX_RANK;
    ctnn_value& c =
        all.emplace_back(ctnn_value{v.name.c_str(), c_type(v.type), ranked ? static_cast<int>(v.axes.size()) : -1, {}});
    for (std::size_t k = 0; ranked && k < v.axes.size(); ++k) c.extents[k] = v.axes[k].extent;
  }
  return all;
}

ctnn_status load(ctnn_model** out, const ctnn_options* options, const auto& make) noexcept {
  return guarded([&] {
    require(out, "out: a null pointer");
    auto made = std::make_unique<ctnn_model>(ctnn_model{make(options ? options->with : ctnn::load_options{}), {}, {}});
    made->inputs = values_of(made->of.inputs());
    made->outputs = values_of(made->of.outputs());
    *out = made.release();
  });
}

ctnn_status set(ctnn_options* options, const auto& change) noexcept {
  return guarded([&] {
    require(options, "options: a null pointer");
    change(options->with);
  });
}

ctnn_status value_at(const std::vector<ctnn_value>& all, std::size_t index, ctnn_value* out) {
  require(index < all.size(), "index: the model has fewer");
  require(out, "out: a null pointer");
  *out = all[index];
  return CTNN_OK;
}

ctnn_status feed(ctnn_extractor* extractor, const char* name, ctnn_type type, int rank, const std::int64_t* extents,
                 const void* numbers, std::size_t bytes, bool copies) noexcept {
  return guarded([&] {
    require(extractor, "extractor: a null pointer");
    require(name, "name: a null pointer");
    const type_pair* const known = find_type(type);
    require(known, "type: unknown");
    const ctnn::extents shape = shape_of(rank, extents);
    const auto size = static_cast<std::size_t>(size_of(known->type));
    // Compared before anything is allocated; the product may be too large for any integer.
    const bool empty = std::find(extents, extents + rank, 0) != extents + rank;
    const auto most = static_cast<std::int64_t>(empty ? std::size_t{1} << 60 : bytes / size);
    require(ctnn::within(shape, most) && static_cast<std::size_t>(shape.count()) * size == bytes,
            "bytes: not what the shape and the type need");
    require(numbers || bytes == 0, "numbers: a null pointer");
    const std::span all(static_cast<const std::byte*>(numbers), bytes);
    if (!copies && known->type != ctnn::dtype::boolean)
      return extractor->of.input(name, {shape, known->type, std::make_shared<ctnn::numbers_elsewhere>(all)});
    ctnn::array values = ctnn::array::empty(shape, known->type);
    if (bytes) std::memcpy(values.bytes().data(), numbers, bytes);
    if (known->type == ctnn::dtype::boolean)
      for (std::uint8_t& b : values.elements<std::uint8_t>()) b = b != 0;
    extractor->of.input(name, std::move(values));
  });
}

}  // namespace

const char* ctnn_version(void) { return CTNN_VERSION_STRING; }
const char* ctnn_last_error(void) { return last_error.c_str(); }

std::size_t ctnn_type_size(ctnn_type type) {
  const type_pair* const known = find_type(type);
  return known ? static_cast<std::size_t>(size_of(known->type)) : 0;
}

ctnn_status ctnn_options_create(ctnn_options** out) {
  return guarded([&] {
    require(out, "out: a null pointer");
    *out = new ctnn_options;
  });
}
void ctnn_options_destroy(ctnn_options* options) { delete options; }
ctnn_status ctnn_options_threads(ctnn_options* options, int threads) {
  return set(options, [&](ctnn::load_options& o) {
    require(threads >= 1 && threads <= 1024, "threads: expected 1 to 1024");
    o.executor = threads > 1 ? std::make_shared<ctnn::thread_pool>(threads) : nullptr;
  });
}
ctnn_status ctnn_options_optimize(ctnn_options* options, int yes) {
  return set(options, [&](ctnn::load_options& o) { o.optimize = yes != 0; });
}
ctnn_status ctnn_options_external_data(ctnn_options* options, int yes) {
  return set(options, [&](ctnn::load_options& o) { o.external_data = yes != 0; });
}
ctnn_status ctnn_options_exact_convolutions(ctnn_options* options, int yes) {
  return set(options, [&](ctnn::load_options& o) { o.exact_convolutions = yes != 0; });
}
ctnn_status ctnn_options_arena_first(ctnn_options* options, int yes) {
  return set(options, [&](ctnn::load_options& o) { o.arena_first = yes != 0; });
}
ctnn_status ctnn_options_shape(ctnn_options* options, const char* input, int rank, const std::int64_t* extents) {
  return set(options, [&](ctnn::load_options& o) {
    require(input, "input: a null pointer");
    o.read.input_shapes.insert_or_assign(input, shape_of(rank, extents));
  });
}

ctnn_status ctnn_load(const char* path, const ctnn_options* options, ctnn_model** out) {
  return load(out, options, [&](const ctnn::load_options& with) {
    require(path, "path: a null pointer");
    return ctnn::model::load(std::string(path), with);
  });
}
ctnn_status ctnn_load_ncnn(const char* param, const char* bin, const ctnn_options* options, ctnn_model** out) {
  return load(out, options, [&](const ctnn::load_options& with) {
    require(param, "param: a null pointer");
    return ctnn::model::load(std::string(param), std::string(bin ? bin : ""), with);
  });
}
ctnn_status ctnn_load_onnx_bytes(const void* bytes, std::size_t size, const ctnn_options* options, ctnn_model** out) {
  return load(out, options, [&](const ctnn::load_options& with) {
    require(bytes || size == 0, "bytes: a null pointer");
    return ctnn::model::load(std::span(static_cast<const std::byte*>(bytes), size), with);
  });
}
ctnn_status ctnn_load_ncnn_bytes(const char* param, std::size_t param_size, const void* bin, std::size_t bin_size,
                                 const ctnn_options* options, ctnn_model** out) {
  return load(out, options, [&](const ctnn::load_options& with) {
    require(param || param_size == 0, "param: a null pointer");
    require(bin || bin_size == 0, "bin: a null pointer");
    return ctnn::model::load(std::string_view(param, param_size),
                             std::span(static_cast<const std::byte*>(bin), bin_size), with);
  });
}
void ctnn_model_destroy(ctnn_model* model) { delete model; }

std::size_t ctnn_input_count(const ctnn_model* model) { return model ? model->inputs.size() : 0; }
std::size_t ctnn_output_count(const ctnn_model* model) { return model ? model->outputs.size() : 0; }
ctnn_status ctnn_input(const ctnn_model* model, std::size_t index, ctnn_value* out) {
  return guarded([&] {
    require(model, "model: a null pointer");
    value_at(model->inputs, index, out);
  });
}
ctnn_status ctnn_output(const ctnn_model* model, std::size_t index, ctnn_value* out) {
  return guarded([&] {
    require(model, "model: a null pointer");
    value_at(model->outputs, index, out);
  });
}

ctnn_status ctnn_extractor_create(const ctnn_model* model, ctnn_extractor** out) {
  return guarded([&] {
    require(model, "model: a null pointer");
    require(out, "out: a null pointer");
    *out = new ctnn_extractor{model->of.extractor()};
  });
}
void ctnn_extractor_destroy(ctnn_extractor* extractor) { delete extractor; }
ctnn_status ctnn_feed(ctnn_extractor* extractor, const char* name, ctnn_type type, int rank,
                      const std::int64_t* extents, const void* numbers, std::size_t bytes) {
  return feed(extractor, name, type, rank, extents, numbers, bytes, true);
}
ctnn_status ctnn_lend(ctnn_extractor* extractor, const char* name, ctnn_type type, int rank,
                      const std::int64_t* extents, const void* numbers, std::size_t bytes) {
  return feed(extractor, name, type, rank, extents, numbers, bytes, false);
}
ctnn_status ctnn_reset(ctnn_extractor* extractor) {
  return guarded([&] {
    require(extractor, "extractor: a null pointer");
    extractor->of.reset();
  });
}
ctnn_status ctnn_extract(ctnn_extractor* extractor, const char* name, ctnn_array** out) {
  return guarded([&] {
    require(extractor, "extractor: a null pointer");
    require(name, "name: a null pointer");
    require(out, "out: a null pointer");
    *out = array_of(extractor->of.extract(name)).release();
  });
}
ctnn_status ctnn_extract_all(ctnn_extractor* extractor, std::size_t count, const char* const* names,
                             ctnn_array** out) {
  return guarded([&] {
    require(extractor, "extractor: a null pointer");
    require(names, "names: a null pointer");
    require(out, "out: a null pointer");
    for (std::size_t i = 0; i < count; ++i) require(names[i], "name: a null pointer");
    std::vector<std::unique_ptr<ctnn_array>> made;
    for (ctnn::array& values : extractor->of.extract(std::vector<std::string>(names, names + count)))
      made.push_back(array_of(std::move(values)));
    for (std::size_t i = 0; i < count; ++i) out[i] = made[i].release();
  });
}

void ctnn_array_destroy(ctnn_array* array) { delete array; }
ctnn_type ctnn_array_type(const ctnn_array* array) { return array ? c_type(array->of.type()) : ctnn_type{}; }
int ctnn_array_rank(const ctnn_array* array) { return array ? array->of.shape().rank : 0; }
const std::int64_t* ctnn_array_extents(const ctnn_array* array) { return array ? array->extents : nullptr; }
const void* ctnn_array_numbers(const ctnn_array* array) { return array ? array->of.bytes().data() : nullptr; }
std::size_t ctnn_array_bytes(const ctnn_array* array) { return array ? array->of.bytes().size() : 0; }
