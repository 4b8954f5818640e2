#include "sim/engine/recorder.h"

#include <fmt/core.h>

#include <bit>
#include <numeric>
#include <utility>

#include "sim/model/jitter.h"
#include "sim/model/pass_names.h"

namespace rankscope::sim {
namespace {

constexpr std::int64_t kForwardThreadId = 1;  // the profiler's own number of the main thread

std::string_view Description(const JobPlan& plan, const Group& group) {
  if (plan.options().group_names == GroupNames::kUndefined) return "undefined";
  return group.description;
}

}  // namespace

Recorder::Recorder(const JobPlan& plan, int rank, kineto::Writer* writer)
    : plan_(plan),
      place_(plan.layout().place(rank)),
      writer_(writer),
      device_(rank % kDevicesPerHost),
      pid_(21'000 + 137 * (rank % kDevicesPerHost)),
      clock_(plan.clock(rank)) {
  clock_.offset_ns += kJobStartNs;
  tree_.reserve(64);
}

std::int64_t Recorder::Tid(HostThread thread) const {
  return thread == HostThread::kMain ? pid_ : pid_ + 71;
}

kineto::OpEvent Recorder::NewOp(HostThread thread, std::string_view name, std::int64_t ts_ns) {
  const std::int64_t id = next_op_id_++;
  return {.name = name,
          .pid = pid_,
          .tid = Tid(thread),
          .ts_ns = clock_.At(ts_ns),
          .external_id = id,
          .record_function_id = id,
          .event_index = next_event_index_++};
}

void Recorder::PushOp(const OpenedOp& op) {
  open_.push_back(tree_.size());
  tree_.push_back(op);
}

void Recorder::OpenOp(HostThread thread, const OpNode& node, std::int64_t ts_ns,
                      std::int64_t sequence, const Routed* routed) {
  OpenedOp op{.event = NewOp(thread, node.name, ts_ns)};
  if (!node.shapes.input_dims_json.empty()) op.event.shapes = &node.shapes;
  if (routed != nullptr && writer_ != nullptr) {
    std::string dims(node.shapes.input_dims_json);
    dims.replace(dims.find('@'), 1, std::to_string(routed->total_received));
    shapes_.push_back(node.shapes);
    shapes_.back().input_dims_json = Keep(std::move(dims));
    op.event.shapes = &shapes_.back();
  }
  if (node.role != AutogradRole::kNone && sequence >= 0) {
    op.role = node.role;
    op.event.sequence_number = sequence;
    op.event.forward_thread = node.role == AutogradRole::kForward ? 0 : kForwardThreadId;
  }
  PushOp(op);
}

void Recorder::OpenCommunication(HostThread thread, const Communication& communication,
                                 std::int64_t sequence, const Routed& routed, std::int64_t ts_ns) {
  const auto slot = static_cast<std::size_t>(communication.group_slot);
  const Group& group = plan_.layout().groups[static_cast<std::size_t>(place_.groups[slot])];
  collectives_.push_back({.name = communication.collective,
                          .in_elements = communication.in_elements,
                          .out_elements = communication.out_elements,
                          .group_size = static_cast<std::int64_t>(group.ranks.size()),
                          .dtype = communication.dtype,
                          .group_name = group.name,
                          .group_description = Description(plan_, group),
                          .group_ranks = group.ranks_text,
                          .sequence = sequence});
  const Channel& channel = plan_.layout().channels[static_cast<std::size_t>(
      place_.channels[static_cast<std::size_t>(communication.channel_slot)])];
  if (communication.side == Communication::Side::kSender) {
    collectives_.back().destination_rank = channel.members[1];
  } else if (communication.side == Communication::Side::kReceiver) {
    collectives_.back().source_rank = channel.members[0];
  }
  if (communication.routing != Communication::Routing::kNone) {
    AddSplits(communication, routed, &collectives_.back());
  }
  OpenedOp op{.event = NewOp(thread, "record_param_comms", ts_ns)};
  if (plan_.options().group_names == GroupNames::kNone) {
    const std::string dims = fmt::format("[[{}]]", collectives_.back().in_elements);
    shapes_.push_back({Keep(dims), "[\"c10::BFloat16\"]", "[\"\"]"});
    op.event.shapes = &shapes_.back();
  } else {
    op.event.collective = &collectives_.back();
  }
  PushOp(op);
}

std::string_view Recorder::Keep(std::string text) { return texts_.emplace_back(std::move(text)); }

void Recorder::AddSplits(const Communication& communication, const Routed& routed,
                         kineto::CollectiveEventArgs* args) {
  const bool dispatch = communication.routing == Communication::Routing::kDispatch;
  const std::vector<std::int64_t>& in = dispatch ? routed.sent : routed.received;
  const std::vector<std::int64_t>& out = dispatch ? routed.received : routed.sent;
  const auto elements = [&](const std::vector<std::int64_t>& tokens) {
    return std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0}) *
           communication.elements_per_token;
  };
  args->in_elements = elements(in);
  args->out_elements = elements(out);
  if (writer_ == nullptr) return;
  args->in_split = Keep(ListText(in));
  args->out_split = Keep(ListText(out));
}

