// SPDX-License-Identifier: BSL-1.0
// Winograd's minimal filtering for conv2d of 3 x 3, stride 1, dilation 1, one group, after Lavin and Gray, "Fast
// Algorithms for Convolutional Neural Networks", arXiv:1509.09308 (2015): which layers take it, the order of their
// weights, the memory their kernel needs. vectors/winograd-inl.hpp computes; plain kernels (blocks of 4) never do.
//
// F(m, 3) makes m x m outputs of (m + 2) x (m + 2) inputs d with (m + 2)^2 products instead of 9 m^2:
//   Y = At [(G g Gt) . (Bt d B)] A
// summed over channels between the brackets. With points p_0 .. p_m and infinity (Toom-Cook), row i of
//   G   is (1, p_i, p_i^2) / product over j != i of (p_i - p_j), the last one (0, 0, 1);
//   Bt  are the coefficients of the product over j != i of (x - p_j), the last one those of the product over all j;
//   A   is (1, p_i, .., p_i^(m - 1)), the last one (0, .., 0, 1).
// The points are 0, 1, -1 for m = 2, besides 2, -2 for m = 4, and 1/2, -1/2 for m = 6: all numbers of At and Bt are
// floats, those of G are divided in double.
//
// Transforms cancel, so sums are less exact than direct ones: see winograd_error(). Infinite inputs, and finite ones
// whose transform overflows (above 1e36), make NaN of all outputs of their tile.
#pragma once

#include "../graph/graph.hpp"
#include "../graph/operators/convolution.hpp"
#include "byte_packing.hpp"
#include "operator_code.hpp"
#include "tensor.hpp"

namespace ctnn::ir {

namespace detail {

/// The matrices of F(M, 3).
template <int M>
struct winograd_matrices {
  static constexpr int side = M + 2;
  double bt[side][side]{}, g[side][3]{}, at[M][side]{};

  constexpr winograd_matrices() {
    constexpr double points[7] = {0, 1, -1, 2, -2, 0.5, -0.5};
    constexpr int n = M + 1;
    for (int i = 0; i <= n; ++i) {
      double product[side] = {1};  // of (x - p_j)
      double divisor = 1;
      for (int j = 0, degree = 0; j < n; ++j) {
        if (j == i) continue;
        ++degree;
        for (int k = degree; k >= 0; --k) product[k] = (k > 0 ? product[k - 1] : 0) - points[j] * product[k];
        if (i < n) divisor *= points[i] - points[j];
      }
      for (int k = 0; k < side; ++k) bt[i][k] = product[k];
      if (i == n) {
        g[i][2] = at[M - 1][i] = 1;
        continue;
      }
      double power = 1;
      for (int k = 0; k < (M < 3 ? 3 : M); ++k, power *= points[i]) {
        if (k < 3) g[i][k] = power / divisor;
        if (k < M) at[k][i] = power;
      }
    }
  }
};
template <int M>
inline constexpr winograd_matrices<M> winograd_matrix;

}  // namespace detail

/// Bound of the error of a sum by F(m, 3) as a part of 9 C X W, for inputs up to X and weights up to W in C channels,
/// which tests/kernels/winograd.cpp holds it to against double precision; by direct sums it is about 1e-7.
constexpr double winograd_error(int m) { return m == 2 ? 2e-7 : m == 4 ? 1e-6 : 2.5e-6; }

/// How a layer's work is laid out for F(size, 3).
struct winograd_work {
  int size;            ///< m: outputs of a tile along an axis
  int area;            ///< (m + 2)^2: products of a tile for each input and output channel
  int rows, columns;   ///< of tiles in an image
  std::int64_t tiles;  ///< of all images
  int depth;           ///< input channels, up to a whole block
  int chunk;           ///< output channels that are multiplied before they are transformed back
  int chunks;          ///< of all output channels
  int piece;           ///< input channels whose weights for a chunk are transformed at a time; 0: all are packed so
  int block;           ///< tiles whose transformed inputs and products are in memory at one time
  int room;            ///< the same for all parts of the work together
  int fastest;         ///< what `block` would be in any memory
  int parts;           ///< of the work, at most; 0: the memory that the layer may take holds no tile

