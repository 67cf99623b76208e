// SPDX-License-Identifier: BSL-1.0
// A network of floats as one of bytes (quantizer.hpp says which values, for which ranges): the networks that say so.
//
//   ctnn::quantizer q = ctnn::calibrated(m, samples);    // of a model of floats, a file's or a type's (to_model)
//   ctnn::quantized_network made = q.quantized();        // quantize and dequantize round every layer of bytes
//   ctnn::model bytes(q.integers().model, {.keep_weights = true});  // or layers that compute with bytes, which
//   ctnn::cpp::write_header(bytes.code(), {"bytes"});               // model/write_header.hpp makes a type of
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

/// The rules that a network goes without which is to be quantized: layers of bytes add nothing to their sums, and those
/// that apply prelu's slopes have none.
inline constexpr std::string_view rules_without_bytes[] = {"fuse_residual", "fuse_residual_last", "fuse_slopes"};

/// A quantizer of a model of floats that was loaded with keep_weights: rewritten anew, without those rules, and
/// calibrated. Layers to be kept in floats are called as in the model's source; of what rewriting takes away it is the
/// layer that does the work. Throws ctnn::error as quantizer and calibrate() do.
quantizer calibrated(const model& floats, std::span<const arrays_by_name> samples, quantize_options options = {},
                     const std::function<void(double)>& done = {});

}  // namespace ctnn

#if CTNN_DEFINES(CTNN_PART_TOOLS)
#include "../loaded/rewriting.hpp"
#include "../rewrite/provenance.hpp"
#include "kept_weights.hpp"
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

CTNN_ONCE quantizer calibrated(const model& floats, std::span<const arrays_by_name> samples, quantize_options options,
                               const std::function<void(double)>& done) {
  const loaded_model& source = ir::source_with_weights(floats.code());
  loaded_model again;  // with the names and the numbers of the other
  again.network = ir::thaw(source.network.view());
  again.weights = source.weights;
  again.inputs = source.inputs;
  std::vector<ir::rule_record> rules;
  for (const ir::rule_record& r : ir::default_rule_records())
    if (std::ranges::find(rules_without_bytes, r.info.name) == std::end(rules_without_bytes)) rules.push_back(r);
  const ir::optimization o = ir::optimize_loaded(again, ir::thaw(again.network.view()), rules);
  for (std::string& layer : options.keep_float)
    if (const std::string_view now = ir::provenance_of(layer, o.g.view(), o.history).into; !now.empty()) layer = now;
  quantizer q(folded(again, o.g.view()), options);
  calibrate(q, model(folded(again, o.g.view()), {.optimize = false}), samples, done);
  return q;
}

}  // namespace ctnn

#endif
