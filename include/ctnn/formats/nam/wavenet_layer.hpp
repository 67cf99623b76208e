// SPDX-License-Identifier: BSL-1.0
// One layer of a WaveNet: a causal convolution of what the layer before gave and a 1 x 1 one of the condition, a
// function of their sum, and what the next layer and the head get of it (NAM/wavenet/model.cpp, Layer).
#pragma once

#include "activations.hpp"

namespace ctnn::nam {

enum class gating { none, gated, blended };

/// What a layer array says of all its layers, or of layer i: then it has arrays.
class wavenet_layer_options {
 public:
  explicit wavenet_layer_options(const element& array)
      : dilations(array["dilations"].integers(1, op::most_of_window)) {
    if (dilations.empty()) array["dilations"].fail("is empty");
    const auto one = array.find("kernel_size"), each = array.find("kernel_sizes");
    if (one && each) array.fail("has both kernel_size and kernel_sizes");
    kernels =
        each ? each->integers(1, most_channels) : std::vector<int>(dilations.size(), count_of(array["kernel_size"]));
    if (each) expect_layers(*each);
    each_or_one(array["activation"], [&](const element& e) { activations.push_back(e); });
    if (const auto mode = array.find("gating_mode"))
      each_or_one(*mode, [&](const element& e) { modes.push_back(mode_of(e)); });
    else modes.assign(dilations.size(), array.boolean_or("gated", false) ? gating::gated : gating::none);
    if (const auto second = array.given("secondary_activation"); second && array.find("gating_mode"))
      each_or_one(*second, [&](const element& e) { secondary.push_back(e); });
  }

  std::vector<int> dilations, kernels;
  std::vector<gating> modes;
  std::vector<element> activations, secondary;  ///< `secondary` is empty where it is Sigmoid

 private:
  void expect_layers(const element& list) const {
    if (list.size() != dilations.size())
      list.fail("has " + std::to_string(list.size()) + " elements, expected one for each of the " +
                std::to_string(dilations.size()) + " dilations");
  }
  template <class F>
  void each_or_one(const element& e, F&& f) const {
    if (!e.is(json::kind::array)) {
      for (std::size_t i = 0; i < dilations.size(); ++i) f(e);
      return;
    }
    expect_layers(e);
    e.each([&](const element& one) { f(one.kept()); });
  }
  static gating mode_of(const element& e) {
    const std::string_view says = e.text();
    if (says == "none") return gating::none;
    if (says == "gated") return gating::gated;
    if (says == "blended") return gating::blended;
    e.refuse("gating_mode '" + std::string(says.substr(0, 80)) + "'");
  }
};

/// The layers of one array, one after the other.
class wavenet_layers {
 public:
  wavenet_layers(part& p, const element& array, std::string name, value_id condition)
      : p_(p),
        array_(array),
        name_(std::move(name)),
        condition_(condition),
        options_(array),
        channels_(count_of(array["channels"])),
        bottleneck_(count_or(array, "bottleneck", channels_)) {
    if (const auto one = array.given("layer1x1")) {
      has_layer1x1_ = (*one)["active"].boolean();
      layer1x1_groups_ = count_of((*one)["groups"]);
    }
    if (const auto one = array.given("head1x1"); one && (*one)["active"].boolean()) {
      head1x1_ = count_of((*one)["out_channels"]);
      head1x1_groups_ = count_of((*one)["groups"]);
    }
    if (!has_layer1x1_ && bottleneck_ != channels_)
      array.fail("bottleneck " + std::to_string(bottleneck_) + " without layer1x1, expected channels, " +
                 std::to_string(channels_));
    for (const std::string_view film : {"layer1x1_post_film", "head1x1_post_film"})
      if (has_film(film) && !(film[0] == 'l' ? has_layer1x1_ : head1x1_ > 0))
        array.fail(std::string(film) + " without what it is for");
  }

