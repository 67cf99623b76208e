// SPDX-License-Identifier: BSL-1.0
// TfIdfVectorizer: how often sequences of words occur, where words are numbers.
#pragma once

#include <algorithm>

#include "random.hpp"

namespace ctnn::onnx::readers {

namespace detail {

/// How often each of `count` sequences of `length` numbers, one after the other in `pool`, is in x (batch x words):
/// with `skips` words and fewer left out between two, always as many.
inline term occurrences(node_reader& n, term x, std::span<const std::int64_t> pool, int length, int skips) {
  const extents s = n.shape(x);
  const int count = static_cast<int>(pool.size()) / length;
  term sum = n.constant(filled({s[0], count}, dtype::f32, 0));
  for (int step = 1; step <= (length == 1 ? 1 : skips + 1); ++step) {
    const int places = s[1] - (length - 1) * step;
    if (places < 1) break;
    term same = none;
    for (int k = 0; k < length; ++k) {
      integers words;
      for (int i = 0; i < count; ++i) words.push_back(pool[static_cast<std::size_t>(i * length + k)]);
      const term here = n.add(op::slice{{1}, {k * step}, {k * step + places}}, {x});
      const term equal =
          n.add(op::compare{op::comparison::equal},
                {n.reshaped(here, {s[0], places, 1}), n.reshaped(n.whole_constant(words), {1, 1, count})});
      same = same == none ? equal : n.add(op::logic{op::logic_function::logical_and}, {same, equal});
    }
    sum = binary_of(n, op::binary_function::add, sum,
                    n.add(op::reduce{op::reduction::sum, {1}, false}, {n.cast(same, dtype::f32)}));
  }
  return sum;
}

}  // namespace detail

/// The pool has sequences of one word, then those of two, and so on; ngram_counts says where each length begins, and
/// ngram_indexes the column of each sequence.
inline void tfidf(node_reader& n) {
  n.expect(1, 1);
  if (n.has_attribute("pool_strings")) node_reader::refuse("attribute 'pool_strings'");
  const integers starts = n.list_of("ngram_counts"), columns = n.list_of("ngram_indexes"),
                 pool = n.list_of("pool_int64s");
  const std::vector<float> weights = n.reals("weights");
  const int least = n.small("min_gram_length", 1), most = n.small("max_gram_length", 1),
            skips = n.small("max_skip_count", 0);
  const std::string mode = n.text("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") n.fail("mode is '" + mode + "', expected TF, IDF or TFIDF");
  if (least < 1 || most < least || skips < 0 || static_cast<std::size_t>(most) > starts.size())
    n.fail("counts sequences of " + std::to_string(least) + " to " + std::to_string(most) + " words, " +
           std::to_string(skips) + " left out, of " + std::to_string(starts.size()) + " lengths");
  if (!weights.empty() && weights.size() != columns.size())
    n.fail("has " + std::to_string(weights.size()) + " weights for " + std::to_string(columns.size()) + " sequences");
  const term whole = n.cast(n.input(), dtype::i64);
  const extents s = n.shape(whole);
  if (s.rank != 1 && s.rank != 2) n.fail("input is " + describe(s) + ", expected words or batch x words");
  const term x = n.reshaped(whole, {s.rank == 2 ? s[0] : 1, s[s.rank - 1]});
  const int batch = n.shape(x)[0];
  std::int64_t width = 0;
  for (const std::int64_t c : columns) width = std::max(width, c + 1);
  if (columns.empty() || width > static_cast<std::int64_t>(columns.size()))
    node_reader::refuse("columns that no sequence has");
  // Columns are put in order by a gather; a sequence whose length is not asked for is never found.
  std::vector<term> found;
  std::size_t sequence = 0;
  std::vector<std::int64_t> place(static_cast<std::size_t>(width), -1);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::int64_t end = k + 1 < starts.size() ? starts[k + 1] : static_cast<std::int64_t>(pool.size());
    const int length = static_cast<int>(k) + 1;
    const std::int64_t numbers = end - starts[k];
    if (starts[k] < 0 || numbers < 0 || end > static_cast<std::int64_t>(pool.size()) || numbers % length != 0)
      n.fail("ngram_counts does not fit the pool of " + std::to_string(pool.size()) + " numbers");
    if (numbers == 0) continue;
    const auto part = std::span(pool).subspan(static_cast<std::size_t>(starts[k]), static_cast<std::size_t>(numbers));
    const int count = static_cast<int>(numbers / length);
    for (int i = 0; i < count; ++i, ++sequence) {
      if (sequence >= columns.size() || columns[sequence] < 0)
        n.fail("has " + std::to_string(columns.size()) + " ngram_indexes, the pool more sequences");
      std::int64_t& at = place[static_cast<std::size_t>(columns[sequence])];
      if (at >= 0) node_reader::refuse("two sequences of one column");
      at = static_cast<std::int64_t>(sequence);
    }
    found.push_back(length >= least && length <= most ? detail::occurrences(n, x, part, length, skips)
                                                      : n.constant(filled({batch, count}, dtype::f32, 0)));
  }
  if (sequence != columns.size())
    n.fail("has " + std::to_string(columns.size()) + " ngram_indexes, the pool " + std::to_string(sequence) +
           " sequences");
  term y = found.size() == 1 ? found[0] : n.add(op::concat{1}, found);
  y = n.add(op::gather{1}, {y, n.whole_constant(place)});
  if (mode == "IDF") y = n.cast(n.add(op::compare{op::comparison::greater}, {y, n.number(0, dtype::f32)}), dtype::f32);
  if (mode != "TF" && !weights.empty()) {
    std::vector<float> in_order;
    for (const std::int64_t k : place) in_order.push_back(weights[static_cast<std::size_t>(k)]);
    y = binary_of(n, op::binary_function::mul, y, n.constant({1, static_cast<int>(width)}, in_order));
  }
  n.result(s.rank == 2 ? y : n.reshaped(y, {static_cast<int>(width)}));
}

}  // namespace ctnn::onnx::readers
