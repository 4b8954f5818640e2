// The operations of the language on values that may be absent. The interpreter and generated C++
// call the same ones, so that both give the same numbers. Absent operands give absent results;
// values that cannot be computed are absent and counted. Header only, no dependencies: generated
// code includes it.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rankscope::probe {

enum class Fault : std::uint8_t {
  kOverflow,    // an integer exceeded its type
  kDivision,    // by zero
  kConversion,  // of a number that does not fit the type
  kElement,     // beyond the end of a list
  kWidth,       // a counter is larger than its declared wrap
  kBounds,      // below lo= or above hi=
  kNotFinite,   // infinite or NaN
};
inline constexpr std::size_t kFaultKinds = 7;
inline constexpr std::array<std::string_view, kFaultKinds> kFaultNames = {
    "overflow", "division by zero",       "conversion", "element",
    "width",    "out of bounds (lo, hi)", "not finite"};

// How often each fault happened. Not thread-safe.
class FaultCounts {
 public:
  void Count(Fault fault) { ++counts_[static_cast<std::size_t>(fault)]; }
  std::uint64_t Of(Fault fault) const { return counts_[static_cast<std::size_t>(fault)]; }
  std::uint64_t Sum() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t one : counts_) sum += one;
    return sum;
  }

 private:
  std::array<std::uint64_t, kFaultKinds> counts_{};
};

template <typename T>
using Maybe = std::optional<T>;

template <typename T>
Maybe<T> Faulty(FaultCounts& faults, Fault fault) {
  faults.Count(fault);
  return std::nullopt;
}

template <typename T>
Maybe<T> Add(Maybe<T> a, Maybe<T> b, FaultCounts& faults) {
  if (!a || !b) return std::nullopt;
  if constexpr (std::floating_point<T>) {
    return *a + *b;
  } else {
    T sum;
    return __builtin_add_overflow(*a, *b, &sum) ? Faulty<T>(faults, Fault::kOverflow) : sum;
  }
}

template <typename T>
Maybe<T> Subtract(Maybe<T> a, Maybe<T> b, FaultCounts& faults) {
  if (!a || !b) return std::nullopt;
  if constexpr (std::floating_point<T>) {
    return *a - *b;
  } else {
    T difference;
    return __builtin_sub_overflow(*a, *b, &difference) ? Faulty<T>(faults, Fault::kOverflow)
                                                       : difference;
  }
}

template <typename T>
Maybe<T> Multiply(Maybe<T> a, Maybe<T> b, FaultCounts& faults) {
  if (!a || !b) return std::nullopt;
  if constexpr (std::floating_point<T>) {
    return *a * *b;
  } else {
    T product;
    return __builtin_mul_overflow(*a, *b, &product) ? Faulty<T>(faults, Fault::kOverflow) : product;
  }
}

template <typename A, typename B>
Maybe<double> Divide(Maybe<A> a, Maybe<B> b, FaultCounts& faults) {
  if (!a || !b) return std::nullopt;
  const double below = static_cast<double>(*b);
  if (below == 0) return Faulty<double>(faults, Fault::kDivision);
  return static_cast<double>(*a) / below;
}

// Rounds towards minus infinity.
template <std::integral T>
Maybe<T> FloorDivide(Maybe<T> a, Maybe<T> b, FaultCounts& faults) {
  if (!a || !b) return std::nullopt;
  if (*b == 0) return Faulty<T>(faults, Fault::kDivision);
  if constexpr (std::signed_integral<T>) {
    if (*b == -1) return Subtract<T>(T{0}, a, faults);
    const T quotient = *a / *b;
    return *a % *b != 0 && (*a < 0) != (*b < 0) ? quotient - 1 : quotient;
  } else {
    return *a / *b;
  }
}

// Has the sign of the divisor.
template <std::integral T>
Maybe<T> Modulo(Maybe<T> a, Maybe<T> b, FaultCounts& faults) {
  if (!a || !b) return std::nullopt;
  if (*b == 0) return Faulty<T>(faults, Fault::kDivision);
  if constexpr (std::signed_integral<T>) {
    if (*b == -1) return T{0};
    const T rest = *a % *b;
    return rest != 0 && (rest < 0) != (*b < 0) ? rest + *b : rest;
  } else {
    return *a % *b;
  }
}

template <typename T>
Maybe<T> Negate(Maybe<T> a, FaultCounts& faults) {
  if constexpr (std::floating_point<T>)
    return a ? Maybe<T>(-*a) : std::nullopt;
  else
    return Subtract<T>(T{0}, a, faults);
}

template <typename T>
Maybe<T> Absolute(Maybe<T> a, FaultCounts& faults) {
  if constexpr (std::unsigned_integral<T>)
    return a;
  else if constexpr (std::floating_point<T>)
    return a ? Maybe<T>(std::fabs(*a)) : std::nullopt;
  else
    return a && *a < 0 ? Negate<T>(a, faults) : a;
}

