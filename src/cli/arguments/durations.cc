#include "cli/arguments/durations.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <thread>

#include "base/parallel.h"

namespace rankscope::cli {
namespace {

constexpr std::pair<std::string_view, double> kUnits[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr double kLargest_ns = 1e18;  // 31 years

}  // namespace

Result<std::int64_t> ParseDuration(std::string_view text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error == std::errc() && std::isfinite(number) && number >= 0) {
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& [name, ns] : kUnits) {
      if (unit == name && number * ns <= kLargest_ns) return std::llround(number * ns);
    }
  }
  return Error(StatusCode::kInvalidArgument,
               "a duration is a number with a unit, such as 1.5s, 20us or 300ns, not '{}'", text);
}

Result<std::pair<std::int64_t, std::int64_t>> ParseTimeRange(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos)
    return Error(StatusCode::kInvalidArgument, "a time range is written as 1.5s-2s, not '{}'",
                 text);
  RS_ASSIGN_OR_RETURN(const std::int64_t begin, ParseDuration(text.substr(0, dash)));
  RS_ASSIGN_OR_RETURN(const std::int64_t end, ParseDuration(text.substr(dash + 1)));
  if (begin >= end)
    return Error(StatusCode::kInvalidArgument, "a time range begins before it ends, not as in '{}'",
                 text);
  return std::pair(begin, end);
}

Result<std::int64_t> ParseAge(std::string_view text) {
  std::int64_t each = 0;
  if (!text.empty()) {
    const std::size_t unit = std::string_view("smhd").find(text.back());
    constexpr std::int64_t kEach[] = {1, 60, 3600, 86400};
    if (unit != std::string_view::npos) each = kEach[unit];
  }
  std::int64_t number = 0;
  const std::string_view digits = text.substr(0, text.empty() ? 0 : text.size() - 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  constexpr std::int64_t kMost = 100 * 366 * std::int64_t{86400};
  if (each == 0 || error != std::errc() || end != digits.data() + digits.size() || number < 1 ||
      number > kMost / each) {
    return Error(StatusCode::kInvalidArgument, "'{}' is no age: give one such as 30d, 12h or 90m",
                 text);
  }
  return number * each;
}

int ThreadsFor(int jobs) {
  if (jobs <= 0) jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return AffordableThreads(jobs);
}

}  // namespace rankscope::cli
