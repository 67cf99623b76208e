// SPDX-License-Identifier: BSL-1.0
// Weights in a header: their numbers, and an array of named_weight over them.
#pragma once

#include <unordered_set>

#include "../../network/parameters.hpp"
#include "identifier.hpp"
#include "linked.hpp"
#include "numbers.hpp"

namespace ctnn::cpp {

namespace detail {

inline void begin_bytes(std::string& out, const std::string& name) {
  out +=
      "static_assert(std::endian::native == std::endian::little);\n#pragma GCC diagnostic push\n"
      "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\nnamespace " +
      name +
      "_numbers {\n"
      "// Bytes of float32: compilers read these several times as fast as numbers.\n";
}
inline void end_bytes(std::string& out, const std::string& name) {
  out += "}  // namespace " + name + "_numbers\n#pragma GCC diagnostic pop\n\n";
}
inline bool all_finite(std::span<const float> numbers) {
  for (float v : numbers)
    if (!std::isfinite(v)) return false;
  return true;
}

}  // namespace detail

/// The words are in namespace NAME_numbers.
class weight_table {
 public:
  explicit weight_table(const std::string& name) : name_(name) {}

  /// A weight's numbers in logical order. A shape is checked by who takes them.
  void add(std::string_view layer, std::string_view slot, typed_span given, const extents& shape = {}) {
    row r{std::string(layer), std::string(slot), {}, given.type(), given.size(), floats_.size(), {}, shape};
    if (r.type == dtype::f32) floats_.insert(floats_.end(), given.data(), given.data() + given.size());
    else append_elements(r.text, given);
    const std::string word = r.layer + (layer.empty() ? "" : "_") + r.slot;
    r.identifier = as_identifier(word);
    for (int k = 2; !taken_.insert(r.identifier).second; ++k)
      r.identifier = as_identifier(word + '_' + std::to_string(k));
    count_ += static_cast<std::int64_t>(r.count);
    rows_.push_back(std::move(r));
  }
  std::size_t size() const { return rows_.size(); }
  std::int64_t count() const { return count_; }
  /// Few numbers are written so that the compiler can compute with them (fold, pack); many so that it reads them fast.
  bool as_bytes() const {
    return static_cast<std::int64_t>(floats_.size()) > constant_weights_limit || !detail::all_finite(floats_);
  }

  /// Numbers and then the array, called `table`; floats go to `linked` if there is one.
  void write(std::string& out, const std::string& table, linked_numbers* linked) {
    const bool apart = linked != nullptr && !floats_.empty(), together = apart || as_bytes();
    std::string all = name_ + "_numbers::all";
    if (apart) {
      linked->take(name_, std::move(floats_));
      out += "namespace " + name_ + "_numbers {\n" + linked->declaration();
    } else if (together) {
      all += ".numbers";
      detail::begin_bytes(out, name_);
      out += "union bytes_or_numbers {\n  char bytes[" + std::to_string(4 * floats_.size() + 1) +
             "];\n  float numbers[" + std::to_string(floats_.size()) + "];\n};\ninline constexpr bytes_or_numbers all{";
      append_bytes(out, floats_);
      out += "};\n";
    } else {
      out += "namespace " + name_ + "_numbers {\n";
    }
    for (const row& r : rows_)
      if (r.count != 0 && (r.type != dtype::f32 || !together)) write_array(out, r);
    if (together && !apart) detail::end_bytes(out, name_);
    else out += "}  // namespace " + name_ + "_numbers\n\n";
    out += "inline constexpr ctnn::named_weight " + table + '[' + std::to_string(rows_.size()) + "] = {\n";
    for (const row& r : rows_) {
      out += "    {" + in_quotes(r.layer) + ", " + in_quotes(r.slot) + ", ";
      if (r.count == 0) out += "{}";
      else if (r.type != dtype::f32 || !together) out += name_ + "_numbers::" + r.identifier;
      else out += '{' + all + " + " + std::to_string(r.offset) + ", " + std::to_string(r.count) + '}';
      for (int i = 0; i < r.shape.rank; ++i) out += (i == 0 ? ", {" : ", ") + std::to_string(r.shape[i]);
      out += r.shape.rank == 0 ? "},\n" : "}},\n";
    }
    out += "};\n";
  }

 private:
  struct row {
    std::string layer, slot, identifier;
    dtype type = dtype::f32;
    std::size_t count = 0, offset = 0;  ///< offset among the floats
    std::string text{};                 ///< of any other type
    extents shape{};
  };

  void write_array(std::string& out, const row& r) const {
    out += "inline constexpr " + std::string(element_word(r.type)) + ' ' + r.identifier + '[' +
           std::to_string(r.count) + "] = {";
    if (r.type == dtype::f32) append_hex_floats(out, std::span(floats_).subspan(r.offset, r.count));
    out += r.text + "};\n";
  }

  std::string name_;
  std::vector<row> rows_;
  std::vector<float> floats_;
  std::int64_t count_ = 0;
  std::unordered_set<std::string> taken_;
};

/// A header of tensors by the keys of a state_dict, for whatever network takes them: an array of named_weight called
/// like the header.
inline std::string write_weights(weight_table& table, const std::string& name, const std::string& origin,
                                 linked_numbers* linked = nullptr) {
  const bool folds = table.count() <= constant_weights_limit && !table.as_bytes() && linked == nullptr;
  std::string out = "// Written by `ctnn header` from " + origin + ": " + std::to_string(table.size()) + " tensors, " +
                    std::to_string(table.count()) +
                    " numbers.\n#pragma once\n\n#include <ctnn/network/parameters.hpp>\n" +
                    (linked == nullptr && table.as_bytes() ? "#include <bit>\n\n" : "\n");
  out += "// For ctnn::load_folded<NET>(packed, " + name + ") at start" +
         (folds ? ", or ctnn::fold<NET, " + name + ">() in the compiler" : "") + "; shapes are checked.\n";
  table.write(out, name, linked);
  return out;
}

}  // namespace ctnn::cpp
