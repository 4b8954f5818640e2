#include "serving/objective.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "serving/base/words.h"

namespace rankscope::serving {
namespace {

constexpr std::size_t kLimits = 3;
constexpr std::size_t kMostProblem = 40;  // letters

Ns PerToken(const Request& request, const Told& told) {
  if (!request.output_tokens) return std::nullopt;
  if (*request.output_tokens < 2) return 0;
  return told.decode ? Ns(*told.decode / (*request.output_tokens - 1)) : std::nullopt;
}

std::array<Ns, kLimits> ValuesOf(const Analysis& analysis, std::size_t i) {
  const Told& told = analysis.told[i];
  return {told.ttft, PerToken(analysis.requests[i], told), told.e2e};
}

// How many values that the objective limits it knows, of all requests.
std::size_t KnownBy(const Analysis& analysis, const Recorder& recorder,
                    const std::array<Ns, kLimits>& limits) {
  std::size_t known = 0;
  for (const std::size_t i : recorder.requests) {
    const auto values = ValuesOf(analysis, i);
    for (std::size_t limit = 0; limit < kLimits; ++limit)
      known += limits[limit] && values[limit] && analysis.requests[i].outcome == Outcome::kDone;
  }
  return known;
}

// First arrival to last end, where one clock tells both.
std::optional<double> SecondsOf(const Analysis& analysis, const Recorder& recorder) {
  Ns begin, end;
  std::size_t wall = 0;
  const std::uint32_t source = analysis.requests[recorder.requests[0]].source;
  bool is_of_one = true;
  for (const std::size_t i : recorder.requests) {
    const Told& told = analysis.told[i];
    is_of_one = is_of_one && analysis.requests[i].source == source;
    wall += told.has_wall_clock;
    if (!told.arrival) continue;
    begin = std::min(begin.value_or(*told.arrival), *told.arrival);
    const std::int64_t ended = *told.arrival + told.e2e.value_or(0);
    end = std::max(end.value_or(ended), ended);
  }
  const bool is_one_clock = wall == recorder.requests.size() || (wall == 0 && is_of_one);
  if (!begin || *end <= *begin || !is_one_clock) return std::nullopt;
  return static_cast<double>(*end - *begin) / 1e9;
}

// Problems are words of servers and clients, of any length.
std::string Shortened(std::string_view problem) {
  if (problem.empty()) return "no reason recorded";
  if (problem.size() <= kMostProblem) return std::string(problem);
  std::size_t end = kMostProblem;
  while (end > 0 && (static_cast<unsigned char>(problem[end]) & 0xC0) == 0x80) --end;
  return std::string(problem.substr(0, end)) + "...";
}

}  // namespace

Result<Objective> ParseObjective(std::string_view text) {
  Objective objective;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = Trimmed(part.substr(0, equals));
    std::string_view value = Trimmed(part.substr(std::min(equals + 1, part.size())));
    Ns* const to = name == "ttft"   ? &objective.ttft
                   : name == "tpot" ? &objective.tpot
                   : name == "e2e"  ? &objective.e2e
                                    : nullptr;
    if (to == nullptr)
      return Error(StatusCode::kInvalidArgument,
                   "--slo: '{}' is none of ttft, tpot, e2e; such as ttft=500ms,tpot=50ms", name);
    double unit = 1e6;
    for (const auto& [ending, scale] :
         {std::pair(std::string_view("ns"), 1.0), std::pair(std::string_view("us"), 1e3),
          std::pair(std::string_view("ms"), 1e6), std::pair(std::string_view("s"), 1e9)}) {
      if (!value.ends_with(ending)) continue;
      value.remove_suffix(ending.size());
      unit = scale;
      break;
    }
    const auto number = ToNumber(Trimmed(value));
    *to = number && *number > 0 ? ToNs(*number, unit) : std::nullopt;
    if (!*to)
      return Error(StatusCode::kInvalidArgument,
                   "--slo: {} needs a duration above 0, such as {}=500ms", name, name);
  }
  if (!objective.has_any())
    return Error(StatusCode::kInvalidArgument,
                 "--slo names no limit; such as ttft=500ms,tpot=50ms");
  return objective;
}

