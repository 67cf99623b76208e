// SPDX-License-Identifier: BSL-1.0
// Checkpoints as they are: prefixes, other names, weights in parts, weights that are missing or of other types.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <ctnn/ctnn.hpp>
#include <ctnn/weights.hpp>

#include "support/numbers.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

namespace {

/// A file of arrays in memory.
class memory_file final : public nn::ir::tensor_file {
 public:
  explicit memory_file(const std::vector<std::pair<std::string, nn::array>>& all)
      : tensor_file({"net.pt", 0, {}}, nn::budget()) {
    for (const auto& [name, numbers] : all) {
      tensors_.emplace(name, nn::ir::tensor_entry{numbers.type(), numbers.shape(), all_.size(), all_.size()});
      all_.push_back(numbers);
    }
  }

 private:
  void fill(const nn::ir::tensor_entry& t, std::span<std::byte> to) const override {
    const nn::array& from = all_[static_cast<std::size_t>(t.begin)];
    std::copy(from.bytes().begin(), from.bytes().end(), to.begin());
  }
  std::vector<nn::array> all_;
};
using tensors = std::vector<std::pair<std::string, nn::array>>;
nn::weights::file file_of(const tensors& all) { return nn::weights::file(std::make_shared<const memory_file>(all)); }

nn::array as(nn::dtype type, const nn::extents& shape, const floats& numbers) {
  return nn::weights::converted(nn::array(shape, numbers), type);
}
nn::array f32(const nn::extents& shape, const floats& numbers) { return nn::array(shape, numbers); }

struct net : nn::network<nn::input<"x", nn::shape<3>>, nn::linear<"fc", nn::out<2>>> {};

const floats weight{1, 2, 3, 4, 5, 6}, bias{7, 8};
/// The packed weights of net.
const nn::parameters<net>& wanted() {
  static nn::parameters<net> packed{nn::zeros};
  const nn::named_weight given[] = {nn::state("fc.weight", weight), nn::state("fc.bias", bias)};
  REQUIRE(!nn::load(packed, given).found);
  return packed;
}
template <class Net>
bool same(const nn::parameters<Net>& a, const nn::parameters<Net>& b) {
  return std::memcmp(a.packed, b.packed, sizeof a.packed) == 0;
}
bool loads(const tensors& all, const nn::weights::load_options& options = {}) {
  nn::parameters<net> got{nn::zeros};
  const nn::weights::report said = nn::weights::load(got, file_of(all), options);
  return said.text().empty() && same(got, wanted());
}
std::string refusal(const tensors& all, const nn::weights::load_options& options = {}) {
  nn::parameters<net> untouched{nn::zeros};
  try {
    nn::weights::load(untouched, file_of(all), options);
  } catch (const nn::error& e) {
    CHECK(same(untouched, nn::parameters<net>(nn::zeros)));
    return e.what();
  }
  return "";
}
floats numbers_of(const nn::weights::state_dict& state, const std::string& name) {
  const auto found = state.find(name);
  REQUIRE(found != state.end());
  const nn::array a = found->second.read();
  CHECK(a.shape() == found->second.shape);
  CHECK(a.type() == found->second.type);
  floats out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(static_cast<float>(nn::number_at(a, i)));
  return out;
}

}  // namespace

TEST_CASE("tensors behind a prefix, others not looked at") {
  const tensors all{{"module.fc.weight", f32({2, 3}, weight)},
                    {"module.fc.bias", f32({2}, bias)},
                    {"module.bn.num_batches_tracked", f32({}, {1})},
                    {"ema.fc.bias", f32({5}, {1, 2, 3, 4, 5})}};
  CHECK(loads(all, {.prefix = "module."}));
  const nn::parameters<net> made{nn::weights::folded<net>(file_of(all), {.prefix = "module."})};
  CHECK(same(made, wanted()));
  CHECK(refusal(all) ==
        "net.pt: the tensors are not the network's weights:\n"
        "  2 names begin with 'module.', which load_options::prefix takes away\n"
        "  ema.fc.bias: unexpected, the nearest is fc.bias\n"
        "  module.fc.bias: unexpected, the nearest is fc.bias\n"
        "  module.fc.weight: unexpected, the nearest is fc.weight\n"
        "  fc.weight: missing, the network needs f32 2 x 3\n"
        "  fc.bias: missing, the network needs f32 2");
  CHECK(refusal(all, {.prefix = "model."}) ==
        "net.pt: no tensor's name begins with 'model.', the first is 'ema.fc.bias'");
}