void Recorder::OpenSpan(HostThread thread, std::string_view name, std::int64_t ts_ns) {
  OpenedOp op{.event = NewOp(thread, name, ts_ns)};
  op.event.category = "user_annotation";
  PushOp(op);
}

void Recorder::CloseOp(std::int64_t end_ns) {
  kineto::OpEvent& event = tree_[open_.back()].event;
  event.dur_ns = clock_.At(end_ns) - event.ts_ns;
  open_.pop_back();
  if (open_.empty()) WriteOpTree();
}

void Recorder::WriteOpTree() {
  for (const OpenedOp& op : tree_) WriteOp(op);
  tree_.clear();
  collectives_.clear();
  shapes_.clear();
  texts_.clear();
}

void Recorder::WriteOp(const OpenedOp& op) {
  ++counts_.events;
  ++(op.event.category == "cpu_op" ? counts_.ops : counts_.annotations);
  if (writer_ != nullptr) writer_->Op(op.event);
  if (op.role != AutogradRole::kForward && op.role != AutogradRole::kBackward) return;
  Flow(op.role == AutogradRole::kForward, kineto::FlowKind::kForwardBackward,
       op.event.sequence_number, op.event.pid, op.event.tid, op.event.ts_ns);
}

void Recorder::OpenAnnotation(std::string_view name, std::int64_t ts_ns) {
  annotations_.push_back({.event = NewOp(HostThread::kMain, name, ts_ns), .extents = {}});
  annotations_.back().event.category = "user_annotation";
  const bool forward = name == kForwardStep;
  if (!forward && name != kBackwardStep) return;
  annotations_.back().pass = true;
  ++open_passes_;
  if (forward) stage_accounting_.OpenForward();
}

void Recorder::CloseAnnotation(std::int64_t end_ns) {
  Annotation annotation = annotations_.back();
  annotations_.pop_back();
  if (annotation.pass) --open_passes_;
  annotation.event.dur_ns = clock_.At(end_ns) - annotation.event.ts_ns;
  WriteOp({.event = annotation.event});
  for (int i = 0; i < kStreamCount; ++i) {
    const Extent& extent = annotation.extents[static_cast<std::size_t>(i)];
    if (extent.end_ns == 0) continue;
    WriteDeviceAnnotation(annotation.event, static_cast<Stream>(i), extent.begin_ns, extent.end_ns);
  }
}

void Recorder::OpenFrame(const PythonFrame& frame, std::int64_t number, std::int64_t ts_ns) {
  std::string name(frame.name);
  if (number >= 0) name = fmt::format("nn.Module: {}_{}", frame.name, number);
  frames_.push_back({.name = std::move(name),
                     .event = {.pid = pid_,
                               .tid = Tid(HostThread::kMain),
                               .ts_ns = clock_.At(ts_ns),
                               .id = next_frame_id_++,
                               .parent_id = frames_.empty() ? -1 : frames_.back().event.id,
                               .module_id = number,
                               .event_index = next_event_index_++}});
}

