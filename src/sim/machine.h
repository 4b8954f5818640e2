// Machine: the discrete model of one rank, a host whose threads take turns and a device with three
// streams.
//
//   host     each call advances the clock by its (jittered) cost
//   launch   a kernel starts at the latest of: end of its launch + latency, end of the stream's
//   work
//            before it + a gap, the events that the stream waits for
//   queue    a launch blocks while kLaunchQueue kernels of the stream are unfinished, as CUDA does
//   event    completes with the work before it on its stream; a wait delays what follows on another
//   sync     returns when the device has caught up
//
// Everything is told to the recorder, unless there is none: then only time passes, in ~20 ns per
// event. Times are the job's true time in nanoseconds. Memory: 9 KiB.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/catalog.h"
#include "sim/gpu.h"
#include "sim/jitter.h"
#include "sim/job_plan.h"
#include "sim/recorder.h"

namespace rankscope::sim {

// A recorded CUDA event.
struct EventMark {
  std::int64_t time_ns = 0;
  std::int64_t correlation = 0;  // of the recording call
  std::int64_t event_id = 0;
  Stream stream = Stream::kCompute;
};

enum class CopyKind : std::uint8_t {
  kToDevicePinned,  // returns at once
  kToHostPageable,  // returns when the copy is done: CUDA stages it through pinned memory
};

class Machine {
 public:
  Machine(const JobPlan& plan, int rank, Recorder* recorder);

  // Starts the step's own sequence of draws.
  void BeginStep(int step);
  std::int64_t now_ns() const { return now_ns_; }

  // --- host ---
  // Time that no event shows: Python between two ops.
  void Think(std::int64_t ns) { now_ns_ += jitter_.Host(ns); }
  // Hands the work to another thread; the one before blocks meanwhile.
  void SwitchTo(HostThread thread);
  void OpenOp(const OpNode& node, std::int64_t sequence = -1);
  void OpenCommunicationOp(std::string_view name, std::string_view category,
                           const kineto::CollectiveEventArgs* args);
  void CloseOp();
  void OpenAnnotation(std::string_view name);
  std::int64_t CloseAnnotation();  // returns its end
  void OpenWindow(int step);
  void CloseLastWindow(std::int64_t mark_end_ns);
  void Memory(std::int64_t bytes, std::int64_t address);

  // --- device ---
  void Launch(const KernelSpec& kernel);  // on the compute stream
  void Copy(Stream stream, CopyKind kind, std::int64_t bytes);
  EventMark RecordEvent(Stream stream);
  void WaitForEvent(Stream waiting, const EventMark& mark);
  // Launches a collective's kernel and returns when this rank is ready for it, not counting the
  // collectives before it. `end_ns` is its end on all ranks, or -1 while unknown.
  std::int64_t LaunchCollective(const KernelSpec& kernel, const kineto::CollectiveEventArgs& args,
                                std::int64_t end_ns);
  // The collectives up to `end_ns` are done.
  void FinishCollectives(std::int64_t end_ns) { streams_[1].free_ns = end_ns; }
  void SynchronizeStream(Stream stream);
  void SynchronizeDevice();

  // When a stream that is free at `free_ns` begins a collective for which it is ready at
  // `ready_ns`.
  static std::int64_t CollectiveStart(std::int64_t ready_ns, std::int64_t free_ns);

 private:
  static constexpr std::size_t kLaunchQueue = 1024;

  struct StreamState {
    std::int64_t free_ns = 0;   // end of its last work
    std::int64_t waits_ns = 0;  // its next work waits for this
  };

  StreamState& state(Stream stream) { return streams_[static_cast<std::size_t>(stream)]; }
  // Passes the host time of a runtime call of about `cost_ns`, not ending before `not_before_ns`.
  struct CallTimes {
    std::int64_t begin_ns, end_ns;
  };
  CallTimes Call(const RuntimeCall& call, std::int64_t cost_ns, std::int64_t not_before_ns = 0);
  // When work that the device may begin at `ready_ns` begins on the stream.
  std::int64_t StartOn(Stream stream, std::int64_t ready_ns);
  void SyncCall(const RuntimeCall& call, std::string_view name, int stream_number,
                std::int64_t done_ns);

  const JobPlan& plan_;
  int rank_;
  Recorder* recorder_;
  Jitter jitter_;
  HostThread thread_ = HostThread::kMain;
  std::int64_t now_ns_;
  std::array<StreamState, kStreamCount> streams_{};
  std::array<std::int64_t, kLaunchQueue> launched_end_ns_{};  // ring: ends of the last launches
  std::uint64_t launch_count_ = 0;
  std::int64_t next_event_id_ = 1;
};

}  // namespace rankscope::sim