TEST_CASE("tensors under other names") {
  const tensors all{{"head.kernel", f32({2, 3}, weight)}, {"head.bias", f32({2}, bias)}};
  CHECK(loads(all, {.rename = {{"head", "fc"}, {"head.kernel", "fc.weight"}}}));
  CHECK(loads(all, {.rename_by = [](const std::string& name) {
                return name == "head.kernel" ? std::string("fc.weight") : "fc" + name.substr(4);
              }}));
  CHECK(loads({{"a.head.weight", f32({2, 3}, weight)}, {"a.head.bias", f32({2}, bias)}, {"a.headless", f32({1}, {1})}},
              {.prefix = "a.", .rename = {{"head", "fc"}}, .rename_by = [](const std::string& name) {
                 return name == "headless" ? std::string() : name;
               }}));
  CHECK(refusal(all, {.rename = {{"head.kernel", "fc.weight"}, {"head.bias", "fc.weight"}}}) ==
        "net.pt: 'head.bias' and 'head.kernel' are both called 'fc.weight'");
}

TEST_CASE("what is missing or unexpected is in the report, if it need not be right") {
  const tensors all{{"fc.weight", f32({2, 3}, weight)}, {"old.weight", as(nn::dtype::f16, {4, 1}, floats(4))}};
  nn::parameters<net> got{nn::zeros}, want{nn::zeros};
  const nn::weights::report said = nn::weights::load(got, file_of(all), {.strict = false});
  REQUIRE((said.missing.size() == 1 && said.unexpected.size() == 1));
  CHECK(said.missing[0].name == "fc.bias");
  CHECK(said.unexpected[0].shape == nn::extents{4, 1});
  CHECK(said.text() == "old.weight: unexpected, f16 4 x 1\nfc.bias: missing, f32 2\n");
  const floats none(2);
  const nn::named_weight given[] = {nn::state("fc.weight", weight), nn::state("fc.bias", none)};
  REQUIRE(!nn::load(want, given).found);
  CHECK(same(got, want));
  // A wrong shape is wrong all the same.
  CHECK(refusal({{"fc.weight", f32({3, 2}, weight)}}, {.strict = false}) ==
        "net.pt: the tensors are not the network's weights:\n  fc.weight: f32 3 x 2, the network needs f32 2 x 3");
}

TEST_CASE("floats and integers of any type become the network's") {
  for (const nn::dtype type : {nn::dtype::f64, nn::dtype::f16, nn::dtype::bf16, nn::dtype::i64, nn::dtype::u8}) {
    CAPTURE(nn::name_of(type));
    CHECK(loads({{"fc.weight", as(type, {2, 3}, weight)}, {"fc.bias", as(type, {2}, bias)}}));
  }
  CHECK(refusal({{"fc.weight", f32({2, 3}, weight)}, {"fc.bias", nn::array({2}, nn::dtype::boolean)}}) ==
        "net.pt: the tensors are not the network's weights:\n  fc.bias: bool 2, the network needs f32 2");
  const nn::array wide = f32({3}, {1.0009765625f, 65536, -0.1f});
  const nn::array half = nn::weights::converted(wide, nn::dtype::f16);
  const nn::array brief = nn::weights::converted(wide, nn::dtype::bf16);
  CHECK(nn::number_at(half, 0) == 1.0009765625);
  CHECK(std::isinf(nn::number_at(half, 1)));
  CHECK(nn::number_at(brief, 0) == 1);
  CHECK(nn::number_at(brief, 1) == 65536);
  nn::array longs({2}, nn::dtype::i64);
  longs.elements<std::int64_t>()[0] = -128;
  CHECK(nn::number_at(nn::weights::converted(longs, nn::dtype::i8), 0) == -128);
  CHECK_THROWS_WITH_AS(nn::weights::converted(longs, nn::dtype::u8),
                       "the number -128 has no place in integers of 1 bytes", nn::error);
  longs.elements<std::int64_t>()[1] = std::int64_t{1} << 40;
  CHECK_THROWS_AS(nn::weights::converted(longs, nn::dtype::i32), nn::error);
}