  std::size_t count() const { return options_.dilations.size(); }
  int channels() const { return channels_; }
  /// Channels of what every layer gives the head.
  int head_channels() const { return head1x1_ > 0 ? head1x1_ : bottleneck_; }
  /// Samples before the first one that a run of silence must reach.
  std::int64_t reach() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count(); ++i) sum += (std::int64_t{options_.kernels[i]} - 1) * options_.dilations[i];
    return sum;
  }

  struct results {
    value_id next, head;
  };
  /// Layer i of x. `next` is none unless it is wanted. The file has the weights in the order of the calls here, those
  /// of modulations behind all others.
  results add(std::size_t i, value_id x, bool wants_next) {
    const std::string name = name_ + "." + std::to_string(i) + ".";
    const gating mode = options_.modes[i];
    const int sums = mode == gating::none ? bottleneck_ : 2 * bottleneck_;
    const value_id conv = convolve(name + "conv", convolution_of(i, sums), film(name, "conv_pre_film", x));
    const value_id left = film(name, "conv_post_film", conv);
    const value_id mixin = convolve(name + "input_mixin", one(sums, count_or(array_, "groups_input_mixin", 1), false),
                                    film(name, "input_mixin_pre_film", condition_));
    const value_id right = film(name, "input_mixin_post_film", mixin);
    value_id z = combine(name + "sum", op::binary_function::add, left, right);
    z = film(name, "activation_pre_film", z);
    z = film(name, "activation_post_film", activated(i, name, mode, z));
    results made{x, z};
    if (has_layer1x1_) {
      const value_id layer = convolve(name + "layer1x1", one(channels_, layer1x1_groups_, true), z, wants_next);
      // NAM's core reads layer1x1_post_film always, and applies it only where the layer blends.
      const bool applied = wants_next && mode == gating::blended;
      const value_id modulated = film(name, "layer1x1_post_film", layer, applied ? 0 : channels_);
      made.next = wants_next ? combine(name + "residual", op::binary_function::add, x, modulated) : none;
    }
    if (head1x1_ > 0)
      made.head = film(name, "head1x1_post_film", convolve(name + "head1x1", one(head1x1_, head1x1_groups_, true), z));
    take_weights();
    return made;
  }

 private:
  op::conv1d one(int out, int groups, bool bias) const { return json::causal(array_, out, 1, 1, groups, bias); }
  op::conv1d convolution_of(std::size_t i, int out) const {
    return json::causal(array_, out, options_.kernels[i], options_.dilations[i], count_or(array_, "groups_input", 1),
                        true);
  }
  /// Nodes whose weights are to be taken, or what is left out and has weights in the file all the same.
  struct pending {
    element at;
    value_id v;
    op::conv1d op{};
    int in = 0;
  };
  value_id convolve(const std::string& name, const op::conv1d& op, value_id x, bool wanted = true) {
    const value_id v = wanted ? p_.b.node(array_, p_.prefix + name, op, {x}) : none;
    layers_.push_back({array_, v, op, p_.b.shape(x)[1]});
    return v;
  }
  value_id combine(const std::string& name, op::binary_function f, value_id a, value_id b) {
    return p_.b.combine(array_, p_.prefix + name, f, a, b);
  }
  std::optional<element> film_of(std::string_view key) const {
    const auto found = array_.given(key);
    if (!found || (found->is(json::kind::boolean) && !found->boolean())) return {};
    return found->boolean_or("active", true) ? found : std::nullopt;
  }
  bool has_film(std::string_view key) const { return film_of(key).has_value(); }

  /// v scaled, and shifted, by numbers that a convolution makes of the condition. With `left_out` channels its weights
  /// alone are in the file.
  value_id film(const std::string& name, std::string_view key, value_id v, int left_out = 0) {
    const auto says = film_of(key);
    if (!says) return v;
    const bool shifts = says->boolean_or("shift", true);
    const int channels = (shifts ? 2 : 1) * (left_out > 0 ? left_out : p_.b.shape(v)[1]);
    const std::string own = p_.prefix + name + std::string(key);
    const auto by = json::causal(*says, channels, 1, 1, count_or(*says, "groups", 1), true);
    const value_id made = left_out > 0 ? none : p_.b.node(*says, own, by, {condition_});
    films_.push_back({*says, made, by, p_.b.shape(condition_)[1]});
    if (made == none) return v;
    using enum op::binary_function;
    if (!shifts) return p_.b.combine(*says, own + ".scaled", mul, v, made);
    const value_id shift = halves(*says, own, made);
    const value_id scaled = p_.b.combine(*says, own + ".scaled", mul, v, shift - 1);
    return p_.b.combine(*says, own + ".shifted", op::binary_function::add, scaled, shift);
  }
  /// Splits channels in two; the second half, behind the first one.
  value_id halves(const element& at, const std::string& name, value_id v) {
    op::split split;
    split.axis = 1;
    split.sizes = {p_.b.shape(v)[1] / 2, p_.b.shape(v)[1] / 2};
    return p_.b.node(at, name + ".halves", split, {v}) + 1;
  }
  value_id activated(std::size_t i, const std::string& name, gating mode, value_id z) {
    const element& first = options_.activations[i];
    if (mode == gating::none) return activation(p_, first, name + "activation", z);
    const value_id gate = halves(array_, p_.prefix + name + "sum", z), top = gate - 1;
    const value_id value = activation(p_, first, name + "activation", top);
    const value_id by = options_.secondary.empty()
                            ? p_.b.apply(array_, p_.prefix + name + "gate", {function::sigmoid}, gate)
                            : activation(p_, options_.secondary[i], name + "gate", gate);
    const value_id gated = combine(name + "gated", op::binary_function::mul, value, by);
    if (mode == gating::gated) return gated;
    const value_id rest = p_.b.with_scalar(array_, p_.prefix + name + "rest", op::binary_function::rsub, by, 1);
    return combine(name + "blended", op::binary_function::add, gated,
                   combine(name + "kept", op::binary_function::mul, rest, top));
  }
  void take_weights() {
    for (auto* const list : {&layers_, &films_}) {
      for (const pending& l : *list)
        if (l.v != none) p_.weights.take_all(p_.b, l.at, l.v);
        else if (l.in % l.op.groups == 0) p_.weights.take(l.at, std::int64_t{l.op.out} * (l.in / l.op.groups + 1));
        else l.at.fail(std::to_string(l.op.groups) + " groups do not divide the channels, " + std::to_string(l.in));
      list->clear();
    }
  }

  part& p_;
  const element& array_;
  std::string name_;
  value_id condition_;
  wavenet_layer_options options_;
  int channels_, bottleneck_;
  bool has_layer1x1_ = true;
  int layer1x1_groups_ = 1, head1x1_ = 0, head1x1_groups_ = 1;
  std::vector<pending> layers_{}, films_{};
};

}  // namespace ctnn::nam
