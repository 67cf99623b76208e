// SPDX-License-Identifier: BSL-1.0
// The layers of RTNeural's files, one function a type (RTNeural/model_loader.h): weights lie as Keras has them.
#pragma once

#include <algorithm>

#include "../json/network_builder.hpp"

namespace ctnn::rtneural {

using json::element;

/// Features, filters, kernels and the like.
inline constexpr int most_features = 1 << 20;

/// The network so far. Values are (batch, samples, features), (samples, features) or (batch, samples, features,
/// filters); convolutions have the last axis before the samples, and it is turned back when somebody needs it.
class layer_reader {
 public:
  layer_reader(json::network_builder& b, value_id x) : b_(b), x_(x) {}

  /// What comes out, its channels last.
  value_id finish(const element& file) {
    turn(file, "y_by_sample", true);
    return x_;
  }
  /// The next layer; `name` is its nodes'.
  void add(const element& l, const std::string& name) {
    l_ = &l;
    name_ = name;
    const element type = l["type"];
    const std::string_view says = type.text();
    if (says == "dense" || says == "time-distributed-dense") dense();
    else if (says == "conv1d") conv1d();
    else if (says == "conv2d") conv2d();
    else if (says == "gru") gru();
    else if (says == "lstm") lstm();
    else if (says == "prelu") prelu();
    else if (says == "batchnorm" || says == "batchnorm2d") batch_norm();
    else if (says == "activation") activation();
    else type.refuse("layer '" + std::string(says.substr(0, 80)) + "'");
  }

 private:
  const extents& shape() const { return b_.shape(x_); }
  int channel_axis() const { return channels_last_ ? shape().rank - 1 : shape().rank == 2 ? 0 : 1; }
  int channels() const { return shape()[channel_axis()]; }
  template <class Op>
  void node(const Op& op, const char* what = "") {
    x_ = b_.node(*l_, name_ + what, op, {x_});
  }
  void turn(const element& at, const std::string& name, bool channels_last) {
    if (channels_last == channels_last_) return;
    const int rank = shape().rank;
    if (rank == 2) x_ = b_.permuted(at, name, x_, {1, 0});
    else if (rank == 3) x_ = b_.permuted(at, name, x_, {0, 2, 1});
    else if (channels_last) x_ = b_.permuted(at, name, x_, {0, 2, 3, 1});
    else x_ = b_.permuted(at, name, x_, {0, 3, 1, 2});
    channels_last_ = channels_last;
  }
  /// Features and filters become features.
  void flatten() {
    if (shape().rank < 4) return;
    turn(*l_, name_ + ".by_sample", true);
    op::flatten op;
    op.start = 2;
    node(op, ".flatten");
  }
  int outputs() const { return (*l_)["shape"].last().integer(1, most_features); }
  /// A number, alone or the last of an array.
  int option(std::string_view key) const { return last((*l_)[key]).integer(1, op::most_of_window); }
  static element last(const element& e) { return e.is(json::kind::array) ? e.last() : e.kept(); }
  void expect(std::string_view key, int has) const {
    if (const element e = last((*l_)[key]); e.integer(0, most_features) != has)
      e.fail("is not what comes in, " + std::to_string(has));
  }

  std::size_t weight_count() const { return (*l_)["weights"].size(); }
  /// Weight i; extents below 0 are any.
  std::vector<float> weight(std::size_t i, extents is) const {
    const element all = (*l_)["weights"];
    if (i >= all.size()) all.fail("has " + std::to_string(all.size()) + " weights, expected more");
    std::vector<float> numbers;
    std::size_t k = 0;
    all.each([&](const element& e) {
      if (k++ == i) numbers = e.reals(is);
    });
    return numbers;
  }
  /// A matrix whose rows are w's columns.
  static std::vector<float> transposed(const std::vector<float>& w, int columns) {
    const auto c = static_cast<std::size_t>(columns), rows = w.size() / c;
    std::vector<float> out(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) out[i % c * rows + i / c] = w[i];
    return out;
  }
  void set(std::initializer_list<std::span<const float>> weights) { b_.set_weights(*l_, x_, weights); }
  /// Weights, the bias if there is one.
  void set_with_bias(const std::vector<float>& w, const std::vector<float>& bias) {
    if (bias.empty()) set({w});
    else set({w, bias});
  }
  std::vector<float> bias(int out) const { return weight_count() < 2 ? std::vector<float>() : weight(1, {out}); }

