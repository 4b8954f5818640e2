#include "report/base/wording.h"

#include <algorithm>

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

std::string Ranges(std::span<const std::int64_t> numbers, std::size_t most) {
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t begin = 0; begin < numbers.size();) {
    std::size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    if (++ranges > most) return text + "...";
    text += std::to_string(numbers[begin]);
    // Two neighbours are shorter as they are.
    if (end - begin == 2) text += ", " + std::to_string(numbers[end - 1]);
    if (end - begin > 2) text += "-" + std::to_string(numbers[end - 1]);
    begin = end;
  }
  return text;
}

std::string Plural(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", GroupedInteger(static_cast<std::int64_t>(count)), one,
                     count == 1 ? "" : "s");
}

std::string AsSentence(std::string text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_letter);
  const bool is_word = end != text.begin() && (end == text.end() || *end == ' ' || *end == ',');
  if (is_word && text.front() != '-') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

}  // namespace rankscope
