// The causes of a serving program's slowness, by positive evidence. Each cause has a file that
// states its evidence. No cause relies on how busy a device is: a decode step takes about as long
// for one request as for 32, so a device is busy long before it is full.
//
// The root cause is reported together with its consequences: a full KV cache or too few slots
// explain queueing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serving/causes/analysis.h"

namespace rankscope::serving {

struct Finding {
  std::string id;
  std::string title;
  std::string evidence;
  std::string change;
  std::optional<double> lost_pct;   // of requests' time
  std::optional<double> full_in_s;  // until something that grows has no room
  // Of mean time with the change; replay_gain.h. One of gain and no_gain is set.
  std::optional<double> gain_pct, model_error_pct;
  std::string no_gain;
  // For the model: the number of slots times this factor.
  std::optional<double> more_slots;

  // From 10% of requests' time high, from 3% medium; unknown is medium. Of what grows, high when it
  // is full within an hour, medium within a day.
  std::string_view severity() const;
};

struct Causes {
  std::vector<Finding> findings;       // by severity, then lost time
  bool is_queue_of_imbalance = false;  // requests wait where others have room, and hardly else
  std::string uneven_model;            // whose queue that explains, among several; "" none
  bool is_queue_of_cache = false;      // requests wait for KV cache
  bool is_queue_of_lock = false;       // workers of a service wait for locks
  Ns cold_until;                       // requests that arrived before are of a cold start
  std::vector<std::string> unchecked;  // "prefix-cache-miss: needs ...", of those not looked for
};

Causes FindCauses(const Analysis& analysis);

// Each adds its findings, or its missing inputs to `unchecked`.
void FindKvCachePressure(const Analysis& analysis, Causes& causes);
void FindKvCacheLeak(const Analysis& analysis, Causes& causes);
// small-batches and queueing: waiting, and its reason. Runs after the causes that explain waiting:
// a cold start, a full cache, uneven replicas.
void FindQueueing(const Analysis& analysis, Causes& causes);
// If more slots gain little by the model, there are too many requests, which is reported instead.
void TellRateFirst(const Analysis& analysis, const Causes& causes, Finding& finding);
// For services with handlers, known from a recorder; lock-contention goes first.
void FindLockContention(const Analysis& analysis, Causes& causes);
void FindServiceQueueing(const Analysis& analysis, Causes& causes);
void FindHostBoundDecode(const Analysis& analysis, Causes& causes);
void FindPrefillInterference(const Analysis& analysis, Causes& causes);
void FindPrefixCacheMiss(const Analysis& analysis, Causes& causes);
void FindFrontendBound(const Analysis& analysis, Causes& causes);
void FindColdStart(const Analysis& analysis, Causes& causes);
void FindReplicaImbalance(const Analysis& analysis, Causes& causes);

}  // namespace rankscope::serving
