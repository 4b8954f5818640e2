// pageable-copy: copies from memory that is not pinned block the host.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

Table Copying(std::string_view name) {
  JobPlan plan;
  plan.step = [=](int, int) { return RankStep{.pageable = 700, .copy = name}; };
  return FindingsOf(plan);
}

// Of the 710 us that the copy and its call take before the op, 700 are the copy's.
TEST(PageableCopy, BlocksTheHost) {
  const Table findings = Copying("Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "steps", "gain_method", "title"}),
            "pageable-copy,high,0-3,0-3,replay,"
            "1 copies a step come from pageable memory and block the host, 700 us in all\n");
  EXPECT_NEAR(Gain(findings), OfSteps(700, 3080), 0.5);
}

TEST(PageableCopy, FromPinnedMemoryIsNone) {
  EXPECT_EQ(Ids(Copying("Memcpy HtoD (Pinned -> Device)")).find("pageable-copy"),
            std::string::npos);
}

TEST(PageableCopy, ToTheHostIsNone) {
  EXPECT_EQ(Ids(Copying("Memcpy DtoH (Device -> Pageable)")).find("pageable-copy"),
            std::string::npos);
}

}  // namespace
}  // namespace rankscope