TEST_CASE("weight_norm in both spellings, along any axis and along none") {
  for (const bool new_words : {false, true}) {
    const std::string w = new_words ? "fc.parametrizations.weight." : "fc.weight";
    const std::string g = w + (new_words ? "original0" : "_g"), v = w + (new_words ? "original1" : "_v");
    const auto folded = [&](const nn::extents& g_shape, const floats& g_numbers, const nn::extents& shape,
                            const floats& numbers) {
      const nn::weights::state_dict state = file_of({{g, f32(g_shape, g_numbers)}, {v, f32(shape, numbers)}}).state();
      CHECK(state.size() == 1);
      return numbers_of(state, "fc.weight");
    };
    CHECK(folded({2, 1}, {10, 26}, {2, 2}, {3, 4, 5, 12}) == floats{6, 8, 10, 24});
    CHECK(folded({1, 2}, {10, 26}, {2, 2}, {3, 5, 4, 12}) == floats{6, 10, 8, 24});
    CHECK(folded({}, {10}, {2, 2}, {1, 5, 5, 7}) == floats{1, 5, 5, 7});
    CHECK(folded({1, 1, 1}, {10}, {1, 2, 2}, {1, 5, 5, 7}) == floats{1, 5, 5, 7});
  }
  // torch._weight_norm of random numbers, by its definition.
  const nn::extents shape{4, 3, 5};
  const floats v = nn::ir::test::random_floats("v", 60, -1, 1);
  for (int axis = 0; axis < 3; ++axis) {
    nn::extents g_shape{1, 1, 1};
    g_shape[axis] = shape[axis];
    const floats g = nn::ir::test::random_floats("g", shape[axis], -2, 2);
    const floats got = numbers_of(file_of({{"a.b_g", f32(g_shape, g)}, {"a.b_v", f32(shape, v)}}).state(), "a.b");
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 5; ++k) {
          const int at[] = {i, j, k};
          double squares = 0;
          for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 3; ++y)
              for (int z = 0; z < 5; ++z) {
                const int other[] = {x, y, z};
                const double n = static_cast<double>(v[static_cast<std::size_t>((x * 3 + y) * 5 + z)]);
                if (other[axis] == at[axis]) squares += n * n;
              }
          const auto place = static_cast<std::size_t>((i * 3 + j) * 5 + k);
          const double want = static_cast<double>(v[place]) *
                              static_cast<double>(g[static_cast<std::size_t>(at[axis])]) / std::sqrt(squares);
          CHECK(got[place] == doctest::Approx(want).epsilon(1e-6));
        }
  }
  CHECK_THROWS_WITH_AS(file_of({{"a_g", f32({3, 1}, {1, 2, 3})}, {"a_v", f32({2, 2}, {1, 2, 3, 4})}}).state(),
                       "net.pt: 'a_g': 3 x 1, which is no weight_norm of 2 x 2", nn::error);
  // What has no other half is a tensor like any other.
  CHECK(file_of({{"a_g", f32({1}, {1})}}).state().contains("a_g"));
}

TEST_CASE("spectral_norm in both spellings, of convolutions and of their transposes") {
  /// Rows along an axis: (u . W v), and W divided by it.
  const auto check = [](const nn::extents& shape, int axis, const floats& u, const floats& v) {
    floats w(static_cast<std::size_t>(shape.count()));
    const auto inner = static_cast<std::size_t>(shape.count(axis + 1, shape.rank));
    // As training leaves it: u along W v.
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] = 3 * u[i / inner % u.size()] * v[i / inner / u.size() * inner + i % inner];
    for (const bool new_words : {false, true}) {
      const std::string name = new_words ? "up.parametrizations.weight." : "up.weight_";
      const nn::weights::state_dict state =
          file_of({{name + (new_words ? "original" : "orig"), f32(shape, w)},
                   {name + (new_words ? "0._u" : "u"), f32({static_cast<int>(u.size())}, u)},
                   {name + (new_words ? "0._v" : "v"), f32({static_cast<int>(v.size())}, v)}})
              .state();
      CHECK(state.size() == 1);
      const floats got = numbers_of(state, "up.weight");
      for (std::size_t i = 0; i < w.size(); ++i) CHECK(got[i] == doctest::Approx(w[i] / 3).epsilon(1e-6));
    }
  };
  const floats two{0.6f, -0.8f}, three{2.0f / 3, -1.0f / 3, 2.0f / 3}, four{0.5f, 0.5f, -0.5f, 0.5f};
  check({3, 2}, 0, three, two);
  check({2, 3}, 1, three, two);    // a transposed convolution: the second axis is that of the outputs
  check({2, 2, 2}, 0, two, four);  // lengths fit both axes
  check({2, 2, 2}, 1, two, four);
  // sigma of numbers that are no product of two vectors, by hand: (1, 0) . (1 2; 3 4) (0, 1) = 2.
  const nn::weights::state_dict state =
      file_of({{"a_orig", f32({2, 2}, {1, 2, 3, 4})}, {"a_u", f32({2}, {1, 0})}, {"a_v", f32({2}, {0, 1})}}).state();
  CHECK(numbers_of(state, "a") == floats{0.5f, 1, 1.5f, 2});
  CHECK_THROWS_WITH_AS(
      file_of({{"a_orig", f32({2, 2}, {1, 2, 3, 4})}, {"a_u", f32({3}, {1, 0, 0})}, {"a_v", f32({1}, {1})}}).state(),
      "net.pt: 'a_u': 3, and 1, which are no spectral_norm of 2 x 2", nn::error);
}

