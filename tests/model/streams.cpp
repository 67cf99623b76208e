// SPDX-License-Identifier: BSL-1.0
// Loaded models as streams: the same bits however the samples are cut into calls, and the numbers of the whole network.
#include <doctest/doctest.h>

#include <random>

#include <ctnn/ctnn.hpp>
#include <ctnn/model.hpp>
#include <ctnn/model/to_model.hpp>

#include "support/run_both.hpp"
#include "support/sample_calls.hpp"
#include "support/stream_networks.hpp"

namespace nn = ctnn;
namespace ir = nn::ir;
using ir::test::floats;
using ir::test::in_calls;
using ir::test::planar_signal;

namespace {

template <class Net>
nn::model made_up_model(const nn::load_options& options = {.keep_weights = true}) {
  ir::test::made_up_weights numbers;
  return nn::to_model<Net>(ir::test::weights_of_network<Net>(numbers), options);
}

/// Channels are those before the axis of the sequence and behind it.
struct sequence {
  int before = 1, after = 1;
};
planar_signal planar(const floats& numbers, const sequence& s, int samples) {
  planar_signal out{s.before * s.after, floats(numbers.size())};
  for (int b = 0; b < s.before; ++b)
    for (int t = 0; t < samples; ++t)
      for (int a = 0; a < s.after; ++a)
        out.numbers[static_cast<std::size_t>((b * s.after + a) * samples + t)] =
            numbers[static_cast<std::size_t>((b * samples + t) * s.after + a)];
  return out;
}

template <class Net>
void check_stream(const sequence& of_input, const sequence& of_output, int at_most) {
  const nn::model m = made_up_model<Net>();
  const ir::graph_view g = ir::declared_graph<Net>;
  const floats x = ir::test::random_inputs(g)[0];
  const planar_signal in = planar(x, of_input, ir::test::stream_length);
  nn::extractor whole = m.extractor();
  whole.input(std::size_t{0}, nn::array(g.shape(ir::executable<Net>::input_values[0]), x));
  const nn::array all = whole.extract(std::size_t{0});
  const auto count = static_cast<int>(all.size()) / of_output.before / of_output.after;
  const planar_signal want = planar(floats(all.values().begin(), all.values().end()), of_output, count);

  nn::model_stream stream = m.stream({.at_most = at_most});
  REQUIRE(stream.channels_in() == in.channels);
  REQUIRE(stream.channels_out() == want.channels);
  const planar_signal by_16 = in_calls(stream, in, {16});
  int compared = 0;
  for (int c = 0; c < by_16.channels; ++c)
    for (int t = 0; t < count && t + stream.latency() < by_16.samples(); ++t, ++compared)
      REQUIRE(by_16.at(c, t + stream.latency()) == doctest::Approx(want.at(c, t)).epsilon(1e-5).scale(0.1));
  CHECK(compared > 20);

  std::mt19937 random(1);
  for (int time = 0; time < 8; ++time) {
    const int most = time < 4 ? 5 : 40;
    std::vector<int> sizes;
    for (int i = 0; i < 40; ++i) sizes.push_back(time == 0 ? 1 : std::uniform_int_distribution(0, most)(random));
    stream.reset();
    CHECK(ir::test::difference({in_calls(stream, in, sizes).numbers}, {by_16.numbers}, 0) == "");
  }
}

}  // namespace

TEST_CASE("streams of loaded models take parts of any size") {
  for (const int at_most : {16, 3, 50}) {
    CAPTURE(at_most);
    SUBCASE("dilated convolutions") { check_stream<ir::test::dilated>({}, {2, 1}, at_most); }
    SUBCASE("two rates") { check_stream<ir::test::two_rates>({2, 1}, {2, 1}, at_most); }
    SUBCASE("recurrent layers") { check_stream<ir::test::recurrent>({1, 3}, {1, 2}, at_most); }
    SUBCASE("fewer numbers than samples") { check_stream<ir::test::fewer>({}, {3, 1}, at_most); }
    SUBCASE("frames") { check_stream<ir::test::frames>({2, 5}, {2, 5}, at_most); }
    SUBCASE("frames last") { check_stream<ir::test::frames_last>({10, 1}, {15, 1}, at_most); }
  }
}

