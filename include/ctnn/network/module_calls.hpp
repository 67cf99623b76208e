// SPDX-License-Identifier: BSL-1.0
// Modules of torch.nn that are a few layers, or that own weights: functions that call layers, as a user's own would.
// Here are tables and what compares two values; the others by theme in activation_calls.hpp, norm_calls.hpp,
// window_calls.hpp, recurrent_calls.hpp and attention_calls.hpp.
#pragma once

#include "attention_calls.hpp"

namespace ctnn::detail {

template <class = void>
class module_calls : public attention_calls<> {
 public:
  /// torch.nn.Embedding: rows of a table by integer indices. Weight "weight" (num_embeddings, embedding_dim).
  constexpr value embedding(std::string_view name, value ids, const embedding_options& o,
                            source_line at = source_line::here()) {
    const auto scope = inside(name, "embedding");
    const value table = parameter("weight", {o.num_embeddings, o.embedding_dim}, {}, at);
    return named("rows", index_select(table, 0, ids, at));
  }
  /// torch.nn.EmbeddingBag of (N, L) indices: the mean, sum or maximum of the rows that each line names. Weight
  /// "weight" (num_embeddings, embedding_dim).
  constexpr value embedding_bag(std::string_view name, value ids, const embedding_bag_options& o,
                                source_line at = source_line::here()) {
    const auto scope = inside(name, "embedding_bag");
    const value table = parameter("weight", {o.num_embeddings, o.embedding_dim}, {}, at);
    const op::reduction f = o.mode == "sum"   ? op::reduction::sum
                            : o.mode == "max" ? op::reduction::max
                                              : op::reduction::mean;
    return over("bag", f, index_select(table, 0, ids, at), -2, false, at);
  }
  /// torch.nn.Bilinear of (..., A) and (..., B). Weights "weight" (out_features, A, B) and "bias" (out_features).
  constexpr value bilinear(std::string_view name, value a, value b, const bilinear_options& o,
                           source_line at = source_line::here()) {
    const auto scope = inside(name, "bilinear");
    const int out = o.out_features, of_a = size(a, -1), of_b = size(b, -1);
    extents result = shape(a);
    const value weight = parameter("weight", {out, of_a, of_b}, {}, at);
    const value rows = in_shape("reshape", weight, {out * of_a, of_b}, at);
    const value by_output = in_shape("reshape", given_linear("of_b", {b, rows}, out * of_a, at), {-1, out, of_a}, at);
    const value products = matmul(by_output, in_shape("reshape", a, {-1, of_a, 1}, at), {}, at);
    result.back(0) = out;
    if (result.rank == 2) result[0] = -1;
    const value sums = in_shape("reshape", products, result, at);
    return o.bias ? add(sums, parameter("bias", {out}, {}, at), {}, at) : sums;
  }
  /// torch.nn.CosineSimilarity of two values along an axis, which it takes away; lengths are `eps` at least.
  constexpr value cosine_similarity(value a, value b, const cosine_similarity_options& o = {},
                                    source_line at = source_line::here()) {
    const value dot = sum(mul(a, b, {}, at), o.dim, false, at);
    const value of_a = maximum(norm(a, 2, o.dim, false, at), o.eps, at);
    return div(dot, mul(of_a, maximum(norm(b, 2, o.dim, false, at), o.eps, at), {}, at), at);
  }
  /// torch.nn.PairwiseDistance of two values over the last axis, which it takes away: the norm of a - b + eps.
  constexpr value pairwise_distance(value a, value b, const pairwise_distance_options& o = {},
                                    source_line at = source_line::here()) {
    return norm(add(sub(a, b, {}, at), o.eps, at), o.p, -1, o.keepdim, at);
  }
};

}  // namespace ctnn::detail
