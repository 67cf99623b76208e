// SPDX-License-Identifier: BSL-1.0
// What a function that declares a network has called so far: layers, what they read, their options, the lines of the
// program that they are in. declared.hpp makes the list of layers of it that network<...> is, so that everything behind
// is the same for both.
#pragma once

#include "../base/hash.hpp"
#include "call_options.hpp"
#include "layer_maker.hpp"
#include "value.hpp"

namespace ctnn::detail {

/// A called layer; texts and numbers are in the recorder's pools.
struct recorded_call {
  const ir::operator_type* type = nullptr;
  ir::range name{}, reads{}, options{};
  std::span<const ir::option_record> said_by_word{};
  source_line at{};
  int outputs = 1;
  bool is_read = false;
  bool may_be_unread = false;
  int same_as = ir::none;  ///< the layer whose weights it has
};
struct recorded_option {
  std::string_view key;
  ir::range numbers;
};
struct tie_of_names {
  ir::range first, second;
};

class call_recorder {
 public:
  /// Of the last layer.
  struct option_sayer {
    call_recorder& recorder;
    constexpr void operator()(std::string_view key, const auto& s) const {
      if (!key.empty()) recorder.say(key, s);
    }
    /// Of padding by a word the operator has a field of its own.
    constexpr void operator()(std::string_view key, const word_setting& s) const {
      if (key.empty()) return;
      const bool says_padding = key == "pad" && s.is_word();
      if (!says_padding || s[0] != 0) recorder.say(says_padding ? "same" : key, s);
    }
  };

  constexpr call_recorder() = default;
  call_recorder(const call_recorder&) = delete;
  call_recorder& operator=(const call_recorder&) = delete;

  /// A layer of the kind that `word` says, called `name`, or after its word if the name has no letters of its own.
  template <class Options>
  constexpr value call(const layer_record& word, std::string_view called_after, std::string_view name, values in,
                       const Options& options, source_line at, int outputs = 1) {
    begin(word, called_after, name, in, at, outputs);
    Options::each(options, option_sayer{*this});
    return last();
  }
  constexpr void begin(const layer_record& word, std::string_view called_after, std::string_view name, values in,
                       source_line at, int outputs) {
    recorded_call c;
    c.type = word.type;
    c.said_by_word = word.options;
    c.at = at;
    c.outputs = outputs;
    c.name = name.data() ? full_name(name, called_after) : made_name(called_after);
    c.reads = {static_cast<int>(reads_.size()), static_cast<int>(in.size())};
    for (const value& v : in) {
      read(v);
      reads_.push_back(v);
    }
    c.options.first = static_cast<int>(options_.size());
    if (applying_ != ir::none && name.data()) c.same_as = same_in_first_application(c.name);
    calls_.push_back(c);
  }
  /// An option of the last layer.
  constexpr void say(std::string_view key, const auto& numbers) {
    if (!numbers.is_set()) return;
    if constexpr (requires { numbers.unknown_word(); })
      if (!numbers.unknown_word().empty()) key = numbers.unknown_word();
    options_.push_back({key, {static_cast<int>(numbers_.size()), static_cast<int>(numbers.size())}});
    numbers_.append(numbers.begin(), numbers.size());
    ++calls_.back().options.count;
  }
  constexpr value last() { return {this, static_cast<int>(calls_.size()) - 1, 0}; }
  static constexpr value output_of(const value& v, int k) { return {v.recorder, v.layer, k}; }

  /// What a value is, as far as that can be said: of a mistake ten axes of 1.
  constexpr const ir::value& described(const value& v) {
    if (v.recorder == this)
      while (!broken_ && first_values_.size() <= static_cast<std::size_t>(v.layer)) describe_next();
    if (broken_ || v.recorder != this) return unknown_;
    return shapes_.at_value(first_values_[static_cast<std::size_t>(v.layer)] + v.output);
  }

  // Names: those of layers begin with the scopes that are open.
  struct open_scopes {
    std::size_t letters;
    ir::hash_of_text hash;
  };
  constexpr open_scopes open_scope(std::string_view name) {
    const open_scopes before = scopes();
    prefix_.append(name.data(), name.size());
    if (!name.empty()) prefix_.push_back('.');
    prefix_hash_.add(name);
    return before;
  }
  constexpr open_scopes open_scope(std::string_view name, int number) {
    const open_scopes before = open_scope(name);
    append_number(prefix_, number);
    prefix_.push_back('.');
    prefix_hash_.add(number);
    return before;
  }
  /// Of a module's layers; without a name it gets one as layers do.
  constexpr open_scopes open_module(std::string_view name, std::string_view word) {
    if (name.data()) return open_scope(name);
    const open_scopes before = scopes();
    const std::string_view made = text(made_name(word));
    return open_scope(made.substr(before.letters)), before;
  }
  constexpr void close_scope(const open_scopes& before) {
    prefix_.shrink(before.letters);
    prefix_hash_ = before.hash;
  }

