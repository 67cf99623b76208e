// SPDX-License-Identifier: BSL-1.0
// float functions that constants can use (Clang 14 folds no <cmath>) and that pull no double-precision code and no libm
// into firmware; tests/base/math.cpp measures every one against libm.
#pragma once

#include "math/exponential.hpp"
#include "math/power.hpp"
#include "math/rounding.hpp"
#include "math/special.hpp"
#include "math/trigonometry.hpp"

namespace ctnn::ir::math {

/// Functions of a type of numbers, for kernels over several; double's are the C library's (kernels/typed/real.hpp), and
/// elements of a field have some, too (loaded/proof/field.hpp).
template <class T>
struct of;
template <>
struct of<float> {
  static constexpr float sqrt(float x) { return math::sqrt(x); }
  static constexpr float pow(float x, float y) { return math::pow(x, y); }
  static constexpr float abs(float x) { return math::abs(x); }
  static constexpr float exp(float x) { return math::exp(x); }
  static constexpr float log(float x) { return math::log(x); }
  static constexpr float max(float x, float y) { return math::max(x, y); }
  static constexpr float min(float x, float y) { return math::min(x, y); }
};

}  // namespace ctnn::ir::math
