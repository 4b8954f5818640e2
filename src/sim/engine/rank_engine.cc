#include "sim/engine/rank_engine.h"

#include <algorithm>

#include "base/check.h"

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
constexpr std::int64_t kFrameNs = 150;  // what the tracer takes per call, thrice per frame
constexpr std::int64_t kMallocCallNs = 140'000;
constexpr std::int64_t kFreeCallNs = 180'000;
constexpr std::int64_t kThreadSwitchNs = 18'000;
constexpr std::int64_t kProfilerStepNs = 35'000;  // profiler.step() between two steps
constexpr std::int64_t kProfilerStartNs = 200'000;
constexpr std::int64_t kProfilerStopNs = 100'000;
constexpr std::int64_t kPageableTailNs = 8000;  // from a staged copy's end to the call's return
constexpr std::int64_t kSyncTailNs = 2000;
constexpr std::int64_t kSyncEdgeNs = 400;  // the cuda_sync row lies this much inside its call

// Device latencies in nanoseconds.
constexpr std::int64_t kLaunchLatencyNs = 1800;
constexpr std::int64_t kBetweenKernelsNs = 900;

// Graphs: the call, its share per node, and the device's latencies.
constexpr std::int64_t kGraphLaunchNs = 9000;
constexpr std::int64_t kGraphNodeNs = 15;
constexpr std::int64_t kGraphLatencyNs = 6000;
constexpr std::int64_t kBetweenNodesNs = 400;

// Ranks do not enter the first step at the same time.
constexpr std::int64_t kFirstNs = 1'000'000;
constexpr std::uint64_t kStartSkewNs = 200'000;

constexpr std::int64_t kFirstSequence = 1000;
constexpr std::uint64_t kOutlierEvery = 8;  // communications, on average
constexpr std::uint64_t kTransferDraws = 0x7472616E73666572;

// The job's script.
constexpr PythonFrame kScript{.name = "train.py(214): <module>"};
constexpr PythonFrame kMainFunction{.name = "train.py(187): main"};
constexpr PythonFrame kTrainStep{.name = "train.py(96): train_step"};
constexpr PythonFrame kGenerate{.name = "rollout.py(58): generate_step"};

constexpr int StreamNumber(Stream stream) {
  return kStreamNumber[static_cast<std::size_t>(stream)];
}

}  // namespace

RankEngine::RankEngine(const JobPlan& plan, int rank, Rendezvous* rendezvous, Recorder* recorder,
                       CollectiveLog* log)
    : plan_(plan),
      place_(plan.layout().place(rank)),
      rank_(rank),
      recorder_(recorder),
      log_(log),
      draws_(plan.options().seed, rank),
      device_(rendezvous, plan.event_slots()),
      allocator_(plan.warm_allocator(rank)),
      epilogue_(1),
      now_ns_(kFirstNs),
      sequence_(kFirstSequence),
      marks_(plan.event_slots()),
      blocks_(plan.memory_slots()),
      router_(plan.router(rank)),
      meetings_(place_.channels.size()),
      sequences_(place_.groups.size()) {
  epilogue_.front().code = Code::kSyncDevice;
  draws_.BeginStep(-1);
  now_ns_ += static_cast<std::int64_t>(draws_.Next() % kStartSkewNs);
  begin_ns_ = now_ns_;
  Think(kProfilerStartNs);
  if (!plan_.options().stacks) return;
  OpenFrame(kScript);
  OpenFrame(kMainFunction);
}

bool RankEngine::Run() {
  device_.Advance();
  for (;;) {
    for (; at_ != end_; ++at_) {
      if (!Execute(*at_)) return false;
    }
    if (!NextCall()) return true;
  }
}

bool RankEngine::NextCall() {
  if (in_epilogue_) {
    if (plan_.options().stacks) {
      CloseFrame();
      CloseFrame();
    }
    step_bounds_ns_.back() = std::max(step_bounds_ns_.back(), device_.DoneNs());
    Think(kProfilerStopNs);
    if (recorder_ != nullptr) recorder_->Finish(begin_ns_, now_ns_);
    return false;
  }
  if (program_ == nullptr) {
    BeginStep();
  } else if (next_call_ == program_->calls.size()) {
    EndStep();
    if (step_ + 1 < plan_.options().steps) {
      BeginStep();
    } else {
      in_epilogue_ = true;
      at_ = epilogue_.data();
      end_ = at_ + epilogue_.size();
      return true;
    }
  }
  BeginCall(program_->calls[next_call_++]);
  return true;
}

