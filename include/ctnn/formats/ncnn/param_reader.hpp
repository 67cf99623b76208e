// SPDX-License-Identifier: BSL-1.0
// Text .param to param_file. Tokens are separated by white space, lines mean nothing (as in ncnn); every count, name
// and number is checked before it is believed.
#pragma once

#include <string_view>

#include "../../base/compiled.hpp"
#include "../../base/error.hpp"
#include "../../loaded/budget.hpp"
#include "param_file.hpp"

namespace ctnn::ncnn {

/// Parses the text of a .param file. Text after the declared number of layers is ignored, as ncnn does.
/// Throws ctnn::error with file and line. `source` is what messages call the file.
param_file parse_param(std::string_view text, std::string source = "param", const budget& limits = {});

}  // namespace ctnn::ncnn

#if CTNN_DEFINES(CTNN_PART_NCNN_READER)

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

#include "../../base/numerals.hpp"

namespace ctnn::ncnn {

namespace detail {

class param_parser {
 public:
  param_parser(std::string_view text, std::string source, const budget& limits) : text_(text), limits_(limits) {
    file_.source = std::move(source);
  }

  param_file parse() {
    if (text_.size() > limits_.file_bytes)
      fail(std::to_string(text_.size()) + " bytes, the limit is " + std::to_string(limits_.file_bytes));
    if (const auto magic = token("the number 7767517"); magic != "7767517")
      fail("expected 7767517 as the first word, got '" + shortened(magic) + "'");
    const std::size_t layers = count("layer count", limits_.layers);
    const std::size_t blobs = count("blob count", limits_.blobs);
    if (layers == 0) fail("layer count 0");
    // "T n 0 0" and a separator: a file cannot hold more layers than this, so reserve nothing larger.
    if (layers > text_.size() / 8 + 1) fail("layer count " + std::to_string(layers) + " in a file this short");
    for (std::size_t i = 0; i < layers; ++i) {
      parse_layer(i, layers);
      if (known_.size() > blobs)
        fail("more blobs than the " + std::to_string(blobs) + " the header declares");
    }
    return std::move(file_);
  }

 private:
  void parse_layer(std::size_t index, std::size_t layers) {
    skip_space();
    if (at_ == text_.size())
      fail("file ends after " + std::to_string(index) + " of " + std::to_string(layers) + " layers");
    layer l;
    l.line = line_;
    l.type = name("layer type");
    l.name = name("layer name");
    const std::size_t inputs = count("input count", limits_.blobs);
    const std::size_t outputs = count("output count", limits_.blobs);
    for (std::size_t i = 0; i < inputs; ++i) {
      l.inputs.push_back(name("input name"));
      if (!known_.contains(l.inputs.back()))
        fail("layer '" + l.name + "': input '" + l.inputs.back() + "' is not the output of a layer above");
    }
    for (std::size_t i = 0; i < outputs; ++i) {
      l.outputs.push_back(name("output name"));
      if (!known_.insert(l.outputs.back()).second)
        fail("layer '" + l.name + "': output '" + l.outputs.back() + "' is already the output of a layer above");
    }
    while (const auto key = next_key()) parse_parameter(l, *key);
    file_.layers.push_back(std::move(l));
  }

  /// The key of "<int>=" if that comes next; otherwise nothing is consumed, and the next layer begins here.
  std::optional<int> next_key() {
    skip_space();
    int key = 0;
    const char *first = text_.data() + at_, *last = text_.data() + text_.size();
    const auto [end, code] = std::from_chars(first, last, key);
    if (end == first || end == last || *end != '=') return {};
    if (code != std::errc{}) fail("parameter key out of range");
    at_ += static_cast<std::size_t>(end - first) + 1;
    return key;
  }

  void parse_parameter(layer& l, int key) {
    const bool old_array = key <= -23300;
    const int id = old_array ? -23300 - key : key;
    if (id < 0 || id > 31) fail("layer '" + l.name + "': parameter key " + std::to_string(key) + ", expected 0 to 31");
    parameter value = old_array ? parameter(old_style_array()) : plain_value();
    if (!l.params.emplace(id, std::move(value)).second)
      fail("layer '" + l.name + "': parameter " + std::to_string(id) + " is given twice");
  }

  /// n,v1,...,vn
  numbers old_style_array() {
    std::string_view rest = value_token();
    const std::size_t n = to_count(cut(rest), "array length", limits_.array_length);
    if (n > rest.size()) fail("array of " + std::to_string(n) + " numbers ends early");
    numbers out;
    for (std::size_t i = 0; i < n; ++i) {
      if (rest.empty()) fail("array of " + std::to_string(n) + " numbers has only " + std::to_string(i));
      out.push_back(to_number(cut(rest)));
    }
    if (!rest.empty()) fail("array has more than the " + std::to_string(n) + " numbers it declares");
    return out;
  }

