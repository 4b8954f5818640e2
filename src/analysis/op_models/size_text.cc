#include "analysis/op_models/size_text.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace rankscope {
namespace {

// "8.6 G", "340 M", "12 k": two significant digits and the unit's prefix.
std::string TwoDigits(double value) {
  constexpr std::array<const char*, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  if (!(value >= 1)) return "0 ";
  const double digit = std::pow(10, std::floor(std::log10(value)) - 1);
  double rounded = std::round(value / digit) * digit;
  std::size_t prefix = 0;
  // What pow and the product round away must not turn 1,000 M into 1e+03 M.
  constexpr double kNearlyThousand = 999.5;
  for (; rounded >= kNearlyThousand && prefix + 1 < kPrefixes.size(); ++prefix) rounded /= 1000;
  return rounded < 9.95 ? fmt::format("{:.1f} {}", rounded, kPrefixes[prefix])
                        : fmt::format("{:.0f} {}", rounded, kPrefixes[prefix]);
}

}  // namespace

std::string SizeText(const OpCost& cost) {
  return fmt::format("{}FLOP, {}B", TwoDigits(cost.flops), TwoDigits(cost.bytes));
}

}  // namespace rankscope
