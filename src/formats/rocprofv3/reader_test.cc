// rocprofv3's JSON by hand: one process on a host with one device.
#include "formats/rocprofv3/reader.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rankscope::rocprofv3 {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kNames = R"text("metadata":{"pid":7,"node":{"hostname":"box"},
  "command":["python","train.py"]},
"agents":[{"id":{"handle":10},"type":1,"logical_node_type_id":0},
  {"id":{"handle":11},"type":2,"gpu_index":3,"product_name":"AMD Instinct MI300X","cu_count":304,
   "wave_front_size":64,"mem_banks":[{"size_in_bytes":206141652992}]}],
"strings":{"buffer_records":[{"kind":"NONE","operations":[]},
   {"kind":"HIP_RUNTIME_API","operations":["hipMalloc","hipLaunchKernel"]},
   {"kind":"MEMORY_COPY","operations":["MEMORY_COPY_NONE","MEMORY_COPY_HOST_TO_DEVICE"]},
   {"kind":"MARKER_CORE_API","operations":["roctxRangePushA"]}],
  "marker_api":[{"key":90,"value":"forward"}]},
"kernel_symbols":[{"kernel_id":5,"kernel_name":"_Z3addv.kd","formatted_kernel_name":"add()",
   "arch_vgpr_count":24,"accum_vgpr_count":8}])text";

constexpr std::string_view kRecords = R"text("buffer_records":{
"kernel_dispatch":[{"kind":9,"operation":2,"thread_id":70,"correlation_id":{"internal":41},
   "start_timestamp":9000000000000100,"end_timestamp":9000000000000350,
   "dispatch_info":{"agent_id":{"handle":11},"queue_id":{"handle":2},"kernel_id":5,
     "group_segment_size":1024,"workgroup_size":{"x":256,"y":1,"z":1},
     "grid_size":{"x":1000,"y":2,"z":1}},"stream_id":{"handle":6}}],
"hip_api":[{"kind":1,"operation":1,"thread_id":70,"correlation_id":{"internal":41},
   "start_timestamp":9000000000000010,"end_timestamp":9000000000000020}],
"marker_api":[{"kind":3,"operation":0,"thread_id":70,"correlation_id":{"internal":90},
   "start_timestamp":9000000000000000,"end_timestamp":9000000000000030}],
"memory_copy":[{"kind":2,"operation":1,"thread_id":70,"correlation_id":{"internal":42},
   "start_timestamp":9000000000000400,"end_timestamp":9000000000000500,
   "dst_agent_id":{"handle":11},"src_agent_id":{"handle":10},"bytes":4096}]})text";

std::string Document(std::string_view first, std::string_view second) {
  return fmt::format(R"({{"rocprofiler-sdk-tool":[{{{},{}}}]}})", first, second);
}

Result<RankTrace> Read(std::string_view text) {
  const auto source = OpenByteSource(text);
  return ReadTrace(*source, "out.json");
}

Row Find(const RankTrace& trace, EventKind kind) {
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] == kind) return row;
  }
  return kNoRow;
}

