// frontend-bound: tokenising, detokenising and streaming limit the server.
//
// The frontend (e2e less queue and engine) is a tenth of requests' time or more, at least a quarter
// longer in the busiest third of the requests than in the calmest, by how many were in the server
// when they came and went, by more than three standard errors, and the engine's part grows less
// than half as much. 60 requests at least. By metrics: the same over scrapes, by requests per
// second, of 12 scrapes with requests or more; where these do not show it and the frontend is a
// fifth and half a second or more, it is listed with what would tell.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "serving/causes/cause.h"
#include "serving/causes/server_words.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr double kFrontendBoundLeastShare = 0.1;
// What no tokenising of a healthy server takes.
constexpr double kOddShare = 0.2;
constexpr double kOddNs = 0.5e9;

struct Sample {
  double busy = 0, frontend = 0, engine = 0;
};

std::vector<Sample> OfRequests(const Analysis& analysis) {
  const Population& population = analysis.population;
  if (population.depth != Depth::kAll) return {};
  std::vector<std::int64_t> begins, ends;
  for (std::size_t i = 0; i < population.requests.size(); ++i) {
    const Request& request = analysis.requests[population.requests[i]];
    if (!request.arrival || !population.parts[i].of(Stage::kFrontend)) return {};
    begins.push_back(*request.arrival);
    ends.push_back(*request.arrival + population.parts[i].total);
  }
  std::vector<std::int64_t> sorted_begins = begins;
  std::ranges::sort(sorted_begins);
  std::ranges::sort(ends);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const auto in_server = [&](std::int64_t time) {
      return (std::ranges::lower_bound(sorted_begins, time) - sorted_begins.begin()) -
             (std::ranges::lower_bound(ends, time) - ends.begin());
    };
    const Parts& parts = population.parts[i];
    const std::int64_t end = begins[i] + parts.total;
    samples.push_back({.busy = static_cast<double>(in_server(begins[i]) + in_server(end)) / 2,
                       .frontend = static_cast<double>(*parts.of(Stage::kFrontend)),
                       .engine = static_cast<double>(parts.of(Stage::kPrefill).value_or(0) +
                                                     parts.of(Stage::kDecode).value_or(0))});
  }
  return samples;
}

std::vector<Sample> OfMetrics(const Analysis& analysis) {
  std::vector<Sample> samples;
  for (const ReplicaSeries& series : analysis.replicas) {
    Ns before;
    for (const Moment& moment : series.moments) {
      const auto mean = [&](Metric metric) -> std::optional<double> {
        const auto found = moment.histograms.find(metric);
        return found == moment.histograms.end() || found->second.count < 5 ? std::nullopt
                                                                           : found->second.Mean();
      };
      const auto e2e = mean(Metric::kE2e), queue = mean(Metric::kQueue);
      const auto engine = mean(Metric::kInference);
      if (before && moment.time && *moment.time > *before && e2e && queue && engine) {
        const double seconds = static_cast<double>(*moment.time - *before) / 1e9;
        samples.push_back({.busy = moment.histograms.at(Metric::kE2e).count / seconds,
                           .frontend = std::max(0.0, *e2e - *queue - *engine),
                           .engine = *engine});
      }
      before = moment.time;
    }
  }
  return samples;
}

}  // namespace

void FindFrontendBound(const Analysis& analysis, Causes& causes) {
  std::vector<Sample> samples = OfRequests(analysis);
  const bool is_of_requests = !samples.empty();
  if (!is_of_requests) samples = OfMetrics(analysis);
  if (samples.size() < (is_of_requests ? 60u : 12u)) {
    causes.unchecked.emplace_back(
        "frontend-bound: needs e2e, queue, prefill and decode of 60 requests, or a dozen scrapes "
        "of "
        "their histograms");
    return;
  }
  const auto& times = analysis.times;
  if (!times.frontend || !times.total || *times.frontend < kFrontendBoundLeastShare * *times.total)
    return;
  std::ranges::stable_sort(samples, {}, &Sample::busy);
  const std::size_t third = samples.size() / 3;
  Sample calm, busy;
  for (std::size_t i = 0; i < third; ++i) {
    const double part = 1 / static_cast<double>(third);
    const Sample& one = samples[samples.size() - 1 - i];
    calm.busy += samples[i].busy * part;
    calm.frontend += samples[i].frontend * part;
    calm.engine += samples[i].engine * part;
    busy.busy += one.busy * part;
    busy.frontend += one.frontend * part;
    busy.engine += one.engine * part;
  }
  double squares = 0;
  for (std::size_t i = 0; i < third; ++i) {
    squares += std::pow(samples[i].frontend - calm.frontend, 2) +
               std::pow(samples[samples.size() - 1 - i].frontend - busy.frontend, 2);
  }
  const double error = std::sqrt(squares) / static_cast<double>(third);
  const double growth = calm.frontend > 0 ? busy.frontend / calm.frontend - 1 : 0;
  const bool grows = calm.engine > 0 && busy.frontend - calm.frontend >= 3 * error &&
                     growth >= 0.25 && busy.engine / calm.engine - 1 <= growth / 2;
  if (!grows) {
    // A scrape counts requests that ended; how many were in the server meanwhile it does not tell.
    if (!is_of_requests && *times.frontend >= kOddShare * *times.total && *times.frontend >= kOddNs)
      causes.unchecked.push_back(fmt::format(
          "frontend-bound: {} of requests' time ({}) is neither queue nor engine by their means; "
          "whether it grows with the load needs spans of 60 requests",
          HumanPercent(100 * *times.frontend / *times.total), HumanDuration(*times.frontend)));
    return;
  }
  Finding finding{.id = "frontend-bound", .lost_pct = 100 * *times.frontend / *times.total};
  finding.title =
      fmt::format("{} of requests' time is neither queue nor engine, and grows with the load",
                  HumanPercent(*finding.lost_pct));
  finding.evidence =
      fmt::format("{} with {} {}, {} with {}; the engine {} and {}", HumanDuration(calm.frontend),
                  HumanDecimal(std::round(calm.busy * 10) / 10),
                  is_of_requests ? "requests in the server" : "requests a second",
                  HumanDuration(busy.frontend), HumanDecimal(std::round(busy.busy * 10) / 10),
                  HumanDuration(calm.engine), HumanDuration(busy.engine));
  finding.change = MoreFrontend(ServerOf(analysis));
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
