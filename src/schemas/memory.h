// The tables of memory.
#pragma once

#include "schemas/rank_rows.h"

namespace rankscope {

struct AllocatorCalls : Schema<AllocatorCalls, RankRows> {
  static constexpr std::string_view kName = "allocator_calls";

  IntColumn step = Int(column::StepOfHost());
  FlagColumn steady = Flag(
      "steady",
      "true in all steps but the first of the recording: memory that is asked for there was not "
      "kept from the step before");
  StringColumn call =
      Text("call", "name of the call: cudaMalloc, cudaFree, hipHostMalloc, cuMemMap");
  StringColumn action = Text("action", "allocate, free, map (virtual memory) or pin (host memory)");
  IntColumn count = Int("count", "", "calls that begin in the window");
  IntColumn total_ns = Int("total_ns", "ns", "summed host time of the calls");
  RealColumn mean_ns = Real("mean_ns", "ns", "total_ns / count");
  IntColumn max_ns = Int("max_ns", "ns", "longest call");
  IntColumn idle_ns =
      Int("idle_ns", "ns",
          "time in which such a call runs while a device of the rank is idle: at most this "
          "is lost to them; null when no device worked in the recording");
  FlagColumn complete = Flag(column::Complete());
};
extern template const AllocatorCalls& SchemaOf<AllocatorCalls>();

struct MemoryAtPeak : Schema<MemoryAtPeak, RankRows> {
  static constexpr std::string_view kName = "memory_at_peak";

  StringColumn device_type = Text(column::MemoryDeviceType());
  IntColumn device = Int(column::MemoryDevice());
  IntColumn peak_ts_ns =
      Int("peak_ts_ns", "ns",
          "when allocated memory is highest, from the job's origin, by the rank's clock");
  StringColumn op = Text("op", "innermost op on the allocating thread; null when none was open");
  StringColumn annotation =
      Text("annotation", "innermost user annotation there; null when none was open");
  StringColumn module =
      Text("module", "innermost module there, by its Python frame; null without frames");
  StringColumn stack =
      Text("stack", "innermost Python frames there, \"inner < outer\"; null without");
  IntColumn count = Int("count", "", "allocations; null where they are older than the recording");
  IntColumn bytes = Int("bytes", "bytes", "what they hold at the peak");
  RealColumn share_pct = Real("share_pct", "%", "share of the bytes of all rows of the device");
};
extern template const MemoryAtPeak& SchemaOf<MemoryAtPeak>();

struct MemoryGrowth : Schema<MemoryGrowth, RankRows> {
  static constexpr std::string_view kName = "memory_growth";

  StringColumn device_type = Text(column::MemoryDeviceType());
  IntColumn device = Int(column::MemoryDevice());
  IntColumn steps = Int("steps", "", "complete steps whose end level is known");
  IntColumn first_end_bytes =
      Int("first_end_bytes", "bytes", "allocated at the end of the first of them");
  IntColumn last_end_bytes =
      Int("last_end_bytes", "bytes", "allocated at the end of the last of them");
  IntColumn growth_bytes = Int("growth_bytes", "bytes", "last_end_bytes - first_end_bytes");
  RealColumn bytes_per_step =
      Real("bytes_per_step", "bytes",
           "Theil-Sen slope of the levels at step ends; null with fewer than 3 steps");
  RealColumn p_value =
      Real("p_value", "",
           "Mann-Kendall: how likely levels in random order show as clear a trend; null "
           "with fewer than 4 steps");
  IntColumn capacity_bytes =
      Int("capacity_bytes", "bytes", "memory of the device; null when the trace does not state it");
};
extern template const MemoryGrowth& SchemaOf<MemoryGrowth>();

struct MemoryOverTime : Schema<MemoryOverTime, RankRows> {
  static constexpr std::string_view kName = "memory_over_time";

  StringColumn device_type = Text(column::MemoryDeviceType());
  IntColumn device = Int(column::MemoryDevice());
  IntColumn ts_ns = Int("ts_ns", "ns", "from the job's origin, by the rank's own clock");
  IntColumn allocated_bytes = Int("allocated_bytes", "bytes", "allocated from this time on");
  IntColumn reserved_bytes =
      Int("reserved_bytes", "bytes", "held by the allocator from this time on; null for the host");
};
extern template const MemoryOverTime& SchemaOf<MemoryOverTime>();

struct MemoryPeaks : Schema<MemoryPeaks, RankRows> {
  static constexpr std::string_view kName = "memory_peaks";

  StringColumn device_type = Text(column::MemoryDeviceType());
  IntColumn device = Int(column::MemoryDevice());
  IntColumn step = Int(column::StepOfHost());
  IntColumn begin_bytes = Int("begin_bytes", "bytes", "allocated at the begin of the window");
  IntColumn end_bytes = Int("end_bytes", "bytes", "allocated at its end");
  IntColumn peak_bytes = Int("peak_bytes", "bytes", "most that is allocated at any time in it");
  IntColumn peak_ts_ns =
      Int("peak_ts_ns", "ns",
          "when that is first reached, from the job's origin, by the rank's own clock");
  IntColumn peak_reserved_bytes =
      Int("peak_reserved_bytes", "bytes",
          "most that the allocator holds reserved; null for the host, which reserves none");
  IntColumn allocations = Int("allocations", "", "allocations in the window");
  IntColumn frees = Int("frees", "", "frees in the window");
  IntColumn allocated_bytes = Int("allocated_bytes", "bytes", "sum over the allocations");
  IntColumn freed_bytes = Int("freed_bytes", "bytes", "sum over the frees");
  FlagColumn complete = Flag(column::Complete());
};
extern template const MemoryPeaks& SchemaOf<MemoryPeaks>();

}  // namespace rankscope
