// SPDX-License-Identifier: BSL-1.0
// Writes the header that cpp_header.hpp describes.
#pragma once

#include <algorithm>

#include "../../network/weights_image.hpp"
#include "../cpp_header.hpp"
#include "declaration.hpp"
#include "weight_table.hpp"

namespace ctnn::cpp {

namespace detail {

class header_writer {
 public:
  header_writer(const graph_view& g, const weight_reader& numbers, const header_options& options,
                linked_numbers* linked)
      : g_(g), layers_(g), options_(options), weights_(options.name), linked_(linked) {
    if (!is_identifier(options.name)) throw error("'" + options.name + "' cannot be the name of a C++ type");
    if (options.packed) pack_all(numbers);
    else collect(numbers);
  }

  std::string write() {
    const std::int64_t count = options_.packed ? static_cast<std::int64_t>(packed_.size()) : weights_.count();
    const bool as_bytes =
        options_.packed ? count > constant_weights_limit || !all_finite(packed_) : weights_.as_bytes();
    out_ = "// Written by `" + std::string(options_.command) + '`' +
           (options_.origin.empty() ? "" : " from " + options_.origin) + ": " + std::to_string(g_.nodes.size()) +
           " layers, " + std::to_string(count) + (options_.packed ? " packed" : "") + " numbers.\n#pragma once\n\n";
    const std::string small = "#include <ctnn/ctnn.hpp>\n", all = "#include <ctnn/typed.hpp>\n";
    // Firmware has kernels of bytes among the small ones, and no exceptions for the rest.
    out_ += layers_.needs_typed()
                ? "#if defined(CTNN_PLAIN) && !defined(__cpp_exceptions)\n" + small + "#else\n" + all + "#endif\n"
                : small;
    out_ += "#include <limits>\n";
    if (as_bytes && linked_ == nullptr) out_ += "#include <bit>\n";
    out_ += '\n';
    if (options_.packed) {
      if (options_.image != nullptr) write_image(*options_.image);
      if (linked_ != nullptr) {
        whole_lines();
        linked_->take(options_.name, std::move(packed_));
      }
      declare(count);
      write_packed(count, as_bytes);
    } else {
      declare(count);
      if (weights_.size() != 0) weights_.write(out_, options_.name + "::weights", linked_);
    }
    return out_;
  }

 private:
  void collect(const weight_reader& numbers) {
    std::unordered_set<expression_id> there;  // what layers share is given under the first of its names
    for_each_slot(g_, [&](const node& n, int slot, expression_id e, std::int64_t, std::int64_t, bool) {
      if (!there.insert(e).second) return;
      weights_.add(layers_.name(static_cast<node_id>(&n - g_.nodes.data())), slot_name(n, slot), numbers(e));
    });
  }
  void pack_all(const weight_reader& numbers) {
    packed_.resize(static_cast<std::size_t>(packed_total(g_, options_.packed)));
    for_each_slot(
        g_,
        [&](const node& n, int slot, expression_id, std::int64_t offset, std::int64_t, bool is_there) {
          if (is_there) return;
          pack_slot(
              g_, n, slot, [&](int k) { return numbers(g_.weights(n)[static_cast<std::size_t>(k)]); },
              packed_.data() + offset, options_.packed);
        },
        options_.packed);
  }
  std::string slot_name(const node& n, int slot) const {
    return std::string(slots_of(g_, n)[static_cast<std::size_t>(slot)].name);
  }

