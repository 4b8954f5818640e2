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

std::string ShellWords(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%";
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char letter : word)
      text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    text += '\'';
  }
  return text;
}

std::string RangeWords(const Parameter& parameter) {
  const std::string now = ValueText(parameter, parameter.standard);
  if (parameter.scale == Scale::kChoice)
    return fmt::format("{}; now {}", fmt::join(parameter.choices, " or "), now);
  return fmt::format("{} to {}; now {}", ValueText(parameter, parameter.least),
                     ValueText(parameter, parameter.most), now);
}

}  // namespace rankscope::tune
