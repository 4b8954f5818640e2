// Recorder: turns what happens on a simulated rank into the events of its trace, and keeps the
// ground truth.
//
// It owns all ids (external ids, correlations, event indices) and the tree of open ops. It writes
// the tree when the outermost op closes, parents first, as the profiler does. It receives all times
// in the job's true time and converts them to the rank's own clock, which its accounting uses as
// well.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "formats/kineto/writer.h"
#include "sim/engine/accounting.h"
#include "sim/engine/device.h"
#include "sim/engine/stage_accounting.h"
#include "sim/jobs/job_plan.h"
#include "sim/model/catalog.h"
#include "sim/model/gpu.h"
#include "sim/model/program.h"
#include "sim/model/routing.h"

namespace rankscope::sim {

// A call of the CUDA runtime as CUPTI numbers it. Kineto marks launches, copies, synchronisations
// and waits as the start of an arrow, and (a quirk) all other calls as the end of an arrow.
struct RuntimeCall {
  std::string_view name;
  int cbid = 0;
  bool starts_flow = false;
};
inline constexpr RuntimeCall kLaunchKernel{"cudaLaunchKernel", 211, true};
inline constexpr RuntimeCall kLaunchKernelExC{"cudaLaunchKernelExC", 430, true};
inline constexpr RuntimeCall kGraphLaunch{"cudaGraphLaunch", 311, true};
inline constexpr RuntimeCall kMemcpyAsync{"cudaMemcpyAsync", 41, true};
inline constexpr RuntimeCall kStreamSynchronize{"cudaStreamSynchronize", 131, true};
inline constexpr RuntimeCall kDeviceSynchronize{"cudaDeviceSynchronize", 165, true};
inline constexpr RuntimeCall kStreamWaitEvent{"cudaStreamWaitEvent", 147, true};
inline constexpr RuntimeCall kEventRecord{"cudaEventRecord", 135, false};
inline constexpr RuntimeCall kMalloc{"cudaMalloc", 20, false};
inline constexpr RuntimeCall kDriverFree{"cudaFree", 22, false};

// The number of events in a rank's trace, by kind.
struct EventCounts {
  std::uint64_t events = 0;  // all elements of traceEvents
  std::uint64_t ops = 0;     // cpu_op
  std::uint64_t annotations = 0;
  std::uint64_t device_annotations = 0;
  std::uint64_t runtime_calls = 0;
  std::uint64_t compute_kernels = 0;
  std::uint64_t communication_kernels = 0;
  std::uint64_t copies = 0;
  std::uint64_t syncs = 0;  // cuda_sync
  std::uint64_t memory = 0;
  std::uint64_t python = 0;  // python_function
  std::uint64_t flow_starts = 0;
  std::uint64_t flow_ends = 0;
  std::uint64_t metadata = 0;  // M records and the profiler's own rows
};

// The CUDA graph and the node of it that a kernel belongs to; -1: none.
struct NodePlace {
  std::int64_t graph = -1;
  std::int64_t node = -1;  // counts from 0
};

class Recorder {
 public:
  // Without a writer it only counts.
  Recorder(const JobPlan& plan, int rank, kineto::Writer* writer);

  // Ops nest on their thread; one thread's tree must be closed before the other thread runs.
  // `sequence` is autograd's number, or -1 when autograd records nothing. `routed`: the routing
  // that the shapes of an op on tokens depend on, or null.
  void OpenOp(HostThread thread, const OpNode& node, std::int64_t ts_ns, std::int64_t sequence,
              const Routed* routed);
  // The record_param_comms op of a communication; it is the rank's `sequence`-th in its group.
  void OpenCommunication(HostThread thread, const Communication& communication,
                         std::int64_t sequence, const Routed& routed, std::int64_t ts_ns);
  // An annotation nested among ops.
  void OpenSpan(HostThread thread, std::string_view name, std::int64_t ts_ns);
  void CloseOp(std::int64_t end_ns);

  // Annotations that may last a whole step. They are written when they close, with their
  // projections on the streams whose work they launched directly. They nest, on the main thread.
  void OpenAnnotation(std::string_view name, std::int64_t ts_ns);
  void CloseAnnotation(std::int64_t end_ns);

  // Python frames nest, on the main thread. `number` is that of a module, or -1.
  void OpenFrame(const PythonFrame& frame, std::int64_t number, std::int64_t ts_ns);
  void CloseFrame(std::int64_t end_ns);

