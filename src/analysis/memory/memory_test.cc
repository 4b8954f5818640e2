// memory_peaks, memory_growth, memory_over_time, memory_at_peak, memory_outliving and
// allocator_calls, by hand.
#include <gtest/gtest.h>

#include "analysis/memory/analyses.h"
#include "analysis/ranks/analyses.h"
#include "facts/memory_timeline.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

// An instant that states its totals.
MemoryArgs At(std::int64_t address, std::int64_t bytes, std::int64_t allocated,
              std::int64_t reserved = 4096) {
  return {
      .address = address, .bytes = bytes, .total_allocated = allocated, .total_reserved = reserved};
}
MemoryArgs OfHost(std::int64_t address, std::int64_t bytes, std::int64_t allocated) {
  MemoryArgs args = At(address, bytes, allocated, 0);
  args.device_type = 0;
  return args;
}
MemoryArgs WithoutTotals(std::int64_t address, std::int64_t bytes) {
  return {.address = address, .bytes = bytes};
}

// 1000 bytes are there before. Step 1 makes A (500) in aten::mm, B (300) on another thread, frees A
// and what was at address 9 before; step 2 makes C (100) without an op, frees B.
TraceForTest TwoStepsMemory() {
  TraceForTest trace;
  trace.Step(1, 0, 1000)
      .Step(2, 1000, 1000)
      .Host(1, EventKind::kCpuOp, "aten::linear", 100, 200)
      .Host(1, EventKind::kCpuOp, "aten::mm", 120, 100)
      .Memory(1, 150, At(1, 500, 1500))
      .Host(2, EventKind::kCpuOp, "aten::add", 300, 200)
      .Memory(2, 350, At(2, 300, 1800, 8192))
      .Memory(1, 600, At(1, -500, 1300, 8192))
      .Memory(1, 700, At(9, -200, 1100))
      .Memory(1, 1100, At(3, 100, 1200))
      .Memory(1, 1500, At(2, -300, 900));
  return trace;
}

const std::vector<std::string_view> kPeakColumns = {"device_type",
                                                    "device",
                                                    "step",
                                                    "begin_bytes",
                                                    "end_bytes",
                                                    "peak_bytes",
                                                    "peak_ts_ns",
                                                    "peak_reserved_bytes",
                                                    "allocations",
                                                    "frees",
                                                    "allocated_bytes",
                                                    "freed_bytes"};

TEST(MemoryPeaks, ByHand) {
  JobForTest job;
  job.Add(0, TwoStepsMemory().Build(1'000'000));
  // What step 1 leaves reserved is what step 2 begins with.
  EXPECT_EQ(Rows(job.Run(MemoryPeaksAnalysis()), kPeakColumns),
            "cuda,0,1,1000,1100,1800,350,8192,2,2,800,700\n"
            "cuda,0,2,1100,900,1200,1100,4096,1,1,100,300\n");
  EXPECT_EQ(Rows(job.Run(MemoryPeaksAnalysis(), {}, StepFilter({2})), {"step", "begin_bytes"}),
            "2,1100\n");
}

TEST(MemoryPeaks, NoInstantsNoRows) {
  JobForTest job;
  job.Add(0, TraceForTest().Step(1, 0, 1000).Kernel(7, "a", 0, 10).Build());
  EXPECT_EQ(job.Run(MemoryPeaksAnalysis()).row_count(), 0U);
  EXPECT_EQ(job.Run(MemoryGrowthAnalysis()).row_count(), 0U);
  EXPECT_EQ(job.Run(MemoryOverTimeAnalysis()).row_count(), 0U);
  EXPECT_EQ(job.Run(MemoryAtPeakAnalysis()).row_count(), 0U);
  EXPECT_EQ(job.Run(MemoryOutlivingAnalysis()).row_count(), 0U);
}

TEST(MemoryPeaks, HostAndDevicesApartAndAQuietStepKeepsItsLevel) {
  JobForTest job;
  MemoryArgs other = At(1, 64, 64, 64);
  other.device_type = 6;
  other.device = 3;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 100)
                 .Step(2, 100, 100)
                 .Memory(1, 10, OfHost(1, 8, 8))
                 .Memory(1, 20, other)
                 .Build());
  EXPECT_EQ(Rows(job.Run(MemoryPeaksAnalysis()), kPeakColumns),
            "cpu,,1,0,8,8,10,,1,0,8,0\n"
            "cpu,,2,8,8,8,100,,0,0,0,0\n"
            "hip,3,1,0,64,64,20,64,1,0,64,0\n"
            "hip,3,2,64,64,64,100,64,0,0,0,0\n");
}

