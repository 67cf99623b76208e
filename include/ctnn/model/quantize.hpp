// SPDX-License-Identifier: BSL-1.0
// A network of floats as one of bytes (quantizer.hpp says which values, for which ranges): the networks that say so.
//
//   ctnn::quantizer q(ctnn::folded(m, rewritten));       // a network of floats, rewritten, its weights folded
//   ctnn::calibrate(q, samples);
//   ctnn::quantized_network made = q.quantized();        // quantize and dequantize round every layer of bytes
//
// Activations are i8 with a scale and a zero point for each value, weights i8 with a scale for each output and no zero
// point, biases i32 of both scales' product: what ONNX Runtime's quantizer writes and TensorFlow Lite specifies
// (https://ai.google.dev/edge/litert/models/quantization_spec).
#pragma once

#include <functional>

#include "../base/compiled.hpp"
#include "folded.hpp"
#include "quantizer.hpp"

namespace ctnn {

/// Feeds the quantizer with what its network, ready to run, makes of the samples, and settles it. `done` is told which
/// part is done, 0 to 1. Throws ctnn::error naming the value and the sample whose numbers are not finite.
void calibrate(quantizer& q, const model& floats, std::span<const arrays_by_name> samples,
               const std::function<void(double)>& done = {});

}  // namespace ctnn

#if CTNN_DEFINES(CTNN_PART_TOOLS)
#include "quantized_maker.hpp"

namespace ctnn {

CTNN_ONCE void calibrate(quantizer& q, const model& floats, std::span<const arrays_by_name> samples,
                         const std::function<void(double)>& done) {
  if (samples.empty()) throw error("there are no samples to calibrate with");
  ctnn::extractor ex = floats.extractor();
  ex.set_light_mode(false);
  const std::vector<std::string_view> values = q.observed();
  const std::size_t passes = q.counts() ? 2 : 1;
  for (std::size_t pass = 0; pass < passes; ++pass)
    for (std::size_t i = 0; i < samples.size(); ++i) {
      for (const auto& [name, numbers] : samples[i]) ex.input(name, numbers);
      for (const std::string_view v : values) {
        const array numbers = ex.extract(v);
        try {
          if (pass == 0) q.widen(v, numbers);
          else q.count(v, numbers);
        } catch (const error& e) {
          throw error("sample " + std::to_string(i + 1) + ": " + e.what());
        }
      }
      if (done) done(static_cast<double>(pass * samples.size() + i + 1) / static_cast<double>(passes * samples.size()));
    }
  q.settle();
}

}  // namespace ctnn

#endif
