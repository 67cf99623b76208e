// SPDX-License-Identifier: BSL-1.0
// An LSTM and a dense layer sample by sample, as audio plugins run them: nanoseconds a sample, beside the multiply-add
// peak of the same run and, where its headers are found, beside RTNeural's static model in turns. That wants, beyond
// the usual,
//   -I<RTNeural> -I<xsimd>/include -DRTNEURAL_USE_XSIMD=1 -DRTNEURAL_DEFAULT_ALIGNMENT=32 -DRTNEURAL_NAMESPACE=RTNeural
#include <ctnn/ctnn.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#if __has_include(<RTNeural/RTNeural.h>)
#define WITH_RTNEURAL 1
#include <RTNeural/RTNeural.h>
#endif

namespace {

namespace nn = ctnn;

constexpr int samples = 4800, rounds = 60;

template <int Hidden>
using network =
    nn::network<nn::input<"x", nn::shape<1, 1>>, nn::input<"h", nn::shape<1, Hidden>>,
                nn::input<"c", nn::shape<1, Hidden>>, nn::lstm<"cell", nn::from<"x", "h", "c">, nn::hidden<Hidden>>,
                nn::linear<"dense", nn::from<"cell.0">, nn::out<1>>,  //
                nn::output<"dense", "cell.1", "cell.2">>;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<float> noise(std::size_t n, unsigned seed) {
  std::vector<float> v(n);
  for (float& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = 0.3f * (static_cast<float>(seed >> 8) / 8388608.0f - 1.0f);
  }
  return v;
}
double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

template <int Hidden>
void compare() {
  constexpr std::size_t h = Hidden;
  const auto w = noise(4 * h, 1), r = noise(4 * h * h, 2), b = noise(4 * h, 3), no_bias = std::vector<float>(4 * h),
             dense = noise(h, 4), in = noise(samples, 5);
  const float dense_bias[1] = {0.1f};
  const nn::named_weight weights[] = {{"cell", "weight_ih_l0", w}, {"cell", "weight_hh_l0", r},
                                      {"cell", "bias_ih_l0", b},   {"cell", "bias_hh_l0", no_bias},
                                      {"dense", "weight", dense},  {"dense", "bias", dense_bias}};
  static nn::parameters<network<Hidden>> packed{nn::zeros};
  if (nn::load(packed, weights).found) return void(std::puts("wrong weights"));
  static nn::engine<network<Hidden>> engine{packed};
  float state[Hidden]{}, cell[Hidden]{}, last = 0;
  const auto ours = [&](const float* x) {
    const float* const inputs[] = {x, state, cell};
    engine.run(inputs);
    std::copy_n(engine.template output<1>().data(), h, state);
    std::copy_n(engine.template output<2>().data(), h, cell);
    return engine.template output<0>()[0];
  };
#if defined(WITH_RTNEURAL)
  // Its matrices are (in, 4 hidden) with the same order of gates, i f g o.
  static RTNeural::ModelT<float, 1, 1, RTNeural::LSTMLayerT<float, 1, Hidden>, RTNeural::DenseT<float, Hidden, 1>> peer;
  std::vector<std::vector<float>> turned(h, std::vector<float>(4 * h));
  for (std::size_t i = 0; i < 4 * h; ++i)
    for (std::size_t k = 0; k < h; ++k) turned[k][i] = r[i * h + k];
  peer.template get<0>().setWVals({w});
  peer.template get<0>().setUVals(turned);
  peer.template get<0>().setBVals(b);
  peer.template get<1>().setWeights({dense});
  peer.template get<1>().setBias(dense_bias);
  peer.reset();
  float furthest = 0;
  for (int i = 0; i < 1000; ++i)
    furthest = std::max(
        furthest, std::abs(ours(&in[static_cast<std::size_t>(i)]) - peer.forward(&in[static_cast<std::size_t>(i)])));
#endif
  std::vector<double> own, others, peaks;
  for (int round = 0; round < rounds; ++round) {
    float sink[14] = {1, 1, 1};
    double begin = now();
    const auto flops = static_cast<double>(nn::ir::multiply_registers(nn::best_target(), 2000, sink));
    peaks.push_back(flops / (now() - begin));
    begin = now();
    for (const float& x : in) last += ours(&x);
    own.push_back((now() - begin) / samples);
#if defined(WITH_RTNEURAL)
    begin = now();
    for (const float& x : in) last += peer.forward(&x);
    others.push_back((now() - begin) / samples);
#endif
  }
  const double flops = 2.0 * static_cast<double>(nn::macs<network<Hidden>>) / median(own);
  std::printf("%4d units  %7.1f ns a sample, %4.1f %% of the peak", Hidden, median(own) * 1e9,
              100 * flops / median(peaks));
#if defined(WITH_RTNEURAL)
  std::printf("   RTNeural %7.1f ns: ratio %.2f   furthest %.1e", median(others) * 1e9, median(own) / median(others),
              static_cast<double>(furthest));
#endif
  std::printf("%s\n", last == 12345 ? " " : "");
}

}  // namespace

int main() {
  compare<8>();
  compare<16>();
  compare<20>();
  compare<24>();
  compare<32>();
  compare<40>();
  compare<64>();
}
