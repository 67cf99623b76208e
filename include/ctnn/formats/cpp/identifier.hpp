// SPDX-License-Identifier: BSL-1.0
// Names of C++.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace ctnn::cpp {

/// Is it a C++ identifier that can be the network's name at namespace scope?
inline bool is_identifier(std::string_view word) {
  static constexpr std::string_view keywords[] = {
      // and what the type has as members
      "alignas",       "alignof",     "and",        "and_eq",    "asm",       "auto",         "bitand",
      "bitor",         "bool",        "break",      "case",      "catch",     "char",         "char16_t",
      "char32_t",      "char8_t",     "class",      "co_await",  "co_return", "co_yield",     "compl",
      "concept",       "const",       "const_cast", "consteval", "constexpr", "constinit",    "continue",
      "ctnn",          "decltype",    "default",    "delete",    "do",        "double",       "dynamic_cast",
      "else",          "enum",        "explicit",   "export",    "extern",    "false",        "float",
      "for",           "forward",     "friend",     "goto",      "has",       "if",           "inline",
      "int",           "long",        "main",       "mutable",   "namespace", "network_type", "new",
      "noexcept",      "not",         "not_eq",     "nullptr",   "operator",  "or",           "or_eq",
      "packed",        "private",     "protected",  "public",    "records",   "register",     "reinterpret_cast",
      "requires",      "return",      "short",      "signed",    "size",      "sizeof",       "static",
      "static_assert", "static_cast", "std",        "struct",    "switch",    "template",     "this",
      "thread_local",  "throw",       "true",       "try",       "typedef",   "typeid",       "typename",
      "union",         "unsigned",    "using",      "virtual",   "void",      "volatile",     "wchar_t",
      "weights",       "while",       "xor",        "xor_eq"};
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (word.empty() || !letter(word[0]) || word[0] == '_' || word.find("__") != std::string_view::npos) return false;
  for (char c : word)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return !std::binary_search(std::begin(keywords), std::end(keywords), word);
}

/// The nearest identifier: "squeezenet_v1.1" becomes squeezenet_v1_1.
inline std::string as_identifier(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word) out += c;
    else if (!out.empty() && out.back() != '_') out += '_';
  }
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out = "net" + std::string(out.empty() ? "" : "_") + out;
  return is_identifier(out) ? out : out + (out.back() == '_' ? "net" : "_net");
}

}  // namespace ctnn::cpp
