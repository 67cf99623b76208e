// SPDX-License-Identifier: BSL-1.0
// ONNX's recurrent and quantised layers, and its operators on signals, samples, sequences and random numbers.
#pragma once

#include "../readers/ngrams.hpp"
#include "../readers/pictures.hpp"
#include "../readers/random.hpp"
#include "../readers/sampling.hpp"
#include "../readers/sequence.hpp"
#include "../readers/signal.hpp"

namespace ctnn::onnx {

namespace readers {

/// Sorted by name.
inline constexpr operator_entry sequences[] = {
    {"AffineGrid", affine_grid},
    {"Attention", attention},
    {"Bernoulli", bernoulli, true},
    {"BlackmanWindow", window<op::window_kind::blackman>},
    {"ConcatFromSequence", concat_from_sequence},
    {"ConvInteger", integer_convolution},
    {"DFT", dft},
    {"DeformConv", deform_conv},
    {"DequantizeLinear", dequantize},
    {"DynamicQuantizeLinear", dynamic_quantize},
    {"GRU", gru},
    {"GridSample", grid_sample},
    {"HammingWindow", window<op::window_kind::hamming>},
    {"HannWindow", window<op::window_kind::hann>},
    {"ImageDecoder", image_decoder},
    {"LSTM", lstm},
    {"MatMulInteger", integer_matmul},
    {"MaxRoiPool", max_roi_pool},
    {"MelWeightMatrix", mel_weights},
    {"Multinomial", multinomial, true},
    {"NonMaxSuppression", non_max_suppression},
    {"Optional", optional},
    {"OptionalGetElement", optional_get_element},
    {"OptionalHasElement", optional_has_element},
    {"QLinearConv", quantized_convolution},
    {"QLinearMatMul", quantized_matmul},
    {"QuantizeLinear", quantize},
    {"RNN", rnn},
    {"RandomNormal", random<true, false>, true},
    {"RandomNormalLike", random<true, true>, true},
    {"RandomUniform", random<false, false>, true},
    {"RandomUniformLike", random<false, true>, true},
    {"Resize", resize},
    {"RoiAlign", roi_align},
    {"RotaryEmbedding", rotary_embedding},
    {"STFT", stft},
    {"SequenceAt", sequence_at},
    {"SequenceConstruct", sequence_construct},
    {"SequenceEmpty", sequence_empty},
    {"SequenceErase", sequence_erase},
    {"SequenceInsert", sequence_insert},
    {"SequenceLength", sequence_length},
    {"SplitToSequence", split_to_sequence},
    {"TfIdfVectorizer", tfidf},
    {"Upsample", upsample},
};

}  // namespace readers

CTNN_ONCE const operator_entry* find_sequences(std::string_view name) { return find_in(readers::sequences, name); }

}  // namespace ctnn::onnx