void RankEngine::BeginCall(const Call& call) {
  call_ = call;
  at_ = call.segment->data();
  end_ = at_ + call.segment->size();
  draws_.BeginSection(call.section);
}

void RankEngine::BeginStep() {
  if (program_ != nullptr) sequence_ += program_->sequences;
  ++step_;
  program_ = &plan_.program(rank_, step_);
  next_call_ = 0;
  effects_ = plan_.effects(rank_, step_);
  pause_points_ = 0;
  draws_.BeginStep(step_);
  draws_.Select(0);
  step_bounds_ns_.push_back(now_ns_);
  waited_ns_.push_back(0);
  if (recorder_ != nullptr) {
    tokens_received_.emplace_back();
    recorder_->BeginStep(kFirstStepNumber + step_, now_ns_);
  }
  OpenAnnotation(plan_.step_name(step_));
  if (plan_.options().stacks) OpenFrame(program_->inference ? kGenerate : kTrainStep);
}

void RankEngine::EndStep() {
  draws_.Select(0);
  if (plan_.options().stacks) CloseFrame();
  const std::int64_t mark_end_ns = CloseAnnotation();
  if (step_ + 1 == plan_.options().steps) {
    step_bounds_ns_.push_back(mark_end_ns);
    if (recorder_ != nullptr) recorder_->EndLastStep();
  }
  Think(kProfilerStepNs);
}

bool RankEngine::Execute(const Instruction& instruction) {
  draws_.Select(instruction.cause);
  switch (instruction.code) {
    case Code::kRoute:
      Route();
      return true;
    case Code::kOpenOp:
    case Code::kOpenRoutedOp:
      OpenOp(instruction);
      return true;
    case Code::kCloseOp:
      CloseOp();
      return true;
    case Code::kOpenCommunication:
      OpenCommunication(*instruction.communication);
      return true;
    case Code::kOpenCommunicationSpan:
      OpenSpan(instruction.communication->span);
      return true;
    case Code::kOpenSpan:
      OpenSpan(*instruction.text);
      return true;
    case Code::kOpenAnnotation:
      OpenAnnotation(*instruction.text);
      return true;
    case Code::kCloseAnnotation:
      CloseAnnotation();
      return true;
    case Code::kOpenFrame:
      OpenFrame(*instruction.frame);
      return true;
    case Code::kCloseFrame:
      CloseFrame();
      return true;
    case Code::kThink:
      Think(instruction.value);
      return true;
    case Code::kSwitchThread:
      SwitchTo(static_cast<HostThread>(instruction.index));
      return true;
    case Code::kTakeBatch:
      TakeBatch();
      return true;
    case Code::kLaunch:
    case Code::kLaunchRouted:
      return TryLaunch(instruction);
    case Code::kLaunchGraph:
      return TryLaunchGraph(*instruction.graph);
    case Code::kCopy:
      return TryCopy(instruction);
    case Code::kRecordEvent:
      RecordEvent(instruction);
      return true;
    case Code::kWaitEvent:
      WaitEvent(instruction);
      return true;
    case Code::kCommunicate:
      Communicate(*instruction.communication);
      return true;
    case Code::kSyncStream:
    case Code::kSyncDevice:
      return TrySync(instruction);
    case Code::kAllocate:
      Allocate(instruction);
      return true;
    case Code::kFree:
      Free(instruction);
      return true;
    case Code::kPause:
      now_ns_ += instruction.value;
      return true;
    case Code::kPausePoint:
      if (pause_points_++ == effects_.pause_at) now_ns_ += effects_.pause_ns;
      return true;
    case Code::kTakeSegment:
      TakeSegment(instruction.value);
      return true;
    case Code::kReturnSegment:
      ReturnSegment();
      return true;
    case Code::kReleaseSegment:
      return TryReleaseSegment(instruction.value);
    case Code::kFailedMalloc:
      CallRuntime(kMalloc, kMallocCallNs);
      return true;
  }
  return true;
}

void RankEngine::SwitchTo(HostThread thread) {
  thread_ = thread;
  Think(kThreadSwitchNs);
}