  // Each call has a correlation id of its own.
  void Call(HostThread thread, const RuntimeCall& call, std::int64_t ts_ns, std::int64_t end_ns);
  // Device work that the last call launched. `known_ns` is the host's clock.
  void Kernel(Stream stream, const KernelSpec& spec, const Span& span, std::int64_t known_ns,
              const NodePlace& place = {});
  // The kernel of the communication that was opened last.
  void CommunicationKernel(const Communication& communication, const Span& span,
                           std::int64_t known_ns);
  void Copy(Stream stream, const CopySpec& copy, const Span& span, std::int64_t known_ns);
  // The wait rows of the last call; `stream` -1 is the whole device.
  void SyncRow(std::string_view name, int stream, std::int64_t ts_ns, std::int64_t end_ns);
  void WaitEventRow(Stream waiting, Stream recorded, std::int64_t record_correlation,
                    std::int64_t event_id, std::int64_t ts_ns, std::int64_t end_ns);
  // `bytes` at `address` were allocated; negative: released.
  void Memory(HostThread thread, std::int64_t bytes, std::int64_t address,
              const CachingAllocator& allocator, std::int64_t ts_ns);

  void BeginStep(int step, std::int64_t mark_ns) {
    accounting_.BeginStep(step, clock_.At(mark_ns));
    stage_accounting_.OpenStep();
  }
  void EndLastStep() { accounting_.Close(); }
  // The records at the end of a trace. `begin_ns` and `end_ns` bound the recording.
  void Finish(std::int64_t begin_ns, std::int64_t end_ns);

  // Of the last Call.
  std::int64_t last_correlation() const { return correlation_; }
  const EventCounts& counts() const { return counts_; }
  // By the rank's own clock.
  const Accounting& accounting() const { return accounting_; }
  // In true time.
  const StageAccounting& stage_accounting() const { return stage_accounting_; }

 private:
  struct OpenedOp {
    kineto::OpEvent event;
    AutogradRole role = AutogradRole::kNone;
  };
  struct Extent {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;  // 0: no work
  };
  struct Frame {
    std::string name;
    kineto::PythonEvent event;
  };
  struct Annotation {
    kineto::OpEvent event;
    std::array<Extent, kStreamCount> extents;
    bool pass = false;  // the pass of a pipeline's stage
  };

  std::int64_t Tid(HostThread thread) const;
  kineto::OpEvent NewOp(HostThread thread, std::string_view name, std::int64_t ts_ns);
  void PushOp(const OpenedOp& op);
  std::string_view Keep(std::string text);
  void AddSplits(const Communication& communication, const Routed& routed,
                 kineto::CollectiveEventArgs* args);
  std::int64_t ExternalId() const;
  void DeviceWork(Stream stream, Work work, const Span& local, std::int64_t known_ns);
  Span Local(const Span& span) const { return {clock_.At(span.begin_ns), clock_.At(span.end_ns)}; }
  void WriteOpTree();
  void WriteOp(const OpenedOp& op);
  void WriteDeviceAnnotation(const kineto::OpEvent& annotation, Stream stream,
                             std::int64_t begin_ns, std::int64_t end_ns);
  void WriteKernel(Stream stream, const KernelSpec& spec, const Span& local,
                   const kineto::CollectiveEventArgs* args, const NodePlace& place = {});
  void Flow(bool start, kineto::FlowKind kind, std::int64_t id, std::int64_t pid, std::int64_t tid,
            std::int64_t local_ns);

  const JobPlan& plan_;
  const Place& place_;
  kineto::Writer* writer_;
  std::int64_t device_;
  std::int64_t pid_;
  Clock clock_;  // its times are those of the file
  EventCounts counts_;
  Accounting accounting_;
  StageAccounting stage_accounting_;
  int open_passes_ = 0;

  std::vector<OpenedOp> tree_;                           // in order of opening
  std::vector<std::size_t> open_;                        // ops not closed yet, outermost first
  std::deque<kineto::CollectiveEventArgs> collectives_;  // of the tree
  std::deque<kineto::OpShapes> shapes_;                  // of the tree
  std::deque<std::string> texts_;                        // of the tree
  std::vector<Annotation> annotations_;
  std::vector<Frame> frames_;
  std::int64_t next_frame_id_ = 1;
  std::int64_t next_op_id_ = 1;
  std::int64_t next_event_index_ = 0;
  HostThread thread_ = HostThread::kMain;  // of the last call
  std::int64_t correlation_ = 0;           // of the last call
  unsigned streams_used_ = 0;              // one bit per stream
};

// The base of all ranks' timestamps, and the job's start relative to that base.
inline constexpr std::int64_t kBaseNs = 1'735'689'600'000'000'000;
inline constexpr std::int64_t kJobStartNs = 4'004'123'456'789'012;

// The header of a rank's trace.
kineto::TraceHeader MakeHeader(const JobPlan& plan, int rank, const std::string& file_name);

}  // namespace rankscope::sim