  /// One number, "v,v,..." (one element: "v,"), a word, or a quoted string.
  parameter plain_value() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    std::string_view rest = value_token();
    const char first = rest.front();
    // ncnn would take "inf" for a string; no layer has such a string, and a number was meant.
    if (((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')) && !is_not_finite(rest)) {
      if (rest.size() > limits_.name_length) fail("string of " + std::to_string(rest.size()) + " characters");
      return std::string(rest);
    }
    if (rest.find(',') == rest.npos) return to_number(rest);
    numbers out;
    while (!rest.empty()) {
      if (out.size() == limits_.array_length) fail("array longer than " + std::to_string(limits_.array_length));
      out.push_back(to_number(cut(rest)));
    }
    return out;
  }

  std::string quoted() {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == text_.npos || end - at_ - 1 > limits_.name_length)
      fail("string without closing quote within " + std::to_string(limits_.name_length) + " characters");
    std::string out(text_.substr(at_ + 1, end - at_ - 1));
    if (out.find('\n') != out.npos) fail("string without closing quote on its line");
    at_ = end + 1;
    return out;
  }

  /// Takes the part before the first comma, and the comma.
  static std::string_view cut(std::string_view& rest) {
    const std::size_t comma = rest.find(',');
    const std::string_view head = rest.substr(0, comma);
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    return head;
  }

  /// inf, nan and the like, with a sign or without: ncnn reads none of them as a number.
  static bool is_not_finite(std::string_view word) {
    if (!word.empty() && (word.front() == '+' || word.front() == '-')) word.remove_prefix(1);
    std::string small(word.substr(0, 9));
    for (char& c : small) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return small == "inf" || small == "infinity" || small == "nan";
  }

  number to_number(std::string_view word) const {
    if (is_not_finite(word))
      fail("'" + std::string(word) +
           "' is no number of ncnn's, which has no infinity (3.402823e+38 stands for it) and no NaN");
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    if (word.find_first_of(".eE") == word.npos) {
      const auto integer = parse_integer<std::int32_t>(word);
      if (!integer) fail("'" + shortened(word) + "' is not a 32-bit integer");
      return {static_cast<double>(*integer), false};
    }
    const auto value = parse_decimal(word);
    if (!value || !std::isfinite(static_cast<float>(*value))) fail("'" + shortened(word) + "' is not a float");
    return {*value, true};
  }

  std::size_t to_count(std::string_view word, const char* what, std::size_t limit) const {
    const auto n = parse_integer<std::int64_t>(word);
    if (!n || *n < 0 || static_cast<std::uint64_t>(*n) > limit)
      fail(std::string(what) + " '" + shortened(word) + "', expected 0 to " + std::to_string(limit));
    return static_cast<std::size_t>(*n);
  }
  std::size_t count(const char* what, std::size_t limit) { return to_count(token(what), what, limit); }

  std::string name(const char* what) {
    const std::string_view word = token(what);
    if (word.size() > limits_.name_length)
      fail(std::string(what) + " of " + std::to_string(word.size()) + " characters, the limit is " +
           std::to_string(limits_.name_length));
    if (word.find('\0') != word.npos) fail(std::string(what) + " holds a zero byte");
    return std::string(word);
  }

  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  void skip_space() {
    for (; at_ < text_.size() && is_space(text_[at_]); ++at_) line_ += text_[at_] == '\n';
  }
  std::string_view word() {
    const std::size_t first = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(first, at_ - first);
  }
  std::string_view token(const char* what) {
    skip_space();
    if (at_ == text_.size()) fail(std::string("file ends where ") + what + " was expected");
    return word();
  }
  /// What follows "key=" without a blank.
  std::string_view value_token() {
    const std::string_view w = word();
    if (w.empty()) fail("parameter without a value");
    return w;
  }

  static std::string shortened(std::string_view word) {
    return word.size() <= 40 ? std::string(word) : std::string(word.substr(0, 40)) + "...";
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw error(file_.source + ":" + std::to_string(line_) + ": " + what);
  }

  std::string_view text_;
  const budget& limits_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::unordered_set<std::string> known_;
  param_file file_;
};

}  // namespace detail

CTNN_ONCE param_file parse_param(std::string_view text, std::string source, const budget& limits) {
  return detail::param_parser(text, std::move(source), limits).parse();
}

}  // namespace ctnn::ncnn

#endif
