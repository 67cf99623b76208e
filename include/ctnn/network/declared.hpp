// SPDX-License-Identifier: BSL-1.0
// A network as a function:
//
//   struct net : nn::declared<net> {
//     static constexpr auto forward(nn::graph& m) {
//       auto x = m.input("image", {3, 32, 32});
//       x = m.relu(m.conv2d("conv1", x, {.out_channels = 16, .kernel_size = 3}));
//       return m.linear("fc", m.flatten(x), {.out_features = 10});
//     }
//   };
//
// The compiler runs it; the layers that it calls are the network's, as those of a list are (network.hpp). Ifs, loops
// and functions are C++'s, values are variables.
#pragma once

#include "lift.hpp"
#include "module_calls.hpp"

namespace ctnn {

/// Outputs under names of their own: return nn::outputs{{"mean", a}, {"variance", b}};
struct outputs {
  struct named {
    std::string_view name;
    value v;
  };
  ir::static_vector<named, ir::max_list> all{};

  constexpr outputs() = default;
  constexpr outputs(std::initializer_list<named> list) {
    for (const named& n : list) all.push_back(n);
  }
};

/// What forward() calls: a layer for each word, each of which gives the value it computes.
class graph : public detail::module_calls<> {
 public:
  constexpr graph() = default;

  /// Names of layers begin with "name." while what this gives lives, with a number "name.2.": `const auto layer =
  /// m.scope("layer1", i);`.
  constexpr detail::name_scope_guard scope(std::string_view name) { return {*this, open_scope(name)}; }
  constexpr detail::name_scope_guard scope(std::string_view name, int number) {
    return {*this, open_scope(name, number)};
  }

  /// A module to be called several times, each time with the same weights, those of its first call: `const auto tower =
  /// m.module("tower", f);` calls f(m, x) where it is called, `tower(left)`, and its layers are "tower.conv1", ...
  template <class Function>
  struct shared_module {
    graph& m;
    int module;
    Function function;

    template <class... Arguments>
    constexpr auto operator()(const Arguments&... arguments) const {
      application before{};
      m.begin_application(module, before);
      auto result = function(m, arguments...);
      m.end_application(before);
      return result;
    }
  };
  template <class Function>
  constexpr shared_module<Function> module(std::string_view name, Function f) {
    return {*this, new_module(name), f};
  }
  /// One of several, "name.2", as of torch.nn.ModuleList: `x = m.module("layers", i, block)(x);`.
  template <class Function>
  constexpr shared_module<Function> module(std::string_view name, int number, Function f) {
    const auto place = scope(name, number);
    return module({}, f);
  }
  /// Weights that are one, as `lm_head.weight = wte.weight` makes them: m.tie("wte.weight", "lm_head.weight"). They are
  /// given under the first name.
  using call_recorder::tie;

  /// A value that nobody need read.
  constexpr void unused(value x) { allow_unread(x); }
};

// Of values, as of PyTorch's tensors
namespace detail {
constexpr graph& graph_of(const value& v) { return static_cast<graph&>(*v.recorder); }
constexpr source_line line_of(const value& v) { return v.recorder->calls()[static_cast<std::size_t>(v.layer)].at; }
}  // namespace detail

#define CTNN_OPERATOR(symbol, word)                                                                                    \
  constexpr value operator symbol(value a, value b) { return detail::graph_of(a).word(a, b, {}, detail::line_of(b)); } \
  constexpr value operator symbol(value a, double b) { return detail::graph_of(a).word(a, b, detail::line_of(a)); }
CTNN_OPERATOR(+, add)
CTNN_OPERATOR(-, sub)
CTNN_OPERATOR(*, mul)
#undef CTNN_OPERATOR
constexpr value operator/(value a, value b) { return detail::graph_of(a).div(a, b, detail::line_of(b)); }
constexpr value operator/(value a, double b) { return detail::graph_of(a).div(a, b, detail::line_of(a)); }
constexpr value operator+(double a, value b) { return b + a; }
constexpr value operator*(double a, value b) { return b * a; }
constexpr value operator-(double a, value b) { return detail::graph_of(b).rsub(b, a, detail::line_of(b)); }
constexpr value operator/(double a, value b) { return detail::graph_of(b).rdiv(b, a, detail::line_of(b)); }
constexpr value operator-(value a) { return detail::graph_of(a).neg(a, detail::line_of(a)); }

}  // namespace ctnn
