#include <gtest/gtest.h>

#include "analysis/across/analyses.h"
#include "stage/job_for_test.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

//   gemm      |0-------100|
//   tp        |50----------------150|                all_gather: 50 exposed (100-150)
//   dp                        |120------------200|   all_reduce: 150-200, for tp began first
//   dp                                                          |300--310| all_reduce, alone
TraceForTest Groups() {
  TraceForTest trace;
  trace.Kernel(7, "gemm", 0, 100)
      .Comm(13, 50, 100, {.name = "all_gather", .group = "1", .description = "mesh_tp"})
      .Comm(14, 120, 80, {.name = "all_reduce", .group = "2", .description = "mesh_dp"})
      .Comm(14, 300, 10, {.name = "all_reduce", .group = "2", .description = "mesh_dp"});
  return trace;
}

TEST(ExposedByGroup, EveryInstantOnce) {
  JobForTest job;
  job.Add(0, Groups().Build()).Add(1, Groups().Build());
  EXPECT_EQ(Rows(job.Run(ExposedByGroupAnalysis()),
                 {"group", "op", "ranks", "count", "total_ns", "exposed_ns", "exposed_pct"}),
            "mesh_dp,all_reduce,2,4,180,120,66.66666666666667\n"
            "mesh_tp,all_gather,2,2,200,100,50\n");
}

TEST(ExposedByGroup, WithoutCommunicationThereIsNoRow) {
  TraceForTest trace;
  trace.Kernel(7, "gemm", 0, 100);
  EXPECT_EQ(JobForTest().Add(0, trace.Build()).Run(ExposedByGroupAnalysis()).row_count(), 0U);
}

}  // namespace
}  // namespace rankscope
