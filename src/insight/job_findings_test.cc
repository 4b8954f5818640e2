#include "insight/job_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "insight/all_rules.h"

namespace rankscope {
namespace {

using ::testing::Contains;

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
