// SPDX-License-Identifier: BSL-1.0
// Declared networks as streams: any number of samples a call, the bits of one long call; in place, interleaved, copied,
// begun anew.
#include <doctest/doctest.h>

#include <memory>
#include <random>

#include <ctnn/network/stream.hpp>
#include <ctnn/typed.hpp>

#include "support/sample_calls.hpp"
#include "support/stream_networks.hpp"
#include "support/streams.hpp"

namespace nn = ctnn;
namespace ir = nn::ir;
using ir::test::floats;
using ir::test::in_calls;
using ir::test::planar_signal;

namespace {

template <class Stream>
const nn::parameters<typename Stream::network>& made_up_weights() {
  static const auto packed = [] {
    auto made = std::make_unique<nn::parameters<typename Stream::network>>(nn::zeros);
    ir::test::made_up_weights numbers;
    REQUIRE(!nn::load_folded<typename Stream::declared>(
                 *made, ir::test::weights_of_network<typename Stream::declared>(numbers))
                 .found);
    return made;
  }();
  return *packed;
}
template <class Stream>
std::unique_ptr<Stream> stream_of_made_up_weights() {
  return std::make_unique<Stream>(made_up_weights<Stream>());
}

using dilated = nn::stream<ir::test::dilated, nn::at_most<16>>;
using two_rates = nn::stream<ir::test::two_rates, nn::at_most<16>>;
using recurrent = nn::stream<ir::test::recurrent, nn::at_most<5>>;
using fewer = nn::stream<ir::test::fewer, nn::at_most<13>>;

static_assert(dilated::receptive_field == 29 && dilated::at_most == 16);
static_assert(recurrent::receptive_field == 0);
static_assert(fewer::at_most == 16);  // whole fours
static_assert(nn::receptive_field<ir::test::two_rates> == 1 + 3 + 2 * 2 + 2);

/// Against the network for 12 samples at once, and in calls of other sizes.
template <class Stream, class Whole>
void check(int channels, bool channels_last) {
  const auto stream = stream_of_made_up_weights<Stream>();
  const floats x = ir::test::random_inputs(ir::declared_graph<Whole>)[0];
  const planar_signal in = ir::test::planar(x, channels, channels_last);
  using by_twelve = nn::optimized<nn::stateful<Whole, 12>>;
  const auto packed = std::make_unique<nn::parameters<by_twelve>>(nn::zeros);
  ir::test::made_up_weights numbers;
  REQUIRE(!nn::load_folded<nn::stateful<Whole, 12>>(*packed, ir::test::weights_of_network<Whole>(numbers)).found);
  const planar_signal want =
      ir::test::planar(ir::test::stream_output<Whole, by_twelve>(*packed, x), stream->channels_out(), channels_last);
  const planar_signal got = in_calls(*stream, in, {16});
  const int late = stream->latency();
  for (int c = 0; c < got.channels; ++c)
    for (int t = 0; t + late < got.samples(); ++t)
      REQUIRE(got.at(c, t + late) == doctest::Approx(want.at(c, t)).epsilon(1e-5).scale(0.1));
  std::mt19937 random(2);
  for (int time = 0; time < 6; ++time) {
    std::vector<int> sizes;
    for (int i = 0; i < 30; ++i) sizes.push_back(std::uniform_int_distribution(1, time < 3 ? 4 : 45)(random));
    stream->reset();
    CHECK(ir::test::difference({in_calls(*stream, in, sizes).numbers}, {got.numbers}, 0) == "");
  }
}

}  // namespace

TEST_CASE("declared streams take parts of any size") {
  SUBCASE("dilated convolutions") { check<dilated, ir::test::dilated>(1, false); }
  SUBCASE("two rates") { check<two_rates, ir::test::two_rates>(2, false); }
  SUBCASE("recurrent layers") { check<recurrent, ir::test::recurrent>(3, true); }
  SUBCASE("fewer numbers than samples") { check<fewer, ir::test::fewer>(1, false); }
}

TEST_CASE("in the same memory, and one number of each channel in turn") {
  const auto a = stream_of_made_up_weights<two_rates>(), b = stream_of_made_up_weights<two_rates>(),
             c = stream_of_made_up_weights<two_rates>();
  planar_signal x{2, ir::test::random_floats("x", 60)};
  const planar_signal want = in_calls(*a, x, {30});
  floats turns(60), out(60);
  for (int t = 0; t < 30; ++t)
    for (int k = 0; k < 2; ++k) turns[static_cast<std::size_t>(2 * t + k)] = x.at(k, t);
  for (int t = 0; t < 30; t += 3) b->process_interleaved(turns.data() + 2 * t, turns.data() + 2 * t, 3);
  for (int t = 0; t < 30; t += 5) {
    const auto planes = x.planes(t);
    c->process(planes.data(), planes.data(), 5);
  }
  for (int t = 0; t < 30; ++t)
    for (int k = 0; k < 2; ++k) REQUIRE(turns[static_cast<std::size_t>(2 * t + k)] == want.at(k, t));
  CHECK(ir::test::difference({x.numbers}, {want.numbers}, 0) == "");
}

TEST_CASE("copies, and silence before a stream begins") {
  const auto one = stream_of_made_up_weights<dilated>();
  const planar_signal in{1, ir::test::random_floats("x", 64)}, silence{1, floats(40)};
  in_calls(*one, in, {5});
  const auto other = std::make_unique<dilated>(*one);
  CHECK(in_calls(*one, in, {7}).numbers == in_calls(*other, in, {3}).numbers);
  one->reset();
  in_calls(*one, silence, {16});
  other->prewarm();
  CHECK(in_calls(*one, in, {7}).numbers == in_calls(*other, in, {16}).numbers);
}
