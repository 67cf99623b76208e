// SPDX-License-Identifier: BSL-1.0
// A .tflite file's model, subgraphs, tensors and operators as messages. Nothing is built from them yet.
#pragma once

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <vector>

#include "../../base/describe.hpp"
#include "../file_part.hpp"
#include "../onnx/messages.hpp"
#include "flatbuffer.hpp"
#include "schema.hpp"

namespace ctnn::tflite {

using onnx::attribute;
using onnx::attribute_kind;
using onnx::graph_message;
using onnx::model_message;

/// Where TensorFlow Lite's operators are.
inline constexpr std::string_view domain = "tflite";

namespace detail {

class parser {
 public:
  parser(std::span<const std::byte> bytes, const std::string& source, const budget& limits,
         const std::shared_ptr<const data_file>& file)
      : buffer_(bytes, source), limits_(limits), file_(file) {
    out_.source = source;
  }

  model_message model(const std::string& signature) {
    if (buffer_.size() > limits_.file_bytes)
      buffer_.fail(0, over_limit(buffer_.size(), limits_.file_bytes, "bytes", "file_bytes"));
    if (buffer_.size() == 0) buffer_.fail(0, "empty file");
    for (std::size_t i = 0; i < identifier.size(); ++i)
      if (buffer_.size() < 8 || static_cast<char>(buffer_.bytes()[4 + i]) != identifier[i])
        buffer_.fail(4, "not a TensorFlow Lite model: its identifier is not " + std::string(identifier));
    const table root = table::root(buffer_, "the model");
    if (const auto version = root.number<std::uint32_t>(0); version != 3)
      root.fail("version " + std::to_string(version) + " of the format is unknown, 3 is known");
    codes_ = root.vector<table>(1, "the list of operator codes");
    graphs_ = root.vector<table>(2, "the list of subgraphs");
    buffers_ = root.vector<table>(4, "the list of buffers");
    if (graphs_.empty()) root.fail("has no subgraph");
    called_.assign(graphs_.size(), false);
    const std::size_t first = read_signatures(root, signature);
    out_.ir_version = 3;
    out_.opsets[std::string(domain)] = onnx::last_opset;  // readers shared with ONNX's are of its newest
    out_.graph = graph(first);
    for (std::size_t i = 0; i < called_.size(); ++i)
      if (!called_[i] && first == 0 && out_.signatures.size() < 2) {
        const table other = graphs_[i];
        other.fail("not supported: subgraph " + std::to_string(i) + " '" + name_in(other, 4, "subgraph name") +
                   "', which the first does not call");
      }
    return std::move(out_);
  }

 private:
  static constexpr std::string_view identifier = "TFL3";

  void take(std::uint64_t at, std::uint64_t bytes) {
    if (!limits_.take(bytes)) buffer_.fail(at, over_memory(bytes, limits_));
  }
  std::string name_in(const table& t, int field, const char* what) {
    const std::string_view text = t.text(field, what);
    if (text.size() > limits_.name_length)
      t.fail(std::string(what) + " has " + std::to_string(text.size()) + " characters, the limit is " +
             std::to_string(limits_.name_length));
    if (text.find('\0') != text.npos) t.fail(std::string(what) + " has a zero byte in it");
    take(t.begins(), text.size() + sizeof(std::string));
    return std::string(text);
  }
  // Signatures: each names a subgraph.

