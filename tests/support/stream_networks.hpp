// SPDX-License-Identifier: BSL-1.0
// Networks of a sequence of 96 samples, as streams take them: histories, two rates, recurrent layers, other rates.
#pragma once

#include <ctnn/ctnn.hpp>

#include "../../examples/networks/tcn.hpp"

namespace ctnn::ir::test {

inline constexpr int stream_length = 96;

using dilated = networks::tcn<stream_length, 6, 3, 2>;

/// Every second sample, and back.
struct two_rates : declared<two_rates> {
  static constexpr auto forward(ctnn::graph& m) {
    auto x = m.input("x", {2, stream_length});
    auto y = m.tanh(m.conv1d("down", m.pad(x, {2, 0}), {.out = 6, .kernel = 4, .stride = 2}));
    y = m.relu(m.conv1d("mid", m.pad(y, {2, 0}), {.out = 6, .kernel = 3}));
    return m.slice(m.conv_transpose1d("up", y, {.out = 2, .kernel = 4, .stride = 2}), {.dim = 1, .end = stream_length});
  }
};
/// Features last.
struct recurrent : declared<recurrent> {
  static constexpr auto forward(ctnn::graph& m) {
    auto x = m.input("x", {stream_length, 3});
    auto [y, h, c] = m.lstm("cell", x, {.hidden_size = 8});
    auto [z, g] = m.gru("cells", y, {.hidden_size = 5});
    return m.linear("dense", z, {.out = 2});
  }
};
/// A number for every four samples.
struct fewer : declared<fewer> {
  static constexpr auto forward(ctnn::graph& m) {
    auto x = m.input("x", {1, stream_length});
    x = m.relu(m.conv1d("a", m.pad(x, {2, 0}), {.out = 4, .kernel = 3}));
    x = m.max_pool1d(x, {.kernel = 4});
    return m.conv1d("b", m.pad(x, {1, 0}), {.out = 3, .kernel = 2});
  }
};
/// Frames of a spectrum, a residual that waits for windows without padding, and a depthwise layer.
struct frames : declared<frames> {
  static constexpr auto forward(ctnn::graph& m) {
    auto x = m.input("x", {2, stream_length, 5});
    auto y = m.relu(m.conv2d("a", m.pad(x, {1, 1}), {.out = 4, .kernel = {3, 3}}));
    y = m.relu(m.conv2d("b", y, {.out = 4, .kernel = {3, 1}, .groups = 4}));
    return m.conv2d("c", y, {.out = 2, .kernel = 1}) + m.slice(x, {.dim = 1, .start = 4});
  }
};
/// The same with the frames last: what is carried lies in pieces.
struct frames_last : declared<frames_last> {
  static constexpr auto forward(ctnn::graph& m) {
    auto x = m.input("x", {2, 5, stream_length});
    auto y = m.relu(m.conv2d("a", m.pad(x, {2, 0, 1, 1}), {.out = 4, .kernel = {3, 3}}));
    return m.conv2d("b", m.pad(y, {1, 0}), {.out = 3, .kernel = {1, 2}}) + m.slice(y, {.dim = 0, .end = 3});
  }
};

}  // namespace ctnn::ir::test
