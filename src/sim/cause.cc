#include "sim/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace rankscope::sim {
namespace {

constexpr unsigned kEveryJob = ~0U;

constexpr std::array<CauseInfo, kCauseCount> kTable = {{
    {.id = CauseId::kSlowGpu,
     .name = "slow-gpu",
     .what = "the device of a rank runs the same kernels slower",
     .severity = "share of time added to every compute kernel",
     .default_severity = 0.5,
     .max_severity = 1000,
     .scope = Scope::kOneRank,
     .jobs = kEveryJob},
    {.id = CauseId::kSlowHost,
     .name = "slow-host",
     .what = "the processor of a rank is slower",
     .severity = "share of time added to everything that the host does",
     .default_severity = 3,
     .max_severity = 1000,
     .scope = Scope::kOneRank,
     .jobs = kEveryJob},
}};

Status Bad(std::string_view text, std::string_view why) {
  return Error(StatusCode::kInvalidArgument,
               "plant: '{}': {}; it should read ID[:rank=3,steps=2-4,severity=0.3]", text, why);
}

template <typename T>
std::optional<T> Number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view TakeUpTo(char separator, std::string_view* rest) {
  const std::size_t at = std::min(rest->find(separator), rest->size());
  const std::string_view first = rest->substr(0, at);
  rest->remove_prefix(std::min(at + 1, rest->size()));
  return first;
}

// "3", "2-4", "1+4-6": ascending numbers without repetition.
std::optional<std::vector<int>> ParseNumbers(std::string_view text) {
  constexpr int kMost = 100'000;
  std::vector<int> numbers;
  while (!text.empty()) {
    std::string_view part = TakeUpTo('+', &text);
    const bool range = part.find('-') != std::string_view::npos;
    const auto first = Number<int>(TakeUpTo('-', &part));
    const auto last = range ? Number<int>(part) : first;
    if (!first || !last || *first < 0 || *last < *first || *last > kMost) return std::nullopt;
    for (int number = *first; number <= *last; ++number) numbers.push_back(number);
  }
  if (numbers.empty()) return std::nullopt;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

Status ParseSetting(std::string_view text, std::string_view setting, PlantedCause* planted) {
  std::string_view value = setting;
  const std::string_view key = TakeUpTo('=', &value);
  if (key == "severity") {
    const auto severity = Number<double>(value);
    if (!severity) return Bad(text, "the severity is no number");
    planted->severity = *severity;
    return OkStatus();
  }
  const bool ranks = key == "rank" || key == "ranks";
  if (!ranks && key != "step" && key != "steps") {
    return Bad(text, "only rank, steps and severity can be set");
  }
  const auto numbers = ParseNumbers(value);
  if (!numbers) return Bad(text, "ranks and steps are numbers and ranges joined by '+'");
  (ranks ? planted->ranks : planted->steps) = *numbers;
  return OkStatus();
}

}  // namespace

std::span<const CauseInfo> CauseTable() { return kTable; }

const CauseInfo& InfoOf(CauseId cause) { return kTable[static_cast<std::size_t>(cause)]; }

bool PlantedCause::StrikesAt(int rank, int step) const {
  const auto holds = [](const std::vector<int>& set, int number) {
    return set.empty() || std::binary_search(set.begin(), set.end(), number);
  };
  return severity > 0 && holds(ranks, rank) && holds(steps, step);
}

Result<PlantedCause> ParsePlantedCause(std::string_view text) {
  std::string_view rest = text;
  const std::string_view name = TakeUpTo(':', &rest);
  const auto info =
      std::find_if(kTable.begin(), kTable.end(), [&](const auto& i) { return i.name == name; });
  if (info == kTable.end()) {
    std::string names;
    for (const CauseInfo& known : kTable) {
      fmt::format_to(std::back_inserter(names), "{}{}", names.empty() ? "" : ", ", known.name);
    }
    return Error(StatusCode::kInvalidArgument, "plant: there is no cause '{}'; there are: {}", name,
                 names);
  }
  PlantedCause planted{
      .cause = info->id, .severity = info->default_severity, .ranks = {}, .steps = {}};
  while (!rest.empty()) {
    RS_RETURN_IF_ERROR(ParseSetting(text, TakeUpTo(',', &rest), &planted));
  }
  if (planted.ranks.empty() && info->scope == Scope::kOneRank) planted.ranks = {0};
  return planted;
}

std::string CauseTableMarkdown() {
  std::string text = "| id | what happens | severity | default | ranks |\n|---|---|---|---|---|\n";
  for (const CauseInfo& info : kTable) {
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} | {} |\n", info.name, info.what,
                   info.severity, info.default_severity,
                   info.scope == Scope::kOneRank ? "rank 0" : "all");
  }
  return text;
}

void ActiveCauses::Add(CauseId cause, double severity, std::uint8_t tag) {
  severities_[static_cast<std::size_t>(cause)] += severity;
  tags_[static_cast<std::size_t>(cause)] = tag;
}

}  // namespace rankscope::sim
