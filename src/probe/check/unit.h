// Units of values: exponents of base dimensions, and a scale in powers of 10 and of 2.
//
// A number without a stated unit fits any unit: a raw file becomes celsius where
// gauge(unit=celsius) says so. A stated unit is tracked through arithmetic. Its scale changes when
// the number is multiplied or divided by a literal power of 10 or of 1024: millicelsius / 1000 is
// celsius.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::probe {

struct Unit {
  // Exponents of second, joule, byte, degree, volt.
  std::array<std::int8_t, 5> exponents{};
  std::int16_t tens = 0, twos = 0;  // one unit is 10^tens * 2^twos base units
  bool is_known = false;

  bool operator==(const Unit&) const = default;
};

std::optional<Unit> FindUnit(std::string_view name);
// Names that unit= accepts, in documented order.
const std::vector<std::string>& UnitNames();
// "celsius", "joules / second": uses a name if there is one.
std::string UnitText(const Unit& unit);

inline constexpr Unit kNoUnit{};  // not stated
Unit Plain();                     // 1, the unit of a ratio

// Unit of the product and of the quotient; not stated if either is not stated.
Unit Times(const Unit& a, const Unit& b);
Unit Over(const Unit& a, const Unit& b);
// `unit` after its numbers are multiplied by `factor`. nullopt if the factor is not a power of 10
// or of 1024; then it counts something.
std::optional<Unit> Rescaled(const Unit& unit, double factor);
// What to do with numbers of `from` where `to` is wanted: "divide by 1000".
std::string Conversion(const Unit& from, const Unit& to);
// What to do where these two meet: "divide the first by 1000".
std::string Agreement(const Unit& first, const Unit& second);
// Whether such numbers can be added or compared. A unit that is not stated fits all.
bool Fits(const Unit& a, const Unit& b);

}  // namespace rankscope::probe
