// SPDX-License-Identifier: BSL-1.0
// All parts of the library as one unit: what .ci/platforms links, and Clang compiles for every instruction set.
#include <ctnn/compile.hpp>
