#include "tune/run/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "table/human_number.h"
#include "tune/adapter/fill.h"

namespace rankscope::tune {

std::string LimitWords(const serving::Objective& limits) {
  const std::array<std::pair<std::string_view, serving::Ns>, 3> all = {
      {{"TTFT", limits.ttft}, {"TPOT", limits.tpot}, {"end to end", limits.e2e}}};
  std::string words;
  for (const auto& [name, limit] : all) {
    if (limit)
      words += fmt::format("{}{} {}", words.empty() ? "within " : ", ", name,
                           HumanDuration(static_cast<double>(*limit)));
  }
  return words;
}

std::string RangeWords(const Parameter& parameter) {
  const std::string now = ValueText(parameter, parameter.standard);
  if (parameter.scale == Scale::kChoice)
    return fmt::format("{}; now {}", fmt::join(parameter.choices, " or "), now);
  return fmt::format("{} to {}; now {}", ValueText(parameter, parameter.least),
                     ValueText(parameter, parameter.most), now);
}

}  // namespace rankscope::tune
