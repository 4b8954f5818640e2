#include "serving/load/level.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "serving/load/outputs.h"
#include "serving/load/warm_up.h"
#include "statistics/statistics.h"
#include "statistics/trend.h"

namespace rankscope::serving {
namespace {

constexpr std::size_t kBins = 200;
constexpr std::size_t kSamples = 20;
constexpr std::size_t kBatches = 20;
constexpr double kServedShare = 0.97;
constexpr double kLevelClearTrend = 0.01;
constexpr std::size_t kLeastOfThird = 5;
constexpr std::int64_t kLeastTimes = 5;  // of a request, that a level lasts
constexpr double kLonger = 1.2;          // that later requests take, where the server is overloaded
constexpr double kStudent19 = 2.093;     // two-sided 95% of 19 degrees of freedom
constexpr double kMostFailed = 0.05;
constexpr double kMostBusyPct = 80;
constexpr double kMostLagShare = 0.05;
constexpr std::int64_t kLeastLag = 1'000'000;
constexpr std::int64_t kLeastStall = 500'000'000;
constexpr double kStallTimes = 10;

std::optional<Spread> SpreadOf(std::vector<std::int64_t> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return Spread{.mean = sum / static_cast<double>(values.size()),
                .p50 = Quantile(values, 0.5),
                .p90 = Quantile(values, 0.9),
                .p99 = Quantile(values, 0.99)};
}

Ns PerToken(const Request& request) {
  if (!request.output_tokens || !request.e2e || !request.ttft) return std::nullopt;
  if (*request.output_tokens < 2 || *request.e2e < *request.ttft) return std::nullopt;
  return (*request.e2e - *request.ttft) / (*request.output_tokens - 1);
}

struct Window {
  std::int64_t begin = 0, end = 0;
  double seconds() const { return static_cast<double>(end - begin) / 1e9; }
};

void AddGoodput(std::vector<const Request*>& counted, const Objective& objective,
                const Window& window, LevelResult& to) {
  std::ranges::sort(counted, {}, [](const Request* one) { return *one->arrival; });
  std::vector<double> good;
  for (const Request* request : counted) {
    const auto is_good = KeepsObjective(*request, objective);
    if (!is_good) return;
    good.push_back(*is_good ? 1 : 0);
  }
  if (good.empty()) return;
  double sum = 0;
  for (const double one : good) sum += one;
  to.good_pct = 100 * sum / static_cast<double>(good.size());
  to.good_per_s = sum / window.seconds();
  if (good.size() < kBatches * 5) return;
  // Of requests that follow each other the one is like the other: means of batches differ as
  // independent values do.
  const std::size_t size = good.size() / kBatches;
  std::array<double, kBatches> means{};
  double mean = 0, squares = 0;
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    for (std::size_t i = 0; i < size; ++i)
      means[batch] += good[batch * size + i] / static_cast<double>(size);
    mean += means[batch] / kBatches;
  }
  for (const double one : means) squares += (one - mean) * (one - mean);
  to.good_error_pct = 100 * kStudent19 * std::sqrt(squares / (kBatches - 1) / kBatches);
}

// Times of requests that were to be sent in a part of [begin, end), in their order.
std::vector<double> TimesIn(RequestList requests, std::int64_t begin, std::int64_t end) {
  std::vector<double> times;
  for (const Request* const pointer : requests) {
    const Request& request = *pointer;
    if (request.arrival && request.e2e && *request.arrival >= begin && *request.arrival < end)
      times.push_back(static_cast<double>(*request.e2e));
  }
  return times;
}

// What a request takes where few are inside: the lower quartile of those that came first. A server
// that was empty fills up in about that time, and who is inside at moments nearer to each other is
// the same.
std::int64_t TimeAlone(RequestList requests, const LoadLevel& level) {
  std::vector<double> times;
  for (std::int64_t part = 5; part > 0 && times.size() < kLeastOfThird; --part)
    times = TimesIn(requests, *level.begin, *level.begin + *level.sending / part);
  if (times.empty()) return 0;
  std::ranges::sort(times);
  return static_cast<std::int64_t>(Quantile(std::span<const double>(times), 0.25));
}

// More come than go: the number inside rises beyond what chance does, and those who come later take
// longer. `window` begins when the server has filled up.
bool IsOverloaded(RequestList requests, const Window& window, const LevelResult& result,
                  std::int64_t alone) {
  if (result.level.kind == LoadKind::kClosed || window.begin >= window.end) return false;
  const std::int64_t third = (window.end - window.begin) / 3;
  std::vector<double> first = TimesIn(requests, window.begin, window.begin + third),
                      last = TimesIn(requests, window.end - third, window.end);
  if (first.size() < kLeastOfThird || last.size() < kLeastOfThird) return false;
  if (Median(std::move(last)) < kLonger * Median(std::move(first))) return false;

  const auto samples = std::min(
      kSamples,
      static_cast<std::size_t>((window.end - window.begin) / std::max<std::int64_t>(alone, 1)) + 1);
  const std::vector<std::int64_t> inside =
      InsideOverTime(requests, window.begin, window.end, std::max<std::size_t>(samples, 2));
  double mean = 0;
  for (const std::int64_t one : inside)
    mean += static_cast<double>(one) / static_cast<double>(inside.size());
  const double offered = *result.offered_per_s * window.seconds();
  // The number inside of a steady server varies as a Poisson variable does.
  const double deviation = std::sqrt(2 * std::max(1.0, mean));
  const auto rise = static_cast<double>(inside.back() - inside.front());
  if (rise > (1 - kServedShare) * offered && rise > 3 * deviation) return true;
  std::vector<rankscope::Point> points;
  for (std::size_t i = 0; i < inside.size(); ++i)
    points.push_back({.x = static_cast<std::int64_t>(i), .y = inside[i]});
  const double slope = TheilSenSlope(points).value_or(0) * static_cast<double>(inside.size() - 1);
  return slope > (1 - kServedShare) * offered && slope > 2 * deviation &&
         TrendProbability(inside).value_or(1) < kLevelClearTrend;
}

std::string WhyInvalid(const LevelResult& result, const Objective& objective) {
  if (result.level.client_busy_pct && *result.level.client_busy_pct > kMostBusyPct)
    return fmt::format("the load generator's core was {:.0f}% busy (limit {:.0f}%)",
                       *result.level.client_busy_pct, kMostBusyPct);
  if (!result.lag_p99) return {};
  // What a user looks at: the tightest limit, else the median of what was measured.
  Ns measure;
  for (const Ns limit : {objective.ttft, objective.e2e}) {
    if (limit) measure = std::min(measure.value_or(*limit), *limit);
  }
  if (!measure && (result.ttft || result.e2e))
    measure = static_cast<std::int64_t>(result.ttft ? result.ttft->p50 : result.e2e->p50);
  if (!measure) return {};
  const std::int64_t limit =
      std::max(kLeastLag, static_cast<std::int64_t>(kMostLagShare * static_cast<double>(*measure)));
  if (*result.lag_p99 <= limit) return {};
  return fmt::format(
      "1 of 100 requests was begun {:.1f} ms late or more (limit {:.1f} ms): by the generator, or "
      "for "
      "want of --connections",
      static_cast<double>(*result.lag_p99) / 1e6, static_cast<double>(limit) / 1e6);
}

}  // namespace

