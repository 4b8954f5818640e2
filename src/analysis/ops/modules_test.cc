#include "analysis/ops/analyses.h"

#include <gtest/gtest.h>

#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr EventKind kModulesOp = EventKind::kCpuOp;

TraceForTest& Module(TraceForTest& trace, std::string_view name, std::int64_t ts,
                     std::int64_t dur) {
  return trace.Host(1, EventKind::kPythonFunction, "nn.Module: " + std::string(name), ts, dur);
}

// Net_0 |0-------------100| holds Linear_0 |10--40| and Linear_1 |50--90|; each calls mm, whose
// backward ops run on thread 2. Net_0 itself launches 3 ns, the optimizer 5 ns in no module.
TraceForTest NetModules() {
  TraceForTest trace;
  Module(trace, "Net_0", 0, 100);
  trace.Host(1, EventKind::kPythonFunction, "net.py(10): forward", 1, 98);
  Module(trace, "Linear_0", 10, 30).Sequenced(1, "aten::mm", 15, 10, 1, 0);
  Module(trace, "Linear_1", 50, 40).Sequenced(1, "aten::mm", 55, 10, 2, 0);
  trace.Launch(1, 16, 2).Kernel(7, "k", 20, 10, 1);
  trace.Launch(2, 56, 2).Kernel(7, "k", 60, 20, 2);
  trace.Launch(3, 95, 2).Kernel(7, "k", 100, 3, 3);
  trace.Sequenced(2, "MmBackward0", 200, 20, 2, 1).Launch(4, 205, 2, 2).Kernel(7, "b", 210, 40, 4);
  trace.Sequenced(2, "MmBackward0", 230, 20, 1, 1).Launch(5, 235, 2, 2).Kernel(7, "b", 260, 15, 5);
  trace.Host(1, kModulesOp, "step", 300, 20).Launch(6, 305, 2).Kernel(7, "s", 310, 5, 6);
  return trace;
}

TEST(Modules, ForwardAndBackwardWorkByPath) {
  const Table table = JobForTest().Add(0, NetModules().Build()).Run(ModulesAnalysis());
  EXPECT_EQ(Rows(table, {"path", "level", "count", "host_total_ns", "host_self_ns",
                         "forward_total_ns", "forward_self_ns", "backward_total_ns",
                         "backward_self_ns", "device_total_ns", "kernels"}),
            "Net_0,0,1,100,30,33,3,55,0,88,1\n"
            "Net_0/Linear_1,1,1,40,40,20,20,40,40,60,2\n"
            "Net_0/Linear_0,1,1,30,30,10,10,15,15,25,2\n"
            "(no module),,0,,,5,5,0,0,5,1\n");
}

TEST(Modules, SharesAreOfAllWorkAndRanksAreMerged) {
  TraceForTest without;
  without.Launch(1, 0, 2).Kernel(7, "k", 10, 1'000, 1);
  const Table table = JobForTest()
                          .Add(0, NetModules().Build())
                          .Add(1, NetModules().Build(50))
                          .Add(2, without.Build())
                          .Run(ModulesAnalysis(), {{"top", "2"}});
  EXPECT_EQ(Rows(table, {"path", "ranks", "count", "mean_ns", "device_total_ns"}),
            "Net_0,2,2,100,176\nNet_0/Linear_1,2,2,40,120\n");
  EXPECT_DOUBLE_EQ(std::get<double>(Cell(table, 0, "share_pct")), 100.0 * 88 / 93);
}

TEST(Modules, WithoutModuleFramesTheTableIsEmpty) {
  TraceForTest trace;
  trace.Host(1, EventKind::kPythonFunction, "net.py(10): forward", 0, 50);
  trace.Launch(1, 0, 2).Kernel(7, "k", 10, 5, 1);
  EXPECT_EQ(JobForTest().Add(0, trace.Build()).Run(ModulesAnalysis()).row_count(), 0U);
}

// Recomputation of a checkpoint: what lies in a module on its own thread is forward work, although
// a backward op holds it.
TEST(Modules, RecomputedWorkIsForwardWorkOnce) {
  TraceForTest trace;
  Module(trace, "Net_0", 0, 10).Sequenced(1, "aten::mm", 2, 5, 1, 0);
  trace.Sequenced(1, "CheckpointBackward", 20, 50, 1, 1);
  Module(trace, "Net_0", 30, 20);
  trace.Launch(1, 40, 2).Kernel(7, "again", 50, 9, 1).Launch(2, 60, 2).Kernel(7, "grad", 70, 4, 2);
  EXPECT_EQ(Rows(JobForTest().Add(0, trace.Build()).Run(ModulesAnalysis()),
                 {"path", "count", "forward_self_ns", "backward_self_ns", "share_pct"}),
            "Net_0,2,9,4,100\n");
}

TEST(Modules, AThousandLevelsEndAtTheSixtyFourth) {
  TraceForTest trace;
  constexpr std::int64_t kDepth = 1'000;
  for (std::int64_t i = 0; i < kDepth; ++i)
    Module(trace, "M/" + std::to_string(i), i, 2 * kDepth - 2 * i);
  trace.Launch(1, kDepth, 1).Kernel(7, "k", 5'000, 6, 1);
  const Table table = JobForTest().Add(0, trace.Build()).Run(ModulesAnalysis());
  ASSERT_EQ(table.row_count(), 64U);
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::int64_t level = IntCell(table, row, "level");
    EXPECT_EQ(IntCell(table, row, "count"), level == 63 ? kDepth - 63 : 1);
    EXPECT_EQ(IntCell(table, row, "forward_total_ns"), 6);
    EXPECT_EQ(IntCell(table, row, "host_total_ns"), 2 * kDepth - 2 * level);
  }
}

}  // namespace
}  // namespace rankscope
