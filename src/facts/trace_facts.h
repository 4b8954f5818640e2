// TraceFacts: one rank's trace and what several analyses derive from it, each computed once, when
// it is first asked for.
//
// Thread-safe: maps of one trace may run side by side; who comes second waits. The trace must
// outlive them.
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

// What facts are computed with. Maps take any of them, so their versions are part of every
// partial's key.
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
  // A map that needs nothing but the trace may take `const RankTrace&`.
  operator const RankTrace&() const { return trace_; }  // NOLINT(google-explicit-constructor)

  const WorkClassifier& classes() const;
  const HostActivity& host() const;
  const MissingWork& missing_work() const;
  // One entry per device that did work, by device id: what its rows are.
  const std::vector<DeviceTime>& recorded_devices() const;
  // Those of which it is known when they worked: all of these, or none where the file ends among
  // their rows (MissingWork) and no step has all of its work.
  const std::vector<DeviceTime>& devices() const;
  // The device of a stream; null of other tracks, and of devices whose work has no extent.
  const DeviceTime* DeviceOf(const Track& track) const;
  // The steps as the rank's devices() passed them.
  const DeviceSteps& rank_steps() const;
  // Of every row of device work the step that launched it, as DeviceSteps::step_of_work; kBefore of
  // other rows.
  const std::vector<std::int32_t>& launch_steps() const;
  // One entry per device of which memory was recorded, by type and id.
  const std::vector<MemoryDevice>& memory() const;
  // Of devices() and the host.
  const DependencyGraph& graph() const;
  // The critical path through the graph: charges cover [trace.begin_ns, trace.finish_ns) once, in
  // order of time; none is empty. What follows the end of the path, rows of other threads than the
  // main one, is unexplained.
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
