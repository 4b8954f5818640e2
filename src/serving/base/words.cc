#include "serving/base/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace rankscope::serving {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// Takes exactly `count` digits.
std::optional<std::int64_t> TakeDigits(std::string_view& text, std::size_t count) {
  if (text.size() < count ||
      !std::all_of(text.begin(), text.begin() + static_cast<long>(count), IsDigit))
    return std::nullopt;
  const auto value = ToInteger(text.substr(0, count));
  text.remove_prefix(count);
  return value;
}

bool Take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Days from 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms").
std::int64_t DaysFromCivil(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// "+0100", "-01:30", "Z" or nothing.
std::optional<std::int64_t> ZoneSeconds(std::string_view text) {
  text = Trimmed(text);
  if (text.empty() || text == "Z" || text == "z" || text == "UTC") return 0;
  const std::int64_t sign = text[0] == '-' ? -1 : 1;
  if (!Take(text, "+-")) return std::nullopt;
  const auto hours = TakeDigits(text, 2);
  Take(text, ":");
  const auto minutes = text.empty() ? std::optional<std::int64_t>(0) : TakeDigits(text, 2);
  if (!hours || !minutes || !text.empty()) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

std::int64_t UnitOfMagnitude(double since_1970) {
  if (since_1970 < 1e11) return kNsPerS;
  if (since_1970 < 1e14) return 1'000'000;
  if (since_1970 < 1e17) return 1'000;
  return 1;
}

Ns IsoMoment(std::string_view text) {
  const auto year = TakeDigits(text, 4);
  if (!year || !Take(text, "-/")) return std::nullopt;
  const auto month = TakeDigits(text, 2);
  if (!month || !Take(text, "-/")) return std::nullopt;
  const auto day = TakeDigits(text, 2);
  if (!day || !Take(text, "Tt ")) return std::nullopt;
  const auto hour = TakeDigits(text, 2);
  if (!hour || !Take(text, ":")) return std::nullopt;
  const auto minute = TakeDigits(text, 2);
  if (!minute || !Take(text, ":")) return std::nullopt;
  const auto second = TakeDigits(text, 2);
  if (!second) return std::nullopt;
  std::int64_t fraction = 0;
  if (Take(text, ".,")) {
    std::int64_t unit = kNsPerS / 10;
    while (!text.empty() && IsDigit(text[0])) {
      fraction += (text[0] - '0') * unit;
      unit /= 10;
      text.remove_prefix(1);
    }
  }
  const auto zone = ZoneSeconds(text);
  const Ns moment = MomentOf(*year, *month, *day, *hour, *minute, *second);
  if (!zone || !moment) return std::nullopt;
  return *moment + fraction - *zone * kNsPerS;
}

// s, ms, us or ns since 1970.
Ns NumberMoment(std::string_view digits) {
  const std::size_t size = digits.size();
  return size == 10 || size == 13 || size == 16 || size == 19 ? ToMoment(digits) : std::nullopt;
}

// ".25" or "250" behind whole seconds, as `date +%s.%N` writes it: takes it from the text.
std::int64_t TakeFraction(std::string_view& text) {
  std::string_view digits = text;
  Take(digits, ".,");
  std::size_t size = 0;
  while (size < digits.size() && IsDigit(digits[size])) ++size;
  if (size == 0) return 0;
  text = digits.substr(size);
  std::string nine(digits.substr(0, std::min<std::size_t>(size, 9)));
  nine.resize(9, '0');
  return ToInteger(nine).value_or(0);
}

// 20261127-024300, 20261127T024300, 20261127024300, 2026-11-27T02:43:00, the seconds left out where
// they were: takes it from the text.
Ns DateMoment(std::string_view& text) {
  std::string_view rest = text;
  const auto year = TakeDigits(rest, 4);
  const bool is_apart = Take(rest, "-");
  const auto month = year ? TakeDigits(rest, 2) : std::nullopt;
  if (is_apart && !Take(rest, "-")) return std::nullopt;
  const auto day = month ? TakeDigits(rest, 2) : std::nullopt;
  Take(rest, "-_Tt ");
  const auto hour = day ? TakeDigits(rest, 2) : std::nullopt;
  const bool is_time_apart = is_apart && Take(rest, ":-_");
  const auto minute = hour ? TakeDigits(rest, 2) : std::nullopt;
  if (!minute) return std::nullopt;
  std::string_view behind = rest;
  if (is_time_apart) Take(behind, ":-_");
  const auto second = TakeDigits(behind, 2);
  if (second) rest = behind;
  const Ns moment = MomentOf(*year, *month, *day, *hour, *minute, second.value_or(0));
  if (moment) text = rest;
  return moment;
}

}  // namespace

bool Lines::Next(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++number_;
  return true;
}

std::optional<double> ToNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> ToInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Ns DecimalToNs(std::string_view text, std::int64_t unit_ns) {
  const std::size_t point = text.find('.');
  const auto whole = ToInteger(text.substr(0, point));
  if (!whole || *whole < 0 || *whole > kMost / unit_ns - 1) return std::nullopt;
  std::int64_t ns = *whole * unit_ns;
  if (point == std::string_view::npos) return ns;
  std::int64_t unit = unit_ns;
  for (const char c : text.substr(point + 1)) {
    if (!IsDigit(c)) return std::nullopt;
    unit /= 10;
    ns += (c - '0') * unit;
  }
  return ns;
}

Ns ToNs(double value, double unit_ns) {
  const double ns = value * unit_ns;
  if (!std::isfinite(ns) || ns < 0 || ns > static_cast<double>(kMostDuration)) return std::nullopt;
  return std::llround(ns);
}

Ns AsDuration(Ns ns) { return ns && *ns >= 0 && *ns <= kMostDuration ? ns : std::nullopt; }

Ns AsMoment(Ns ns) { return ns && *ns >= 0 && *ns <= kMostMoment ? ns : std::nullopt; }

Ns ToMoment(std::string_view text) {
  text = Trimmed(text);
  if (const Ns iso = IsoMoment(text)) return iso;
  const auto number = ToNumber(text);
  if (!number || !std::isfinite(*number) || *number <= 0 || *number > 9.2e18) return std::nullopt;
  if (const Ns exact = DecimalToNs(text, UnitOfMagnitude(*number))) return AsMoment(exact);
  return ToMoment(*number);
}

Ns ToMoment(double since_1970) {
  if (!std::isfinite(since_1970) || since_1970 <= 0 || since_1970 > 9.2e18) return std::nullopt;
  const double ns = since_1970 * static_cast<double>(UnitOfMagnitude(since_1970));
  return ns > static_cast<double>(kMostMoment) ? std::nullopt : Ns(std::llround(ns));
}

Ns ToAccessLogMoment(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = TakeDigits(text, 2);
  if (!day || !Take(text, "/") || text.size() < 3) return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(0, 3));
  text.remove_prefix(3);
  if (month == kMonths.end() || !Take(text, "/")) return std::nullopt;
  const auto year = TakeDigits(text, 4);
  if (!year || !Take(text, ":")) return std::nullopt;
  const auto hour = TakeDigits(text, 2);
  if (!hour || !Take(text, ":")) return std::nullopt;
  const auto minute = TakeDigits(text, 2);
  if (!minute || !Take(text, ":")) return std::nullopt;
  const auto second = TakeDigits(text, 2);
  const auto zone = ZoneSeconds(text);
  if (!second || !zone) return std::nullopt;
  const Ns moment = MomentOf(*year, month - kMonths.begin() + 1, *day, *hour, *minute, *second);
  return moment ? Ns(*moment - *zone * kNsPerS) : std::nullopt;
}

