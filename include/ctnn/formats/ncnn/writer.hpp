// SPDX-License-Identifier: BSL-1.0
// A graph to the text and the bytes of ncnn's .param and .bin, as stock ncnn reads them.
#pragma once

#include <algorithm>

#include "../../rewrite/driver.hpp"
#include "../../loaded/folded_weights.hpp"
#include "../../loaded/loaded_model.hpp"
#include "load.hpp"
#include "without_batch.hpp"
#include "write.hpp"
#include "writers/absorbing.hpp"
#include "writers/arithmetic.hpp"
#include "writers/attention.hpp"
#include "writers/detection.hpp"
#include "writers/int8.hpp"
#include "writers/movement.hpp"
#include "writers/normalization.hpp"
#include "writers/recurrent.hpp"

namespace ctnn::ncnn {

struct operator_writer {
  const operator_type* type;
  void (*write)(node_writer&);
};

inline constexpr operator_writer operator_writers[] = {
    {&type_of<op::input>, writers::input},
    {&type_of<op::constant>, writers::constant},
    {&type_of<op::full>, writers::full},
    {&type_of<op::conv1d>, writers::conv<1>},
    {&type_of<op::conv2d>, writers::conv<2>},
    {&type_of<op::conv_transpose1d>, writers::conv_transpose<1>},
    {&type_of<op::conv_transpose2d>, writers::conv_transpose<2>},
    {&type_of<op::linear>, writers::linear},
    {&type_of<op::batch_norm>, writers::batch_norm},
    {&type_of<op::scale>, writers::scale},
    {&type_of<op::bias>, writers::bias},
    {&type_of<op::local_response_norm>, writers::local_response_norm},
    {&type_of<op::activation>, writers::activation},
    {&type_of<op::prelu>, writers::prelu},
    {&type_of<op::dropout>, writers::dropout},
    {&type_of<op::identity>, writers::identity},
    {&type_of<op::binary>, writers::binary},
    {&type_of<op::eltwise>, writers::eltwise},
    {&type_of<op::softmax>, writers::softmax<op::softmax>},
    {&type_of<op::log_softmax>, writers::softmax<op::log_softmax>},
    {&type_of<op::reduce>, writers::reduce},
    {&type_of<op::pool>, writers::pool},
    {&type_of<op::adaptive_pool>, writers::adaptive_pool},
    {&type_of<op::interpolate>, writers::interpolate},
    {&type_of<op::flatten>, writers::flatten},
    {&type_of<op::reshape>, writers::reshape},
    {&type_of<op::permute>, writers::permute},
    {&type_of<op::channel_shuffle>, writers::channel_shuffle},
    {&type_of<op::pixel_shuffle>, writers::pixel_shuffle},
    {&type_of<op::pad>, writers::pad},
    {&type_of<op::concat>, writers::concat},
    {&type_of<op::split>, writers::split},
    {&type_of<op::slice>, writers::slice},
    {&type_of<op::matmul>, writers::matmul},
    {&type_of<op::layer_norm>, writers::layer_norm},
    {&type_of<op::rms_norm>, writers::rms_norm},
    {&type_of<op::group_norm>, writers::group_norm},
    {&type_of<op::lstm>, writers::lstm},
    {&type_of<op::gru>, writers::gru},
    {&type_of<op::rnn>, writers::rnn},
    {&type_of<op::attention>, writers::attention},
    {&type_of<op::rotary_embedding>, writers::rotary_embedding},
    {&type_of<op::quantize>, writers::quantize},
    {&type_of<op::prior_box>, writers::prior_box},
    {&type_of<op::detection_output>, writers::detection_output},
    {&type_of<op::yolo_detection>, writers::yolo_detection},
};

namespace detail {

inline void write_node(file_builder& b, node_id id) {
  node_writer w(b, id);
  const node& n = b.g.at(id);
  for (int i = 0; i < n.outputs.count; ++i)
    if (const extents& s = b.g.shape(w.output(i)); s.rank < 1 || s.rank > 4)
      throw inexpressible{"a value of " + describe(s)};
    else if (const dtype t = b.g.at_value(w.output(i)).type; t != dtype::f32 && t != dtype::i8 && t != dtype::i32)
      throw inexpressible{"numbers of " + std::string(name_of(t))};
  if (const auto at = b.replaced.find(id); at != b.replaced.end()) {
    parameter_list p;
    p.params = at->second.params;
    w.layer(at->second.type.c_str(), at->second.inputs, {w.out()}, p);
    return;
  }
  if (b.products.contains(id)) return writers::matmul_and_sum(w);
  if (b.g.given(n) != 0) throw inexpressible{"weights that are not known before it runs"};
  for (const operator_writer& known : operator_writers)
    if (known.type == n.type) return known.write(w);
  throw inexpressible{"ncnn has no such layer"};
}

/// Blob names: a network output that nothing else reads takes the output's name; every other output becomes a Noop,
/// because ncnn's outputs are the blobs that nothing reads.
inline std::vector<std::pair<std::string, value_id>> name_blobs(file_builder& b) {
  std::vector<std::pair<std::string, value_id>> outputs;
  b.blobs.resize(b.g.values.size());
  for (const network_output& o : b.g.outputs) {
    b.outputs.insert(o.value);
    outputs.emplace_back(file_builder::fresh(b.blob_names, std::string(o.name)), o.value);
    if (b.g.at_value(o.value).readers == 1) b.blobs[static_cast<std::size_t>(o.value)] = outputs.back().first;
  }
  for (std::size_t v = 0; v < b.g.values.size(); ++v) {
    const node_id maker = b.g.values[v].producer;
    if (b.blobs[v].empty() && maker != none && !b.g.at(maker).dead)
      b.blobs[v] = file_builder::fresh(b.blob_names, std::string(b.g.values[v].name));
  }
  return outputs;
}

}  // namespace detail

CTNN_ONCE void require_readable(const written_model& w, std::span<const written_output> outputs) {
  const auto refuse = [](const std::string& why) {
    throw error("what was written does not read back, which is a defect of ctnn: " + why);
  };
  read_options any;
  any.limits = budget::none();
  loaded_model again;
  try {
    bin_reader numbers(std::as_bytes(std::span(w.bin)), "the .bin", any.limits);
    again = build(parse_param(w.param, "the .param", any.limits), numbers, any);
  } catch (const error& e) {
    refuse(e.what());
  }
  const graph_view made = again.network.view();
  for (const auto& output : outputs) {
    const std::string& name = output.name;
    const auto named = [&](const network_output& o) { return o.name == name; };
    const auto at = std::find_if(made.outputs.begin(), made.outputs.end(), named);
    if (at == made.outputs.end()) return refuse("it has no output '" + name + "'");
    if (!(made.shape(at->value) == output.shape))
      refuse("output '" + name + "' is " + describe(made.shape(at->value)) + ", expected " + describe(output.shape));
  }
}

CTNN_ONCE written_model write(const graph_view& given, const weight_numbers& numbers, weight_storage storage,
                              batch_axis batch) {
  // ncnn's layers own their weights; expressions keep their numbers.
  bool constants_as_weights = false;
  for (const node& n : given.nodes) constants_as_weights = constants_as_weights || (!n.dead && given.given(n) != 0);
  const graph bound = constants_as_weights ? bind_weights(thaw(given)) : graph{};
  const graph_view as_given = constants_as_weights ? bound.view() : given;
  const graph single = batch == batch_axis::dropped ? without_batch(as_given) : graph{};
  const graph_view g = batch == batch_axis::dropped ? single.view() : as_given;
  file_builder b{g, numbers, bin_writer(storage)};
  b.readers.resize(g.values.size());
  for (std::size_t id = 0; id < g.nodes.size(); ++id)
    if (!g.nodes[id].dead)
      for (value_id v : g.inputs(g.nodes[id]))
        b.readers[static_cast<std::size_t>(v)].push_back(static_cast<node_id>(id));
  const auto outputs = detail::name_blobs(b);
  absorb(b);

  std::string refused;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const auto id = static_cast<node_id>(i);
    if (g.nodes[i].dead || b.absorbed.contains(id)) continue;
    try {
      detail::write_node(b, id);
    } catch (const inexpressible& e) {
      refused += (refused.empty() ? "" : "; ") + std::string(g.nodes[i].type->name) + " '" +
                 std::string(g.nodes[i].name) + "': " + e.reason;
    }
  }
  if (!refused.empty()) throw error("ncnn cannot express: " + refused);
  for (const auto& [name, v] : outputs)
    if (b.blob(v) != name)
      b.file.layers.push_back({"Noop", file_builder::fresh(b.layer_names, name), {b.blob(v)}, {name}, {}, 0});
  written_model result{write_param(with_splits(b.file)), b.bin.bytes()};
  std::vector<written_output> expected;
  for (const auto& [name, v] : outputs) expected.push_back({name, g.shape(v)});
  require_readable(result, expected);
  return result;
}

CTNN_ONCE written_model write(const loaded_model& m, weight_storage storage, batch_axis batch) {
  const graph_view g = m.network.view();
  folded_weights numbers(m, g);
  return write(g, std::ref(numbers), storage, batch);
}

}  // namespace ctnn::ncnn
