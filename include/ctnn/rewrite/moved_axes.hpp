// SPDX-License-Identifier: BSL-1.0
// Operators over values whose axes move, come or go: the same operators with other fields. Whoever adds a batch, takes
// one away or takes a permute through asks here.
#pragma once

#include "../kernels/operator_code.hpp"  // before operators that compare their records

#include "../graph/graph.hpp"

namespace ctnn::ir {

namespace detail {

/// Of an operator on channels, whose field `axis` says where they are.
constexpr bool move_channels(const operator_type* type, span<const double> fields, const axis_map& m,
                             field_values& moved) {
  const int old = channel_axis(m.before, type->channel_axis(fields)), now = m(old);
  // Groups are of the axes behind the channels, too.
  if (now == axis_map::gone || (type == &type_of<op::group_norm> && !m.keeps_last(old))) return false;
  const spelled_options said = type->spell(fields);
  const double axis = spelled_axis(m.after, now);
  pool<option_record> options(1, {"axis", {&axis, 1}});
  for (const spelled_option& o : said)
    if (o.key != "axis") options.push_back({o.key, {o.values.data(), o.values.size()}});
  return !type->configure({options.data(), options.size()}, moved);
}

}  // namespace detail

/// Are some of its fields axes?
constexpr bool has_axes(const operator_type* type) { return type->channel_axis || type->move_axes; }

/// The fields of an operator for its first input with moved axes; of one whose fields are none, as they are. False:
/// no fields are the same operator's.
constexpr bool move_axes(const operator_type* type, span<const double> fields, const axis_map& m, field_values& moved) {
  if (type->channel_axis) return detail::move_channels(type, fields, m, moved);
  if (type->move_axes) return type->move_axes(fields, m, moved);
  moved.clear();
  for (double f : fields) moved.push_back(f);
  return true;
}

}  // namespace ctnn::ir
