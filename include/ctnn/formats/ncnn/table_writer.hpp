// SPDX-License-Identifier: BSL-1.0
// ncnn's table of int8 scales, as its ncnn2table writes and its ncnn2int8 reads: for each layer a line of its weight's
// scales, then for each layer a line with its input's. Real number = byte / scale.
#pragma once

#include <charconv>
#include <span>
#include <string>
#include <vector>

namespace ctnn::ncnn {

struct layer_scales {
  std::string layer;
  std::vector<float> weight;  ///< one an output, of grouped convolutions one a group
  float input = 0;
};

inline std::string write_table(std::span<const layer_scales> layers) {
  std::string out;
  const auto number = [&](float v) {
    char text[64];
    out += ' ';
    out.append(text, std::to_chars(text, text + sizeof text, v).ptr);
  };
  for (const layer_scales& l : layers) {
    out += l.layer + "_param_0";
    for (const float s : l.weight) number(s);
    out += '\n';
  }
  for (const layer_scales& l : layers) {
    out += l.layer;
    number(l.input);
    out += '\n';
  }
  return out;
}

}  // namespace ctnn::ncnn
