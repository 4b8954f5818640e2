// TraceFacts: one rank's trace and what several analyses derive from it, each computed once, when
// it is first asked for.
//
// Not thread-safe: the worker that maps a trace owns its facts. The trace must outlive them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analysis/device_time.h"
#include "analysis/kernel_class.h"
#include "analysis/memory_timeline.h"
#include "trace/trace.h"

namespace rankscope {

struct PathFacts;  // critical_path/path_charges.h

class TraceFacts {
 public:
  explicit TraceFacts(const RankTrace& trace);
  ~TraceFacts();
  TraceFacts(const TraceFacts&) = delete;
  TraceFacts& operator=(const TraceFacts&) = delete;

  const RankTrace& trace() const { return trace_; }
  // A map that needs nothing but the trace may take `const RankTrace&`.
  operator const RankTrace&() const { return trace_; }  // NOLINT(google-explicit-constructor)

  const WorkClassifier& classes() const;
  const HostActivity& host() const;
  // One entry per device that did work, by device id.
  const std::vector<DeviceTime>& devices() const;
  // One entry per device of which memory was recorded, by type and id.
  const std::vector<MemoryDevice>& memory() const;
  // The dependency graph and the critical path through it.
  const PathFacts& path() const;
  // trace/recomputation.h
  const std::vector<std::uint8_t>& recomputed() const;

 private:
  const RankTrace& trace_;
  mutable std::optional<WorkClassifier> classes_;
  mutable std::optional<HostActivity> host_;
  mutable std::optional<std::vector<DeviceTime>> devices_;
  mutable std::optional<std::vector<MemoryDevice>> memory_;
  mutable std::unique_ptr<const PathFacts> path_;
  mutable std::optional<std::vector<std::uint8_t>> recomputed_;
};

}  // namespace rankscope
