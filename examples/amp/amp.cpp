// SPDX-License-Identifier: BSL-1.0
// A guitar amplifier that somebody has captured: sound files through Neural Amp Modeler's .nam files (RTNeural's .json
// and any other model of one channel that is causal, too), as a plugin would play them.
//
//   amp MODEL.nam IN.wav OUT.wav
#include <ctnn/model.hpp>
#include <sndfile.hh>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int block = 480;  // what a host may ask for at once; a plugin is told when playing begins

int play(const std::string& model, const std::string& from, const std::string& to) {
  SndfileHandle in(from);
  if (in.error() != 0) throw ctnn::error(from + ": " + in.strError());
  const int channels = in.channels();

  // All memory is taken here, and weights are there once: what follows could be an audio callback.
  const ctnn::model_stream first = ctnn::model::load(model).stream({.at_most = block});
  if (first.channels_in() != 1 || first.channels_out() != 1 || first.output_samples(block) != block)
    throw ctnn::error(model + ": takes " + std::to_string(first.channels_in()) + " channels and gives " +
                      std::to_string(first.channels_out()) + ", an amplifier has one and keeps the rate");
  std::vector<ctnn::model_stream> amps(static_cast<std::size_t>(channels), first);
  for (ctnn::model_stream& amp : amps) amp.prewarm();

  SndfileHandle out(to, SFM_WRITE, in.format(), channels, in.samplerate());
  if (out.error() != 0) throw ctnn::error(to + ": " + out.strError());
  std::vector<float> frames(static_cast<std::size_t>(block * channels)), signal(block);
  double seconds = 0, most = 0;
  sf_count_t all = 0;
  while (const sf_count_t n = in.readf(frames.data(), block)) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t c = 0; c < amps.size(); ++c) {
      for (std::size_t t = 0; t < static_cast<std::size_t>(n); ++t) signal[t] = frames[t * amps.size() + c];
      amps[c].process(signal.data(), signal.data(), static_cast<int>(n));
      for (std::size_t t = 0; t < static_cast<std::size_t>(n); ++t) frames[t * amps.size() + c] = signal[t];
    }
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    seconds += now;
    most = std::max(most, now / static_cast<double>(n));
    all += n;
    if (out.writef(frames.data(), n) != n) throw ctnn::error(to + ": " + out.strError());
  }
  const double length = static_cast<double>(all) / in.samplerate();
  std::printf("%.2f s of sound in %.3f s, %.0f times as fast as it plays; the slowest block %.0f times\n", length,
              seconds, length / seconds, 1 / (most * in.samplerate()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: amp MODEL.nam IN.wav OUT.wav\n", stderr);
    return 2;
  }
  try {
    return play(argv[1], argv[2], argv[3]);
  } catch (const ctnn::error& e) {
    std::fprintf(stderr, "amp: %s\n", e.what());
    return 1;
  }
}