TEST(MemoryPeaks, TotalsThatAreNotStated) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 100)
                 .Step(2, 100, 100)
                 .Memory(1, 10, WithoutTotals(1, 50))
                 .Memory(1, 110, At(2, 10, 500))
                 .Memory(1, 120, WithoutTotals(3, 40))
                 .Memory(1, 130, WithoutTotals(2, -10))
                 .Build());
  // Known from the first that is stated, then carried on by the bytes.
  EXPECT_EQ(Rows(job.Run(MemoryPeaksAnalysis()), kPeakColumns),
            "cuda,0,1,,,,,,1,0,50,0\n"
            "cuda,0,2,,530,540,120,4096,2,1,50,10\n");
}

TEST(MemoryPeaks, AbsurdNumbers) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 100)
                 .Memory(1, 10, At(1, INT64_MIN, 5))
                 .Memory(1, 20, At(1, INT64_MAX, INT64_MAX))
                 .Memory(1, 30, WithoutTotals(2, INT64_MAX))
                 .Memory(1, 40, WithoutTotals(3, INT64_MIN))
                 .Memory(1, 50, At(-7, 16, -9, INT64_MIN))
                 .Build());
  EXPECT_EQ(Rows(job.Run(MemoryPeaksAnalysis()), kPeakColumns),
            "cuda,0,1,,," + std::to_string(INT64_MAX) + ",20,4096,3,2," +
                std::to_string(INT64_MAX) + "," + std::to_string(INT64_MAX) + "\n");
}

// A recording is as long as its events with an extent; instants may lie before and behind.
TEST(MemoryPeaks, InstantsBesideTheRecording) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 100, 100)
                 .Memory(1, 50, At(1, 8, 8))
                 .Memory(1, 60, At(1, -8, 0))
                 .Memory(1, 200, At(2, 4, 4))
                 .Build());
  EXPECT_EQ(Rows(job.Run(MemoryPeaksAnalysis()), kPeakColumns),
            "cuda,0,1,0,4,8,-50,4096,2,1,12,8\n");
}

TEST(MemoryTimeline, ReusedAddressesLostFreesAndUnknownOnes) {
  const RankTrace trace = TraceForTest()
                              .Step(1, 0, 100)
                              .Memory(1, 10, At(1, 8, 8))    // 0: ended by 2, its free was lost
                              .Memory(1, 20, At(5, -8, 0))   // of memory that is older
                              .Memory(1, 30, At(1, 16, 16))  // 2: ended by 3, of another size
                              .Memory(1, 40, At(1, -4, 12))
                              .Memory(1, 50, At(1, 8, 20))  // 4: the address again
                              .Memory(1, 60, At(0, 8, 28))  // no address
                              .Memory(1, 70, At(0, -8, 20))
                              .Memory(1, 80, At(1, 0, 20))  // says nothing
                              .Build();
  const std::vector<MemoryDevice> devices = MemoryDevicesOf(trace);
  ASSERT_EQ(devices.size(), 1U);
  const std::vector<Allocation>& allocations = devices[0].allocations;
  ASSERT_EQ(allocations.size(), 3U);
  EXPECT_EQ(allocations[0].begin, 0U);
  EXPECT_EQ(allocations[0].end, 2U);
  EXPECT_EQ(allocations[1].begin, 2U);
  EXPECT_EQ(allocations[1].end, 3U);
  EXPECT_EQ(allocations[2].begin, 4U);
  EXPECT_EQ(allocations[2].end, Allocation::kNever);
  EXPECT_FALSE(allocations[1].IsLiveAfter(2));
  EXPECT_TRUE(allocations[1].IsLiveAfter(3));
  EXPECT_FALSE(allocations[1].IsLiveAfter(4));
}

