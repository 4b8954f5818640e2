// gains, replay_fidelity, path_over_ranks, path_pieces and not_evaluated: of one small job, by
// hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/units_for_test.h"
#include "insight/findings.h"
#include "insight/replay_tables/path_over_ranks.h"
#include "insight/replay_tables/path_pieces.h"
#include "insight/replay_tables/replay_fidelity.h"
#include "replay/job_graph/graph_for_test.h"
#include "schemas/captures.h"
#include "schemas/layout.h"
#include "schemas/memory.h"
#include "schemas/snoop.h"
#include "schemas/telemetry.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two ranks, four steps of 1000 us: the host launches a product of 500 us at 20 and an all-reduce,
// for which rank 1 comes at 720, rank 0 at 520; it ends at 920 and the host goes on at 930.
JobForTest TwoRanksGains() {
  JobForTest job;
  for (const std::int64_t rank : {0, 1}) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 4; ++step) {
      const std::int64_t t = 1000 * step;
      const std::int64_t product = rank == 0 ? 500 : 700;
      trace.Step(step, t * kUs, 1000 * kUs)
          .Host(1, EventKind::kCpuOp, "aten::mm", t * kUs, 20 * kUs)
          .Launch(10 * step + 1, (t + 10) * kUs, 5 * kUs)
          .Kernel(7, "gemm", (t + 20) * kUs, product * kUs, 10 * step + 1)
          .Launch(10 * step + 2, (t + 20) * kUs, 5 * kUs)
          .Comm(7, (t + 20 + product) * kUs, (900 - product) * kUs,
                {.name = "allreduce", .in = 1000, .out = 1000})
          .Linked(10 * step + 2)
          .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (t + 30) * kUs, 900 * kUs,
                10 * step + 3);
    }
    job.Add(rank, trace.Build(1'000'000));
  }
  return job;
}

// Three steps count, each from 920 to 920 of the next. Without the transfer they take 200 us less.
// Without products 690: the all-reduce waits for its launch at 20, which takes 10. Without the host
// 90: 10 until its call is over, 70 behind that, 10 until the launch, which takes 10 itself. Hosts
// that do not wait leave the 900 us of rank 1's device.
TEST(Gains, OfEachResource) {
  EXPECT_EQ(Rows(TwoRanksGains().Run(ReplayFidelityAnalysis()),
                 {"steps", "step_ns", "error_pct", "prediction_error_pct", "unexplained_pct",
                  "refused_reason"}),
            "3,1000000,0,0,0,\n");
  const Table gains = TwoRanksGains().Run(GainsAnalysis());
  std::string text;
  for (std::size_t row = 0; row < gains.row_count(); ++row) {
    if (std::get<std::string_view>(Cell(gains, row, "of")) == "resource")
      text += std::string(std::get<std::string_view>(Cell(gains, row, "name"))) + " " +
              std::to_string(IntCell(gains, row, "gain_ns")) + ", ";
  }
  EXPECT_EQ(
      text,
      "data 0, cpu 90000, gpu-compute 690000, gpu-memory 0, communication 200000, sync 100000, ");
}

TEST(PathOverRanks, SumsToTheSteps) {
  const Table path = TwoRanksGains().Run(PathOverRanksAnalysis());
  std::int64_t sum = 0;
  double share = 0;
  for (std::size_t row = 0; row < path.row_count(); ++row) {
    sum += IntCell(path, row, "total_ns");
    share += std::get<double>(Cell(path, row, "share_pct"));
  }
  EXPECT_EQ(sum, 3000 * kUs);
  EXPECT_NEAR(share, 100, 1e-9);
  EXPECT_EQ(Rows(path, {"rank", "part", "name", "pieces", "total_ns"})
                .substr(0, std::string("1,compute,aten::mm,3,2100000\n").size()),
            "1,compute,aten::mm,3,2100000\n");
}

TEST(PathPieces, FollowEachOtherAndSumToThePathOverRanks) {
  const JobForTest job = TwoRanksGains();
  const Table pieces = job.Run(PathPiecesAnalysis());
  ASSERT_GT(pieces.row_count(), 0U);
  EXPECT_EQ(IntCell(pieces, 0, "start_ns"), 920 * kUs);
  std::int64_t sum = 0;
  std::int64_t computing = 0;
  for (std::size_t row = 0; row < pieces.row_count(); ++row) {
    sum += IntCell(pieces, row, "duration_ns");
    if (row > 0) {
      EXPECT_EQ(IntCell(pieces, row, "start_ns"),
                IntCell(pieces, row - 1, "start_ns") + IntCell(pieces, row - 1, "duration_ns"));
    }
    if (IntCell(pieces, row, "rank") == 1 &&
        std::get<std::string_view>(Cell(pieces, row, "part")) == "compute")
      computing += IntCell(pieces, row, "duration_ns");
  }
  EXPECT_EQ(sum, 3000 * kUs);
  EXPECT_EQ(computing, 2100 * kUs);  // as path_over_ranks has it
}