void Recorder::CloseFrame(std::int64_t end_ns) {
  ++counts_.events;
  ++counts_.python;
  Frame& frame = frames_.back();
  frame.event.name = frame.name;
  frame.event.dur_ns = clock_.At(end_ns) - frame.event.ts_ns;
  if (writer_ != nullptr) writer_->Python(frame.event);
  frames_.pop_back();
}

void Recorder::WriteDeviceAnnotation(const kineto::OpEvent& annotation, Stream stream,
                                     std::int64_t begin_ns, std::int64_t end_ns) {
  ++counts_.events;
  ++counts_.device_annotations;
  if (writer_ == nullptr) return;
  // Kineto makes it begin 1 ns before its first and end 1 ns after its last kernel.
  writer_->DeviceAnnotation({.name = annotation.name,
                             .device = device_,
                             .stream = kStreamNumber[static_cast<std::size_t>(stream)],
                             .ts_ns = begin_ns - 1,
                             .dur_ns = end_ns - begin_ns + 2,
                             .external_id = annotation.external_id});
}

// Of the last call: the innermost op, or the annotation when no op is open. An annotation inside an
// op does not count: NCCL's kernels belong to record_param_comms, not to nccl:all_reduce.
std::int64_t Recorder::ExternalId() const {
  for (auto op = open_.rbegin(); op != open_.rend(); ++op) {
    if (tree_[*op].event.category == "cpu_op") return tree_[*op].event.external_id;
  }
  if (thread_ != HostThread::kMain || annotations_.empty()) return -1;
  return annotations_.back().event.external_id;
}

void Recorder::Call(HostThread thread, const RuntimeCall& call, std::int64_t ts_ns,
                    std::int64_t end_ns) {
  thread_ = thread;
  ++correlation_;
  ++counts_.events;
  ++counts_.runtime_calls;
  const std::int64_t local_ns = clock_.At(ts_ns);
  if (writer_ != nullptr) {
    writer_->Runtime({.name = call.name,
                      .pid = pid_,
                      .tid = Tid(thread),
                      .ts_ns = local_ns,
                      .dur_ns = clock_.At(end_ns) - local_ns,
                      .external_id = ExternalId(),
                      .cbid = call.cbid,
                      .correlation = correlation_});
  }
  Flow(call.starts_flow, kineto::FlowKind::kLaunch, correlation_, pid_, Tid(thread), local_ns);
}

void Recorder::DeviceWork(Stream stream, Work work, const Span& local, std::int64_t known_ns) {
  streams_used_ |= 1U << static_cast<unsigned>(stream);
  accounting_.Add(stream, work, local.begin_ns, local.end_ns, clock_.At(known_ns));
  // CUPTI's stack of annotations is per thread: work of the autograd thread is in none of them.
  if (thread_ != HostThread::kMain || annotations_.empty()) return;
  if (work == Work::kCommunication) return;
  Extent& extent = annotations_.back().extents[static_cast<std::size_t>(stream)];
  if (extent.end_ns == 0) extent.begin_ns = local.begin_ns;
  extent.end_ns = local.end_ns;
}

void Recorder::Kernel(Stream stream, const KernelSpec& spec, const Span& span,
                      std::int64_t known_ns, const NodePlace& place) {
  ++counts_.compute_kernels;
  if (open_passes_ > 0) stage_accounting_.Add(span);
  const Span local = Local(span);
  DeviceWork(stream, Work::kCompute, local, known_ns);
  WriteKernel(stream, spec, local, nullptr, place);
}

void Recorder::CommunicationKernel(const Communication& communication, const Span& span,
                                   std::int64_t known_ns) {
  ++counts_.communication_kernels;
  const Span local = Local(span);
  DeviceWork(communication.stream, Work::kCommunication, local, known_ns);
  const bool says = plan_.options().group_names != GroupNames::kNone && !communication.coalesced;
  WriteKernel(communication.stream, communication.kernel, local,
              says ? &collectives_.back() : nullptr);
  WriteDeviceAnnotation(tree_[open_.back()].event, communication.stream, local.begin_ns,
                        local.end_ns);
}

