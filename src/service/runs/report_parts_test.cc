#include "service/runs/report_parts.h"

#include <gtest/gtest.h>

namespace rankscope::service {
namespace {

TEST(SummaryOf, ReadsWhatAReportOfAnotherVersionHas) {
  const api::RunSummary summary = SummaryOf(store::RunReport{
      .summary = R"({"ranks":2,"step_time_ns":{"mean":2500000},"later":[1],"devices":["H100"]})"});
  EXPECT_EQ(summary.ranks, 2);
  EXPECT_EQ(summary.world_size, std::nullopt);
  ASSERT_TRUE(summary.step_time_ns);
  EXPECT_EQ(summary.step_time_ns->mean, 2.5e6);
  EXPECT_EQ(summary.devices.front(), "H100");
  EXPECT_EQ(summary.headline, "");
}

TEST(SummaryOf, KnowsNothingOfARunWithoutAReport) {
  EXPECT_FALSE(SummaryOf(store::Run{}));
  EXPECT_EQ(SummaryOf(store::RunReport{.summary = "not JSON"}).ranks, std::nullopt);
}

TEST(SummaryOf, TellsServingProgramsFromJobs) {
  EXPECT_TRUE(IsOfServing({.summary = R"({"subject":"serving","ranks":null})"}));
  EXPECT_FALSE(IsOfServing({.summary = R"({"ranks":8})"}));
}

}  // namespace
}  // namespace rankscope::service