Ns MomentOf(std::int64_t year, std::int64_t month, std::int64_t day, std::int64_t hour,
            std::int64_t minute, std::int64_t second) {
  if (year < 1971 || year >= 2100 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 ||
      hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
    return std::nullopt;
  return (DaysFromCivil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second) * kNsPerS;
}

std::optional<NamedMoment> FindMomentInName(std::string_view name) {
  std::optional<NamedMoment> found;
  std::size_t at = 0;
  while (at < name.size()) {
    std::size_t end = at;
    while (end < name.size() && IsDigit(name[end])) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    std::string_view rest = name.substr(end);
    Ns moment = NumberMoment(name.substr(at, end - at));
    if (!moment) {
      std::string_view date = name.substr(at);
      moment = DateMoment(date);
      if (moment) rest = date;
    }
    if (moment) {
      const bool is_seconds = *moment % kNsPerS == 0;
      const std::int64_t fraction = is_seconds ? TakeFraction(rest) : 0;
      end = name.size() - rest.size();
      found = {.moment = *moment + fraction, .begin = at, .end = end};
    }
    at = end;
  }
  return found;
}

Ns MomentInName(std::string_view name) {
  const auto found = FindMomentInName(name);
  return found ? Ns(found->moment) : std::nullopt;
}

std::optional<std::string_view> Between(std::string_view text, std::string_view before,
                                        std::string_view after) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + before.size());
  if (after.empty()) return text;
  const std::size_t end = text.find(after);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(0, end);
}

}  // namespace rankscope::serving