TEST(MemoryTimeline, ThreadsMakeOneLineInTheOrderOfTheFile) {
  const RankTrace trace = TraceForTest()
                              .Step(1, 0, 100)
                              .Memory(2, 10, At(1, 8, 8))
                              .Memory(1, 10, At(1, -8, 0))
                              .Memory(2, 5, At(2, 1, 1))
                              .Build();
  const MemoryDevice device = MemoryDevicesOf(trace).at(0);
  EXPECT_EQ(device.events.at(0).t, 5);
  EXPECT_EQ(device.events.at(1).bytes, 8);
  EXPECT_EQ(device.events.at(2).bytes, -8);
}

TEST(MemoryTimeline, DamagedDeviceIdsAreBounded) {
  TraceForTest trace;
  trace.Step(1, 0, 100);
  for (std::int32_t device = 0; device < 1000; ++device) {
    MemoryArgs args = At(1, 8, 8);
    args.device = device;
    trace.Memory(1, 10, args);
  }
  const std::vector<MemoryDevice> devices = MemoryDevicesOf(trace.Build());
  EXPECT_EQ(devices.size(), 64U);
  EXPECT_EQ(devices.back().id, 63);
}

TEST(RankMetrics, ThePeakIsThatOfDevicesAndNotOfTheHost) {
  JobForTest job;
  job.Add(0, TwoStepsMemory().Build());
  job.Add(1, TraceForTest()
                 .Step(1, 0, 100)
                 .Memory(1, 10, At(1, 5, 2000))
                 .Memory(1, 20, OfHost(1, 5000, 5000))
                 .Build());
  const Table metrics = job.Run(RankMetricsAnalysis());
  std::string peaks;
  for (std::size_t row = 0; row < metrics.row_count(); ++row) {
    if (std::get<std::string_view>(Cell(metrics, row, "metric")) != "memory_peak") continue;
    peaks += fmt::format("{} ", std::get<double>(Cell(metrics, row, "value")));
  }
  EXPECT_EQ(peaks, "1800 2000 ");
}

TEST(MemoryGrowth, ByHand) {
  JobForTest job;
  TraceForTest leaking;
  TraceForTest steady;
  for (std::int64_t step = 0; step < 6; ++step) {
    leaking.Step(10 + step, 100 * step, 100);
    steady.Step(10 + step, 100 * step, 100);
    // One step leaves 1000 more, and 1000 less behind it.
    const std::int64_t odd = step == 3 ? 1000 : 0;
    leaking.Memory(1, 100 * step + 50, At(step + 1, 64, 1000 + 64 * step + odd));
    steady.Memory(1, 100 * step + 20, At(1, 64, 1064));
    steady.Memory(1, 100 * step + 50, At(1, -64, 1000));
  }
  leaking.Kernel(7, "k", 0, 600);
  steady.Kernel(7, "k", 0, 600);
  job.Add(0, leaking.Build());
  job.Add(1, steady.Build());
  // Of the pairs of levels 0 64 128 1192 256 320 all rise but 1192-256 and 1192-320: S = 13 - 2. Of
  // 720 orders 1 + 5 + 14 have at most 2 falls, and as many at most 2 rises. Of the 15 slopes 10
  // are 64.
  EXPECT_EQ(Rows(job.Run(MemoryGrowthAnalysis()),
                 {"rank", "device_type", "device", "steps", "first_end_bytes", "last_end_bytes",
                  "growth_bytes", "bytes_per_step", "p_value"}),
            "0,cuda,0,6,1000,1320,320,64,0.05555555555555555\n"
            "1,cuda,0,6,1000,1000,0,0,1\n");
}

TEST(MemoryGrowth, CapacityAsTheTraceStatesIt) {
  struct Stated {
    std::int64_t id;
    std::string_view name;
    std::int64_t bytes;
  };
  const auto capacity_with = [](const std::vector<Stated>& devices) {
    TraceForTest trace;
    for (const Stated& device : devices) trace.DeviceName(device.id, device.name, device.bytes);
    trace.Step(1, 0, 100).Memory(1, 50, At(1, 64, 1000)).Memory(1, 60, OfHost(1, 8, 8));
    JobForTest job;
    job.Add(0, trace.Build());
    return Rows(job.Run(MemoryGrowthAnalysis()), {"device_type", "capacity_bytes"});
  };
  EXPECT_EQ(capacity_with({}), "cpu,\ncuda,\n");
  EXPECT_EQ(capacity_with({{0, "A", -1}}), "cpu,\ncuda,\n");
  EXPECT_EQ(capacity_with({{0, "A", 80}, {1, "B", 40}}), "cpu,\ncuda,80\n");
  EXPECT_EQ(capacity_with({{2, "A", 80}, {3, "A", 80}}), "cpu,\ncuda,80\n")
      << "not listed, but all are alike";
  EXPECT_EQ(capacity_with({{2, "A", 80}, {3, "B", 40}}), "cpu,\ncuda,\n");
}