  // Modules that are called more than once: what they call then has the weights of the first time.
  constexpr int new_module(std::string_view name) {
    modules_.push_back({full_name(name, {}), 0});
    return static_cast<int>(modules_.size()) - 1;
  }
  struct application {
    ir::pool<char> prefix;
    ir::hash_of_text hash;
    int applying, prefix_of_first, prefix_now;
  };
  constexpr void begin_application(int module, application& before) {
    before.prefix = prefix_;
    before.hash = prefix_hash_;
    before.applying = applying_;
    before.prefix_of_first = first_prefix_;
    before.prefix_now = prefix_now_;
    const ir::range name = modules_[static_cast<std::size_t>(module)].name;
    const int times = modules_[static_cast<std::size_t>(module)].times++;
    prefix_.clear();
    prefix_.append(letters_.items + name.first, static_cast<std::size_t>(name.count));
    if (times > 0) {
      prefix_.push_back('_');
      append_number(prefix_, times);
      applying_ = module;
      first_prefix_ = name.count + 1;
      prefix_now_ = static_cast<int>(prefix_.size()) + 1;
    }
    prefix_.push_back('.');
    prefix_hash_.add({prefix_.data(), prefix_.size()});
  }
  constexpr void end_application(const application& before) {
    prefix_ = before.prefix;
    prefix_hash_ = before.hash;
    applying_ = before.applying;
    first_prefix_ = before.prefix_of_first;
    prefix_now_ = before.prefix_now;
  }
  constexpr void tie(std::string_view first, std::string_view second) {
    const ir::range a = full_name(first, {});
    ties_.push_back({a, full_name(second, {})});
  }
  constexpr void allow_unread(const value& v) {
    if (v.recorder == this) calls_[static_cast<std::size_t>(v.layer)].may_be_unread = true;
  }
  constexpr void rename(const value& v, std::string_view name) {
    if (v.recorder == this) calls_[static_cast<std::size_t>(v.layer)].name = full_name(name, {});
  }
  constexpr void read(const value& v) {
    if (v.recorder == this) calls_[static_cast<std::size_t>(v.layer)].is_read = true;
  }

  constexpr std::span<const recorded_call> calls() const { return {calls_.items, calls_.count}; }
  constexpr std::span<const value> reads() const { return {reads_.items, reads_.count}; }
  constexpr std::span<const recorded_option> options() const { return {options_.items, options_.count}; }
  constexpr std::span<const double> numbers() const { return {numbers_.items, numbers_.count}; }
  constexpr std::span<const tie_of_names> ties() const { return {ties_.items, ties_.count}; }
  constexpr std::string_view letters() const { return {letters_.items, letters_.count}; }
  constexpr std::string_view text(ir::range r) const {
    return {letters_.items + r.first, static_cast<std::size_t>(r.count)};
  }

 private:
  constexpr open_scopes scopes() const { return {prefix_.size(), prefix_hash_}; }

  struct word_count {
    std::uint64_t word_in_scope = 0;
    int next = 0;
  };
  struct module_calls {
    ir::range name;
    int times;
  };

