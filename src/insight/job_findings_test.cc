#include "insight/job_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "insight/all_rules.h"

namespace rankscope {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

const FindingEntry& Entry(std::string_view id) {
  const auto found = std::ranges::find(JobFindings(), id, &FindingEntry::id);
  EXPECT_NE(found, JobFindings().end()) << id;
  return *found;
}

TEST(JobFindings, AreThoseOfTheRules) {
  EXPECT_EQ(JobFindings().size(), AllRules().size());
  for (const Rule* rule : AllRules()) {
    EXPECT_EQ(Entry(rule->id).summary, rule->summary);
    EXPECT_EQ(RuleOf(rule->id), rule);
    EXPECT_THAT(JobFindingNames(), Contains(std::string(rule->id)));
  }
}

// Those of the command, unless the rule lists others.
TEST(JobFindings, NameTheTablesOfTheirEvidence) {
  EXPECT_THAT(Entry("slow-gpu").tables, ElementsAre("kernels_by_rank"));
  EXPECT_THAT(Entry("graph-breaks").tables, ElementsAre("ops"));
  EXPECT_THAT(Entry("algorithm-search").tables, ElementsAre("kernels_by_name"));
  EXPECT_THAT(Entry("costly-op").tables, ElementsAre("ops_by_name"));
  EXPECT_THAT(Entry("host-sync").tables, ElementsAre("time_breakdown", "ops_by_name"));
}

TEST(JobFindings, SayWhatTheyAreSeenIn) {
  EXPECT_EQ(Entry("slow-gpu").seen_in, "traces");
  EXPECT_EQ(Entry("memory-leak").seen_in, "traces");
  EXPECT_EQ(Entry("power-throttle").seen_in, "telemetry");
  // What traces show comes first.
  EXPECT_TRUE(
      std::is_partitioned(JobFindings().begin(), JobFindings().end(),
                          [](const FindingEntry& finding) { return finding.seen_in == "traces"; }));
}

}  // namespace
}  // namespace rankscope
