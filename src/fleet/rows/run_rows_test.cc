#include "fleet/rows/run_rows.h"

#include <gtest/gtest.h>

#include <set>

#include "fleet/rows/rollup.h"
#include "schemas/captures.h"
#include "schemas/device.h"
#include "schemas/findings.h"
#include "schemas/kernels.h"
#include "schemas/roofline.h"
#include "statistics/duration_buckets.h"

namespace rankscope::fleet {
namespace {

std::string SketchOf(std::int64_t ns, std::int64_t count) {
  DurationBuckets buckets;
  buckets.Add(ns, count);
  return buckets.Encode();
}

// Two names of one family and a copy, on two ranks of one host; half an hour was recorded of 10.
class RunRows : public ::testing::Test {
 protected:
  RunRows() {
    const auto& of = SchemaOf<KernelSketches>();
    for (const auto& [name, ns, count] :
         {std::tuple("triton_poi_fused_add_1", 1000, 30), {"triton_poi_fused_add_2", 3000, 10}}) {
      const std::string sketch = SketchOf(ns, count);
      kernels_.Add({of.name = name, of.class_ = "elementwise", of.work = "compute",
                    of.ranks = std::int64_t{2}, of.count = std::int64_t{count},
                    of.total_ns = std::int64_t{ns} * count, of.min_ns = std::int64_t{ns},
                    of.max_ns = std::int64_t{ns}, of.sketch = sketch});
    }
    const auto& of_captures = SchemaOf<Captures>();
    const auto& of_use = SchemaOf<Utilisation>();
    for (const std::int64_t rank : {0, 1}) {
      captures_.Add({of_captures.rank = rank, of_captures.analysed = true,
                     of_captures.host = "node1", of_captures.device = "H100"});
      utilisation_.Add({of_use.rank = rank, of_use.duration_ns = std::int64_t{900'000'000'000},
                        of_use.busy_ns = std::int64_t{450'000'000'000}});
    }
    const auto& of_roof = SchemaOf<Roofline>();
    roofline_.Add(
        {of_roof.family = "elementwise", of_roof.bound = "memory", of_roof.device_ns = 95});
    roofline_.Add(
        {of_roof.family = "elementwise", of_roof.bound = "compute", of_roof.device_ns = 5});
    const auto& of_findings = SchemaOf<Findings>();
    findings_.Add({of_findings.id = "host-sync", of_findings.severity = "medium",
                   of_findings.gain_pct = 5.0, of_findings.gain_method = "replay"});
    run_ = {.id = "0123456789abcdef",
            .name = "job",
            .team = "a",
            .model = "m",
            .tags = {{"device_hours", "10"}, {"driver", "550"}},
            .world_size = 2,
            .added_s = 5,
            .content = "c",
            .origin_ns = 1'796'000'000'000'000'000,
            .kernel_sketches = &kernels_,
            .roofline = &roofline_,
            .captures = &captures_,
            .utilisation = &utilisation_,
            .findings = &findings_};
  }

  TableOf<KernelSketches> kernels_ = SchemaOf<KernelSketches>().NewTable("kernel_sketches");
  TableOf<Captures> captures_ = SchemaOf<Captures>().NewTable("captures");
  TableOf<Utilisation> utilisation_ = SchemaOf<Utilisation>().NewTable("utilisation");
  TableOf<Roofline> roofline_ = SchemaOf<Roofline>().NewTable("roofline");
  TableOf<Findings> findings_ = SchemaOf<Findings>().NewTable("findings");
  RunInput run_;
};

TEST_F(RunRows, OfARun) {
  FleetRows rows;
  ASSERT_TRUE(AddRun(run_, rows).ok());
  const auto& of_run = SchemaOf<FleetRun>();
  ASSERT_EQ(rows.runs.row_count(), 1);
  EXPECT_EQ(rows.runs.String(0, of_run.day), "2026-11-30");
  EXPECT_EQ(rows.runs.String(0, of_run.host), "node1");
  EXPECT_EQ(rows.runs.String(0, of_run.driver), "550");
  EXPECT_EQ(rows.runs.Int(0, of_run.ranks), 2);
  EXPECT_DOUBLE_EQ(rows.runs.Double(0, of_run.weight), 20);  // 10 h / 2 x 15 min
  EXPECT_TRUE(rows.runs.IsNull(0, of_run.steps));

  const auto& of = SchemaOf<KernelRun>();
  ASSERT_EQ(rows.kernels.row_count(), 1);
  EXPECT_EQ(rows.kernels.String(0, of.kernel_key), "triton_poi_fused_add_*");
  EXPECT_EQ(rows.kernels.String(0, of.bound), "memory");
  EXPECT_EQ(rows.kernels.Int(0, of.launches), 40);
  EXPECT_EQ(rows.kernels.Int(0, of.total_ns), 60'000);
  EXPECT_EQ(rows.kernels.Int(0, of.fleet_launches), 800);
  EXPECT_EQ(rows.kernels.Int(0, of.fleet_ms), 1);  // 1.2 ms
  EXPECT_NEAR(static_cast<double>(rows.kernels.Int(0, of.p50_ns)), 1000, 10);
  EXPECT_NEAR(static_cast<double>(rows.kernels.Int(0, of.p90_ns)), 3000, 30);

  const auto& of_finding = SchemaOf<FindingRun>();
  ASSERT_EQ(rows.findings.row_count(), 1);
  EXPECT_EQ(rows.findings.Int(0, of_finding.lost_ms), 1'800'000);  // half an hour
}

// Each size of a kernel has a row of its own.
TEST_F(RunRows, BySize) {
  const auto& from = SchemaOf<KernelSketches>();
  for (const char* size : {"8.6 GFLOP, 34 MB", "17 GFLOP, 67 MB"}) {
    const std::string sketch = SketchOf(2000, 1);
    kernels_.Add({from.name = "triton_poi_fused_add_3", from.class_ = "elementwise",
                  from.work = "compute", from.size = size, from.ranks = 2, from.count = 1,
                  from.total_ns = 2000, from.min_ns = 2000, from.max_ns = 2000,
                  from.sketch = sketch});
  }
  FleetRows rows;
  ASSERT_TRUE(AddRun(run_, rows).ok());
  const auto& of = SchemaOf<KernelRun>();
  ASSERT_EQ(rows.kernels.row_count(), 3);
  std::set<std::string> sizes;
  for (std::size_t row = 0; row < 3; ++row)
    sizes.insert(std::string(rows.kernels.TextOrEmpty(row, of.shape_bucket)));
  EXPECT_EQ(sizes, (std::set<std::string>{"", "17 GFLOP, 67 MB", "8.6 GFLOP, 34 MB"}));
}

// What only recording makes is lost in no run of the job: 10 h x 1 %.
TEST_F(RunRows, AFindingLosesWhatItGainsWithoutTheProfiler) {
  const auto& of = SchemaOf<Findings>();
  findings_ = of.NewTable("findings");
  findings_.Add({of.id = "host-work", of.severity = "low", of.gain_pct = 23.2,
                 of.gain_unprofiled_pct = 1.0, of.gain_method = "replay"});
  FleetRows rows;
  ASSERT_TRUE(AddRun(run_, rows).ok());
  EXPECT_EQ(rows.findings.Int(0, SchemaOf<FindingRun>().lost_ms), 360'000);
  EXPECT_EQ(rows.findings.Double(0, SchemaOf<FindingRun>().gain_pct), 1.0);
}

// A clock that counts from a boot, 12 days ago, says no day: that on which it was added is meant.
TEST_F(RunRows, AClockWithoutADateSaysNoDay) {
  run_.origin_ns = std::int64_t{12} * 86'400 * 1'000'000'000;
  run_.added_s = 1'796'000'000;
  FleetRows rows;
  ASSERT_TRUE(AddRun(run_, rows).ok());
  EXPECT_EQ(rows.runs.String(0, SchemaOf<FleetRun>().day), "2026-11-30");
}

TEST_F(RunRows, WhatIsNotKnownIsNull) {
  run_.tags.clear();
  run_.findings = run_.roofline = run_.utilisation = nullptr;
  run_.origin_ns.reset();
  FleetRows rows;
  ASSERT_TRUE(AddRun(run_, rows).ok());
  EXPECT_EQ(rows.runs.String(0, SchemaOf<FleetRun>().day), "1970-01-01");  // when it was added
  EXPECT_TRUE(rows.runs.IsNull(0, SchemaOf<FleetRun>().weight));
  EXPECT_TRUE(rows.runs.IsNull(0, SchemaOf<FleetRun>().traced_wall_ns));
  EXPECT_TRUE(rows.kernels.IsNull(0, SchemaOf<KernelRun>().fleet_ms));
  EXPECT_TRUE(rows.kernels.IsNull(0, SchemaOf<KernelRun>().bound));
  run_.tags = {{"device_hours", "many"}};
  FleetRows again;
  ASSERT_TRUE(AddRun(run_, again).ok());
  EXPECT_TRUE(again.runs.IsNull(0, SchemaOf<FleetRun>().device_ms));
}

// Reports of older versions have percentiles of names alone.
TEST_F(RunRows, WithoutSketches) {
  const auto& of_names = SchemaOf<KernelsByName>();
  auto names = of_names.NewTable("kernels_by_name");
  for (const char* name : {"triton_poi_fused_add_1", "triton_poi_fused_add_2", "gemm_64x64"}) {
    names.Add({of_names.name = name, of_names.class_ = "c", of_names.work = "compute",
               of_names.ranks = 1, of_names.count = 2, of_names.total_ns = 100,
               of_names.min_ns = 40, of_names.max_ns = 60, of_names.p50_ns = 40,
               of_names.p90_ns = 60, of_names.p99_ns = 60});
  }
  run_.kernel_sketches = nullptr;
  run_.kernels_by_name = &names;
  FleetRows rows;
  ASSERT_TRUE(AddRun(run_, rows).ok());
  const auto& of = SchemaOf<KernelRun>();
  ASSERT_EQ(rows.kernels.row_count(), 2);
  EXPECT_EQ(rows.kernels.String(0, of.kernel_key), "gemm_64x64");
  EXPECT_EQ(rows.kernels.Int(0, of.p50_ns), 40);
  EXPECT_TRUE(rows.kernels.IsNull(0, of.sketch));
  EXPECT_EQ(rows.kernels.Int(1, of.total_ns), 200);
  EXPECT_TRUE(rows.kernels.IsNull(1, of.p50_ns));
}

TEST_F(RunRows, ADayIsTheSumOfItsRuns) {
  FleetRows rows;
  ASSERT_TRUE(AddRun(run_, rows).ok());
  run_.id = "second";
  run_.tags.clear();
  ASSERT_TRUE(AddRun(run_, rows).ok());
  DayRollup rollup;
  ASSERT_TRUE(rollup.Add(rows.kernels).ok());
  const TableOf<KernelDay> day = rollup.Finish();
  const auto& of = SchemaOf<KernelDay>();
  ASSERT_EQ(day.row_count(), 1);
  EXPECT_EQ(day.Int(0, of.runs), 2);
  EXPECT_EQ(day.Int(0, of.total_ns), 120'000);
  EXPECT_EQ(day.Int(0, of.unweighted_ns), 60'000);
  EXPECT_EQ(day.Int(0, of.fleet_ms), 1);
  EXPECT_EQ(day.String(0, of.example_run), "0123456789abcdef");
  EXPECT_EQ(day.Int(0, of.runs_once), 2);
  DurationBuckets all;
  all.Add(1000, 60);
  all.Add(3000, 20);
  EXPECT_EQ(day.String(0, of.sketch), all.Encode());
}

// Two shapes of a kernel in one run are two rows of the day, and one run.
TEST_F(RunRows, ARunWithSeveralShapesOfAKernelCountsOnce) {
  const auto& of_runs = SchemaOf<KernelRun>();
  auto rows = of_runs.NewTable(std::string(KernelRun::kName));
  const auto add = [&](const char* run, const char* shape) {
    rows.Add({of_runs.run_id = run, of_runs.day = "2026-01-02", of_runs.kernel_key = "gemm",
              of_runs.kernel_class = "gemm", of_runs.work = "compute", of_runs.shape_bucket = shape,
              of_runs.launches = 1, of_runs.total_ns = 10});
  };
  add("a", "2 FLOP");
  add("a", "1 FLOP");
  add("b", "2 FLOP");
  DayRollup rollup;
  ASSERT_TRUE(rollup.Add(rows).ok());
  const TableOf<KernelDay> day = rollup.Finish();
  const auto& of = SchemaOf<KernelDay>();
  ASSERT_EQ(day.row_count(), 2);
  EXPECT_EQ(day.Int(0, of.runs), 1);
  EXPECT_EQ(day.Int(0, of.runs_once), 1);
  EXPECT_EQ(day.Int(1, of.runs), 2);
  EXPECT_EQ(day.Int(1, of.runs_once), 1);
}

}  // namespace
}  // namespace rankscope::fleet