  std::vector<std::string> words_of(const table& t, int field) {
    const auto list = t.vector<table>(field, "a signature's values");
    if (list.size() > limits_.blobs) t.fail("a signature of " + std::to_string(list.size()) + " values");
    std::vector<std::string> words;
    for (std::size_t i = 0; i < list.size(); ++i) words.push_back(name_in(list[i], 0, "a signature's value"));
    return words;
  }
  /// The number of the subgraph that is asked for.
  std::size_t read_signatures(const table& root, const std::string& wanted) {
    const auto list = root.vector<table>(7, "the list of signatures");
    if (list.size() > limits_.layers) root.fail(std::to_string(list.size()) + " signatures");
    std::size_t first = 0;
    bool found = wanted.empty();
    std::string names;
    for (std::size_t i = 0; i < list.size(); ++i) {
      onnx::signature s{name_in(list[i], 2, "a signature's name"), words_of(list[i], 0), words_of(list[i], 1)};
      const std::size_t number = list[i].number<std::uint32_t>(4);
      if (number >= graphs_.size())
        list[i].fail("signature '" + s.name + "' is of subgraph " + std::to_string(number) + " of " +
                     std::to_string(graphs_.size()));
      names += (names.empty() ? "'" : ", '") + s.name + "'";
      s.chosen = wanted.empty() ? number == 0 : !found && s.name == wanted;
      if (s.chosen && !found) first = number, found = true;
      out_.signatures.push_back(std::move(s));
    }
    if (!found) root.fail("has no signature '" + wanted + "'; it has " + (names.empty() ? "none" : names));
    return first;
  }

  /// A tensor's name may list all that the converter has made one of. The first will do for layers.
  static std::string first_of(const std::string& name) { return name.substr(0, name.find(';')); }
  /// Tensors may have equal names, or none; messages and networks tell values by them.
  std::string unique_name(std::string wanted, std::size_t i) {
    if (wanted.empty()) wanted = "tensor_" + std::to_string(i);
    std::string name = wanted;
    for (int& n = suffixes_[wanted]; !names_.insert(name).second;) name = wanted + "_" + std::to_string(++n);
    return name;
  }

  // Tensors.

  struct tensor_record {
    std::string name;
    table at;
    onnx::tensor known{};
    bool constant = false;
    bool made = false;
    bool is_state = false;
  };

