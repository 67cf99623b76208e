// SPDX-License-Identifier: BSL-1.0
// The names of a network's values while it is lowered, and which of them somebody reads.
#pragma once

#include "../graph/graph.hpp"

namespace ctnn::ir {

/// Names to numbers by open addressing: looking up 250 layers must not cost 250 comparisons each. A layer with several
/// outputs has one name, and "name.0", "name.1", ... besides.
class name_table {
 public:
  struct named {
    std::string_view name{};
    value_id first = none;
    int count = 1;
    bool read = false;
  };

  constexpr explicit name_table(std::size_t names) {
    std::size_t slots = 4;
    while (slots < 2 * names + 2) slots *= 2;
    numbers_ = pool<int>(slots, none);
    all_.reserve(2 * names + 2);
  }
  /// What another table held.
  constexpr name_table(span<const named> all, span<const int> numbers, bool any_several)
      : any_several_(any_several), numbers_(numbers), all_(all) {}
  constexpr span<const named> all() const { return {all_.data(), all_.size()}; }
  constexpr span<const int> numbers() const { return {numbers_.data(), numbers_.size()}; }
  constexpr bool any_several() const { return any_several_; }

  /// Empty, or the name that is there already.
  constexpr std::string_view insert(std::string_view name, value_id first, int count) {
    const int number = add_nameless(first);
    all_[static_cast<std::size_t>(number)].count = count;
    any_several_ = any_several_ || count > 1;
    return rename(number, name);
  }
  constexpr int add_nameless(value_id v) {
    all_.push_back({{}, v, 1, false});
    return last();
  }
  /// Gives a number without a name one.
  constexpr std::string_view rename(int number, std::string_view name) {
    int& slot = numbers_[slot_of_name(name)];
    if (slot != none || (any_several_ && find_among_outputs(name) != none)) return name;
    named& n = all_[static_cast<std::size_t>(number)];
    if (n.count > 1)
      for (const named& other : all_)
        if (other.name.size() > name.size() && other.name.substr(0, name.size()) == name &&
            index_of(other.name, name.size()) >= 0 && index_of(other.name, name.size()) < n.count)
          return other.name;
    n.name = name;
    slot = number;
    return {};
  }

  /// The value of a name, which is read from now on; none if there is no such name.
  constexpr value_id read(std::string_view name) {
    if (const int number = numbers_[slot_of_name(name)]; number != none) return read(number);
    return find_among_outputs(name);
  }
  constexpr value_id read(int number) {
    all_[static_cast<std::size_t>(number)].read = true;
    return at(number);
  }
  /// The first output of a layer, which nobody reads thereby; none if there is no such layer.
  constexpr value_id first_of(std::string_view layer) const {
    const int number = numbers_[slot_of_name(layer)];
    return number == none ? none : at(number);
  }
  constexpr value_id at(int number) const { return all_[static_cast<std::size_t>(number)].first; }
  constexpr bool is_read(int number) const { return all_[static_cast<std::size_t>(number)].read; }
  constexpr std::string_view name(int number) const { return all_[static_cast<std::size_t>(number)].name; }
  constexpr int last() const { return static_cast<int>(all_.size()) - 1; }
  /// 2 of "split.2", whose dot is at `dot`; -1 if that is no number.
  static constexpr int index_of(std::string_view name, std::size_t dot) {
    if (dot + 1 >= name.size() || name[dot] != '.') return -1;
    int index = 0;
    for (char c : name.substr(dot + 1)) {
      if (c < '0' || c > '9' || index > 9999) return -1;
      index = index * 10 + (c - '0');
    }
    return index;
  }

 private:
  constexpr std::size_t slot_of_name(std::string_view name) const {
    std::size_t h = 5381;
    for (char c : name) h = h * 33 + static_cast<unsigned char>(c);
    while (true) {
      const std::size_t slot = h++ & (numbers_.size() - 1);
      if (numbers_[slot] == none || all_[static_cast<std::size_t>(numbers_[slot])].name == name) return slot;
    }
  }
  /// "split.2" is output 2 of layer "split".
  constexpr value_id find_among_outputs(std::string_view name) const {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return none;
    const int index = index_of(name, dot);
    if (index < 0) return none;
    const int number = numbers_[slot_of_name(name.substr(0, dot))];
    if (number == none) return none;
    const named& n = all_[static_cast<std::size_t>(number)];
    return index < n.count ? n.first + index : none;
  }

  bool any_several_ = false;  ///< layers with several outputs
  pool<int> numbers_;         ///< places in all_ by slot, a power of two of them
  pool<named> all_;
};

}  // namespace ctnn::ir
