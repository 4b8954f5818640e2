// TraceFacts: one rank's trace and facts shared by several analyses, each computed once, at its
// first use.
//
// Thread-safe: maps of one trace may run in parallel; a second request for a fact waits. The trace
// must outlive them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "facts/device_time.h"
#include "facts/kernel_class.h"
#include "facts/kernel_rules.h"
#include "facts/memory_timeline.h"
#include "trace/trace.h"

namespace rankscope {

// Components used by facts. Maps may use any fact, so these versions are part of every partial's
// key.
std::span<const Component> FactComponents();

struct Charge;           // facts/path_charges.h
struct DependencyGraph;  // graph/graph.h

class TraceFacts {
 public:
  // Kernels are classified by `rules`.
  explicit TraceFacts(const RankTrace& trace, KernelRules rules = {});
  ~TraceFacts();
  TraceFacts(const TraceFacts&) = delete;
  TraceFacts& operator=(const TraceFacts&) = delete;

  const RankTrace& trace() const { return trace_; }
  // A map that needs only the trace may take `const RankTrace&`.
  operator const RankTrace&() const { return trace_; }  // NOLINT(google-explicit-constructor)

  const WorkClassifier& classes() const;
  const HostActivity& host() const;
  const MissingWork& missing_work() const;
  // One entry per device with work, by device id: its recorded rows.
  const std::vector<DeviceTime>& recorded_devices() const;
  // Devices with known working times: all of these, or none if the file ends among their rows
  // (MissingWork) and no step has all of its work.
  const std::vector<DeviceTime>& devices() const;
  // The device of a stream; null for other tracks, and for devices with zero-length work.
  const DeviceTime* DeviceOf(const Track& track) const;
  // The steps of the rank by its devices().
  const DeviceSteps& rank_steps() const;
  // For every row of device work the step that launched it, like DeviceSteps::step_of_work; kBefore
  // for other rows.
  const std::vector<std::int32_t>& launch_steps() const;
  // One entry per device with recorded memory, by type and id.
  const std::vector<MemoryDevice>& memory() const;
  // Of devices() and the host.
  const DependencyGraph& graph() const;
  // The critical path through the graph: charges cover [trace.begin_ns, trace.finish_ns) once, in
  // order of time; none is empty. Time after the end of the path (rows of threads other than the
  // main one) is unexplained.
  const std::vector<Charge>& path() const;
  // trace/recomputation.h
  const std::vector<std::uint8_t>& recomputed() const;

 private:
  const RankTrace& trace_;
  const KernelRules rules_;
  struct Once {
    std::once_flag classes, host, missing_work, devices, rank_steps, launch_steps, memory, graph,
        path, recomputed;
  };
  mutable Once once_;
  mutable std::optional<WorkClassifier> classes_;
  mutable std::optional<HostActivity> host_;
  mutable std::optional<MissingWork> missing_work_;
  mutable std::optional<std::vector<DeviceTime>> devices_;
  mutable bool are_known_ = true;  // set with them
  mutable std::optional<DeviceSteps> rank_steps_;
  mutable std::vector<std::int32_t> launch_steps_;
  mutable std::optional<std::vector<MemoryDevice>> memory_;
  mutable std::unique_ptr<const DependencyGraph> graph_;
  mutable std::unique_ptr<const std::vector<Charge>> path_;
  mutable std::optional<std::vector<std::uint8_t>> recomputed_;
};

}  // namespace rankscope