namespace {

using layers = nn::network<nn::input<"x", nn::shape<2>>, nn::linear<"a", nn::out<2>, nn::no_bias>,
                           nn::linear<"b", nn::out<2>, nn::no_bias>>;
using shared = nn::network<nn::input<"x", nn::shape<2>>, nn::linear<"a", nn::out<2>, nn::no_bias>,
                           nn::linear<"b", nn::out<2>, nn::no_bias>, nn::tied<"a.weight", "b.weight">>;

}  // namespace

TEST_CASE("weights that layers share, whichever of their names the file has") {
  const floats w{1, 2, 3, 4};
  const nn::named_weight once[] = {nn::state("a.weight", w)}, twice[] = {once[0], nn::state("b.weight", w)};
  nn::parameters<shared> want{nn::zeros};
  nn::parameters<layers> want_both{nn::zeros};
  REQUIRE((!nn::load(want, once).found && !nn::load(want_both, twice).found));
  // Two layers that the network does not tie: .safetensors has what they share once.
  const nn::parameters<nn::optimized<layers>> made{nn::weights::folded<layers>(
      file_of({{"a.weight", f32({2, 2}, w)}}), {.rename = {{"a.weight", "a.weight"}, {"a.weight", "b.weight"}}})};
  nn::parameters<nn::optimized<layers>> folded{nn::zeros};
  REQUIRE(!nn::load_folded<layers>(folded, twice).found);
  CHECK(same(made, folded));
  // Two that it ties: torch.save has both names, .safetensors either.
  nn::parameters<shared> got{nn::zeros};
  for (const tensors& all : {tensors{{"a.weight", f32({2, 2}, w)}}, tensors{{"b.weight", f32({2, 2}, w)}},
                             tensors{{"a.weight", f32({2, 2}, w)}, {"b.weight", f32({2, 2}, w)}}}) {
    nn::weights::load(got, file_of(all));
    CHECK(same(got, want));
  }
  CHECK_THROWS_WITH_AS(
      nn::weights::load(got, file_of({{"a.weight", f32({2, 2}, w)}, {"b.weight", f32({2, 2}, {1, 2, 3, 5})}})),
      "net.pt: the tensors are not the network's weights:\n"
      "  b.weight: other numbers than those of a.weight, which is the same weight",
      nn::error);
}

namespace {

using bent = nn::network<nn::input<"x", nn::shape<3, 2, 2>>, nn::prelu<"act", nn::axis<0>>>;
constexpr float slope[] = {0.25f}, slopes[] = {0.25f, 0.25f, 0.25f};
constexpr nn::named_weight one_number[] = {{"act", "weight", slope}}, a_number_each[] = {{"act", "weight", slopes}};

}  // namespace
static_assert(nn::pack<bent, one_number>().packed[2] == 0.25f && nn::fold<bent, one_number>().packed[2] == 0.25f);

TEST_CASE("PyTorch's PReLU: a weight of one number, or one for each channel") {
  nn::parameters<bent> want{nn::zeros};
  REQUIRE(!nn::load(want, a_number_each).found);
  CHECK(want.packed[2] == 0.25f);
  nn::parameters<bent> got{nn::zeros};
  REQUIRE(!nn::load(got, one_number).found);
  CHECK(same(got, want));
  for (const nn::array& numbers : {f32({1}, {0.25f}), f32({3}, {0.25f, 0.25f, 0.25f})}) {
    nn::parameters<nn::optimized<bent>> folded{nn::weights::folded<bent>(file_of({{"act.weight", numbers}}))};
    CHECK(std::equal(std::begin(folded.packed), std::end(folded.packed), want.packed));
  }
  const floats two(2);
  const nn::named_weight wrong[] = {{"act", "weight", two}};
  CHECK(nn::load(got, wrong).found.kind == nn::mistake::weight_size_mismatch);
}
