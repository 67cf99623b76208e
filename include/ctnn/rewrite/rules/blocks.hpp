// SPDX-License-Identifier: BSL-1.0
// Blocks of pixels as channels (space to depth, the Focus of detectors) before a convolution, whose windows may as well
// see the pixels themselves.
#pragma once

#include "../rule.hpp"

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
  /// Does reshape m.first, behind a permute and a reshape, put the pixels of blocks before the channels?
  static constexpr bool moves_blocks(const rewriter& r, match& m) {
    const node_id turned = r.producer(r.input(m.first));
    if (!r.is<op::permute>(turned) || r.readers(r.output(turned)) != 1) return false;
    const node_id cut = r.producer(r.input(turned));
    if (!r.is<op::reshape>(cut) || r.readers(r.output(cut)) != 1) return false;
    m.x = r.input(cut);
    const extents &x = r.shape(m.x), &s = r.shape(r.output(cut)), &y = r.shape(r.output(m.first));
    const int n = x.rank - 3;  // axes of a batch
    if (n < 0 || n > 1 || s.rank != n + 5 || y.rank != x.rank) return false;
    constexpr int order[] = {2, 4, 0, 1, 3};  // of channels, rows, rows of a block, columns, columns of a block
    const op::permute p = r.get<op::permute>(turned);
    for (int i = 0; i < s.rank; ++i)
      if (p.order[static_cast<std::size_t>(i)] != (i < n ? i : order[i - n] + n)) return false;
    m.block = {s[n + 2], s[n + 4]};
    return (n == 0 || (s[0] == x[0] && y[0] == x[0])) && s[n] == x[n] && s[n + 1] * m.block[0] == x[n + 1] &&
           s[n + 3] * m.block[1] == x[n + 2] && y[n + 1] == s[n + 1] && y[n + 2] == s[n + 3];
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
