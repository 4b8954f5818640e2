#include "sim/machine.h"

#include <algorithm>

namespace rankscope::sim {
namespace {

// Host costs in nanoseconds, of PyTorch 2 on a server processor.
constexpr std::int64_t kOpEntryNs = 1600;
constexpr std::int64_t kOpExitNs = 700;
constexpr std::int64_t kAnnotationNs = 900;
constexpr std::int64_t kLaunchNs = 4300;
constexpr std::int64_t kCopyCallNs = 6500;
constexpr std::int64_t kEventCallNs = 1100;
constexpr std::int64_t kSyncCallNs = 2500;
constexpr std::int64_t kAfterCallNs = 350;
constexpr std::int64_t kThreadSwitchNs = 18'000;
constexpr std::int64_t kPageableTailNs = 8000;  // from a staged copy's end to the call's return
constexpr std::int64_t kSyncTailNs = 2000;
constexpr std::int64_t kSyncEdgeNs = 400;  // the cuda_sync row lies this much inside its call

// Device latencies in nanoseconds.
constexpr std::int64_t kLaunchLatencyNs = 1800;
constexpr std::int64_t kBetweenKernelsNs = 900;
constexpr std::int64_t kBetweenCollectivesNs = 1000;

// Ranks do not enter the first step at the same time.
constexpr std::uint64_t kStartSkewNs = 200'000;
constexpr std::uint64_t kStartDraws = 0x7374617274;

}  // namespace

Machine::Machine(const JobPlan& plan, int rank, Recorder* recorder)
    : plan_(plan),
      rank_(rank),
      recorder_(recorder),
      jitter_(plan.options.seed, static_cast<std::uint64_t>(rank), kStartDraws),
      now_ns_(1'000'000 + static_cast<std::int64_t>(jitter_.Next() % kStartSkewNs)) {}

void Machine::BeginStep(int step) {
  jitter_ = Jitter(plan_.options.seed, static_cast<std::uint64_t>(rank_),
                   static_cast<std::uint64_t>(step));
}

void Machine::SwitchTo(HostThread thread) {
  thread_ = thread;
  Think(kThreadSwitchNs);
}

void Machine::OpenOp(const OpNode& node, std::int64_t sequence) {
  if (recorder_ != nullptr) recorder_->OpenOp(thread_, node, now_ns_, sequence);
  Think(kOpEntryNs);
}

void Machine::OpenCommunicationOp(std::string_view name, std::string_view category,
                                  const kineto::CollectiveEventArgs* args) {
  if (recorder_ != nullptr) recorder_->OpenCommunicationOp(thread_, name, category, now_ns_, args);
  Think(kOpEntryNs);
}

void Machine::CloseOp() {
  Think(kOpExitNs);
  if (recorder_ != nullptr) recorder_->CloseOp(now_ns_);
  // The next op of the thread begins later than this one ends.
  Think(kAfterCallNs);
}

void Machine::OpenAnnotation(std::string_view name) {
  if (recorder_ != nullptr) recorder_->OpenAnnotation(name, now_ns_);
  Think(kAnnotationNs);
}

std::int64_t Machine::CloseAnnotation() {
  Think(kAnnotationNs);
  const std::int64_t end_ns = now_ns_;
  if (recorder_ != nullptr) recorder_->CloseAnnotation(end_ns);
  Think(kAnnotationNs);
  return end_ns;
}

void Machine::OpenWindow(int step) {
  if (recorder_ != nullptr) recorder_->OpenWindow(step, now_ns_);
}

void Machine::CloseLastWindow(std::int64_t mark_end_ns) {
  if (recorder_ != nullptr) recorder_->CloseLastWindow(mark_end_ns);
}

void Machine::Memory(std::int64_t bytes, std::int64_t address) {
  if (recorder_ != nullptr) recorder_->Memory(thread_, bytes, address, now_ns_);
  Think(kAfterCallNs);
}

Machine::CallTimes Machine::Call(const RuntimeCall& call, std::int64_t cost_ns,
                                 std::int64_t not_before_ns) {
  const CallTimes times{now_ns_, std::max(now_ns_ + jitter_.Host(cost_ns), not_before_ns)};
  if (recorder_ != nullptr) {
    recorder_->Call(thread_, call, times.begin_ns, times.end_ns - times.begin_ns);
  }
  now_ns_ = times.end_ns + jitter_.Host(kAfterCallNs);
  return times;
}

std::int64_t Machine::StartOn(Stream stream, std::int64_t ready_ns) {
  StreamState& on = state(stream);
  const std::int64_t free = on.free_ns + jitter_.Device(kBetweenKernelsNs);
  const std::int64_t start = std::max({ready_ns, free, on.waits_ns});
  on.waits_ns = 0;
  return start;
}

void Machine::Launch(const KernelSpec& kernel) {
  std::int64_t& slot = launched_end_ns_[launch_count_++ % kLaunchQueue];
  const CallTimes call = Call(kLaunchKernel, kLaunchNs, slot);
  const std::int64_t start =
      StartOn(Stream::kCompute, call.end_ns + jitter_.Device(kLaunchLatencyNs));
  const std::int64_t slowness = rank_ == plan_.options.slow_rank ? plan_.slow_per_mille : 1000;
  const std::int64_t duration = jitter_.Device(kernel.duration_ns) * slowness / 1000;
  if (recorder_ != nullptr) {
    recorder_->Kernel(Stream::kCompute, kernel, start, duration, call.end_ns);
  }
  slot = state(Stream::kCompute).free_ns = start + duration;
}

void Machine::Copy(Stream stream, CopyKind kind, std::int64_t bytes) {
  const bool to_device = kind == CopyKind::kToDevicePinned;
  const std::int64_t start =
      StartOn(stream, now_ns_ + kCopyCallNs + jitter_.Device(kLaunchLatencyNs));
  const std::int64_t duration = jitter_.Device(CopyNs(bytes));
  const std::int64_t known = now_ns_;
  Call(kMemcpyAsync, kCopyCallNs, to_device ? 0 : start + duration + kPageableTailNs);
  state(stream).free_ns = start + duration;
  if (recorder_ == nullptr) return;
  recorder_->Copy(stream,
                  to_device ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy DtoH (Device -> Pageable)",
                  bytes, start, duration, known);
}

EventMark Machine::RecordEvent(Stream stream) {
  Call(kEventRecord, kEventCallNs);
  return {.time_ns = state(stream).free_ns,
          .correlation = recorder_ != nullptr ? recorder_->last_correlation() : 0,
          .event_id = next_event_id_++,
          .stream = stream};
}

void Machine::WaitForEvent(Stream waiting, const EventMark& mark) {
  const CallTimes call = Call(kStreamWaitEvent, kEventCallNs);
  StreamState& on = state(waiting);
  on.waits_ns = std::max(on.waits_ns, mark.time_ns);
  if (recorder_ == nullptr) return;
  const std::int64_t edge = (call.end_ns - call.begin_ns) / 4;
  recorder_->WaitEventRow(waiting, mark.stream, mark.correlation, mark.event_id,
                          call.begin_ns + edge, call.end_ns - call.begin_ns - 2 * edge);
}

std::int64_t Machine::CollectiveStart(std::int64_t ready_ns, std::int64_t free_ns) {
  return std::max(ready_ns, free_ns + kBetweenCollectivesNs);
}

std::int64_t Machine::LaunchCollective(const KernelSpec& kernel,
                                       const kineto::CollectiveEventArgs& args,
                                       std::int64_t end_ns) {
  const CallTimes call = Call(kLaunchKernelExC, 2 * kLaunchNs);
  StreamState& on = state(Stream::kCommunication);
  const std::int64_t ready = std::max(call.end_ns + jitter_.Device(kLaunchLatencyNs), on.waits_ns);
  on.waits_ns = 0;
  const std::int64_t start = CollectiveStart(ready, on.free_ns);
  on.free_ns = std::max(start, end_ns);
  if (recorder_ != nullptr) {
    recorder_->CollectiveKernel(kernel, args, start, on.free_ns - start, call.end_ns);
  }
  return ready;
}

void Machine::SyncCall(const RuntimeCall& call, std::string_view name, int stream_number,
                       std::int64_t done_ns) {
  const CallTimes times = Call(call, kSyncCallNs, done_ns + kSyncTailNs);
  if (recorder_ == nullptr) return;
  recorder_->SyncRow(name, stream_number, times.begin_ns + kSyncEdgeNs,
                     times.end_ns - times.begin_ns - 2 * kSyncEdgeNs);
}

void Machine::SynchronizeStream(Stream stream) {
  SyncCall(kStreamSynchronize, "Stream Sync", kStreamNumber[static_cast<std::size_t>(stream)],
           state(stream).free_ns);
}

void Machine::SynchronizeDevice() {
  std::int64_t done = 0;
  for (const StreamState& stream : streams_) done = std::max(done, stream.free_ns);
  SyncCall(kDeviceSynchronize, "Context Sync", -1, done);
}

}  // namespace rankscope::sim
