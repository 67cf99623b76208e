// SPDX-License-Identifier: BSL-1.0
// Numbers as C++ source, exact to the last bit.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "../../base/typed_span.hpp"

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
  if (std::isinf(v))
    return v < 0 ? "-std::numeric_limits<double>::infinity()" : "std::numeric_limits<double>::infinity()";
  if (v == std::trunc(v) && std::fabs(v) <= 2147483647.0 && !(v == 0 && std::signbit(v)))
    return std::to_string(static_cast<int>(v));
  char text[64];
  std::string out(text, std::to_chars(text, text + sizeof text, v).ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}
/// The same for a field that holds doubles.
inline std::string exact_argument(double v) {
  return v == static_cast<double>(static_cast<float>(v)) || std::isnan(v) ? argument(v)
                                                                          : "ctnn::exact{" + argument(v) + '}';
}

/// Elements of another type than float, as an array is initialised with them.
inline void append_elements(std::string& out, typed_span numbers) {
  const auto each = [&](auto elements, auto&& text) {
    std::size_t i = 0;
    for (const auto v : elements) {
      out += i++ % 16 == 0 ? "\n    " : " ";
      out += text(v);
      out += ',';
    }
  };
  const auto bits = [](std::string type) {
    return [type](auto v) { return type + '{' + std::to_string(static_cast<unsigned>(v)) + '}'; };
  };
  const auto whole = [](auto v) {
    using limits = std::numeric_limits<decltype(v)>;
    if (limits::is_signed && v == limits::min() && sizeof v == 8) return "-" + std::to_string(limits::max()) + " - 1";
    return std::to_string(v) + (sizeof v < 8 ? "" : limits::is_signed ? "ll" : "ull");
  };
  numbers.visit([&]<class T>(const T* first, std::size_t n) {
    const std::span<const T> v(first, n);
    if constexpr (std::is_same_v<T, float16>) each(v, bits("ctnn::float16"));
    else if constexpr (std::is_same_v<T, bfloat16>) each(v, bits("ctnn::bfloat16"));
    else if constexpr (std::is_same_v<T, bool>) each(v, [](bool b) { return std::string(b ? "true" : "false"); });
    else if constexpr (std::is_integral_v<T>) each(v, whole);
    else each(v, [](auto x) {
      if (std::isnan(x)) return std::string("std::numeric_limits<double>::quiet_NaN()");
      if (std::isinf(x)) return std::string(x < 0 ? "-" : "") + "std::numeric_limits<double>::infinity()";
      char text[64];
      std::string s(text, std::to_chars(text, text + sizeof text, std::fabs(x), std::chars_format::hex).ptr);
      return (std::signbit(x) ? "-0x" : "0x") + s + (s.find('p') == std::string::npos ? "p+0" : "");
    });
  });
}

/// The C++ type of an element.
inline std::string_view element_word(dtype t) {
  switch (t) {
    case dtype::f32: return "float";
    case dtype::f64: return "double";
    case dtype::f16: return "ctnn::float16";
    case dtype::bf16: return "ctnn::bfloat16";
    case dtype::i64: return "std::int64_t";
    case dtype::i32: return "std::int32_t";
    case dtype::i16: return "std::int16_t";
    case dtype::i8: return "std::int8_t";
    case dtype::u64: return "std::uint64_t";
    case dtype::u32: return "std::uint32_t";
    case dtype::u16: return "std::uint16_t";
    case dtype::u8: return "std::uint8_t";
    case dtype::boolean: return "bool";
  }
  return {};
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
