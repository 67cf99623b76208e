// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <array>

#include <ctnn/base/byte_order.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

template <class... Bytes>
auto bytes(Bytes... b) {
  return std::array{std::byte(b)...};
}

}  // namespace

TEST_CASE("numbers of a file on machines of either order") {
  auto four = bytes(1, 2, 3, 4, 5, 6, 7, 8);
  swap_from_file(four, 4, std::endian::little);
  CHECK(four == bytes(1, 2, 3, 4, 5, 6, 7, 8));
  swap_from_file(four, 4, std::endian::big);
  CHECK(four == bytes(4, 3, 2, 1, 8, 7, 6, 5));
  swap_from_file(four, 2, std::endian::big);
  CHECK(four == bytes(3, 4, 1, 2, 7, 8, 5, 6));
  swap_from_file(four, 8, std::endian::big);
  CHECK(four == bytes(6, 5, 8, 7, 2, 1, 4, 3));
  swap_from_file(four, 1, std::endian::big);
  CHECK(four == bytes(6, 5, 8, 7, 2, 1, 4, 3));
  const float one = 1;
  auto of_file = bytes(0, 0, 0x80, 0x3f);
  swap_from_file(of_file, 4);
  CHECK(std::bit_cast<float>(of_file) == one);
}
