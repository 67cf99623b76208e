// SPDX-License-Identifier: BSL-1.0
// Signals given to a stream in calls of any sizes.
#pragma once

#include <algorithm>
#include <vector>

#include "numbers.hpp"

namespace ctnn::ir::test {

/// Channels, each by itself.
struct planar_signal {
  int channels = 1;
  floats numbers{};

  int samples() const { return static_cast<int>(numbers.size()) / channels; }
  std::vector<float*> planes(int from = 0) {
    std::vector<float*> all;
    for (int c = 0; c < channels; ++c) all.push_back(numbers.data() + c * samples() + from);
    return all;
  }
  float at(int c, int t) const { return numbers[static_cast<std::size_t>(c * samples() + t)]; }
};
/// Of [channels, samples], or of [samples, channels].
inline planar_signal planar(const floats& numbers, int channels, bool channels_last) {
  planar_signal s{channels, numbers};
  const auto count = static_cast<std::size_t>(channels), samples = numbers.size() / count;
  for (std::size_t c = 0; channels_last && c < count; ++c)
    for (std::size_t t = 0; t < samples; ++t) s.numbers[c * samples + t] = numbers[t * count + c];
  return s;
}

/// All samples of `in`, in calls of these sizes in turn.
template <class Stream>
planar_signal in_calls(Stream& stream, planar_signal in, const std::vector<int>& sizes) {
  planar_signal room{stream.channels_out(), {}}, out{room.channels, {}};
  room.numbers.resize(static_cast<std::size_t>(room.channels * stream.output_samples(in.samples())));
  int made = 0;
  for (int at = 0, k = 0; at < in.samples(); ++k) {
    const int n = std::min(in.samples() - at, sizes[static_cast<std::size_t>(k) % sizes.size()]);
    const auto from = in.planes(at), to = room.planes(made);
    made += stream.process(from.data(), to.data(), n);
    at += n;
  }
  for (int c = 0; c < out.channels; ++c)
    out.numbers.insert(out.numbers.end(), room.numbers.begin() + c * room.samples(),
                       room.numbers.begin() + c * room.samples() + made);
  return out;
}

}  // namespace ctnn::ir::test
