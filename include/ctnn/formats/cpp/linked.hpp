// SPDX-License-Identifier: BSL-1.0
// Numbers that are no C++ text: a binary file, and the source that links it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "../../base/error.hpp"
#include "../../base/hash.hpp"
#include "../file.hpp"
#include "identifier.hpp"

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
    hash_of_text hash;
    hash.add(bytes());
    symbol = prefix + '_' + hexadecimal(hash.value);
  }

  static std::string hexadecimal(std::uint64_t n) {
    std::string out;
    for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[n >> shift & 15];
    return out;
  }
  /// How a header declares them.
  std::string declaration() const {
    return "alignas(64) extern const float all[" + std::to_string(numbers.size()) + "] asm(\"" + symbol +
           "\");  // in " + name + ".blob.cpp\n";
  }

  /// The text of a header for packed weights of whatever network has this fingerprint.
  std::string packed_header(const std::string& origin, std::uint64_t fingerprint) const {
    const std::string word = as_identifier(name), type = "ctnn::parameters<ctnn::optimized<Net, Rules>>";
    return "// Written by ctnn::weights::link_folded from " + origin +
           ".\n#pragma once\n\n#include <ctnn/network/fingerprint.hpp>\n#include <ctnn/network/parameters.hpp>\n\n"
           "namespace " +
           word + "_numbers {\n" + declaration() +
           "}\n\n/// What an engine of optimized<Net, Rules> takes.\n"
           "template <class Net, class Rules = ctnn::default_rules>\nconst " +
           type + "& " + word + "() {\n  static_assert(ctnn::ir::fingerprint<Net, Rules> == 0x" +
           hexadecimal(fingerprint) + ",\n                \"ctnn: " + word +
           " was written for another network: call link_folded again\");\n  return reinterpret_cast<const " + type +
           "&>(" + word + "_numbers::all);\n}\n";
  }

  /// Writes both beside a header. Throws ctnn::error if they cannot be written.
  void write_beside(const std::string& header) const {
    const std::string stem = std::filesystem::path(header).replace_extension().string();
    ir::write_file(stem + ".blob", bytes());
    ir::write_file(stem + ".blob.cpp", source());
  }

  /// The text of NAME.blob.cpp.
  std::string source() const {
    const std::string size = std::to_string(bytes().size()), file = "\".incbin \\\"" + name + ".blob\\\"";
    const auto line = [](const std::string& text) { return "    \"" + text + "\\n\"\n"; };
    return "// Written by ctnn: links " + name + ".blob, " + size +
           " bytes of float32. The assembler looks for it where #include looks (-I).\n"
           "#if !defined(__ELF__)\n#error \"ctnn: the assembler's words here are those of ELF\"\n#endif\n"
           "static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);\n"
           "#if !defined(CTNN_WEIGHTS_SECTION)\n#define CTNN_WEIGHTS_SECTION \".rodata\"\n#endif\nasm(\n"
           "    \".pushsection \" CTNN_WEIGHTS_SECTION \",\\\"a\\\"\\n\"\n" +
           line(".balign 64") + line(".global " + symbol) + line(".type " + symbol + ", %object") +
           line(".size " + symbol + ", " + size) + line(symbol + ":") +
           "#if defined(__clang__)  // a file of another length is an error\n    " + file + "\\n\"\n" +
           line(".skip (. - " + symbol + ") / " + size + " - 1") + "#else\n    " + file + ", 0, " +
           std::to_string(bytes().size() - 1) + "\\n\"\n    " + file + ", " + std::to_string(bytes().size() - 1) +
           "\\n\"\n#endif\n" + line(".org " + symbol + " + " + size) + "    \".popsection\");\n";
  }
};

}  // namespace ctnn::cpp
