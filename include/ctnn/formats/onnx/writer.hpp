// SPDX-License-Identifier: BSL-1.0
// A graph to an ONNX model: one table, one small function an operator (writers/).
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "encode.hpp"
#include "writers/recurrent.hpp"

namespace ctnn::onnx {

struct operator_writer {
  const operator_type* type;
  void (*write)(node_writer&);
};

namespace writers {

inline void full(node_writer& w) {
  const op::full op = w.get<op::full>();
  attribute value = attribute_of("value", attribute_kind::tensor);
  value.tensor = std::make_shared<tensor>();
  value.tensor->shape = {1};
  value.tensor->type = w.result_type();
  value.tensor->values = filled({1}, w.result_type(), static_cast<double>(op.value));
  w.is("ConstantOfShape", {w.whole(as_integers(op.shape))}, {value});
}
inline void constant(node_writer& w) { w.result(w.weight(0)); }

inline constexpr operator_writer operators[] = {
    {&type_of<op::constant>, constant},
    {&type_of<op::full>, full},
    {&type_of<op::conv1d>, conv<1>},
    {&type_of<op::conv2d>, conv<2>},
    {&type_of<op::conv3d>, conv<3>},
    {&type_of<op::conv_transpose1d>, conv_transpose<1>},
    {&type_of<op::conv_transpose2d>, conv_transpose<2>},
    {&type_of<op::conv_transpose3d>, conv_transpose<3>},
    {&type_of<op::deform_conv>, deform_conv},
    {&type_of<op::fold_blocks>, fold_blocks},
    {&type_of<op::max_unpool>, max_unpool},
    {&type_of<op::linear>, linear},
    {&type_of<op::matmul>, matmul},
    {&type_of<op::einsum>, einsum},
    {&type_of<op::det>, det},
    {&type_of<op::attention>, attention},
    {&type_of<op::rotary_embedding>, rotary_embedding},
    {&type_of<op::rnn>, rnn},
    {&type_of<op::gru>, gru},
    {&type_of<op::lstm>, lstm},
    {&type_of<op::batch_norm>, batch_norm},
    {&type_of<op::scale>, scale},
    {&type_of<op::bias>, bias},
    {&type_of<op::local_response_norm>, local_response_norm},
    {&type_of<op::layer_norm>, layer_norm},
    {&type_of<op::rms_norm>, rms_norm},
    {&type_of<op::group_norm>, group_norm},
    {&type_of<op::lp_normalize>, lp_normalize},
    {&type_of<op::mean_variance_normalize>, mean_variance_normalize},
    {&type_of<op::softmax>, softmax<op::softmax>},
    {&type_of<op::log_softmax>, softmax<op::log_softmax>},
    {&type_of<op::hardmax>, softmax<op::hardmax>},
    {&type_of<op::activation>, activation},
    {&type_of<op::prelu>, prelu},
    {&type_of<op::dropout>, dropout},
    {&type_of<op::identity>, identity},
    {&type_of<op::cast>, cast},
    {&type_of<op::bit_cast>, bit_cast},
    {&type_of<op::clamp>, clamp},
    {&type_of<op::is_nan>, is_nan},
    {&type_of<op::is_inf>, is_inf},
    {&type_of<op::bitwise_not>, bitwise_not},
    {&type_of<op::quantize>, quantize},
    {&type_of<op::dequantize>, dequantize},
    {&type_of<op::storage_cast>, storage_cast},
    {&type_of<op::dynamic_quantize>, dynamic_quantize},
    {&type_of<op::binary>, binary},
    {&type_of<op::eltwise>, eltwise},
    {&type_of<op::compare>, compare},
    {&type_of<op::logic>, logic},
    {&type_of<op::remainder>, remainder},
    {&type_of<op::where>, where},
    {&type_of<op::pool>, pool},
    {&type_of<op::adaptive_pool>, adaptive_pool},
    {&type_of<op::interpolate>, interpolate},
    {&type_of<op::grid_sample>, grid_sample},
    {&type_of<op::affine_grid>, affine_grid},
    {&type_of<op::roi_align>, roi_align},
    {&type_of<op::roi_pool>, roi_pool},
    {&type_of<op::reduce>, reduce},
    {&type_of<op::arg_reduce>, arg_reduce},
    {&type_of<op::cumsum>, cumsum},
    {&type_of<op::topk>, topk},
    {&type_of<op::nonzero>, nonzero},
    {&type_of<op::compress>, compress},
    {&type_of<op::unique>, unique},
    {&type_of<op::one_hot>, one_hot},
    {&type_of<op::flatten>, flatten},
    {&type_of<op::reshape>, reshape},
    {&type_of<op::permute>, permute},
    {&type_of<op::channel_shuffle>, channel_shuffle},
    {&type_of<op::pixel_shuffle>, pixel_shuffle},
    {&type_of<op::concat>, concat},
    {&type_of<op::split>, split},
    {&type_of<op::slice>, slice},
    {&type_of<op::pad>, pad},
    {&type_of<op::expand>, expand},
    {&type_of<op::tile>, tile},
    {&type_of<op::trilu>, trilu},
    {&type_of<op::reverse_sequence>, reverse_sequence},
    {&type_of<op::gather>, gather},
    {&type_of<op::gather_elements>, gather_elements},
    {&type_of<op::gather_nd>, gather_nd},
    {&type_of<op::scatter_elements>, scatter_elements},
    {&type_of<op::scatter_nd>, scatter_nd},
    {&type_of<op::non_max_suppression>, non_max_suppression},
    {&type_of<op::dft>, dft},
    {&type_of<op::stft>, stft},
};

}  // namespace writers

namespace detail {

/// A value by its name, shape and element type.
inline value_info info_of(const std::string& name, const extents& shape, dtype type) {
  value_info v;
  v.name = name;
  v.element = element_number(type);
  v.shape.emplace();
  for (int i = 0; i < shape.rank; ++i) v.shape->push_back({shape[i], {}});
  return v;
}

/// The numbers of a node that needs none of its inputs', only their shapes.
inline shared_array numbers_without_inputs(const graph_view& g, const node& n) {
  std::vector<shared_array> in;
  const pool<element> of = input_elements(g, n);
  for (value_id v : g.inputs(n)) in.push_back(std::make_shared<const array>(g.shape(v), g.at_value(v).type));
  const value& y = g.at_value(n.outputs.first);
  const auto out = std::make_shared<array>(y.shape, y.type);
  evaluate(*n.type, g.fields_of(n.fields), in, {of.data(), of.size()}, {}, {out}, {&y.type, 1});
  return out;
}

inline void write_node(model_writer& b, node_id id) {
  node_writer w(b, id);
  const node& n = b.g.at(id);
  for (const operator_writer& known : writers::operators)
    if (known.type == n.type) {
      known.write(w);
      return w.settle_name();
    }
  if ((b.g.inputs(n).empty() || n.type == &type_of<op::prior_box>)&&b.g.weights(n).empty() && n.outputs.count == 1) {
    const value& y = b.g.at_value(n.outputs.first);
    return w.result(b.initializer(std::string(n.name), y.shape, numbers_without_inputs(b.g, n)));
  }
  throw inexpressible{"ONNX has no such operator"};
}

/// Names of inputs first, then of outputs, then of all other values.
inline void name_values(model_writer& b) {
  for (const model_input& i : b.model.all_inputs())
    if (!i.left_out) {
      b.values(std::string(i.name));
      b.written[std::string(i.name)].type = i.type;
      b.file.graph.inputs.push_back(info_of(std::string(i.name), i.shape, i.type));
    }
  for (const node& n : b.g.nodes)
    if (!n.dead && n.type == &type_of<op::input>)
      b.public_names[static_cast<std::size_t>(n.outputs.first)] = std::string(b.g.at_value(n.outputs.first).name);
  for (const network_output& o : b.g.outputs) {
    const std::string name(o.name);
    const value& v = b.g.at_value(o.value);
    b.file.graph.outputs.push_back(info_of(name, v.shape, v.type));
    std::string& own = b.public_names[static_cast<std::size_t>(o.value)];
    const bool taken = b.values(name) != name;
    if (own.empty() && !taken) own = name;
    if (taken && own != name) throw error("ONNX cannot express: output '" + name + "' has the name of another value");
  }
  for (const node& n : b.g.nodes)
    for (int i = 0; i < n.outputs.count && !n.dead; ++i) {
      std::string& own = b.public_names[static_cast<std::size_t>(n.outputs.first + i)];
      const std::string_view wanted = b.g.at_value(n.outputs.first + i).name;
      if (own.empty()) own = b.values(std::string(wanted.empty() ? n.name : wanted));
    }
}

/// The inputs that shapes of a network follow from.
inline arrays_by_name needed_by(const loaded_model& m) {
  arrays_by_name fed;
  for (const model_input& i : m.inputs)
    if (i.needed) fed.emplace(std::string(i.name), *i.needed);
  return fed;
}

inline constexpr struct {
  std::int64_t opset, ir;
} ir_versions[] = {{18, 8}, {20, 9}, {22, 10}, {23, 11}, {24, 12}, {27, 13}};

/// Sums of two values of one shape whose reader that comes first normalises rows of them: it can say both.
inline void find_sums_to_leave(model_writer& b) {
  const graph_view& g = b.g;
  std::map<value_id, std::size_t> first;  // the node that reads it first
  for (std::size_t n = 0; n < g.nodes.size(); ++n)
    if (!g.nodes[n].dead)
      for (value_id v : g.inputs(g.nodes[n])) first.emplace(v, n);
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    const node& norm = g.nodes[n];
    const bool simple = norm.type == &type_of<op::rms_norm>;
    if (norm.dead || (!simple && norm.type != &type_of<op::layer_norm>)) continue;
    const auto in = g.inputs(norm);
    const value_id sum = in[0];
    const extents s = g.shape(sum);
    if (first.at(sum) != n || s.rank != 3 || g.at_value(sum).type != dtype::f32 || in.size() < 2) continue;
    const auto id = static_cast<node_id>(n);
    const op::layer_norm op = simple ? op::layer_norm{g.get<op::rms_norm>(id).axis} : g.get<op::layer_norm>(id);
    bool rows = normal_axis(op.axis, 3) == 2 && !op.statistics && std::ranges::count(in, sum) == 1;
    for (std::size_t i = 1; i < in.size(); ++i)
      rows = rows && g.shape(in[i]) == extents{s[2]} && g.at_value(in[i]).type == dtype::f32;
    const node_id made = g.at_value(sum).producer;
    const node& maker = g.at(made);
    if (!rows || g.inputs(maker).size() < 2) continue;
    const bool same = g.shape(g.inputs(maker)[0]) == s && g.shape(g.inputs(maker)[1]) == s;
    if (maker.type == &type_of<op::binary>) {
      const op::binary add = g.get<op::binary>(made);
      if (same && add.function == op::binary_function::add && !add.scalar && !add.activation) b.sums_left[sum];
    } else if (maker.type == &type_of<op::linear>) {
      const op::linear l = g.get<op::linear>(made);
      const std::size_t own = g.inputs(maker).size() - static_cast<std::size_t>(count_slots(g.given(maker)));
      if (own == 2 && g.shape(g.inputs(maker)[1]) == s && !l.activation) b.sums_left[sum];
    }
  }
}

inline model_message describe_in(const loaded_model& m, const graph_view& g, std::int64_t opset, bool fused) {
  if (carries(g)) throw error("ONNX has no words for what a network carries from run to run");
  model_writer b(m, g, opset, fused);
  if (fused) find_sums_to_leave(b);
  b.file.source = "what was written";
  b.file.opsets[""] = opset;
  for (const auto& v : ir_versions)
    if (b.file.ir_version == 0 && opset <= v.opset) b.file.ir_version = v.ir;
  name_values(b);
  std::string refused;
  std::set<value_id> unwritten;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    if (n.dead) continue;
    if (n.type == &type_of<op::input>) {
      b.forms[static_cast<std::size_t>(n.outputs.first)][0] = b.public_names[static_cast<std::size_t>(n.outputs.first)];
      continue;
    }
    bool follows = false;
    for (value_id v : g.inputs(n)) follows = follows || unwritten.contains(v);
    const auto give_up = [&] {
      for (int k = 0; k < n.outputs.count; ++k) unwritten.insert(n.outputs.first + k);
    };
    if (follows) {
      give_up();
      continue;
    }
    try {
      write_node(b, static_cast<node_id>(i));
    } catch (const inexpressible& e) {
      refused +=
          (refused.empty() ? "" : "; ") + std::string(n.type->name) + " '" + std::string(n.name) + "': " + e.reason;
      give_up();
    }
  }
  if (!refused.empty()) throw error("ONNX cannot express: " + refused);
  for (const network_output& o : g.outputs) {
    const auto v = static_cast<std::size_t>(o.value);
    const node_id maker = g.at_value(o.value).producer;
    if (b.forms[v][0].empty()) node_writer(b, maker).form(o.value, 0);
    if (b.forms[v][0] == o.name) continue;
    node_message n;
    n.name = b.nodes(std::string(o.name) + "_Identity");
    n.type = "Identity";
    n.inputs = {b.forms[v][0]};
    n.outputs = {std::string(o.name)};
    b.file.graph.nodes.push_back(std::move(n));
  }
  std::unordered_set<std::string_view> said;
  for (const auto* known : {&b.file.graph.inputs, &b.file.graph.outputs})
    for (const value_info& v : *known) said.insert(v.name);
  for (const tensor& t : b.file.graph.initializers) said.insert(t.name);
  for (std::size_t v = 0; v < g.values.size(); ++v)
    if (const std::string& name = b.forms[v][0]; !name.empty() && said.insert(name).second)
      b.file.graph.values.push_back(info_of(name, g.values[v].shape, g.values[v].type));
  return std::move(b.file);
}

}  // namespace detail