TEST(MemoryGrowth, TooFewSteps) {
  const auto grown = [](std::int64_t steps) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < steps; ++step)
      trace.Step(step, 100 * step, 100).Memory(1, 100 * step, At(step + 1, 10, 10 * step + 10));
    JobForTest job;
    job.Add(0, trace.Build());
    return Rows(job.Run(MemoryGrowthAnalysis()),
                {"steps", "growth_bytes", "bytes_per_step", "p_value"});
  };
  EXPECT_EQ(grown(1), "1,0,,\n");
  EXPECT_EQ(grown(2), "2,10,,\n");
  EXPECT_EQ(grown(3), "3,20,10,\n");
  EXPECT_EQ(grown(4), "4,30,10,0.08333333333333333\n");
}

TEST(MemoryGrowth, ManyStepsAreThinned) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 2500; ++step)
    trace.Step(step, 10 * step, 10).Memory(1, 10 * step, At(step + 1, 7, 7 * step + 7));
  JobForTest job;
  job.Add(0, trace.Build());
  EXPECT_EQ(
      Rows(job.Run(MemoryGrowthAnalysis()), {"steps", "growth_bytes", "bytes_per_step", "p_value"}),
      "2500,17493,7,0\n");
}

TEST(MemoryOverTime, EveryChange) {
  JobForTest job;
  job.Add(0, TwoStepsMemory().Memory(1, 1500, At(3, -100, 800)).Build());
  EXPECT_EQ(Rows(job.Run(MemoryOverTimeAnalysis()), {"ts_ns", "allocated_bytes", "reserved_bytes"}),
            "150,1500,4096\n350,1800,8192\n600,1300,8192\n700,1100,4096\n1100,1200,4096\n"
            "1500,800,4096\n");
  EXPECT_EQ(Rows(job.Run(MemoryOverTimeAnalysis(), {}, StepFilter({2})), {"ts_ns"}),
            "1100\n1500\n");
}

TEST(MemoryOverTime, Binned) {
  JobForTest job;
  job.Add(0, TwoStepsMemory().Build());
  const auto binned = [&](std::string_view bins) {
    return Rows(job.Run(MemoryOverTimeAnalysis(), {{"bins", std::string(bins)}}),
                {"ts_ns", "allocated_bytes", "reserved_bytes"});
  };
  EXPECT_EQ(binned("1"), "150,1800,8192\n");
  // [150, 826), [826, 1502): 1100 are left at 826.
  EXPECT_EQ(binned("2"), "150,1800,8192\n826,1200,4096\n");
  // 10 parts of 136: the level at a part's begin counts in it, parts without a change are no rows.
  EXPECT_EQ(binned("10"),
            "150,1500,4096\n286,1800,8192\n694,1300,8192\n830,1100,4096\n966,1200,4096\n");
}

// Three ranks; the second has a device of another type, the first and the third are equally high.
JobForTest ThreeRanks() {
  MemoryArgs hip = At(1, 64, 9000);
  hip.device_type = 6;
  JobForTest job;
  job.Add(0, TraceForTest().Step(1, 0, 100).Memory(1, 10, At(1, 500, 500)).Build());
  job.Add(1, TraceForTest()
                 .Step(1, 0, 100)
                 .Memory(1, 10, At(1, 400, 400))
                 .Memory(1, 20, At(2, 50, 450))
                 .Memory(1, 30, hip)
                 .Memory(1, 40, OfHost(7, 5, 5))
                 .Build());
  job.Add(2, TraceForTest().Step(1, 0, 100).Memory(1, 10, At(1, 500, 500)).Build());
  return job;
}

