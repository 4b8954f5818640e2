#include "serving/inputs/json_lines.h"

#include <fmt/core.h>

#include "base/text.h"
#include "serving/base/words.h"

namespace rankscope::serving {

Status ForEachDocument(const InputFile& file, Collection& to, std::string_view what,
                       const std::function<bool(const json::Value&)>& take) {
  const std::size_t first_end = std::min(file.text.find('\n'), file.text.size());
  const std::string_view first = Trimmed(file.text.substr(0, first_end));
  const bool is_lines = !Trimmed(file.text.substr(first_end)).empty() && first.size() > 2 &&
                        json::Reader::Parse(first).ok();
  if (!is_lines) {
    std::string text(file.text);
    const Result<json::Reader> reader = json::Reader::ParseLarge(text);
    if (!reader.ok())
      return Error(StatusCode::kBadData, "{}: {}: {}; is it whole?", file.path, what,
                   reader.status().message());
    if (!take(reader->root()))
      return Error(StatusCode::kBadData, "{}: {}: it has no request", file.path, what);
    return OkStatus();
  }
  Lines lines(file.text);
  std::string_view line;
  std::int64_t taken = 0, bad = 0, first_bad = 0;
  while (lines.Next(line)) {
    if (Trimmed(line).empty()) continue;
    const Result<json::Reader> reader = json::Reader::Parse(line);
    if (reader.ok() && take(reader->root())) {
      ++taken;
    } else if (++bad == 1) {
      first_bad = lines.number();
    }
  }
  if (taken == 0)
    return Error(StatusCode::kBadData, "{}: {}: no line is a request (line {})", file.path, what,
                 first_bad);
  if (bad > 0)
    to.Note(fmt::format("{}: {} of {} lines could not be used, the first at line {}", file.path,
                        bad, taken + bad, first_bad));
  return OkStatus();
}

Ns SecondsOf(const json::Value& value) {
  if (const auto number = value.Number()) return ToNs(*number, 1e9);
  if (const auto text = value.Text()) {
    if (const auto number = ToNumber(*text)) return ToNs(*number, 1e9);
  }
  return std::nullopt;
}

Ns MomentOfJson(const json::Value& value) {
  if (const auto text = value.Text()) return ToMoment(*text);
  if (const auto whole = value.Integer()) return ToMoment(fmt::format("{}", *whole));
  if (const auto number = value.Number()) return ToMoment(*number);
  return std::nullopt;
}

Count CountOf(const json::Value& value) {
  Count count = value.Integer();
  if (!count) {
    if (const auto text = value.Text()) count = ToInteger(*text);
  }
  if (!count) {
    if (const auto number = value.Number(); number && *number >= 0 && *number < 1e15)
      count = static_cast<std::int64_t>(*number);
  }
  return count && *count >= 0 ? count : std::nullopt;
}

}  // namespace rankscope::serving
