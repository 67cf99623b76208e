// SPDX-License-Identifier: BSL-1.0
// What a host calls of a stream, declared or loaded.
#pragma once

#include <cstddef>

#include "../base/denormals.hpp"
#include "block_table.hpp"
#include "stream_feed.hpp"

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::nonblocking)
#define CTNN_NONBLOCKING [[clang::nonblocking]]
#endif
#endif
#if !defined(CTNN_NONBLOCKING)
#define CTNN_NONBLOCKING
#endif

namespace ctnn::ir {

/// Constant.
struct stream_description {
  block_tables blocks;
  stream_signals signals;
  std::int64_t receptive_field = 1;  ///< samples of the input that one of the output depends on; 0: all before it
  std::int64_t prewarm = 0;          ///< samples of silence that stand for those
  int delay = 0;                     ///< of output 0 behind that of the whole network
};

/// Where a stream keeps what changes.
struct stream_memory {
  block_memory blocks;
  feed_memory feed;
  const float** inputs;  ///< as many as inputs
};

/// Self has description(), memory(), kernels(), and flushes_denormals(). None of these calls takes memory, waits, or
/// asks the system for anything: they may be made where audio is played.
template <class Self>
class stream_calls {
 public:
  /// The next n samples of the input, any number, and as many of the output; of a network whose output has another rate
  /// as many as there are now, whose number it returns (at most output_samples(n)). Both of one channel; they may be
  /// the same memory.
  CTNN_NONBLOCKING int process(const float* in, float* out, int n) noexcept {
    const host_signal<const float> from{nullptr, in, 1};
    const host_signal<float> to{nullptr, out, 1};
    return process(&from, &to, n);
  }
  /// Of several channels, each by itself.
  CTNN_NONBLOCKING int process(const float* const* in, float* const* out, int n) noexcept {
    const host_signal<const float> from{in};
    const host_signal<float> to{out};
    return process(&from, &to, n);
  }
  /// Of several channels, one number of each in turn.
  CTNN_NONBLOCKING int process_interleaved(const float* in, float* out, int n) noexcept {
    const host_signal<const float> from{nullptr, in, channels_in()};
    const host_signal<float> to{nullptr, out, channels_out()};
    return process(&from, &to, n);
  }
  /// Of several inputs and outputs, in the network's order.
  CTNN_NONBLOCKING int process(const host_signal<const float>* in, const host_signal<float>* out, int n) noexcept {
    const denormals_are_zeros flush(self().flushes_denormals());
    const stream_description& d = self().description();
    const stream_memory m = self().memory();
    return feed(
        d.signals, m.feed, in, out, n, m.inputs,
        [&](int units, const float* const* inputs) { run_block(d.blocks, self().kernels(), m.blocks, units, inputs); },
        [&](std::size_t o) {
          const memory_place& place = m.blocks.values[d.blocks.output(o)].place;
          return address_in({m.blocks.pointers, m.blocks.weights, m.blocks.arena}, place);
        });
  }

  /// A new sequence: nothing has been before.
  void reset() noexcept {
    begin_blocks(self().description().blocks, self().memory().blocks);
    self().memory().feed.begin(self().description().signals);
  }
  /// A new sequence after much silence: as if zeros had been before as far back as the network looks.
  void prewarm() noexcept {
    reset();
    const stream_description& d = self().description();
    const stream_memory m = self().memory();
    for (std::int64_t done = 0; done < d.prewarm; done += d.signals.longest()) {
      const std::int64_t left = (d.prewarm - done + d.signals.unit() - 1) / d.signals.unit();
      const int units = left < d.signals.units ? static_cast<int>(left) : d.signals.units;
      float* zeros = m.feed.assembled;
      for (std::size_t i = 0; i < d.signals.inputs.size(); ++i) {
        const stream_signal& s = d.signals.inputs[i];
        if (s.unit == 0) continue;
        m.inputs[i] = zeros;
        for (int k = s.channels() * s.unit * d.signals.units; k > 0; --k) *zeros++ = 0;
      }
      run_block(d.blocks, self().kernels(), m.blocks, units, m.inputs);
    }
  }

  int channels_in() const { return self().description().signals.inputs[0].channels(); }
  int channels_out() const { return self().description().signals.outputs[0].channels(); }
  /// By how many of its samples output 0 is later than the whole network's.
  int latency() const {
    const stream_signals& s = self().description().signals;
    return self().description().delay + (s.keeps_rate(0) ? s.held_back() : 0);
  }
  /// The most samples of output 0 that come of n of the input.
  int output_samples(int n) const {
    const stream_signals& s = self().description().signals;
    return s.keeps_rate(0) ? n : (n + s.held_back()) / s.unit() * s.outputs[0].unit;
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace ctnn::ir
