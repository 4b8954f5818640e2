// RankEngine: runs the program of one rank, instruction by instruction, and keeps its time.
//
//   host     one thread at a time (main or autograd) does the rank's work; each call advances the
//            clock by its (jittered) cost
//   launch   work may begin a latency after its call; the call blocks while the launch queue is
//            full
//   graph    one call; its nodes begin one after the other after a latency
//   frame    a Python function; the tracer adds a small, constant host time
//   sync     returns when the device has caught up
//   batch    data workers fill a short queue; the main thread waits when the queue is empty
//
// Device work follows device.h. If the host must wait for work whose end depends on ranks that have
// not arrived yet, Run returns; the next call resumes at the same instruction. An instruction has
// an effect only when it can be executed completely. So the order in which the ranks run changes
// nothing.
//
// The recorder is told everything. Without a recorder only time passes, at ~20 ns per event. A
// recorder needs a rendezvous that knows all meetings. Times are the job's true time in
// nanoseconds. Memory: 10 KiB plus the device's pending work.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/collective_log.h"
#include "sim/engine/data_queue.h"
#include "sim/engine/device.h"
#include "sim/engine/recorder.h"
#include "sim/engine/rendezvous.h"
#include "sim/jobs/job_plan.h"
#include "sim/model/allocator.h"
#include "sim/model/jitter.h"
#include "sim/model/program.h"
#include "sim/model/routing.h"

namespace rankscope::sim {

class RankEngine {
 public:
  // `recorder` may be null; `log` may be null even with a recorder.
  RankEngine(const JobPlan& plan, int rank, Rendezvous* rendezvous, Recorder* recorder,
             CollectiveLog* log = nullptr);

  // True when the rank has done all its steps, false when it waits for other ranks.
  bool Run();

  // When the host began each step, and as the last entry when host and device finished the last
  // step. Complete after the run.
  const std::vector<std::int64_t>& step_bounds_ns() const { return step_bounds_ns_; }
  // Per step: how long the rank's communication kernels waited for the last member. Complete after
  // a run with a recorder.
  const std::vector<std::int64_t>& waited_ns() const { return waited_ns_; }
  // Per step: the tokens sent to the experts, by the item of each kRoute. Complete after a run with
  // a recorder.
  const std::vector<std::vector<std::int64_t>>& tokens_received() const { return tokens_received_; }

 private:
  struct Mark {
    bool recorded = false;
    Stream stream = Stream::kCompute;
    std::int64_t correlation = 0;  // of the call that recorded it
    std::int64_t event_id = 0;
  };
  struct CallTimes {
    std::int64_t begin_ns, end_ns;
  };

  void BeginStep();
  void EndStep();
  void BeginCall(const Call& call);
  bool NextCall();  // false when the program is finished

  // False when the instruction must wait for other ranks; then it has had no effect.
  bool Execute(const Instruction& instruction);
  bool TryLaunch(const Instruction& instruction);
  bool TryLaunchGraph(const CapturedGraph& graph);
  void RunNode(const GraphNode& node, const NodePlace& place, std::int64_t launched_ns,
               std::int64_t ready_ns, Device::Place in_queue);
  bool TryCopy(const Instruction& instruction);
  bool TrySync(const Instruction& instruction);
  void Route();
  void OpenOp(const Instruction& instruction);
  void OpenCommunication(const Communication& communication);
  void OpenSpan(std::string_view name);
  void CloseOp();
  void OpenFrame(const PythonFrame& frame);
  void CloseFrame();
  void OpenAnnotation(std::string_view name);
  std::int64_t CloseAnnotation();  // returns its end time
  void SwitchTo(HostThread thread);
  void TakeBatch();
  void RecordEvent(const Instruction& instruction);
  void WaitEvent(const Instruction& instruction);
  void Communicate(const Communication& communication);
  void Allocate(const Instruction& instruction);
  void Free(const Instruction& instruction);
  void TakeSegment(std::int64_t bytes);
  void ReturnSegment();
  bool TryReleaseSegment(std::int64_t bytes);

  // Host time, jittered.
  std::int64_t HostNs(std::int64_t ns) { return draws_.Host(ns) * effects_.host_per_mille / 1000; }
  void Think(std::int64_t ns) { now_ns_ += HostNs(ns); }
  // Spends the host time of a runtime call of about `cost_ns`; ends no earlier than
  // `not_before_ns`.
  CallTimes CallRuntime(const RuntimeCall& call, std::int64_t cost_ns,
                        std::int64_t not_before_ns = 0);
  std::int64_t BytesOf(const Communication& communication) const;
  std::int64_t TransferNs(const Communication& communication, int channel, std::uint32_t ordinal);

  const JobPlan& plan_;
  const Place& place_;
  int rank_;
  Recorder* recorder_;
  CollectiveLog* log_;
  Draws draws_;
  Device device_;
  CachingAllocator allocator_;
  DataQueue data_;

  // Where the rank is in its program.
  int step_ = -1;
  const Program* program_ = nullptr;
  std::size_t next_call_ = 0;
  Call call_;
  const Instruction* at_ = nullptr;
  const Instruction* end_ = nullptr;
  bool in_epilogue_ = false;
  Segment epilogue_;

  HostThread thread_ = HostThread::kMain;
  std::int64_t now_ns_;
  std::int64_t begin_ns_;  // of the recording
  StepEffects effects_;
  std::int64_t sequence_ = 0;  // first sequence number of the step
  std::int64_t next_event_id_ = 1;
  std::vector<Mark> marks_;    // by event slot
  std::vector<Block> blocks_;  // by memory slot
  Block segment_;              // the last segment taken
  Router router_;
  Routed routed_;                        // result of the last kRoute
  int pause_points_ = 0;                 // passed so far in this step
  std::vector<std::uint32_t> meetings_;  // so far, by channel slot
  std::vector<std::int64_t> sequences_;  // of communications so far, by group slot
  std::vector<std::int64_t> step_bounds_ns_;
  std::vector<std::int64_t> waited_ns_;
  std::vector<std::vector<std::int64_t>> tokens_received_;
};

}  // namespace rankscope::sim
