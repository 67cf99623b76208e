// SPDX-License-Identifier: BSL-1.0
// A JSON file in memory, and the way to each of its values, for messages. parser.hpp makes it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../base/compiled.hpp"
#include "../../base/describe.hpp"
#include "../../base/error.hpp"
#include "../../base/namespaces.hpp"
#include "../../loaded/budget.hpp"

namespace ctnn::json {

enum class kind : unsigned char { null, boolean, number, string, array, object };

constexpr std::string_view name_of(kind k) {
  constexpr std::string_view names[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
  return names[static_cast<std::size_t>(k)];
}

/// Arrays and objects inside each other; none of the formats needs half of it.
inline constexpr std::size_t most_depth = 64;

/// Values in the order of the text: what an array or an object holds stands behind it.
struct document {
  struct item {
    double number = 0;        ///< of a boolean 0 or 1
    std::uint32_t next = 0;   ///< the value behind this one and all that it holds
    std::uint32_t count = 0;  ///< of values that it holds; of a string: which of `texts` it is
    std::uint32_t key = 0;    ///< which of `texts` it is called in its object
    kind what = kind::null;
  };
  std::string source;  ///< what messages call the file
  std::vector<item> items;
  std::vector<std::string> texts;
};

/// A value and the way to it: "config.layers[0].channels". Whatever is not as asked throws ctnn::error with both.
class element {
 public:
  explicit element(const document& of) : of_(&of) {}

  [[noreturn]] void fail(const std::string& what) const {
    const std::string at = path();
    throw error(of_->source + ": " + (at.empty() ? "" : at + ": ") + what);
  }
  /// The file is sound, and ctnn has nothing for this.
  [[noreturn]] void refuse(const std::string& what) const {
    const std::string at = path();
    throw error(of_->source + ": not supported: " + what + (at.empty() ? "" : " in " + at));
  }
  std::string path() const { return array_ ? array_->path() + '[' + std::to_string(index_) + ']' : path_; }
  kind what() const { return item().what; }
  bool is(kind k) const { return what() == k; }

  /// What an object holds under a key, the last one if it stands there twice; null is there.
  std::optional<element> find(std::string_view key) const {
    expect(kind::object);
    std::optional<element> found;
    walk([&](std::uint32_t at, std::uint32_t) {
      if (of_->texts[of_->items[at].key] == key) found = element(*of_, at);
    });
    if (found) found->path_ = path() + (path().empty() ? "" : ".") + std::string(key);
    return found;
  }
  /// The same, not null.
  std::optional<element> given(std::string_view key) const {
    auto found = find(key);
    return found && found->is(kind::null) ? std::nullopt : found;
  }
  element operator[](std::string_view key) const {
    if (auto found = find(key)) return *std::move(found);
    fail("'" + std::string(key) + "' is missing");
  }
  /// Whether a key of an object ends so.
  bool has_key_ending(std::string_view end) const {
    bool has = false;
    walk([&](std::uint32_t at, std::uint32_t) { has = has || of_->texts[of_->items[at].key].ends_with(end); });
    return has;
  }
  /// Throws for a key that is none of these: what it means nobody knows.
  void expect_keys(std::span<const std::string_view> known) const {
    expect(kind::object);
    walk([&](std::uint32_t at, std::uint32_t) {
      const std::string& key = of_->texts[of_->items[at].key];
      for (const std::string_view k : known)
        if (k == key) return;
      refuse("key '" + key.substr(0, most_shown) + "'");
    });
  }

  /// Of an array.
  std::size_t size() const {
    expect(kind::array);
    return item().count;
  }
  /// Calls f(element) for everything in an array, in order. None lives longer than the call, unless it is kept().
  template <class F>
  void each(F&& f) const {
    expect(kind::array);
    walk([&](std::uint32_t at, std::uint32_t i) {
      element e(*of_, at);
      e.array_ = this;
      e.index_ = i;
      f(std::as_const(e));
    });
  }
  element kept() const {
    element e(*of_, at_);
    e.path_ = path();
    return e;
  }
  element last() const {
    if (size() == 0) fail("is empty");
    std::optional<element> found;
    each([&](const element& e) {
      if (e.index_ + 1 == item().count) found = e.kept();
    });
    return *std::move(found);
  }

  bool boolean() const {
    expect(kind::boolean);
    return item().number != 0;
  }
  double number() const {
    expect(kind::number);
    return item().number;
  }
  float real() const {
    const double n = number();
    if (!(std::abs(n) <= static_cast<double>(std::numeric_limits<float>::max()))) fail("is no float");
    return static_cast<float>(n);
  }
  int integer(int least, int most) const {
    const double n = number();
    if (!(n >= least && n <= most) || n != std::floor(n))
      fail(short_number(n) + ", expected " + std::to_string(least) + " to " + std::to_string(most));
    return static_cast<int>(n);
  }
  std::string_view text() const {
    expect(kind::string);
    return of_->texts[item().count];
  }

  bool boolean_or(std::string_view key, bool otherwise) const {
    const auto found = find(key);
    return found ? found->boolean() : otherwise;
  }
  int integer_or(std::string_view key, int otherwise, int least, int most) const {
    const auto found = find(key);
    return found ? found->integer(least, most) : otherwise;
  }
  float real_or(std::string_view key, float otherwise) const {
    const auto found = find(key);
    return found ? found->real() : otherwise;
  }
  std::vector<int> integers(int least, int most) const {
    std::vector<int> all;
    each([&](const element& e) { all.push_back(e.integer(least, most)); });
    return all;
  }
  /// An array of numbers.
  std::vector<float> reals() const {
    std::vector<float> all;
    each([&](const element& e) { all.push_back(e.real()); });
    return all;
  }
  /// Arrays in arrays, as NumPy prints them; an extent below 0 is as the first array has it.
  std::vector<float> reals(extents& shape) const {
    std::vector<float> all;
    add_reals(shape, 0, all);
    return all;
  }

 private:
  static constexpr std::size_t most_shown = 80;

  element(const document& of, std::uint32_t at) : of_(&of), at_(at) {}

  const document::item& item() const { return of_->items[at_]; }
  void expect(kind k) const {
    if (!is(k)) fail("is " + std::string(name_of(what())) + ", expected " + std::string(name_of(k)));
  }
  static std::string short_number(double n) {
    std::string text = std::to_string(n);
    if (text.size() > 24) return "a number of " + std::to_string(text.find('.')) + " digits";
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text;
  }
  /// Calls f(place, index) for everything that this holds.
  template <class F>
  void walk(F&& f) const {
    std::uint32_t i = 0;
    for (std::uint32_t at = at_ + 1; at != item().next; at = of_->items[at].next) f(at, i++);
  }
  void add_reals(extents& shape, int axis, std::vector<float>& all) const {
    const int count = static_cast<int>(size());
    if (shape[axis] < 0) shape[axis] = count;
    if (count != shape[axis])
      fail("has " + std::to_string(count) + " elements, expected " + std::to_string(shape[axis]));
    each([&](const element& e) {
      if (axis + 1 < shape.rank) e.add_reals(shape, axis + 1, all);
      else all.push_back(e.real());
    });
  }

  const document* of_;
  std::uint32_t at_ = 0;
  std::string path_{};              ///< of what is no part of an array that is being walked
  const element* array_ = nullptr;  ///< of what is: the way is written when it is asked for
  std::uint32_t index_ = 0;
};

/// Reads a text. Throws ctnn::error with the byte, or the way to the value, where something is wrong.
document parse(std::string_view text, const std::string& source, const budget& limits = {});

}  // namespace ctnn::json
