// SPDX-License-Identifier: BSL-1.0
// A layer as forward() calls it, in the words of network/call_words.hpp.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "../../network/call_words.hpp"
#include "numbers.hpp"

namespace ctnn::cpp {

/// A name as forward() takes it.
inline std::string string_of(const std::string& name) {
  if (name.find('\0') == name.npos) return in_quotes(name);
  return "{" + in_quotes(name) + ", " + std::to_string(name.size()) + '}';
}

/// A layer with what it is called and reads, for whoever writes it.
struct said_layer {
  const node* n = nullptr;
  std::string name{};
  std::vector<std::string> reads{};  ///< names of values
  spelled_options options{};
};

/// m.conv2d("conv1", image, {.out_channels = 16, .kernel_size = 3})
class call {
 public:
  /// `variables` are the values that the layer reads.
  call(const said_layer& l, std::span<const std::string> variables) : l_(l), reads_(variables) {
    for (const ir::call_word& w : ir::detail::call_words<call>::all)
      if (fits(w) && (word_ == nullptr || said_by(w) > said_by(*word_))) word_ = &w;
    if (word_ == nullptr) write_operator();
    else write_word();
  }

  const std::string& text() const { return text_; }
  /// The word; of an operator without one its own name.
  std::string_view word() const { return word_ == nullptr ? l_.n->type->name : word_->word; }
  /// Does it give several values, to be taken by [a, b], or one?
  bool gives_several() const { return l_.n->outputs.count != 1 || (word_ != nullptr && word_->results == 0); }
  /// Does the text say what the layer is called?
  bool says_name() const { return word_ == nullptr || word_->takes.starts_with("name"); }

 private:
  /// What stands before the options, as call_word::takes says it.
  struct argument {
    std::string_view kind, by_itself, left_out;

    explicit argument(std::string_view said) : kind(said) {
      const std::size_t equals = kind.find('=');
      if (equals == kind.npos) return;
      by_itself = kind.substr(equals + 1);
      kind = kind.substr(0, equals);
      if (const std::size_t bar = by_itself.find('|'); bar != by_itself.npos) {
        left_out = by_itself.substr(bar + 1);
        by_itself = by_itself.substr(0, bar);
      }
    }
    bool is_list() const { return kind.front() == '{' && kind != "{x...}"; }
    bool is_padding() const { return kind == "{padding}"; }
    /// The field that it sets; of others no field's name.
    std::string_view key() const {
      return is_list() ? kind.substr(1, kind.size() - 2) : kind.substr(0, kind.find('.'));
    }
    bool sets(std::string_view field) const {
      return is_padding() ? field == "before" || field == "after" : key() == field;
    }
  };
  static std::vector<argument> arguments_of(const ir::call_word& w) {
    std::vector<argument> all;
    std::string_view left = w.takes;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find(' '), left.size());
      all.emplace_back(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    return all;
  }

  const spelled_option* find(std::string_view key) const {
    for (const spelled_option& o : l_.options)
      if (o.key == key) return &o;
    return nullptr;
  }
  static std::size_t said_by(const ir::call_word& w) {
    std::size_t numbers = 0;
    for (const ir::option_record& r : w.says) numbers += r.values.size();
    return numbers;
  }
  static bool says(const ir::call_word& w, std::string_view key) {
    return std::any_of(w.says.begin(), w.says.end(), [&](const ir::option_record& r) { return r.key == key; });
  }

  /// Can the word say all of the layer?
  bool fits(const ir::call_word& w) const {
    if (w.type != l_.n->type || (w.results != 0 && w.results != l_.n->outputs.count)) return false;
    const std::vector<argument> takes = arguments_of(w);
    std::size_t reads = 0;
    bool any_number = false;
    for (const argument& a : takes) {
      reads += a.kind == "x" ? 1u : 0u;
      if (a.is_padding() && padding().empty()) return false;
      any_number = any_number || a.kind.find("x...") != a.kind.npos;
    }
    if (any_number ? reads_.empty() : reads != reads_.size()) return false;
    const auto taken = [&](std::string_view key) {
      for (const argument& a : takes)
        if (a.sets(key)) return &a;
      return static_cast<const argument*>(nullptr);
    };
    for (const ir::option_record& r : w.says) {
      const spelled_option* const o = find(r.key);
      if (o == nullptr || o->values.size() < r.values.size()) return false;
      if (o->values.size() > r.values.size() && taken(r.key) == nullptr) return false;
      for (std::size_t i = 0; i < r.values.size(); ++i)
        if (o->values[i] != r.values[i]) return false;
    }
    for (const spelled_option& o : l_.options) {
      if (says(w, o.key)) continue;
      if (const argument* const a = taken(o.key)) {
        if (!a->is_list() && o.values.size() != 1) return false;
      } else if (member_of(w, o) == nullptr) {
        return false;
      }
    }
    return true;
  }
  /// The first of the names that an option has. Padding by a word is a member's value.
  const ir::option_member* member_of(const ir::call_word& w, const spelled_option& o) const {
    const bool by_word = o.key == "same" && find("pad") == nullptr;
    if (o.values.empty() || o.values.size() > 2 * max_rank) return nullptr;
    for (const ir::option_member& m : w.members)
      if (m.key == (by_word ? "pad" : o.key)) return &m;
    return nullptr;
  }

