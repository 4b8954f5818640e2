#include "replay/stragglers.h"

#include <gmock/gmock.h>

#include <string>

#include "base/units_for_test.h"
#include "replay/job_graph/graph_for_test.h"
#include "schemas/straggler.h"

namespace rankscope {
namespace {

// Three steps of 650 us: a product, then an all-reduce on the same stream that takes 100 us from
// the last arrival (at 520 us) on, for which the host waits. In step 1 an op of somebody's host
// takes `stall_us` longer.
RankTrace RankStragglers(std::int64_t gemm_us, std::int64_t stall_us = 0, bool is_mine = false) {
  TraceForTest trace;
  std::int64_t t = 0;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t call = 10 * step;
    const std::int64_t stall = step == 1 ? stall_us : 0;
    const std::int64_t late = is_mine ? stall : 0;
    trace.Step(step, t, (650 + stall) * kUs);
    trace.Host(1, EventKind::kCpuOp, "aten::add", t + 2 * kUs, (2 + late) * kUs)
        .Launch(call + 1, t + (10 + late) * kUs, 5 * kUs)
        .Kernel(7, "gemm", t + (20 + late) * kUs, gemm_us * kUs, call + 1)
        .Launch(call + 2, t + (20 + late) * kUs, 5 * kUs)
        .Comm(7, t + (20 + late + gemm_us) * kUs, (600 + stall - late - gemm_us) * kUs, kReduce)
        .Linked(call + 2)
        .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", t + (30 + late) * kUs,
              (595 + stall - late) * kUs, call + 3);
    t += (650 + stall) * kUs;
  }
  return trace.Build(kBase);
}

// "scope key slowdown" of each row; the slowdown in thousandths.
std::vector<std::string> SlowdownsOf(const JobForTest& job) {
  const JobContext context = WithReplay(job);
  const TableOf<StragglerSlowdown> table(StragglersOf(ReplayedOf(context), AcrossOf(context)));
  const auto& columns = SchemaOf<StragglerSlowdown>();
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const auto slowdown = table.Known(row, columns.slowdown);
    rows.push_back(
        fmt::format("{} {} {}", table.String(row, columns.scope),
                    table.IsNull(row, columns.key) ? "-" : table.String(row, columns.key),
                    slowdown ? fmt::format("{:.3f}", *slowdown) : "-"));
  }
  return rows;
}

// In the mean the products take 400 us, and a step 550 us.
TEST(Stragglers, ARankThatComputesSlower) {
  JobForTest job;
  job.Add(0, RankStragglers(300)).Add(1, RankStragglers(500));
  EXPECT_THAT(SlowdownsOf(job),
              testing::ElementsAre("job - 1.182", "step 1 1.182", "step 2 1.182", "dp_rank 0 1.000",
                                   "dp_rank 1 1.182", "optype all_reduce 1.000",
                                   "optype forward-compute 1.182", "optype host 1.000"));
}

// In the median the op takes 2 us: step 1 takes 650 us in place of 730.
TEST(Stragglers, AHostThatStallsOnce) {
  JobForTest job;
  job.Add(0, RankStragglers(500, 80)).Add(1, RankStragglers(500, 80, true));
  EXPECT_THAT(SlowdownsOf(job),
              testing::ElementsAre("job - 1.062", "step 1 1.123", "step 2 1.000", "dp_rank 0 1.000",
                                   "dp_rank 1 1.062", "optype all_reduce 1.000",
                                   "optype forward-compute 1.000", "optype host 1.062"));
}

TEST(Stragglers, WithoutAStepNothingIsKnown) {
  JobForTest job;
  job.Add(0, TraceForTest().Build(kBase));
  EXPECT_THAT(SlowdownsOf(job), testing::ElementsAre("job - -"));
}

}  // namespace
}  // namespace rankscope
