// Numbers as a model needs them.
#pragma once

#include <optional>

namespace rankscope::mcp {

// To six significant digits, or to a whole number where it has more: digits cost a model more than
// they tell it.
double Rounded(double number);
inline std::optional<double> Rounded(const std::optional<double>& number) {
  return number ? std::optional(Rounded(*number)) : std::nullopt;
}

}  // namespace rankscope::mcp
