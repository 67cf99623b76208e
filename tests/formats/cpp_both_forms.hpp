// Written by tests/formats/cpp_both_forms.cpp.
#pragma once

#include <ctnn/typed.hpp>
#include <limits>

namespace both_forms {

struct operators_function : ctnn::declared<operators_function> {
  static constexpr auto forward(ctnn::graph& m) {
    const auto v = m.input("v", {6});
    const auto m_2 = m.input("m", {4, 6});
    const auto n = m.input("n", {6, 5});
    const auto image = m.input("image", {2, 4, 6, 6});
    const auto line = m.input("line", {2, 4, 6});
    const auto cube = m.input("cube", {1, 2, 4, 4, 4});
    const auto squares = m.input("squares", {2, 3, 3});
    const auto one = m.input("one", {});
    const auto two = m.input("two", {2});
    const auto heads = m.input("heads", {2, 2, 3, 4});
    const auto at = m.input("at", {4, 6}, {.dtype = ctnn::dtype::i64});
    const auto few = m.input("few", {4}, {.dtype = ctnn::dtype::i32});
    const auto on = m.input("on", {4, 6}, {.dtype = ctnn::dtype::boolean});
    const auto marks = m.input("marks", {4}, {.dtype = ctnn::dtype::boolean});
    const auto relu = m.relu(m_2);
    const auto sigmoid = m.sigmoid(m_2);
    const auto add = m.add(m_2, v);
    const auto div = m.div(m_2, m_2);
    const auto eltwise = m.layer<ctnn::op::eltwise>("eltwise", {m_2, m_2});
    const auto identity = m.identity(m_2);
    const auto dropout = m.dropout(m_2);
    const auto is_nan = m.named("is_nan", m.isnan(m_2));
    const auto is_inf = m.named("is_inf", m.isinf(m_2));
    const auto to_f32 = m.named("to_f32", m.cast(m_2));
    const auto to_f64 = m.named("to_f64", m.cast(m_2, {.to = ctnn::dtype::f64}));
    const auto to_f16 = m.named("to_f16", m.cast(m_2, {.to = ctnn::dtype::f16}));
    const auto to_i64 = m.named("to_i64", m.cast(m_2, {.to = ctnn::dtype::i64}));
    const auto to_u8 = m.named("to_u8", m.cast(m_2, {.to = ctnn::dtype::u8}));
    const auto to_boolean = m.named("to_boolean", m.cast(m_2, {.to = ctnn::dtype::boolean}));
    const auto bits_as_i32 = m.named("bits_as_i32", m.bit_cast(m_2));
    const auto clamp = m.layer<ctnn::op::clamp>("clamp", {m_2, one, one});
    const auto compare = m.named("compare", m.eq(m_2, v));
    const auto remainder = m.remainder(m_2, v);
    const auto by_slope = m.layer<ctnn::op::binary>("by_slope", {m_2, v}, {{"function", {10}}});
    const auto where = m.where(on, m_2, v);
    const auto prelu = m.layer<ctnn::op::prelu>("prelu", {m_2}, {{"axis", {1}}});
    const auto batch_norm = m.batch_norm1d("batch_norm", m_2);
    const auto scale = m.scale("scale", m_2, {.axis = 1});
    const auto bias = m.bias("bias", m_2, {.axis = 1});
    const auto scale_tanh = m.scale("scale_tanh", m_2, {.activation = ctnn::function::tanh, .axis = 1});
    const auto bias_relu = m.bias("bias_relu", m_2, {.activation = ctnn::function::relu, .axis = 1});
    const auto local_response_norm = m.local_response_norm(image);
    const auto within = m.named("within", m.local_response_norm(image, {.within = true}));
    const auto layer_norm = m.layer<ctnn::op::layer_norm>("layer_norm", {m_2, v, v});
    const auto rms_norm = m.layer<ctnn::op::rms_norm>("rms_norm", {m_2, v});
    const auto group_norm = m.layer<ctnn::op::group_norm>("group_norm", {image, two, two}, {{"groups", {2}}});
    const auto lp_normalize = m.layer<ctnn::op::lp_normalize>("lp_normalize", {m_2});
    const auto mean_variance_normalize = m.layer<ctnn::op::mean_variance_normalize>("mean_variance_normalize", {m_2});
    const auto softmax = m.softmax(m_2);
    const auto log_softmax = m.log_softmax(m_2);
    const auto hardmax = m.layer<ctnn::op::hardmax>("hardmax", {m_2});
    const auto pool = m.named("pool", m.max_pool2d(image, {.kernel_size = 2}));
    const auto averages = m.named("averages", m.avg_pool2d(image, {.kernel_size = 2}));
    const auto adaptive_pool = m.named("adaptive_pool", m.adaptive_avg_pool2d(image));
    const auto interpolate = m.named("interpolate", m.interpolate_nearest(image, {.size = 9}));
    const auto conv1d = m.conv1d("conv1d", line, {.out_channels = 4, .kernel_size = 3});
    const auto conv2d = m.conv2d("conv2d", image, {.out_channels = 4, .kernel_size = 3});
    const auto conv3d = m.conv3d("conv3d", cube, {.out_channels = 4, .kernel_size = 3});
    const auto conv_transpose1d = m.conv_transpose1d("conv_transpose1d", line, {.out_channels = 4, .kernel_size = 3});
    const auto conv_transpose2d = m.conv_transpose2d("conv_transpose2d", image, {.out_channels = 4, .kernel_size = 3});
    const auto conv_transpose3d = m.conv_transpose3d("conv_transpose3d", cube, {.out_channels = 4, .kernel_size = 3});
    const auto places = m.input("places", {2, 4, 6}, {.dtype = ctnn::dtype::i64});
    const auto max_unpool = m.layer<ctnn::op::max_unpool>("max_unpool", {line, places}, {{"size", {8}}});
    const auto blocks = m.input("blocks", {1, 8, 4});
    const auto fold_blocks = m.layer<ctnn::op::fold_blocks>("fold_blocks", {blocks}, {{"image", {3, 3}}, {"block", {2, 2}}});
    const auto shifts = m.input("shifts", {2, 18, 4, 4});
    const auto deform_conv = m.layer<ctnn::op::deform_conv>("deform_conv", {image, shifts}, {{"out", {4}}, {"kernel", {3}}});
    const auto grid = m.input("grid", {2, 3, 3, 2});
    const auto grid_sample = m.grid_sample(image, grid);
    const auto theta = m.input("theta", {2, 2, 3});
    const auto affine_grid = m.layer<ctnn::op::affine_grid>("affine_grid", {theta}, {{"size", {2, 1, 3, 3}}});
    const auto photos = m.input("photos", {4, 2, 4, 4});
    const auto regions = m.input("regions", {4, 4});
    const auto which = m.input("which", {4}, {.dtype = ctnn::dtype::i64});
    const auto roi_align = m.roi_align(photos, regions, which, {.output_size = 2});
    const auto regions_of_photos = m.input("regions_of_photos", {4, 5});
    const auto roi_pool = m.roi_pool(photos, regions_of_photos, {.output_size = 2});
    const auto matmul = m.matmul(m_2, n);
    const auto linear = m.linear("linear", m_2, {.out_features = 3});
    const auto einsum = m.layer<ctnn::op::einsum>("einsum", {m_2, n}, {{"equation", {105, 106, 44, 106, 107, 45, 62, 107, 105}}});
    const auto det = m.det(squares);
    const auto attention = m.attention({heads, heads, heads});
    const auto turns = m.input("turns", {2, 3, 2});
    const auto rotary_embedding = m.layer<ctnn::op::rotary_embedding>("rotary_embedding", {heads, turns, turns});
    const auto reduce = m.named("reduce", m.sum(m_2, {1}, true));
    const auto largest = m.named("largest", m.amax(m_2, {0}, true));
    const auto arg_reduce = m.named("arg_reduce", m.argmax(m_2, 0, true));
    const auto cumsum = m.cumsum(m_2);
    const auto [topk_0, topk_1] = m.topk(m_2, 3); m.unused(topk_0);
    m.unused(m.flatten(m_2));
    m.unused(m.reshape(m_2, {3, 8}));
    m.unused(m.permute(m_2, {1, 0}));
    m.unused(m.channel_shuffle(image, {.groups = 2}));
    m.unused(m.pixel_shuffle(image, {.upscale_factor = 2}));
    m.unused(m.concat({m_2, m_2}));
    const auto [split_0, split_1] = m.split<2>(m_2, {1, 3}); m.unused(split_0);
    m.unused(m.slice(m_2, {.dim = 0, .start = 1, .end = 3, .step = 1}));
    m.unused(m.named("back", m.slice(m_2, {.dim = 1, .start = 5, .end = 0, .step = -2})));
    m.unused(m.layer<ctnn::op::pad>("pad", {m_2}, {{"before", {1, 0}}, {"after", {0, 2}}, {"value", {2}}}));
    m.unused(m.layer<ctnn::op::pad>("mirrored", {m_2}, {{"mode", {1}}, {"before", {1, 0}}, {"after", {0, 2}}}));
    m.unused(m.expand(m_2, {2, 4, 6}));
    m.unused(m.tile(m_2, {2, 1}));
    m.unused(m.named("trilu", m.triu(m_2)));
    const auto lengths = m.input("lengths", {4}, {.dtype = ctnn::dtype::i64});
    m.unused(m.layer<ctnn::op::reverse_sequence>("reverse_sequence", {m_2, lengths}, {{"batch", {0}}, {"time", {1}}}));
    m.unused(m.named("gather", m.index_select(m_2, 0, few)));
    m.unused(m.named("gather_elements", m.gather(m_2, 1, at)));
    const auto pairs = m.input("pairs", {3, 2}, {.dtype = ctnn::dtype::i64});
    m.unused(m.layer<ctnn::op::gather_nd>("gather_nd", {m_2, pairs}));
    m.unused(m.layer<ctnn::op::scatter_elements>("scatter_elements", {m_2, at, m_2}, {{"axis", {1}}}));
    m.unused(m.layer<ctnn::op::scatter_elements>("scatter_sums", {m_2, at, m_2}, {{"axis", {1}}, {"reduction", {1}}}));
    const auto rows = m.input("rows", {4, 1}, {.dtype = ctnn::dtype::i64});
    m.unused(m.layer<ctnn::op::scatter_nd>("scatter_nd", {m_2, rows, m_2}));
    m.unused(m.layer<ctnn::op::one_hot>("one_hot", {few, two}, {{"depth", {4}}}));
    m.unused(m.layer<ctnn::op::nonzero>("nonzero", {m_2}, {{"count", {24}}}));
    m.unused(m.layer<ctnn::op::compress>("compress", {m_2, marks}, {{"flatten", {0}}, {"count", {4}}}));
    const auto [unique_0, unique_1, unique_2, unique_3] = m.layer<ctnn::op::unique, 4>("unique", {v}, {{"count", {6}}}); m.unused(unique_0);
    const auto boxes = m.input("boxes", {1, 6, 4});
    const auto scores = m.input("scores", {1, 2, 6});
    m.unused(m.layer<ctnn::op::non_max_suppression>("non_max_suppression", {boxes, scores}, {{"most", {2}}, {"iou", {0.5}}, {"count", {4}}}));
    m.unused(m.parameter("constant", {3}));
    m.unused(m.full({3}, 2));
    m.unused(m.layer<ctnn::op::eye>("eye", {}, {{"shape", {3, 4}}, {"diagonal", {1}}}));
    m.unused(m.layer<ctnn::op::arange>("arange", {}, {{"start", {1}}, {"step", {2}}, {"count", {5}}}));
    m.unused(m.layer<ctnn::op::signal_window>("signal_window", {}, {{"size", {8}}}));
    m.unused(m.layer<ctnn::op::mel_weights>("mel_weights", {}, {{"bins", {4}}, {"dft_length", {16}}, {"sample_rate", {8000}}, {"high", {4000}}}));
    const auto signal = m.input("signal", {1, 6, 2});
    m.unused(m.layer<ctnn::op::dft>("dft", {signal}));
    const auto sound = m.input("sound", {1, 12});
    m.unused(m.layer<ctnn::op::stft>("stft", {sound}, {{"frame", {4}}, {"step", {2}}}));
    const auto map = m.input("map", {1, 2, 2});
    const auto whole = m.input("whole", {3, 8, 8});
    m.unused(m.layer<ctnn::op::prior_box>("prior_box", {map, whole}, {{"min_sizes", {2}}}));
    const auto offsets = m.input("offsets", {24});
    const auto classes = m.input("classes", {6, 3});
    const auto priors = m.input("priors", {2, 24});
    const auto [detection_output_0, detection_output_1] = m.layer<ctnn::op::detection_output, 2>("detection_output", {offsets, classes, priors}, {{"classes", {3}}}); m.unused(detection_output_0);
    const auto cells = m.input("cells", {7, 2, 2});
    const auto [yolo_detection_0, yolo_detection_1] = m.layer<ctnn::op::yolo_detection, 2>("yolo_detection", {cells}, {{"classes", {2}}, {"boxes", {1}}, {"anchors", {1, 2}}}); m.unused(yolo_detection_0);
    return ctnn::outputs{{"relu", relu}, {"sigmoid", sigmoid}, {"add", add}, {"div", div}, {"eltwise", eltwise}, {"identity", identity}, {"dropout", dropout}, {"is_nan", is_nan}, {"is_inf", is_inf}, {"to_f32", to_f32}, {"to_f64", to_f64}, {"to_f16", to_f16}, {"to_i64", to_i64}, {"to_u8", to_u8}, {"to_boolean", to_boolean}, {"bits_as_i32", bits_as_i32}, {"clamp", clamp}, {"compare", compare}, {"remainder", remainder}, {"by_slope", by_slope}, {"where", where}, {"prelu", prelu}, {"batch_norm", batch_norm}, {"scale", scale}, {"bias", bias}, {"scale_tanh", scale_tanh}, {"bias_relu", bias_relu}, {"local_response_norm", local_response_norm}, {"within", within}, {"layer_norm", layer_norm}, {"rms_norm", rms_norm}, {"group_norm", group_norm}, {"lp_normalize", lp_normalize}, {"mean_variance_normalize", mean_variance_normalize}, {"softmax", softmax}, {"log_softmax", log_softmax}, {"hardmax", hardmax}, {"pool", pool}, {"averages", averages}, {"adaptive_pool", adaptive_pool}, {"interpolate", interpolate}, {"conv1d", conv1d}, {"conv2d", conv2d}, {"conv3d", conv3d}, {"conv_transpose1d", conv_transpose1d}, {"conv_transpose2d", conv_transpose2d}, {"conv_transpose3d", conv_transpose3d}, {"max_unpool", max_unpool}, {"fold_blocks", fold_blocks}, {"deform_conv", deform_conv}, {"grid_sample", grid_sample}, {"affine_grid", affine_grid}, {"roi_align", roi_align}, {"roi_pool", roi_pool}, {"matmul", matmul}, {"linear", linear}, {"einsum", einsum}, {"det", det}, {"attention", attention}, {"rotary_embedding", rotary_embedding}, {"reduce", reduce}, {"largest", largest}, {"arg_reduce", arg_reduce}, {"cumsum", cumsum}};
  }
};
struct operators_list : ctnn::network<
    ctnn::input<"v", ctnn::shape<6>>,
    ctnn::input<"m", ctnn::shape<4, 6>>,
    ctnn::input<"n", ctnn::shape<6, 5>>,
    ctnn::input<"image", ctnn::shape<2, 4, 6, 6>>,
    ctnn::input<"line", ctnn::shape<2, 4, 6>>,
    ctnn::input<"cube", ctnn::shape<1, 2, 4, 4, 4>>,
    ctnn::input<"squares", ctnn::shape<2, 3, 3>>,
    ctnn::input<"one">,
    ctnn::input<"two", ctnn::shape<2>>,
    ctnn::input<"heads", ctnn::shape<2, 2, 3, 4>>,
    ctnn::input<"at", ctnn::shape<4, 6>, ctnn::i64>,
    ctnn::input<"few", ctnn::shape<4>, ctnn::i32>,
    ctnn::input<"on", ctnn::shape<4, 6>, ctnn::boolean>,
    ctnn::input<"marks", ctnn::shape<4>, ctnn::boolean>,
    ctnn::relu<"relu", ctnn::from<"m">>,
    ctnn::sigmoid<"sigmoid", ctnn::from<"m">>,
    ctnn::add<"add", ctnn::from<"m", "v">>,
    ctnn::divide<"div", ctnn::from<"m", "m">>,
    ctnn::weighted_sum<"eltwise", ctnn::from<"m", "m">>,
    ctnn::identity<"identity", ctnn::from<"m">>,
    ctnn::dropout<"dropout", ctnn::from<"m">>,
    ctnn::layer<ctnn::op::is_nan, "is_nan", ctnn::from<"m">>,
    ctnn::layer<ctnn::op::is_inf, "is_inf", ctnn::from<"m">>,
    ctnn::cast<"to_f32", ctnn::from<"m">>,
    ctnn::cast<"to_f64", ctnn::from<"m">, ctnn::to<ctnn::dtype::f64>>,
    ctnn::cast<"to_f16", ctnn::from<"m">, ctnn::to<ctnn::dtype::f16>>,
    ctnn::cast<"to_i64", ctnn::from<"m">, ctnn::to<ctnn::dtype::i64>>,
    ctnn::cast<"to_u8", ctnn::from<"m">, ctnn::to<ctnn::dtype::u8>>,
    ctnn::cast<"to_boolean", ctnn::from<"m">, ctnn::to<ctnn::dtype::boolean>>,
    ctnn::bit_cast<"bits_as_i32", ctnn::from<"m">>,
    ctnn::layer<ctnn::op::clamp, "clamp", ctnn::from<"m", "one", "one">>,
    ctnn::eq<"compare", ctnn::from<"m", "v">>,
    ctnn::layer<ctnn::op::remainder, "remainder", ctnn::from<"m", "v">>,
    ctnn::layer<ctnn::op::binary, "by_slope", ctnn::from<"m", "v">, ctnn::option<"function", 10>>,
    ctnn::where<"where", ctnn::from<"on", "m", "v">>,
    ctnn::prelu<"prelu", ctnn::from<"m">, ctnn::axis<1>>,
    ctnn::batch_norm<"batch_norm", ctnn::from<"m">, ctnn::axis<1>>,
    ctnn::scale<"scale", ctnn::from<"m">, ctnn::axis<1>>,
    ctnn::bias<"bias", ctnn::from<"m">, ctnn::axis<1>>,
    ctnn::scale<"scale_tanh", ctnn::from<"m">, ctnn::fused<ctnn::function::tanh>, ctnn::axis<1>>,
    ctnn::bias<"bias_relu", ctnn::from<"m">, ctnn::fused<ctnn::function::relu>, ctnn::axis<1>>,
    ctnn::local_response_norm<"local_response_norm", ctnn::from<"image">>,
    ctnn::local_response_norm<"within", ctnn::from<"image">, ctnn::option<"within", 1>>,
    ctnn::layer_norm<"layer_norm", ctnn::from<"m", "v", "v">>,
    ctnn::rms_norm<"rms_norm", ctnn::from<"m", "v">>,
    ctnn::layer<ctnn::op::group_norm, "group_norm", ctnn::from<"image", "two", "two">, ctnn::groups<2>>,
    ctnn::layer<ctnn::op::lp_normalize, "lp_normalize", ctnn::from<"m">>,
    ctnn::layer<ctnn::op::mean_variance_normalize, "mean_variance_normalize", ctnn::from<"m">>,
    ctnn::softmax<"softmax", ctnn::from<"m">>,
    ctnn::log_softmax<"log_softmax", ctnn::from<"m">>,
    ctnn::layer<ctnn::op::hardmax, "hardmax", ctnn::from<"m">>,
    ctnn::max_pool2d<"pool", ctnn::from<"image">, ctnn::kernel<2>>,
    ctnn::avg_pool2d<"averages", ctnn::from<"image">, ctnn::kernel<2>>,
    ctnn::adaptive_avg_pool2d<"adaptive_pool", ctnn::from<"image">>,
    ctnn::interpolate_nearest<"interpolate", ctnn::from<"image">, ctnn::size<9>>,
    ctnn::conv1d<"conv1d", ctnn::from<"line">, ctnn::out<4>, ctnn::kernel<3>>,
    ctnn::conv2d<"conv2d", ctnn::from<"image">, ctnn::out<4>, ctnn::kernel<3>>,
    ctnn::conv3d<"conv3d", ctnn::from<"cube">, ctnn::out<4>, ctnn::kernel<3>>,
    ctnn::conv_transpose1d<"conv_transpose1d", ctnn::from<"line">, ctnn::out<4>, ctnn::kernel<3>>,
    ctnn::conv_transpose2d<"conv_transpose2d", ctnn::from<"image">, ctnn::out<4>, ctnn::kernel<3>>,
    ctnn::conv_transpose3d<"conv_transpose3d", ctnn::from<"cube">, ctnn::out<4>, ctnn::kernel<3>>,
    ctnn::input<"places", ctnn::shape<2, 4, 6>, ctnn::i64>,
    ctnn::layer<ctnn::op::max_unpool, "max_unpool", ctnn::from<"line", "places">, ctnn::size<8>>,
    ctnn::input<"blocks", ctnn::shape<1, 8, 4>>,
    ctnn::layer<ctnn::op::fold_blocks, "fold_blocks", ctnn::option<"image", 3, 3>, ctnn::option<"block", 2, 2>>,
    ctnn::input<"shifts", ctnn::shape<2, 18, 4, 4>>,
    ctnn::layer<ctnn::op::deform_conv, "deform_conv", ctnn::from<"image", "shifts">, ctnn::out<4>, ctnn::kernel<3>>,
    ctnn::input<"grid", ctnn::shape<2, 3, 3, 2>>,
    ctnn::grid_sample<"grid_sample", ctnn::from<"image", "grid">>,
    ctnn::input<"theta", ctnn::shape<2, 2, 3>>,
    ctnn::layer<ctnn::op::affine_grid, "affine_grid", ctnn::size<2, 1, 3, 3>>,
    ctnn::input<"photos", ctnn::shape<4, 2, 4, 4>>,
    ctnn::input<"regions", ctnn::shape<4, 4>>,
    ctnn::input<"which", ctnn::shape<4>, ctnn::i64>,
    ctnn::roi_align<"roi_align", ctnn::from<"photos", "regions", "which">, ctnn::size<2>>,
    ctnn::input<"regions_of_photos", ctnn::shape<4, 5>>,
    ctnn::roi_pool<"roi_pool", ctnn::from<"photos", "regions_of_photos">, ctnn::size<2>>,
    ctnn::matmul<"matmul", ctnn::from<"m", "n">>,
    ctnn::linear<"linear", ctnn::from<"m">, ctnn::out<3>>,
    ctnn::layer<ctnn::op::einsum, "einsum", ctnn::from<"m", "n">, ctnn::option<"equation", 105, 106, 44, 106, 107, 45, 62, 107, 105>>,
    ctnn::layer<ctnn::op::det, "det", ctnn::from<"squares">>,
    ctnn::attention<"attention", ctnn::from<"heads", "heads", "heads">>,
    ctnn::input<"turns", ctnn::shape<2, 3, 2>>,
    ctnn::layer<ctnn::op::rotary_embedding, "rotary_embedding", ctnn::from<"heads", "turns", "turns">>,
    ctnn::reduce<"reduce", ctnn::op::reduction::sum, ctnn::from<"m">, ctnn::axes<1>>,
    ctnn::reduce<"largest", ctnn::op::reduction::max, ctnn::from<"m">, ctnn::axes<0>>,
    ctnn::arg_max<"arg_reduce", ctnn::from<"m">>,
    ctnn::cumsum<"cumsum", ctnn::from<"m">>,
    ctnn::topk<"topk", ctnn::from<"m">, ctnn::option<"k", 3>>,
    ctnn::flatten<"flatten", ctnn::from<"m">>,
    ctnn::reshape<"reshape", ctnn::from<"m">, ctnn::shape<3, 8>>,
    ctnn::permute<"permute", ctnn::from<"m">, ctnn::order<1, 0>>,
    ctnn::channel_shuffle<"channel_shuffle", ctnn::from<"image">, ctnn::groups<2>>,
    ctnn::pixel_shuffle<"pixel_shuffle", ctnn::from<"image">, ctnn::upscale_factor<2>>,
    ctnn::concat<"concat", ctnn::from<"m", "m">>,
    ctnn::split<"split", ctnn::from<"m">, ctnn::sizes<1, 3>>,
    ctnn::slice<"slice", ctnn::from<"m">, ctnn::axis<0>, ctnn::start<1>, ctnn::end<3>, ctnn::step<1>>,
    ctnn::slice<"back", ctnn::from<"m">, ctnn::axis<1>, ctnn::start<5>, ctnn::end<0>, ctnn::step<-2>>,
    ctnn::constant_pad<"pad", ctnn::from<"m">, ctnn::before<1, 0>, ctnn::after<0, 2>, ctnn::fill_value<2>>,
    ctnn::reflection_pad<"mirrored", ctnn::from<"m">, ctnn::before<1, 0>, ctnn::after<0, 2>>,
    ctnn::expand<"expand", ctnn::from<"m">, ctnn::shape<2, 4, 6>>,
    ctnn::tile<"tile", ctnn::from<"m">, ctnn::repeats<2, 1>>,
    ctnn::triu<"trilu", ctnn::from<"m">>,
    ctnn::input<"lengths", ctnn::shape<4>, ctnn::i64>,
    ctnn::layer<ctnn::op::reverse_sequence, "reverse_sequence", ctnn::from<"m", "lengths">, ctnn::option<"batch", 0>, ctnn::option<"time", 1>>,
    ctnn::gather<"gather", ctnn::from<"m", "few">>,
    ctnn::layer<ctnn::op::gather_elements, "gather_elements", ctnn::from<"m", "at">, ctnn::axis<1>>,
    ctnn::input<"pairs", ctnn::shape<3, 2>, ctnn::i64>,
    ctnn::layer<ctnn::op::gather_nd, "gather_nd", ctnn::from<"m", "pairs">>,
    ctnn::layer<ctnn::op::scatter_elements, "scatter_elements", ctnn::from<"m", "at", "m">, ctnn::axis<1>>,
    ctnn::layer<ctnn::op::scatter_elements, "scatter_sums", ctnn::from<"m", "at", "m">, ctnn::axis<1>, ctnn::option<"reduction", 1>>,
    ctnn::input<"rows", ctnn::shape<4, 1>, ctnn::i64>,
    ctnn::layer<ctnn::op::scatter_nd, "scatter_nd", ctnn::from<"m", "rows", "m">>,
    ctnn::one_hot<"one_hot", ctnn::from<"few", "two">, ctnn::depth<4>>,
    ctnn::layer<ctnn::op::nonzero, "nonzero", ctnn::from<"m">, ctnn::option<"count", 24>>,
    ctnn::layer<ctnn::op::compress, "compress", ctnn::from<"m", "marks">, ctnn::option<"flatten", 0>, ctnn::option<"count", 4>>,
    ctnn::layer<ctnn::op::unique, "unique", ctnn::from<"v">, ctnn::option<"count", 6>>,
    ctnn::input<"boxes", ctnn::shape<1, 6, 4>>,
    ctnn::input<"scores", ctnn::shape<1, 2, 6>>,
    ctnn::layer<ctnn::op::non_max_suppression, "non_max_suppression", ctnn::from<"boxes", "scores">, ctnn::option<"most", 2>, ctnn::option<"iou", 0.5>, ctnn::option<"count", 4>>,
    ctnn::constant<"constant", ctnn::shape<3>>,
    ctnn::full<"full", ctnn::shape<3>, ctnn::fill_value<2>>,
    ctnn::layer<ctnn::op::eye, "eye", ctnn::shape<3, 4>, ctnn::diagonal<1>>,
    ctnn::layer<ctnn::op::arange, "arange", ctnn::start<1>, ctnn::step<2>, ctnn::option<"count", 5>>,
    ctnn::layer<ctnn::op::signal_window, "signal_window", ctnn::size<8>>,
    ctnn::layer<ctnn::op::mel_weights, "mel_weights", ctnn::option<"bins", 4>, ctnn::option<"dft_length", 16>, ctnn::option<"sample_rate", 8000>, ctnn::option<"high", 4000>>,
    ctnn::input<"signal", ctnn::shape<1, 6, 2>>,
    ctnn::layer<ctnn::op::dft, "dft">,
    ctnn::input<"sound", ctnn::shape<1, 12>>,
    ctnn::layer<ctnn::op::stft, "stft", ctnn::option<"frame", 4>, ctnn::step<2>>,
    ctnn::input<"map", ctnn::shape<1, 2, 2>>,
    ctnn::input<"whole", ctnn::shape<3, 8, 8>>,
    ctnn::layer<ctnn::op::prior_box, "prior_box", ctnn::from<"map", "whole">, ctnn::option<"min_sizes", 2>>,
    ctnn::input<"offsets", ctnn::shape<24>>,
    ctnn::input<"classes", ctnn::shape<6, 3>>,
    ctnn::input<"priors", ctnn::shape<2, 24>>,
    ctnn::layer<ctnn::op::detection_output, "detection_output", ctnn::from<"offsets", "classes", "priors">, ctnn::option<"classes", 3>>,
    ctnn::input<"cells", ctnn::shape<7, 2, 2>>,
    ctnn::layer<ctnn::op::yolo_detection, "yolo_detection", ctnn::option<"classes", 2>, ctnn::option<"boxes", 1>, ctnn::option<"anchors", 1, 2>>,
    ctnn::output<"relu", "sigmoid", "add", "div", "eltwise", "identity", "dropout", "is_nan", "is_inf", "to_f32", "to_f64", "to_f16", "to_i64", "to_u8", "to_boolean", "bits_as_i32", "clamp", "compare", "remainder", "by_slope", "where", "prelu", "batch_norm", "scale", "bias", "scale_tanh", "bias_relu", "local_response_norm", "within", "layer_norm", "rms_norm", "group_norm", "lp_normalize", "mean_variance_normalize", "softmax", "log_softmax", "hardmax", "pool", "averages", "adaptive_pool", "interpolate", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "max_unpool", "fold_blocks", "deform_conv", "grid_sample", "affine_grid", "roi_align", "roi_pool", "matmul", "linear", "einsum", "det", "attention", "rotary_embedding", "reduce", "largest", "arg_reduce", "cumsum">> {};
struct random_1_function : ctnn::declared<random_1_function> {
  static constexpr auto forward(ctnn::graph& m) {
    const auto n0 = m.input("n0", {4, 1, 2});
    const auto n1 = m.conv1d("n1", n0, {.out_channels = 1, .kernel_size = 1});
    const auto n2 = m.named("n2", m.sigmoid(n1));
    const auto n3 = m.named("n3", m.pow(n2, 0.5));
    const auto n4 = m.named("n4", m.rdiv(n3, 1));
    const auto n5 = m.named("n5", m.flatten(n3));
    const auto n6 = m.named("n6", m.leaky_relu(n2, 0.10000000149011612));
    const auto n7 = m.named("n7", m.mul(n6, n6, {.activation = ctnn::function::sigmoid}));
    m.unused(m.named("n8", m.pow(n2, 0.5)));
    const auto n9 = m.named("n9", m.leaky_relu(n2, 0.10000000149011612));
    const auto n10 = m.batch_norm("n10", n9, {.axis = 0});
    const auto n11 = m.named("n11", m.permute(n9, {0, 2, 1}));
    const auto n12 = m.named("n12", m.matmul(n1, n11));
    return ctnn::outputs{{"n13", n12}, {"n14", n10}, {"n15", n7}, {"n16", n5}, {"n17", n4}, {"n18", n12}};
  }
};
struct random_1_list : ctnn::network<
    ctnn::input<"n0", ctnn::shape<4, 1, 2>>,
    ctnn::conv1d<"n1", ctnn::out<1>, ctnn::kernel<1>>,
    ctnn::sigmoid<"n2">,
    ctnn::power<"n3", ctnn::scalar<0.5>>,
    ctnn::layer<ctnn::op::binary, "n4", ctnn::option<"function", 8>, ctnn::scalar<1>>,
    ctnn::flatten<"n5", ctnn::from<"n3">>,
    ctnn::leaky_relu<"n6", 0.10000000149011612, ctnn::from<"n2">>,
    ctnn::mul<"n7", ctnn::from<"n6", "n6">, ctnn::fused<ctnn::function::sigmoid>>,
    ctnn::power<"n8", ctnn::from<"n2">, ctnn::scalar<0.5>>,
    ctnn::leaky_relu<"n9", 0.10000000149011612, ctnn::from<"n2">>,
    ctnn::batch_norm<"n10", ctnn::axis<0>>,
    ctnn::permute<"n11", ctnn::from<"n9">, ctnn::order<0, 2, 1>>,
    ctnn::matmul<"n12", ctnn::from<"n1", "n11">>,
    ctnn::named_output<ctnn::from<"n13", "n14", "n15", "n16", "n17", "n18">, ctnn::from<"n12", "n10", "n7", "n5", "n4", "n12">>> {};
struct random_2_function : ctnn::declared<random_2_function> {
  static constexpr auto forward(ctnn::graph& m) {
    const auto n0 = m.input("n0", {4, 4, 6});
    const auto n1 = m.input("n1", {2, 4});
    const auto n2 = m.named("n2", m.sum(n1, {}, true));
    const auto n3 = m.named("n3", m.mul(n1, 0));
    const auto n4 = m.named("n4", m.elu(n2, 1));
    const auto n5 = m.named("n5", m.clamp(n0, -0.5, 0.75));
    const auto [n6] = m.split<1>(n2, {1}); m.named("n6", n6);
    const auto n7 = m.named("n7", m.slice(n6, {.dim = {1, 0}, .start = {0, 0}, .end = {1, 1}}));
    const auto n8 = m.named("n8", m.permute(n4, {1, 0}));
    const auto n9 = m.named("n9", m.matmul(n6, n8));
    const auto [n10] = m.split<1>(n9, {1}, 1); m.named("n10", n10);
    const auto n11 = m.named("n11", m.rsub(n6, 0));
    const auto n12 = m.named("n12", m.permute(n0, {1, 2, 0}));
    const auto n13 = m.named("n13", m.permute(n0, {1, 2, 0}));
    const auto n14 = m.named("n14", m.concat({n12, n13}));
    const auto n15 = m.named("n15", m.permute(n14, {2, 0, 1}));
    return ctnn::outputs{{"n16", n15}, {"n17", n11}, {"n18", n10}, {"n19", n7}, {"n20", n5}, {"n21", n3}, {"n22", n2}, {"n23", n13}};
  }
};
struct random_2_list : ctnn::network<
    ctnn::input<"n0", ctnn::shape<4, 4, 6>>,
    ctnn::input<"n1", ctnn::shape<2, 4>>,
    ctnn::reduce<"n2", ctnn::op::reduction::sum>,
    ctnn::mul<"n3", ctnn::from<"n1">, ctnn::scalar<0>>,
    ctnn::elu<"n4", 1, ctnn::from<"n2">>,
    ctnn::clip<"n5", -0.5, 0.75, ctnn::from<"n0">>,
    ctnn::split<"n6", ctnn::from<"n2">, ctnn::sizes<1>>,
    ctnn::slice<"n7", ctnn::axis<1, 0>, ctnn::start<0, 0>, ctnn::end<1, 1>>,
    ctnn::permute<"n8", ctnn::from<"n4">, ctnn::order<1, 0>>,
    ctnn::matmul<"n9", ctnn::from<"n6", "n8">>,
    ctnn::split<"n10", ctnn::sizes<1>, ctnn::axis<1>>,
    ctnn::layer<ctnn::op::binary, "n11", ctnn::from<"n6">, ctnn::option<"function", 7>, ctnn::scalar<0>>,
    ctnn::permute<"n12", ctnn::from<"n0">, ctnn::order<1, 2, 0>>,
    ctnn::permute<"n13", ctnn::from<"n0">, ctnn::order<1, 2, 0>>,
    ctnn::concat<"n14", ctnn::from<"n12", "n13">>,
    ctnn::permute<"n15", ctnn::order<2, 0, 1>>,
    ctnn::named_output<ctnn::from<"n16", "n17", "n18", "n19", "n20", "n21", "n22", "n23">, ctnn::from<"n15", "n11", "n10", "n7", "n5", "n3", "n2", "n13">>> {};
struct random_3_function : ctnn::declared<random_3_function> {
  static constexpr auto forward(ctnn::graph& m) {
    const auto n0 = m.input("n0", {7});
    const auto n1 = m.named("n1", m.mul(n0, -0.5));
    const auto n2 = m.linear("n2", {n0, n0}, {.out_features = 7});
    const auto n3 = m.named("n3", m.add(n2, n1));
    const auto n4 = m.linear("n4", {n3, n2}, {.out_features = 7, .bias = false, .activation = ctnn::function::relu});
    const auto n5 = m.named("n5", m.add(n4, n3));
    const auto n6 = m.named("n6", m.relu(n5));
    const auto n7 = m.named("n7", m.reshape(n4, {-1, 1, 1}));
    const auto n8 = m.named("n8", m.amin(n6, {0}, true));
    const auto n9 = m.named("n9", m.mean(n8, {}, true));
    const auto n10 = m.named("n10", m.pow(n8, 3));
    const auto n11 = m.named("n11", m.mul(n10, 0.044714998453855515));
    const auto n12 = m.named("n12", m.add(n8, n11));
    const auto n13 = m.named("n13", m.mul(n12, 0.7978845834732056));
    const auto n14 = m.named("n14", m.tanh(n13));
    const auto n15 = m.named("n15", m.add(n14, 1));
    const auto n16 = m.named("n16", m.mul(n8, n15));
    const auto n17 = m.named("n17", m.mul(n16, 0.5));
    return ctnn::outputs{{"n18", n17}, {"n19", n9}, {"n20", n7}, {"n21", n17}};
  }
};
struct random_3_list : ctnn::network<
    ctnn::input<"n0", ctnn::shape<7>>,
    ctnn::mul<"n1", ctnn::scalar<-0.5>>,
    ctnn::linear<"n2", ctnn::from<"n0", "n0">, ctnn::out<7>>,
    ctnn::add<"n3", ctnn::from<"n2", "n1">>,
    ctnn::linear<"n4", ctnn::from<"n3", "n2">, ctnn::out<7>, ctnn::no_bias, ctnn::fused<ctnn::function::relu>>,
    ctnn::add<"n5", ctnn::from<"n4", "n3">>,
    ctnn::relu<"n6">,
    ctnn::reshape<"n7", ctnn::from<"n4">, ctnn::shape<-1, 1, 1>>,
    ctnn::reduce<"n8", ctnn::op::reduction::min, ctnn::from<"n6">, ctnn::axes<0>>,
    ctnn::reduce<"n9", ctnn::op::reduction::mean>,
    ctnn::power<"n10", ctnn::from<"n8">, ctnn::scalar<3>>,
    ctnn::mul<"n11", ctnn::scalar<0.044714998453855515>>,
    ctnn::add<"n12", ctnn::from<"n8", "n11">>,
    ctnn::mul<"n13", ctnn::scalar<0.7978845834732056>>,
    ctnn::tanh_activation<"n14">,
    ctnn::add<"n15", ctnn::scalar<1>>,
    ctnn::mul<"n16", ctnn::from<"n8", "n15">>,
    ctnn::mul<"n17", ctnn::scalar<0.5>>,
    ctnn::named_output<ctnn::from<"n18", "n19", "n20", "n21">, ctnn::from<"n17", "n9", "n7", "n17">>> {};
struct random_4_function : ctnn::declared<random_4_function> {
  static constexpr auto forward(ctnn::graph& m) {
    const auto n0 = m.input("n0", {4, 2});
    m.input("n1", {4, 6, 1}, {.unused = true});
    const auto n2 = m.named("n2", m.identity(n0));
    const auto n3 = m.named("n3", m.sub(n0, 2));
    m.unused(m.named("n4", m.slice(n3, {.dim = 0, .start = 1, .step = -2})));
    const auto n5 = m.named("n5", m.pow(n3, 3));
    const auto n6 = m.named("n6", m.mul(n5, 0.044714998453855515));
    const auto n7 = m.named("n7", m.add(n3, n6));
    const auto n8 = m.named("n8", m.mul(n7, 0.7978845834732056));
    const auto n9 = m.named("n9", m.tanh(n8));
    const auto n10 = m.named("n10", m.add(n9, 1));
    const auto n11 = m.named("n11", m.mul(n3, n10));
    const auto n12 = m.named("n12", m.mul(n11, 0.4000000059604645));
    const auto n13 = m.named("n13", m.square(n11));
    const auto n14 = m.named("n14", m.sum(n13, {1}, true));
    const auto n15 = m.named("n15", m.add(n14, 0.10000000149011612));
    const auto n16 = m.named("n16", m.sqrt(n15));
    const auto n17 = m.named("n17", m.div(n11, n16));
    return ctnn::outputs{{"n18", n17}, {"n19", n12}, {"n20", n5}, {"n21", n3}, {"n22", n2}};
  }
};
struct random_4_list : ctnn::network<
    ctnn::input<"n0", ctnn::shape<4, 2>>,
    ctnn::input<"n1", ctnn::shape<4, 6, 1>, ctnn::unused>,
    ctnn::identity<"n2", ctnn::from<"n0">>,
    ctnn::sub<"n3", ctnn::from<"n0">, ctnn::scalar<2>>,
    ctnn::slice<"n4", ctnn::axis<0>, ctnn::start<1>, ctnn::step<-2>>,
    ctnn::power<"n5", ctnn::from<"n3">, ctnn::scalar<3>>,
    ctnn::mul<"n6", ctnn::scalar<0.044714998453855515>>,
    ctnn::add<"n7", ctnn::from<"n3", "n6">>,
    ctnn::mul<"n8", ctnn::scalar<0.7978845834732056>>,
    ctnn::tanh_activation<"n9">,
    ctnn::add<"n10", ctnn::scalar<1>>,
    ctnn::mul<"n11", ctnn::from<"n3", "n10">>,
    ctnn::mul<"n12", ctnn::scalar<0.4000000059604645>>,
    ctnn::unary<"n13", ctnn::function::square, ctnn::from<"n11">>,
    ctnn::reduce<"n14", ctnn::op::reduction::sum, ctnn::axes<1>>,
    ctnn::add<"n15", ctnn::scalar<0.10000000149011612>>,
    ctnn::unary<"n16", ctnn::function::sqrt>,
    ctnn::divide<"n17", ctnn::from<"n11", "n16">>,
    ctnn::named_output<ctnn::from<"n18", "n19", "n20", "n21", "n22">, ctnn::from<"n17", "n12", "n5", "n3", "n2">>> {};
struct random_5_function : ctnn::declared<random_5_function> {
  static constexpr auto forward(ctnn::graph& m) {
    const auto n0 = m.input("n0", {1, 2, 3, 3});
    const auto n1 = m.conv2d("n1", n0, {.out_channels = 2, .kernel_size = 3, .padding = 1});
    const auto n2 = m.conv2d("n2", n1, {.out_channels = 18, .kernel_size = 1, .activation = {ctnn::function::silu, 0.20000000298023224, 0.5}});
    const auto n3 = m.batch_norm("n3", n0, {.axis = 3});
    const auto n4 = m.parameter("n4", {1, 1, 1, 1});
    m.unused(m.named("n5", m.add(n4, n1)));
    const auto n6 = m.named("n6", m.permute(n4, {0, 1, 3, 2}));
    const auto n7 = m.named("n7", m.matmul(n4, n6));
    const auto n8 = m.named("n8", m.permute(n7, {0, 1, 3, 2}));
    const auto n9 = m.batch_norm1d("n9", n7);
    m.unused(m.conv2d("n10", n8, {.out_channels = 6, .kernel_size = {3, 2}, .stride = {2, 1}, .padding = 1, .dilation = {1, 2}, .bias = false}));
    const auto n11 = m.linear("n11", n8, {.out_features = 1, .activation = {ctnn::function::clip, -0.5, 0.75}});
    const auto n12 = m.named("n12", m.add(n11, n9));
    return ctnn::outputs{{"n13", n12}, {"n14", n3}, {"n15", n2}};
  }
};
struct random_5_list : ctnn::network<
    ctnn::input<"n0", ctnn::shape<1, 2, 3, 3>>,
    ctnn::conv2d<"n1", ctnn::out<2>, ctnn::kernel<3>, ctnn::pad<1>>,
    ctnn::conv2d<"n2", ctnn::out<18>, ctnn::kernel<1>, ctnn::fused<ctnn::function::silu, 0.20000000298023224, 0.5>>,
    ctnn::batch_norm<"n3", ctnn::from<"n0">, ctnn::axis<3>>,
    ctnn::constant<"n4", ctnn::shape<1, 1, 1, 1>>,
    ctnn::add<"n5", ctnn::from<"n4", "n1">>,
    ctnn::permute<"n6", ctnn::from<"n4">, ctnn::order<0, 1, 3, 2>>,
    ctnn::matmul<"n7", ctnn::from<"n4", "n6">>,
    ctnn::permute<"n8", ctnn::order<0, 1, 3, 2>>,
    ctnn::batch_norm<"n9", ctnn::from<"n7">, ctnn::axis<1>>,
    ctnn::conv2d<"n10", ctnn::from<"n8">, ctnn::out<6>, ctnn::kernel<3, 2>, ctnn::stride<2, 1>, ctnn::pad<1>, ctnn::dilation<1, 2>, ctnn::no_bias>,
    ctnn::linear<"n11", ctnn::from<"n8">, ctnn::out<1>, ctnn::fused<ctnn::function::clip, -0.5, 0.75>>,
    ctnn::add<"n12", ctnn::from<"n11", "n9">>,
    ctnn::named_output<ctnn::from<"n13", "n14", "n15">, ctnn::from<"n12", "n3", "n2">>> {};
struct random_6_function : ctnn::declared<random_6_function> {
  static constexpr auto forward(ctnn::graph& m) {
    const auto n0 = m.input("n0", {14, 1, 1});
    const auto n1 = m.named("n1", m.permute(n0, {1, 2, 0}));
    const auto n2 = m.named("n2", m.permute(n1, {2, 0, 1}));
    const auto [n3_0, n3_1, n3_2, n3_3] = m.split<4>(n0, {3, 8, 2, 1}); m.named("n3", n3_0);
    const auto n4 = m.named("n4", m.permute(n0, {1, 2, 0}));
    const auto n5 = m.named("n5", m.concat({n3_3, n3_3}));
    const auto n6 = m.named("n6", m.concat({n5, n3_3}));
    const auto n7 = m.named("n7", m.permute(n1, {2, 0, 1}));
    const auto n8 = m.named("n8", m.full({14, 1, 1}, 0.5));
    const auto n9 = m.named("n9", m.maximum(n8, n7));
    const auto n10 = m.named("n10", m.flatten(n8, {.start_dim = 1}));
    const auto n11 = m.named("n11", m.permute(n9, {0, 1, 2}));
    const auto n12 = m.named("n12", m.slice(n9, {.dim = 2, .start = 0}));
    return ctnn::outputs{{"n13", n12}, {"n14", n11}, {"n15", n10}, {"n16", n8}, {"n17", n6}, {"n18", n4}, {"n19", n3_2}, {"n20", n3_1}, {"n21", n3_0}, {"n22", n2}};
  }
};
struct random_6_list : ctnn::network<
    ctnn::input<"n0", ctnn::shape<14, 1, 1>>,
    ctnn::permute<"n1", ctnn::order<1, 2, 0>>,
    ctnn::permute<"n2", ctnn::order<2, 0, 1>>,
    ctnn::split<"n3", ctnn::from<"n0">, ctnn::sizes<3, 8, 2, 1>>,
    ctnn::permute<"n4", ctnn::from<"n0">, ctnn::order<1, 2, 0>>,
    ctnn::concat<"n5", ctnn::from<"n3.3", "n3.3">>,
    ctnn::concat<"n6", ctnn::from<"n5", "n3.3">>,
    ctnn::permute<"n7", ctnn::from<"n1">, ctnn::order<2, 0, 1>>,
    ctnn::full<"n8", ctnn::shape<14, 1, 1>, ctnn::fill_value<0.5>>,
    ctnn::maximum<"n9", ctnn::from<"n8", "n7">>,
    ctnn::flatten<"n10", ctnn::from<"n8">, ctnn::start<1>>,
    ctnn::permute<"n11", ctnn::from<"n9">, ctnn::order<0, 1, 2>>,
    ctnn::slice<"n12", ctnn::from<"n9">, ctnn::axis<2>, ctnn::start<0>>,
    ctnn::named_output<ctnn::from<"n13", "n14", "n15", "n16", "n17", "n18", "n19", "n20", "n21", "n22">, ctnn::from<"n12", "n11", "n10", "n8", "n6", "n4", "n3.2", "n3.1", "n3.0", "n2">>> {};

}  // namespace both_forms
