// SPDX-License-Identifier: BSL-1.0
// libFuzzer: a graph whose shapes follow from what it computes is made from bytes, runs in parts, and answers as the
// network that is made whole for the same numbers.
#include "graph_in_parts.hpp"
#include "loaded.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ctnn;
  ir::test::dice throws({data, size});
  const ir::fuzz::graph_in_parts made(throws);
  std::vector<arrays_by_name> fed;
  for (int k = 0; k < 2; ++k) {
    arrays_by_name& now = fed.emplace_back();
    for (const char* name : {"x", "z"}) {
      array a({made.rows(), made.columns()});
      const int rarely = 1 + throws.below(9);
      for (float& f : a.values()) f = throws.one_in(rarely) ? static_cast<float>(throws.below(9) - 4) : 0.0f;
      now.insert_or_assign(name, std::move(a));
    }
    array n(extents{}, dtype::i64), go(extents{}, dtype::boolean);
    n.elements<std::int64_t>()[0] = throws.below(6) - 1;
    go.elements<std::uint8_t>()[0] = !throws.one_in(4);
    now.insert_or_assign("n", std::move(n));
    now.insert_or_assign("go", std::move(go));
    now.insert_or_assign("limit", array(extents{}, std::vector<float>{static_cast<float>(throws.below(5) - 1)}));
  }
  ir::fuzz::try_parts(std::as_bytes(std::span(made.bytes())), fed);
  return 0;
}
