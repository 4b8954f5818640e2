#include "agent/telemetry/selector.h"

#include <algorithm>

#include "base/prometheus_label.h"

namespace rankscope::agent {
namespace {

constexpr std::string_view kPrefix = "rankscope_";

bool IsOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view TakeName(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() && IsOfName(text[at])) ++at;
  return text.substr(begin, at - begin);
}

void SkipBlanks(std::string_view text, std::size_t& at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
}

Status Expected(std::string_view text, std::size_t at, std::string_view what) {
  const std::string found =
      at < text.size() ? fmt::format("'{}'", text.substr(at, 1)) : std::string("the end");
  return Error(StatusCode::kInvalidArgument, "column {}: {}, not {}", at + 1, what, found);
}

// Between quotes; \" and \\ stand for themselves.
Result<std::string> TakeQuoted(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '"')
    return Expected(text, at, "a label's value stands in double quotes");
  const std::size_t begin = at++;
  std::string value;
  for (; at < text.size(); ++at) {
    if (text[at] == '"') {
      ++at;
      return value;
    }
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    value += text[at];
  }
  return Error(StatusCode::kInvalidArgument, "column {}: the quote is not closed", begin + 1);
}

}  // namespace

bool Selector::Matches(const Reading& reading) const {
  return reading.metric->name == name && std::ranges::all_of(labels, [&](const auto& wanted) {
           return std::ranges::find(reading.labels, wanted) != reading.labels.end();
         });
}

std::string WholeName(std::string_view name) {
  return (name.starts_with(kPrefix) ? "" : std::string(kPrefix)) + std::string(name);
}

Result<Selector> TakeSelector(std::string_view text, std::size_t& at) {
  SkipBlanks(text, at);
  const std::string_view name = TakeName(text, at);
  if (name.empty())
    return Expected(text, at, "the name of a metric is expected, such as device_power_watts");
  Selector made{.name = WholeName(name), .labels = {}};
  SkipBlanks(text, at);
  if (at >= text.size() || text[at] != '{') return made;
  ++at;
  for (;;) {
    SkipBlanks(text, at);
    if (at < text.size() && text[at] == '}') break;
    const std::string label(TakeName(text, at));
    if (label.empty()) return Expected(text, at, "a label is expected, such as device=\"0\"");
    SkipBlanks(text, at);
    if (at >= text.size() || text[at] != '=')
      return Expected(text, at, fmt::format("= is expected behind the label '{}'", label));
    SkipBlanks(text, ++at);
    RS_ASSIGN_OR_RETURN(std::string value, TakeQuoted(text, at));
    made.labels.emplace_back(label, std::move(value));
    SkipBlanks(text, at);
    if (at < text.size() && text[at] == '}') break;
    if (at >= text.size() || text[at] != ',')
      return Expected(text, at, "a comma or } is expected behind a label");
    ++at;
  }
  ++at;
  return made;
}

std::string ToText(const Labels& labels) {
  if (labels.empty()) return {};
  std::string text = "{";
  for (const auto& [key, value] : labels) {
    if (text.size() > 1) text += ',';
    text += key + "=\"" + EscapedLabel(value) + '"';
  }
  return text + "}";
}

}  // namespace rankscope::agent
