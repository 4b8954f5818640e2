#include "fleet/hours/lines.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace rankscope::fleet {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kDay = 86'400 * kSecond;

std::vector<std::string> Split(std::string_view line, char separator) {
  std::vector<std::string> values(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (is_quoted && letter == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      values.back() += line[++i];
    } else if (letter == '"' && (is_quoted || values.back().empty())) {
      is_quoted = !is_quoted;
    } else if (letter == separator && !is_quoted) {
      values.emplace_back();
    } else {
      values.back() += letter;
    }
  }
  return values;
}

// Reads digits from the front.
bool Take(std::string_view& text, std::size_t digits, std::int64_t& number) {
  if (text.size() < digits) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, number);
  if (error != std::errc() || end != text.data() + digits || number < 0) return false;
  text.remove_prefix(digits);
  return true;
}
bool TakeLetter(std::string_view& text, char letter) {
  if (text.empty() || text.front() != letter) return false;
  text.remove_prefix(1);
  return true;
}

// "Z", "+02:00", "-0800", or nothing.
std::optional<std::int64_t> TakeOffset(std::string_view text, std::int64_t offset_s) {
  if (text.empty()) return offset_s;
  if (text == "Z") return 0;
  const std::int64_t sign = text.front() == '-' ? -1 : 1;
  if (!TakeLetter(text, '+') && !TakeLetter(text, '-')) return std::nullopt;
  std::int64_t hours = 0, minutes = 0;
  if (!Take(text, 2, hours)) return std::nullopt;
  TakeLetter(text, ':');
  if (!text.empty() && !Take(text, 2, minutes)) return std::nullopt;
  if (!text.empty() || hours > 14 || minutes > 59) return std::nullopt;
  return sign * (hours * 3600 + minutes * 60);
}

}  // namespace

std::string_view TextRow::Get(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto at = static_cast<std::size_t>(found - names_.begin());
  return at < values_.size() ? std::string_view(values_[at]) : std::string_view();
}

Status ReadRows(const std::string& name, std::string_view text, char separator,
                const std::vector<std::string_view>& needed,
                const std::function<Status(const TextRow& row)>& visit) {
  std::vector<std::string> names;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    if (names.empty()) {
      names = Split(line, separator);
      for (const std::string_view one : needed) {
        if (std::find(names.begin(), names.end(), one) == names.end())
          return Error(StatusCode::kBadData, "{}: line {} has no column {}", name, number, one);
      }
      continue;
    }
    const Status read = visit(TextRow(names, Split(line, separator), number));
    if (!read.ok()) return Error(read.code(), "{}: line {}: {}", name, number, read.message());
  }
  if (names.empty()) return Error(StatusCode::kBadData, "{}: empty", name);
  return OkStatus();
}

std::optional<std::int64_t> ReadTime(std::string_view text, std::int64_t offset_s) {
  std::int64_t seconds = 0;
  if (text.size() >= 9 && text.find_first_not_of("0123456789") == std::string_view::npos)
    return text.size() <= 12 && Take(text, text.size(), seconds) ? std::optional(seconds * kSecond)
                                                                 : std::nullopt;
  std::int64_t year = 0, month = 0, day = 0;
  if (!Take(text, 4, year) || !TakeLetter(text, '-') || !Take(text, 2, month) ||
      !TakeLetter(text, '-') || !Take(text, 2, day))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t at = std::chrono::sys_days(date).time_since_epoch().count() * kDay;
  if (text.empty()) return at - offset_s * kSecond;
  if (!TakeLetter(text, 'T') && !TakeLetter(text, ' ')) return std::nullopt;
  std::int64_t hour = 0, minute = 0, second = 0, milli = 0;
  if (!Take(text, 2, hour) || !TakeLetter(text, ':') || !Take(text, 2, minute)) return std::nullopt;
  if (TakeLetter(text, ':') && !Take(text, 2, second)) return std::nullopt;
  if (TakeLetter(text, '.')) {
    std::int64_t worth = 100;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      milli += (text.front() - '0') * worth;
      worth /= 10;
      text.remove_prefix(1);
    }
  }
  if (hour > 24 || minute > 59 || second > 60) return std::nullopt;
  const std::optional<std::int64_t> offset = TakeOffset(text, offset_s);
  if (!offset) return std::nullopt;
  return at + ((hour * 60 + minute) * 60 + second - *offset) * kSecond + milli;
}

}  // namespace rankscope::fleet
