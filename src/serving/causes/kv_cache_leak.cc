// kv-cache-leak: cache stays in use though no request is in the server, more and more of it.
//
// The floor: usage in samples of a replica with no running and no waiting request, eight at least
// over a minute at least. It is a leak when nine of ten pairs of different samples rise with time,
// and the floor (the median of a quarter of the samples) gains 5 points of the cache from the first
// quarter to the last, at least 30% of that in each half: what is kept once, such as a pinned
// prefix, does not grow. Full in: what is left above the last quarter by the rise per second
// between the middles of the first and the last quarter.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/median.h"
#include "serving/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr std::size_t kLeastIdle = 8;
constexpr std::int64_t kLeastSpanNs = 60'000'000'000;
constexpr double kLeastRise = 0.05;
constexpr double kOfEachHalf = 0.3;
constexpr double kRisingPairs = 0.9;

struct IdleSample {
  std::int64_t time = 0;
  double usage = 0;
};
using IdleSamples = std::vector<IdleSample>;

// By source and replica, in order of time.
std::map<std::pair<std::uint32_t, std::string>, IdleSamples> IdleOf(const Analysis& analysis) {
  std::map<std::pair<std::uint32_t, std::string>, IdleSamples> idle;
  for (const Load& load : analysis.loads) {
    if (!load.time || !load.kv_usage || load.running != 0 || load.waiting.value_or(0) != 0)
      continue;
    idle[{load.source, load.replica}].push_back({*load.time, *load.kv_usage});
  }
  for (auto& [replica, samples] : idle) std::ranges::stable_sort(samples, {}, &IdleSample::time);
  return idle;
}

double FloorOf(const IdleSamples& samples, std::size_t first, std::size_t end) {
  std::vector<double> usage;
  for (std::size_t i = first; i < end; ++i) usage.push_back(samples[i].usage);
  return MedianOf(usage);
}

// Of pairs that differ, those that rise. At most 200 samples are compared with each other.
double RisingPairs(const IdleSamples& samples) {
  const std::size_t stride = samples.size() / 200 + 1;
  double rising = 0, falling = 0;
  for (std::size_t i = 0; i < samples.size(); i += stride) {
    for (std::size_t j = i + stride; j < samples.size(); j += stride) {
      rising += samples[j].usage > samples[i].usage ? 1 : 0;
      falling += samples[j].usage < samples[i].usage ? 1 : 0;
    }
  }
  return rising + falling == 0 ? 0 : rising / (rising + falling);
}

struct Leak {
  double from = 0, to = 0;  // floors, 0 to 1
  std::int64_t span_ns = 0;
  double full_in_s = 0;
  std::size_t samples = 0;
};

bool IsEnough(const IdleSamples& samples) {
  return samples.size() >= kLeastIdle && samples.back().time - samples.front().time >= kLeastSpanNs;
}

std::optional<Leak> LeakOf(const IdleSamples& samples) {
  const std::size_t count = samples.size(), quarter = count / 4;
  const double from = FloorOf(samples, 0, quarter);
  const double middle = FloorOf(samples, (count - quarter) / 2, (count + quarter) / 2);
  const double to = FloorOf(samples, count - quarter, count);
  const double rise = to - from;
  if (rise < kLeastRise || middle - from < kOfEachHalf * rise || to - middle < kOfEachHalf * rise ||
      RisingPairs(samples) < kRisingPairs)
    return std::nullopt;
  const std::int64_t between_ns = samples[count - quarter / 2 - 1].time - samples[quarter / 2].time;
  const double per_s = rise / (static_cast<double>(std::max<std::int64_t>(1, between_ns)) / 1e9);
  return Leak{.from = from,
              .to = to,
              .span_ns = samples.back().time - samples.front().time,
              .full_in_s = std::max(0.0, 1 - to) / per_s,
              .samples = count};
}

}  // namespace

void FindKvCacheLeak(const Analysis& analysis, Causes& causes) {
  bool is_any_enough = false;
  std::optional<Leak> worst;
  std::string replica;
  const auto idle = IdleOf(analysis);
  for (const auto& [of, samples] : idle) {
    if (!IsEnough(samples)) continue;
    is_any_enough = true;
    const std::optional<Leak> leak = LeakOf(samples);
    if (!leak || (worst && worst->full_in_s <= leak->full_in_s)) continue;
    worst = leak;
    replica = idle.size() > 1 ? of.second : "";
  }
  if (!is_any_enough) {
    causes.unchecked.emplace_back(
        "kv-cache-leak: needs eight scrapes of /metrics, over a minute, at times without requests");
    return;
  }
  if (!worst) return;
  Finding finding{.id = "kv-cache-leak", .full_in_s = worst->full_in_s};
  finding.title =
      fmt::format("KV cache stays in use without a request{}: {} to {} within {}; full in {}",
                  replica.empty() ? "" : " at " + replica, HumanPercent(100 * worst->from),
                  HumanPercent(100 * worst->to), HumanDuration(static_cast<double>(worst->span_ns)),
                  HumanDuration(1e9 * worst->full_in_s));
  finding.evidence = fmt::format(
      "cache in use in {} samples with no running and no waiting request, rising", worst->samples);
  finding.change =
      "Restart the replica before it is full. Look for what keeps blocks: requests that clients "
      "gave up, sessions that nobody closes, pinned prefixes, transfers between prefill and decode "
      "that failed; try a newer version of the engine.";
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
