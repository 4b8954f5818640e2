// Numbers, moments and lines in the form of logs and exports.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "serving/base/data.h"

namespace rankscope::serving {

// Goes through a text line by line, without the newline and a carriage return before it.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool Next(std::string_view& line);
  std::int64_t number() const { return number_; }  // of the last line, from 1

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

// "1.5", "+Inf", "NaN", "1e-3": all of the text, or nullopt.
std::optional<double> ToNumber(std::string_view text);
std::optional<std::int64_t> ToInteger(std::string_view text);

// "12.345" in `unit_ns` (1'000'000'000 for seconds) as whole ns, digit by digit; no exponent and no
// sign. nullopt beyond the range of int64.
Ns DecimalToNs(std::string_view text, std::int64_t unit_ns);
// No request, step or queue takes longer: 10 years. A sum of a few such durations and a moment fits
// an int64.
inline constexpr std::int64_t kMostDuration = 315'000'000'000'000'000;
// No moment is later: the year 2100.
inline constexpr std::int64_t kMostMoment = 4'102'444'800'000'000'000;

// A duration given as a double; nullopt if below 0, not finite or over kMostDuration.
Ns ToNs(double value, double unit_ns);
// nullopt if below 0 or too large.
Ns AsDuration(Ns ns);
Ns AsMoment(Ns ns);

// A moment: ISO 8601 ("2026-11-27T02:43:00.123Z", with an offset, "T" or a blank; without a zone it
// is UTC), or a number since 1970 whose unit follows from its size (s, ms, us or ns).
Ns ToMoment(std::string_view text);
Ns ToMoment(double since_1970);
// "27/Nov/2026:02:43:00 +0000" of access logs.
Ns ToAccessLogMoment(std::string_view text);
// For a civil day and time in UTC. nullopt if it is no date.
Ns MomentOf(std::int64_t year, std::int64_t month, std::int64_t day, std::int64_t hour,
            std::int64_t minute, std::int64_t second);
// The moment in a file name, "metrics-1764211380.prom", "scrape-20261127-024300.txt",
// "2026-11-27T02:43:00.prom": the last one if there are several; nullopt without.
struct NamedMoment {
  std::int64_t moment = 0;
  std::size_t begin = 0, end = 0;  // where it stands in the name
};
std::optional<NamedMoment> FindMomentInName(std::string_view name);
Ns MomentInName(std::string_view name);

// The text between `before` and `after`; nullopt if either is missing. An empty `after`: to the
// end.
std::optional<std::string_view> Between(std::string_view text, std::string_view before,
                                        std::string_view after);

}  // namespace rankscope::serving
