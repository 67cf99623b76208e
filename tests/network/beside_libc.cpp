// SPDX-License-Identifier: BSL-1.0
// Every word can be said without ctnn:: where C's headers put their names into the global namespace.
#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if __has_include(<unistd.h>)
#include <search.h>
#include <strings.h>
#include <unistd.h>
#endif

#include <ctnn/ctnn.hpp>

#include <doctest/doctest.h>

using namespace ctnn;

namespace {

template <template <fixed_string, class...> class>
struct layer_said {};
template <class>
struct option_said {};
template <template <number...> class>
struct numbers_said {};
template <template <number> class>
struct number_said {};

#define CTNN_WORD(word, ...) using said_##word [[maybe_unused]] = layer_said<word>;
CTNN_LAYER_WORDS(CTNN_WORD)
#undef CTNN_WORD
#define CTNN_WORD(word, ...) using said_##word [[maybe_unused]] = option_said<word>;
CTNN_OPTION_WORDS(CTNN_WORD)
#undef CTNN_WORD
#define CTNN_WORD(word, key) using said_##word [[maybe_unused]] = number_said<word>;
CTNN_NUMBER_WORDS(CTNN_WORD)
#undef CTNN_WORD
#define CTNN_WORD(word, key) using said_##word [[maybe_unused]] = numbers_said<word>;
CTNN_NUMBERS_WORDS(CTNN_WORD)
#undef CTNN_WORD

}  // namespace

TEST_CASE("words stand beside C's names") {
  using net = network<input<"x", shape<2>>, tanh_activation<"t">, power<"p", scalar<2>>, divide<"d", scalar<4>>>;
  static const parameters<net> none;
  static engine<net> run(none);
  const float x[] = {0, 30};
  const auto y = run(x);
  CHECK(y[0] == 0);
  CHECK(y[1] == 0.25f);
}