std::string_view ToString(LevelState state) {
  switch (state) {
    case LevelState::kSteady:
      return "steady";
    case LevelState::kFailing:
      return "failing";
    case LevelState::kOverload:
      return "overload";
    case LevelState::kUnsteady:
      return "unsteady";
    case LevelState::kTooShort:
      return "too short";
  }
  return "";
}

std::optional<bool> KeepsObjective(const Request& request, const Objective& objective) {
  if (request.outcome != Outcome::kDone) return false;
  const bool has_one_token = request.output_tokens && *request.output_tokens < 2;
  const std::array<std::pair<Ns, Ns>, 3> limits = {
      {{objective.ttft, request.ttft},
       {objective.tpot, has_one_token ? Ns(0) : PerToken(request)},
       {objective.e2e, request.e2e}}};
  bool is_good = true;
  for (const auto& [limit, value] : limits) {
    if (!limit) continue;
    if (!value) return std::nullopt;
    is_good = is_good && *value <= *limit;
  }
  return is_good;
}

LevelResult ResultOf(const LoadLevel& level, RequestList requests, const Objective& objective) {
  LevelResult result{.level = level};
  if (!level.begin || !level.sending || *level.sending <= 0) return result;
  Window window{.begin = *level.begin, .end = *level.begin + *level.sending};
  const std::optional<std::size_t> warm_up =
      WarmUpOf(OutputOverTime(requests, window.begin, window.end, kBins));
  if (warm_up) {
    result.warm_up =
        *level.sending / static_cast<std::int64_t>(kBins) * static_cast<std::int64_t>(*warm_up);
    window.begin += *result.warm_up;
  }
  result.window = window.end - window.begin;

  std::vector<const Request*> counted;
  std::vector<std::int64_t> ttft, tpot, e2e, from_send, lag;
  std::int64_t served = 0, answered = 0;
  double inside_ns = 0, tokens = 0;
  for (const double one : OutputOverTime(requests, window.begin, window.end, kBins)) tokens += one;
  bool has_tokens = false;
  for (const Request* const pointer : requests) {
    const Request& request = *pointer;
    if (!request.arrival) continue;
    const std::int64_t end = *request.arrival + request.e2e.value_or(0);
    const bool is_done = request.outcome == Outcome::kDone;
    has_tokens = has_tokens || request.output_tokens.has_value();
    served += is_done && end >= window.begin && end < window.end;
    inside_ns += static_cast<double>(std::max<std::int64_t>(
        0, std::min(end, window.end) - std::max(*request.arrival, window.begin)));
    if (*request.arrival < window.begin || *request.arrival >= window.end) continue;
    counted.push_back(pointer);
    result.failed += request.outcome == Outcome::kFailed;
    result.unfinished += request.outcome == Outcome::kCancelled;
    if (request.lag) lag.push_back(*request.lag);
    if (!is_done) continue;
    ++answered;
    if (request.ttft) ttft.push_back(*request.ttft);
    if (const Ns per_token = PerToken(request)) tpot.push_back(*per_token);
    if (request.e2e) e2e.push_back(*request.e2e);
    if (request.e2e && request.sent) from_send.push_back(*request.e2e - *request.sent);
  }
  result.requests = static_cast<std::int64_t>(counted.size());
  result.offered_per_s = static_cast<double>(counted.size()) / window.seconds();
  result.served_per_s = static_cast<double>(served) / window.seconds();
  if (has_tokens) result.output_tokens_per_s = tokens / window.seconds();
  result.inside = inside_ns / static_cast<double>(result.window);
  result.ttft = SpreadOf(std::move(ttft));
  result.tpot = SpreadOf(std::move(tpot));
  result.e2e = SpreadOf(std::move(e2e));
  result.e2e_from_send = SpreadOf(std::move(from_send));
  // Of fewer than a hundred one is more than a hundredth: the last but one.
  std::ranges::sort(lag);
  if (lag.size() > 1 && lag.size() < 100) lag.pop_back();
  if (const auto spread = SpreadOf(std::move(lag)))
    result.lag_p99 = static_cast<std::int64_t>(spread->p99);
  if (objective.has_any()) AddGoodput(counted, objective, window, result);
  if (const auto silence = LongestSilence(requests, window.begin, window.end)) {
    result.silence = silence->ns;
    result.silence_at = silence->at - *level.begin;
    result.is_stall =
        silence->ns >= kLeastStall &&
        static_cast<double>(silence->ns) >= kStallTimes * static_cast<double>(silence->usual);
  }
  const std::int64_t alone = TimeAlone(requests, level);
  const Window filled = {.begin = std::max(window.begin, *level.begin + 2 * alone),
                         .end = window.end};
  const bool is_enough = answered >= static_cast<std::int64_t>(kLeastOfLevel) &&
                         filled.end - filled.begin >= kLeastTimes * alone;
  const bool fails =
      static_cast<double>(result.failed) > kMostFailed * static_cast<double>(result.requests);
  result.state = fails                                           ? LevelState::kFailing
                 : IsOverloaded(requests, filled, result, alone) ? LevelState::kOverload
                 : !is_enough                                    ? LevelState::kTooShort
                 : warm_up                                       ? LevelState::kSteady
                                                                 : LevelState::kUnsteady;
  result.invalid = WhyInvalid(result, objective);
  return result;
}

}  // namespace rankscope::serving
