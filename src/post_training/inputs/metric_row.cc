#include "post_training/inputs/metric_row.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "serving/base/words.h"

namespace rankscope::post_training {
namespace {

using serving::ToInteger;
using serving::ToNumber;

constexpr std::string_view kStep = "step:";
constexpr std::string_view kBetween = " - ";
constexpr double kMostSteps = 1e15;

std::optional<std::int64_t> WholeStep(double value) {
  if (!(value >= 0 && value <= kMostSteps)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// Names under which a row says its step, the best first.
constexpr std::array<std::string_view, 6> kStepNames = {
    "train/global_step",   "training/global_step",
    "global_step",         "step",
    "trainer/global_step", "_step"};

void TakeStep(MetricRow& row) {
  if (row.step) return;
  for (const std::string_view name : kStepNames) {
    if (const auto value = row.Find(name)) {
      row.step = WholeStep(*value);
      if (row.step) return;
    }
  }
}

// The digits behind `before`, as in "Global step 12:".
std::optional<std::int64_t> NumberBehind(std::string_view text, std::string_view before) {
  const std::size_t at = text.rfind(before);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + before.size());
  std::size_t size = 0;
  while (size < rest.size() && IsDigit(rest[size])) ++size;
  const auto step = ToInteger(rest.substr(0, size));
  return step && *step >= 0 ? step : std::nullopt;
}

void AddMembers(const json::Value& object, MetricRow& row) {
  for (const json::Member& member : object.Members()) {
    std::optional<double> value = member.value.Number();
    if (!value) {
      if (const auto text = member.value.Text()) value = PrintedNumber(*text);
    }
    if (value && std::isfinite(*value)) row.values.emplace_back(member.name, *value);
  }
}

}  // namespace

std::optional<double> MetricRow::Find(std::string_view name) const {
  for (auto at = values.rbegin(); at != values.rend(); ++at)
    if (at->first == name) return at->second;
  return std::nullopt;
}

bool MetricRow::HasPrefix(std::string_view prefix) const {
  return std::ranges::any_of(
      values, [&](const auto& value) { return std::string_view(value.first).starts_with(prefix); });
}

std::string WithoutColours(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    if (c == 0x1b) {
      // "ESC [ parameters final", of which the final is a letter or one of @[\]^_`{|}~.
      if (i + 1 < line.size() && line[i + 1] == '[') {
        i += 2;
        while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
      }
    } else if (c == '\r') {
      out += ' ';
    } else if (c >= 0x20 || c == '\t') {
      out += line[i];
    }
  }
  return out;
}

std::optional<double> PrintedNumber(std::string_view text) {
  text = Trimmed(text);
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front())
    text = Trimmed(text.substr(1, text.size() - 2));
  const std::size_t open = text.find('(');
  if (open != std::string_view::npos && text.ends_with(')')) {
    const std::string_view maker = text.substr(0, open);
    if (maker.starts_with("np.") || maker == "tensor" || maker.starts_with("numpy."))
      text = text.substr(open + 1, text.size() - open - 2);
  }
  const auto value = ToNumber(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<MetricRow> ParseStepLine(std::string_view line) {
  std::size_t at = 0;
  while ((at = line.find(kStep, at)) != std::string_view::npos) {
    const std::size_t digits = at + kStep.size();
    std::size_t end = digits;
    while (end < line.size() && IsDigit(line[end])) ++end;
    const bool begins = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t';
    const std::string_view rest = line.substr(end);
    if (begins && end > digits && rest.starts_with(kBetween)) {
      MetricRow row;
      row.step = ToInteger(line.substr(digits, end - digits));
      std::string_view parts = rest.substr(kBetween.size());
      while (!parts.empty()) {
        const std::size_t next = std::min(parts.find(kBetween), parts.size());
        const std::string_view part = parts.substr(0, next);
        const std::size_t colon = part.rfind(':');
        if (colon != std::string_view::npos && colon > 0) {
          if (const auto value = PrintedNumber(part.substr(colon + 1)))
            row.values.emplace_back(Trimmed(part.substr(0, colon)), *value);
        }
        parts.remove_prefix(std::min(next + kBetween.size(), parts.size()));
      }
      if (row.step && *row.step >= 0) return row;
      return std::nullopt;
    }
    at = digits;
  }
  return std::nullopt;
}

std::optional<MetricRow> ParseDictLine(std::string_view line) {
  const std::size_t open = line.find('{');
  if (open == std::string_view::npos) return std::nullopt;
  MetricRow row;
  std::size_t at = open + 1;
  while (at < line.size()) {
    while (at < line.size() && line[at] != '\'' && line[at] != '"') ++at;
    if (at >= line.size()) break;
    const char quote = line[at];
    const std::size_t end = line.find(quote, at + 1);
    if (end == std::string_view::npos) break;
    const std::string_view name = line.substr(at + 1, end - at - 1);
    at = end + 1;
    while (at < line.size() && line[at] == ' ') ++at;
    if (at >= line.size() || line[at] != ':') continue;
    ++at;
    while (at < line.size() && line[at] == ' ') ++at;
    std::size_t stop = at;
    if (stop < line.size() && (line[stop] == '\'' || line[stop] == '"')) {
      const std::size_t closing = line.find(line[stop], stop + 1);
      if (closing == std::string_view::npos) break;
      stop = closing + 1;
    } else {
      while (stop < line.size() && line[stop] != ',' && line[stop] != '}' && line[stop] != '{')
        ++stop;
    }
    if (const auto value = PrintedNumber(line.substr(at, stop - at)))
      row.values.emplace_back(name, *value);
    at = std::max(stop, at);
  }
  if (row.values.empty()) return std::nullopt;
  row.step = NumberBehind(line.substr(0, open), "lobal step ");
  TakeStep(row);
  return row;
}

MetricRow RowOfJson(const json::Value& object) {
  MetricRow row;
  AddMembers(object, row);
  AddMembers(object["data"], row);
  AddMembers(object["metrics"], row);
  TakeStep(row);
  return row;
}

}  // namespace rankscope::post_training
