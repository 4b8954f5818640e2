#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "table/human_number.h"

namespace rankscope {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kMetricLabels = {{
    {"compute", "computing"},
    {"hfu", "FLOP utilisation"},
    {"exposed_communication", "exposed communication"},
    {"exposed_copy", "exposed copies"},
    {"idle_host", "idle for the host"},
    {"idle_data", "idle for data"},
    {"idle_sync", "idle in sync calls"},
    {"communication_hidden", "communication hidden"},
    {"communication_hidden_time", "hidden communication time"},
    {"communication_exposed_time", "exposed communication time"},
}};

const PartWords* FindWords(std::span<const PartWords> words, std::string_view id) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [id](const PartWords& part) { return part.id == id; });
  return found == words.end() ? nullptr : &*found;
}

}  // namespace

const PartWords* FindPart(std::string_view id) { return FindWords(kParts, id); }
const PartWords* FindPathPart(std::string_view id) { return FindWords(kPathParts, id); }

bool IsIdle(std::string_view part) { return part.starts_with("idle_") || part == "unknown"; }

std::string MetricLabel(std::string_view metric, std::string_view unit) {
  std::string text(metric);
  std::replace(text.begin(), text.end(), '_', ' ');
  for (const auto& [id, label] : kMetricLabels) {
    if (id == metric) text = label;
  }
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
