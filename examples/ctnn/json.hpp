// SPDX-License-Identifier: BSL-1.0
// JSON for programs that read what the tool says.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tool {

inline std::string json_text(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    char code[8];
    if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

/// An object, a member at a time; or, without keys, a list.
class json {
 public:
  json& raw(std::string_view key, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + (key.empty() ? value : json_text(key) + ": " + value);
    return *this;
  }
  json& text(std::string_view key, std::string_view value) { return raw(key, json_text(value)); }
  json& number(std::string_view key, std::int64_t value) { return raw(key, std::to_string(value)); }
  json& flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  std::string object() const { return '{' + text_ + '}'; }
  std::string list() const { return '[' + text_ + ']'; }

 private:
  std::string text_;
};

}  // namespace tool