  /// Numbers from one position of a tile to the next, for so many tiles or inputs and channels: not a multiple of a
  /// page, which would bring all positions to one set of the first cache.
  static constexpr std::int64_t stride(std::int64_t count, int channels) { return count * channels + 16; }
  /// Of transformed weights at one position.
  constexpr std::int64_t weights_stride() const { return piece == 0 ? 0 : stride(piece, chunk); }
  /// Numbers that a part with blocks of so many tiles needs.
  constexpr std::int64_t part_size(int count) const {
    return area * (stride(count, depth) + stride(count, chunk) + weights_stride());
  }
  /// Times that one part of the work reads all weights.
  constexpr std::int64_t blocks() const { return (tiles + block - 1) / block; }
  static constexpr int most_parts = 16, enough = 12;  ///< tiles for a part that is nearly as fast as with any more
  constexpr std::int64_t scratch_size() const {
    return area * (std::int64_t{room} * (depth + chunk) + (32 + weights_stride()) * parts);
  }
  /// Takes no more than so many numbers: fewer tiles at a time, and as many parts as have enough of them.
  constexpr void fit_in(std::int64_t numbers) {
    if (scratch_size() <= numbers) return;
    const int all = room;
    for (parts = room < most_parts * enough ? (room + enough - 1) / enough : most_parts; parts > 0; --parts) {
      const std::int64_t left = numbers / area - (32 + weights_stride()) * parts, fit = left / (depth + chunk);
      room = left <= 0 ? 0 : fit < all ? static_cast<int>(fit) : all;
      if (room >= (parts == 1 ? 1 : parts * enough)) break;
    }
    if (block > room) block = room;
  }
  /// What a part of the work is: a share of the chunks, and of the tiles. Where weights are transformed and tiles are
  /// few, parts had rather transform the same inputs than the same weights.
  struct part {
    work_share chunks, tiles;
  };
  constexpr part part_of(const work_share& s) const {
    const bool same_inputs = piece != 0 && tiles < std::int64_t{chunks} * chunk / 2;
    const int groups = !same_inputs ? 1 : chunks < s.count ? chunks : s.count;
    return {{s.index % groups, groups}, {s.index / groups, s.count / groups}};
  }
};

inline namespace CTNN_PACKING {

/// Work of F(m, 3) for input (C, H, W) or (N, C, H, W).
constexpr winograd_work winograd_work_of(int m, const op::conv2d& p, const extents& in) {
  const auto pad = p.padding(in);
  const std::int64_t height = std::int64_t{in.back(1)} + pad[0] + pad[2] - 2,
                     width = std::int64_t{in.back(0)} + pad[1] + pad[3] - 2;
  winograd_work w{};
  w.size = m;
  w.area = (m + 2) * (m + 2);
  w.rows = static_cast<int>((height + m - 1) / m);
  w.columns = static_cast<int>((width + m - 1) / m);
  w.tiles = std::int64_t{w.rows} * w.columns * (in.rank == 4 ? in[0] : 1);
  w.depth = (in.back(2) + 15) / 16 * 16;
  const int out = (p.out + 15) / 16 * 16;
  w.chunk = out < 64 ? out : 64;
  w.chunks = (out + w.chunk - 1) / w.chunk;
  const bool transforms = p.winograd == op::winograd_use::each_run;
  const int piece = m == 2 ? 64 : 32;
  w.piece = !transforms ? 0 : w.depth < piece ? w.depth : piece;
  // Half of a second cache of 512 KB, but tiles enough to read the weights for, or to transform them; the last block
  // not much smaller.
  constexpr std::int64_t cache = 65536;
  const std::int64_t most = transforms ? 64 : 24, least = out < 4 * most ? most : out / 4;
  std::int64_t block = cache / (std::int64_t{w.area} * (w.depth + w.chunk));
  if (block < least) block = least;
  const std::int64_t blocks = (w.tiles + block - 1) / block;
  w.block = static_cast<int>((w.tiles + blocks - 1) / blocks);
  const bool same_tiles = w.part_of({0, 2}).chunks.count > 1;
  w.room = static_cast<int>(w.tiles < 2 * w.block && !same_tiles ? w.tiles : 2 * w.block);
  w.parts = w.room < w.most_parts ? w.room : w.most_parts;
  w.fastest = w.block;
  if (p.winograd_bytes > 0) w.fit_in(p.winograd_bytes / static_cast<std::int64_t>(sizeof(float)));
  return w;
}

/// About what a layer takes in multiply-adds of one number, by F(m, 3) or directly if m is 0; measured on AVX2 and
/// AVX-512. That transforms of weights are made takes sixteen for each of their numbers.
constexpr double convolution_cost(int m, const op::conv2d& p, const extents& in) {
  const auto blocks = [](int n) { return static_cast<double>((std::int64_t{n} + 15) / 16 * 16); };
  const double depth = in.back(2), out = blocks(p.out);
  double area = 9, read = 9, products = 0, transforms = 0;
  if (m == 0) {
    const auto pad = p.padding(in);
    products =
        9 * (in.back(1) + pad[0] + pad[2] - 2.0) * (in.back(0) + pad[1] + pad[3] - 2.0) * (in.rank == 4 ? in[0] : 1);
  } else {
    const winograd_work w = winograd_work_of(m, p, in);
    if (w.parts == 0) return 1e300;
    const auto tiles = static_cast<double>(w.tiles), blocks_of_tiles = static_cast<double>(w.blocks());
    area = w.area;
    products = area * (tiles < 4 ? 4 : tiles);  // below four rows a product waits for its sums
    if (w.block < w.fastest) products *= w.block < w.enough ? 1.5 : 1.05;
    transforms = area * tiles * (depth + out) * (m == 6 ? 18 : 9);
    if (w.piece == 0) read = area;
    else transforms += 16 * area * depth * out * blocks_of_tiles;
  }
  // Weights come from the second cache, or, the more there are, from further away.
  const double weights = read * depth * out, far = 20 * weights / (weights + 1048576);
  return products * (depth + 4) * out + transforms + weights * far;
}

/// The m that a layer computes by F(m, 3), or 0: directly. `batch` is what it reads; `block` is another target's
/// channel_block where a tool packs for it. The same for networks as types and loaded models, on every target, and for
/// an image whatever the batch it is in: its weights are packed once, its numbers do not depend on its neighbours.
constexpr int winograd_size(const op::conv2d& p, const extents& batch, int block = channel_block) {
  const extents in = batch.rank == 4 ? batch.without_axis(0) : batch;
  const bool fits = block == 16 && p.winograd != op::winograd_use::none && p.kernel == op::conv2d::each_axis{3, 3} &&
                    p.stride == op::conv2d::ones && p.dilation == op::conv2d::ones && p.groups == 1 &&
                    (p.given & 1u) == 0;
  // Transforms go by 16 channels: of fewer they cost what they save. (Those may also be read as nchw.)
  static_assert(few_channels < 16);
  const bool enough = in.back(2) >= 16 && p.out >= 16;
  if (!fits || !enough || in.count() == 0 || (in.back(0) == 1 && in.back(1) == 1)) return 0;
  // Microseconds are not worth memory of several times the layer's, nor, for a larger m, being less exact.
  int best = 0;
  double least = convolution_cost(0, p, in);
  if (least < 1e6) return 0;
  least *= 0.87;
  for (int m = 2; m <= 6; m += 2)
    if (const double cost = convolution_cost(m, p, in); cost < least) {
      best = m;
      least = 0.95 * cost;
    }
  return best;
}

/// The same of a node, 0 where it is no conv2d of floats.
constexpr int winograd_size(const graph_view& g, const node& n, int block = channel_block) {
  if constexpr (channel_block != 16) return 0;  // firmware does not even link it
  else if (n.type != &type_of<op::conv2d> || !computes_f32(g, n)) return 0;
  else return winograd_size(decode<op::conv2d>(g.fields_of(n.fields)), g.shape(g.inputs(n)[0]), block);
}

constexpr void set_winograd(graph& g, node& n, op::winograd_use use) {
  op::conv2d p = decode<op::conv2d>(g.view().fields_of(n.fields));
  p.winograd = use;
  const field_values f = encode(p);
  n.fields = g.store_fields({f.data(), f.size()});
}
/// Has every conv2d add product by product.
constexpr void make_convolutions_exact(graph& g) {
  for (node& n : g.nodes)
    if (n.type == &type_of<op::conv2d>) set_winograd(g, n, op::winograd_use::none);
}

/// The m for which a node's weight is packed in its transforms, or 0.
constexpr int packed_winograd_size(const graph_view& g, const node& n, int block = channel_block) {
  const int m = winograd_size(g, n, block);
  if (m == 0) return 0;
  return decode<op::conv2d>(g.fields_of(n.fields)).winograd == op::winograd_use::packed ? m : 0;
}

/// Does a node multiply numbers of 16 bits by bytes? Its kernel reads its input where it is.
constexpr bool multiplies_wide(const graph_view& g, const node& n) {
  if (n.inputs.count == 0 || g.at_value(g.inputs(n)[0]).type != dtype::i16) return false;
  return is_byte_convolution(n) || n.type == &type_of<op::conv3d> || n.type == &type_of<op::linear>;
}

/// Bytes of memory that the kernel of a node takes while it runs, or the least it can do with.
constexpr std::int64_t kernel_scratch_bytes(const graph_view& g, const node& n,
                                            scratch_for_work work = scratch_for_work::whole) {
  if (byte_kernel_of(g, n).there) {
    const byte_rows rows = byte_rows_of(g, n);
    return rows ? byte_layer_scratch(rows, is_byte_convolution(n)) : 0;
  }
  if (multiplies_wide(g, n)) return 0;
  if (!computes_f32(g, n) || n.type->f32_takes_scratch) return scratch_bytes(g, n, work);
  const int m = winograd_size(g, n);
  if (m == 0) return 0;
  const extents& in = g.shape(g.inputs(n)[0]);
  return scratch_for(winograd_work_of(m, decode<op::conv2d>(g.fields_of(n.fields)), in).scratch_size(), sizeof(float));
}

/// Numbers of a weight (out, C, 3, 3) packed for F(m, 3).
constexpr std::int64_t winograd_packed_count(int m, const extents& shape, int block = channel_block) {
  return std::int64_t{(m + 2) * (m + 2)} * ((shape[0] + block - 1) / block * block) * shape[1];
}

namespace winograd_detail {

template <int M>
constexpr void pack(const extents& shape, const float* from, float* to, int block) {
  constexpr const auto& g = ir::detail::winograd_matrix<M>.g;
  constexpr int side = M + 2;
  const int out = shape[0], depth = shape[1];
  const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(winograd_packed_count(M, shape, block)) / (side * side);
  for (int o = 0; o < (out + block - 1) / block * block; ++o)
    for (int c = 0; c < depth; ++c) {
      std::ptrdiff_t at = (std::ptrdiff_t{o / block} * depth + c) * block + o % block;
      if (o >= out) {
        for (int i = 0; i < side * side; ++i, at += step) to[at] = 0;
        continue;
      }
      double rows[side][3]{};  // G g
      for (int x = 0; x < 3; ++x) {
        const auto a = static_cast<double>(from[x]), b = static_cast<double>(from[3 + x]),
                   d = static_cast<double>(from[6 + x]);
        for (int i = 0; i < side; ++i) rows[i][x] = g[i][0] * a + g[i][1] * b + g[i][2] * d;
      }
      for (const double(&r)[3] : rows)
        for (int j = 0; j < side; ++j, at += step)
          to[at] = static_cast<float>(r[0] * g[j][0] + r[1] * g[j][1] + r[2] * g[j][2]);
      from += 9;
    }
}

}  // namespace winograd_detail

/// Packs a weight (out, C, 3, 3) for F(m, 3), [(m + 2)^2 positions][blocks][C][block], with zeros where out is not a
/// multiple of the block.
constexpr void pack_winograd(int m, const extents& shape, const float* from, float* to, int block = channel_block) {
  if (m == 2) winograd_detail::pack<2>(shape, from, to, block);
  else if (m == 4) winograd_detail::pack<4>(shape, from, to, block);
  else winograd_detail::pack<6>(shape, from, to, block);
}

}  // namespace CTNN_PACKING
}  // namespace ctnn::ir
