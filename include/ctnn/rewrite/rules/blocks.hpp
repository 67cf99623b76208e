// SPDX-License-Identifier: BSL-1.0
// Blocks of pixels as channels (space to depth, the Focus of detectors) before a convolution, whose windows may as well
// see the pixels themselves.
#pragma once

#include "../rule.hpp"
#include "../view_chain.hpp"

namespace ctnn::rules {

/// All strided slices of x, joined as channels, > conv2d  ->  conv2d of x, with windows and steps as many times as
/// large; the same of reshape > permute > reshape that puts blocks of pixels before the channels
struct conv_of_blocks {
  static constexpr rule_info info{"conv_of_blocks", "concat(slices of x with steps)|space to depth > conv2d -> conv2d",
                                  lowers::nodes, numerics::reassociates};
  struct match : ir::match {
    value_id x = none;
    pair block{1, 1};
    bool columns_first = false;  ///< channels of the pixels (0, 0), (1, 0), (0, 1), (1, 1)
  };
  using pattern = chain<find::any_of<op::concat, op::reshape>, op::conv2d>;

 private:
  // Templates stand before who calls them: Clang wants them whole in constants.
  /// Does concat m.first join every pixel of the blocks of one value?
  static constexpr bool joins_slices(const rewriter& r, match& m) {
    const int count = static_cast<int>(r.inputs_count(m.first)), rank = r.shape(r.output(m.first)).rank;
    if (normal_axis(r.get<op::concat>(m.first).axis, rank) != rank - 3) return false;
    for (int i = 0; i < count; ++i) {
      const value_id part = r.input(m.first, i);
      const node_id n = r.producer(part);
      if (!r.is<op::slice>(n) || r.readers(part) != 1 || (i > 0 && r.input(n) != m.x)) return false;
      m.x = r.input(n);
      const extents& x = r.shape(m.x);
      const op::slice::walks taken = r.get<op::slice>(n).over(x);
      for (int a = 0; a < rank - 2; ++a)
        if (!taken[static_cast<std::size_t>(a)].takes_all(x[a])) return false;
      const op::slice::walk &rows = taken[static_cast<std::size_t>(rank) - 2],
                            &columns = taken[static_cast<std::size_t>(rank) - 1];
      if (i == 0) m.block = {rows.step, columns.step};
      if (i == 1) m.columns_first = rows.first != 0;
      if (m.block[0] < 1 || m.block[1] < 1 || m.block[0] * m.block[1] != count) return false;
      const int row = m.columns_first ? i % m.block[0] : i / m.block[1],
                column = m.columns_first ? i / m.block[0] : i % m.block[1];
      const auto is = [](const op::slice::walk& w, int first, int step, int size) {
        return w.first == first && w.step == step && w.count * step == size;
      };
      if (!is(rows, row, m.block[0], x.back(1)) || !is(columns, column, m.block[1], x.back(0))) return false;
    }
    return count > 1;
  }
  /// Does reshape m.first, behind other views, put the pixels of blocks before the channels?
  static constexpr bool moves_blocks(const rewriter& r, match& m) {
    const extents& y = r.shape(r.output(m.first));
    const view_chain chain(r, r.output(m.first));
    for (std::size_t of = 2; of <= chain.own(); ++of) {
      m.x = chain.source(of);
      const extents& x = r.shape(m.x);
      if ((x.rank != 3 && x.rank != 4) || y.rank != x.rank || y.count() == 0) continue;
      m.block = {x.back(1) / y.back(1), x.back(0) / y.back(0)};
      if (m.block == pair{1, 1} || y.back(1) * m.block[0] != x.back(1) || y.back(0) * m.block[1] != x.back(0)) continue;
      index_map now(x), wanted(x);
      wanted.reshape({x.rank == 4 ? x[0] : 1, x.back(2), y.back(1), m.block[0], y.back(0), m.block[1]});
      wanted.permute({0, 3, 5, 1, 2, 4});
      wanted.reshape(y);
      if (chain.map(of, now) && now == wanted) return true;
    }
    return false;
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    if (!(r.is<op::concat>(m.first) ? joins_slices(r, m) : moves_blocks(r, m))) return find::detail::another_operator;
    const auto conv = r.get<op::conv2d>(m.last);
    if (m.input != 0) return {"it is the residual", r.name(m.first)};
    if (conv.groups != 1) return {"it has groups"};
    if (conv.dilation != conv.ones) return {"its windows have holes"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto conv = r.get<op::conv2d>(m.last);
    const int channels = r.shape(m.x).back(2);
    pool<expression_id> weights = r.weights_of(m.last);
    // (out, blocks' rows, blocks' columns, channels, kernel) to (out, channels, rows of all blocks, columns of all).
    const pair outer = m.columns_first ? pair{m.block[1], m.block[0]} : m.block;
    const expression_id apart[] = {
        r.reshaped(weights[0], {conv.out, outer[0], outer[1], channels, conv.kernel[0], conv.kernel[1]})};
    const op::permute to_pixels = m.columns_first ? op::permute{{0, 3, 4, 2, 5, 1}} : op::permute{{0, 3, 4, 1, 5, 2}};
    conv.pad = conv.padding(r.shape(r.input(m.last)));
    conv.same = same_padding::none;
    for (std::size_t i = 0; i < 2; ++i) {
      conv.kernel[i] *= m.block[i];
      conv.stride[i] *= m.block[i];
      conv.pad[i] *= m.block[i];
      conv.pad[i + 2] *= m.block[i];
    }
    weights[0] = r.reshaped(r.apply(to_pixels, apart), {conv.out, channels, conv.kernel[0], conv.kernel[1]});
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, conv, r.name(m.last), r.inputs_with(m.last, 0, m.x), weights);
  }
};

}  // namespace ctnn::rules