  void activation() {
    const auto says = l_->find("activation");
    if (!says || says->text().empty()) return;
    using enum function;
    constexpr std::pair<std::string_view, activation_function> plain[] = {
        {"tanh", {tanh}}, {"relu", {relu}}, {"sigmoid", {sigmoid}}, {"elu", {elu, 1}}};
    for (const auto& [known, f] : plain)
      if (known == says->text()) {
        x_ = b_.apply(*l_, name_ + ".activation", f, x_);
        return;
      }
    if (says->text() != "softmax" || shape().rank == 4)
      says->refuse("activation '" + std::string(says->text().substr(0, 80)) + "'");
    op::softmax op;
    op.axis = channel_axis();
    node(op, ".activation");
  }
  void dense() {
    flatten();
    const int in = channels(), out = outputs();
    const std::vector<float> w = transposed(weight(0, {in, out}), out), more = bias(out);
    if (channels_last_) {
      op::linear op;
      op.out = out;
      op.bias = !more.empty();
      node(op);
    } else {
      node(json::causal(*l_, out, 1, 1, 1, !more.empty()));
    }
    set_with_bias(w, more);
    activation();
  }
  void conv1d() {
    flatten();
    turn(*l_, name_ + ".by_channel", false);
    const int out = outputs(), kernel = option("kernel_size"), groups = l_->integer_or("groups", 1, 1, most_features);
    if (channels() % groups != 0)
      l_->fail(std::to_string(groups) + " groups do not divide " + std::to_string(channels()) + " channels");
    const std::vector<float> w = weight(0, {kernel, channels() / groups, out}), more = bias(out);
    node(json::causal(*l_, out, kernel, option("dilation"), groups, !more.empty()));
    set_with_bias(transposed_taps(w, kernel, out), more);
    activation();
  }
  /// (taps, in, out) to (out, in, taps).
  static std::vector<float> transposed_taps(const std::vector<float>& w, int taps, int out) {
    const auto t = static_cast<std::size_t>(taps), o = static_cast<std::size_t>(out), in = w.size() / (t * o);
    std::vector<float> to(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) to[(i % o * in + i / o % in) * t + i / (o * in)] = w[i];
    return to;
  }
  void conv2d() {
    if (shape().rank != 4) l_->fail("its input has no filters: in_shape needs four extents");
    turn(*l_, name_ + ".by_channel", false);
    const int features = shape()[3];
    expect("num_filters_in", channels());
    expect("num_features_in", features);
    op::conv2d op;
    op.out = option("num_filters_out");
    op.kernel = {option("kernel_size_time"), option("kernel_size_feature")};
    op.dilation = {option("dilation"), 1};
    op.stride = {1, option("strides")};
    const auto before = static_cast<int>(json::causal(*l_, 1, op.kernel[0], op.dilation[0]).pad[0]);
    const element padding = (*l_)["padding"];
    if (padding.text() != "valid" && padding.text() != "same")
      padding.fail("'" + std::string(padding.text().substr(0, 80)) + "', expected valid or same");
    const same_padding same = padding.text() == "same" ? same_padding::upper : same_padding::none;
    const pair sides = resolve_padding({0, 0}, same, op.kernel[1], op.stride[1], 1, features);
    op.pad = {before, sides[0], 0, sides[1]};
    const std::vector<float> w = weight(0, {op.kernel[0], op.kernel[1], channels(), op.out}), more = bias(op.out);
    op.bias = !more.empty();
    const int taps = static_cast<int>(op.taps());
    const int out = op.out;
    node(op);
    set_with_bias(transposed_taps(w, taps, out), more);
    activation();
  }

