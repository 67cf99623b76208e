// SPDX-License-Identifier: BSL-1.0
// Between a host that gives any number of samples and a network that takes whole units of them: what does not fill a
// unit waits, and what comes out is that much later, so that as many samples come out as go in.
#pragma once

#include <cstddef>
#include <cstring>

#include "../base/span.hpp"

namespace ctnn::ir {

/// A sequence as a network has it: [before, samples, after], of before * after channels.
struct stream_signal {
  int before = 1, after = 1;
  int unit = 1;  ///< samples in a unit; 0: no sequence, the same numbers for the whole block

  constexpr int channels() const { return before * after; }
  /// Of channel c at sample t of `samples`.
  constexpr std::ptrdiff_t place(int c, int t, int samples) const {
    return (static_cast<std::ptrdiff_t>(c / after) * samples + t) * after + c % after;
  }
};

/// A sequence as a host has it.
template <class T>
struct host_signal {
  T* const* planes = nullptr;  ///< one for each channel; or null:
  T* interleaved = nullptr;    ///< all channels of a sample, then those of the next
  int channels = 1;

  T* of(int c) const { return planes ? planes[c] : interleaved + c; }
  std::ptrdiff_t step() const { return planes ? 1 : channels; }
  /// `count` samples from sample `from` on where the network would take them as they lie, or null.
  T* as(const stream_signal& s, int from) const {
    if (s.channels() == 1) return of(0) + from;
    return !planes && s.before == 1 ? interleaved + static_cast<std::ptrdiff_t>(from) * channels : nullptr;
  }
};

/// Constant.
struct stream_signals {
  span<const stream_signal> inputs, outputs;
  int units = 1;  ///< in the longest block

  /// Samples in a unit: of the first input that is a sequence.
  constexpr int unit() const {
    for (const stream_signal& s : inputs)
      if (s.unit > 0) return s.unit;
    return 1;
  }
  /// Does output o have as many samples as the input?
  constexpr bool keeps_rate(std::size_t o) const { return outputs[o].unit == unit(); }
  /// Samples that wait for others at most, and by which outputs of the input's rate are late.
  constexpr int held_back() const { return unit() - 1; }
  constexpr int longest() const { return units * unit(); }

  // Numbers of memory that feed() needs.
  constexpr std::size_t waiting() const {  ///< of inputs
    std::size_t n = 0;
    for (const stream_signal& s : inputs) n += static_cast<std::size_t>(s.channels() * held_back());
    return n;
  }
  constexpr std::size_t late() const {  ///< of outputs
    std::size_t n = 0;
    for (const stream_signal& s : outputs) n += static_cast<std::size_t>(s.channels() * held_back());
    return n;
  }
  constexpr std::size_t assembled() const {  ///< a block of all inputs
    std::size_t n = 0;
    for (const stream_signal& s : inputs) n += static_cast<std::size_t>(s.channels() * s.unit * units);
    return n;
  }
};

struct feed_memory {
  float *waiting, *late, *assembled;
  int* waits;  ///< samples

  void begin(const stream_signals& of) const {
    *waits = 0;
    for (std::size_t i = 0; i < of.late(); ++i) late[i] = 0;
  }
};

/// Takes n samples of every input that is a sequence and gives as many of every output of the same rate; of others as
/// many as there are now, whose number for output 0 it returns. `inputs[i]` is where input i is if it is no sequence;
/// run(units, inputs) runs the next block, output(o) says where an output of it is. Outputs may be the inputs' memory.
inline int feed(const stream_signals& of, const feed_memory& m, const host_signal<const float>* in,
                const host_signal<float>* out, int n, const float** inputs, auto&& run, auto&& output) {
  const int unit = of.unit(), held = of.held_back();
  int before = 0;  // units of the blocks before this one
  for (int done = 0; done < n;) {
    const int room = of.longest() - *m.waits, take = n - done < room ? n - done : room;
    const int units = (*m.waits + take) / unit, count = units * unit, rest = *m.waits + take - count;
    const int old = *m.waits;
    // What waits for the next block is behind what this one takes.
    const auto keep = [&](int i, float* waiting, int from, int to) {
      const stream_signal& s = of.inputs[static_cast<std::size_t>(i)];
      for (int c = 0; c < s.channels(); ++c)
        for (int t = from; t < take; ++t) waiting[c * held + to + t - from] = in[i].of(c)[(done + t) * in[i].step()];
    };
    float *waiting = m.waiting, *block = m.assembled;
    for (std::size_t i = 0; i < of.inputs.size(); ++i) {
      const stream_signal& s = of.inputs[i];
      if (s.unit == 0) continue;
      if (units > 0) {
        const float* as_it_is = old == 0 && rest == 0 ? in[i].as(s, done) : nullptr;
        inputs[i] = as_it_is ? as_it_is : block;
        for (int c = 0; !as_it_is && c < s.channels(); ++c) {
          for (int t = 0; t < old; ++t) block[s.place(c, t, count)] = waiting[c * held + t];
          for (int t = old; t < count; ++t) block[s.place(c, t, count)] = in[i].of(c)[(done + t - old) * in[i].step()];
        }
      }
      keep(static_cast<int>(i), waiting, units > 0 ? count - old : 0, units > 0 ? 0 : old);
      waiting += s.channels() * held;
      block += s.channels() * s.unit * of.units;
    }
    *m.waits = rest;
    if (units > 0) run(units, inputs);
    float* late = m.late;
    for (std::size_t o = 0; o < of.outputs.size(); ++o) {
      const stream_signal& s = of.outputs[o];
      const int made = s.unit == 0 ? 1 : units * s.unit;
      const float* const from = units > 0 ? output(o) : nullptr;
      if (!of.keeps_rate(o)) {
        for (int c = 0; units > 0 && c < s.channels(); ++c)
          for (int t = 0; t < made; ++t)
            out[o].of(c)[(before * s.unit + t) * out[o].step()] = from[s.place(c, t, made)];
      } else {
        // Late ones first, then new ones; the rest is late.
        const int queued = held - old;
        for (int c = 0; c < s.channels(); ++c) {
          float *const queue = late + c * held, *const to = out[o].of(c) + done * out[o].step();
          for (int t = 0; t < take; ++t)
            to[t * out[o].step()] = t < queued ? queue[t] : from[s.place(c, t - queued, made)];
          const int stays = queued > take ? queued - take : 0;
          for (int t = 0; t < stays; ++t) queue[t] = queue[t + take];
          for (int t = stays; t < held - rest; ++t) queue[t] = from[s.place(c, t + take - queued, made)];
        }
      }
      late += s.channels() * held;
    }
    before += units;
    done += take;
  }
  return of.keeps_rate(0) ? n : before * of.outputs[0].unit;
}

}  // namespace ctnn::ir
