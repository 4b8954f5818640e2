// The Prometheus metrics of a worker of a cluster: its work and its children's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "http/message.h"

namespace rankscope::service {

// Since the worker began; a unit is a run or a shard.
struct WorkerNumbers {
  std::int64_t running = 0;  // units, now
  std::int64_t taken = 0;    // units: attempts
  std::int64_t reports = 0;  // that were published
  std::int64_t shards = 0;   // that were read
  std::int64_t attempts_failed = 0;
  std::int64_t renewals_failed = 0;  // requests for another lease that went wrong
  std::int64_t leases_lost = 0;      // units that others could take meanwhile
  std::uint64_t read_bytes = 0;      // of files, as stored, of which a report or shard was made
  double busy_seconds = 0;           // of units, however they ended
};

// In Prometheus' text format, with the memory of the largest child that this process waited for.
std::string WorkerMetrics(const WorkerNumbers& numbers);

// Answers GET /metrics with the result of `text`, and nothing else. The result names neither runs
// nor people, so no token is needed.
std::unique_ptr<http::Handler> MakeMetricsPage(std::function<std::string()> text);

}  // namespace rankscope::service
