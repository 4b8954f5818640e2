// AbsentWaits: how long ranks are in collectives with ranks that were not recorded.
#include "insight/evidence/loss/absent_waits.h"

#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"
#include "insight/program_for_test.h"
#include "insight/rule_input_for_test.h"

namespace rankscope {
namespace {

TraceForTest::Collective Between(std::string_view group, std::string_view ranks,
                                 std::int32_t size) {
  TraceForTest::Collective of;
  of.name = "allreduce";
  of.in = of.out = 1000;
  of.group = group;
  of.ranks = ranks;
  of.size = size;
  return of;
}

// Ranks 0 and 1 reduce together for 100 us a step, rank 0 for 300 us with another or alone.
double Most(std::string_view ranks_of_both) {
  JobForTest job;
  for (int rank = 0; rank < 2; ++rank) {
    Program program;
    for (int step = 0; step < 6; ++step) {
      program.Step(step, [&](Program& of) {
        of.Products(2);
        if (rank == 0) {
          of.Exchange(Between("9", ranks_of_both, ranks_of_both == "[0]" ? 1 : 2), 300);
        } else {
          of.Op("aten::mm", "gemm", 300);
        }
        of.Exchange(Between("1", "[0, 1]", 2), 100);
      });
    }
    job.Add(rank, program.Build(-1));
  }
  double most_ns = -1;
  LookAt(job, {}, [&](const RuleInput& input) {
    most_ns = input.Shared<AbsentWaits>().most * input.step_ns();
  });
  return most_ns;
}

TEST(AbsentWaits, AreOfCollectivesThatLackMembers) {
  EXPECT_NEAR(Most("[0, 2]"), 300e3, 1);
  EXPECT_EQ(Most("[0]"), 0);
}

}  // namespace
}  // namespace rankscope
