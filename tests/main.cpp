// SPDX-License-Identifier: BSL-1.0
// The one translation unit that brings doctest's main.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