  static constexpr void append_number(ir::pool<char>& to, int n) {
    if (n > 9) append_number(to, n / 10);
    to.push_back(static_cast<char>('0' + n % 10));
  }
  /// Words are counted in each scope: "layer1.relu_1" is the second of its own. By open addressing.
  constexpr int& next_number_of(std::string_view word) {
    if (2 * counted_ >= words_.size()) {
      const ir::pool<word_count> before = words_;
      words_ = ir::pool<word_count>(before.empty() ? 16 : 2 * before.size(), word_count{});
      for (const word_count& w : before)
        if (w.word_in_scope != 0) words_[place_of(w.word_in_scope)] = w;
    }
    ir::hash_of_text hash = prefix_hash_;
    hash.add(word);
    word_count& w = words_[place_of(hash.value)];
    counted_ += w.word_in_scope == 0 ? 1u : 0u;
    w.word_in_scope = hash.value;
    return w.next;
  }
  constexpr std::size_t place_of(std::uint64_t word) const {
    std::size_t i = static_cast<std::size_t>(word) & (words_.size() - 1);
    while (words_[i].word_in_scope != 0 && words_[i].word_in_scope != word) i = (i + 1) & (words_.size() - 1);
    return i;
  }
  constexpr ir::range store(std::string_view text, std::size_t begin) {
    letters_.append(text.data(), text.size());
    return {static_cast<int>(begin), static_cast<int>(letters_.size() - begin)};
  }
  /// An empty name is that of the scope.
  constexpr ir::range full_name(std::string_view name, std::string_view word) {
    const std::size_t begin = letters_.size(), prefix = prefix_.size();
    letters_.append(prefix_.data(), name.empty() && prefix > 0 ? prefix - 1 : prefix);
    // A name that could have been made is not made again.
    if (!word.empty() && !name.empty() && name[0] == word[0] && name.starts_with(word)) {
      int& next = next_number_of(word);
      int number = 0;
      bool counts = name.size() == word.size() || name[word.size()] == '_';
      for (std::size_t i = word.size() + 1; i < name.size(); ++i) {
        counts = counts && name[i] >= '0' && name[i] <= '9' && number < 100000;
        number = number * 10 + (name[i] - '0');
      }
      if (counts && number >= next) next = number + 1;
    }
    return store(name, begin);
  }
  constexpr ir::range made_name(std::string_view word) {
    const std::size_t begin = letters_.size();
    letters_.append(prefix_.data(), prefix_.size());
    letters_.append(word.data(), word.size());
    if (const int n = next_number_of(word)++; n > 0) {
      letters_.push_back('_');
      append_number(letters_, n);
    }
    return store({}, begin);
  }
  /// The layer with the same name in the module's first application.
  constexpr int same_in_first_application(ir::range name) const {
    const std::string_view own = text(name);
    const std::string_view module = text(modules_[static_cast<std::size_t>(applying_)].name);
    const bool is_module = static_cast<int>(own.size()) < prefix_now_;  // it is called as the module is
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const std::string_view other = text(calls_[i].name);
      if (is_module ? other == module
                    : other.size() > static_cast<std::size_t>(first_prefix_) && other.starts_with(module) &&
                          other.substr(static_cast<std::size_t>(first_prefix_)) ==
                              own.substr(static_cast<std::size_t>(prefix_now_)))
        return static_cast<int>(i);
    }
    return ir::none;
  }

  constexpr void describe_next() {
    const recorded_call& c = calls_[first_values_.size()];
    ir::pool<ir::value_id> in;
    for (int i = c.reads.first; i < c.reads.first + c.reads.count; ++i) {
      const value& v = reads_[static_cast<std::size_t>(i)];
      broken_ = broken_ || v.recorder != this;
      if (!broken_) in.push_back(first_values_[static_cast<std::size_t>(v.layer)] + v.output);
    }
    ir::pool<ir::option_record> all;
    for (const ir::option_record& o : c.said_by_word) all.push_back(o);
    for (int i = c.options.first; i < c.options.first + c.options.count; ++i) {
      const recorded_option& o = options_[static_cast<std::size_t>(i)];
      all.push_back({o.key, {numbers_.items + o.numbers.first, static_cast<std::size_t>(o.numbers.count)}});
    }
    layer_record l{c.type, "layer", {}, {all.items, all.count}, {}, false};
    const std::size_t before = shapes_.values.size();
    if (!broken_ && ir::detail::layer_maker(shapes_).add(l, {in.items, in.count})) broken_ = true;
    first_values_.push_back(static_cast<int>(before));
  }

  ir::pool<recorded_call> calls_;
  ir::pool<value> reads_;
  ir::pool<recorded_option> options_;
  ir::pool<double> numbers_;
  ir::pool<char> letters_, prefix_;
  ir::hash_of_text prefix_hash_{};
  ir::pool<word_count> words_;
  std::size_t counted_ = 0;
  ir::pool<module_calls> modules_;
  ir::pool<tie_of_names> ties_;
  int applying_ = ir::none, first_prefix_ = 0, prefix_now_ = 0;
  // Shapes of the layers that were asked for.
  ir::graph shapes_;
  ir::pool<ir::value_id> first_values_;
  bool broken_ = false;
  ir::value unknown_{{}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, ir::none, {}, 0};
};

}  // namespace ctnn::detail