void Recorder::WriteKernel(Stream stream, const KernelSpec& spec, const Span& local,
                           const kineto::CollectiveEventArgs* args, const NodePlace& place) {
  ++counts_.events;
  const std::int64_t number = kStreamNumber[static_cast<std::size_t>(stream)];
  if (writer_ != nullptr) {
    writer_->Kernel({.name = spec.name,
                     .device = device_,
                     .stream = number,
                     .ts_ns = local.begin_ns,
                     .dur_ns = local.end_ns - local.begin_ns,
                     .external_id = ExternalId(),
                     .correlation = correlation_,
                     .registers_per_thread = spec.registers,
                     .shared_memory_bytes = spec.shared_bytes,
                     .blocks_per_sm = spec.blocks_per_sm,
                     .warps_per_sm = spec.warps_per_sm,
                     .grid = spec.grid,
                     .block = spec.block,
                     .occupancy_pct = spec.occupancy_pct,
                     .graph_id = place.graph,
                     .graph_node_id = place.graph < 0 ? -1 : place.graph << 32 | (place.node + 1),
                     .collective = args});
  }
  Flow(false, kineto::FlowKind::kLaunch, correlation_, device_, number, local.begin_ns);
}

void Recorder::Copy(Stream stream, const CopySpec& copy, const Span& span, std::int64_t known_ns) {
  ++counts_.events;
  ++counts_.copies;
  const Span local = Local(span);
  DeviceWork(stream, Work::kCopy, local, known_ns);
  const std::int64_t number = kStreamNumber[static_cast<std::size_t>(stream)];
  if (writer_ != nullptr) {
    writer_->Copy({.name = copy.name,
                   .device = device_,
                   .stream = number,
                   .ts_ns = local.begin_ns,
                   .dur_ns = local.end_ns - local.begin_ns,
                   .external_id = ExternalId(),
                   .correlation = correlation_,
                   .bytes = copy.bytes});
  }
  Flow(false, kineto::FlowKind::kLaunch, correlation_, device_, number, local.begin_ns);
}

void Recorder::SyncRow(std::string_view name, int stream, std::int64_t ts_ns, std::int64_t end_ns) {
  ++counts_.events;
  ++counts_.syncs;
  const std::int64_t local_ns = clock_.At(ts_ns);
  if (writer_ != nullptr) {
    writer_->Sync({.name = name,
                   .device = device_,
                   .stream = stream,
                   .ts_ns = local_ns,
                   .dur_ns = clock_.At(end_ns) - local_ns,
                   .external_id = ExternalId(),
                   .correlation = correlation_});
  }
  Flow(false, kineto::FlowKind::kLaunch, correlation_, device_, stream, local_ns);
}

void Recorder::WaitEventRow(Stream waiting, Stream recorded, std::int64_t record_correlation,
                            std::int64_t event_id, std::int64_t ts_ns, std::int64_t end_ns) {
  ++counts_.events;
  ++counts_.syncs;
  const std::int64_t number = kStreamNumber[static_cast<std::size_t>(waiting)];
  const std::int64_t local_ns = clock_.At(ts_ns);
  if (writer_ != nullptr) {
    writer_->Sync({.name = "Stream Wait Event",
                   .device = device_,
                   .stream = number,
                   .ts_ns = local_ns,
                   .dur_ns = clock_.At(end_ns) - local_ns,
                   .external_id = ExternalId(),
                   .correlation = correlation_,
                   .wait_on_stream = kStreamNumber[static_cast<std::size_t>(recorded)],
                   .wait_on_record_correlation = record_correlation,
                   .wait_on_event_id = event_id});
  }
  Flow(false, kineto::FlowKind::kLaunch, correlation_, device_, number, local_ns);
}

void Recorder::Memory(HostThread thread, std::int64_t bytes, std::int64_t address,
                      const CachingAllocator& allocator, std::int64_t ts_ns) {
  ++counts_.events;
  ++counts_.memory;
  const std::int64_t index = next_event_index_++;
  if (writer_ == nullptr) return;
  writer_->Memory({.pid = pid_,
                   .tid = Tid(thread),
                   .ts_ns = clock_.At(ts_ns),
                   .total_reserved_bytes = allocator.reserved_bytes(),
                   .total_allocated_bytes = allocator.allocated_bytes(),
                   .bytes = bytes,
                   .address = address,
                   .device = device_,
                   .event_index = index});
}

