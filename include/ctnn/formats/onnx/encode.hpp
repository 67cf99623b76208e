// SPDX-License-Identifier: BSL-1.0
// What an ONNX file says to the bytes of its protocol buffer.
#pragma once

#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

#include <functional>

#include "write.hpp"

namespace ctnn::onnx {

/// TensorProto::DataType of ctnn's element type.
constexpr int element_number(dtype type) {
  int n = 1;
  while (element_type(n) != type) ++n;
  return n;
}

namespace detail {

/// Tensors of at least so many bytes may lie outside of the model.
inline constexpr std::size_t least_external_bytes = 1024;
inline constexpr std::int64_t external_alignment = 4096;  ///< so that readers can map it

/// Takes the numbers of a large tensor and says where they begin in the file of external data.
using external_sink = std::function<std::int64_t(std::span<const std::byte>)>;

class encoder {
 public:
  encoder(std::string location, external_sink sink) : location_(std::move(location)), sink_(std::move(sink)) {}

  std::string model(const model_message& m) {
    std::string out;
    protozero::pbf_writer to(out);
    to.add_int64(1, m.ir_version);
    to.add_string(2, "ctnn");
    for (const auto& [domain, version] : m.opsets) {
      protozero::pbf_writer opset(to, 8);
      if (!domain.empty()) opset.add_string(1, domain);
      opset.add_int64(2, version);
    }
    add(to, 7, [&](protozero::pbf_writer& at) { graph(at, m.graph); });
    return out;
  }

 private:
  /// A message inside another. (pbf_writer's own nesting moves the bytes of a finished message, weights and all.)
  template <class Write>
  void add(protozero::pbf_writer& to, protozero::pbf_tag_type field, Write&& write) {
    protozero::pbf_writer inner(to, field);
    write(inner);
  }

  void graph(protozero::pbf_writer& to, const graph_message& g) {
    for (const node_message& n : g.nodes) add(to, 1, [&](protozero::pbf_writer& at) { node(at, n); });
    to.add_string(2, g.name.empty() ? "graph" : g.name);
    for (const tensor& t : g.initializers) add(to, 5, [&](protozero::pbf_writer& at) { numbers(at, t, true); });
    for (const value_info& v : g.inputs) add(to, 11, [&](protozero::pbf_writer& at) { value(at, v); });
    for (const value_info& v : g.outputs) add(to, 12, [&](protozero::pbf_writer& at) { value(at, v); });
    for (const value_info& v : g.values) add(to, 13, [&](protozero::pbf_writer& at) { value(at, v); });
  }

  void node(protozero::pbf_writer& to, const node_message& n) {
    for (const std::string& in : n.inputs) to.add_string(1, in);
    for (const std::string& out : n.outputs) to.add_string(2, out);
    if (!n.name.empty()) to.add_string(3, n.name);
    to.add_string(4, n.type);
    for (const attribute& a : n.attributes) add(to, 5, [&](protozero::pbf_writer& at) { attribute_of(at, a); });
    if (!n.domain.empty()) to.add_string(7, n.domain);
  }

  void attribute_of(protozero::pbf_writer& to, const attribute& a) {
    to.add_string(1, a.name);
    switch (a.kind) {
      case attribute_kind::real: to.add_float(2, a.real); break;
      case attribute_kind::integer: to.add_int64(3, a.integer); break;
      case attribute_kind::text: to.add_string(4, a.text); break;
      case attribute_kind::tensor: add(to, 5, [&](protozero::pbf_writer& at) { numbers(at, *a.tensor, false); }); break;
      case attribute_kind::graph: add(to, 6, [&](protozero::pbf_writer& at) { graph(at, *a.graph); }); break;
      case attribute_kind::reals:
        for (const float f : a.reals) to.add_float(7, f);
        break;
      case attribute_kind::integers:
        for (const std::int64_t i : a.integers) to.add_int64(8, i);
        break;
      case attribute_kind::texts:
        for (const std::string& s : a.texts) to.add_string(9, s);
        break;
      default: throw error("attribute '" + a.name + "' is " + name_of(a.kind) + ", which is not written");
    }
    to.add_int32(20, static_cast<int>(a.kind));
  }

  void numbers(protozero::pbf_writer& to, const tensor& t, bool may_be_external) {
    if (t.shape.rank > 0) {
      std::vector<std::int64_t> dims;
      for (int i = 0; i < t.shape.rank; ++i) dims.push_back(t.shape[i]);
      to.add_packed_int64(1, dims.begin(), dims.end());
    }
    to.add_int32(2, element_number(t.type));
    if (!t.name.empty()) to.add_string(8, t.name);
    const shared_array a = numbers_of(t);
    std::span<const std::byte> bytes = a->bytes();
    std::vector<std::byte> swapped;
    if (std::endian::native != std::endian::little) {
      swapped.assign(bytes.begin(), bytes.end());
      swap_from_file(swapped, static_cast<std::size_t>(size_of(t.type)));
      bytes = swapped;
    }
    if (!may_be_external || !sink_ || bytes.size() < least_external_bytes)
      return to.add_bytes(9, reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::int64_t from = sink_(bytes);
    const auto entry = [&](const char* key, const std::string& text) {
      protozero::pbf_writer at(to, 13);
      at.add_string(1, key);
      at.add_string(2, text);
    };
    entry("location", location_);
    entry("offset", std::to_string(from));
    entry("length", std::to_string(bytes.size()));
    to.add_int32(14, 1);
  }

  void value(protozero::pbf_writer& to, const value_info& v) {
    to.add_string(1, v.name);
    add(to, 2, [&](protozero::pbf_writer& type) {
      add(type, 1, [&](protozero::pbf_writer& at) {
        at.add_int32(1, v.element);
        if (!v.shape) return;
        if (v.shape->empty()) return at.add_message(2, "", 0);  // a scalar, not a shape nobody knows
        add(at, 2, [&](protozero::pbf_writer& shape) {
          for (const value_info::axis& a : *v.shape) {
            if (!a.size && a.name.empty()) {
              shape.add_message(1, "", 0);  // an axis of any size, not none
              continue;
            }
            protozero::pbf_writer axis(shape, 1);
            if (a.size) axis.add_int64(1, *a.size);
            else axis.add_string(2, a.name);
          }
        });
      });
    });
  }

  std::string location_;
  external_sink sink_;
};

/// For what ctnn has written itself.
inline budget no_limits() {
  budget none = budget::none();
  none.name_length = 1 << 20;
  return none;
}
/// About as many bytes as a model's weights take.
inline std::uint64_t weight_bytes(const model_message& m) {
  std::uint64_t sum = 0;
  for (const tensor& t : m.graph.initializers)
    sum += static_cast<std::uint64_t>(t.shape.count()) * static_cast<std::uint64_t>(size_of(t.type));
  return sum;
}

}  // namespace detail

CTNN_ONCE std::string bytes_of(const model_message& file) {
  if (detail::weight_bytes(file) > most_bytes_in_model)
    throw error("an ONNX file holds less than 2 GB, the weights are " + std::to_string(detail::weight_bytes(file)) +
                " bytes: they need a file of external data");
  return detail::encoder({}, {}).model(file);
}

}  // namespace ctnn::onnx
