#include "serving/over_time.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "serving/objective.h"
#include "statistics/statistics.h"

namespace rankscope::serving {
namespace {

constexpr std::int64_t kOfBin = 4;  // requests
constexpr std::int64_t kLeastBins = 10;
constexpr std::int64_t kMostBins = 100;

std::optional<Quantiles> QuantilesOf(std::vector<std::int64_t>& values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return Quantiles{
      .p50 = Quantile(values, 0.5), .p90 = Quantile(values, 0.9), .p99 = Quantile(values, 0.99)};
}

Ns TokenTimeOf(const Request& request, const Told& told) {
  if (!request.output_tokens || *request.output_tokens < 2 || !told.decode) return std::nullopt;
  return *told.decode / (*request.output_tokens - 1);
}

// Arrivals by one clock: that of the first.
std::vector<std::size_t> RequestsOf(const Analysis& analysis) {
  const std::vector<Recorder> recorders = RecordersOf(analysis);
  const auto known = [&](const Recorder& recorder) {
    return std::ranges::count_if(recorder.requests, [&](std::size_t i) {
      const Told& told = analysis.told[i];
      return told.arrival && (told.ttft || told.e2e);
    });
  };
  const auto best = std::ranges::max_element(recorders, {}, [&](const Recorder& one) {
    return std::tuple(known(one), -static_cast<int>(one.side));
  });
  if (best == recorders.end()) return {};
  std::vector<std::size_t> requests;
  for (const std::size_t i : best->requests) {
    const Told& told = analysis.told[i];
    if (!told.arrival) continue;
    if (!requests.empty() && analysis.told[requests[0]].has_wall_clock != told.has_wall_clock)
      continue;
    requests.push_back(i);
  }
  return requests;
}

struct Values {
  std::vector<std::int64_t> ttft, tpot, e2e;
  std::int64_t longest = -1;
};

}  // namespace

std::int64_t WidthOfBins(std::int64_t span, std::int64_t most) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      if (span / (factor * power) < most) return factor * power;
    }
    if (power > std::numeric_limits<std::int64_t>::max() / 100) return power;
  }
}

std::vector<TimeBin> OverTime(const Analysis& analysis) {
  const std::vector<std::size_t> requests = RequestsOf(analysis);
  const auto arrival = [&](std::size_t i) { return *analysis.told[i].arrival; };
  if (requests.empty()) return {};
  const auto [low, high] = std::ranges::minmax_element(requests, {}, arrival);
  const std::int64_t first = arrival(*low), last = arrival(*high);
  if (last == first) return {};
  const auto most =
      std::clamp(static_cast<std::int64_t>(requests.size()) / kOfBin, kLeastBins, kMostBins);
  const std::int64_t width = WidthOfBins(last - first, most);
  std::vector<TimeBin> bins(static_cast<std::size_t>((last - first) / width + 1));
  std::vector<Values> values(bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i) {
    bins[i].begin = first + static_cast<std::int64_t>(i) * width;
    bins[i].end = bins[i].begin + width;
    bins[i].has_wall_clock = analysis.told[requests[0]].has_wall_clock;
  }
  for (const std::size_t i : requests) {
    const Told& told = analysis.told[i];
    const auto at = static_cast<std::size_t>((*told.arrival - first) / width);
    TimeBin& bin = bins[at];
    if (bin.requests++ == 0) bin.level = told.level;
    if (bin.level != told.level) bin.level = -1;
    if (analysis.requests[i].outcome != Outcome::kDone) {
      ++bin.failed;
      continue;
    }
    if (told.ttft) values[at].ttft.push_back(*told.ttft);
    if (const Ns tpot = TokenTimeOf(analysis.requests[i], told)) values[at].tpot.push_back(*tpot);
    if (!told.e2e) continue;
    values[at].e2e.push_back(*told.e2e);
    if (*told.e2e <= values[at].longest) continue;
    values[at].longest = *told.e2e;
    bin.slowest = i;
  }
  for (std::size_t i = 0; i < bins.size(); ++i) {
    bins[i].ttft = QuantilesOf(values[i].ttft);
    bins[i].tpot = QuantilesOf(values[i].tpot);
    bins[i].e2e = QuantilesOf(values[i].e2e);
  }
  return bins;
}

}  // namespace rankscope::serving