void RankEngine::OpenOp(const Instruction& instruction) {
  if (recorder_ != nullptr) {
    const std::int64_t sequence =
        program_->inference ? -1 : sequence_ + call_.sequence + instruction.index;
    const bool routed = instruction.code == Code::kOpenRoutedOp;
    recorder_->OpenOp(thread_, *instruction.op, now_ns_, sequence, routed ? &routed_ : nullptr);
  }
  Think(kOpEntryNs);
}

void RankEngine::OpenCommunication(const Communication& communication) {
  const std::int64_t sequence = ++sequences_[static_cast<std::size_t>(communication.group_slot)];
  if (recorder_ != nullptr) {
    recorder_->OpenCommunication(thread_, communication, sequence, routed_, now_ns_);
  }
  Think(kOpEntryNs);
}

void RankEngine::OpenSpan(std::string_view name) {
  if (recorder_ != nullptr) recorder_->OpenSpan(thread_, name, now_ns_);
  Think(kOpEntryNs);
}

void RankEngine::CloseOp() {
  Think(kOpExitNs);
  if (recorder_ != nullptr) recorder_->CloseOp(now_ns_);
  // The next op of the thread begins later than this one ends.
  Think(kAfterCallNs);
}

void RankEngine::OpenFrame(const PythonFrame& frame) {
  if (recorder_ != nullptr) recorder_->OpenFrame(frame, frame.NumberAt(call_.item), now_ns_);
  now_ns_ += kFrameNs * effects_.host_per_mille / 1000;
}

// The frame around it ends later.
void RankEngine::CloseFrame() {
  now_ns_ += kFrameNs * effects_.host_per_mille / 1000;
  if (recorder_ != nullptr) recorder_->CloseFrame(now_ns_);
  now_ns_ += kFrameNs * effects_.host_per_mille / 1000;
}

void RankEngine::OpenAnnotation(std::string_view name) {
  if (recorder_ != nullptr) recorder_->OpenAnnotation(name, now_ns_);
  Think(kAnnotationNs);
}

std::int64_t RankEngine::CloseAnnotation() {
  Think(kAnnotationNs);
  const std::int64_t end_ns = now_ns_;
  if (recorder_ != nullptr) recorder_->CloseAnnotation(end_ns);
  Think(kAnnotationNs);
  return end_ns;
}

void RankEngine::TakeBatch() {
  now_ns_ = data_.Take(now_ns_, effects_.batch_ns, effects_.batch_lag_ns);
}

RankEngine::CallTimes RankEngine::CallRuntime(const RuntimeCall& call, std::int64_t cost_ns,
                                              std::int64_t not_before_ns) {
  const CallTimes times{now_ns_, std::max(now_ns_ + HostNs(cost_ns), not_before_ns)};
  if (recorder_ != nullptr) recorder_->Call(thread_, call, times.begin_ns, times.end_ns);
  now_ns_ = times.end_ns + HostNs(kAfterCallNs);
  return times;
}

bool RankEngine::TryLaunch(const Instruction& instruction) {
  std::int64_t room_ns = 0;
  if (instruction.stream == Stream::kCompute) {
    room_ns = device_.QueueRoomNs();
    if (room_ns == kUnknown) return false;
  }
  const CallTimes call = CallRuntime(kLaunchKernel, kLaunchNs, room_ns);
  const std::int64_t ready = call.end_ns + draws_.Device(kLaunchLatencyNs);
  const std::int64_t gap = draws_.Device(kBetweenKernelsNs);
  std::int64_t base = instruction.kernel->duration_ns;
  if (instruction.code == Code::kLaunchRouted) {
    base = base * routed_.total_received / router_.tokens;
  }
  const std::int64_t duration = draws_.Device(base) * effects_.device_per_mille / 1000;
  const Span span = device_.Run(instruction.stream, ready, gap, duration);
  if (recorder_ != nullptr) {
    recorder_->Kernel(instruction.stream, *instruction.kernel, span, call.end_ns);
  }
  return true;
}

bool RankEngine::TryLaunchGraph(const CapturedGraph& graph) {
  const std::int64_t room_ns = device_.QueueRoomNs();
  if (room_ns == kUnknown) return false;
  const auto count = static_cast<std::int64_t>(graph.nodes.size());
  const CallTimes call = CallRuntime(kGraphLaunch, kGraphLaunchNs + count * kGraphNodeNs, room_ns);
  const std::int64_t ready_ns = call.end_ns + draws_.Device(kGraphLatencyNs);
  for (std::int64_t i = 0; i < count; ++i) {
    RunNode(graph.nodes[static_cast<std::size_t>(i)], {.graph = graph.Id(call_.item), .node = i},
            call.end_ns, ready_ns,
            i + 1 < count ? Device::Place::kOfALaterNode : Device::Place::kOwn);
  }
  return true;
}