TEST_CASE("copies of a stream go on by themselves") {
  const nn::model m = made_up_model<ir::test::dilated>();
  nn::model_stream one = m.stream({.at_most = 8});
  const planar_signal in{1, ir::test::random_floats("x", 64)};
  in_calls(one, in, {5});
  nn::model_stream other = one;
  const planar_signal a = in_calls(one, in, {7}), b = in_calls(other, in, {3});
  CHECK(ir::test::difference({a.numbers}, {b.numbers}, 0) == "");
  nn::model_stream third = std::move(other);
  CHECK(in_calls(third, in, {1}).numbers == in_calls(one, in, {64}).numbers);
}

TEST_CASE("silence before a stream begins") {
  const nn::model m = made_up_model<ir::test::dilated>();
  nn::model_stream stream = m.stream({.at_most = 8});
  CHECK(stream.receptive_field() == 1 + 2 * 2 * (1 + 2 + 4));
  const planar_signal in{1, ir::test::random_floats("x", 64)}, silence{1, floats(100)};
  in_calls(stream, silence, {8});
  const planar_signal want = in_calls(stream, in, {8});
  stream.reset();
  CHECK(in_calls(stream, in, {8}).numbers != want.numbers);
  stream.prewarm();
  CHECK(in_calls(stream, in, {8}).numbers == want.numbers);

  CHECK(made_up_model<ir::test::recurrent>().stream().receptive_field() == 0);
}

namespace {

struct softmax_over_time : nn::declared<softmax_over_time> {
  static constexpr auto forward(nn::graph& m) { return m.softmax(m.input("x", {2, 8}), {.dim = 1}); }
};
/// Its state goes in and out: a sum of all blocks of four, and a knob.
struct outer_state : nn::declared<outer_state> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("x", {2, 4}), sum = m.input("total", {2, 1}), gain = m.input("gain", {2, 1});
    auto now = sum + m.sum(x, {1}, true);
    return nn::outputs{{"y", x * gain + now}, {"total_out", now}};
  }
};

}  // namespace

TEST_CASE("a model that keeps its states outside") {
  const nn::model m = nn::to_model<outer_state>({}, {.keep_weights = true});
  nn::model_stream stream = m.stream({.carry = {{"total", "total_out"}}});
  const float gain[] = {1, 0};
  stream.set("gain", gain);
  CHECK_THROWS_WITH_AS(stream.set("gain", std::span<const float>(gain, 1)), "stream: input 'gain' has 2 numbers, got 1",
                       nn::error);
  CHECK_THROWS_WITH_AS(stream.set("x", gain), "stream: there is no input 'x' beside the sequence", nn::error);
  REQUIRE(stream.at_most() == 4);
  REQUIRE(stream.latency() == 3);
  planar_signal in{2, floats(24)};
  for (int t = 0; t < 12; ++t) {
    in.numbers[static_cast<std::size_t>(t)] = static_cast<float>(t);
    in.numbers[static_cast<std::size_t>(12 + t)] = 1;
  }
  const planar_signal out = in_calls(stream, in, {3, 1, 5});
  for (int t = 0; t + 3 < 12; ++t) {
    const int block = t / 4 + 1, sum = block * 4 * (block * 4 - 1) / 2;
    CHECK(out.at(0, t + 3) == static_cast<float>(t + sum));
    CHECK(out.at(1, t + 3) == static_cast<float>(4 * block));
  }
}

TEST_CASE("what cannot be a stream says why") {
  CHECK_THROWS_WITH_AS(nn::to_model<softmax_over_time>({}, {}).stream({.axis = 1}),
                       "stream: layer 'softmax': softmax needs the whole sequence (axis 1)", nn::error);
  const nn::model gone = made_up_model<ir::test::dilated>({});
  CHECK_THROWS_WITH_AS(gone.stream(),
                       "the weights as they were read are gone: load the model with load_options::keep_weights",
                       nn::error);
  const nn::model m = made_up_model<ir::test::dilated>();
  CHECK_THROWS_WITH_AS(m.stream({.at_most = 0}), "stream: at_most is 0, needs 1 or more", nn::error);
  CHECK_THROWS_WITH_AS(m.stream({.carry = {{"h", "y"}}}), "stream: carry: the model has no input called 'h'",
                       nn::error);
}
