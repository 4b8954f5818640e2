// kv-cache-pressure: requests are preempted, or wait, for want of KV cache.
//
// Preempted: the server counts preemptions (retractions) of at least 1% of the requests that it
// finished, and its cache was 90% full at some moment, where that is known. Waiting: in a tenth of
// the samples and ten of them, requests wait while the cache is 95% full (in nine of ten samples
// with waiting requests), or while the server itself says that they wait for capacity and the
// cache is that full; where requests are preempted, too, in nine of ten such samples 85% will do,
// since blocks become free between two admissions.
#include <fmt/core.h>

#include <algorithm>

#include "serving/causes/cause.h"
#include "serving/causes/waiting.h"
#include "table/human_number.h"

namespace rankscope::serving {

void FindKvCachePressure(const Analysis& analysis, Causes& causes) {
  const Waiting waiting = WaitingOf(analysis.loads);
  std::optional<double> preempted, finished;
  for (const ReplicaSeries& series : analysis.replicas) {
    if (const auto gained = series.Gained(Metric::kPreemptions))
      preempted = preempted.value_or(0) + *gained;
    if (const auto gained = series.Gained(Metric::kFinished))
      finished = finished.value_or(0) + *gained;
  }
  const bool knows_usage = std::ranges::any_of(
      analysis.loads, [](const Load& load) { return load.kv_usage.has_value(); });
  if (!knows_usage && !preempted) {
    causes.unchecked.emplace_back("kv-cache-pressure: needs scrapes of /metrics or vLLM's log");
    return;
  }
  const bool preempts = preempted && *preempted >= 1 && finished &&
                        *preempted >= 0.01 * std::max(*finished, 1.0) &&
                        (!knows_usage || waiting.most_kv >= 0.9);
  const bool is_full_for_long = waiting.kv_full >= 10 && waiting.kv_full * 10 >= waiting.samples;
  // Between two admissions blocks become free: where others are preempted, below 85% is room.
  const bool waits =
      (is_full_for_long &&
       (waiting.Share(waiting.kv_full) >= 0.9 || waiting.for_capacity * 10 >= waiting.samples)) ||
      (preempts && waiting.kv_known >= 10 && waiting.kv_room * 10 <= waiting.kv_known);
  if (!preempts && !waits) return;
  Finding finding{.id = "kv-cache-pressure"};
  finding.title = "The KV cache is full";
  if (preempts) {
    finding.title += fmt::format(": {} of {} requests were preempted and computed again",
                                 HumanDecimal(*preempted), HumanDecimal(*finished));
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
  finding.change =
      "Give the cache more memory (--gpu-memory-utilization, --mem-fraction-static) or an FP8 "
      "cache, or admit fewer requests at once (--max-num-seqs), so that none is computed twice.";
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
