// SPDX-License-Identifier: BSL-1.0
// Which values are known to be images, and so where a declared network need not say which axis is the channels'; what
// it then says.
#pragma once

#include "elements.hpp"

namespace ctnn::ir {

/// Does v, of three dimensions, descend from an operator on images, or from one that was told that its channels come
/// first? Follows the first input of three dimensions only, so that a network is looked at once and not once a layer.
constexpr bool is_image(const graph_view& g, value_id v) {
  while (v != none) {
    const node& n = g.at(g.at_value(v).producer);
    if (n.type->is.images == image_flow::makes) return true;
    if (n.type->is.images == image_flow::nothing) return false;
    if (n.type->channel_axis) return channel_axis(g.shape(v), n.type->channel_axis(g.fields_of(n.fields))) == 0;
    v = none;
    for (value_id x : g.inputs(n))
      if (v == none && g.shape(x).rank == 3) v = x;
  }
  return false;
}

/// Does v, of four dimensions, descend from an operator on volumes, so that its channels come first?
constexpr bool is_volume(const graph_view& g, value_id v) {
  while (v != none) {
    const node& n = g.at(g.at_value(v).producer);
    const auto fields = g.fields_of(n.fields);
    if (n.type == &type_of<op::conv3d> || n.type == &type_of<op::conv_transpose3d>) return true;
    if (n.type == &type_of<op::pool>) return decode<op::pool>(fields).axes == 3;
    if (n.type->channel_axis) return channel_axis(g.shape(v), n.type->channel_axis(fields)) == 0;
    if (n.type->is.images != image_flow::keeps) return false;
    v = none;
    for (value_id x : g.inputs(n))
      if (v == none && g.shape(x).rank == 4) v = x;
  }
  return false;
}

/// Are the channels of node n along an axis that nobody says and that its input does not tell: (N, C) or (C, L), (N, C,
/// L) or (C, H, W)? A graph takes the first of each; in a declared network it is a mistake. So it is of (C, D, H, W),
/// which a graph takes for (N, C, H, W).
constexpr bool is_axis_ambiguous(const graph_view& g, const node& n) {
  if (!n.type->channel_axis || n.type->channel_axis(g.fields_of(n.fields)) != automatic_axis) return false;
  const value_id x = g.inputs(n)[0];
  const int rank = g.shape(x).rank;
  return rank == 2 || (rank == 3 && !is_image(g, x)) || (rank == 4 && is_volume(g, x));
}

/// The options of node n as one would write them; the channel axis is said where a declaration has to, and that nobody
/// reads an input.
constexpr spelled_options spell(const graph_view& g, const node& n) {
  spelled_options out = n.type->spell(g.fields_of(n.fields));
  if (is_axis_ambiguous(g, n)) {
    field_values axis;
    axis.push_back(channel_axis(g.shape(g.inputs(n)[0])));
    out.push_back({"axis", axis});  // an operator's last field
  }
  spell_element(g, n, out);
  if (n.type == &type_of<op::input> && !decode<op::input>(g.fields_of(n.fields)).unused &&
      g.at_value(n.outputs.first).readers == 0) {
    field_values yes;
    yes.push_back(1);
    out.push_back({"unused", yes});
  }
  return out;
}

}  // namespace ctnn::ir
