// SPDX-License-Identifier: BSL-1.0
// Operators of ONNX that are rare in networks: random numbers, and TfIdfVectorizer. What is expected is what ONNX
// Runtime 1.30 answers.
#include <cmath>

#include <doctest/doctest.h>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
namespace pb = ir::test::onnx_bytes;

namespace {

/// The output of one node, whose input, if it is fed one, is x.
array made(const char* type, const std::string& attributes, const array* x = nullptr) {
  const bool whole = x && x->type() == dtype::i64;
  pb::dims shape;
  for (int k = 0; x && k < x->shape().rank; ++k) shape.push_back(x->shape()[k]);
  const std::string bytes =
      pb::model(pb::node(type, x ? std::vector<std::string>{"x"} : std::vector<std::string>{}, {"y"}, attributes) +
                    (x ? pb::input(pb::value("x", whole ? pb::i64 : pb::f32, shape)) : "") +
                    pb::output(pb::value("y", pb::f32, {})),
                18);
  const model m = model::load(pb::view(bytes));
  extractor e = m.extractor();
  if (x) e.input("x", *x);
  return e.extract("y");
}
void check(const array& got, const extents& shape, const std::vector<double>& expected) {
  REQUIRE(got.shape() == shape);
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(number_at(got, i) == doctest::Approx(expected[i]).epsilon(1e-6));
}
const std::string five = pb::attribute("shape", pb::dims{5}), three = pb::attribute("shape", pb::dims{3}),
                  doubles = pb::attribute("dtype", 11);
std::string seed(float s) { return pb::attribute("seed", s); }

}  // namespace

TEST_CASE("a seed's random numbers are the first that ONNX Runtime draws") {
  check(made("RandomNormal", five + seed(42) + pb::attribute("mean", 1.0f) + pb::attribute("scale", 2.0f)), {5},
        {-0.802496075630188, 2.7928173542022705, -1.4054272174835205, 0.01968938112258911, 1.0229402780532837});
  check(made("RandomNormal", three + seed(42) + doubles), {3},
        {-1.7141127395876619, 0.17805682714513033, 0.057178867692959344});
  check(made("RandomUniform", five + seed(7) + pb::attribute("low", -1.0f) + pb::attribute("high", 3.0f)), {5},
        {-0.9997808933258057, 2.683058023452759, 0.15694904327392578, -0.15779632329940796, 1.917482614517212});
  check(made("RandomUniform", three + seed(7) + doubles), {3},
        {0.9207645169652923, 0.21055092323121571, 0.5327143044186753});
  const array logarithms({2, 3}, std::vector<float>{0.1f, 0.5f, 0.3f, 1, -2, 2});
  check(made("Multinomial", pb::attribute("sample_size", 8) + seed(3), &logarithms), {2, 8},
        {1, 1, 1, 0, 2, 1, 0, 1, 0, 0, 0, 2, 2, 2, 0, 2});
}

TEST_CASE("nodes without a seed draw numbers of their own") {
  const std::string bytes =
      pb::model(pb::node("RandomUniform", {}, {"a"}, five) + pb::node("RandomUniform", {}, {"b"}, five) +
                    pb::output(pb::value("a", pb::f32, {5})) + pb::output(pb::value("b", pb::f32, {5})),
                18);
  const model m = model::load(pb::view(bytes));
  extractor e = m.extractor();
  const array a = e.extract("a"), b = e.extract("b");
  for (std::size_t i = 0; i < 5; ++i) CHECK(a[i] != b[i]);
}

TEST_CASE("each turn of a loop draws the numbers that follow") {
  const std::string body = pb::node("RandomUniform", {}, {"r"}, five + seed(7)) +
                           pb::node("Identity", {"c"}, {"more"}) + pb::input(pb::value("i", pb::i64, {})) +
                           pb::input(pb::value("c", pb::boolean, {})) + pb::output(pb::value("more", pb::boolean, {})) +
                           pb::output(pb::value("r", pb::f32, {5}));
  const std::string loop = pb::node("Loop", {"n", ""}, {"y"}, pb::graph_attribute("body", body)) +
                           pb::output(pb::value("y", pb::f32, {-1, 5}));
  const array all = made("RandomUniform", pb::attribute("shape", pb::dims{15}) + seed(7));
  array turns(extents{}, dtype::i64);
  turns.elements<std::int64_t>()[0] = 3;
  for (const bool fed : {false, true}) {  // how often it turns is a constant, or is known when it runs
    const std::string bytes =
        pb::model(loop + (fed ? pb::input(pb::value("n", pb::i64, {})) : pb::initializer(pb::longs("n", {}, {3}))), 18);
    const model m = model::load(pb::view(bytes));
    for (int run = 0; run < 2; ++run) {
      extractor e = m.extractor();
      if (fed) e.input("n", turns);
      const array y = e.extract("y");
      REQUIRE(y.shape() == extents{3, 5});
      for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == all[i]);
    }
  }
}

TEST_CASE("random numbers take shape and type of an input") {
  const array x({2, 3, 4});
  CHECK(made("RandomNormalLike", "", &x).shape() == x.shape());
  CHECK(made("RandomUniformLike", doubles, &x).type() == dtype::f64);
  const array other = made("RandomUniformLike", pb::attribute("dtype", 10), &x);
  CHECK(other.type() == dtype::f16);
  for (std::size_t i = 0; i < other.size(); ++i) CHECK((number_at(other, i) >= 0 && number_at(other, i) <= 1));
}

TEST_CASE("bernoulli draws ones as often as its input says") {
  array p({3, 10'000});
  for (std::size_t i = 0; i < p.size(); ++i) p.values()[i] = i < 10'000 ? 0 : i < 20'000 ? 0.25f : 1;
  const array y = made("Bernoulli", seed(5), &p);
  double ones[3]{};
  for (std::size_t i = 0; i < y.size(); ++i) ones[i / 10'000] += static_cast<double>(y[i]);
  CHECK(ones[0] == 0);
  CHECK(ones[1] == doctest::Approx(2500).epsilon(0.05));
  CHECK(ones[2] == 10'000);
}

TEST_CASE("sequences of words are counted, also with some left out between") {
  array words({2, 6}, dtype::i64);
  const std::int64_t all[] = {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8};
  std::ranges::copy(all, words.elements<std::int64_t>().begin());
  const auto mode = [&](const char* name, bool weights) {
    std::string numbers = pb::bytes(1, "weights");
    for (int k = 1; k <= 7; ++k) numbers += pb::real(7, static_cast<float>(k));
    return made("TfIdfVectorizer",
                pb::attribute("mode", name) + pb::attribute("min_gram_length", 1) +
                    pb::attribute("max_gram_length", 2) + pb::attribute("max_skip_count", 1) +
                    pb::attribute("ngram_counts", pb::dims{0, 4}) +
                    pb::attribute("ngram_indexes", pb::dims{2, 0, 1, 3, 6, 5, 4}) +
                    pb::attribute("pool_int64s", pb::dims{2, 3, 5, 4, 5, 6, 7, 8, 6, 7}) +
                    (weights ? pb::bytes(5, numbers + pb::number(20, 6)) : ""),
                &words);
  };
  check(mode("TF", false), {2, 7}, {3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1});
  check(mode("IDF", true), {2, 7}, {2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 7, 0, 5});
  check(mode("TFIDF", true), {2, 7}, {6, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 7, 0, 5});
}