TEST(MemoryOverTime, OnlyTheHighestDevices) {
  const JobForTest job = ThreeRanks();
  const std::vector<std::string_view> columns = {"rank", "device_type", "allocated_bytes"};
  const auto of = [&](std::string_view devices) {
    return Rows(job.Run(MemoryOverTimeAnalysis(), {{"devices", std::string(devices)}}), columns);
  };
  EXPECT_EQ(of("1"), "0,cuda,500\n1,cpu,5\n1,hip,9000\n");
  EXPECT_EQ(of("2"), "0,cuda,500\n1,cpu,5\n1,hip,9000\n2,cuda,500\n");
  EXPECT_EQ(of("3"), of("0"));
}

TEST(MemoryAtPeak, OnlyTheHighestDevices) {
  const JobForTest job = ThreeRanks();
  const auto of = [&](std::string_view devices) {
    return Rows(job.Run(MemoryAtPeakAnalysis(), {{"devices", std::string(devices)}}),
                {"rank", "device_type", "bytes"});
  };
  EXPECT_EQ(of("1"), "0,cuda,500\n1,cpu,5\n1,hip,8936\n1,hip,64\n");
  EXPECT_EQ(of("3"), of("0"));
  EXPECT_EQ(of("0"), "0,cuda,500\n1,cpu,5\n1,cuda,450\n1,hip,8936\n1,hip,64\n2,cuda,500\n");
}

TEST(MemoryAtPeak, ByHand) {
  JobForTest job;
  job.Add(0, TwoStepsMemory().Build());
  // At 350: A and B, and 1000 from before.
  EXPECT_EQ(Rows(job.Run(MemoryAtPeakAnalysis()),
                 {"peak_ts_ns", "op", "annotation", "module", "stack", "count", "bytes"}),
            "350,(before the recording),,,,,1000\n"
            "350,aten::mm,,,,1,500\n"
            "350,aten::add,,,,1,300\n");
  // In step 2: B and C at 1100.
  EXPECT_EQ(Rows(job.Run(MemoryAtPeakAnalysis(), {}, StepFilter({2})), {"op", "count", "bytes"}),
            "(before the recording),,800\naten::add,1,300\n,1,100\n");
  EXPECT_EQ(Rows(job.Run(MemoryAtPeakAnalysis(), {{"groups", "1"}}), {"op", "count", "bytes"}),
            "(before the recording),,1000\naten::mm,1,500\n(others),1,300\n");
}

TEST(MemoryAtPeak, WhatWasOpenOnTheThread) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 1000)
                 .Host(1, EventKind::kPythonFunction, "train.py(1): main", 10, 900)
                 .Host(1, EventKind::kUserAnnotation, "forward", 20, 800)
                 .Host(1, EventKind::kPythonFunction, "nn.Module: Net_0", 30, 700)
                 .Host(1, EventKind::kPythonFunction, "net.py(7): forward", 40, 600)
                 .Host(1, EventKind::kCpuOp, "aten::relu", 50, 100)
                 .Host(1, EventKind::kRuntime, "cudaMalloc", 55, 10)
                 .Memory(1, 60, At(1, 10, 10))
                 .Memory(1, 70, At(2, 10, 20))
                 .Memory(1, 860, At(3, 5, 25))
                 .Build());
  const std::vector<std::string_view> columns = {"op",    "annotation", "module",   "stack",
                                                 "count", "bytes",      "share_pct"};
  EXPECT_EQ(Rows(job.Run(MemoryAtPeakAnalysis(), {{"frames", "2"}}), columns),
            "aten::relu,forward,nn.Module: Net_0,net.py(7): forward < nn.Module: Net_0,2,20,80\n"
            ",,,train.py(1): main,1,5,20\n");
  EXPECT_EQ(Rows(job.Run(MemoryAtPeakAnalysis(), {{"frames", "0"}}), columns),
            "aten::relu,forward,nn.Module: Net_0,,2,20,80\n,,,,1,5,20\n");
}

