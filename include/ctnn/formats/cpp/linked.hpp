// SPDX-License-Identifier: BSL-1.0
// Numbers that are no C++ text: a binary file, and the source that links it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "../../base/error.hpp"

namespace ctnn::cpp {

/// NAME.blob and NAME.blob.cpp. The symbol ends in a hash of the numbers, so that a header of other numbers does not
/// link.
struct linked_numbers {
  std::string name{};  ///< of the files, without .blob and .blob.cpp
  std::vector<float> numbers{};
  std::string symbol{};

  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
  }

  /// Of the name, and as yet of no hash.
  void take(const std::string& prefix, std::vector<float> all) {
    if (name.find_first_of("\"\\\n") != std::string::npos)
      throw error("'" + name + "' cannot stand in a string of C++");
    numbers = std::move(all);
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (char c : bytes()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    symbol = prefix + '_';
    for (int shift = 60; shift >= 0; shift -= 4) symbol += "0123456789abcdef"[hash >> shift & 15];
  }

  /// The text of NAME.blob.cpp.
  std::string source() const {
    const std::string size = std::to_string(bytes().size()), file = "\".incbin \\\"" + name + ".blob\\\"";
    const auto line = [](const std::string& text) { return "    \"" + text + "\\n\"\n"; };
    return "// Written by `ctnn header`: links " + name + ".blob, " + size +
           " bytes of float32. The assembler looks for it where #include looks (-I).\n"
           "#if !defined(__ELF__)\n#error \"ctnn: the assembler's words here are those of ELF\"\n#endif\n"
           "static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);\nasm(\n" +
           line(".pushsection .rodata") + line(".balign 64") + line(".global " + symbol) +
           line(".type " + symbol + ", %object") + line(".size " + symbol + ", " + size) + line(symbol + ":") +
           "#if defined(__clang__)  // a file of another length is an error\n    " + file + "\\n\"\n" +
           line(".skip (. - " + symbol + ") / " + size + " - 1") + "#else\n    " + file + ", 0, " +
           std::to_string(bytes().size() - 1) + "\\n\"\n    " + file + ", " + std::to_string(bytes().size() - 1) +
           "\\n\"\n#endif\n" + line(".org " + symbol + " + " + size) + "    \".popsection\");\n";
  }
};

}  // namespace ctnn::cpp
