// SPDX-License-Identifier: BSL-1.0
// Attention and rotary positions.
#pragma once

#include "recurrent.hpp"

namespace ctnn::onnx::readers {

inline void attention(node_reader& n) {
  n.expect(3, 7);
  n.ignore("softmax_precision");
  op::attention op;
  op.heads = n.small("q_num_heads", 0);
  op.kv_heads = n.small("kv_num_heads", 0);
  op.causal = n.flag("is_causal", false);
  op.scale = n.real("scale", 0);
  op.softcap = n.real("softcap", 0);
  const std::int64_t which = n.integer("qk_matmul_output_mode", 0);
  if (which < 0 || which > 3) n.fail("qk_matmul_output_mode is " + std::to_string(which) + ", expected 0 to 3");
  using enum op::attention_scores;
  constexpr op::attention_scores scores[] = {product, with_softcap, with_mask, probabilities};
  op.which = scores[which];
  std::vector<term> in{n.input(0), n.input(1), n.input(2)};
  op.mask = n.has(3);
  op.past = n.has(4) && n.has(5);
  if (n.has(4) != n.has(5)) n.fail("has one of past_key and past_value");
  op.lengths = n.has(6);
  for (std::size_t i = 3; i < 7; ++i)
    if (n.has(i)) in.push_back(n.input(i));
  op.present = n.wants(1) || n.wants(2);
  op.scores = n.wants(3);
  const std::vector<term> out = n.nodes(op, in);
  n.result(0, out[0]);
  if (op.present) {
    n.result(1, out[1]);
    n.result(2, out[2]);
  }
  if (op.scores) n.result(3, out.back());
}

inline void rotary_embedding(node_reader& n) {
  n.expect(3, 4);
  const op::rotary_embedding op{n.flag("interleaved", false), n.small("num_heads", 0),
                                n.small("rotary_embedding_dim", 0)};
  std::vector<term> in{n.input(0), n.input(1), n.input(2)};
  if (n.has(3)) in.push_back(n.input(3));
  n.result(n.add(op, in));
}

}  // namespace ctnn::onnx::readers
