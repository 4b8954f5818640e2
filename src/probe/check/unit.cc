#include "probe/check/unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rankscope::probe {
namespace {

enum Base { kSecond, kJoule, kByte, kDegree, kVolt };
constexpr std::array<std::string_view, 5> kBaseNames = {"second", "joule", "byte", "celsius",
                                                        "volt"};

struct NamedUnit {
  std::string_view name;
  Unit unit;
};

constexpr Unit Of(std::array<std::int8_t, 5> exponents, int tens = 0, int twos = 0) {
  return {exponents, static_cast<std::int16_t>(tens), static_cast<std::int16_t>(twos), true};
}

// The first of several names of one unit is the one that is shown.
constexpr std::array kUnits = {
    NamedUnit{"none", Of({})},
    NamedUnit{"ratio", Of({})},
    NamedUnit{"count", Of({})},
    NamedUnit{"percent", Of({}, -2)},
    NamedUnit{"seconds", Of({1, 0, 0, 0, 0})},
    NamedUnit{"milliseconds", Of({1, 0, 0, 0, 0}, -3)},
    NamedUnit{"microseconds", Of({1, 0, 0, 0, 0}, -6)},
    NamedUnit{"nanoseconds", Of({1, 0, 0, 0, 0}, -9)},
    NamedUnit{"hertz", Of({-1, 0, 0, 0, 0})},
    NamedUnit{"kilohertz", Of({-1, 0, 0, 0, 0}, 3)},
    NamedUnit{"megahertz", Of({-1, 0, 0, 0, 0}, 6)},
    NamedUnit{"joules", Of({0, 1, 0, 0, 0})},
    NamedUnit{"millijoules", Of({0, 1, 0, 0, 0}, -3)},
    NamedUnit{"microjoules", Of({0, 1, 0, 0, 0}, -6)},
    NamedUnit{"watts", Of({-1, 1, 0, 0, 0})},
    NamedUnit{"milliwatts", Of({-1, 1, 0, 0, 0}, -3)},
    NamedUnit{"microwatts", Of({-1, 1, 0, 0, 0}, -6)},
    NamedUnit{"bytes", Of({0, 0, 1, 0, 0})},
    NamedUnit{"kibibytes", Of({0, 0, 1, 0, 0}, 0, 10)},
    NamedUnit{"mebibytes", Of({0, 0, 1, 0, 0}, 0, 20)},
    NamedUnit{"gibibytes", Of({0, 0, 1, 0, 0}, 0, 30)},
    NamedUnit{"bytes_per_second", Of({-1, 0, 1, 0, 0})},
    NamedUnit{"celsius", Of({0, 0, 0, 1, 0})},
    NamedUnit{"millicelsius", Of({0, 0, 0, 1, 0}, -3)},
    NamedUnit{"volts", Of({0, 0, 0, 0, 1})},
    NamedUnit{"millivolts", Of({0, 0, 0, 0, 1}, -3)},
};

// Exponents of hostile expressions stay in their type.
std::int8_t Bounded(int exponent) {
  return static_cast<std::int8_t>(std::clamp(exponent, -100, 100));
}
std::int16_t BoundedScale(int scale) {
  return static_cast<std::int16_t>(std::clamp(scale, -10'000, 10'000));
}

Unit Combined(const Unit& a, const Unit& b, int sign) {
  if (!a.is_known || !b.is_known) return kNoUnit;
  Unit unit = a;
  for (std::size_t i = 0; i < unit.exponents.size(); ++i)
    unit.exponents[i] = Bounded(a.exponents[i] + sign * b.exponents[i]);
  unit.tens = BoundedScale(a.tens + sign * b.tens);
  unit.twos = BoundedScale(a.twos + sign * b.twos);
  return unit;
}

std::string Product(const Unit& unit, int sign) {
  std::string text;
  for (std::size_t i = 0; i < unit.exponents.size(); ++i) {
    const int exponent = sign * unit.exponents[i];
    if (exponent <= 0) continue;
    if (!text.empty()) text += " * ";
    text += kBaseNames[i];
    if (exponent > 1) text += fmt::format("^{}", exponent);
  }
  return text;
}

// What numbers of `from` are multiplied by to be of `to`, as powers of 10 and 2.
struct Factor {
  int tens = 0, twos = 0;
};

std::optional<Factor> FactorOf(const Unit& from, const Unit& to) {
  if (!from.is_known || !to.is_known || from.exponents != to.exponents) return std::nullopt;
  return Factor{from.tens - to.tens, from.twos - to.twos};
}

// "1000"; "10^24" where no literal is that long.
std::string Power(int base, int exponent) {
  constexpr double kMostDigits = 18;
  if (exponent * std::log10(base) > kMostDigits) return fmt::format("{}^{}", base, exponent);
  std::uint64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= static_cast<std::uint64_t>(base);
  return fmt::format("{}", power);
}

// "divide X by 1000"; X is empty, or ends with a space.
std::string Step(int base, int exponent, std::string_view of) {
  return exponent < 0 ? fmt::format("divide {}by {}", of, Power(base, -exponent))
                      : fmt::format("multiply {}by {}", of, Power(base, exponent));
}

std::string Steps(const Factor& factor, std::string_view of) {
  if (factor.twos == 0) return Step(10, factor.tens, of);
  if (factor.tens == 0) return Step(2, factor.twos, of);
  return Step(2, factor.twos, of) + " and " + Step(10, factor.tens, "");
}

}  // namespace

