// SPDX-License-Identifier: BSL-1.0
// JSON by nlohmann's parser (Debian: nlohmann-json3-dev), event by event: no tree of its own is ever in memory.
#pragma once

#include "document.hpp"
#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>

namespace ctnn::json {

namespace detail {

class maker final : public nlohmann::json_sax<nlohmann::json> {
 public:
  maker(document& into, budget limits) : into_(into), limits_(limits) {}

  bool null() override { return add({}); }
  bool boolean(bool is) override { return add({.number = is ? 1.0 : 0.0, .what = kind::boolean}); }
  bool number_integer(std::int64_t n) override { return number(static_cast<double>(n)); }
  bool number_unsigned(std::uint64_t n) override { return number(static_cast<double>(n)); }
  bool number_float(double n, const std::string&) override { return number(n); }
  bool string(std::string& text) override { return add({.count = keep(text), .what = kind::string}); }
  bool binary(nlohmann::json::binary_t&) override { fail("bytes, which are no JSON"); }
  bool key(std::string& text) override {
    key_ = keep(text);
    return true;
  }
  bool start_object(std::size_t) override { return open(kind::object); }
  bool start_array(std::size_t) override { return open(kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception& what) override {
    std::string why = what.what();
    if (const std::size_t id = why.find("] "); id != why.npos) why.erase(0, id + 2);
    constexpr std::size_t most = 200;  // it may have the last token in it, which may be all of the file
    if (why.size() > most) why = why.substr(0, most) + " ...";
    fail("no JSON: byte " + std::to_string(at) + ": " + why);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    std::string path;
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const document::item& i = into_.items[open_[k]];
      if (k > 0 && into_.items[open_[k - 1]].what == kind::object) path += '.' + into_.texts[i.key].substr(0, 80);
      // The last array has not counted yet what comes.
      if (i.what == kind::array) path += '[' + std::to_string(i.count - (k + 1 < open_.size() ? 1 : 0)) + ']';
    }
    throw error(into_.source + ": " + (path.empty() ? "" : path.substr(path[0] == '.' ? 1 : 0) + ": ") + what);
  }
  void take(std::uint64_t bytes) {
    if (!limits_.take(bytes)) fail(over_memory(bytes, limits_));
  }
  std::uint32_t keep(std::string& text) {
    take(sizeof(std::string) + text.size());
    into_.texts.push_back(std::move(text));
    return static_cast<std::uint32_t>(into_.texts.size() - 1);
  }
  bool number(double n) { return add({.number = n, .what = kind::number}); }
  bool add(document::item i) {
    take(sizeof i);
    if (into_.items.size() > most_items) fail("more than " + std::to_string(most_items) + " values");
    i.key = key_;
    i.next = static_cast<std::uint32_t>(into_.items.size() + 1);
    if (!open_.empty()) ++into_.items[open_.back()].count;
    into_.items.push_back(i);
    return true;
  }
  bool open(kind k) {
    if (open_.size() == most_depth) fail("nested deeper than " + std::to_string(most_depth));
    add({.what = k});
    open_.push_back(static_cast<std::uint32_t>(into_.items.size() - 1));
    return true;
  }
  bool close() {
    into_.items[open_.back()].next = static_cast<std::uint32_t>(into_.items.size());
    open_.pop_back();
    return true;
  }

  static constexpr std::size_t most_items = std::numeric_limits<std::uint32_t>::max() - 1;
  document& into_;
  budget limits_;
  std::vector<std::uint32_t> open_;  ///< arrays and objects around what comes
  std::uint32_t key_ = 0;
};

}  // namespace detail

CTNN_ONCE document parse(std::string_view text, const std::string& source, const budget& limits) {
  document out{source, {}, {""}};
  detail::maker maker(out, limits);
  nlohmann::json::sax_parse(text.begin(), text.end(), &maker);
  return out;
}

}  // namespace ctnn::json

#else

namespace ctnn::json {

CTNN_ONCE document parse(std::string_view, const std::string& source, const budget&) {
  throw error(source +
              ": reading JSON (.nam, RTNeural's .json) needs nlohmann's JSON (Debian: nlohmann-json3-dev), "
              "which this program was built without");
}

}  // namespace ctnn::json

#endif