  void write_word() {
    const ir::call_word& w = *word_;
    std::vector<std::string> arguments;
    std::vector<bool> needed;
    std::string members;
    text_ = "m." + std::string(w.word);
    std::size_t read = 0;
    const std::vector<argument> takes = arguments_of(w);
    for (const argument& a : takes) {
      if (a.kind == "<>") {
        text_ += '<' + std::to_string(l_.n->outputs.count) + '>';
        continue;
      }
      std::string text;
      if (a.kind == "name") text = string_of(l_.name);
      else if (a.kind == "x") text = reads_[read++];
      else if (a.kind == "x..." && reads_.size() == 1) text = reads_[0];
      else if (a.kind == "x..." || a.kind == "{x...}") text = in_braces(reads_);
      else text = of_option(w, a);
      arguments.push_back(text);
      needed.push_back(text != a.left_out);
    }
    for (const ir::option_member& m : w.members)
      for (const spelled_option& o : l_.options) {
        if (says(w, o.key) || member_of(w, o) != &m) continue;
        if (std::any_of(takes.begin(), takes.end(), [&](const argument& a) { return a.sets(o.key); })) continue;
        members += (members.empty() ? "{." : ", .") + std::string(m.name) + " = " +
                   (o.key == "same" ? padding_word(o) : value(o, w.is_boolean(o.key)));
      }
    if (!members.empty()) arguments.push_back(members + '}');
    while (members.empty() && !needed.empty() && !needed.back()) arguments.pop_back(), needed.pop_back();
    text_ += '(' + joined(arguments) + ')';
  }
  std::string of_option(const ir::call_word& w, const argument& a) const {
    const spelled_option* const o = find(a.key());
    if (a.is_padding()) return in_braces(padding());
    if (a.is_list()) return o == nullptr ? "{}" : numbers_of(*o);
    if (const std::size_t point = a.kind.find('.'); point != a.kind.npos) {
      const auto i = static_cast<std::size_t>(a.kind[point + 1] - '0');
      return o != nullptr && i < o->values.size() ? exact_argument(o->values[i]) : "0";
    }
    if (o != nullptr) return value(*o, w.is_boolean(o->key));
    return std::string(a.by_itself.empty() ? a.kind : a.by_itself);
  }

  /// Numbers before and after each axis from the last one on, without zeros at the end; none if there are not both.
  std::vector<std::string> padding() const {
    const spelled_option *const before = find("before"), *const after = find("after");
    std::vector<std::string> all;
    if (before == nullptr || after == nullptr || before->values.size() != after->values.size()) return all;
    for (std::size_t i = before->values.size(); i-- > 0;) {
      all.push_back(exact_argument(before->values[i]));
      all.push_back(exact_argument(after->values[i]));
    }
    while (all.size() > 2 && all.back() == "0" && all[all.size() - 2] == "0") all.resize(all.size() - 2);
    return all;
  }

  void write_operator() {
    text_ = "m.layer<" + std::string(l_.n->type->spelling());
    if (l_.n->outputs.count != 1) text_ += ", " + std::to_string(l_.n->outputs.count);
    text_ += ">(" + string_of(l_.name) + ", " + in_braces(reads_);
    std::vector<std::string> fields;
    for (const spelled_option& o : l_.options) {
      const std::string said = value(o, false);
      fields.push_back('{' + in_quotes(o.key) + ", " + (said.front() == '{' ? said : '{' + said + '}') + '}');
    }
    text_ += (fields.empty() ? "" : ", " + in_braces(fields)) + ')';
  }

  static std::string joined(std::span<const std::string> list) {
    std::string out;
    for (const std::string& s : list) out += (out.empty() ? "" : ", ") + s;
    return out;
  }
  static std::string in_braces(std::span<const std::string> list) { return '{' + joined(list) + '}'; }
  static std::string numbers_of(const spelled_option& o) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < o.values.size(); ++i) all.push_back(exact_argument(o.values[i]));
    return in_braces(all);
  }
  static std::string padding_word(const spelled_option& o) {
    return o.values[0] == static_cast<double>(ir::same_padding::lower) ? "\"same_lower\"" : "\"same\"";
  }
  static std::string_view enumerator_of(spelled_option o) {
    if (o.key == "to" || o.key == "weight_type") o.key = "type";
    for (const ir::option_word& w : ir::detail::words<call>::of_options)
      if (ir::detail::says(w.says, o) && w.value.find(':') != w.value.npos) return w.value;
    return {};
  }
  /// What an option is set to: an enumerator where the words of lists know one, a boolean, a number or several.
  static std::string value(const spelled_option& o, bool is_boolean) {
    const std::span<const double> values(o.values.data(), o.values.size());
    if (o.key == "activation") {
      std::vector<std::string> all{"ctnn::function::" + std::string(name_of(static_cast<function>(values[0])))};
      for (double v : values.subspan(1)) all.push_back(exact_argument(v));
      return all.size() == 1 ? all[0] : in_braces(all);
    }
    if (const std::string_view word = enumerator_of(o); !word.empty()) return "ctnn::" + std::string(word);
    if (is_boolean && values.size() == 1) return values[0] != 0 ? "true" : "false";
    const std::string numbers = numbers_of(o);
    if (values.size() != 1 || numbers.starts_with("{ctnn::exact")) return numbers;
    return numbers.substr(1, numbers.size() - 2);
  }

  const said_layer& l_;
  std::span<const std::string> reads_;
  const ir::call_word* word_ = nullptr;
  std::string text_;
};

}  // namespace ctnn::cpp
