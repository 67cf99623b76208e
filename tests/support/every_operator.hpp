// SPDX-License-Identifier: BSL-1.0
// A graph with every operator on values of one element type.
#pragma once

#include "builder.hpp"

namespace ctnn::ir::test {

/// One network: each operator once or more on values of T. What does not take T is left out.
struct every_operator : builder {
  dtype T;

  constexpr value_id value(std::string_view name, std::initializer_list<int> shape, dtype type) {
    return add(op::input{list<int>(shape), type}, name, {});
  }
  constexpr value_id value(std::string_view name, std::initializer_list<int> shape) { return value(name, shape, T); }
  template <class Op>
  constexpr void node(const Op& op, std::string_view name, std::initializer_list<value_id> in, types wanted = {}) {
    if (const problem p = add_node(g, op, name, std::span<const value_id>(in.begin(), in.size()), {}, wanted)) {
      if (p.kind != mistake::element_type) node_is_wrong(name);
      return;
    }
    const range made = g.nodes.back().outputs;
    for (int k = 0; k < made.count; ++k) add_output(g, {}, made.first + k);
  }
  template <class Op>
  static constexpr Op windowed(Op op) {
    op.out = 4;
    for (int& k : op.kernel) k = 3;
    return op;
  }

  constexpr explicit every_operator(dtype type) : T(type) {
    const value_id v = value("v", {6}), m = value("m", {4, 6}), n = value("n", {6, 5}),
                   image = value("image", {2, 4, 6, 6}), line = value("line", {2, 4, 6}),
                   cube = value("cube", {1, 2, 4, 4, 4}), squares = value("squares", {2, 3, 3}), one = value("one", {}),
                   two = value("two", {2}), heads = value("heads", {2, 2, 3, 4});
    const value_id at = value("at", {4, 6}, dtype::i64), few = value("few", {4}, dtype::i32),
                   on = value("on", {4, 6}, dtype::boolean), marks = value("marks", {4}, dtype::boolean);
    // One element by itself, and in pairs
    node(op::activation{{function::relu}}, "relu", {m});
    node(op::activation{{function::sigmoid}}, "sigmoid", {m});
    node(op::binary{}, "add", {m, v});
    node(op::binary{op::binary_function::div}, "div", {m, m});
    node(op::eltwise{}, "eltwise", {m, m});
    node(op::identity{}, "identity", {m});
    node(op::storage_cast{}, "storage_cast", {m});
    node(op::dropout{}, "dropout", {m});
    node(op::bitwise_not{}, "bitwise_not", {m});
    node(op::is_nan{}, "is_nan", {m});
    node(op::is_inf{}, "is_inf", {m});
    node(op::cast{dtype::f32}, "to_f32", {m});
    node(op::cast{dtype::f64}, "to_f64", {m});
    node(op::cast{dtype::f16}, "to_f16", {m});
    node(op::cast{dtype::i64}, "to_i64", {m});
    node(op::cast{dtype::u8}, "to_u8", {m});
    node(op::cast{dtype::boolean}, "to_boolean", {m});
    node(op::bit_cast{dtype::i32}, "bits_as_i32", {m});
    node(op::bit_cast{dtype::i64}, "bits_as_i64", {m});
    node(op::bit_cast{dtype::i16}, "bits_as_i16", {m});
    node(op::bit_cast{dtype::u8}, "bits_as_u8", {m});
    node(op::clamp{}, "clamp", {m, one, one});
    node(op::compare{}, "compare", {m, v});
    node(op::logic{op::logic_function::bit_xor}, "bits", {m, v});
    node(op::logic{}, "logic", {m, v});
    node(op::remainder{}, "remainder", {m, v});
    node(op::binary{op::binary_function::prelu}, "by_slope", {m, v});
    node(op::where{}, "where", {on, m, v});
    // Numbers for each channel, and normalisation
    node(op::prelu{1}, "prelu", {m});
    node(op::batch_norm{1e-5f, 1}, "batch_norm", {m});
    node(op::scale{true, 1}, "scale", {m});
    node(op::bias{1}, "bias", {m});
    node(op::scale{true, 1, {function::tanh}}, "scale_tanh", {m});
    node(op::bias{1, {function::relu}}, "bias_relu", {m});
    node(op::local_response_norm{}, "local_response_norm", {image});
    node(op::local_response_norm{.within = true}, "within", {image});
    node(op::layer_norm{}, "layer_norm", {m, v, v});
    node(op::rms_norm{}, "rms_norm", {m, v});
    node(op::group_norm{2}, "group_norm", {image, two, two});
    node(op::lp_normalize{}, "lp_normalize", {m});
    node(op::mean_variance_normalize{}, "mean_variance_normalize", {m});
    node(op::softmax{}, "softmax", {m});
    node(op::log_softmax{}, "log_softmax", {m});
    node(op::hardmax{}, "hardmax", {m});
    // Windows
    op::pool pool;
    pool.kernel = {2, 2};
    node(pool, "pool", {image});
    pool.function = op::pooling::average;
    node(pool, "averages", {image});
    node(op::adaptive_pool{}, "adaptive_pool", {image});
    op::interpolate grow;
    grow.size = {9, 9};
    node(grow, "interpolate", {image});
    node(windowed(op::conv1d{}), "conv1d", {line});
    node(windowed(op::conv2d{}), "conv2d", {image});
    node(windowed(op::conv3d{}), "conv3d", {cube});
    node(windowed(op::conv_transpose1d{}), "conv_transpose1d", {line});
    node(windowed(op::conv_transpose2d{}), "conv_transpose2d", {image});
    node(windowed(op::conv_transpose3d{}), "conv_transpose3d", {cube});
    const value_id places = value("places", {2, 4, 6}, dtype::i64);
    node(op::max_unpool{list<int>{8}}, "max_unpool", {line, places});
    op::fold_blocks fold;
    fold.image = {3, 3};
    fold.block = {2, 2};
    node(fold, "fold_blocks", {value("blocks", {1, 8, 4})});
    node(windowed(op::deform_conv{}), "deform_conv", {image, value("shifts", {2, 18, 4, 4})});
    node(op::grid_sample{}, "grid_sample", {image, value("grid", {2, 3, 3, 2})});
    node(op::affine_grid{list<int>{2, 1, 3, 3}}, "affine_grid", {value("theta", {2, 2, 3})});
    const value_id photos = value("photos", {4, 2, 4, 4});
    node(op::roi_align{.size = {2, 2}}, "roi_align",
         {photos, value("regions", {4, 4}), value("which", {4}, dtype::i64)});
    node(op::roi_pool{.size = {2, 2}}, "roi_pool", {photos, value("regions_of_photos", {4, 5})});
    // Products
    node(op::matmul{}, "matmul", {m, n});
    op::linear fc;
    fc.out = 3;
    node(fc, "linear", {m});
    node(op::einsum::of("ij,jk->ki"), "einsum", {m, n});
    node(op::det{}, "det", {squares});
    node(op::attention{}, "attention", {heads, heads, heads});
    const value_id turns = value("turns", {2, 3, 2});
    node(op::rotary_embedding{}, "rotary_embedding", {heads, turns, turns});
    // Along axes
    node(op::reduce{op::reduction::sum, {1}}, "reduce", {m});
    node(op::reduce{op::reduction::max, {0}}, "largest", {m});
    node(op::arg_reduce{}, "arg_reduce", {m});
    node(op::cumsum{}, "cumsum", {m});
    node(op::topk{3}, "topk", {m});
    // Movement
    node(op::flatten{}, "flatten", {m});
    node(op::reshape{list<int>{3, 8}}, "reshape", {m});
    node(op::permute{list<int>{1, 0}}, "permute", {m});
    node(op::channel_shuffle{2}, "channel_shuffle", {image});
    node(op::pixel_shuffle{{2, 2}}, "pixel_shuffle", {image});
    node(op::concat{}, "concat", {m, m});
    node(op::split{{1, 3}, 0}, "split", {m});
    node(op::slice{{0}, {1}, {3}, {1}}, "slice", {m});
    node(op::slice{{1}, {5}, {0}, {-2}}, "back", {m});
    node(op::pad{op::pad_mode::constant, {1, 0}, {0, 2}, 2}, "pad", {m});
    node(op::pad{op::pad_mode::reflect, {1, 0}, {0, 2}}, "mirrored", {m});
    node(op::expand{list<int>{2, 4, 6}}, "expand", {m});
    node(op::tile{list<int>{2, 1}}, "tile", {m});
    node(op::trilu{}, "trilu", {m});
    node(op::reverse_sequence{0, 1}, "reverse_sequence", {m, value("lengths", {4}, dtype::i64)});
    // By index, and as many as the numbers give
    node(op::gather{}, "gather", {m, few});
    node(op::gather_elements{1}, "gather_elements", {m, at});
    node(op::gather_nd{}, "gather_nd", {m, value("pairs", {3, 2}, dtype::i64)});
    node(op::scatter_elements{1}, "scatter_elements", {m, at, m});
    node(op::scatter_elements{1, op::scatter_reduction::add}, "scatter_sums", {m, at, m});
    node(op::scatter_nd{}, "scatter_nd", {m, value("rows", {4, 1}, dtype::i64), m});
    node(op::one_hot{4, -1}, "one_hot", {few, two});
    node(op::nonzero{24}, "nonzero", {m});
    node(op::compress{false, 0, 4}, "compress", {m, marks});
    node(op::unique{true, true, 0, T == dtype::boolean ? 1 : is_floating(T) ? 6 : 3}, "unique", {v});
    op::non_max_suppression best;
    best.most = 2;
    best.iou = 0.5f;
    best.count = 4;
    node(best, "non_max_suppression", {value("boxes", {1, 6, 4}), value("scores", {1, 2, 6})});
    // Of their own
    node(op::constant{list<int>{3}, T}, "constant", {});
    if (T == dtype::f32) node(op::full{list<int>{3}, 2}, "full", {});
    node(op::eye{{3, 4}, 1, T}, "eye", {});
    node(op::arange{1, 2, 5, T}, "arange", {});
    node(op::signal_window{op::window_kind::hann, 8, true, T}, "signal_window", {});
    op::mel_weights mel;
    mel.bins = 4;
    mel.dft_length = 16;
    mel.sample_rate = 8000;
    mel.high = 4000;
    mel.type = T;
    node(mel, "mel_weights", {});
    // Signals and detections
    node(op::dft{}, "dft", {value("signal", {1, 6, 2})});
    node(op::stft{4, 2, true}, "stft", {value("sound", {1, 12})});
    op::prior_box prior;
    prior.min_sizes = {2};
    node(prior, "prior_box", {value("map", {1, 2, 2}), value("whole", {3, 8, 8})});
    op::detection_output detect;
    detect.classes = 3;
    node(detect, "detection_output", {value("offsets", {24}), value("classes", {6, 3}), value("priors", {2, 24})});
    op::yolo_detection yolo;
    yolo.classes = 2;
    yolo.boxes = 1;
    yolo.anchors = {1, 2};
    node(yolo, "yolo_detection", {value("cells", {7, 2, 2})});
  }
};

}  // namespace ctnn::ir::test
