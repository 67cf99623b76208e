// SPDX-License-Identifier: BSL-1.0
// An operator of one's own, x / (1 + |x|), in a declared network and in a model from a file.
#include <ctnn/model.hpp>

#include <cstdio>

namespace mine {

struct softsign {
  static constexpr std::string_view name = "softsign";
  float gain = 1;

  static constexpr void fields(auto& self, auto&& field) { field("gain", self.gain); }
  constexpr ctnn::problem infer(ctnn::inputs in, ctnn::outputs out) const {
    out[0] = in[0];
    return {};
  }
};

/// Its kernel; ctnn finds it beside the struct. Values are plain row-major unless kernels/layouts.hpp says otherwise.
inline void run(const softsign& p, const ctnn::arguments& a) {
  const std::int64_t count = a.in[0].shape.count();
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = a.in[0].data[i];
    a.out[0].data[i] = p.gain * x / (1 + (x < 0 ? -x : x));
  }
}

/// ncnn's text for it: "SoftSign name 1 1 in out 0=gain".
inline void read(ctnn::ncnn::layer_reader& l) {
  l.expect(1, 1);
  l.result(l.node(softsign{l.float_or(0, 1)}, {l.input()}));
}

struct net : ctnn::network<ctnn::input<"x", ctnn::shape<4>>, ctnn::layer<softsign, "s", ctnn::option<"gain", 2>>> {};
constexpr ctnn::parameters<net> no_weights{};

}  // namespace mine

int main() {
  const float x[4] = {-3, 0, 1, 3};
  ctnn::engine<mine::net> engine{mine::no_weights};
  for (float y : engine(x)) std::printf("%g ", static_cast<double>(y));

  const std::string text = "7767517\n2 2\nInput x 0 1 x 0=4\nSoftSign s 1 1 x s 0=2.0\n";
  static constexpr ctnn::ncnn::layer_type types[] = {{"SoftSign", mine::read}};
  const ctnn::ncnn::param_file file = ctnn::ncnn::parse_param(text, "example.param", {});
  ctnn::ncnn::bin_reader weights = ctnn::ncnn::bin_reader::zeros({});
  ctnn::load_options options;
  options.operators = ctnn::custom_operators<mine::softsign>;
  const ctnn::model m(ctnn::ncnn::build(file, weights, {.custom = types}), options);
  ctnn::extractor ex = m.extractor();
  ex.input("x", ctnn::array({4}, x));
  const ctnn::array y = ex.extract("s");
  for (float v : y.values()) std::printf("%g ", static_cast<double>(v));
  std::puts("");
}
