// SPDX-License-Identifier: BSL-1.0
// A graph and its weights as a C++ header that needs ctnn/ctnn.hpp (or ctnn/typed.hpp) alone: a network type with its
// numbers.
#pragma once

#include <functional>

#include "../network/parameters.hpp"
#include "cpp/declaration.hpp"

namespace ctnn::cpp {

struct header_options {
  std::string name = "network";  ///< of the type
  std::string origin{};          ///< for the comment at the top
  int packed = 0;                ///< channel_block of the target to pack the weights for; 0: logical order
};

/// Is it a C++ identifier that can be the network's name at namespace scope?
inline bool is_identifier(std::string_view word) {
  static constexpr std::string_view keywords[] = {  // and what the type has as members
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
      "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
      "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "ctnn", "decltype", "default",
      "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float",
      "for", "friend", "goto", "has", "if", "inline", "int", "long", "main", "mutable", "namespace", "network_type",
      "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "packed", "private", "protected",
      "public", "records", "register", "reinterpret_cast", "requires", "return", "short", "signed", "size", "sizeof",
      "static", "static_assert", "static_cast", "std", "struct", "switch", "template", "this", "thread_local",
      "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void",
      "volatile", "wchar_t", "weights", "while", "xor", "xor_eq"};
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (word.empty() || !letter(word[0]) || word[0] == '_' || word.find("__") != std::string_view::npos) return false;
  for (char c : word)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return !std::binary_search(std::begin(keywords), std::end(keywords), word);
}

/// The nearest identifier: "squeezenet_v1.1" becomes squeezenet_v1_1.
inline std::string as_identifier(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word) out += c;
    else if (!out.empty() && out.back() != '_') out += '_';
  }
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out = "net" + std::string(out.empty() ? "" : "_") + out;
  return is_identifier(out) ? out : out + (out.back() == '_' ? "net" : "_net");
}

namespace detail {

/// A weight of the network being written.
struct named_numbers {
  std::string layer, slot, identifier;
  std::vector<float> numbers;  ///< of f32
  dtype type = dtype::f32;
  std::size_t count = 0;
  std::string text{};          ///< of any other type
};
/// The values of a weight expression, until the next call.
using weight_reader = std::function<typed_span(expression_id)>;

class header_writer {
 public:
  header_writer(const graph_view& g, const weight_reader& numbers, const header_options& options)
      : g_(g), layers_(g), options_(options) {
    if (!is_identifier(options.name)) throw error("'" + options.name + "' cannot be the name of a C++ type");
    if (options.packed) pack_all(numbers);
    else collect(numbers);
  }

  std::string write() {
    // Few numbers are written so that the compiler can compute with them (fold, pack); many so that it reads them fast.
    const bool as_bytes = floats_ > constant_weights_limit || !finite_;
    out_ = "// Written by `ctnn header`" + (options_.origin.empty() ? "" : " from " + options_.origin) + ": " +
           std::to_string(g_.nodes.size()) + " layers, " + std::to_string(count_) + (options_.packed ? " packed" : "") +
           " numbers.\n#pragma once\n\n#include <ctnn/" + (layers_.needs_typed() ? "typed" : "ctnn") +
           ".hpp>\n#include <limits>\n";
    if (as_bytes) out_ += "#include <bit>\n";
    out_ += '\n';
    declare();
    if (options_.packed) write_packed(as_bytes);
    else if (weights_.empty()) return out_;
    else if (as_bytes) write_bytes();
    else write_numbers();
    return out_;
  }

 private:
  void collect(const weight_reader& numbers) {
    std::unordered_set<std::string> taken;
    for_each_slot(g_, [&](const node& n, int slot, expression_id e, std::int64_t, std::int64_t) {
      named_numbers w;
      w.layer = layers_.name(static_cast<node_id>(&n - g_.nodes.data()));
      w.slot = slot_name(n, slot);
      const typed_span given = numbers(e);
      w.type = given.type();
      w.count = given.size();
      if (w.type == dtype::f32) w.numbers.assign(given.data(), given.data() + given.size());
      else append_elements(w.text, given);
      w.identifier = as_identifier(w.layer + '_' + w.slot);
      for (int k = 2; !taken.insert(w.identifier).second; ++k)
        w.identifier = as_identifier(w.layer + '_' + w.slot + '_' + std::to_string(k));
      note(w.numbers);
      count_ += static_cast<std::int64_t>(w.count);
      floats_ += static_cast<std::int64_t>(w.numbers.size());
      weights_.push_back(std::move(w));
    });
  }
  void pack_all(const weight_reader& numbers) {
    packed_.resize(static_cast<std::size_t>(packed_total(g_, options_.packed)));
    for_each_slot(
        g_,
        [&](const node& n, int slot, expression_id e, std::int64_t offset, std::int64_t) {
          pack_slot(g_, n, slot, numbers(e), packed_.data() + offset, options_.packed);
        },
        options_.packed);
    note(packed_);
    count_ = floats_ = static_cast<std::int64_t>(packed_.size());
  }
  void note(std::span<const float> numbers) {
    for (float v : numbers) finite_ = finite_ && std::isfinite(v);
  }
  std::string slot_name(const node& n, int slot) const {
    description d;
    pool<dtype> types;
    for (value_id v : g_.inputs(n)) types.push_back(g_.at_value(v).type);
    n.type->describe(g_.fields_of(n.fields), input_shapes(g_, n), types, d);
    return std::string(d.weights[static_cast<std::size_t>(slot)].name);
  }

