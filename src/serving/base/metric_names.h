// The known metrics: their names on each server, and their meaning here.
//
// Names are matched whole, with or without the `_total` of counters: `.._waiting` is a prefix of
// `.._waiting_by_reason`. Names of older versions stand beside the newer ones.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankscope::serving {

enum class Metric : std::uint8_t {
  // Gauges.
  kRunning,
  kRunningContext,     // those of kRunning that are in their prompt
  kRunningGeneration,  // and those behind it
  kWaiting,
  kWaitingAtReplica,  // at replicas, behind the queue of kWaiting
  kWaitingByReason,   // label reason
  kKvUsage,           // 0 to 1
  kMaxBatch,
  kBusySlots,  // mean per decode since the start
  kProcessStart,
  // Counters.
  kPreemptions,
  kPromptTokens,
  kCachedTokens,
  kPromptTokensBySource,  // label source
  kGenerationTokens,
  kFinished,
  kFailed,
  kDecodeCalls,
  kInferences,
  kExecutions,
  kQueueTime,
  kInferTime,
  kRequestTime,
  kPrefillTime,
  kDecodeTime,
  // Histograms of times.
  kTtft,
  kItl,
  kTpot,
  kE2e,
  kQueue,
  kPrefill,
  kDecode,
  kInference,
};
enum class MetricKind : std::uint8_t { kGauge, kCounter, kHistogram };

MetricKind KindOf(Metric metric);
// "running", "time_to_first_token": its name in tables.
std::string_view NameOf(Metric metric);
// Of values in tables: "requests", "tokens", "ns", "1" (a share).
std::string_view UnitOf(Metric metric);

struct KnownMetric {
  std::string_view name;    // on the wire, without _total
  std::string_view server;  // "vLLM"
  Metric metric;
  double scale = 1;  // to the unit of tables: 1e9 of seconds
};

std::span<const KnownMetric> KnownMetrics();
// The index of the metric of exactly that name, ignoring a `_total`. O(1).
std::optional<std::uint16_t> FindMetric(std::string_view name);

}  // namespace rankscope::serving
