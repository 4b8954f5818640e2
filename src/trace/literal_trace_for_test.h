// Traces from literal events, for tests that are checked by hand. Times are in nanoseconds.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/builder.h"

namespace rankscope {

class TraceForTest {
 public:
  TraceForTest& Host(std::int64_t thread, EventKind kind, std::string_view name, std::int64_t ts,
                     std::int64_t dur, std::int64_t correlation = kNoCorrelation) {
    return Add({.first = 1, .second = thread, .domain = Domain::kHost}, kind, name, ts, dur,
               correlation);
  }
  TraceForTest& Launch(std::int64_t correlation, std::int64_t ts, std::int64_t dur,
                       std::int64_t thread = 1) {
    return Host(thread, EventKind::kRuntime, "cudaLaunchKernel", ts, dur, correlation);
  }
  // A frame that was sampled of a thread.
  TraceForTest& CpuSample(std::string_view lane, std::string_view name, std::int64_t ts,
                          std::int64_t dur) {
    return Add({.first = 1,
                .second = -1,
                .second_text = scope_.strings.Intern(lane),
                .domain = Domain::kOther},
               EventKind::kCpuSample, name, ts, dur, kNoCorrelation);
  }
  TraceForTest& Step(std::int64_t number, std::int64_t ts, std::int64_t dur) {
    return Host(1, EventKind::kUserAnnotation, "ProfilerStep#" + std::to_string(number), ts, dur);
  }
  TraceForTest& Kernel(std::int64_t stream, std::string_view name, std::int64_t ts,
                       std::int64_t dur, std::int64_t correlation = kNoCorrelation,
                       std::int64_t device = 0) {
    return Device(EventKind::kKernel, device, stream, name, ts, dur, correlation);
  }
  // Arguments of the kernel that was added last.
  TraceForTest& Args(const KernelArgs& args) {
    batch_.kernels.push_back(args);
    batch_.rows.back().aux = static_cast<std::uint32_t>(batch_.kernels.size() - 1);
    return *this;
  }
  // A collective's kernel with arguments; texts are given as they stand in the file.
  struct Collective {
    std::string_view name;
    std::int64_t in = -1;
    std::int64_t out = -1;
    std::string_view dtype = "Float";
    std::string_view group = "0";
    std::string_view ranks = "[0, 1]";
    std::int32_t size = 2;
    std::int32_t sequence = -1;
    std::int32_t peer = -1;
    std::string_view description;
    std::string_view in_split;
    std::string_view out_split;
  };
  TraceForTest& Comm(std::int64_t stream, std::int64_t ts, std::int64_t dur,
                     const Collective& collective) {
    const auto text = [&](std::string_view value) { return scope_.strings.Intern(value); };
    batch_.collectives.push_back({.in_elements = collective.in,
                                  .out_elements = collective.out,
                                  .name = text(collective.name),
                                  .dtype = text(collective.dtype),
                                  .group_name = text(collective.group),
                                  .group_desc = text(collective.description),
                                  .group_ranks = text(collective.ranks),
                                  .in_split = text(collective.in_split),
                                  .out_split = text(collective.out_split),
                                  .group_size = collective.size,
                                  .sequence = collective.sequence,
                                  .source_rank = collective.peer,
                                  .destination_rank = collective.peer});
    Kernel(stream, "ncclDevKernel", ts, dur);
    return Args({.collective = static_cast<std::uint32_t>(batch_.collectives.size() - 1)});
  }
  // The correlation of the device work that was added last.
  TraceForTest& Linked(std::int64_t correlation) {
    batch_.rows.back().correlation = correlation;
    return *this;
  }
  // A range of no category in a process of its own.
  TraceForTest& Lane(std::int64_t process, std::string_view name, std::int64_t ts,
                     std::int64_t dur) {
    return Add({.first = process, .second = 0, .domain = Domain::kHost}, EventKind::kOther, name,
               ts, dur, kNoCorrelation);
  }
  // The kernel that the call that was added last says it launches.
  TraceForTest& Launched(std::string_view kernel) {
    batch_.rows.back().aux = scope_.strings.Intern(kernel);
    return *this;
  }
  // An op with recorded input shapes, "[[8,8]]", dtypes, "[\"float\"]", and values, "[\"True\"]".
  TraceForTest& Op(std::int64_t thread, std::string_view name, std::int64_t ts, std::int64_t dur,
                   std::string_view input_dims, std::string_view input_types = "",
                   std::string_view values = "") {
    batch_.ops.push_back({.input_dims = scope_.strings.Intern(input_dims),
                          .input_types = scope_.strings.Intern(input_types),
                          .concrete_inputs = scope_.strings.Intern(values)});
    Host(thread, EventKind::kCpuOp, name, ts, dur);
    batch_.rows.back().aux = static_cast<std::uint32_t>(batch_.ops.size() - 1);
    return *this;
  }
  // An op with autograd's numbers: a backward op names the thread of its forward op, > 0.
  TraceForTest& Sequenced(std::int64_t thread, std::string_view name, std::int64_t ts,
                          std::int64_t dur, std::int64_t sequence, std::int32_t forward_thread) {
    batch_.ops.push_back({.sequence_number = sequence, .forward_thread = forward_thread});
    Host(thread, EventKind::kCpuOp, name, ts, dur);
    batch_.rows.back().aux = static_cast<std::uint32_t>(batch_.ops.size() - 1);
    return *this;
  }
  TraceForTest& Copy(std::int64_t stream, std::int64_t bytes, std::int64_t ts, std::int64_t dur,
                     std::int64_t correlation = kNoCorrelation,
                     std::string_view name = "Memcpy HtoD") {
    return Moved(EventKind::kMemcpy, stream, name, bytes, ts, dur, correlation);
  }
  TraceForTest& Memset(std::int64_t stream, std::int64_t bytes, std::int64_t ts, std::int64_t dur,
                       std::int64_t correlation = kNoCorrelation) {
    return Moved(EventKind::kMemset, stream, "Memset (Device)", bytes, ts, dur, correlation);
  }
  // A memory instant, of CUDA device 0 unless the arguments say otherwise.
  TraceForTest& Memory(std::int64_t thread, std::int64_t ts, MemoryArgs args) {
    if (args.device_type == -1) args.device_type = 1;
    if (args.device == -1 && args.device_type != 0) args.device = 0;
    batch_.memory.push_back(args);
    Host(thread, EventKind::kMemoryInstant, "[memory]", ts, kNoDuration);
    batch_.rows.back().aux = static_cast<std::uint32_t>(batch_.memory.size() - 1);
    return *this;
  }
  TraceForTest& DeviceAnnotation(std::int64_t stream, std::string_view name, std::int64_t ts,
                                 std::int64_t dur) {
    return Add({.first = 0, .second = stream, .domain = Domain::kDeviceAnnotation},
               EventKind::kDeviceAnnotation, name, ts, dur, kNoCorrelation);
  }

