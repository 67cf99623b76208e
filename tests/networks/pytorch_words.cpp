// SPDX-License-Identifier: BSL-1.0
// PyTorch's words (module_words.hpp, function_words.hpp): each example is declared in the compiler, and gives what
// PyTorch gives, by the kernels of any element type.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>

#include <ctnn/typed.hpp>

#include "beside_pytorch.hpp"
#include "function_words.hpp"
#include "module_words.hpp"
#include "pytorch_words.hpp"
#include "support/typed_numbers.hpp"

namespace nn = ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

struct examples_read {
  nn::value x, y, matrix, row, signal, image, volume, steps, ids, places;
};
constexpr examples_read inputs_of_examples(nn::graph& m) {
  const nn::input_options unused{.unused = true}, integers{.dtype = nn::dtype::i64, .unused = true};
  return {m.input("x", {2, 3, 4}, unused),
          m.input("y", {2, 3, 4}, unused),
          m.input("matrix", {3, 3}, unused),
          m.input("row", {4}, unused),
          m.input("signal", {2, 4, 9}, unused),
          m.input("image", {2, 4, 6, 8}, unused),
          m.input("volume", {1, 2, 4, 4, 6}, unused),
          m.input("steps", {5, 2, 6}, unused),
          m.input("ids", {2, 3}, integers),
          m.input("places", {2, 3, 4}, integers)};
}

struct example_of_word {
  std::string_view word;
  nn::value (*declare)(nn::graph&, const examples_read&);
};
// clang-format off
#define CTNN_EXAMPLE(word, python, list, ...)                                                             \
  {word, []([[maybe_unused]] nn::graph& m, const examples_read& given) -> nn::value {                     \
     [[maybe_unused]] const auto& [x, y, matrix, row, signal, image, volume, steps, ids, places] = given; \
     return __VA_ARGS__;                                                                                  \
   }},
// clang-format on
#define CTNN_NO_EXAMPLE(word, instead)
constexpr example_of_word examples_of_words[] = {
    CTNN_PYTORCH_MODULES(CTNN_EXAMPLE, CTNN_NO_EXAMPLE) CTNN_PYTORCH_FUNCTIONALS(CTNN_EXAMPLE, CTNN_NO_EXAMPLE)
        CTNN_PYTORCH_NUMBERS(CTNN_EXAMPLE, CTNN_NO_EXAMPLE) CTNN_PYTORCH_TENSORS(CTNN_EXAMPLE, CTNN_NO_EXAMPLE)};
#undef CTNN_NO_EXAMPLE
#undef CTNN_EXAMPLE

/// Several in a row are declared in the compiler, which knows all shapes; of a mistake shapes have ten axes.
constexpr std::size_t at_a_time = 8, example_count = std::size(examples_of_words);
template <std::size_t First>
constexpr bool declares = [] {
  nn::graph m;
  const examples_read given = inputs_of_examples(m);
  for (std::size_t i = First; i < First + at_a_time && i < example_count; ++i)
    if (m.shape(examples_of_words[i].declare(m, given)).rank == nn::max_rank) return false;
  return true;
}();
template <std::size_t... I>
constexpr bool all_declare(std::index_sequence<I...>) {
  for (bool b : {declares<at_a_time * I>...})
    if (!b) return false;
  return true;
}
static_assert(all_declare(std::make_index_sequence<(example_count + at_a_time - 1) / at_a_time>{}));

bytes as_bytes(const void* numbers, std::size_t count) {
  bytes b(count + 8);
  std::memcpy(b.data(), numbers, count);
  return b;
}
bytes made_up_weight(const std::string& key, const expression& leaf) {
  const floats numbers = nn::ir::test::made_up_numbers(key, leaf.shape);
  return as_bytes(numbers.data(), numbers.size() * sizeof(float));
}
bytes made_up_input(const graph_view& g, const node& n) {
  const auto count = static_cast<std::size_t>(g.shape(n.outputs.first).count());
  if (n.name == "ids" || n.name == "places") {
    std::vector<std::int64_t> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::int64_t>(i * 7 % (n.name == "ids" ? 5 : 3));
    return as_bytes(numbers.data(), count * sizeof(std::int64_t));
  }
  const floats numbers = nn::ir::test::random_floats(n.name, static_cast<std::int64_t>(count), -2, 2);
  return as_bytes(numbers.data(), count * sizeof(float));
}
std::vector<double> as_numbers(const bytes& b, nn::dtype type) {
  std::vector<double> numbers(b.size() / static_cast<std::size_t>(size_of(type)));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    float f = 0;
    std::int64_t whole = 0;
    if (type == nn::dtype::f32) std::memcpy(&f, b.data() + 4 * i, 4);
    else if (type == nn::dtype::i64) std::memcpy(&whole, b.data() + 8 * i, 8);
    else whole = b[i];
    numbers[i] = type == nn::dtype::f32 ? static_cast<double>(f) : static_cast<double>(whole);
  }
  return numbers;
}

using record = nn::detail::written_record<nn::detail::record_sizes{8192, 2048, 2048, 1024, 512}>;

/// Empty if an example gives PyTorch's numbers.
std::string differs_from(const answer_to_word& want, const example_of_word& e) {
  nn::graph m;
  const nn::value y = e.declare(m, inputs_of_examples(m));
  const auto written = std::make_unique<record>();
  written->write(m, nn::outputs{{{}, y}});
  if (!written->fits) return "too much";
  if (written->unread != none) return "a layer is not read: " + std::string(written->entries[written->unread].name);
  lowering lowered;
  lower({written->entries, written->needed.entries}, lowered);
  if (lowered.error) return std::string(lowered.layer) + ": a mistake about " + std::string(lowered.error.what);
  const graph_view g = lowered.g.view();
  const auto got = as_numbers(nn::ir::test::typed_outputs_for(g, made_up_input, made_up_weight)[0],
                              g.at_value(g.outputs[0].value).type.type);
  std::ostringstream s;
  if (static_cast<int>(got.size()) != want.count) s << got.size() << " numbers, not " << want.count;
  for (int at = 0, i = want.first; at < want.count && s.str().empty(); at += want.step, ++i) {
    const double now = got[static_cast<std::size_t>(at)], wanted = static_cast<double>(numbers_of_words[i]);
    if (!(std::fabs(now - wanted) <= 1e-5 * std::max(want.largest, 0.1)))
      s << "[" << at << "] is " << now << ", not " << wanted;
  }
  return s.str();
}

}  // namespace

TEST_CASE("examples of PyTorch's words give PyTorch's numbers") {
  std::size_t asked = 0;
  for (const example_of_word& e : examples_of_words)
    for (const answer_to_word& a : answers_to_words) {
      if (a.word != e.word) continue;
      CAPTURE(e.word);
      CHECK(differs_from(a, e) == "");
      ++asked;
    }
  CHECK(asked == std::size(answers_to_words));
}
