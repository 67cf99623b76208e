// SPDX-License-Identifier: BSL-1.0
// What class model declares: its own part in loading; the readers are in formats/.
#pragma once

#include <algorithm>

#include "model.hpp"

namespace ctnn {

CTNN_ONCE model model::load(const std::string& param, const std::string& bin, const load_options& options) {
  return or_error([&] { return load_ncnn(ncnn::open_network(param, bin, options.read.limits), options); });
}

CTNN_ONCE model model::load(const std::string& path, const load_options& options) {
  if (path.ends_with(".onnx")) return or_error([&] { return load_onnx(path, options); });
  if (path.ends_with(".tflite")) return or_error([&] { return load_tflite(path, options); });
  if (path.ends_with(".nam") || path.ends_with(".json"))
    return or_error([&] {
      return load_json(std::make_shared<const json::document>(json::read(path, options.read.limits)), options);
    });
  if (!path.ends_with(".param")) throw error(path + ": expected a .param, an .onnx, a .tflite, a .nam or a .json file");
  return load(path, path.substr(0, path.size() - 5) + "bin", options);
}

CTNN_ONCE model model::load(std::span<const std::byte> bytes, const load_options& options) {
  return or_error([&] { return load_bytes(bytes, options); });
}

CTNN_ONCE model model::load(std::string_view param, std::span<const std::byte> bin, const load_options& options) {
  return or_error([&] {
    ncnn::network_files files{ncnn::parse_param(param, "the .param text", options.read.limits), nullptr, nullptr,
                              "the .bin bytes"};
    if (!bin.empty()) files.in_memory = std::make_shared<const std::vector<std::byte>>(bin.begin(), bin.end());
    return load_ncnn(std::move(files), options);
  });
}

CTNN_ONCE result<model> model::try_load(const std::string& param, const std::string& bin, const load_options& options) {
  return attempt([&] { return load(param, bin, options); });
}

CTNN_ONCE result<model> model::try_load(std::span<const std::byte> bytes, const load_options& options) {
  return attempt([&] { return load(bytes, options); });
}

CTNN_ONCE result<model> model::try_load(std::string_view param, std::span<const std::byte> bin,
                                        const load_options& options) {
  return attempt([&] { return load(param, bin, options); });
}

CTNN_ONCE result<model> model::try_load(const std::string& path, const load_options& options) {
  return attempt([&] { return load(path, options); });
}

CTNN_ONCE model::model(loaded_model&& network, const load_options& options, ir::network_maker maker)
    : programs_(std::make_shared<ir::program_family>(std::move(network), program_options_of(options), std::move(maker),
                                                     options.reshaped_bytes)),
      executor_(options.executor) {
  for (const model_input& i : code().inputs()) inputs_.emplace_back(i.name, i.shape, i.type).optional = i.optional;
  outputs_of_first();
}

CTNN_ONCE model::model(ir::network_maker maker, const load_options& options, const arrays_by_name& fed)
    : programs_(family_of(std::move(maker), options, fed)), executor_(options.executor) {
  if (!programs_->first()) return;
  for (const model_input& i : code().inputs()) inputs_.emplace_back(i.name, i.shape, i.type).optional = i.optional;
  outputs_of_first();
}

CTNN_ONCE model::model(std::string why, const load_options& options, ir::network_maker maker)
    : programs_(std::make_shared<ir::program_family>(std::move(why), program_options_of(options), std::move(maker),
                                                     options.reshaped_bytes)),
      executor_(options.executor) {}

CTNN_ONCE std::shared_ptr<ir::program_family> model::family_of(ir::network_maker&& maker, const load_options& options,
                                                               const arrays_by_name& fed) {
  try {
    return std::make_shared<ir::program_family>(maker.make(fed, false), program_options_of(options), maker,
                                                options.reshaped_bytes);
  } catch (const ir::undecided& e) {
    return std::make_shared<ir::program_family>(e.what(), program_options_of(options), std::move(maker),
                                                options.reshaped_bytes);
  }
}

CTNN_ONCE model model::load_ncnn(ncnn::network_files&& opened, const load_options& options) {
  const auto files = std::make_shared<const ncnn::network_files>(std::move(opened));
  ir::network_maker maker = [files, read = options.read](const arrays_by_name& fed) {
    ncnn::read_options changed = read;
    for (const auto& [name, values] : fed) changed.input_shapes.insert_or_assign(name, values.shape());
    return ncnn::build(*files, changed);
  };
  try {
    return model(maker.make({}, true), options, maker).declare(ncnn::declared_inputs(files->network), {});
  } catch (const ncnn::unknown_input_shape& e) {
    std::vector<declared_value> outputs;
    for (const std::string& name : ncnn::declared_outputs(files->network)) outputs.emplace_back(name);
    return model(e.what() + std::string(": give load_options::read.input_shapes, or feed the inputs"), options,
                 std::move(maker))
        .declare(ncnn::declared_inputs(files->network), std::move(outputs));
  }
}

CTNN_ONCE model model::load_onnx(const std::string& path, const load_options& options) {
#if defined(CTNN_READS_ONNX)
  return load_messages(options, [&](const onnx::read_options& read) { return onnx::read(path, read); });
#else
  (void)options;
  throw error(path + ": reading ONNX needs protozero (Debian: libprotozero-dev), which this program was built without");
#endif
}

CTNN_ONCE model model::load_tflite(const std::string& path, const load_options& options) {
  return load_messages(options, [&](const onnx::read_options& read) { return tflite::read(path, read); });
}

CTNN_ONCE model model::load_json(std::shared_ptr<const json::document> file, const load_options& options) {
  ir::network_maker maker = [file, read = options.read](const arrays_by_name& fed) {
    json::shapes_by_name shapes = read.input_shapes;
    for (const auto& [name, values] : fed) shapes.insert_or_assign(name, values.shape());
    return json::build(*file, shapes, read.limits);
  };
  loaded_model first = maker.make({}, true);
  return model(std::move(first), options, std::move(maker));
}

CTNN_ONCE model model::load_bytes(std::span<const std::byte> bytes, const load_options& options) {
  constexpr std::string_view sign = "TFL3";  // a FlatBuffer's identifier, behind the place of its root
  if (bytes.size() >= 8 && std::equal(sign.begin(), sign.end(), bytes.begin() + 4,
                                      [](char c, std::byte b) { return static_cast<std::byte>(c) == b; }))
    return load_messages(options, [&](const onnx::read_options& read) {
      return tflite::parse_model(bytes, "the .tflite bytes", read.limits, {}, read.signature);
    });
  constexpr std::string_view blanks = " \t\r\n";
  const std::string_view text = ir::as_text(bytes);
  if (const std::size_t first = text.find_first_not_of(blanks); first != text.npos && text[first] == '{')
    return load_json(std::make_shared<const json::document>(json::parse(text, "the JSON bytes", options.read.limits)),
                     options);
#if defined(CTNN_READS_ONNX)
  return load_messages(options, [&](const onnx::read_options& read) {
    return onnx::parse_model(bytes, "the .onnx bytes", read.limits);
  });
#else
  throw error(
      "the .onnx bytes: reading ONNX needs protozero (Debian: libprotozero-dev), and this program was built "
      "without");
#endif
}

template <class Read>
model model::load_messages(const load_options& options, Read&& messages_of) {
  onnx::read_options read;
  read.input_shapes = options.read.input_shapes;
  read.limits = options.read.limits;
  if (read.limits.name_length == budget{}.name_length)
    read.limits.name_length = onnx::read_options{}.limits.name_length;
  read.external_data = options.external_data;
  read.custom = options.onnx_operators;
  read.decode_picture = options.decode_picture;
  read.rounding = options.rounding;
  read.signature = options.signature;
  const auto file = std::make_shared<const onnx::model_message>(messages_of(read));
  return model(onnx::maker_of(file, read), options)
      .declare(onnx::declared_inputs(*file), onnx::declared_outputs(*file));
}

CTNN_ONCE ir::program_options model::program_options_of(const load_options& o) {
  return {o.optimize,
          o.rules,
          o.target,
          o.operators,
          o.keep,
          o.keep_weights,
          o.read.limits.memory_bytes,
          std::make_shared<ir::rewrite_count>(o.rewrites),
          o.exact_convolutions,
          o.winograd_growth,
          o.arena_first,
          o.prune_below,
          o.executor};
}

CTNN_ONCE model model::declare(std::vector<declared_value>&& inputs, std::vector<declared_value>&& outputs) && {
  if (programs_->first()) {
    for (declared_value& v : inputs)
      if (const model_input* i = code().find_input(v.name); i && !v.ranked)
        v = declared_value(v.name, i->shape, i->type);  // load_options::read has its shape
  } else {
    outputs_ = std::move(outputs);
  }
  for (const declared_value& v : inputs)
    if (!v.optional) programs_->inputs.push_back(v.name);
  inputs_ = std::move(inputs);
  return std::move(*this);
}

CTNN_ONCE std::vector<std::string> model::carried() const {
  return is_known() ? code().carried_names() : std::vector<std::string>();
}

CTNN_ONCE void model::outputs_of_first() {
  const ir::graph_view g = graph();
  for (const ir::network_output& o : code().outputs())
    outputs_.emplace_back(o.name, g.shape(o.value), g.at_value(o.value).type);
}

}  // namespace ctnn