std::vector<Recorder> RecordersOf(const Analysis& analysis) {
  std::map<std::pair<Side, std::string>, Recorder> recorders;
  for (std::size_t i = 0; i < analysis.requests.size(); ++i) {
    for (const auto& [source, side] : analysis.told[i].recorders) {
      const std::string& format = analysis.data.sources[source].format;
      Recorder& recorder = recorders[{side, format}];
      recorder.format = format;
      recorder.side = side;
      if (recorder.requests.empty() || recorder.requests.back() != i)
        recorder.requests.push_back(i);
    }
  }
  std::vector<Recorder> result;
  result.reserve(recorders.size());
  for (auto& [key, recorder] : recorders) result.push_back(std::move(recorder));
  return result;
}

std::vector<GoodputRow> GoodputOf(const Analysis& analysis, const Objective& objective) {
  if (!objective.has_any() || analysis.requests.empty()) return {};
  const std::array<Ns, kLimits> limits = {objective.ttft, objective.tpot, objective.e2e};
  const std::vector<Recorder> recorders = RecordersOf(analysis);
  // Of equals the first: by sides from without, and one whose clock gives rates.
  const auto best = std::ranges::max_element(recorders, {}, [&](const Recorder& one) {
    return std::tuple(KnownBy(analysis, one, limits), -static_cast<int>(one.side),
                      SecondsOf(analysis, one).has_value(),
                      analysis.told[one.requests[0]].has_wall_clock);
  });
  std::array<GoodputRow, kLimits + 1> rows = {
      GoodputRow{"ttft", limits[0]}, {"tpot", limits[1]}, {"e2e", limits[2]}, {"all", {}}};
  std::array<bool, kLimits + 1> is_told{};
  for (const std::size_t i : best->requests) {
    const bool is_done = analysis.requests[i].outcome == Outcome::kDone;
    const auto values = ValuesOf(analysis, i);
    bool knows_all = true, keeps_all = is_done;
    for (std::size_t limit = 0; limit < kLimits; ++limit) {
      if (!limits[limit]) continue;
      const bool is_known = values[limit].has_value();
      const bool keeps = is_done && is_known && *values[limit] <= *limits[limit];
      knows_all = knows_all && is_known;
      keeps_all = keeps_all && keeps;
      is_told[limit] = is_told[limit] || (is_done && is_known);
      rows[limit].known += is_known || !is_done;
      rows[limit].good += keeps;
    }
    is_told[kLimits] = is_told[kLimits] || (is_done && knows_all);
    rows[kLimits].known += knows_all || !is_done;
    rows[kLimits].good += keeps_all;
  }
  const auto seconds = SecondsOf(analysis, *best);
  std::vector<GoodputRow> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i < kLimits && !limits[i]) continue;
    if (!is_told[i]) rows[i].known = 0;
    if (seconds && is_told[i]) rows[i].per_s = static_cast<double>(rows[i].good) / *seconds;
    result.push_back(rows[i]);
  }
  return result;
}

std::string FailureWords(const Analysis& analysis) {
  std::int64_t most = 0, of = 0;
  std::map<std::string, std::int64_t> problems;
  for (const Recorder& recorder : RecordersOf(analysis)) {
    std::int64_t failed = 0;
    std::map<std::string, std::int64_t> here;
    for (const std::size_t i : recorder.requests) {
      if (analysis.requests[i].outcome != Outcome::kFailed) continue;
      ++failed;
      ++here[Shortened(analysis.requests[i].problem)];
    }
    if (failed <= most) continue;
    most = failed;
    of = static_cast<std::int64_t>(recorder.requests.size());
    problems = std::move(here);
  }
  if (most == 0 || most * 100 < of) return "";
  const auto first =
      std::ranges::max_element(problems, {}, [](const auto& one) { return one.second; });
  return fmt::format("{} of {} requests failed ({}: {}{})", most, of, first->first, first->second,
                     problems.size() > 1 ? ", and others" : "");
}

}  // namespace rankscope::serving
