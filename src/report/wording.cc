#include "report/wording.h"

#include <fmt/core.h>

#include "schemas/words.h"
#include "table/human_number.h"

namespace rankscope {
std::string MetricLabel(std::string_view metric, std::string_view unit) {
  const MetricWords* words = FindWords(kMetrics, metric);
  std::string text(words == nullptr ? metric : words->label);
  if (unit.ends_with("/step")) text += " per step";
  return text;
}

std::string HumanValue(std::optional<double> value, std::string_view unit) {
  if (!value) return "?";
  const std::string_view base = unit.ends_with("/step") ? unit.substr(0, unit.size() - 5) : unit;
  if (base == "ns") return HumanDuration(*value);
  if (base == "%") return HumanPercent(*value);
  if (base == "bytes") return HumanBytes(*value);
  if (base == "bytes/s") return HumanBytes(*value) + "/s";
  return HumanDecimal(*value);
}

std::string Plural(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", GroupedInteger(static_cast<std::int64_t>(count)), one,
                     count == 1 ? "" : "s");
}

}  // namespace rankscope
