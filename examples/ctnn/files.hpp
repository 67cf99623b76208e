// SPDX-License-Identifier: BSL-1.0
// Files as a command line names them: endings in any case, "-" for standard input and output, and inputs that must not
// be written over.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tool {

/// Whether a file's name ends so, in capitals or not: ".onnx" also of X.ONNX.
bool has_ending(std::string_view file, std::string_view ending);

/// While it exists, a reader that goes away is an error like a full disk; temporary files go with it. The only one is
/// main()'s.
class standard_streams {
 public:
  standard_streams();
  ~standard_streams();
  standard_streams(const standard_streams&) = delete;
  standard_streams& operator=(const standard_streams&) = delete;

  /// Writes what is left to be written. Throws ctnn::error if that, or anything before, could not be.
  void finish() const;
};

/// A file with all that standard input says; its ending follows from its first bytes (.onnx for what is nothing else
/// that is known). Throws ctnn::error above `most` bytes, usage_error if it has been read already.
std::string file_of_standard_input(std::uint64_t most);
/// Whether that made the file.
bool is_standard_input(const std::string& file);

/// `out`; for "-" a temporary file with this ending, which standard_streams::finish() writes to standard output.
/// Everything that is printed goes to standard error then. Throws usage_error for a second one, or for a terminal.
std::string file_for_standard_output(const std::string& out, std::string_view ending);

/// A text with the names that people know instead of those of temporary files.
std::string shown(std::string text);

/// Throws usage_error if one of the files that are written is one of those that are read (or in such a folder).
void require_apart(const std::vector<std::string>& written, const std::vector<std::string>& read);

}  // namespace tool