CTNN_ONCE model_message describe_for_file(const loaded_model& m, const graph_view& g, const write_options& options) {
  std::int64_t opset = std::clamp(options.opset, first_opset_written, last_opset);
  while (true) {
    try {
      return detail::describe_in(m, g, opset, options.fused);
    } catch (const needs_opset& n) {
      opset = n.version;
    }
  }
}

CTNN_ONCE void require_same(const model_message& read_back, const model_message& written, const arrays_by_name& fed,
                            const shapes_by_name& shapes) {
  const auto refuse = [](const std::string& why) {
    throw error("what was written does not read back, which is a defect of ctnn: " + why);
  };
  read_options any;
  any.limits = detail::no_limits();
  any.input_shapes = shapes;
  loaded_model again;
  try {
    again = build(read_back, any, fed);
  } catch (const error& e) {
    refuse(e.what());
  }
  const auto compare = [&](const char* what, const value_info& wanted, const extents& shape, dtype type) {
    const value_info got = detail::info_of(wanted.name, shape, type);
    bool same = got.element == wanted.element && got.shape->size() == wanted.shape->size();
    std::string expected;
    for (std::size_t i = 0; i < wanted.shape->size(); ++i) {
      const auto& axis = (*wanted.shape)[i];
      same = same && (!axis.size || *axis.size == *(*got.shape)[i].size);
      expected += (i == 0 ? "" : " x ") + (axis.size ? std::to_string(*axis.size) : axis.name);
    }
    if (!same)
      refuse(std::string(what) + " '" + wanted.name + "' is " + element_name(got.element) + " of " + describe(shape) +
             ", expected " + element_name(wanted.element) + " of " + (expected.empty() ? "scalar" : expected));
  };
  const graph_view made = again.network.view();
  for (const value_info& v : written.graph.inputs) {
    const auto at = std::ranges::find(again.inputs, v.name, &model_input::name);
    if (at == again.inputs.end()) return refuse("it has no input '" + v.name + "'");
    compare("input", v, at->shape, at->type);
  }
  for (const value_info& v : written.graph.outputs) {
    const auto at = std::ranges::find(made.outputs, v.name, &network_output::name);
    if (at == made.outputs.end()) return refuse("it has no output '" + v.name + "'");
    compare("output", v, made.shape(at->value), made.at_value(at->value).type);
  }
  std::unordered_map<std::string_view, const value*> by_name;
  for (const value& v : made.values)  // what was computed while reading has names of its own
    if (!v.name.empty() && made.at(v.producer).type != &type_of<op::constant>) by_name.emplace(v.name, &v);
  for (const value_info& v : written.graph.values)
    if (const auto at = by_name.find(v.name); at != by_name.end())
      compare("value", v, at->second->shape, at->second->type);
}

