// SPDX-License-Identifier: BSL-1.0
// Decoders whose graphs are loaded, made stateful, and run word by word: what extractors carry.
#include <doctest/doctest.h>

#include <algorithm>

#include <ctnn/model.hpp>
#include <ctnn/rewrite/streaming.hpp>

#include "support/decoders.hpp"
#include "support/run_both.hpp"

using namespace ctnn;
using namespace ctnn::ir::test;

namespace {

/// Names that a loaded model keeps.
struct kept_names : ir::name_maker {
  loaded_model& in;
  explicit kept_names(loaded_model& m) : in(m) {}
  std::string_view operator()(std::string_view of, std::string_view with) override {
    return in.keep(std::string(of) + std::string(with));
  }
};

template <class Index>
array ids_of(const std::vector<Index>& ids, int at, int count) {
  array a({count}, std::is_same_v<Index, std::int32_t> ? dtype::i32 : dtype::i64);
  std::copy_n(ids.begin() + at, count, a.elements<Index>().begin());
  return a;
}

/// The largest difference of the model's numbers, run by run, from the whole model's.
template <class Whole, class Index, int Length>
double stream_differs(int block) {
  made_up_weights numbers;
  const auto weights = weights_of_network<Whole>(numbers);
  const std::vector<Index> ids = some_words<Index>(Length);
  ctnn::extractor at_once = to_model<Whole>(weights).extractor();
  at_once.input(0, ids_of(ids, 0, Length));
  const array want = at_once.extract(0);

  loaded_model parts = ir::declared_model(ir::detail::compiled<Whole>::view(), weights);
  kept_names names(parts);
  const problem_report wrong = make_stateful(parts.network, {block}, names);
  REQUIRE(!wrong.found);
  const model stream(std::move(parts));
  ctnn::extractor run = stream.extractor();
  double worst = 0, most = 0;
  for (int time = 0; time < 2; ++time, run.reset())
    for (int i = 0; i < Length; i += block) {
      run.input(0, ids_of(ids, i, block));
      const array got = run.extract(0);
      for (int k = 0; k < block * vocabulary; ++k) {
        const double wanted = want.values()[static_cast<std::size_t>(i * vocabulary + k)];
        const double number = got.values()[static_cast<std::size_t>(k)];
        worst = std::max(worst, std::fabs(number - wanted));
        most = std::max(most, std::fabs(wanted));
      }
    }
  return worst / most;
}

}  // namespace

TEST_CASE("loaded decoders word by word, and some at a time") {
  for (const int block : {1, 2, 4}) {
    CAPTURE(block);
    CHECK(stream_differs<rotated<12>, std::int64_t, 12>(block) < 1e-6);
    CHECK(stream_differs<learned<12>, std::int32_t, 12>(block) < 1e-6);
  }
}
