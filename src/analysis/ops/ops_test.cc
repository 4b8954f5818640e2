#include "analysis/ops/analyses.h"

#include <gtest/gtest.h>

#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr EventKind kOpsOp = EventKind::kCpuOp;

// linear |0----------100|, addmm |10------60| launches gemm (30 ns) and bias (4 ns) at 20 and 40;
// linear itself launches add (6 ns) at 80. A copy has no call, memset's call lies in no op.
TraceForTest LinearOps() {
  TraceForTest trace;
  trace.Host(1, kOpsOp, "aten::linear", 0, 100).Host(1, kOpsOp, "aten::addmm", 10, 50);
  trace.Launch(1, 20, 5).Launch(2, 40, 5).Launch(3, 80, 5).Launch(4, 200, 5);
  trace.Kernel(7, "gemm", 30, 30, 1).Kernel(7, "bias", 70, 4, 2).Kernel(7, "add", 90, 6, 3);
  trace.Memset(7, 8, 210, 7, 4).Copy(7, 8, 300, 3);
  return trace;
}

TEST(Ops, WorkBelongsToTheInnermostOpAndCountsWithThoseAround) {
  const Table table = JobForTest().Add(0, LinearOps().Build()).Run(OpsAnalysis());
  EXPECT_EQ(Rows(table, {"name", "ranks", "count", "host_total_ns", "host_self_ns",
                         "device_total_ns", "device_self_ns", "share_pct", "kernels"}),
            "aten::addmm,1,1,50,50,34,34,68,2\n"
            "(no op),1,0,,,10,10,20,2\n"
            "aten::linear,1,1,100,50,40,6,12,1\n");
  EXPECT_EQ(Rows(table, {"mean_ns", "p50_ns", "p99_ns", "max_ns", "slowest_rank"}),
            "50,50,50,50,0\n,,,,\n100,100,100,100,0\n");
}

TEST(Ops, KernelsOfAGraphBelongToTheOpAroundItsLaunch) {
  TraceForTest trace;
  trace.Host(1, kOpsOp, "replay", 0, 50).Host(1, EventKind::kRuntime, "cudaGraphLaunch", 10, 20, 9);
  for (std::int64_t i = 0; i < 5; ++i) trace.Kernel(7 + i % 2, "k", 100 + 10 * i, 8, 9);
  EXPECT_EQ(Rows(JobForTest().Add(0, trace.Build()).Run(OpsAnalysis()),
                 {"name", "device_self_ns", "kernels"}),
            "replay,40,5\n");
}

// An op in itself: host and device totals count the outer one, count and self times all.
TEST(Ops, AnOpInsideItselfCountsItsTotalOnce) {
  TraceForTest trace;
  trace.Host(1, kOpsOp, "aten::add", 0, 100).Host(1, kOpsOp, "other", 10, 60);
  trace.Host(1, kOpsOp, "aten::add", 20, 30).Launch(1, 30, 5).Kernel(7, "k", 200, 11, 1);
  const Table table = JobForTest().Add(0, trace.Build()).Run(OpsAnalysis());
  EXPECT_EQ(Rows(table, {"name", "count", "host_total_ns", "host_self_ns", "mean_ns",
                         "device_total_ns", "device_self_ns"}),
            "aten::add,2,100,70,65,11,11\n"
            "other,1,60,30,60,11,0\n");
}

// mm and its backward op on autograd's thread, joined by the sequence number.
TEST(Ops, BackwardWorkIsAlsoCreditedToTheForwardOp) {
  TraceForTest trace;
  trace.Host(1, kOpsOp, "outer", 0, 100).Sequenced(1, "aten::mm", 10, 20, 5, 0);
  trace.Launch(1, 15, 2).Kernel(7, "fwd", 40, 10, 1);
  trace.Sequenced(2, "MmBackward0", 200, 50, 5, 1).Host(2, kOpsOp, "aten::mm", 205, 40);
  trace.Launch(2, 210, 2, 2).Kernel(7, "bwd", 220, 25, 2);
  const Table table = JobForTest().Add(0, trace.Build()).Run(OpsAnalysis());
  EXPECT_EQ(Rows(table, {"name", "count", "device_total_ns", "device_self_ns", "backward_ns"}),
            "aten::mm,2,35,35,25\n"
            "outer,1,10,0,25\n"
            "MmBackward0,1,25,0,0\n");
}

