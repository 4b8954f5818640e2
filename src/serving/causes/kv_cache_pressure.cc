// kv-cache-pressure: requests are preempted, or wait, for want of KV cache.
//
// Preempted: the server counts preemptions (retractions) of at least 1% of the requests that it
// finished, and its cache was 90% full at some moment, where that is known. Waiting: in a tenth of
// the samples and ten of them, requests wait while the cache is 95% full (in nine of ten samples
// with waiting requests), or while the server itself says that they wait for capacity and the
// cache is that full; where requests are preempted, too, 85% in most of these samples will do,
// since blocks become free between two admissions. Where requests are preempted but something else
// makes most of those wait that wait, that is told (queueing), with the preemptions.
#include <fmt/core.h>

#include <algorithm>

#include "serving/causes/cause.h"
#include "serving/causes/server_words.h"
#include "serving/causes/waiting.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr double kKvCachePressureWaitsShare = 0.2;  // of requests' time, as for queueing

}  // namespace

void FindKvCachePressure(const Analysis& analysis, Causes& causes) {
  const Waiting waiting = WaitingOf(analysis.loads);
  const auto preemptions = PreemptionsOf(analysis.replicas);
  const bool knows_usage = std::ranges::any_of(
      analysis.loads, [](const Load& load) { return load.kv_usage.has_value(); });
  if (!knows_usage && !preemptions) {
    causes.unchecked.emplace_back("kv-cache-pressure: needs scrapes of /metrics or vLLM's log");
    return;
  }
  const bool preempts = preemptions && preemptions->events >= 1 && preemptions->finished > 0 &&
                        preemptions->events >= 0.01 * std::max(preemptions->finished, 1.0) &&
                        (!knows_usage || waiting.most_kv >= 0.9);
  const bool is_full_for_long = waiting.kv_full >= 10 && waiting.kv_full * 10 >= waiting.samples;
  // Between two admissions blocks become free: where others are preempted, 85% will do.
  const bool waits = (is_full_for_long && (waiting.Share(waiting.kv_full) >= 0.9 ||
                                           waiting.for_capacity * 10 >= waiting.samples)) ||
                     (preempts && waiting.kv_known >= 10 && waiting.kv_room * 2 < waiting.kv_known);
  // Where something else limits most of those that wait, that is to be told: queueing.
  const bool waits_for_else = !waits && waiting.kv_known >= 10 &&
                              analysis.times.QueueShare().value_or(0) >= kKvCachePressureWaitsShare;
  if ((!preempts && !waits) || waits_for_else) return;
  causes.is_queue_of_cache = waits;
  Finding finding{.id = "kv-cache-pressure"};
  finding.title = "The KV cache is full";
  if (preempts) {
    // Preempted requests are computed again.
    finding.title += ": " + PreemptionWords(*preemptions);
  }
  if (waits) {
    finding.title += preempts ? ", and others wait for room" : ": requests wait for room";
    finding.lost_pct =
        100 * waiting.mean_waiting / std::max(waiting.mean_waiting + waiting.mean_running, 1e-9);
  }
  if (const auto share = analysis.times.QueueShare(); waits && share)
    finding.lost_pct = 100 * *share;
  finding.evidence = knows_usage ? fmt::format("the KV cache is up to {} full",
                                               HumanPercent(100 * waiting.most_kv))
                                 : "the server counts preemptions";
  if (waits)
    finding.evidence +=
        fmt::format("; 85% or more in {} of {} samples with waiting requests, 95% or more in {}",
                    waiting.kv_known - waiting.kv_room, waiting.waiting, waiting.kv_full);
  if (waiting.for_capacity > 0)
    finding.evidence += fmt::format("; the server says that they wait for capacity in {} samples",
                                    waiting.for_capacity);
  finding.change = MoreCache(ServerOf(analysis));
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