std::optional<Unit> FindUnit(std::string_view name) {
  const auto found = std::ranges::find(kUnits, name, &NamedUnit::name);
  return found == kUnits.end() ? std::nullopt : std::optional(found->unit);
}

const std::vector<std::string>& UnitNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    names.reserve(kUnits.size());
    for (const NamedUnit& one : kUnits) names.emplace_back(one.name);
    return names;
  }();
  return kNames;
}

std::string UnitText(const Unit& unit) {
  if (!unit.is_known) return "no stated unit";
  if (unit == Plain()) return "ratio";
  const auto found = std::ranges::find(kUnits, unit, &NamedUnit::unit);
  if (found != kUnits.end()) return std::string(found->name);
  std::string text;
  if (unit.tens != 0) text += fmt::format("10^{} ", unit.tens);
  if (unit.twos != 0) text += fmt::format("2^{} ", unit.twos);
  const std::string above = Product(unit, 1), below = Product(unit, -1);
  text += above.empty() ? "1" : above;
  if (!below.empty()) text += " / " + below;
  return text;
}

Unit Plain() { return Of({}); }

Unit Times(const Unit& a, const Unit& b) { return Combined(a, b, 1); }
Unit Over(const Unit& a, const Unit& b) { return Combined(a, b, -1); }

std::optional<Unit> Rescaled(const Unit& unit, double factor) {
  if (!unit.is_known || !(factor > 0) || factor == 1) return std::nullopt;
  Unit rescaled = unit;
  const double tens = std::round(std::log10(factor));
  if (std::abs(factor / std::pow(10.0, tens) - 1) < 1e-12) {
    rescaled.tens = BoundedScale(unit.tens - static_cast<int>(tens));
    return rescaled;
  }
  const double twos = std::round(std::log2(factor));
  if (std::exp2(twos) == factor && std::fmod(twos, 10) == 0) {
    rescaled.twos = BoundedScale(unit.twos - static_cast<int>(twos));
    return rescaled;
  }
  return std::nullopt;
}

std::string Conversion(const Unit& from, const Unit& to) {
  const std::optional<Factor> factor = FactorOf(from, to);
  if (factor) return Steps(*factor, "");
  return "no factor converts one to the other; is the unit= of its source right?";
}

std::string Agreement(const Unit& first, const Unit& second) {
  std::optional<Factor> factor = FactorOf(first, second);
  if (!factor) return "no factor converts one to the other; is the unit= of their sources right?";
  // The smaller unit is divided.
  if (factor->tens > 0 || (factor->tens == 0 && factor->twos > 0))
    return Steps({-factor->tens, -factor->twos}, "the second ");
  return Steps(*factor, "the first ");
}

bool Fits(const Unit& a, const Unit& b) { return !a.is_known || !b.is_known || a == b; }

}  // namespace rankscope::probe