using Natural = std::uint64_t;
inline Maybe<Natural> BitAnd(Maybe<Natural> a, Maybe<Natural> b) {
  return a && b ? Maybe<Natural>(*a & *b) : std::nullopt;
}
inline Maybe<Natural> BitOr(Maybe<Natural> a, Maybe<Natural> b) {
  return a && b ? Maybe<Natural>(*a | *b) : std::nullopt;
}
inline Maybe<Natural> BitXor(Maybe<Natural> a, Maybe<Natural> b) {
  return a && b ? Maybe<Natural>(*a ^ *b) : std::nullopt;
}
inline Maybe<Natural> Invert(Maybe<Natural> a) { return a ? Maybe<Natural>(~*a) : std::nullopt; }
inline Maybe<Natural> ShiftRight(Maybe<Natural> a, Maybe<Natural> b) {
  return a && b ? Maybe<Natural>(*b < 64 ? *a >> *b : 0) : std::nullopt;
}
// Bits that do not fit the type are an overflow.
inline Maybe<Natural> ShiftLeft(Maybe<Natural> a, Maybe<Natural> b, FaultCounts& faults) {
  if (!a || !b) return std::nullopt;
  if (*a == 0) return Natural{0};
  if (*b >= 64 || (*a << *b) >> *b != *a) return Faulty<Natural>(faults, Fault::kOverflow);
  return *a << *b;
}

template <typename T, typename Holds>
Maybe<bool> Compare(const Maybe<T>& a, const Maybe<T>& b, Holds holds) {
  return a && b ? Maybe<bool>(holds(*a, *b)) : std::nullopt;
}

// False if one operand is false, even when the other is absent; Or likewise with true.
inline Maybe<bool> Not(Maybe<bool> a) { return a ? Maybe<bool>(!*a) : std::nullopt; }
inline Maybe<bool> And(Maybe<bool> a, Maybe<bool> b) {
  if ((a && !*a) || (b && !*b)) return false;
  return a && b ? Maybe<bool>(true) : std::nullopt;
}
inline Maybe<bool> Or(Maybe<bool> a, Maybe<bool> b) {
  if ((a && *a) || (b && *b)) return true;
  return a && b ? Maybe<bool>(false) : std::nullopt;
}

template <typename T>
Maybe<T> OrElse(Maybe<T> a, Maybe<T> b) {
  return a ? std::move(a) : std::move(b);
}

// Keeps a NaN in `a`: every comparison with it is false.
template <typename T>
Maybe<T> Least(Maybe<T> a, Maybe<T> b) {
  return a && b ? Maybe<T>(*b < *a ? *b : *a) : std::nullopt;
}
template <typename T>
Maybe<T> Most(Maybe<T> a, Maybe<T> b) {
  return a && b ? Maybe<T>(*a < *b ? *b : *a) : std::nullopt;
}

template <typename To, typename From>
Maybe<To> Convert(Maybe<From> a, FaultCounts& faults) {
  if (!a) return std::nullopt;
  if constexpr (std::floating_point<To>) {
    return static_cast<To>(*a);
  } else if constexpr (std::floating_point<From>) {
    // Rounds towards zero. Both bounds are powers of two, so they are exact.
    const double least = std::is_signed_v<To> ? -0x1p63 : 0.0;
    const double beyond = std::is_signed_v<To> ? 0x1p63 : 0x1p64;
    const double whole = std::trunc(*a);
    if (!(whole >= least && whole < beyond)) return Faulty<To>(faults, Fault::kConversion);
    return static_cast<To>(whole);
  } else if constexpr (std::same_as<From, bool>) {
    return static_cast<To>(*a ? 1 : 0);
  } else {
    if (!std::in_range<To>(*a)) return Faulty<To>(faults, Fault::kConversion);
    return static_cast<To>(*a);
  }
}

// The change of a counter between two readings. `wrap`: number of bits after which it wraps; 0: it
// does not wrap. A smaller value is then a reset, and the change is unknown.
template <typename T>
Maybe<T> Delta(Maybe<T> now, Maybe<T> before, int wrap, FaultCounts& faults) {
  if (!now || !before) return std::nullopt;
  if constexpr (std::unsigned_integral<T>) {
    if (wrap == 64) return *now - *before;
    if (wrap > 0) {
      const T size = T{1} << wrap;
      if (*now >= size || *before >= size) return Faulty<T>(faults, Fault::kWidth);
      return (*now - *before) & (size - 1);
    }
  }
  if (!(*now >= *before)) return std::nullopt;
  return Subtract<T>(now, before, faults);
}

template <typename T>
Maybe<double> Rate(Maybe<T> now, Maybe<T> before, int wrap, std::int64_t elapsed_ns,
                   FaultCounts& faults) {
  const Maybe<T> delta = Delta<T>(now, before, wrap, faults);
  if (!delta) return std::nullopt;
  if (elapsed_ns <= 0) return Faulty<double>(faults, Fault::kDivision);
  return static_cast<double>(*delta) / (static_cast<double>(elapsed_ns) * 1e-9);
}

template <typename T>
Maybe<T> Bounded(Maybe<T> value, Maybe<double> least, Maybe<double> most, FaultCounts& faults) {
  if (!value) return std::nullopt;
  const double real = static_cast<double>(*value);
  if (!std::isfinite(real)) return Faulty<T>(faults, Fault::kNotFinite);
  if ((least && real < *least) || (most && real > *most)) return Faulty<T>(faults, Fault::kBounds);
  return value;
}

}  // namespace rankscope::probe
