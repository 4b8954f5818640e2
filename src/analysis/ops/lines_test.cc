#include <gtest/gtest.h>

#include "analysis/ops/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

TraceForTest& Function(TraceForTest& trace, std::string_view name, std::int64_t ts,
                       std::int64_t dur) {
  return trace.Host(1, EventKind::kPythonFunction, name, ts, dur);
}

// train.py(5): main |0----------------------------------100|, which launches 3 ns itself,
//   holds torch's forward |5-80| and in it model.py(9): block |10---70|,
//   whose mm launches 10 ns, and 40 ns by its gradient on thread 2; 7 ns come from nowhere.
TraceForTest NetLines() {
  TraceForTest trace;
  Function(trace, "train.py(5): main", 0, 100);
  Function(trace, "torch/nn/modules/module.py(1): _call_impl", 5, 75);
  Function(trace, "model.py(9): block", 10, 60).Sequenced(1, "aten::mm", 15, 10, 1, 0);
  trace.Launch(1, 16, 2).Kernel(7, "k", 20, 10, 1);
  trace.Launch(2, 90, 2).Kernel(7, "k", 100, 3, 2);
  trace.Sequenced(2, "MmBackward0", 200, 20, 1, 1).Launch(3, 205, 2, 2).Kernel(7, "b", 210, 40, 3);
  trace.Kernel(7, "k", 300, 7);
  return trace;
}

TEST(Lines, TimeAndWorkOfTheUsersFunctions) {
  const Table table = JobForTest().Add(0, NetLines().Build()).Run(LinesAnalysis());
  EXPECT_EQ(Rows(table, {"line", "count", "host_total_ns", "host_self_ns", "device_ns",
                         "device_total_ns", "kernels"}),
            "model.py(9): block,1,60,60,50,50,2\n"
            "(no function),0,,,7,7,1\n"
            "train.py(5): main,1,100,40,3,53,1\n");
  EXPECT_DOUBLE_EQ(std::get<double>(Cell(table, 0, "share_pct")), 100.0 * 50 / 60);
}

TEST(Lines, WithoutSuchFunctionsTheTableIsEmpty) {
  TraceForTest trace;
  Function(trace, "torch/nn/modules/module.py(1): _call_impl", 5, 75);
  trace.Launch(1, 16, 2).Kernel(7, "k", 20, 10, 1);
  EXPECT_EQ(JobForTest().Add(0, trace.Build()).Run(LinesAnalysis()).row_count(), 0U);
}

}  // namespace
}  // namespace rankscope
