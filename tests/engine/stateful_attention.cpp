// SPDX-License-Identifier: BSL-1.0
// Words one by one: embeddings, causal attention over the keys there have been, positions that go on, as engines of
// stateful networks, beside the network that has all words at once.
#include <doctest/doctest.h>

#include <algorithm>

#include <ctnn/base/thrown.hpp>
#include <ctnn/typed.hpp>

#include "support/decoders.hpp"
#include "support/run_both.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;
using nn::ir::test::learned;
using nn::ir::test::rotated;
using nn::ir::test::some_words;
using nn::ir::test::vocabulary;

namespace {

/// Keys some of which are hidden, behind a convolution that drops the first samples and beside positions of its own.
struct late : nn::declared<late> {
  static constexpr auto forward(nn::graph& m) {
    const auto x = m.input("x", {6, 14});
    const auto hidden = m.input("hidden", {1, 14}, {.dtype = nn::dtype::boolean});
    const auto y = m.transpose(m.conv1d("conv", x, {.out_channels = 6, .kernel_size = 3}), 0, 1);  // 12 of them
    const auto placed = m.add(y, m.parameter("places", {12, 1}));
    return m.multihead_attention("attn", placed,
                                 {.num_heads = 2, .is_causal = true, .key_padding_mask = m.narrow(hidden, 1, 0, 12)});
  }
};

/// The largest difference of a stream's numbers from those of the whole, by the largest number; the stream is asked
/// twice.
template <class Whole, int Block, class Index, class Net>
double differs(nn::engine<Net>& stream, const floats& want, std::span<const Index> ids) {
  double worst = 0, most = 0;
  for (int time = 0; time < 2; ++time, stream.reset())
    for (std::size_t i = 0; i < ids.size(); i += Block) {
      const auto got = stream(ids.subspan(i).template first<Block>());
      for (std::size_t k = 0; k < got.size(); ++k) {
        const double wanted = want[i * vocabulary + k];
        worst = std::max(worst, std::fabs(static_cast<double>(got[k]) - wanted));
        most = std::max(most, std::fabs(wanted));
      }
    }
  return worst / most;
}
template <class Whole, class Index, int Length>
floats all_at_once(const std::vector<nn::named_weight>& weights, const std::vector<Index>& ids) {
  static nn::parameters<Whole> packed{nn::zeros};
  REQUIRE(!nn::load(packed, weights).found);
  static nn::engine<Whole> run{packed};
  const auto y = run(std::span<const Index, Length>(ids.data(), Length));
  return {y.begin(), y.end()};
}

}  // namespace

// Nothing of the stream depends on how long the whole is: its window slides, and positions are counted.
static_assert(std::same_as<nn::stateful<rotated<8>, 1>, nn::stateful<rotated<24>, 1>>);
static_assert(nn::stream_delay<late> == 2);

TEST_CASE("a decoder with rotated positions, word by word, for longer than the window") {
  nn::ir::test::made_up_weights numbers;
  const auto weights = nn::ir::test::weights_of_network<rotated<24>>(numbers);
  const auto ids = some_words<std::int64_t>(24);
  const floats want = all_at_once<rotated<24>, std::int64_t, 24>(weights, ids);
  const auto compare = [&]<int Block>(std::integral_constant<int, Block>) {
    using stream = nn::optimized<nn::stateful<rotated<8>, Block>>;
    static nn::parameters<stream> packed{nn::zeros};
    REQUIRE(!nn::load_folded<nn::stateful<rotated<8>, Block>>(packed, weights).found);
    static nn::engine<stream> run{packed};
    CHECK(differs<rotated<24>, Block, std::int64_t>(run, want, ids) < 1e-6);
  };
  compare(std::integral_constant<int, 1>{});
  compare(std::integral_constant<int, 4>{});
}

TEST_CASE("a decoder with a table of positions, until its end") {
  nn::ir::test::made_up_weights numbers;
  const auto weights = nn::ir::test::weights_of_network<learned<12>>(numbers);
  const auto ids = some_words<std::int32_t>(12);
  const floats want = all_at_once<learned<12>, std::int32_t, 12>(weights, ids);
  const auto compare = [&]<int Block>(std::integral_constant<int, Block>) {
    using stream = nn::stateful<learned<12>, Block>;
    static nn::parameters<stream> packed{nn::zeros};
    REQUIRE(!nn::load(packed, weights).found);
    static nn::engine<stream> run{packed};
    CHECK(differs<learned<12>, Block, std::int32_t>(run, want, ids) < 1e-6);
    const std::int32_t more[Block]{};
    int runs = 0;
    try {
      for (; runs <= 16; ++runs) run(more);
    } catch (const nn::error& e) {
      CHECK(std::string(e.what()).find("index 16 is out of range for 16 elements") != std::string::npos);
    }
    CHECK(runs == 16 / Block);
  };
  compare(std::integral_constant<int, 1>{});
  compare(std::integral_constant<int, 2>{});
}

TEST_CASE("attention behind dropped samples, with keys that are hidden") {
  using stream = nn::stateful<late, 2>;
  nn::ir::test::made_up_weights numbers;
  const auto weights = nn::ir::test::weights_of_network<late>(numbers);
  static nn::parameters<late> all{nn::zeros};
  static nn::parameters<stream> packed{nn::zeros};
  REQUIRE(!nn::load(all, weights).found);
  REQUIRE(!nn::load(packed, weights).found);
  static nn::engine<late> at_once{all};
  static nn::engine<stream> run{packed};
  const floats x = nn::ir::test::random_floats("x", 6 * 14);
  bool hidden[14]{};
  hidden[1] = hidden[4] = hidden[5] = hidden[9] = true;
  at_once.run(nn::in<"x">(std::span<const float, 84>(x.data(), 84)), nn::in<"hidden">(hidden));
  const auto want = at_once.output<0>();
  for (int i = 0; i < 14; i += 2) {
    float part[12];
    for (int c = 0; c < 6; ++c)
      for (int j = 0; j < 2; ++j) part[2 * c + j] = x[static_cast<std::size_t>(14 * c + i + j)];
    run.run(nn::in<"x">(part), nn::in<"hidden">(std::span<const bool, 2>(hidden + i, 2)));
    for (int j = 0; j < 12; ++j) {
      const float y = run.output<0>()[static_cast<std::size_t>(j)];
      CHECK(std::isfinite(y));
      if (i >= 2) CHECK(y == doctest::Approx(want[static_cast<std::size_t>(6 * (i - 2) + j)]).epsilon(1e-5));
    }
  }
}
