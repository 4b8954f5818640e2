#include "tune/subject/canary_watch.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "serving/inputs/read_file.h"
#include "serving/metrics/series.h"

namespace rankscope::tune {
namespace {

constexpr int kMostSilent = 3;
constexpr double kLeastRequests = 100;
constexpr double kKept = serving::kGoodPct / 100;
constexpr double kCanaryWatchSure = 2.6;  // deviations: one-sided 99.5%

struct Kept {
  double requests = 0;
  double at_most = 0;  // that may have kept the limit
};

// By the histograms' buckets, over all replicas.
Kept KeptOf(const std::vector<serving::ReplicaSeries>& replicas, serving::Metric metric,
            std::int64_t limit) {
  Kept kept;
  for (const serving::ReplicaSeries& replica : replicas) {
    const auto gains = replica.Gains(metric);
    if (!gains || gains->buckets.empty()) continue;
    const auto bucket = gains->buckets.lower_bound(static_cast<double>(limit));
    if (bucket == gains->buckets.end()) continue;
    kept.requests += gains->count;
    kept.at_most += std::isinf(bucket->first) ? gains->count : bucket->second;
  }
  return kept;
}

}  // namespace

std::string BrokenLimits(const std::string& before, const std::string& after,
                         const serving::Objective& limits, std::string* seen) {
  const std::string text =
      fmt::format("# scraped_at 1000000000\n{}\n# scraped_at 2000000000\n{}\n", before, after);
  serving::Collection collection;
  if (!serving::ReadServingFile({.path = "metrics", .text = text}, collection).ok()) return "";
  const auto replicas = serving::SeriesOf(collection.data);
  struct One {
    std::string_view name;
    serving::Metric metric;
    serving::Ns limit;
  };
  const std::array<One, 3> all = {{{"TTFT", serving::Metric::kTtft, limits.ttft},
                                   {"TPOT", serving::Metric::kTpot, limits.tpot},
                                   {"end to end", serving::Metric::kE2e, limits.e2e}}};
  std::string broken, words;
  for (const One& one : all) {
    if (!one.limit) continue;
    const Kept kept = KeptOf(replicas, one.metric, *one.limit);
    if (kept.requests <= 0) continue;
    const double share = kept.at_most / kept.requests;
    const std::string sentence =
        fmt::format("{:.1f}% of {:.0f} requests within {} {:g} ms", 100 * share, kept.requests,
                    one.name, static_cast<double>(*one.limit) / 1e6);
    words += (words.empty() ? "" : ", ") + sentence;
    const double bar = kKept - kCanaryWatchSure * std::sqrt(kKept * (1 - kKept) / kept.requests);
    if (kept.requests >= kLeastRequests && share < bar && broken.empty())
      broken = "by its metrics " + sentence;
  }
  if (seen != nullptr) *seen = std::move(words);
  return broken;
}

CanaryWatch::CanaryWatch(ReadyCheck check, const serving::Objective& limits)
    : check_(std::move(check)), limits_(limits) {}

std::string CanaryWatch::LookAtMetrics() {
  const Result<http::Address> address = http::ParseAddress(check_.url);
  if (!address.ok()) return "";
  http::ClientOptions options = check_.client;
  options.time = std::chrono::seconds(5);
  const auto reply =
      http::MakeClient(*address, options)->Send({.method = "GET", .target = "/metrics"});
  if (!reply.ok()) return "";
  has_metrics_ = reply->status == 200;
  if (!has_metrics_) return "";
  if (first_scrape_.empty()) {
    first_scrape_ = reply->body;
    return "";
  }
  return BrokenLimits(first_scrape_, reply->body, limits_, &seen_);
}

std::string CanaryWatch::Look() {
  const std::string why = WhyNotReady(check_);
  silent_ = why.empty() ? 0 : silent_ + 1;
  if (silent_ >= kMostSilent) return why;
  if (!why.empty() || !has_metrics_ || !limits_.has_any()) return "";
  return LookAtMetrics();
}

}  // namespace rankscope::tune
