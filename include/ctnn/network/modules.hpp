// SPDX-License-Identifier: BSL-1.0
// Modules of torch.nn that are a few layers or own weights, which have PyTorch's names. Behind what they take come
// from<...> and, where it is said, options.
#pragma once

#include "blocks.hpp"

namespace ctnn {

namespace detail {

template <class... T>
struct arguments_of_module;
/// What stands behind a module's numbers: from<...> is for its block, all else for one of its layers.
template <class Reads, class Options, class... Rest>
struct module_with;
template <class... R, class... O>
struct module_with<arguments_of_module<R...>, arguments_of_module<O...>> {
  template <fixed_string Name, class... Parts>
  using block = ctnn::block<Name, R..., Parts...>;
  template <class Op, fixed_string Name, class... Own>
  using layer = ctnn::layer<Op, Name, Own..., O...>;
  /// With `Default` where no option is said.
  template <class Default>
  using or_else = std::conditional_t<sizeof...(O) == 0,
                                     module_with<arguments_of_module<R...>, arguments_of_module<Default>>, module_with>;
  using of_x = module_with<arguments_of_module<from<"x">>, arguments_of_module<O...>>;  ///< the same, that reads "x"
  template <class Option>
  static constexpr bool says = (std::is_same_v<O, Option> || ...);
  static constexpr std::size_t reads = (R::list.size() + ... + 0);
};
template <class... R, class... O, class First, class... Rest>
struct module_with<arguments_of_module<R...>, arguments_of_module<O...>, First, Rest...>
    : std::conditional_t<is_from<First>::value,
                         module_with<arguments_of_module<R..., First>, arguments_of_module<O...>, Rest...>,
                         module_with<arguments_of_module<R...>, arguments_of_module<O..., First>, Rest...>> {};
template <class... Arguments>
using module_of = module_with<arguments_of_module<>, arguments_of_module<>, Arguments...>;

/// sizes<-1, -1, ...>, as many as `Parts`.
template <int Parts, number... Sizes>
struct equal_sizes : equal_sizes<Parts - 1, Sizes..., -1> {};
template <number... Sizes>
struct equal_sizes<0, Sizes...> {
  using type = sizes<Sizes...>;
};

/// numbered<"weight_ih_l", 2, "_reverse">: "weight_ih_l2_reverse"
template <fixed_string Before, int Number, fixed_string After = "">
inline constexpr auto numbered = [] {
  constexpr std::size_t digits = [] {
    std::size_t n = 1;
    for (int left = Number; left > 9; left /= 10) ++n;
    return n;
  }();
  constexpr std::size_t before = Before.view().size(), after = After.view().size();
  fixed_string<before + digits + after> name;
  for (std::size_t i = 0; i < before; ++i) name.text[i] = Before.text[i];
  for (std::size_t i = digits, left = Number; i > 0; left /= 10)
    name.text[before + --i] = static_cast<char>('0' + left % 10);
  for (std::size_t i = 0; i < after; ++i) name.text[before + digits + i] = After.text[i];
  return name;
}();

}  // namespace detail

/// torch.nn.Embedding: rows of a table by integer indices. Weight "weight" (Rows, Size).
///   embedding<"tokens", 30522, 128>
template <fixed_string Name, int Rows, int Size, class... From>
using embedding =
    block<Name, From..., input<"ids">, constant<"weight", shape<Rows, Size>>, gather<"rows", from<"weight", "ids">>>;

/// torch.nn.GroupNorm. Weights "weight" and "bias" (Channels). Options are op::group_norm's: eps, and axis where the
/// shape does not tell which axis is the channels'.
///   group_norm<"norm1", 32, 128>
template <fixed_string Name, int Groups, int Channels, class... Options>
using group_norm = typename detail::module_of<Options...>::template block<
    Name, input<"x">, constant<"weight", shape<Channels>>, constant<"bias", shape<Channels>>,
    typename detail::module_of<Options...>::template layer<op::group_norm, "norm", from<"x", "weight", "bias">,
                                                           groups<Groups>>>;

/// torch.chunk: equal parts along an axis, of which the last may be smaller. Options are split's: axis.
///   chunk<"parts", 3, axis<-1>>
template <fixed_string Name, int Chunks, class... Options>
using chunk = split<Name, typename detail::equal_sizes<(Chunks > 0 ? Chunks : 0)>::type, Options...>;

/// torch.nn.GLU: the first half along an axis, the last one unless `axis` is said, by the sigmoid of the second.
///   glu<"gate", axis<0>>
template <fixed_string Name, class... Options>
using glu = typename detail::module_of<Options...>::template block<
    Name,
    typename detail::module_of<Options...>::template or_else<axis<-1>>::template layer<op::split, "halves",
                                                                                       sizes<-1, -1>>,
    sigmoid<"gate", from<"halves.1">>, mul<"product", from<"halves.0", "gate">>>;

/// torch.nn.PixelUnshuffle of an image (C, H, W): to (C Factor^2, H / Factor, W / Factor).
///   pixel_unshuffle<"small", 2>
template <fixed_string Name, int Factor, class... From>
using pixel_unshuffle = block<Name, From..., unflatten<"columns", axis<-1>, shape<-1, Factor>>,
                              unflatten<"rows", axis<-3>, shape<-1, Factor>>, permute<"turned", order<0, 2, 4, 1, 3>>,
                              flatten<"image", start<0>, end<2>>>;

/// torch.nn.LayerNorm of the last axis, of `Size` numbers. Weights "weight" and "bias" (Size). Options are
/// layer_norm's.
///   affine_layer_norm<"norm1", 6, eps<1e-6>>
template <fixed_string Name, int Size, class... Options>
using affine_layer_norm = typename detail::module_of<Options...>::template block<
    Name, input<"x">, constant<"weight", shape<Size>>, constant<"bias", shape<Size>>,
    typename detail::module_of<Options...>::template layer<op::layer_norm, "norm", from<"x", "weight", "bias">>>;

/// torch.nn.RMSNorm of the last axis, of `Size` numbers. Weight "weight" (Size). Options are rms_norm's.
template <fixed_string Name, int Size, class... Options>
using affine_rms_norm = typename detail::module_of<Options...>::template block<
    Name, input<"x">, constant<"weight", shape<Size>>,
    typename detail::module_of<Options...>::template layer<op::rms_norm, "norm", from<"x", "weight">>>;

namespace detail {

template <class Shape, int Axis, fixed_string Name, class... Options>
using affine_instance_norm = typename module_of<Options...>::template block<
    Name, input<"x">, constant<"weight", Shape>, constant<"bias", Shape>,
    typename module_of<Options...>::template layer<op::layer_norm, "norm", from<"x", "weight", "bias">, axis<Axis>>>;

}  // namespace detail

/// torch.nn.InstanceNorm1d(affine=True) of (Channels, Length), with a batch or without. Weights "weight" and "bias"
/// (Channels). Options are layer_norm's.
template <fixed_string Name, int Channels, class... Options>
using affine_instance_norm1d = detail::affine_instance_norm<shape<Channels, 1>, -1, Name, Options...>;
/// The same of images.
template <fixed_string Name, int Channels, class... Options>
using affine_instance_norm2d = detail::affine_instance_norm<shape<Channels, 1, 1>, -2, Name, Options...>;
/// The same of volumes.
template <fixed_string Name, int Channels, class... Options>
using affine_instance_norm3d = detail::affine_instance_norm<shape<Channels, 1, 1, 1>, -3, Name, Options...>;

namespace detail {

/// Heads of queries, keys and values (Length, Size).
template <class Module, fixed_string Query, fixed_string Keys, fixed_string Values, int Size, int Heads>
struct attention_heads {
  using parts = block<"", from<Query, Keys, Values>, input<"q">, input<"k">, input<"v">,
                      reshape<"queries", from<"q">, shape<1, -1, Size>>, reshape<"keys", from<"k">, shape<1, -1, Size>>,
                      reshape<"values", from<"v">, shape<1, -1, Size>>,
                      typename Module::template layer<op::attention, "heads", from<"queries", "keys", "values">,
                                                      heads<Heads>, kv_heads<Heads>>,
                      reshape<"joined", shape<-1, Size>>>;
};

template <fixed_string Name, int Size, int Heads, class Module>
struct multihead_attention {
  using weight = constant<"in_proj_weight", shape<3 * Size, Size>>;
  using bias = constant<"in_proj_bias", shape<3 * Size>>;
  using of_one = typename Module::template block<
      Name, input<"x">, weight, bias,
      linear<"in_proj", from<"x", "in_proj_weight", "in_proj_bias">, out<3 * Size>, given<3>>,
      split<"parts", axis<-1>, sizes<Size, Size, Size>>,
      typename attention_heads<Module, "parts.0", "parts.1", "parts.2", Size, Heads>::parts,
      linear<"out_proj", out<Size>>>;
  using of_three = typename Module::template block<
      Name, input<"query">, input<"key">, input<"value">, weight, bias,
      split<"weights", from<"in_proj_weight">, axis<0>, sizes<Size, Size, Size>>,
      split<"biases", from<"in_proj_bias">, axis<0>, sizes<Size, Size, Size>>,
      linear<"q_proj", from<"query", "weights.0", "biases.0">, out<Size>, given<3>>,
      linear<"k_proj", from<"key", "weights.1", "biases.1">, out<Size>, given<3>>,
      linear<"v_proj", from<"value", "weights.2", "biases.2">, out<Size>, given<3>>,
      typename attention_heads<Module, "q_proj", "k_proj", "v_proj", Size, Heads>::parts,
      linear<"out_proj", out<Size>>>;
  using type = std::conditional_t<Module::reads == 3, of_three, of_one>;
};

}  // namespace detail

/// torch.nn.MultiheadAttention of one sequence (Length, Size): with itself, or of from<"query", "key", "value">.
/// Weights "in_proj_weight", "in_proj_bias", "out_proj.weight" and "out_proj.bias". Options are attention's, such as
/// causal.
template <fixed_string Name, int Size, int Heads, class... Options>
using multihead_attention =
    typename detail::multihead_attention<Name, Size, Heads, detail::module_of<Options...>>::type;

/// torch.nn.TransformerEncoderLayer of one sequence (Length, Size), with ReLU. Weights as PyTorch calls them.
template <fixed_string Name, int Size, int Heads, int Hidden, class... From>
using transformer_encoder_layer =
    block<Name, From..., residual<"attended", multihead_attention<"self_attn", Size, Heads>>,
          affine_layer_norm<"norm1", Size>,
          residual<"fed_forward", linear<"linear1", out<Hidden>>, relu<"activation">, linear<"linear2", out<Size>>>,
          affine_layer_norm<"norm2", Size>>;

/// torch.nn.TransformerDecoderLayer of from<"x", "memory">, each one sequence (Length, Size), with ReLU; x sees nothing
/// behind itself if `causal` is among the options of its own attention. Weights as PyTorch calls them.
template <fixed_string Name, int Size, int Heads, int Hidden, class... Options>
using transformer_decoder_layer = typename detail::module_of<Options...>::template block<
    Name, input<"x">, input<"memory">,
    typename detail::multihead_attention<"self_attn", Size, Heads,
                                         typename detail::module_of<Options...>::of_x>::of_one,
    add<"attended", from<"self_attn", "x">>, affine_layer_norm<"norm1", Size>,
    multihead_attention<"multihead_attn", Size, Heads, from<"norm1", "memory", "memory">>,
    add<"crossed", from<"multihead_attn", "norm1">>, affine_layer_norm<"norm2", Size>,
    residual<"fed_forward", linear<"linear1", out<Hidden>>, relu<"activation">, linear<"linear2", out<Size>>>,
    affine_layer_norm<"norm3", Size>>;

namespace detail {

/// Layer L of a recurrent module, which reads `In` numbers a step.
template <class Op, int L, int In, int Hidden, class Module>
struct recurrent_layer {
  static constexpr int rows = Op::gates * Hidden;
  static constexpr fixed_string ih = numbered<"weight_ih_l", L>, hh = numbered<"weight_hh_l", L>,
                                b = numbered<"bias_ih_l", L>, c = numbered<"bias_hh_l", L>,
                                ih2 = numbered<"weight_ih_l", L, "_reverse">,
                                hh2 = numbered<"weight_hh_l", L, "_reverse">, b2 = numbered<"bias_ih_l", L, "_reverse">,
                                c2 = numbered<"bias_hh_l", L, "_reverse">, x = numbered<"x", L>,
                                name = numbered<"l", L>, steps = numbered<"l", L, ".0">;
  using forth =
      block<"", input<x>, constant<ih, shape<rows, In>>, constant<hh, shape<rows, Hidden>>, constant<b, shape<rows>>,
            constant<c, shape<rows>>,
            typename Module::template layer<Op, name, from<x, ih, hh, b, c>, hidden<Hidden>, given<15>>, output<steps>>;
  using both = block<
      "", input<x>, constant<ih, shape<rows, In>>, constant<hh, shape<rows, Hidden>>, constant<b, shape<rows>>,
      constant<c, shape<rows>>, constant<ih2, shape<rows, In>>, constant<hh2, shape<rows, Hidden>>,
      constant<b2, shape<rows>>, constant<c2, shape<rows>>,
      typename Module::template layer<Op, name, from<x, ih, hh, b, c, ih2, hh2, b2, c2>, hidden<Hidden>, given<255>>,
      output<steps>>;
  using type = std::conditional_t<Module::template says<bidirectional>, both, forth>;
};
template <class Op, fixed_string Name, int In, int Hidden, class Module, class Numbers>
struct recurrent_layers;
template <class Op, fixed_string Name, int In, int Hidden, class Module, int... L>
struct recurrent_layers<Op, Name, In, Hidden, Module, std::integer_sequence<int, L...>> {
  static constexpr int made = Module::template says<bidirectional> ? 2 * Hidden : Hidden;
  using type =
      typename Module::template block<Name,
                                      typename recurrent_layer<Op, L, L == 0 ? In : made, Hidden, Module>::type...>;
};
template <class Op, fixed_string Name, int In, int Hidden, int Layers, class... Options>
using layers_of_recurrence = typename recurrent_layers<Op, Name, In, Hidden, module_of<Options...>,
                                                       std::make_integer_sequence<int, Layers>>::type;

}  // namespace detail

/// torch.nn.RNN(In, Hidden, num_layers=Layers). What it gives are the steps of the last layer; "NAME.l0.1" is the state
/// that layer 0 ends with. Weights as PyTorch calls them, "weight_ih_l1". Options are rnn's, such as bidirectional.
template <fixed_string Name, int In, int Hidden, int Layers, class... Options>
using stacked_rnn = detail::layers_of_recurrence<op::rnn, Name, In, Hidden, Layers, Options...>;
/// torch.nn.GRU(In, Hidden, num_layers=Layers), see stacked_rnn.
template <fixed_string Name, int In, int Hidden, int Layers, class... Options>
using stacked_gru = detail::layers_of_recurrence<op::gru, Name, In, Hidden, Layers, Options...>;
/// torch.nn.LSTM(In, Hidden, num_layers=Layers), see stacked_rnn; "NAME.l0.2" is the state c.
template <fixed_string Name, int In, int Hidden, int Layers, class... Options>
using stacked_lstm = detail::layers_of_recurrence<op::lstm, Name, In, Hidden, Layers, Options...>;

/// torch.nn.LSTM(In, Hidden, proj_size=Projected): states of fewer numbers. Weights as PyTorch calls them, with
/// "weight_hr_l0". A step's product with the state is one with the numbers before the projection, by the product of
/// both weights. Options are lstm's, but for bidirectional.
template <fixed_string Name, int In, int Hidden, int Projected, class... Options>
using projected_lstm = typename detail::module_of<Options...>::template block<
    Name, input<"x">, constant<"weight_ih_l0", shape<4 * Hidden, In>>,
    constant<"weight_hh_l0", shape<4 * Hidden, Projected>>, constant<"bias_ih_l0", shape<4 * Hidden>>,
    constant<"bias_hh_l0", shape<4 * Hidden>>, constant<"weight_hr_l0", shape<Projected, Hidden>>,
    matmul<"weight_hh", from<"weight_hh_l0", "weight_hr_l0">>,
    typename detail::module_of<Options...>::template layer<
        op::lstm, "l0", from<"x", "weight_ih_l0", "weight_hh", "bias_ih_l0", "bias_hh_l0">, hidden<Hidden>, given<15>>,
    linear<"projected", from<"l0.0", "weight_hr_l0">, out<Projected>, no_bias, given<1>>>;

namespace detail {

/// One step of a recurrent layer, for N sequences at a time.
template <class Op, int Rows, fixed_string Name, int In, int Hidden, class... Options>
using cell_of_one_state = typename module_of<Options...>::template block<
    Name, input<"x">, input<"h">, constant<"weight_ih", shape<Rows, In>>, constant<"weight_hh", shape<Rows, Hidden>>,
    constant<"bias_ih", shape<Rows>>, constant<"bias_hh", shape<Rows>>, reshape<"step", from<"x">, shape<1, -1, In>>,
    reshape<"h_before", from<"h">, shape<1, -1, Hidden>>,
    typename module_of<Options...>::template layer<
        Op, "cell", from<"step", "h_before", "weight_ih", "weight_hh", "bias_ih", "bias_hh">, hidden<Hidden>,
        given<15>>,
    reshape<"h_next", from<"cell.1">, shape<-1, Hidden>>>;

}  // namespace detail

/// torch.nn.RNNCell of from<"x", "h">: (N, In) and a state (N, Hidden), whose next one it gives. Weights "weight_ih",
/// "weight_hh", "bias_ih", "bias_hh". Options are rnn's.
template <fixed_string Name, int In, int Hidden, class... Options>
using rnn_cell = detail::cell_of_one_state<op::rnn, Hidden, Name, In, Hidden, Options...>;
/// torch.nn.GRUCell, see rnn_cell.
template <fixed_string Name, int In, int Hidden, class... Options>
using gru_cell = detail::cell_of_one_state<op::gru, 3 * Hidden, Name, In, Hidden, Options...>;
/// torch.nn.LSTMCell of from<"x", "h", "c">, see rnn_cell; the next states are "NAME.h_next" and "NAME.c_next".
template <fixed_string Name, int In, int Hidden, class... Options>
using lstm_cell = typename detail::module_of<Options...>::template block<
    Name, input<"x">, input<"h">, input<"c">, constant<"weight_ih", shape<4 * Hidden, In>>,
    constant<"weight_hh", shape<4 * Hidden, Hidden>>, constant<"bias_ih", shape<4 * Hidden>>,
    constant<"bias_hh", shape<4 * Hidden>>, reshape<"step", from<"x">, shape<1, -1, In>>,
    reshape<"h_before", from<"h">, shape<1, -1, Hidden>>, reshape<"c_before", from<"c">, shape<1, -1, Hidden>>,
    typename detail::module_of<Options...>::template layer<
        op::lstm, "cell", from<"step", "h_before", "c_before", "weight_ih", "weight_hh", "bias_ih", "bias_hh">,
        hidden<Hidden>, given<15>>,
    reshape<"h_next", from<"cell.1">, shape<-1, Hidden>>, reshape<"c_next", from<"cell.2">, shape<-1, Hidden>>,
    output<"h_next", "c_next">>;

/// torch.nn.CosineSimilarity of from<"a", "b"> along an axis, which it takes away; lengths are 1e-8 at least.
template <fixed_string Name, int Axis, class... From>
using cosine_similarity =
    block<Name, From..., input<"a">, input<"b">, mul<"products", from<"a", "b">>,
          reduce<"dot", op::reduction::sum, axes<Axis>, drop_axes>,
          reduce<"of_a", op::reduction::l2, from<"a">, axes<Axis>, drop_axes>, maximum<"length_of_a", scalar<1e-8>>,
          reduce<"of_b", op::reduction::l2, from<"b">, axes<Axis>, drop_axes>, maximum<"length_of_b", scalar<1e-8>>,
          mul<"lengths", from<"length_of_a", "length_of_b">>, divide<"cosine", from<"dot", "lengths">>>;
/// torch.nn.PairwiseDistance of from<"a", "b"> over the last axis, which it takes away: the length of a - b + 1e-6.
template <fixed_string Name, class... From>
using pairwise_distance = block<Name, From..., input<"a">, input<"b">, sub<"difference", from<"a", "b">>,
                                add<"moved", scalar<1e-6>>, reduce<"distance", op::reduction::l2, axes<-1>, drop_axes>>;

/// torch.nn.Unfold of an image (Channels, Height, Width): its windows, one a column. Options are conv2d's stride, pad
/// and dilation.
template <fixed_string Name, int Channels, int Kernel, class... Options>
using unfold = typename detail::module_of<Options...>::template block<
    Name, input<"x">, layer<op::eye, "eye", option<"shape", Kernel * Kernel, Kernel * Kernel>>,
    reshape<"window", shape<Kernel * Kernel, 1, Kernel, Kernel>>, tile<"windows", repeats<Channels, 1, 1, 1>>,
    typename detail::module_of<Options...>::template layer<op::conv2d, "image", from<"x", "windows">,
                                                           out<Channels * Kernel * Kernel>, groups<Channels>,
                                                           kernel<Kernel>, no_bias, given<1>>,
    reshape<"columns", shape<Channels * Kernel * Kernel, -1>>>;

/// torch.nn.Tanhshrink: x - tanh(x).
template <fixed_string Name, class... From>
using tanhshrink = block<Name, From..., input<"x">, tanh_activation<"tanh">, sub<"difference", from<"x", "tanh">>>;
/// torch.nn.LogSigmoid.
template <fixed_string Name, class... From>
using log_sigmoid =
    block<Name, From..., unary<"negative", function::neg>, softplus<"softplus">, unary<"log", function::neg>>;
/// torch.nn.Softplus(beta): log(1 + exp(Beta * x)) / Beta.
template <fixed_string Name, number Beta, class... From>
using softplus_beta =
    block<Name, From..., mul<"steeper", scalar<Beta>>, softplus<"softplus">, divide<"y", scalar<Beta>>>;
/// torch.nn.RReLU at inference: leaky ReLU of its slopes' mean.
template <fixed_string Name, number Lower = 1.0 / 8, number Upper = 1.0 / 3, class... From>
using rrelu = leaky_relu<Name, (Lower.value + Upper.value) / 2, From...>;
/// torch.nn.Softmin. Options are softmax's.
template <fixed_string Name, class... Options>
using softmin = typename detail::module_of<Options...>::template block<
    Name, unary<"negative", function::neg>,
    typename detail::module_of<Options...>::template layer<op::softmax, "softmax">>;
/// torch.nn.Threshold: x above the threshold, else `Value`.
template <fixed_string Name, number Threshold, number Value, class... From>
using threshold = block<Name, From..., input<"x">, full<"threshold", shape<1>, fill_value<Threshold>>,
                        full<"value", shape<1>, fill_value<Value>>, gt<"above", from<"x", "threshold">>,
                        where<"chosen", from<"above", "x", "value">>>;
/// torch.nn.EmbeddingBag, mode="mean": the mean of the rows that each line of indices names. Weight "weight" (Rows,
/// Size).
template <fixed_string Name, int Rows, int Size, class... From>
using embedding_bag =
    block<Name, From..., embedding<"", Rows, Size>, reduce<"mean", op::reduction::mean, axes<-2>, drop_axes>>;
/// torch.nn.Bilinear of from<"a", "b">, whose last axes have A and B numbers. Weights "weight" (Out, A, B) and "bias"
/// (Out).
template <fixed_string Name, int A, int B, int Out, class... From>
using bilinear =
    block<Name, From..., input<"a">, input<"b">, constant<"weight", shape<Out, A, B>>, constant<"bias", shape<Out>>,
          reshape<"rows", from<"weight">, shape<Out * A, B>>,
          linear<"of_b", from<"b", "rows">, out<Out * A>, no_bias, given<1>>, reshape<"by_output", shape<-1, Out, A>>,
          reshape<"column", from<"a">, shape<-1, A, 1>>, matmul<"products", from<"by_output", "column">>,
          reshape<"sums", shape<-1, Out>>, add<"moved", from<"sums", "bias">>>;

}  // namespace ctnn
