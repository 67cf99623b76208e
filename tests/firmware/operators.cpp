// SPDX-License-Identifier: BSL-1.0
// Every kind of kernel in one network, as declared and as optimised: the core's answers are those that the compiler
// gets from the reference kernels.
#include <ctnn/ctnn.hpp>
#include <ctnn/network/constant_run.hpp>

#include "board/compare.hpp"

namespace {

namespace nn = ctnn;

struct network
    : nn::network<
          nn::input<"image", nn::shape<3, 10, 9>>,                                                          //
          nn::conv2d<"stem", nn::out<8>, nn::kernel<3>, nn::stride<2>, nn::pad<1>>,                         // 8 x 5 x 5
          nn::batch_norm<"stem_bn">,                                                                        //
          nn::hardswish<"stem_swish">,                                                                      //
          nn::conv2d<"depthwise", nn::out<8>, nn::kernel<3>, nn::pad<1>, nn::groups<8>, nn::no_bias>,       //
          nn::batch_norm<"depthwise_bn">,                                                                   //
          nn::relu6<"depthwise_relu">,                                                                      //
          nn::conv2d<"pointwise", nn::out<8>, nn::kernel<1>>,                                               //
          nn::add<"sum", nn::from<"pointwise", "stem_swish">>,                                              //
          nn::leaky_relu<"sum_relu", 0.1>,                                                                  //
          nn::max_pool2d<"max_pool", nn::kernel<2>, nn::stride<2>, nn::ceil_mode>,                          // 8 x 3 x 3
          nn::conv2d<"left", nn::from<"max_pool">, nn::out<5>, nn::kernel<1>>,                              //
          nn::sigmoid<"left_sigmoid">,                                                                      //
          nn::conv2d<"right", nn::from<"max_pool">, nn::out<6>, nn::kernel<3>, nn::pad<1>, nn::groups<2>>,  //
          nn::tanh_activation<"right_tanh">,                                                                //
          nn::concat<"both", nn::from<"left_sigmoid", "right_tanh">>,                                   // 11 x 3 x 3
          nn::prelu<"slopes">,                                                                          //
          nn::avg_pool2d<"avg_pool", nn::kernel<3>, nn::stride<1>, nn::pad<1>, nn::count_include_pad>,  //
          nn::minimum<"least", nn::from<"avg_pool", "both">>,                                           //
          nn::mul<"double", nn::scalar<2>>,                                                             //
          nn::interpolate_bilinear<"larger", nn::size<4, 5>>,                                           // 11 x 4 x 5
          nn::adaptive_max_pool2d<"most", nn::size<2>>,                                                 // 11 x 2 x 2
          nn::flatten<"flat">,                                                                          // 44
          nn::linear<"hidden", nn::out<9>>,                                                             //
          nn::elu<"hidden_elu", 1>,                                                                     //
          nn::layer_norm<"hidden_norm">,                                                                //
          nn::linear<"scores", nn::out<5>>,                                                             //
          nn::softmax<"probabilities">,                                                                 //
          nn::adaptive_avg_pool2d<"means", nn::from<"larger">>,                                         // 11 x 1 x 1
          nn::conv_transpose2d<"grown", nn::from<"max_pool">, nn::out<4>, nn::kernel<3>, nn::stride<2>,
                               nn::pad<1>>,                                                               // 4 x 5 x 5
          nn::batch_norm<"grown_bn">,                                                                     //
          nn::sigmoid<"grown_sigmoid">,                                                                   //
          nn::local_response_norm<"response", nn::size<3>>,                                               //
          nn::conv_transpose2d<"spread", nn::out<4>, nn::kernel<2, 1>, nn::stride<2, 1>, nn::groups<4>>,  // 4 x 10 x 5
          nn::reduce<"level", nn::op::reduction::mean, nn::from<"larger">, nn::axes<0>>,                  // 1 x 4 x 5
          nn::reshape<"rows", nn::shape<4, 5>>,                                                           //
          nn::lstm<"memory", nn::hidden<6>>,                                                              // 4 x 6
          nn::gru<"gates", nn::from<"memory.0">, nn::hidden<5>, nn::no_bias>,                             // 4 x 5
          nn::rnn<"simple", nn::from<"gates.0">, nn::hidden<4>, nn::no_bias>,                             // 4 x 4
          nn::reduce<"strength", nn::op::reduction::l2, nn::from<"simple.0">, nn::axes<1>>,               // 4 x 1
          nn::permute<"turned", nn::from<"rows">, nn::order<1, 0>>,                                       // 5 x 4
          nn::matmul<"products", nn::from<"turned", "rows">>,                                             // 5 x 5
          nn::output<"probabilities", "means", "spread", "strength", "memory.2", "products">> {};
using optimized = nn::optimized<network>;

/// Noise around `middle`, up to `size` away.
template <std::size_t N>
struct noise {
  float numbers[N]{};
  constexpr noise(unsigned seed, float size, float middle = 0) {
    for (float& x : numbers) {
      seed = seed * 1664525u + 1013904223u;
      x = middle + size * (static_cast<float>(seed >> 8) / 8388608.0f - 1.0f);
    }
  }
};

constexpr noise<3 * 10 * 9> image(1, 1);
constexpr noise<8 * 3 * 9> stem(2, 0.4f);
constexpr noise<8 * 9> depthwise(3, 0.5f);
constexpr noise<8 * 8> pointwise(4, 0.5f);
constexpr noise<5 * 8> left(5, 0.6f);
constexpr noise<6 * 4 * 9> right(6, 0.4f);
constexpr noise<11> slopes(7, 0.5f), small(8, 0.2f);
constexpr noise<9 * 44> hidden(9, 0.3f);
constexpr noise<5 * 9> scores(10, 1);
constexpr noise<8 * 4 * 9> grown(13, 0.3f);
constexpr noise<4 * 2> spread(14, 1);
constexpr noise<24 * 6> recurrent(15, 0.7f);
constexpr noise<8> gamma(11, 0.3f, 1), variance(12, 0.5f, 1);
constexpr auto part(std::size_t n) { return std::span<const float>(small.numbers).first(n); }
constexpr auto numbers(std::size_t n) { return std::span<const float>(recurrent.numbers).first(n); }
constexpr nn::named_weight weights[] = {{"stem", "weight", stem.numbers},
                                        {"stem", "bias", part(8)},
                                        {"stem_bn", "weight", gamma.numbers},
                                        {"stem_bn", "bias", part(8)},
                                        {"stem_bn", "running_mean", part(8)},
                                        {"stem_bn", "running_var", variance.numbers},
                                        {"depthwise", "weight", depthwise.numbers},
                                        {"depthwise_bn", "weight", gamma.numbers},
                                        {"depthwise_bn", "bias", part(8)},
                                        {"depthwise_bn", "running_mean", part(8)},
                                        {"depthwise_bn", "running_var", variance.numbers},
                                        {"pointwise", "weight", pointwise.numbers},
                                        {"pointwise", "bias", part(8)},
                                        {"left", "weight", left.numbers},
                                        {"left", "bias", part(5)},
                                        {"right", "weight", right.numbers},
                                        {"right", "bias", part(6)},
                                        {"slopes", "weight", slopes.numbers},
                                        {"grown", "weight", grown.numbers},
                                        {"grown", "bias", part(4)},
                                        {"grown_bn", "weight", std::span<const float>(gamma.numbers).first(4)},
                                        {"grown_bn", "bias", part(4)},
                                        {"grown_bn", "running_mean", part(4)},
                                        {"grown_bn", "running_var", std::span<const float>(variance.numbers).first(4)},
                                        {"spread", "weight", spread.numbers},
                                        {"spread", "bias", part(4)},
                                        {"memory", "weight_ih_l0", numbers(24 * 5)},
                                        {"memory", "weight_hh_l0", numbers(24 * 6)},
                                        {"memory", "bias_ih_l0", numbers(24)},
                                        {"memory", "bias_hh_l0", numbers(24)},
                                        {"gates", "weight_ih_l0", numbers(15 * 6)},
                                        {"gates", "weight_hh_l0", numbers(15 * 5)},
                                        {"simple", "weight_ih_l0", numbers(4 * 5)},
                                        {"simple", "weight_hh_l0", numbers(4 * 4)},
                                        {"hidden", "weight", hidden.numbers},
                                        {"hidden", "bias", part(9)},
                                        {"scores", "weight", scores.numbers},
                                        {"scores", "bias", part(5)}};

constexpr auto packed = nn::pack<network, weights>();
constexpr auto folded = nn::fold<network, weights>();
constexpr auto probabilities = nn::constant_run<network, weights, 0>(image.numbers);
constexpr auto means = nn::constant_run<network, weights, 1>(image.numbers);
constexpr auto spread_out = nn::constant_run<network, weights, 2>(image.numbers);
constexpr auto strength = nn::constant_run<network, weights, 3>(image.numbers);
constexpr auto memory = nn::constant_run<network, weights, 4>(image.numbers);
constexpr auto products = nn::constant_run<network, weights, 5>(image.numbers);

nn::arena<network, optimized> arena;
constinit nn::engine<network, nn::shared_arena> as_declared{packed, arena};
constinit nn::engine<optimized, nn::shared_arena> as_optimized{folded, arena};

int differences(auto& engine) {
  const float* const inputs[] = {image.numbers};
  engine.run(inputs);
  return board::differences("probability", engine.template output<0>(), probabilities.data(), 2e-6f) +
         board::differences("mean", engine.template output<1>(), means.data(), 2e-6f) +
         board::differences("spread", engine.template output<2>(), spread_out.data(), 2e-6f) +
         board::differences("strength", engine.template output<3>(), strength.data(), 2e-6f) +
         board::differences("memory", engine.template output<4>(), memory.data(), 2e-6f) +
         board::differences("product", engine.template output<5>(), products.data(), 2e-6f);
}

}  // namespace

int main() {
  const int wrong = differences(as_declared) + differences(as_optimized);
  const float* const inputs[] = {image.numbers};
  board::measure("as declared", [&] { as_declared.run(inputs); });
  board::measure("optimised", [&] { as_optimized.run(inputs); });
  board::print(wrong == 0 ? "operators: all right\n" : "operators: wrong\n");
  return wrong == 0 ? 0 : 1;
}
