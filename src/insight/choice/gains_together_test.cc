#include "insight/choice/gains_together.h"

#include <gtest/gtest.h>

#include "insight/all_rules.h"
#include "insight/findings.h"
#include "insight/job_plan_for_test.h"
#include "insight/rule_input_for_test.h"

namespace rankscope {
namespace {

// Rank 2 fetches 400 us longer and computes 500 us longer, one behind the other.
JobPlan TwoCauses() {
  JobPlan plan;
  plan.step = [](int rank, int) {
    return RankStep{.load = rank == 2 ? 400 : 0, .product = rank == 2 ? 2500 : 2000};
  };
  return plan;
}

// The job without what rules named so find.
Scenario Without(const RuleInput& input, std::string_view id) {
  return *CauseOf(*RuleOf(id), input)->without;
}

TEST(GainsTogether, ASetGainsWhatItsCausesDoAtOnce) {
  LookAt(JobOf(TwoCauses()), TablesOfRules(), [](const RuleInput& input) {
    GainsTogether together(input);
    const std::size_t slow = together.Add(Without(input, "slow-gpu"));
    const std::size_t late = together.Add(Without(input, "data-straggler"));
    EXPECT_EQ(together.Of({}), 0);
    EXPECT_NEAR(100 * together.Of({slow}), OfSteps(500, 3270), 1e-9);
    EXPECT_NEAR(100 * together.Of({late}), OfSteps(400, 3270), 1e-9);
    EXPECT_NEAR(100 * together.Of({slow, late}), OfSteps(900, 3270), 1e-9);
  });
}

TEST(GainsTogether, ACauseIsOfOtherWorkThanAnother) {
  LookAt(JobOf(TwoCauses()), TablesOfRules(), [](const RuleInput& input) {
    GainsTogether together(input);
    const std::size_t slow = together.Add(Without(input, "slow-gpu"));
    const std::size_t late = together.Add(Without(input, "data-straggler"));
    const std::size_t again = together.Add(Without(input, "slow-gpu"));
    together.Of({slow});
    together.Of({late});
    EXPECT_TRUE(together.IsOfOtherWork(slow, {late}));
    EXPECT_TRUE(together.IsOfOtherWork(late, {slow, again}));
    EXPECT_FALSE(together.IsOfOtherWork(slow, {late, again}));
    EXPECT_FALSE(together.IsOfOtherWork(again, {late}));  // nobody asked what it gains
    // What it gains by hiding what others do is no work of its own.
    together.Know(late, 0.5);
    EXPECT_FALSE(together.IsOfOtherWork(late, {slow}));
  });
}

TEST(GainsTogether, EachSetIsReplayedOnceAndSeveralInAPass) {
  LookAt(JobOf(TwoCauses()), TablesOfRules(), [](const RuleInput& input) {
    GainsTogether together(input);
    const std::size_t slow = together.Add(Without(input, "slow-gpu"));
    const std::size_t late = together.Add(Without(input, "data-straggler"));
    const std::int64_t before = input.replayed().passes();
    const std::size_t order[] = {slow, late};
    together.ForeseePrefixes({}, order);
    EXPECT_EQ(input.replayed().passes(), before + 1);
    together.Of({slow});
    together.Of({slow, late});
    together.Of({late, slow});
    EXPECT_EQ(input.replayed().passes(), before + 1);
    together.Know(late, 0.25);
    EXPECT_EQ(together.Of({late}), 0.25);
    EXPECT_EQ(input.replayed().passes(), before + 1);
  });
}

// The recording, its fidelity, each cause alone, both together: with the resources of `gains` a run
// goes five times through all of its graph.
TEST(Findings, TwoCausesTakeFourPasses) {
  std::int64_t passes = 0;
  Analysis analysis = FindingsAnalysis();
  analysis.derive = [&](const InputTables& inputs, const JobContext& job, const Options& options) {
    auto findings = FindingsAnalysis().derive(inputs, job, options);
    passes = ReplayedOf(job).passes();
    return findings;
  };
  EXPECT_EQ(JobOf(TwoCauses()).Run(analysis).row_count(), 2U);
  EXPECT_EQ(passes, 4);
}

TEST(Findings, AreTheSameOnSeveralThreads) {
  JobForTest job = JobOf(TwoCauses());
  const Table alone = job.Run(FindingsAnalysis());
  EXPECT_EQ(alone.row_count(), 2U);
  job.OnThreads(4);
  EXPECT_EQ(job.Run(FindingsAnalysis()), alone);
}

}  // namespace
}  // namespace rankscope
