// SPDX-License-Identifier: BSL-1.0
// An operator of one's own (softsign.hpp, its kernel in softsign-inl.hpp) is as good as ctnn's: in a declared network,
// in the compiler, in a model from an ncnn file, and in an ONNX file with an operator of a custom domain.
#define CTNN_OWN_KERNELS "softsign-inl.hpp"
#include <ctnn/ctnn.hpp>
#include <ctnn/formats/ncnn/layer_reader.hpp>
#include <ctnn/model.hpp>
#include <ctnn/network/constant_run.hpp>

#include <cstdio>

#include "softsign.hpp"

#if defined(CTNN_READS_ONNX)
#include <ctnn/formats/onnx/node_reader.hpp>
#endif

namespace mine {

struct net : ctnn::network<ctnn::input<"x", ctnn::shape<2, 4>>, ctnn::layer<softsign, "s", ctnn::option<"scale", 2>>> {
};

constexpr float gain[] = {1, -10}, x[] = {-3, 0, 1, 3, -3, 0, 1, 3};
constexpr ctnn::named_weight weights[] = {{"s", "gain", gain}};
constexpr auto packed = ctnn::fold<net, weights>();

// The compiler's answer.
static_assert(ctnn::constant_run<net, weights>(x) == std::array<float, 8>{-1.5f, 0, 1, 1.5f, 15, 0, -10, -15});

/// ncnn's text for it: "SoftSign name 1 1 in out 0=scale", its weight among the numbers of the .bin.
inline void read(ctnn::ncnn::layer_reader& l) {
  l.expect(1, 1);
  const ctnn::ir::value_id y = l.node(softsign{l.float_or(0, 1)}, {l.input()});
  l.read_raw(y, 0, l.shape(y)[0]);
  l.result(y);
}

#if defined(CTNN_READS_ONNX)
/// A node "SoftSign" of domain "mine" with an attribute and two inputs: x, and the gains, which are the weight.
inline void read(ctnn::onnx::node_reader& n) {
  n.expect(2, 2);
  const auto gains = n.known(n.input(1));
  if (!gains) n.fail("its gains are not constant");
  n.result(n.add(softsign{n.real("scale", 1)}, {n.input(0)}, {gains}));
}
#endif

void print(std::span<const float> numbers) {
  for (float v : numbers) std::printf("%g ", static_cast<double>(v));
  std::puts("");
}

void run(const ctnn::model& m) {
  ctnn::extractor ex = m.extractor();
  ex.input("x", ctnn::array({2, 4}, x));
  const ctnn::array y = ex.extract("s");
  print(y.values());
}

}  // namespace mine

int main() {
  ctnn::engine<ctnn::optimized<mine::net>> engine{mine::packed};
  mine::print(engine(mine::x));

  ctnn::load_options options;
  options.operators = ctnn::custom_operators<mine::softsign>;
  const std::string text = "7767517\n2 2\nInput x 0 1 x 0=4 1=2\nSoftSign s 1 1 x s 0=2.0\n";
  static constexpr ctnn::ncnn::layer_type types[] = {{"SoftSign", mine::read}};
  const ctnn::ncnn::param_file file = ctnn::ncnn::parse_param(text, "example.param", {});
  ctnn::ncnn::bin_reader numbers(std::as_bytes(std::span(mine::gain)), "example.bin", {});
  mine::run(ctnn::model(ctnn::ncnn::build(file, numbers, {.custom = types}), options));

#if defined(CTNN_READS_ONNX)
  // As an exporter would write it: onnx.helper.make_node("SoftSign", ["x", "gains"], ["s"], domain="mine", scale=2.0).
  static constexpr unsigned char onnx[] = {
#include "softsign_onnx.inc"
  };
  static constexpr ctnn::onnx::node_type nodes[] = {{"mine", "SoftSign", mine::read}};
  const auto model = ctnn::onnx::parse_model(std::as_bytes(std::span(onnx)), "example.onnx");
  mine::run(ctnn::model(ctnn::onnx::build(model, {.custom = nodes}), options));
#endif
}
