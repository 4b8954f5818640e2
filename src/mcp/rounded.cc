#include "mcp/rounded.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace rankscope::mcp {

double Rounded(double number) {
  constexpr double kSixDigits = 1e5;
  if (std::abs(number) >= kSixDigits) return std::round(number);
  return std::strtod(fmt::format("{:.6g}", number).c_str(), nullptr);
}

}  // namespace rankscope::mcp
