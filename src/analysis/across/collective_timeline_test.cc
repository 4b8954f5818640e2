#include <gtest/gtest.h>

#include "analysis/across/analyses.h"
#include "base/units_for_test.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

using CollectiveTimelineCollective = TraceForTest::Collective;

constexpr CollectiveTimelineCollective kCollectiveTimelineReduce{
    .name = "allreduce", .in = 1000, .out = 1000};

// Three steps of 1000 us with two all-reduces each, which end together 100 + `stretch` after each
// other; rank 1 comes `late` later to the second. The last step is cut off after its first.
RankTrace ThreeSteps(std::int64_t late, std::int64_t ahead = 0) {
  TraceForTest trace;
  const std::int64_t stretch[] = {50, 0, 400};
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = 1000 * kUs * step + ahead;
    trace.Step(step, at, 1000 * kUs);
    trace.Comm(20, at + 100 * kUs, 50 * kUs, kCollectiveTimelineReduce);
    if (step == 2) break;
    const std::int64_t second = at + (200 + stretch[step]) * kUs;
    trace.Comm(20, second + late * kUs, (90 - late) * kUs, kCollectiveTimelineReduce);
  }
  return trace.Build(1'000'000);
}

TEST(CollectiveTimeline, TheTypicalStepInOneClock) {
  for (const std::int64_t ahead : {0, 7000}) {
    JobForTest job;
    job.Add(0, ThreeSteps(0)).Add(1, ThreeSteps(30, ahead));
    // Steps 0 and 1 are whole and span 240 and 190: the lower median is step 1. Origin: step 0.
    EXPECT_EQ(Rows(job.Run(CollectiveTimelineAnalysis()),
                   {"rank", "groups", "group", "op", "ordinal", "collective", "step", "start_ns",
                    "duration_ns", "wait_ns", "is_last", "lead_ns", "bytes", "left_out"}),
              "0,group (2 ranks),0,all_reduce,2,0,1,1100000,50000,0,false,,4000,0\n"
              "0,group (2 ranks),0,all_reduce,3,1,1,1200000,90000,30000,false,,4000,0\n"
              "1,group (2 ranks),0,all_reduce,2,0,1,1100000,50000,0,false,,4000,0\n"
              "1,group (2 ranks),0,all_reduce,3,1,1,1230000,60000,0,true,30000,4000,0\n");
  }
}

TEST(CollectiveTimeline, StepsCanBeChosen) {
  JobForTest job;
  job.Add(0, ThreeSteps(0)).Add(1, ThreeSteps(30));
  EXPECT_EQ(Rows(job.Run(CollectiveTimelineAnalysis(), {}, StepFilter({2})),
                 {"rank", "step", "start_ns"}),
            "0,2,2100000\n1,2,2100000\n");
}

// The collective with less device time goes, on all ranks.
TEST(CollectiveTimeline, RowsAreBounded) {
  JobForTest job;
  job.Add(0, ThreeSteps(0)).Add(1, ThreeSteps(30));
  for (const std::string rows : {"2", "3"}) {
    EXPECT_EQ(Rows(job.Run(CollectiveTimelineAnalysis(), {{"rows", rows}}),
                   {"rank", "ordinal", "left_out"}),
              "0,3,2\n1,3,2\n");
  }
  EXPECT_EQ(job.Run(CollectiveTimelineAnalysis(), {{"rows", "0"}}).row_count(), 0U);
}

// Of nine ranks four: the one that comes latest, and three evenly among the others.
TEST(CollectiveTimeline, RanksAreBounded) {
  JobForTest job;
  CollectiveTimelineCollective nine = kCollectiveTimelineReduce;
  nine.ranks = "[0, 1, 2, 3, 4, 5, 6, 7, 8]";
  nine.size = 9;
  for (std::int64_t rank = 0; rank < 9; ++rank) {
    TraceForTest trace;
    for (const std::int64_t at : {0, 1000, 2000})
      trace.Comm(20, (at + (rank == 5 ? 60 : 10)) * kUs, (rank == 5 ? 40 : 90) * kUs, nine);
    job.Add(rank, trace.Build());
  }
  EXPECT_EQ(Rows(job.Run(CollectiveTimelineAnalysis(), {{"ranks", "4"}, {"rows", "4"}}),
                 {"rank", "step", "is_last", "left_out"}),
            "0,,false,8\n3,,false,8\n5,,true,8\n8,,false,8\n");
  EXPECT_EQ(job.Run(CollectiveTimelineAnalysis(), {{"ranks", "1"}}).row_count(), 3U);
  EXPECT_EQ(job.Run(CollectiveTimelineAnalysis(), {{"ranks", "0"}}).row_count(), 0U);
}

// Nobody is late: all are chosen evenly.
TEST(CollectiveTimeline, RanksWithoutALateOne) {
  JobForTest job;
  CollectiveTimelineCollective five = kCollectiveTimelineReduce;
  five.ranks = "[0, 1, 2, 3, 4]";
  five.size = 5;
  for (std::int64_t rank = 0; rank < 5; ++rank) {
    TraceForTest trace;
    for (const std::int64_t at : {0, 1000, 2000}) trace.Comm(20, at, 100, five);
    job.Add(rank, trace.Build());
  }
  EXPECT_EQ(Rows(job.Run(CollectiveTimelineAnalysis(), {{"ranks", "3"}, {"rows", "3"}}), {"rank"}),
            "0\n2\n4\n");
}

// Without a common clock there is nothing to show together.
TEST(CollectiveTimeline, RanksWithoutACommonClock) {
  JobForTest job;
  job.Add(0, TraceForTest().Comm(20, 0, 10, kCollectiveTimelineReduce).Build());
  EXPECT_EQ(job.Run(CollectiveTimelineAnalysis()).row_count(), 0U);
}

}  // namespace
}  // namespace rankscope