  /// Keras' matrices of a recurrent layer's gates, in PyTorch's order of them.
  std::vector<float> gates(std::size_t i, int in, int hidden, std::initializer_list<int> order) const {
    const int count = static_cast<int>(order.size());
    const std::vector<float> rows = transposed(weight(i, {in, count * hidden}), count * hidden);
    const auto block = static_cast<std::ptrdiff_t>(rows.size()) / count;
    std::vector<float> out;
    for (const int gate : order) out.insert(out.end(), rows.begin() + gate * block, rows.begin() + (gate + 1) * block);
    return out;
  }
  template <class Op>
  void recur(std::initializer_list<int> order) {
    flatten();
    turn(*l_, name_ + ".by_sample", true);
    const auto says = l_->find("activation");  // RTNeural computes tanh, whatever it says
    if (says && !says->text().empty() && says->text() != "tanh")
      says->refuse("activation '" + std::string(says->text().substr(0, 80)) + "' of a recurrent layer");
    Op op;
    op.hidden = outputs();
    op.batch_first = true;
    const std::vector<float> w = gates(0, channels(), op.hidden, order), r = gates(1, op.hidden, op.hidden, order);
    std::vector<float> first, second(static_cast<std::size_t>(Op::gates * op.hidden));
    if constexpr (Op::gates == 3) {
      const std::vector<float> both = weight(2, {2, Op::gates * op.hidden});
      const auto block = static_cast<std::ptrdiff_t>(op.hidden);
      for (std::ptrdiff_t k = 0; k < 2; ++k)
        for (std::ptrdiff_t g = 0; g < 3; ++g) {
          const auto from = both.begin() + (3 * k + order.begin()[g]) * block;
          if (k == 0) first.insert(first.end(), from, from + block);
          else std::copy(from, from + block, second.begin() + g * block);
        }
    } else {
      first = weight(2, {Op::gates * op.hidden});
    }
    node(op);
    set({w, r, first, second});
  }
  /// Gates z, r, h; PyTorch's are r, z, n.
  void gru() { recur<op::gru>({1, 0, 2}); }
  /// Gates i, f, c, o, which are PyTorch's i, f, g, o.
  void lstm() { recur<op::lstm>({0, 1, 2, 3}); }

  void prelu() {
    const std::vector<float> slopes = weight(0, {1, -1});
    if (slopes.size() == 1) {
      x_ = b_.apply(*l_, name_, {function::leaky_relu, slopes[0]}, x_);
      return;
    }
    op::prelu op;
    op.axis = channel_axis();
    node(op);
    set({slopes});
  }
  void batch_norm() {
    if ((*l_)["type"].text() == "batchnorm2d") {
      if (shape().rank != 4) l_->fail("its input has no filters: in_shape needs four extents");
      expect("num_filters_in", channels());
    } else {
      flatten();
    }
    op::batch_norm op;
    op.axis = channel_axis();
    op.eps = (*l_)["epsilon"].real();
    const int c = channels();
    const std::size_t n = weight_count(), first = n == 4 ? 2 : 0;
    if (n != 2 && n != 4) (*l_)["weights"].fail("has " + std::to_string(n) + " weights, expected 2 or 4");
    const std::vector<float> gamma = n == 4 ? weight(0, {c}) : std::vector<float>(static_cast<std::size_t>(c), 1);
    const std::vector<float> beta = n == 4 ? weight(1, {c}) : std::vector<float>(static_cast<std::size_t>(c));
    const std::vector<float> mean = weight(first, {c}), var = weight(first + 1, {c});
    node(op);
    set({gamma, beta, mean, var});
  }

  json::network_builder& b_;
  value_id x_;
  bool channels_last_ = true;
  const element* l_ = nullptr;
  std::string name_{};
};

}  // namespace ctnn::rtneural