TEST(Ops, RanksAreMergedAndTheSlowestNamed) {
  TraceForTest slow;
  slow.Host(1, kOpsOp, "aten::addmm", 0, 70);
  const Table table = JobForTest()
                          .Add(0, LinearOps().Build())
                          .Add(3, slow.Build(1'000))
                          .Add(2, LinearOps().Build(5))
                          .Run(OpsAnalysis());
  EXPECT_EQ(Rows(table, {"name", "ranks", "count", "host_total_ns", "device_self_ns", "share_pct",
                         "slowest_rank", "slowest_mean_ns"}),
            "aten::addmm,3,3,170,68,68,3,70\n"
            "(no op),2,0,,20,20,,\n"
            "aten::linear,2,2,200,12,12,0,100\n");
}

TEST(Ops, NamesBeyondTheLimitAreOneRow) {
  TraceForTest trace = LinearOps();
  trace.Host(1, kOpsOp, "big", 400, 90)
      .Host(1, kOpsOp, "small", 500, 10)
      .Host(1, kOpsOp, "tiny", 501, 5);
  const JobForTest job = std::move(JobForTest().Add(0, trace.Build()));
  EXPECT_EQ(Rows(job.Run(OpsAnalysis(), {{"names", "2"}}),
                 {"name", "count", "host_total_ns", "host_self_ns", "device_self_ns"}),
            "aten::addmm,1,50,50,34\n"
            "(no op),0,,,10\n"
            "aten::linear,1,100,50,6\n"
            "(others),3,100,100,0\n");
  EXPECT_EQ(Rows(job.Run(OpsAnalysis(), {{"names", "0"}}), {"name", "count", "device_self_ns"}),
            "(others),5,40\n(no op),0,10\n");
  EXPECT_EQ(Rows(job.Run(OpsAnalysis(), {{"top", "1"}}), {"name"}), "aten::addmm\n");
}

TEST(Ops, WorkCountsInTheStepThatLaunchedIt) {
  TraceForTest trace;
  trace.Step(1, 0, 100).Step(2, 100, 100);
  trace.Host(1, kOpsOp, "a", 10, 20).Launch(1, 15, 2).Kernel(7, "k", 110, 9, 1);
  trace.Host(1, kOpsOp, "a", 120, 30).Launch(2, 125, 2).Kernel(7, "k", 150, 8, 2);
  const JobForTest job = std::move(JobForTest().Add(0, trace.Build()));
  const std::vector<std::string_view> columns = {"name",    "count",          "host_self_ns",
                                                 "kernels", "device_self_ns", "device_total_ns"};
  EXPECT_EQ(Rows(job.Run(OpsAnalysis()), columns), "a,2,50,2,17,17\n");
  EXPECT_EQ(Rows(job.Run(OpsAnalysis(), {}, std::set<std::int64_t>{1}), columns), "a,1,20,1,9,9\n");
  EXPECT_EQ(Rows(job.Run(OpsAnalysis(), {}, std::set<std::int64_t>{2}), columns), "a,1,30,1,8,8\n");
}

TEST(Ops, ATraceWithoutOpsAndWorkHasNoRows) {
  TraceForTest trace;
  trace.Host(1, EventKind::kUserAnnotation, "mark", 0, 10);
  EXPECT_EQ(JobForTest().Add(0, trace.Build()).Run(OpsAnalysis()).row_count(), 0U);
}

TEST(OpsByShape, InputsTellCallsApart) {
  TraceForTest trace;
  trace.Op(1, "mm", 0, 10, "[[2,2]]").Launch(1, 5, 1).Kernel(7, "k", 20, 4, 1);
  trace.Op(1, "mm", 30, 10, "[[8,8]]").Launch(2, 35, 1).Kernel(7, "k", 50, 16, 2);
  trace.Op(1, "mm", 60, 20, "[[8,8]]").Host(1, kOpsOp, "mm", 90, 5);
  trace.Launch(3, 200, 1).Kernel(7, "k", 210, 1, 3);
  EXPECT_EQ(Rows(JobForTest().Add(0, trace.Build()).Run(OpsByShapeAnalysis()),
                 {"name", "shapes", "dtypes", "count", "host_total_ns", "device_self_ns"}),
            "mm,[[8,8]],,2,30,16\n"
            "mm,[[2,2]],,1,10,4\n"
            "(no op),,,0,,1\n"
            "mm,,,1,5,0\n");
}

}  // namespace
}  // namespace rankscope
