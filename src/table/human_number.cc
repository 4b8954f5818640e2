#include "table/human_number.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace rankscope {
namespace {

// Beyond this a double has no digits to group, and hundreds of them would be printed.
constexpr double kBiggestPlain = 1e15;

// At most three digits that mean something, and groups: 13443.2 -> "13,400".
std::string ThreeDigitsOrZeros(double value) {
  double unit = 1;
  while (std::abs(value) / unit >= 999.5) unit *= 10;
  return GroupedInteger(std::llround(std::round(value / unit) * unit));
}

// `digits` after the point, without the "-0.0" that rounding makes of small negative numbers.
std::string Fixed(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string ThreeDigits(double value) {
  const double size = std::abs(value);
  if (size >= kBiggestPlain) return fmt::format("{:.3g}", value);
  if (size >= 999.5) return ThreeDigitsOrZeros(value);
  // The borders are where rounding would print a digit more.
  if (size >= 99.95) return Fixed(value, 0);
  return Fixed(value, size >= 9.995 ? 1 : 2);
}

bool IsWhole(double value) { return std::abs(value) < kBiggestPlain && value == std::trunc(value); }

}  // namespace

std::string GroupedInteger(std::int64_t value) {
  const fmt::format_int digits(value);
  const std::string_view text(digits.data(), digits.size());
  const std::size_t sign = value < 0 ? 1 : 0;
  std::string out;
  out.reserve(text.size() + text.size() / 3);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > sign && (text.size() - i) % 3 == 0) out += ',';
    out += text[i];
  }
  return out;
}

std::string HumanDuration(double ns) {
  const double size = std::abs(ns);
  if (size < 999.5) {
    return IsWhole(ns) ? fmt::format("{:.0f} ns", ns) : fmt::format("{:.3g} ns", ns);
  }
  if (size < 999.5e3) return ThreeDigits(ns / 1e3) + " us";
  if (size < 999.5e6) return ThreeDigits(ns / 1e6) + " ms";
  return ThreeDigits(ns / 1e9) + " s";
}

std::string HumanMilliseconds(double ms) {
  constexpr double kMsPerHour = 3.6e6;
  return std::abs(ms) < kMsPerHour ? HumanDuration(ms * 1e6) : HumanDecimal(ms / kMsPerHour) + " h";
}

std::string HumanBytes(double bytes) {
  constexpr std::array<std::string_view, 6> kUnits{" kB", " MB", " GB", " TB", " PB", " EB"};
  if (std::abs(bytes) < 999.5) {
    return IsWhole(bytes) ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} B", bytes);
  }
  double scaled = bytes / 1e3;
  std::size_t unit = 0;
  while (std::abs(scaled) >= 999.5 && unit + 1 < kUnits.size()) {
    scaled /= 1e3;
    ++unit;
  }
  return ThreeDigits(scaled).append(kUnits[unit]);
}

std::string HumanPercent(double percent) {
  // Ten times and more is easier to grasp as a factor.
  if (percent >= 999.5) return "x" + ThreeDigits(percent / 100);
  return (std::abs(percent) >= 99.95 ? ThreeDigits(percent) : Fixed(percent, 1)) + "%";
}

std::string HumanDecimal(double value) {
  const double size = std::abs(value);
  if (size >= 999.5 && size < kBiggestPlain)
    return IsWhole(value) ? GroupedInteger(std::llround(value)) : ThreeDigitsOrZeros(value);
  return fmt::format("{:.3g}", value == 0 ? 0.0 : value);
}

}  // namespace rankscope
