// SPDX-License-Identifier: BSL-1.0
#include "gives.hpp"

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

constexpr float x[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

constexpr bool moves() {
  const operand matrix{{2, 3}, {x, 6}}, cube{{2, 2, 3}, x}, other{{2, 1}, {x + 6, 2}};
  return gives(op::flatten{}, {cube}, {}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) &&
         gives(op::reshape{{3, -1}}, {matrix}, {}, {0, 1, 2, 3, 4, 5}) &&
         gives(op::permute{{1, 0}}, {matrix}, {}, {0, 3, 1, 4, 2, 5}) &&
         gives(op::permute{{2, 0, 1}}, {cube}, {}, {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}) &&
         gives(op::permute{{1, 0, 2}}, {cube}, {}, {0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11}) &&
         gives(op::channel_shuffle{2}, {{{4, 1, 3}, x}}, {}, {0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11}) &&
         gives(op::channel_shuffle{2}, {{{2, 6, 1, 1}, x}}, {}, {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}) &&
         gives(op::pixel_shuffle{{2, 2}}, {{{4, 1, 3}, x}}, {}, {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}) &&
         gives(op::pixel_shuffle{{1, 3}}, {{{6, 1, 2}, x}}, {}, {0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11}) &&
         gives(op::pad{op::pad_mode::constant, {1, 0}, {0, 1}, 9}, {matrix}, {},
               {9, 9, 9, 9, 0, 1, 2, 9, 3, 4, 5, 9}) &&
         gives(op::pad{op::pad_mode::reflect, {0, 2}, {0, 1}}, {matrix}, {}, {2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4}) &&
         gives(op::pad{op::pad_mode::edge, {0, -1}, {0, 1}}, {matrix}, {}, {1, 2, 2, 4, 5, 5}) &&
         gives(op::concat{1}, {matrix, other}, {}, {0, 1, 2, 6, 3, 4, 5, 7}) &&
         gives(op::concat{-2}, {matrix, matrix}, {}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}) &&
         gives(op::split{{1, 2}, 1}, {matrix}, {}, {0, 3, 1, 2, 4, 5}) &&
         gives(op::split{{1, 1}, 0}, {matrix}, {}, {0, 1, 2, 3, 4, 5}) &&
         gives(op::slice{{1}, {1}}, {matrix}, {}, {1, 2, 4, 5}) &&
         gives(op::slice{{-1}, {-3}, {-1}}, {cube}, {}, {0, 1, 3, 4, 6, 7, 9, 10}) &&
         gives(op::slice{{0}, {1}, {2}}, {cube}, {}, {6, 7, 8, 9, 10, 11}) &&
         gives(op::full{{2, 2}, 3}, {}, {}, {3, 3, 3, 3}) && gives(op::constant{{2, 2}}, {}, {x}, {0, 1, 2, 3});
}
static_assert(moves());

}  // namespace

TEST_CASE("moving elements by hand") { CHECK(moves()); }
