// SPDX-License-Identifier: BSL-1.0
// Bytes that stand for real numbers, as operators read and make them: what is asked of their elements, what results lie
// between, and how integers become others.
#pragma once

#include "../../base/requantize.hpp"
#include "../activation.hpp"
#include "typing.hpp"

namespace ctnn::op {

/// Is it one that bounds a value, and nothing more?
constexpr bool is_bounds(const activation_function& f) {
  return !f || f.kind == function::relu || f.kind == function::clip;
}
/// What results lie between: those of the element's type, and what an activation leaves of them.
struct byte_bounds {
  int low, high;
  constexpr byte_bounds(const activation_function& f, const element& as)
      : low(as == dtype::u8    ? 0
            : as == dtype::i16 ? -32768
                               : -128),
        high(as == dtype::u8    ? 255
             : as == dtype::i16 ? 32767
                                : 127) {
    const auto [scale, zero] = as.real;
    const auto place = [&, scale = scale, zero = zero](float x, int otherwise) {
      const double at = static_cast<double>(x) / scale + zero;
      return at < low ? low : at > high ? high : at == at ? rounded_away(at - zero) + zero : otherwise;
    };
    const int least = low, most = high;
    if (f.kind == function::relu) low = place(0, least);
    if (f.kind == function::clip) {
      const int first = place(f.a, least), last = place(f.b, most);
      low = first;
      high = last < first ? first : last;
    }
  }
  constexpr int of(std::int32_t x) const { return x < low ? low : x > high ? high : x; }
};

/// Do some inputs stand for real numbers, so that the layer computes with these?
constexpr bool reads_reals(types in) {
  for (const element& e : in)
    if (e.real) return true;
  return false;
}
/// Bytes of what is asked for, made of the first `count` inputs, which are bytes too; all of them stand for real
/// numbers. Nobody but the network can say what the result is to stand for: `as` is missing where it does not. Where
/// `wide` numbers of 16 bits are taken they become such; they have no zero points, and are rounded twice.
constexpr problem infer_byte_elements(types in, std::size_t count, types wanted, element& made, std::string_view name,
                                      bool wide = false) {
  wide = wide && type_at(in, 0) == dtype::i16;
  constexpr std::string_view read[] = {"of", "with"};
  for (std::size_t i = 0; i < count; ++i) {
    if (wide ? type_at(in, i) != dtype::i16 : !is_byte(type_at(in, i))) return wrong_type(name, type_at(in, i));
    if (wide && element_at(in, i).real.zero != 0) return {mistake::option_out_of_range, read[i]};
    if (const problem p = check_quantization(read[i], element_at(in, i).real, type_at(in, i))) return p;
  }
  if (wanted.empty() || !wanted[0].real) return {mistake::missing_option, "as"};
  made = wanted[0];
  if (wide ? made != dtype::i16 : !is_byte(made)) return wrong_type("result", made);
  if (wide && made.real.zero != 0) return {mistake::option_out_of_range, "as"};
  if (wide ? made.rounded != ir::rounding::twice : made.rounded == ir::rounding::away)
    return {mistake::option_out_of_range, "rounded"};
  return check_quantization("as", made.real, made);
}

/// What integers that stand for real numbers become as others, between the bounds of an activation.
class requantization {
 public:
  constexpr requantization(const activation_function& bounds, const element& of, const element& as)
      : how_(as.rounded),
        once_rounded_(of.real.scale / as.real.scale),
        twice_rounded_(of.real.scale / as.real.scale),
        of_(of.real),
        as_(as.real),
        bounds_(bounds, as) {
    if (how_ != rounding::coarse) return;
    const float ratio = static_cast<float>(of_.scale) / static_cast<float>(as_.scale);
    coarse_ = nearest_even(256 * (ratio < 65536 ? ratio : 65536));
  }
  constexpr std::int32_t of(std::int32_t x) const {
    const auto steps = static_cast<std::int32_t>(static_cast<std::uint32_t>(x) - static_cast<std::uint32_t>(of_.zero));
    const std::int64_t y = of_steps(steps) + as_.zero;
    return bounds_.of(static_cast<std::int32_t>(y < -most ? -most : y > most ? most : y));
  }
  constexpr const byte_bounds& bounds() const { return bounds_; }
  /// Null if sums are not rounded once.
  constexpr const fixed_factor* factor() const { return how_ == rounding::once ? &once_rounded_ : nullptr; }

 private:
  static constexpr std::int64_t most = 1 << 30;
  constexpr std::int64_t of_steps(std::int32_t steps) const {
    if (how_ == rounding::once) return once_rounded_.of(steps);
    if (how_ == rounding::twice) return twice_rounded_.of(steps);
    if (how_ == rounding::coarse) return (std::int64_t{steps} * coarse_ + 128) >> 8;
    const float y = static_cast<float>(steps) * static_cast<float>(of_.scale) / static_cast<float>(as_.scale);
    return y < static_cast<float>(-most) ? -most : y > static_cast<float>(most) ? most : nearest_even(y);
  }

  rounding how_;
  fixed_factor once_rounded_;
  twice_rounded_factor twice_rounded_;
  quantization of_, as_;
  std::int32_t coarse_ = 0;  ///< 256 times the factor
  byte_bounds bounds_;
};

}  // namespace ctnn::op
