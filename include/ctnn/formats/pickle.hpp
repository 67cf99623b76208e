// SPDX-License-Identifier: BSL-1.0
// Python's pickles as torch.save writes them (pickletools.py of CPython describes every opcode), read as data: no class
// is looked up and nothing is called. What a pickle says to call stays a word and its arguments; who knows the word may
// look at them. Opcodes that torch.save does not write are refused by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../base/error.hpp"
#include "../loaded/budget.hpp"

namespace ctnn::pickle {

/// `other`: floats, bytes and long integers, which are not kept.
enum class kind : char { none, boolean, integer, other, text, global, tuple, list, dictionary, object, outside };

struct value {
  kind is = kind::none;
  std::int64_t n = 0;  ///< the number; else a place in texts or things
};
/// A tuple, a list, a dictionary; what a call of `made_by` with `args` would be (object), or what is stored outside of
/// the pickle under `args`.
struct thing {
  value made_by{}, args{};
  std::vector<value> items{};  ///< of a dictionary keys and values in turn
};
struct document {
  std::vector<std::string> texts;  ///< words, and globals as "module.name"
  std::vector<thing> things;
  value root;

  const thing& at(const value& v) const { return things[static_cast<std::size_t>(v.n)]; }
  std::string_view text(const value& v) const {
    return v.is == kind::text || v.is == kind::global ? texts[static_cast<std::size_t>(v.n)] : std::string_view();
  }
  /// The word of what is called; nothing if v is no object.
  std::string_view maker(const value& v) const {
    return v.is == kind::object ? text(at(v).made_by) : std::string_view();
  }
};

/// Reads one pickle. Memory is a few times its bytes, and less than 100 bytes for each of 16 things a blob of `limits`.
class reader {
 public:
  reader(std::string_view bytes, const std::string& source, const budget& limits)
      : bytes_(bytes), source_(source), most_(16 * limits.blobs) {}

  /// Throws ctnn::error with the byte and what stands there.
  document read() {
    while (!step()) {}
    if (stack_.size() != 1 || !marks_.empty()) fail(std::to_string(stack_.size()) + " values at the end, expected one");
    if (next_ != bytes_.size()) fail("bytes behind the end");
    out_.root = stack_[0];
    return static_cast<document&&>(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw error(source_ + ": byte " + std::to_string(at_) + ": " + what);
  }

  // Bytes.

  std::string_view take(std::uint64_t n) {
    if (n > bytes_.size() - next_) fail("the pickle ends in what begins here");
    const std::string_view out = bytes_.substr(next_, static_cast<std::size_t>(n));
    next_ += out.size();
    return out;
  }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t out = 0;
    const std::string_view text = take(bytes);
    for (std::size_t i = bytes; i-- > 0;) out = out << 8 | static_cast<unsigned char>(text[i]);
    return out;
  }
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', next_);
    if (end == bytes_.npos) fail("a line that does not end");
    const std::string_view out = take(end - next_);
    take(1);
    return out;
  }

  // The stack.

