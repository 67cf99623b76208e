// SPDX-License-Identifier: BSL-1.0
// Just enough JSON to read the descriptions of the shared models.
#pragma once

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ctnn::ir::test {

struct json {
  std::map<std::string, json> members{};
  std::vector<json> items{};
  std::string text{};  ///< of a string, or a number or a word as it was written

  bool has(const std::string& key) const { return members.contains(key); }
  const json& operator[](const std::string& key) const { return members.at(key); }
  const json& operator[](std::size_t i) const { return items.at(i); }
  int integer() const { return std::atoi(text.c_str()); }
};

class json_parser {
 public:
  explicit json_parser(std::string text) : text_(std::move(text)) {}

  json parse() {
    json out;
    const char first = peek();
    if (first == '{') {
      each('}', [&] {
        std::string key = quoted();
        expect(':');
        out.members.emplace(std::move(key), parse());
      });
    } else if (first == '[') {
      each(']', [&] { out.items.push_back(parse()); });
    } else if (first == '"') {
      out.text = quoted();
    } else {
      while (at_ < text_.size() && std::string(",]} \t\r\n").find(text_[at_]) == std::string::npos)
        out.text += text_[at_++];
    }
    return out;
  }

 private:
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (at_ == text_.size()) throw std::runtime_error("JSON ends early");
    return text_[at_];
  }
  void expect(char c) {
    if (peek() != c) throw std::runtime_error(std::string("JSON: expected ") + c + " at byte " + std::to_string(at_));
    ++at_;
  }
  void each(char close, auto&& item) {
    for (++at_; peek() != close;) {
      item();
      if (peek() == ',') ++at_;
    }
    ++at_;
  }
  /// Escapes other than \" and \\ are kept as they are; no name or path has one.
  std::string quoted() {
    expect('"');
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') ++at_;
      out += text_[at_++];
    }
    expect('"');
    return out;
  }

  std::string text_;
  std::size_t at_ = 0;
};

inline json read_json(const std::string& path) {
  std::ifstream in(path);
  return json_parser({std::istreambuf_iterator<char>(in), {}}).parse();
}

}  // namespace ctnn::ir::test