// Of lanes of one host's ranges, without steps: their passes tell what rules of pipelines need.
TEST(NotEvaluated, PassesAreToldWithoutSteps) {
  JobForTest job;
  job.Add(0, TraceForTest().Build());
  const JobContext context = WithReplay(job);
  const auto growth = SchemaOf<MemoryGrowth>().NewTable(std::string(MemoryGrowth::kName));
  const auto& columns = SchemaOf<Pipeline>();
  auto pipeline = columns.NewTable(std::string(Pipeline::kName));
  const auto telemetry = SchemaOf<TelemetryByRank>().NewTable(std::string(TelemetryByRank::kName));
  const auto recording = SchemaOf<Recording>().NewTable(std::string(Recording::kName));
  const auto windows = SchemaOf<SnoopMemory>().NewTable(std::string(SnoopMemory::kName));
  const auto reasons = [&] {
    const std::vector<const Table*> inputs = {&growth, &pipeline, &telemetry, &recording, &windows};
    return Rows(NotEvaluatedAnalysis().derive(InputTables(inputs), context, {}).value(),
                {"id", "reason"});
  };
  EXPECT_THAT(reasons(), HasSubstr("pipeline-bubble,no step was recorded"));
  pipeline.Add({columns.stage = 0});
  pipeline.Add({columns.stage = 1});
  EXPECT_THAT(reasons(), Not(HasSubstr("pipeline")));
  EXPECT_THAT(reasons(), HasSubstr("slow-gpu,no step was recorded"));
}

TEST(NotEvaluated, SaysWhatIsMissing) {
  const auto reasons = [](const JobForTest& job) {
    return Rows(job.Run(NotEvaluatedAnalysis()), {"id", "reason"});
  };
  const std::string of_two = reasons(TwoRanksGains());
  EXPECT_EQ(of_two.find("slow-gpu"), std::string::npos);
  EXPECT_NE(of_two.find("low-roofline,no shapes were recorded (record_shapes=True)\n"),
            std::string::npos);
  EXPECT_NE(of_two.find("memory-leak,no allocations were recorded (profile_memory=True)\n"),
            std::string::npos);
  EXPECT_NE(of_two.find("needs telemetry of hosts and devices beside the traces (rankscope-agent "
                        "sends it along)\n"),
            std::string::npos);
  // What is seen in serving programs is not looked for in a job.
  EXPECT_EQ(of_two.find("queueing"), std::string::npos);
  JobForTest one;
  one.Add(0, TraceForTest().Step(0, 0, 100).Launch(1, 5, 5).Kernel(7, "a", 20, 50, 1).Build());
  EXPECT_NE(reasons(one).find("slow-gpu,one rank was recorded: there is none to compare it with\n"),
            std::string::npos);
  // A recording without marks is one step; one of nothing has none.
  JobForTest unmarked;
  unmarked.Add(0, TraceForTest().Kernel(7, "a", 20, 50).Build());
  EXPECT_EQ(reasons(unmarked).find("host-sync"), std::string::npos);
  JobForTest nothing;
  nothing.Add(0, TraceForTest().Build());
  EXPECT_NE(reasons(nothing).find("host-sync,no step was recorded\n"), std::string::npos);
}

TEST(Gains, WithoutStepsThereAreNone) {
  JobForTest job;
  job.Add(0, TraceForTest().Build());
  EXPECT_EQ(job.Run(GainsAnalysis()).row_count(), 0U);
  EXPECT_EQ(job.Run(FindingsAnalysis()).row_count(), 0U);
  EXPECT_EQ(job.Run(PathOverRanksAnalysis()).row_count(), 0U);
  EXPECT_EQ(Rows(job.Run(ReplayFidelityAnalysis()), {"steps", "step_ns", "refused_reason"}),
            "0,,no step was recorded of which a replay could tell the time\n");
}

}  // namespace
}  // namespace rankscope