  void push(value v) {
    if (stack_.size() == most_) fail("more values than the limit, " + std::to_string(most_));
    stack_.push_back(v);
  }
  value pop() {
    if (stack_.size() == (marks_.empty() ? 0 : marks_.back())) fail("takes a value where there is none");
    const value v = stack_.back();
    stack_.pop_back();
    return v;
  }
  std::vector<value> pop_many(std::size_t n) {
    if (stack_.size() - (marks_.empty() ? 0 : marks_.back()) < n) fail("takes a value where there is none");
    std::vector<value> out(stack_.end() - static_cast<std::ptrdiff_t>(n), stack_.end());
    stack_.resize(stack_.size() - n);
    return out;
  }
  std::vector<value> pop_to_mark() {
    if (marks_.empty()) fail("takes what is behind a mark, of which there is none");
    std::vector<value> out = pop_many(stack_.size() - marks_.back());
    marks_.pop_back();
    return out;
  }
  void push_text(std::string text, kind is = kind::text) {
    if (out_.texts.size() == most_) fail("more values than the limit, " + std::to_string(most_));
    push({is, static_cast<std::int64_t>(out_.texts.size())});
    out_.texts.push_back(static_cast<std::string&&>(text));
  }
  void push_global(std::string_view module, std::string_view name) {
    constexpr std::size_t longest = 255;
    if (module.size() > longest || name.size() > longest) fail("a class whose name is longer than 255 characters");
    push_text(std::string(module) + '.' + std::string(name), kind::global);
  }
  void push_thing(kind is, thing t = {}) {
    if (out_.things.size() == most_) fail("more values than the limit, " + std::to_string(most_));
    push({is, static_cast<std::int64_t>(out_.things.size())});
    out_.things.push_back(static_cast<thing&&>(t));
  }
  void push_tuple(std::vector<value> items) {
    push_thing(kind::tuple, {{}, {}, static_cast<std::vector<value>&&>(items)});
  }
  /// What would be called, with arguments.
  void push_call() {
    const value args = pop(), callee = pop();
    if (callee.is != kind::global || args.is != kind::tuple) fail("a call of what is no class or function");
    push_thing(kind::object, {callee, args, {}});
  }
  /// Items for the list, or pairs for the dictionary, below.
  void add(const std::vector<value>& items, kind to, std::size_t each) {
    const value v = pop();
    if ((v.is != to && v.is != kind::object) || items.size() % each != 0)
      fail(to == kind::list ? "items for what is no list" : "pairs for what is no dictionary");
    std::vector<value>& all = out_.things[static_cast<std::size_t>(v.n)].items;
    all.insert(all.end(), items.begin(), items.end());
    push(v);
  }
  void remember(std::uint64_t place) {
    if (stack_.empty()) fail("takes a value where there is none");
    if (memo_.size() == most_) fail("more values than the limit, " + std::to_string(most_));
    memo_[place] = stack_.back();
  }
  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail("value " + std::to_string(place) + ", which has not been stored");
    push(found->second);
  }
  void push_long(std::string_view bytes) {
    if (bytes.size() > 8) return push({kind::other});
    std::uint64_t n = !bytes.empty() && (bytes.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = bytes.size(); i-- > 0;) n = n << 8 | static_cast<unsigned char>(bytes[i]);
    push({kind::integer, static_cast<std::int64_t>(n)});
  }
  void skip(std::uint64_t bytes) {
    take(bytes);
    push({kind::other});
  }

  /// One opcode; true if it was the last.
  bool step() {
    at_ = next_;
    switch (const auto op = static_cast<unsigned char>(take(1)[0])) {
      case '.': return true;
      case 0x80:
        if (const std::uint64_t n = number(1); n < 2 || n > 5)
          fail("protocol " + std::to_string(n) + ", expected 2 (torch.save's own) to 5");
        break;
      case 0x95: number(8); break;  // FRAME
      case '(': marks_.push_back(stack_.size()), limit_marks(); break;
      case 'N': push({}); break;
      case 0x88:
      case 0x89: push({kind::boolean, op == 0x88}); break;
      case 'K': push({kind::integer, static_cast<std::int64_t>(number(1))}); break;
      case 'M': push({kind::integer, static_cast<std::int64_t>(number(2))}); break;
      case 'J': push({kind::integer, static_cast<std::int32_t>(number(4))}); break;
      case 0x8a: push_long(take(number(1))); break;
      case 'G': skip(8); break;
      case 'X':
      case 'T': push_text(std::string(take(number(4)))); break;
      case 0x8c:
      case 'U': push_text(std::string(take(number(1)))); break;
      case 0x8d: push_text(std::string(take(number(8)))); break;
      case 'B': skip(number(4)); break;
      case 'C': skip(number(1)); break;
      case 0x8e: skip(number(8)); break;
      case ')': push_tuple({}); break;
      case 0x85:
      case 0x86:
      case 0x87: push_tuple(pop_many(op - 0x84u)); break;
      case 't': push_tuple(pop_to_mark()); break;
      case ']':
      case 0x8f: push_thing(kind::list); break;  // a set, too
      case 'a': add(pop_many(1), kind::list, 1); break;
      case 'e':
      case 0x90: add(pop_to_mark(), kind::list, 1); break;
      case '}': push_thing(kind::dictionary); break;
      case 's': add(pop_many(2), kind::dictionary, 2); break;
      case 'u': add(pop_to_mark(), kind::dictionary, 2); break;
      case 'c': {
        const std::string_view module = line(), name = line();
        push_global(module, name);
        break;
      }
      case 0x93: {
        const value name = pop(), module = pop();
        if (name.is != kind::text || module.is != kind::text) fail("a class whose name is no text");
        push_global(out_.text(module), out_.text(name));
        break;
      }
      case 'R':
      case 0x81: push_call(); break;
      case 'b': pop(); break;  // what an object has besides: state_dict's _metadata
      case 'Q': {
        const value args = pop();
        push_thing(kind::outside, {{}, args, {}});
        break;
      }
      case 'q': remember(number(1)); break;
      case 'r': remember(number(4)); break;
      case 0x94: remember(memo_.size()); break;
      case 'h': recall(number(1)); break;
      case 'j': recall(number(4)); break;
      default: refuse(op);
    }
    return false;
  }
  void limit_marks() const {
    if (marks_.size() > most_) fail("more values than the limit, " + std::to_string(most_));
  }
  [[noreturn]] void refuse(unsigned char op) const {
    struct opcode {
      unsigned char is;
      std::string_view name;
    };
    static constexpr opcode others[] = {
        {'0', "POP"},        {'1', "POP_MARK"},    {'2', "DUP"},          {'F', "FLOAT"},
        {'I', "INT"},        {'L', "LONG"},        {'P', "PERSID"},       {'S', "STRING"},
        {'V', "UNICODE"},    {'d', "DICT"},        {'g', "GET"},          {'i', "INST"},
        {'l', "LIST"},       {'o', "OBJ"},         {'p', "PUT"},          {0x82, "EXT1"},
        {0x83, "EXT2"},      {0x84, "EXT4"},       {0x8b, "LONG4"},       {0x91, "FROZENSET"},
        {0x92, "NEWOBJ_EX"}, {0x96, "BYTEARRAY8"}, {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"}};
    for (const opcode& o : others)
      if (o.is == op) fail("opcode " + std::string(o.name) + ", which torch.save does not write");
    fail("byte " + std::to_string(op) + " is no opcode of a pickle");
  }

  std::string_view bytes_;
  const std::string& source_;
  std::size_t most_;  ///< things, values on the stack, stored ones
  std::size_t at_ = 0, next_ = 0;
  std::vector<value> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, value> memo_;
  document out_;
};

}  // namespace ctnn::pickle
