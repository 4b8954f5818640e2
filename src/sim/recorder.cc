#include "sim/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/jitter.h"

namespace rankscope::sim {
namespace {

constexpr std::int64_t kForwardThreadId = 1;  // the profiler's own number of the main thread
// What weights and optimizer hold before the first step, and what the allocator has reserved.
constexpr std::int64_t kBaselineBytes = std::int64_t{6} << 30;
constexpr std::int64_t kReservedBytes = std::int64_t{64} << 30;

}  // namespace

Recorder::Recorder(const JobPlan& plan, int rank, kineto::Writer* writer)
    : writer_(writer),
      device_(rank % kDevicesPerHost),
      pid_(21'000 + 137 * (rank % kDevicesPerHost)),
      shift_ns_(kJobStartNs + plan.clock_offset_ns(rank)),
      allocated_bytes_(kBaselineBytes) {
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
          .ts_ns = ts_ns + shift_ns_,
          .external_id = id,
          .record_function_id = id,
          .event_index = next_event_index_++};
}

void Recorder::OpenOp(HostThread thread, const OpNode& node, std::int64_t ts_ns,
                      std::int64_t sequence) {
  OpenedOp op{.event = NewOp(thread, node.name, ts_ns), .role = node.role};
  if (!node.shapes.input_dims_json.empty()) op.event.shapes = &node.shapes;
  if (node.role != AutogradRole::kNone) {
    op.event.sequence_number = sequence;
    op.event.forward_thread = node.role == AutogradRole::kForward ? 0 : kForwardThreadId;
  }
  open_.push_back(tree_.size());
  tree_.push_back(op);
}

void Recorder::OpenCommunicationOp(HostThread thread, std::string_view name,
                                   std::string_view category, std::int64_t ts_ns,
                                   const kineto::CollectiveEventArgs* args) {
  OpenedOp op{.event = NewOp(thread, name, ts_ns)};
  op.event.category = category;
  op.event.collective = args;
  open_.push_back(tree_.size());
  tree_.push_back(op);
}

void Recorder::CloseOp(std::int64_t end_ns) {
  kineto::OpEvent& event = tree_[open_.back()].event;
  event.dur_ns = end_ns + shift_ns_ - event.ts_ns;
  open_.pop_back();
  if (open_.empty()) WriteOpTree();
}

void Recorder::WriteOpTree() {
  for (const OpenedOp& op : tree_) WriteOp(op);
  tree_.clear();
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
}

void Recorder::CloseAnnotation(std::int64_t end_ns) {
  Annotation annotation = annotations_.back();
  annotations_.pop_back();
  annotation.event.dur_ns = end_ns + shift_ns_ - annotation.event.ts_ns;
  WriteOp({.event = annotation.event});
  for (int i = 0; i < kStreamCount; ++i) {
    const Extent& extent = annotation.extents[static_cast<std::size_t>(i)];
    if (extent.end_ns == 0) continue;
    WriteDeviceAnnotation(annotation.event, static_cast<Stream>(i), extent.begin_ns, extent.end_ns);
  }
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
                             .ts_ns = begin_ns + shift_ns_ - 1,
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
                    std::int64_t dur_ns) {
  thread_ = thread;
  ++correlation_;
  ++counts_.events;
  ++counts_.runtime_calls;
  if (writer_ != nullptr) {
    writer_->Runtime({.name = call.name,
                      .pid = pid_,
                      .tid = Tid(thread),
                      .ts_ns = ts_ns + shift_ns_,
                      .dur_ns = dur_ns,
                      .external_id = ExternalId(),
                      .cbid = call.cbid,
                      .correlation = correlation_});
  }
  Flow(call.starts_flow, kineto::FlowKind::kLaunch, correlation_, pid_, Tid(thread),
       ts_ns + shift_ns_);
}

void Recorder::DeviceWork(Stream stream, std::int64_t begin_ns, std::int64_t end_ns) {
  device_end_ns_ = std::max(device_end_ns_, end_ns);
  // CUPTI's stack of annotations is per thread: work of the autograd thread is in none of them.
  if (thread_ != HostThread::kMain || annotations_.empty()) return;
  Extent& extent = annotations_.back().extents[static_cast<std::size_t>(stream)];
  if (extent.end_ns == 0) extent.begin_ns = begin_ns;
  extent.end_ns = end_ns;
}

void Recorder::Kernel(Stream stream, const KernelSpec& spec, std::int64_t ts_ns,
                      std::int64_t dur_ns, std::int64_t known_ns) {
  ++counts_.compute_kernels;
  DeviceWork(stream, ts_ns, ts_ns + dur_ns);
  accounting_.Add(stream, Work::kCompute, ts_ns, ts_ns + dur_ns, known_ns);
  WriteKernel(stream, spec, ts_ns, dur_ns, nullptr);
}

void Recorder::CollectiveKernel(const KernelSpec& spec, const kineto::CollectiveEventArgs& args,
                                std::int64_t ts_ns, std::int64_t dur_ns, std::int64_t known_ns) {
  ++counts_.communication_kernels;
  DeviceWork(Stream::kCommunication, ts_ns, ts_ns + dur_ns);
  accounting_.Add(Stream::kCommunication, Work::kCommunication, ts_ns, ts_ns + dur_ns, known_ns);
  WriteKernel(Stream::kCommunication, spec, ts_ns, dur_ns, &args);
  WriteDeviceAnnotation(tree_[open_.back()].event, Stream::kCommunication, ts_ns, ts_ns + dur_ns);
}

void Recorder::WriteKernel(Stream stream, const KernelSpec& spec, std::int64_t ts_ns,
                           std::int64_t dur_ns, const kineto::CollectiveEventArgs* args) {
  ++counts_.events;
  const std::int64_t number = kStreamNumber[static_cast<std::size_t>(stream)];
  if (writer_ != nullptr) {
    writer_->Kernel({.name = spec.name,
                     .device = device_,
                     .stream = number,
                     .ts_ns = ts_ns + shift_ns_,
                     .dur_ns = dur_ns,
                     .external_id = ExternalId(),
                     .correlation = correlation_,
                     .registers_per_thread = spec.registers,
                     .shared_memory_bytes = spec.shared_bytes,
                     .blocks_per_sm = spec.blocks_per_sm,
                     .warps_per_sm = spec.warps_per_sm,
                     .grid = spec.grid,
                     .block = spec.block,
                     .occupancy_pct = spec.occupancy_pct,
                     .collective = args});
  }
  Flow(false, kineto::FlowKind::kLaunch, correlation_, device_, number, ts_ns + shift_ns_);
}

void Recorder::Copy(Stream stream, std::string_view name, std::int64_t bytes, std::int64_t ts_ns,
                    std::int64_t dur_ns, std::int64_t known_ns) {
  ++counts_.events;
  ++counts_.copies;
  DeviceWork(stream, ts_ns, ts_ns + dur_ns);
  accounting_.Add(stream, Work::kCopy, ts_ns, ts_ns + dur_ns, known_ns);
  const std::int64_t number = kStreamNumber[static_cast<std::size_t>(stream)];
  if (writer_ != nullptr) {
    writer_->Copy({.name = name,
                   .device = device_,
                   .stream = number,
                   .ts_ns = ts_ns + shift_ns_,
                   .dur_ns = dur_ns,
                   .external_id = ExternalId(),
                   .correlation = correlation_,
                   .bytes = bytes});
  }
  Flow(false, kineto::FlowKind::kLaunch, correlation_, device_, number, ts_ns + shift_ns_);
}

void Recorder::SyncRow(std::string_view name, int stream, std::int64_t ts_ns, std::int64_t dur_ns) {
  ++counts_.events;
  ++counts_.syncs;
  if (writer_ != nullptr) {
    writer_->Sync({.name = name,
                   .device = device_,
                   .stream = stream,
                   .ts_ns = ts_ns + shift_ns_,
                   .dur_ns = dur_ns,
                   .external_id = ExternalId(),
                   .correlation = correlation_});
  }
  Flow(false, kineto::FlowKind::kLaunch, correlation_, device_, stream, ts_ns + shift_ns_);
}

void Recorder::WaitEventRow(Stream waiting, Stream recorded, std::int64_t record_correlation,
                            std::int64_t event_id, std::int64_t ts_ns, std::int64_t dur_ns) {
  ++counts_.events;
  ++counts_.syncs;
  const std::int64_t number = kStreamNumber[static_cast<std::size_t>(waiting)];
  if (writer_ != nullptr) {
    writer_->Sync({.name = "Stream Wait Event",
                   .device = device_,
                   .stream = number,
                   .ts_ns = ts_ns + shift_ns_,
                   .dur_ns = dur_ns,
                   .external_id = ExternalId(),
                   .correlation = correlation_,
                   .wait_on_stream = kStreamNumber[static_cast<std::size_t>(recorded)],
                   .wait_on_record_correlation = record_correlation,
                   .wait_on_event_id = event_id});
  }
  Flow(false, kineto::FlowKind::kLaunch, correlation_, device_, number, ts_ns + shift_ns_);
}

void Recorder::Memory(HostThread thread, std::int64_t bytes, std::int64_t address,
                      std::int64_t ts_ns) {
  ++counts_.events;
  ++counts_.memory;
  allocated_bytes_ += bytes;
  const std::int64_t index = next_event_index_++;
  if (writer_ == nullptr) return;
  writer_->Memory({.pid = pid_,
                   .tid = Tid(thread),
                   .ts_ns = ts_ns + shift_ns_,
                   .total_reserved_bytes = std::max(kReservedBytes, allocated_bytes_),
                   .total_allocated_bytes = allocated_bytes_,
                   .bytes = bytes,
                   .address = address,
                   .device = device_,
                   .event_index = index});
}

void Recorder::Flow(bool start, kineto::FlowKind kind, std::int64_t id, std::int64_t pid,
                    std::int64_t tid, std::int64_t ts_ns) {
  ++counts_.events;
  ++(start ? counts_.flow_starts : counts_.flow_ends);
  if (writer_ == nullptr) return;
  const kineto::FlowPoint point{.kind = kind, .id = id, .pid = pid, .tid = tid, .ts_ns = ts_ns};
  if (start) {
    writer_->FlowStart(point);
  } else {
    writer_->FlowEnd(point);
  }
}

void Recorder::CloseLastWindow(std::int64_t mark_end_ns) {
  accounting_.Close(std::max(mark_end_ns, device_end_ns_));
}

void Recorder::Finish(std::int64_t begin_ns, std::int64_t end_ns) {
  const std::int64_t begin = begin_ns + shift_ns_;
  constexpr std::uint64_t kProcessRecords = 3 * (1 + kDevicesPerHost);
  constexpr std::uint64_t kThreadRecords = 2 * (2 + kStreamCount + 1);
  constexpr std::uint64_t kProfilerRecords = 4;
  counts_.metadata = kProcessRecords + kThreadRecords + kProfilerRecords;
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
  for (const int number : kStreamNumber) {
    // The blank at the end is Kineto's.
    writer_->Thread(device_, number, begin, fmt::format("stream {} ", number), number);
  }
  const std::int64_t main = Tid(HostThread::kMain), autograd = Tid(HostThread::kAutograd);
  writer_->Thread(pid_, main, begin, fmt::format("thread {} (python3)", main), main);
  writer_->Thread(pid_, autograd, begin, fmt::format("thread {} (pt_autograd_0)", autograd),
                  autograd);
  writer_->ProfilerSpan(begin, end_ns - begin_ns, "PyTorch Profiler", 0);
  writer_->RecordWindowEnd(end_ns + shift_ns_);
}

kineto::TraceHeader MakeHeader(const JobPlan& plan, int rank, const std::string& file_name) {
  kineto::TraceHeader header{.base_ns = kBaseNs,
                             .rank = rank,
                             .world_size = plan.options.ranks,
                             .nccl_version = "2.21.5",
                             .trace_name = file_name,
                             .record_shapes = true,
                             .profile_memory = true};
  for (int device = 0; device < kDevicesPerHost; ++device) {
    header.devices.push_back({.id = device,
                              .name = "NVIDIA A100-SXM4-80GB",
                              .total_memory_bytes = 85'097'971'712,
                              .compute_major = 8,
                              .compute_minor = 0,
                              .shared_memory_per_block_optin_bytes = 166'912,
                              .shared_memory_per_sm_bytes = 167'936,
                              .sm_count = kSmCount});
  }
  kineto::ProcessGroupHeader group{.name = "0", .description = "default_pg"};
  group.ranks.resize(static_cast<std::size_t>(plan.options.ranks));
  std::iota(group.ranks.begin(), group.ranks.end(), 0);
  header.groups.push_back(std::move(group));
  header.trace_id = fmt::format("{:016X}{:016X}", Mix(plan.options.seed),
                                MixAll(plan.options.seed, static_cast<std::uint64_t>(rank), 1));
  return header;
}

}  // namespace rankscope::sim