void RankEngine::RunNode(const GraphNode& node, const NodePlace& place, std::int64_t launched_ns,
                         std::int64_t ready_ns, Device::Place in_queue) {
  draws_.Select(node.cause);
  const std::int64_t gap = draws_.Device(kBetweenNodesNs);
  std::int64_t duration = 0;
  if (node.kernel != nullptr) {
    duration = draws_.Device(node.kernel->duration_ns) * effects_.device_per_mille / 1000;
  } else {
    duration = draws_.Device(node.copy->duration_ns);
  }
  const Span span = device_.Run(Stream::kCompute, ready_ns, gap, duration, in_queue);
  if (recorder_ == nullptr) return;
  if (node.kernel != nullptr) {
    recorder_->Kernel(Stream::kCompute, *node.kernel, span, launched_ns, place);
  } else {
    recorder_->Copy(Stream::kCompute, *node.copy, span, launched_ns);
  }
}

bool RankEngine::TryCopy(const Instruction& instruction) {
  const CopySpec& copy = *instruction.copy;
  std::int64_t room_ns = 0;
  if (instruction.stream == Stream::kCompute) room_ns = device_.QueueRoomNs();
  if (room_ns == kUnknown) return false;
  if (copy.blocking && !device_.Settled(instruction.stream)) return false;
  const std::int64_t known_ns = now_ns_;
  const std::int64_t ready =
      std::max(now_ns_ + kCopyCallNs, room_ns) + draws_.Device(kLaunchLatencyNs);
  const std::int64_t gap = draws_.Device(kBetweenKernelsNs);
  const Span span = device_.Run(instruction.stream, ready, gap, draws_.Device(copy.duration_ns));
  CallRuntime(kMemcpyAsync, kCopyCallNs, copy.blocking ? span.end_ns + kPageableTailNs : room_ns);
  if (recorder_ != nullptr) recorder_->Copy(instruction.stream, copy, span, known_ns);
  return true;
}

bool RankEngine::TrySync(const Instruction& instruction) {
  const bool all = instruction.code == Code::kSyncDevice;
  if (all ? !device_.Settled() : !device_.Settled(instruction.stream)) return false;
  const std::int64_t done_ns = all ? device_.DoneNs() : device_.DoneNs(instruction.stream);
  const CallTimes times = CallRuntime(all ? kDeviceSynchronize : kStreamSynchronize, kSyncCallNs,
                                      done_ns + kSyncTailNs);
  if (recorder_ != nullptr) {
    recorder_->SyncRow(all ? "Context Sync" : "Stream Sync",
                       all ? -1 : StreamNumber(instruction.stream), times.begin_ns + kSyncEdgeNs,
                       times.end_ns - kSyncEdgeNs);
  }
  return true;
}

void RankEngine::RecordEvent(const Instruction& instruction) {
  const std::uint32_t slot = call_.events + instruction.index;
  CallRuntime(kEventRecord, kEventCallNs);
  device_.Record(instruction.stream, slot);
  marks_[slot] = {.recorded = true,
                  .stream = instruction.stream,
                  .correlation = recorder_ != nullptr ? recorder_->last_correlation() : 0,
                  .event_id = next_event_id_++};
}

void RankEngine::WaitEvent(const Instruction& instruction) {
  const std::uint32_t slot = call_.events + instruction.index;
  const Mark& mark = marks_[slot];
  if (!mark.recorded) return;  // nothing to wait for yet, so nothing is called
  const CallTimes call = CallRuntime(kStreamWaitEvent, kEventCallNs);
  device_.Wait(instruction.stream, slot);
  if (recorder_ == nullptr) return;
  const std::int64_t edge = (call.end_ns - call.begin_ns) / 4;
  recorder_->WaitEventRow(instruction.stream, mark.stream, mark.correlation, mark.event_id,
                          call.begin_ns + edge, call.end_ns - edge);
}

void RankEngine::Route() {
  router_.extra_per_mille = effects_.favourite_per_mille;
  router_.Route(step_, call_.item, place_.at.ep, &routed_);
  if (recorder_ == nullptr) return;
  // Items count up in the forward, where they come first.
  std::vector<std::int64_t>& received = tokens_received_.back();
  if (call_.item == received.size()) received.push_back(routed_.total_received);
}