  void declare() {
    const std::vector<std::string> lines = layers_.lines();
    std::size_t width = 0;
    for (const std::string& l : lines) width = std::max(width, std::min<std::size_t>(l.size(), 96));
    out_ += "struct " + options_.name + " : ctnn::network<\n";
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      std::string shapes;
      const range values = g_.nodes[i].outputs;
      for (int k = 0; k < values.count; ++k) shapes += (k ? ", " : "") + describe(g_.shape(values.first + k));
      out_ += "    " + lines[i] + ',' + std::string(width > lines[i].size() ? width - lines[i].size() : 0, ' ') +
              "  // " + shapes + '\n';
    }
    out_ += "    " + lines.back() + "> {\n";
    const std::string& name = options_.name;
    if (options_.packed)
      out_ += "  /// What an engine takes: ctnn::engine<" + name + "> run{" + name +
              "::packed};\n  static const ctnn::parameters<" + name + "> packed;\n";
    else if (weights_.empty())
      out_ += "  static constexpr std::span<const ctnn::named_weight> weights{};\n";
    else
      out_ += "  /// For ctnn::load() at start" +
              std::string(count_ > constant_weights_limit ? "" : ", or ctnn::pack<>() in the compiler") +
              ".\n  static const ctnn::named_weight weights[" + std::to_string(weights_.size()) + "];\n";
    out_ += "};\n\n";
  }

  void write_numbers() {
    out_ += "namespace " + options_.name + "_numbers {\n";
    for (const named_numbers& w : weights_) write_array(w);
    out_ += "}  // namespace " + options_.name + "_numbers\n\n";
    write_table([&](const named_numbers& w, std::size_t) { return options_.name + "_numbers::" + w.identifier; });
  }

  void write_array(const named_numbers& w) {
    out_ += "inline constexpr " + std::string(element_word(w.type)) + ' ' + w.identifier + '[' +
            std::to_string(w.count) + "] = {";
    if (w.type == dtype::f32) append_hex_floats(out_, w.numbers);
    out_ += w.text + "};\n";
  }

  void write_bytes() {
    std::vector<float> all;
    all.reserve(static_cast<std::size_t>(count_));
    for (const named_numbers& w : weights_) all.insert(all.end(), w.numbers.begin(), w.numbers.end());
    begin_bytes();
    out_ += "union bytes_or_numbers {\n  char bytes[" + std::to_string(4 * all.size() + 1) + "];\n  float numbers[" +
            std::to_string(all.size()) + "];\n};\ninline constexpr bytes_or_numbers all{";
    append_bytes(out_, all);
    out_ += "};\n";
    for (const named_numbers& w : weights_)
      if (w.type != dtype::f32) write_array(w);
    end_bytes();
    write_table([&](const named_numbers& w, std::size_t offset) {
      if (w.type != dtype::f32) return options_.name + "_numbers::" + w.identifier;
      return "{" + options_.name + "_numbers::all.numbers + " + std::to_string(offset) + ", " +
             std::to_string(w.numbers.size()) + '}';
    });
  }

  void write_table(auto&& numbers) {
    out_ += "inline constexpr ctnn::named_weight " + options_.name + "::weights[" + std::to_string(weights_.size()) +
            "] = {\n";
    std::size_t offset = 0;
    for (const named_numbers& w : weights_) {
      out_ += "    {" + in_quotes(w.layer) + ", " + in_quotes(w.slot) + ", " + numbers(w, offset) + "},\n";
      offset += w.numbers.size();
    }
    out_ += "};\n";
  }

  void write_packed(bool as_bytes) {
    const std::string& name = options_.name;
    const std::string target = options_.packed == 4 ? "CTNN_PLAIN" : "targets with Highway";
    out_ += "static_assert(ctnn::ir::channel_block == " + std::to_string(options_.packed) + ", \"" + name +
            " is packed for " + target + "\");\nstatic_assert(ctnn::ir::executable<" + name +
            "::network_type>::weights_size == " + std::to_string(packed_.size()) + ");\n\n";
    if (as_bytes) {
      packed_.resize((packed_.size() + 1 + 15) / 16 * 16);  // parameters<> is a whole number of cache lines
      begin_bytes();
      out_ += "struct alignas(64) literal {\n  char bytes[" + std::to_string(packed_.size() * 4) +
              "];\n};\ninline constexpr literal all{";
      packed_.pop_back();  // the zero at the end of the literal
      std::string bytes;
      append_bytes(bytes, packed_);
      bytes.insert(bytes.size() - 1, "\\0\\0\\0");
      out_ += bytes + "};\n";
      end_bytes();
      out_ += "inline constexpr ctnn::parameters<" + name + "> " + name + "::packed = std::bit_cast<ctnn::parameters<" +
              name + ">>(" + name + "_numbers::all);\n";
    } else {
      out_ += "inline constexpr ctnn::parameters<" + name + "> " + name + "::packed{{";
      append_hex_floats(out_, packed_);
      out_ += "}};\n";
    }
  }

  void begin_bytes() {
    out_ += "static_assert(std::endian::native == std::endian::little);\n#pragma GCC diagnostic push\n"
            "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\nnamespace " + options_.name + "_numbers {\n"
            "// Bytes of float32: compilers read these several times as fast as numbers.\n";
  }
  void end_bytes() { out_ += "}  // namespace " + options_.name + "_numbers\n#pragma GCC diagnostic pop\n\n"; }

  graph_view g_;
  declaration layers_;
  header_options options_;
  std::vector<named_numbers> weights_;
  std::vector<float> packed_;
  std::int64_t count_ = 0, floats_ = 0;
  bool finite_ = true;
  std::string out_;
};

}  // namespace detail

/// The text of the header. `numbers` gives the values of a weight expression in logical order, until its next call.
/// Throws ctnn::error naming a layer that a type cannot express.
inline std::string write_header(const graph_view& g, const detail::weight_reader& numbers,
                                const header_options& options) {
  return detail::header_writer(g, numbers, options).write();
}

}  // namespace ctnn::cpp
