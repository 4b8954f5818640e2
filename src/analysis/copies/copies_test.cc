// copies, memsets, copy_bandwidth and annotations, by hand.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "analysis/copies/analyses.h"
#include "analysis/copies/copy_direction.h"
#include "analysis/host/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

TEST(DirectionOf, AsNamesSay) {
  const auto of = [](std::string_view name) {
    const auto [direction, memory] = DirectionOf(name);
    return std::string(direction) + "|" + std::string(memory);
  };
  EXPECT_EQ(of("Memcpy HtoD (Pageable -> Device)"), "HtoD|Pageable -> Device");
  EXPECT_EQ(of("Memcpy DtoD (Device -> Device)"), "DtoD|Device -> Device");
  EXPECT_EQ(of("Memcpy PtoP"), "PtoP|");
  EXPECT_EQ(of("CopyDeviceToHost"), "DtoH|");
  EXPECT_EQ(of("dma_request"), "unknown|");
  EXPECT_EQ(of("Memcpy "), "unknown|");
  EXPECT_EQ(of("Memcpy HtoD )("), "HtoD|");
}

// Two copies up at once, one without bytes, one down in step 2, two memsets.
JobForTest Moves() {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 1000)
                 .Step(2, 1000, 1000)
                 .Copy(7, 6000, 100, 200, kNoCorrelation, "Memcpy HtoD (Pinned -> Device)")
                 .Copy(8, 2000, 200, 200, kNoCorrelation, "Memcpy HtoD (Pinned -> Device)")
                 .Copy(7, -1, 500, 100, kNoCorrelation, "Memcpy HtoD (Pageable -> Device)")
                 .Copy(7, 500, 1100, 50, kNoCorrelation, "Memcpy DtoH (Device -> Pinned)")
                 .Memset(7, 256, 700, 10)
                 .Memset(7, -1, 710, 30)
                 .Build());
  return job;
}

TEST(Copies, ByHand) {
  // 8000 bytes in 400 ns of copying are 20 GB/s.
  EXPECT_EQ(Rows(Moves().Run(CopiesAnalysis()), {"step", "direction", "memory", "count", "bytes",
                                                 "total_ns", "busy_ns", "bandwidth_bytes_per_s"}),
            "1,HtoD,Pageable -> Device,1,,100,100,\n"
            "1,HtoD,Pinned -> Device,2,8000,400,300,20000000000\n"
            "2,DtoH,Device -> Pinned,1,500,50,50,10000000000\n");
}

TEST(Memsets, ByHand) {
  EXPECT_EQ(Rows(Moves().Run(MemsetsAnalysis()),
                 {"step", "count", "bytes", "total_ns", "busy_ns", "bandwidth_bytes_per_s"}),
            "1,2,256,40,40,25600000000\n");
}

TEST(CopyBandwidth, BytesAreSpreadOverTheTimeOfTheCopy) {
  // One bin of 2048 ns holds everything; with two of at least 525 ns (1050 / 2) they are 1024 wide.
  EXPECT_EQ(Rows(Moves().Run(CopyBandwidthAnalysis(), {{"bins", "1"}}),
                 {"rank", "direction", "start_ns", "duration_ns", "bytes", "busy_ns"}),
            ",DtoH,0,2048,500,50\n,HtoD,0,2048,8000,400\n,memset,0,2048,256,10\n");
  const Table fine = Moves().Run(CopyBandwidthAnalysis(), {{"bins", "512"}});
  double bytes = 0;
  std::int64_t busy = 0;
  for (std::size_t row = 0; row < fine.row_count(); ++row) {
    bytes += std::get<double>(Cell(fine, row, "bandwidth_bytes_per_s")) *
             static_cast<double>(IntCell(fine, row, "duration_ns")) / 1e9;
    busy += IntCell(fine, row, "busy_ns");
  }
  EXPECT_NEAR(bytes, 8756, 1e-6);
  EXPECT_EQ(busy, 460);
}