  /// Lines, of which the first are a layer each: what it gives stands behind.
  void write_lines(const std::vector<std::string>& lines, const std::string& before, const std::string& after) {
    std::size_t width = 0;
    for (const std::string& l : lines) width = std::max(width, std::min<std::size_t>(l.size(), 96));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out_ += before + lines[i] + (i + 1 < lines.size() ? after : "");
      if (i < g_.nodes.size()) {
        std::string shapes;
        const range values = g_.nodes[i].outputs;
        for (int k = 0; k < values.count; ++k) shapes += (k ? ", " : "") + describe(g_.shape(values.first + k));
        out_ += std::string(width > lines[i].size() ? width - lines[i].size() : 0, ' ') + "  // " + shapes;
      }
      if (i + 1 < lines.size()) out_ += '\n';
    }
  }
  void declare(std::int64_t count) {
    if (options_.list) {
      out_ += "struct " + options_.name + " : ctnn::network<\n";
      write_lines(layers_.list(), "    ", ",");
      out_ += "> {\n";
    } else {
      out_ += "struct " + options_.name + " : ctnn::declared<" + options_.name +
              "> {\n  static constexpr auto forward(ctnn::graph& m) {\n";
      write_lines(layers_.statements(), "    ", "");
      out_ += "\n  }\n";
    }
    const std::string& name = options_.name;
    if (options_.packed)
      out_ +=
          "  /// What an engine takes: ctnn::engine<" + name + "> run{" + name +
          "::packed};\n  CTNN_WEIGHTS static const ctnn::parameters<" + name + "> packed" +
          (linked_ != nullptr ? " asm(\"" + linked_->symbol + "\");  // in " + linked_->name + ".blob.cpp\n" : ";\n") +
          "  /// Images of weights for other networks do not have it.\n"
          "  static constexpr std::uint64_t architecture = 0x" +
          linked_numbers::hexadecimal(architecture()) + ";\n";
    else if (weights_.size() == 0) out_ += "  static constexpr std::span<const ctnn::named_weight> weights{};\n";
    else
      out_ += "  /// For ctnn::load() at start" +
              std::string(
                  count > constant_weights_limit || linked_ != nullptr ? "" : ", or ctnn::pack<>() in the compiler") +
              ".\n  static const ctnn::named_weight weights[" + std::to_string(weights_.size()) + "];\n";
    out_ += "};\n\n";
  }

  /// Of the layers as they are declared and the packing, whatever the type is called.
  std::uint64_t architecture() const {
    hash_of_text h;
    for (const std::string& line : layers_.list()) h.add(line + '\n');
    h.add(options_.packed);
    return h.value;
  }
  void write_image(std::string& to) const {
    image_header h;
    h.architecture = architecture();
    h.count = static_cast<std::uint32_t>(packed_.size());
    const std::size_t bytes = packed_.size() * sizeof(float);
    const auto* numbers = reinterpret_cast<const char*>(packed_.data());
    h.check = crc32(numbers, bytes);
    to.assign(reinterpret_cast<const char*>(&h), sizeof h);
    to.append(numbers, bytes);
  }

  /// parameters<> is a whole number of cache lines.
  void whole_lines() { packed_.resize((packed_.size() + 1 + 15) / 16 * 16); }

  void write_packed(std::int64_t count, bool as_bytes) {
    const std::string& name = options_.name;
    const std::string target = options_.packed == 4 ? "CTNN_PLAIN" : "targets with Highway";
    out_ += "static_assert(ctnn::ir::channel_block == " + std::to_string(options_.packed) + ", \"" + name +
            " is packed for " + target + "\");\nstatic_assert(ctnn::ir::executable<" + name +
            ">::weights_size == " + std::to_string(count) + ");\n";
    if (linked_ != nullptr) {
      out_ +=
          "static_assert(sizeof(ctnn::parameters<" + name + ">) == " + std::to_string(linked_->bytes().size()) + ");\n";
      return;
    }
    out_ += '\n';
    if (as_bytes) {
      whole_lines();
      begin_bytes(out_, name);
      out_ += "struct alignas(64) literal {\n  char bytes[" + std::to_string(packed_.size() * 4) +
              "];\n};\ninline constexpr literal all{";
      packed_.pop_back();  // the zero at the end of the literal
      std::string bytes;
      append_bytes(bytes, packed_);
      bytes.insert(bytes.size() - 1, "\\0\\0\\0");
      out_ += bytes + "};\n";
      end_bytes(out_, name);
      out_ += "inline constexpr ctnn::parameters<" + name + "> " + name + "::packed = std::bit_cast<ctnn::parameters<" +
              name + ">>(" + name + "_numbers::all);\n";
    } else {
      out_ += "inline constexpr ctnn::parameters<" + name + "> " + name + "::packed{{";
      append_hex_floats(out_, packed_);
      out_ += "}};\n";
    }
  }

  graph_view g_;
  declaration layers_;
  header_options options_;
  weight_table weights_;
  std::vector<float> packed_;
  linked_numbers* linked_;
  std::string out_;
};

}  // namespace detail

CTNN_ONCE std::string write_header(const graph_view& g, const detail::weight_reader& numbers,
                                   const header_options& options, linked_numbers* linked) {
  return detail::header_writer(g, numbers, options, linked).write();
}

}  // namespace ctnn::cpp
