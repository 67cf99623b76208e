// SPDX-License-Identifier: BSL-1.0
// Numbers as C++ source, exact to the last bit.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ctnn::cpp {

/// A string literal; whatever is not plain ASCII becomes an octal escape.
inline void append_escaped(std::string& out, std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c >= 32 && c < 127 && c != '"' && c != '\\' && c != '?') {
      out += static_cast<char>(c);
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
      continue;
    }
    // As few digits as the next character allows.
    const bool full = i + 1 < bytes.size() && bytes[i + 1] >= '0' && bytes[i + 1] <= '9';
    out += '\\';
    if (full || c >= 64) out += static_cast<char>('0' + (c >> 6));
    if (full || c >= 8) out += static_cast<char>('0' + ((c >> 3) & 7));
    out += static_cast<char>('0' + (c & 7));
  }
}
inline std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text);
  return out + '"';
}

/// A template argument of a layer: as an int where it is one, else as the shortest double that reads
/// back as it is (Clang takes no floats there).
inline std::string argument(double v) {
  if (std::isinf(v)) return v < 0 ? "-std::numeric_limits<double>::infinity()" : "std::numeric_limits<double>::infinity()";
  if (v == std::trunc(v) && std::fabs(v) <= 2147483647.0 && !(v == 0 && std::signbit(v))) return std::to_string(static_cast<int>(v));
  char text[64];
  std::string out(text, std::to_chars(text, text + sizeof text, v).ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

/// Numbers with commas, hexadecimal: readable by machines only, but the compiler can compute with them. All are finite.
inline void append_hex_floats(std::string& out, std::span<const float> numbers) {
  char text[64];
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    out += i % 8 == 0 ? "\n    " : " ";
    const float v = numbers[i];
    if (std::signbit(v)) out += '-';
    if (v == 0) {
      out += "0.0f,";
      continue;
    }
    out += "0x";
    out.append(text, std::to_chars(text, text + sizeof text, std::fabs(v), std::chars_format::hex).ptr);
    out += "f,";
  }
}

/// The numbers' bytes as string literals, one a line.
inline void append_bytes(std::string& out, std::span<const float> numbers) {
  const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  for (std::size_t i = 0; i < bytes.size(); i += 96) {
    out += "\n    \"";
    append_escaped(out, bytes.substr(i, 96));
    out += '"';
  }
}

}  // namespace ctnn::cpp
