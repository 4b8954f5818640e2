// Rounds numbers for a model.
#pragma once

#include <optional>

namespace rankscope::mcp {

// To six significant digits, or to a whole number if it has more: further digits cost a model more
// than they are worth.
double Rounded(double number);
inline std::optional<double> Rounded(const std::optional<double>& number) {
  return number ? std::optional(Rounded(*number)) : std::nullopt;
}

}  // namespace rankscope::mcp