void ExpectWhole(const RankTrace& trace) {
  ASSERT_EQ(trace.row_count(), 4u);
  EXPECT_EQ(trace.meta.host_name, "box");
  EXPECT_EQ(trace.meta.rank, -1);
  EXPECT_FALSE(trace.meta.has_base);
  ASSERT_EQ(trace.meta.devices.size(), 1u);
  EXPECT_EQ(trace.meta.devices[0].id, 3);
  EXPECT_EQ(trace.meta.devices[0].name, "AMD Instinct MI300X");
  EXPECT_EQ(trace.meta.devices[0].sm_count, 304);
  EXPECT_EQ(trace.meta.devices[0].memory_bytes, 206141652992);
  EXPECT_EQ(trace.meta.devices[0].compute_major, -1);

  const Row kernel = Find(trace, EventKind::kKernel);
  ASSERT_NE(kernel, kNoRow);
  EXPECT_EQ(trace.name_of(kernel), "add()");
  EXPECT_EQ(trace.ts_ns[kernel], 9000000000000100);
  EXPECT_EQ(trace.dur_ns[kernel], 250);
  EXPECT_EQ(trace.track_of(kernel).first, 3);
  EXPECT_EQ(trace.track_of(kernel).second, 6);
  const KernelArgs& args = trace.kernels[trace.aux[kernel]];
  EXPECT_EQ(args.grid, (std::array<std::int32_t, 3>{4, 2, 1}));  // 1000 items in groups of 256
  EXPECT_EQ(args.block, (std::array<std::int32_t, 3>{256, 1, 1}));
  EXPECT_EQ(args.registers_per_thread, 32);
  EXPECT_EQ(args.shared_memory_bytes, 1024);
  EXPECT_EQ(args.occupancy_pct, -1);

  const Row call = trace.link[kernel];
  ASSERT_NE(call, kNoRow);
  EXPECT_EQ(trace.name_of(call), "hipLaunchKernel");
  EXPECT_EQ(trace.kind[call], EventKind::kRuntime);
  const Row range = trace.parent[call];
  ASSERT_NE(range, kNoRow);
  EXPECT_EQ(trace.name_of(range), "forward");
  EXPECT_EQ(trace.kind[range], EventKind::kUserAnnotation);

  const Row copy = Find(trace, EventKind::kMemcpy);
  EXPECT_EQ(trace.name_of(copy), "Memcpy HtoD");
  EXPECT_EQ(trace.copies[trace.aux[copy]].bytes, 4096);
  EXPECT_EQ(trace.copies[trace.aux[copy]].bandwidth_gb_per_s, -1);
  EXPECT_EQ(trace.track_of(copy).first, 3);
}

TEST(Rocprofv3, KernelsCopiesCallsAndRanges) {
  const auto trace = Read(Document(kNames, kRecords));
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ExpectWhole(*trace);
}

TEST(Rocprofv3, KeysInAnyOrder) {
  const auto trace = Read(Document(kRecords, kNames));
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ExpectWhole(*trace);
}

TEST(Rocprofv3, WhatIsMissingIsUnknown) {
  const auto trace = Read(R"({"rocprofiler-sdk-tool":[{"buffer_records":{"kernel_dispatch":[
      {"start_timestamp":5,"end_timestamp":3,"dispatch_info":{"queue_id":{"handle":2}}},
      {"start_timestamp":5},{"start_timestamp":5,"end_timestamp":9},
      {"start_timestamp":5000000000000000000,"end_timestamp":6000000000000000000,
       "dispatch_info":{}}]}}]})");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ASSERT_EQ(trace->row_count(), 1u);
  EXPECT_EQ(trace->dur_ns[0], kNoDuration);
  EXPECT_EQ(trace->name_of(0), "");
  EXPECT_EQ(trace->track_of(0).second, 2);
  EXPECT_EQ(trace->track_of(0).first, -1);
  EXPECT_EQ(trace->kernels[trace->aux[0]].grid[0], -1);
  EXPECT_EQ(trace->kernels[trace->aux[0]].registers_per_thread, -1);
  EXPECT_EQ(trace->meta.event_count, 4u);
  EXPECT_EQ(trace->meta.bad_event_count, 3u);
}

// Cut anywhere, it gives the records that are whole, or a sentence.
TEST(Rocprofv3, CutOff) {
  const std::string whole = Document(kNames, kRecords);
  std::uint64_t most = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto trace = Read(std::string_view(whole).substr(0, size));
    if (!trace.ok()) {
      EXPECT_THAT(std::string(trace.status().message()), HasSubstr("out.json: "));
      continue;
    }
    ASSERT_FALSE(trace->meta.quality.empty());
    EXPECT_GE(trace->meta.event_count, most);
    most = trace->meta.event_count;
  }
  EXPECT_EQ(most, 4u);
}

TEST(Rocprofv3, IsToldByItsFirstKey) {
  EXPECT_TRUE(IsTrace("{\n \"rocprofiler-sdk-tool\": ["));
  EXPECT_FALSE(IsTrace("{\"traceEvents\":[{\"name\":\"rocprofiler-sdk-tool\"}]"));
  EXPECT_FALSE(IsTrace(""));
}

}  // namespace
}  // namespace rankscope::rocprofv3