// A rank is done when it has sent and received everything.
std::int64_t RankEngine::BytesOf(const Communication& communication) const {
  if (communication.routing == Communication::Routing::kNone) return communication.bytes;
  const std::int64_t tokens = std::max(routed_.total_received, router_.tokens);
  return communication.bytes / communication.in_elements * tokens *
         communication.elements_per_token;
}

std::int64_t RankEngine::TransferNs(const Communication& communication, int channel,
                                    std::uint32_t ordinal) {
  const Reach& reach = plan_.layout().channels[static_cast<std::size_t>(channel)].reach;
  const std::int64_t ns = TransferOf(communication.exchange, BytesOf(communication), reach).ns *
                          effects_.link_per_mille / 1000;
  // The same for all members, whatever else they draw.
  const std::uint64_t draw =
      MixAll(plan_.options().seed ^ kTransferDraws, static_cast<std::uint64_t>(channel), ordinal);
  const std::int64_t jittered = DeviceJitter(ns, draw);
  if (effects_.outlier_per_mille == 0 || Mix(draw) % kOutlierEvery != 0) return jittered;
  return jittered + jittered * effects_.outlier_per_mille / 1000;
}

void RankEngine::Communicate(const Communication& communication) {
  const CallTimes call = CallRuntime(kLaunchKernelExC, 2 * kLaunchNs);
  const auto slot = static_cast<std::size_t>(communication.channel_slot);
  const int channel = place_.channels[slot];
  const std::uint32_t ordinal = meetings_[slot]++;
  const std::int64_t ready = call.end_ns + draws_.Device(kLaunchLatencyNs);
  Meeting meeting;
  const Span span = device_.Meet(communication.stream, ready, channel, ordinal,
                                 TransferNs(communication, channel, ordinal), &meeting);
  if (recorder_ == nullptr) return;
  waited_ns_.back() += meeting.last_begin_ns - span.begin_ns;
  recorder_->CommunicationKernel(communication, span, call.end_ns);
  if (log_ == nullptr) return;
  const auto group = static_cast<std::size_t>(communication.group_slot);
  log_->Add({.group = place_.groups[group],
             .sequence = sequences_[group],
             .op = communication.collective,
             .bytes = BytesOf(communication),
             .correlation = recorder_->last_correlation(),
             .begin_ns = span.begin_ns,
             .last_begin_ns = meeting.last_begin_ns,
             .end_ns = span.end_ns});
}

void RankEngine::Allocate(const Instruction& instruction) {
  bool asked_driver = false;
  Block& block = blocks_[call_.memory + instruction.index];
  block = allocator_.Allocate(instruction.value, &asked_driver);
  if (asked_driver) CallRuntime(kMalloc, kMallocCallNs);
  if (recorder_ != nullptr) {
    recorder_->Memory(thread_, block.bytes, block.address, allocator_, now_ns_);
  }
  Think(kAfterCallNs);
}

void RankEngine::Free(const Instruction& instruction) {
  const Block& block = blocks_[call_.memory + instruction.index];
  allocator_.Free(block);
  if (recorder_ != nullptr) {
    recorder_->Memory(thread_, -block.bytes, block.address, allocator_, now_ns_);
  }
  Think(kAfterCallNs);
}

void RankEngine::TakeSegment(std::int64_t bytes) {
  segment_ = allocator_.TakeSegment(bytes);
  CallRuntime(kMalloc, kMallocCallNs);
  if (recorder_ != nullptr) {
    recorder_->Memory(thread_, segment_.bytes, segment_.address, allocator_, now_ns_);
  }
  Think(kAfterCallNs);
}

void RankEngine::ReturnSegment() {
  allocator_.ReturnSegment(segment_);
  if (recorder_ != nullptr) {
    recorder_->Memory(thread_, -segment_.bytes, segment_.address, allocator_, now_ns_);
  }
  Think(kAfterCallNs);
}

// cudaFree waits until the device is idle.
bool RankEngine::TryReleaseSegment(std::int64_t bytes) {
  if (!device_.Settled()) return false;
  allocator_.ReleaseSegment(bytes);
  CallRuntime(kDriverFree, kFreeCallNs, device_.DoneNs() + kSyncTailNs);
  return true;
}

}  // namespace rankscope::sim
