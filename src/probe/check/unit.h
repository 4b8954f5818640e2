// Units of values: exponents of base dimensions, and a scale of powers of 10 and of 2.
//
// A number whose unit is not stated fits any: a raw file becomes celsius where gauge(unit=celsius)
// says so. A number whose unit is stated is followed through arithmetic. Its scale changes where it
// is multiplied or divided by a literal power of 10 or of 1024: millicelsius / 1000 is celsius.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::probe {

struct Unit {
  // Of second, joule, byte, degree, volt.
  std::array<std::int8_t, 5> exponents{};
  std::int16_t tens = 0, twos = 0;  // one of it is 10^tens * 2^twos base units
  bool is_known = false;

  bool operator==(const Unit&) const = default;
};

std::optional<Unit> FindUnit(std::string_view name);
// The names that unit= takes, in the order in which they are documented.
const std::vector<std::string>& UnitNames();
// "celsius", "joules / second": a name where there is one.
std::string UnitText(const Unit& unit);

inline constexpr Unit kNoUnit{};  // not stated
Unit Plain();                     // 1, of a ratio

// Of the product and the quotient; not stated where one is not.
Unit Times(const Unit& a, const Unit& b);
Unit Over(const Unit& a, const Unit& b);
// `unit` behind a multiplication of its numbers with `factor`; nothing where the factor is no power
// of 10 or of 1024, so that it counts something.
std::optional<Unit> Rescaled(const Unit& unit, double factor);
// Whether numbers of both can be added or compared. What is not stated fits.
bool Fits(const Unit& a, const Unit& b);

}  // namespace rankscope::probe