TEST(CopyBandwidth, RanksOfDifferentLengthMeetInTheSameBins) {
  JobForTest job;
  job.Add(0, TraceForTest().Step(1, 0, 100).Copy(7, 100, 0, 100).Build());
  job.Add(1, TraceForTest().Step(1, 0, 1'000'000).Copy(7, 1000, 999'000, 1000).Build());
  const Table table = job.Run(CopyBandwidthAnalysis(), {{"bins", "2"}});
  std::int64_t bytes = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    bytes += IntCell(table, row, "bytes");
    EXPECT_EQ(IntCell(table, row, "start_ns") % IntCell(table, row, "duration_ns"), 0);
  }
  EXPECT_EQ(bytes, 1100);
  EXPECT_LE(table.row_count(), 3U);  // two bins, and one more where the first begins inside a bin
  EXPECT_EQ(
      Rows(job.Run(CopyBandwidthAnalysis(), {{"bins", "1"}, {"per_rank", "1"}}), {"rank", "bytes"}),
      "0,100\n1,1000\n");
}

// On the thread: outer [100, 500) holds inner [200, 300); a launch in each, and one behind both. On
// the stream "outer" spans [150, 400) and holds the first kernel.
JobForTest Annotated() {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 1000)
                 .Host(1, EventKind::kUserAnnotation, "outer", 100, 400)
                 .Host(1, EventKind::kUserAnnotation, "inner", 200, 100)
                 .Launch(1, 150, 10)
                 .Launch(2, 250, 10)
                 .Launch(3, 600, 10)
                 .Kernel(7, "a", 160, 200, 1)
                 .Kernel(8, "b", 300, 300, 2)
                 .Kernel(7, "c", 620, 50, 3)
                 .DeviceAnnotation(7, "outer", 150, 250)
                 .Build());
  return job;
}

TEST(Annotations, ByHand) {
  // a and b together: [160, 600).
  EXPECT_EQ(
      Rows(Annotated().Run(AnnotationsAnalysis()), {"step", "side", "name", "count", "total_ns",
                                                    "self_ns", "min_ns", "works", "device_ns"}),
      "1,device,outer,1,250,250,250,1,200\n"
      "1,host,inner,1,100,100,100,1,300\n"
      "1,host,outer,1,400,300,400,2,440\n");
}

TEST(Annotations, NamesBeyondTheLimitBecomeOne) {
  EXPECT_EQ(Rows(Annotated().Run(AnnotationsAnalysis(), {{"names", "1"}}),
                 {"side", "name", "count", "total_ns", "works", "device_ns"}),
            "device,outer,1,250,1,200\n"
            "host,(others),1,100,1,300\n"
            "host,outer,1,400,2,440\n");
}

TEST(Annotations, OneNameInsideItselfCountsItsWorkOnce) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 1000)
                 .Host(1, EventKind::kUserAnnotation, "x", 100, 400)
                 .Host(1, EventKind::kUserAnnotation, "x", 200, 100)
                 .Launch(1, 250, 10)
                 .Kernel(7, "a", 260, 40, 1)
                 .Build());
  EXPECT_EQ(
      Rows(job.Run(AnnotationsAnalysis()), {"count", "total_ns", "self_ns", "works", "device_ns"}),
      "2,500,400,1,40\n");
}

// Found by fuzz_damaged_cache: durations of a century each, one in the other.
TEST(Annotations, SumsStopAtTheLargestNumber) {
  TraceForTest trace;
  for (int i = 0; i < 3; ++i) trace.Host(1, EventKind::kUserAnnotation, "epoch", 0, kMaxTimeNs - 1);
  JobForTest job;
  job.Add(0, trace.Build());
  EXPECT_EQ(Rows(job.Run(AnnotationsAnalysis()), {"count", "total_ns", "max_ns"}),
            fmt::format("3,{},{}\n", INT64_MAX, kMaxTimeNs - 1));
}

}  // namespace
}  // namespace rankscope