  extents shape_of(const table& t, const std::string& who) {
    const vector<std::int32_t> dims = t.vector<std::int32_t>(0, "a shape");
    if (dims.size() > max_rank)
      t.fail("not supported: " + who + " has more than " + std::to_string(max_rank) + " axes");
    extents shape;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] < 0) t.fail(who + ": extent " + std::to_string(dims[i]) + " is out of range");
      shape.push_back(dims[i]);
    }
    if (!within(shape, limits_.value_elements))
      t.fail(who + " has more elements than the limit of " + std::to_string(limits_.value_elements) +
             " (budget::value_elements, --memory)");
    return shape;
  }

  onnx::stated_quantization quantization_of(const table& t, const extents& shape, const std::string& who) {
    onnx::stated_quantization q;
    const auto stated = t.child(4, "a quantization");
    if (!stated) return q;
    if (stated->number<std::uint8_t>(4) != 0)
      stated->fail("not supported: " + who + " is quantized in a way of its own");
    const auto scale = stated->vector<float>(2, "the list of scales");
    const auto zero = stated->vector<std::int64_t>(3, "the list of zero points");
    if (!zero.empty() && zero.size() != scale.size())
      stated->fail(who + " has " + std::to_string(scale.size()) + " scales and " + std::to_string(zero.size()) +
                   " zero points");
    q.axis = stated->number<std::int32_t>(6);
    // Of a bias it may be the weight's; below 0 it counts from the end.
    if (shape.rank == 1) q.axis = 0;
    else if (q.axis < 0 && q.axis >= -shape.rank) q.axis += shape.rank;
    if (scale.size() > 1 &&
        (q.axis < 0 || q.axis >= shape.rank || static_cast<std::size_t>(shape[q.axis]) != scale.size()))
      stated->fail(who + " of " + describe(shape) + " has " + std::to_string(scale.size()) + " scales for its axis " +
                   std::to_string(q.axis));
    take(stated->begins(), scale.size() * (sizeof(float) + sizeof(std::int64_t)));
    for (std::size_t i = 0; i < scale.size(); ++i) {
      q.scale.push_back(scale[i]);
      q.zero.push_back(zero.empty() ? 0 : zero[i]);
    }
    return q;
  }

  /// Where a buffer's bytes are, and how many: in the table, or behind it in files above 2 GB.
  std::pair<std::uint64_t, std::uint64_t> bytes_of(std::uint32_t number, const table& user) {
    if (number >= buffers_.size())
      user.fail("buffer " + std::to_string(number) + " of " + std::to_string(buffers_.size()));
    if (const auto known = places_.find(number); known != places_.end()) return known->second;
    const table b = buffers_[number];
    const auto data = b.vector<std::uint8_t>(0, "a buffer");
    std::pair<std::uint64_t, std::uint64_t> place{data.begins(), data.size()};
    if (const auto offset = b.number<std::uint64_t>(1); offset > 1) {
      place = {offset, b.number<std::uint64_t>(2)};
      buffer_.require(place.first, place.second, "a buffer");
    }
    return places_[number] = place;
  }

  /// Names by tensor: of those whose names users see first, then of other values, then of numbers in the file.
  std::vector<std::string> named(const vector<table>& tensors, std::initializer_list<vector<std::int32_t>> seen) {
    std::vector<std::string> names(tensors.size());
    std::vector<char> done(tensors.size(), 0);
    const auto give = [&](std::size_t i, bool to_numbers) {
      if (done[i] != 0) return;
      const table t = tensors[i];
      const bool has_numbers = bytes_of(t.number<std::uint32_t>(2), t).second > 0;
      if (has_numbers && !to_numbers) return;
      std::string name = name_in(t, 3, "a tensor's name");
      if (has_numbers) name = first_of(name);
      names[i] = unique_name(std::move(name), i);
      done[i] = 1;
    };
    for (const vector<std::int32_t>& list : seen)
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i] >= 0 && static_cast<std::size_t>(list[i]) < tensors.size())
          give(static_cast<std::size_t>(list[i]), false);
    for (const bool to_numbers : {false, true})
      for (std::size_t i = 0; i < tensors.size(); ++i) give(i, to_numbers);
    return names;
  }

  /// The bits of a number of a type that is packed in bytes, or 0.
  static int packed_bits(int element) { return element == 22 ? 4 : element == 26 ? 2 : 0; }
  /// Integers of few bits, those of the lowest bits first, one a byte.
  static void unpack(std::span<const std::byte> from, int bits, std::span<std::byte> to) {
    const auto each = static_cast<std::size_t>(8 / bits);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const unsigned up = std::to_integer<unsigned>(from[i / each])
                          << (24 + static_cast<unsigned>(8 - bits) - static_cast<unsigned>(bits) * (i % each));
      to[i] = static_cast<std::byte>(static_cast<std::int32_t>(up) >> (32 - bits));
    }
  }

  tensor_record tensor(const table& t, std::string name) {
    if (++values_ > limits_.blobs) t.fail("more than " + std::to_string(limits_.blobs) + " tensors");
    const auto [at, size] = bytes_of(t.number<std::uint32_t>(2), t);
    tensor_record r{std::move(name), t};
    const std::string who = "tensor '" + r.name + "'";
    take(t.begins(), sizeof(tensor_record) + 2 * r.name.size());
    if (t.number<std::int8_t>(1) == resource_type) {
      r.known.refused = "tensor of a variable";
      out_.has_state = true;
      return r;
    }
    r.known.name = r.name;
    r.known.shape = shape_of(t, who);
    int element = element_of(t.number<std::int8_t>(1));
    const int bits = size > 0 ? packed_bits(element) : 0;
    if (bits != 0) element = 3;  // i8
    onnx::stated_value& stated = out_.stated[r.name];
    stated.element = element;
    stated.quantized = quantization_of(t, r.known.shape, who);
    stated.shape = r.known.shape;
    r.is_state = stated.is_state = t.flag(5) && r.known.shape.count() != 0;
    if (r.is_state) {
      if (size > 0) t.fail("not supported: " + who + " is a variable and has numbers in the file");
      if (depth_ > 1) t.fail("not supported: " + who + " is a variable of a graph that others may call several times");
      out_.has_state = true;
    }
    const auto type = onnx::element_type(element);
    if (type) r.known.type = *type;
    if (t.child(6, "sparsity")) r.known.refused = "sparse tensor";
    else if (t.number<std::uint32_t>(10) != 0) r.known.refused = "tensor in another file";
    else if (!type)
      r.known.refused = element ? std::string("tensor of ") + onnx::element_name(element)
                                : "tensor of type " + std::to_string(t.number<std::int8_t>(1));
    r.constant = size > 0 || (!r.known.refused.empty() && t.number<std::uint32_t>(2) != 0);
    if (!r.constant || !r.known.refused.empty()) return r;
    const auto count = static_cast<std::uint64_t>(r.known.shape.count());
    const std::uint64_t all = count * static_cast<std::uint64_t>(size_of(r.known.type)),
                        needed = bits == 0 ? all : (count * static_cast<std::uint64_t>(bits) + 7) / 8;
    if (size != needed)
      t.fail(who + " has " + std::to_string(size) + " bytes of data, " + describe(r.known.shape) + " of " +
             (bits == 0 ? std::string(name_of(r.known.type)) : std::to_string(bits) + " bits") + " needs " +
             std::to_string(needed));
    take(at, all);
    if (bits == 0 && file_ && size > onnx::most_bytes_kept) {
      r.known.values = std::make_shared<const array>(
          r.known.shape, r.known.type,
          std::make_shared<const file_part>(
              file_, static_cast<std::int64_t>(at), static_cast<std::int64_t>(size), r.known.type,
              out_.source + ": " + who + " cannot be read: the file has changed since it was opened"));
    } else {
      auto numbers = std::make_shared<array>(r.known.shape, r.known.type);
      const auto from = buffer_.bytes().subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
      if (bits != 0) unpack(from, bits, numbers->bytes());
      else std::copy(from.begin(), from.end(), numbers->bytes().begin());
      as_read(*numbers);
      r.known.values = onnx::kept(std::move(numbers));
    }
    return r;
  }

  /// The tensors that a list names; -1 is an empty name.
  std::vector<std::string> names_of(const table& t, int field, const char* what, std::vector<tensor_record>& all,
                                    bool makes) {
    const auto list = t.vector<std::int32_t>(field, what);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::int32_t n = list[i];
      if (++values_ > limits_.blobs) t.fail("more than " + std::to_string(limits_.blobs) + " names");
      if (n < -1 || (n == -1 && makes) || n >= static_cast<std::int64_t>(all.size()))
        t.fail(std::string(what) + " has tensor " + std::to_string(n) + " of " + std::to_string(all.size()));
      if (n == -1) {
        names.emplace_back();
        continue;
      }
      tensor_record& r = all[static_cast<std::size_t>(n)];
      if (makes && r.constant) t.fail("makes tensor '" + r.name + "', which has numbers in the file");
      r.made = r.made || makes;
      take(t.begins(), sizeof(std::string) + r.name.size());
      names.push_back(r.name);
    }
    return names;
  }

  // Operators.

  static const options_table* table_of(int code) {
    for (const options_table& t : options_tables)
      if (t.is_of(code)) return &t;
    return nullptr;
  }

  void add_option(onnx::node_message& n, const table& t, int field, const option& o) {
    if (!t.has(field)) return;
    attribute a;
    a.name = o.name;
    a.kind = attribute_kind::integer;
    switch (o.kind) {
      case option_kind::flag: a.integer = t.flag(field); break;
      case option_kind::byte: a.integer = t.number<std::int8_t>(field); break;
      case option_kind::element: a.integer = element_of(t.number<std::int8_t>(field)); break;
      case option_kind::integer: a.integer = t.number<std::int32_t>(field); break;
      case option_kind::real:
        a.kind = attribute_kind::real;
        a.real = t.number<float>(field);
        break;
      case option_kind::integers: {
        a.kind = attribute_kind::integers;
        const auto list = t.vector<std::int32_t>(field, "a list of numbers");
        if (list.size() > limits_.array_length) t.fail("a list of " + std::to_string(list.size()) + " numbers");
        for (std::size_t i = 0; i < list.size(); ++i) a.integers.push_back(list[i]);
        break;
      }
      case option_kind::text:
        a.kind = attribute_kind::text;
        a.text = t.text(field, "an operator's option");
        take(t.begins(), a.text.size());
        break;
      case option_kind::subgraph: {
        a.kind = attribute_kind::graph;
        const std::int32_t g = t.number<std::int32_t>(field);
        if (g < 0 || static_cast<std::size_t>(g) >= graphs_.size())
          t.fail("calls subgraph " + std::to_string(g) + " of " + std::to_string(graphs_.size()));
        a.graph = std::make_shared<graph_message>(graph(static_cast<std::size_t>(g)));
        break;
      }
    }
    if (!a.name.empty()) n.attributes.push_back(std::move(a));
  }
  /// What the file says and ctnn's schema does not have: node_reader refuses what nobody reads.
  static void add_unknown(onnx::node_message& n, std::string name) {
    attribute a;
    a.name = std::move(name);
    a.kind = attribute_kind::types;
    n.attributes.push_back(std::move(a));
  }

  onnx::node_message node(const table& t, std::vector<tensor_record>& tensors) {
    if (++nodes_ > limits_.layers) t.fail("more than " + std::to_string(limits_.layers) + " operators");
    take(t.begins(), sizeof(onnx::node_message));
    onnx::node_message n;
    n.byte = static_cast<std::size_t>(t.begins());
    n.domain = domain;
    const auto index = t.number<std::uint32_t>(0);
    if (index >= codes_.size())
      t.fail("operator code " + std::to_string(index) + " of " + std::to_string(codes_.size()));
    const table code_table = codes_[index];
    const int code = std::max<int>(code_table.number<std::int8_t>(0), code_table.number<std::int32_t>(3));
    if (code < 0) code_table.fail("operator " + std::to_string(code));
    n.type = code == custom_operator ? name_in(code_table, 1, "an operator's name")
             : code < static_cast<int>(std::size(operator_names))
                 ? std::string(operator_names[static_cast<std::size_t>(code)])
                 : "operator " + std::to_string(code);
    if (n.type.empty()) code_table.fail("an operator without a name");
    n.inputs = names_of(t, 1, "the list of inputs", tensors, false);
    n.outputs = names_of(t, 2, "the list of outputs", tensors, true);
    if (!n.outputs.empty()) n.name = first_of(n.outputs[0]);  // operators have no names
    const int type = t.number<std::uint8_t>(3);
    const auto options = t.child(4, "an operator's options");
    if (type != 0 && !options) t.fail("its options are missing");
    if (type != 0) {
      const options_table* known = table_of(code);
      const bool listed = std::any_of(std::begin(options_tables), std::end(options_tables),
                                      [&](const options_table& o) { return o.type == type; });
      if (known ? known->type != type : listed)
        t.fail(n.type + " has the options of another operator (" + std::to_string(type) + ")");
      const int count = known ? known->count() : 0;
      for (int i = 0; i < options->field_count(); ++i) {
        if (i < count) add_option(n, *options, i, known->fields[static_cast<std::size_t>(i)]);
        else if (options->has(i)) add_unknown(n, "option " + std::to_string(i));
      }
    }
    // What a recurrent layer of bytes has between its steps; the scale of h is the fifth's.
    if (const auto between = names_of(t, 8, "the list of intermediates", tensors, false); between.size() == 5) {
      attribute a;
      a.name = "hidden";
      a.kind = attribute_kind::text;
      a.text = between[4];
      n.attributes.push_back(std::move(a));
    }
    if (t.number<std::uint8_t>(11) != 0) add_unknown(n, "builtin_options_2");
    if (t.number<std::uint64_t>(9) > 1) add_unknown(n, "large_custom_options");
    if (const auto bytes = t.vector<std::uint8_t>(5, "an operator's options"); !bytes.empty()) {
      attribute a;
      a.name = "custom_options";
      a.kind = attribute_kind::text;
      take(bytes.begins(), bytes.size());
      const auto from = bytes.bytes();
      a.text.assign(reinterpret_cast<const char*>(from.data()), from.size());
      n.attributes.push_back(std::move(a));
    }
    return n;
  }

  // Subgraphs.

  onnx::value_info input(const tensor_record& r) {
    onnx::value_info v;
    v.name = r.name;
    const auto stated = out_.stated.find(r.name);
    if (stated == out_.stated.end()) r.at.fail("not supported: input '" + r.name + "': " + r.known.refused);
    v.element = stated->second.element;
    const auto signature = r.at.vector<std::int32_t>(7, "a shape signature");
    const extents& shape = r.known.shape;
    if (!signature.empty() && static_cast<int>(signature.size()) != shape.rank)
      r.at.fail("tensor '" + r.name + "' of " + describe(shape) + " has a signature of " +
                std::to_string(signature.size()) + " axes");
    auto& axes = v.shape.emplace();
    for (int i = 0; i < shape.rank; ++i) {
      const bool open = !signature.empty() && signature[static_cast<std::size_t>(i)] == -1;
      axes.push_back({open ? std::nullopt : std::optional<std::int64_t>(shape[i]), {}});
      if (open) v.usual = shape;
    }
    return v;
  }

  graph_message graph(std::size_t number) {
    const table t = graphs_[number];
    if (++depth_ > limits_.nesting) t.fail("subgraphs call each other deeper than " + std::to_string(limits_.nesting));
    called_[number] = true;
    graph_message g;
    g.name = name_in(t, 4, "subgraph name");
    const auto tensor_tables = t.vector<table>(0, "the list of tensors");
    const auto nodes = t.vector<table>(3, "the list of operators");
    if (tensor_tables.size() > limits_.blobs) t.fail("more than " + std::to_string(limits_.blobs) + " tensors");
    std::vector<std::string> names = named(tensor_tables, {t.vector<std::int32_t>(1, "the list of inputs"),
                                                           t.vector<std::int32_t>(2, "the list of outputs")});
    std::vector<tensor_record> tensors;
    for (std::size_t i = 0; i < tensor_tables.size(); ++i)
      tensors.push_back(tensor(tensor_tables[i], std::move(names[i])));
    const std::vector<std::string> in = names_of(t, 1, "the list of inputs", tensors, true),
                                   out = names_of(t, 2, "the list of outputs", tensors, false);
    for (std::size_t i = 0; i < nodes.size(); ++i) g.nodes.push_back(node(nodes[i], tensors));
    std::unordered_map<std::string_view, const tensor_record*> by_name;
    for (const tensor_record& r : tensors) by_name[r.name] = &r;
    for (const std::string& name : in) g.inputs.push_back(input(*by_name.at(name)));
    for (const std::string& name : out) {
      if (name.empty()) t.fail("an output is left out");
      g.outputs.emplace_back().name = name;
    }
    // What nothing makes and has no bytes is empty, or a state, which no operator but its own reads.
    const auto is_constant = [](const tensor_record& r) {
      return r.constant || (!r.made && r.known.refused.empty() && r.known.shape.count() == 0);
    };
    for (tensor_record& r : tensors) {
      if (!is_constant(r)) continue;
      if (r.known.refused.empty() && !r.known.values) {
        take(r.at.begins(),
             static_cast<std::uint64_t>(r.known.shape.count()) * static_cast<std::uint64_t>(size_of(r.known.type)));
        r.known.values = std::make_shared<const array>(r.known.shape, r.known.type);
      }
      g.initializers.push_back(std::move(r.known));
    }
    --depth_;
    return g;
  }

  flatbuffer buffer_;
  budget limits_;
  std::shared_ptr<const data_file> file_;
  model_message out_;
  vector<table> codes_, graphs_, buffers_;
  std::vector<bool> called_;
  std::unordered_map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> places_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, int> suffixes_;
  std::size_t values_ = 0, nodes_ = 0, depth_ = 0;
};

}  // namespace detail

}  // namespace ctnn::tflite