TEST(MemoryOutliving, ByHand) {
  JobForTest job;
  job.Add(0, TwoStepsMemory()
                 .Memory(1, 1600, At(4, 7, 907))
                 .Memory(1, 1700, At(4, -7, 900))
                 .Kernel(7, "k", 0, 2100)
                 .Build());
  // B outlives step 1 and is freed in step 2; C is kept.
  EXPECT_EQ(
      Rows(job.Run(MemoryOutlivingAnalysis()),
           {"device_type", "device", "step", "op", "count", "bytes", "kept_count", "kept_bytes"}),
      "cuda,0,1,aten::add,1,300,0,0\n"
      "cuda,0,2,,1,100,1,100\n");
  EXPECT_EQ(Rows(job.Run(MemoryOutlivingAnalysis(), {}, StepFilter({2})), {"step", "count"}),
            "2,1\n");
}

TEST(AllocatorCalls, ByHand) {
  JobForTest job;
  // The device works in [100, 400) and [1300, 1500): the second cudaMalloc runs 100 while it works
  // and 100 while it does not, as does cudaFree, for 50, on another thread at the same time.
  job.Add(0, TraceForTest()
                 .Step(1, 0, 1000)
                 .Step(2, 1000, 1000)
                 .Host(1, EventKind::kRuntime, "cudaMalloc", 200, 100)
                 .Host(1, EventKind::kRuntime, "cudaMalloc", 1400, 200)
                 .Host(2, EventKind::kRuntime, "cudaMalloc", 1450, 100)
                 .Host(2, EventKind::kRuntime, "cudaFree", 1600, 50)
                 .Host(2, EventKind::kRuntime, "cudaMemcpyAsync", 1700, 50)
                 .Host(2, EventKind::kCpuOp, "cudaMalloc", 1800, 50)
                 .Kernel(7, "a", 100, 300)
                 .Kernel(7, "b", 1300, 200)
                 .Kernel(7, "c", 1990, 10)
                 .Build());
  EXPECT_EQ(Rows(job.Run(AllocatorCallsAnalysis()), {"step", "steady", "call", "action", "count",
                                                     "total_ns", "mean_ns", "max_ns", "idle_ns"}),
            "1,false,cudaMalloc,allocate,1,100,100,100,0\n"
            "2,true,cudaFree,free,1,50,50,50,50\n"
            "2,true,cudaMalloc,allocate,2,300,150,200,100\n");
}

TEST(AllocatorCalls, NamesOfAllVendors) {
  const auto action = [](std::string_view name) {
    JobForTest job;
    job.Add(0, TraceForTest().Host(1, EventKind::kRuntime, name, 0, 10).Build());
    return Rows(job.Run(AllocatorCallsAnalysis()), {"action", "idle_ns"});
  };
  for (const std::string_view name :
       {"cudaMalloc", "cudaMalloc_v3020", "cudaMallocAsync", "cudaMallocFromPoolAsync",
        "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cuMemAlloc_v2", "cuMemAllocAsync",
        "cuMemCreate", "cuMemHostAlloc", "hipMalloc", "hipExtMallocWithFlags", "hipHostMalloc",
        "hipMemAllocHost", "zeMemAllocDevice", "urUSMDeviceAlloc"})
    EXPECT_EQ(action(name), "allocate,\n") << name;
  for (const std::string_view name :
       {"cudaFree", "cudaFreeAsync", "cudaFreeHost", "cuMemFree_v2", "cuMemFreeHost",
        "cuMemRelease", "hipFree", "hipHostFree", "hipFreeAsync", "zeMemFree", "urUSMFree"})
    EXPECT_EQ(action(name), "free,\n") << name;
  for (const std::string_view name :
       {"cuMemMap", "cuMemUnmap", "cuMemSetAccess", "cuMemAddressReserve", "hipMemAddressFree"})
    EXPECT_EQ(action(name), "map,\n") << name;
  for (const std::string_view name : {"cudaHostRegister", "cuMemHostUnregister"})
    EXPECT_EQ(action(name), "pin,\n") << name;
  for (const std::string_view name :
       {"cudaMemcpyAsync", "cuMemcpyHtoDAsync_v2", "cudaMemsetAsync", "cuMemsetD32Async",
        "cudaMemGetInfo", "cudaMemPrefetchAsync", "hipMemPtrGetInfo", "cudaLaunchKernel",
        "cudaPointerGetAttributes", "malloc", "zeMemGetAllocProperties", ""})
    EXPECT_EQ(action(name), "") << name;
}

}  // namespace
}  // namespace rankscope