void Recorder::Flow(bool start, kineto::FlowKind kind, std::int64_t id, std::int64_t pid,
                    std::int64_t tid, std::int64_t local_ns) {
  ++counts_.events;
  ++(start ? counts_.flow_starts : counts_.flow_ends);
  if (writer_ == nullptr) return;
  const kineto::FlowPoint point{.kind = kind, .id = id, .pid = pid, .tid = tid, .ts_ns = local_ns};
  if (start) {
    writer_->FlowStart(point);
  } else {
    writer_->FlowEnd(point);
  }
}

void Recorder::Finish(std::int64_t begin_ns, std::int64_t end_ns) {
  const std::int64_t begin = clock_.At(begin_ns), end = clock_.At(end_ns);
  constexpr std::uint64_t kProcessRecords = 3 * (1 + kDevicesPerHost);
  constexpr std::uint64_t kProfilerRecords = 4;
  const auto threads = static_cast<std::uint64_t>(2 + std::popcount(streams_used_) + 1);
  counts_.metadata = kProcessRecords + 2 * threads + kProfilerRecords;
  counts_.events += counts_.metadata;
  if (writer_ == nullptr) return;

  constexpr std::string_view kProcess = "python3";
  constexpr std::int64_t kDeviceSortIndex = 0x1000000;
  writer_->Process(pid_, begin, kProcess, "CPU", pid_);
  for (int device = 0; device < kDevicesPerHost; ++device) {
    writer_->Process(device, begin, kProcess, fmt::format("GPU {}", device),
                     kDeviceSortIndex + device);
  }
  writer_->Thread(device_, -1, begin, fmt::format("Device {}", device_), -1);
  for (std::size_t stream = 0; stream < kStreamCount; ++stream) {
    if ((streams_used_ >> stream & 1) == 0) continue;
    const int number = kStreamNumber[stream];
    // The blank at the end is Kineto's.
    writer_->Thread(device_, number, begin, fmt::format("stream {} ", number), number);
  }
  const std::int64_t main = Tid(HostThread::kMain), autograd = Tid(HostThread::kAutograd);
  writer_->Thread(pid_, main, begin, fmt::format("thread {} (python3)", main), main);
  writer_->Thread(pid_, autograd, begin, fmt::format("thread {} (pt_autograd_0)", autograd),
                  autograd);
  writer_->ProfilerSpan(begin, end - begin, "PyTorch Profiler", 0);
  writer_->RecordWindowEnd(end);
}

kineto::TraceHeader MakeHeader(const JobPlan& plan, int rank, const std::string& file_name) {
  kineto::TraceHeader header{.base_ns = kBaseNs,
                             .rank = rank,
                             .world_size = plan.options().ranks,
                             .nccl_version = "2.21.5",
                             .host_name = fmt::format("node{}", rank / kDevicesPerHost),
                             .trace_name = file_name,
                             .record_shapes = true,
                             .profile_memory = true,
                             .with_stack = plan.options().stacks};
  for (int device = 0; device < kDevicesPerHost; ++device) {
    header.devices.push_back({.id = device,
                              .name = "NVIDIA A100-SXM4-80GB",
                              .total_memory_bytes = kDeviceBytes,
                              .compute_major = 8,
                              .compute_minor = 0,
                              .shared_memory_per_block_optin_bytes = 166'912,
                              .shared_memory_per_sm_bytes = 167'936,
                              .sm_count = kSmCount});
  }
  header.trace_id = fmt::format("{:016X}{:016X}", Mix(plan.options().seed),
                                MixAll(plan.options().seed, static_cast<std::uint64_t>(rank), 1));
  // PyTorch lists the groups that the rank is a member of.
  if (plan.layout().groups.empty()) header.rank = -1;  // not distributed
  if (plan.options().group_names == GroupNames::kNone) return header;
  for (const int id : plan.layout().place(rank).groups) {
    const Group& group = plan.layout().groups[static_cast<std::size_t>(id)];
    header.groups.push_back({.name = group.name,
                             .description = std::string(Description(plan, group)),
                             .ranks = group.ranks});
  }
  return header;
}

}  // namespace rankscope::sim
