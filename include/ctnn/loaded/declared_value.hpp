// SPDX-License-Identifier: BSL-1.0
// Inputs and outputs as a file declares them, before anything is fed: axes may be open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../base/dtype.hpp"
#include "../base/shape.hpp"

namespace ctnn {

/// An axis has an extent, or it is open: then the file may have a name for it, such as "batch".
struct declared_axis {
  int extent = -1;
  std::string name;
  bool open() const { return extent < 0; }
};

struct declared_value {
  std::string name;
  dtype type = dtype::f32;
  bool ranked = false;              ///< the file says how many axes there are
  std::vector<declared_axis> axes;  ///< outermost first
  bool optional = false;            ///< an input that the file has numbers for

  declared_value() = default;
  /// One that has no shape yet.
  explicit declared_value(std::string_view called) : name(called) {}
  /// One without open axes.
  declared_value(std::string_view called, const extents& shape, dtype of) : name(called), type(of), ranked(true) {
    for (int k = 0; k < shape.rank; ++k) axes.push_back({shape[k], {}});
  }
  bool open() const {
    for (const declared_axis& a : axes)
      if (a.open()) return true;
    return !ranked;
  }
};

namespace ir {

/// "batch x 3 x ? x ?", "scalar", "any shape".
inline std::string describe(const declared_value& v, std::string_view times = " x ") {
  if (!v.ranked) return "any shape";
  std::string out;
  for (const declared_axis& a : v.axes)
    out += (out.empty() ? "" : std::string(times)) + (!a.open()        ? std::to_string(a.extent)
                                                      : a.name.empty() ? "?"
                                                                       : a.name);
  return out.empty() ? "scalar" : out;
}

}  // namespace ir
}  // namespace ctnn
