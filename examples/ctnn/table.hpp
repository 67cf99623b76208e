// SPDX-License-Identifier: BSL-1.0
// Numbers and columns for people.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace tool {

/// "1 234 567"
inline std::string grouped(std::int64_t n) {
  const std::string digits = std::to_string(n);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && digits[i - 1] != '-' && (digits.size() - i) % 3 == 0) out += ' ';
    out += digits[i];
  }
  return out;
}

inline std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// Columns as wide as their widest cell; numbers to the right.
class table {
 public:
  /// `align` has a letter for each column: l or r.
  table(std::string align, std::vector<std::string> titles) : align_(std::move(align)) { row(std::move(titles)); }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const {
    std::vector<std::size_t> widths(align_.size());
    for (const auto& r : rows_)
      for (std::size_t i = 0; i < r.size(); ++i) widths[i] = std::max(widths[i], r[i].size());
    std::string out;
    for (const auto& r : rows_) {
      std::string line;
      for (std::size_t i = 0; i < r.size(); ++i) {
        const std::string gap(widths[i] - r[i].size(), ' ');
        line += (i ? "  " : "") + (align_[i] == 'r' ? gap + r[i] : r[i] + gap);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
    return out;
  }

 private:
  std::string align_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tool