CTNN_ONCE std::string write(const loaded_model& m, const graph_view& g, const write_options& options) {
  const model_message file = describe_for_file(m, g, options);
  const std::string bytes = bytes_of(file);
  require_same(parse_model(std::as_bytes(std::span(bytes)), "what was written", detail::no_limits()), file,
               detail::needed_by(m));
  return bytes;
}
CTNN_ONCE std::string write(const loaded_model& m, const write_options& options) {
  return write(m, m.network.view(), options);
}

namespace detail {

/// A new folder beside a file, for what is not finished; it goes with all that is in it.
class unfinished {
 public:
  explicit unfinished(const std::filesystem::path& beside) {
    std::error_code failed;
    for (int i = 0; i < 1000; ++i) {
      folder_ = beside;
      folder_ += ".unfinished" + std::to_string(i);
      if (std::filesystem::create_directory(folder_, failed)) return;
      if (failed) break;
    }
    throw error(beside.string() + ": cannot be written");
  }
  ~unfinished() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  unfinished(const unfinished&) = delete;
  unfinished& operator=(const unfinished&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace detail

CTNN_ONCE saved_model save(const model_message& file, const std::string& path, const write_options& options,
                           const std::function<void(const model_message&)>& check) {
  namespace fs = std::filesystem;
  const fs::path to(path), folder = to.has_parent_path() ? to.parent_path() : fs::path(".");
  const bool too_large = detail::weight_bytes(file) > most_bytes_in_model;
  const std::string location =
      options.external_data.empty() && too_large ? to.filename().string() + ".data" : options.external_data;
  if (!location.empty() && (fs::path(location).has_parent_path() || location == to.filename().string()))
    throw error("external data: '" + location + "': expected the name of a file beside " + to.filename().string());
  saved_model result{file.graph.nodes.size(), file.opsets.at(""), 0, location, 0};
  const detail::unfinished work(to);
  const fs::path model = work.folder() / to.filename(), data = work.folder() / location;
  const auto fail = [&](const fs::path& what) {
    throw error((folder / what.filename()).string() + ": cannot be written");
  };
  {
    std::ofstream numbers;
    std::int64_t at = 0;
    detail::external_sink sink;
    if (!location.empty()) {
      numbers.open(data, std::ios::binary);
      sink = [&](std::span<const std::byte> bytes) {
        const std::int64_t rest = at % detail::external_alignment;
        const std::string filling(static_cast<std::size_t>(rest == 0 ? 0 : detail::external_alignment - rest), '\0');
        numbers << filling;
        at += static_cast<std::int64_t>(filling.size());
        const std::int64_t from = at;
        numbers.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        at += static_cast<std::int64_t>(bytes.size());
        return from;
      };
    }
    const std::string bytes = sink ? detail::encoder(location, sink).model(file) : bytes_of(file);
    if (!location.empty()) {
      numbers.close();
      if (!numbers) fail(data);
    }
    write_file(model.string(), bytes);
    result.bytes = bytes.size();
    result.data_bytes = static_cast<std::uintmax_t>(at);
  }
  {
    read_options any;
    any.limits = detail::no_limits();
    any.external_data = true;
    check(read(model.string(), any));
  }
  std::error_code failed;
  if (!location.empty()) {
    fs::rename(data, folder / location, failed);
    if (failed) fail(location);
  }
  fs::rename(model, to, failed);
  if (failed) {
    std::error_code ignored;
    if (!location.empty()) fs::remove(folder / location, ignored);
    fail(to);
  }
  return result;
}

CTNN_ONCE saved_model save(const loaded_model& m, const graph_view& g, const std::string& path,
                           const write_options& options) {
  const model_message file = describe_for_file(m, g, options);
  return save(file, path, options,
              [&](const model_message& again) { require_same(again, file, detail::needed_by(m)); });
}

}  // namespace ctnn::onnx
