// SPDX-License-Identifier: BSL-1.0
// float functions that constants can use (Clang 14 folds no <cmath>) and that pull no double-precision code and no libm
// into firmware; tests/base/math.cpp measures every one against libm.
#pragma once

#include "math/exponential.hpp"
#include "math/power.hpp"
#include "math/rounding.hpp"
#include "math/trigonometry.hpp"