  using Counters = std::vector<std::pair<std::string_view, double>>;
  // A profiler's range of device 0 with what it counted.
  TraceForTest& Range(std::string_view name, std::int64_t ts, std::int64_t dur,
                      const Counters& counters) {
    Add({.first = 0, .second = 0, .domain = Domain::kOther}, EventKind::kProfilerRange, name, ts,
        dur, kNoCorrelation);
    return Counted(counters);
  }
  // A counter event of a device.
  TraceForTest& Sample(std::int64_t device, std::int64_t ts, const Counters& counters) {
    Add({.first = device, .second = 0, .domain = Domain::kOther}, EventKind::kCounter, "samples",
        ts, kNoDuration, kNoCorrelation);
    return Counted(counters);
  }

  // The name of device `id` in the trace's metadata.
  TraceForTest& DeviceName(std::int64_t id, std::string_view name, std::int64_t memory_bytes = -1) {
    devices_.push_back({.id = id, .name = std::string(name), .memory_bytes = memory_bytes});
    return *this;
  }

  RankTrace Build(std::int64_t base_ns = 0) {
    batch_.event_count = batch_.rows.size();
    TraceBuilder builder;
    builder.Append(batch_, scope_, 0);
    TraceMeta meta;
    meta.base_ns = base_ns;
    meta.devices = devices_;
    return std::move(builder).Finish(std::move(meta), {});
  }

 private:
  TraceForTest& Counted(const Counters& counters) {
    if (counters.empty()) return *this;
    batch_.rows.back().aux = static_cast<std::uint32_t>(batch_.counters.size());
    for (const auto& [name, value] : counters)
      batch_.counters.push_back(
          {.value = value, .name = scope_.strings.Intern(name), .is_last = 0});
    batch_.counters.back().is_last = 1;
    return *this;
  }
  // A copy or memset; negative bytes are unknown.
  TraceForTest& Moved(EventKind kind, std::int64_t stream, std::string_view name,
                      std::int64_t bytes, std::int64_t ts, std::int64_t dur,
                      std::int64_t correlation) {
    batch_.copies.push_back({bytes, -1});
    Device(kind, 0, stream, name, ts, dur, correlation);
    batch_.rows.back().aux = static_cast<std::uint32_t>(batch_.copies.size() - 1);
    return *this;
  }
  TraceForTest& Device(EventKind kind, std::int64_t device, std::int64_t stream,
                       std::string_view name, std::int64_t ts, std::int64_t dur,
                       std::int64_t correlation) {
    return Add({.first = device, .second = stream, .domain = Domain::kDevice}, kind, name, ts, dur,
               correlation);
  }
  TraceForTest& Add(const TrackKey& key, EventKind kind, std::string_view name, std::int64_t ts,
                    std::int64_t dur, std::int64_t correlation) {
    const auto [place, is_new] =
        scope_.track_ids.emplace(key, static_cast<std::uint32_t>(scope_.tracks.size()));
    if (is_new) scope_.tracks.push_back(key);
    RawRow row;
    row.ts_ns = ts;
    row.dur_ns = dur;
    row.correlation = correlation;
    row.name = scope_.strings.Intern(name);
    row.category = scope_.strings.Intern(ToString(kind));
    row.track = place->second;
    row.source = static_cast<std::uint32_t>(batch_.rows.size());
    row.kind = kind;
    batch_.rows.push_back(row);
    return *this;
  }

  NameScope scope_;
  EventBatch batch_;
  std::vector<DeviceProperties> devices_;
};

}  // namespace rankscope
