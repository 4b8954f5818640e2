// exposed-copies: copies between host and device hold up computing.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

Body Offloads(std::string_view name, std::int64_t us) {
  return [=](Program& of, int) {
    of.Products(5);
    of.Copy(name, us);
    of.Products(5);
  };
}

TEST(ExposedCopies, OnTheStreamOfComputing) {
  const Told told = TellOf(Offloads("Memcpy DtoH (Device -> Pinned)", 500));
  EXPECT_EQ(told.first(), "exposed-copies");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_NEAR(told.gain, 100 * 500 / told.mean_step, 1);
}

// What stays on the device is no matter of the link.
TEST(ExposedCopies, WithinTheDeviceAreNot) {
  EXPECT_FALSE(TellOf(Offloads("Memcpy DtoD (Device -> Device)", 500)).Has("exposed-copies"));
}

// AMD's recordings do not say whether memory is pinned; the host waits in the call for the copy.
TEST(ExposedCopies, FromMemoryThatIsNotTold) {
  JobPlan plan;
  plan.step = [](int, int) {
    return RankStep{.pageable = 700, .copy = "Memcpy HtoD (Host -> Device)"};
  };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "title"}),
            "exposed-copies,high,0-3,"
            "copies between host and device hold up computing: 700 us a step in 1 copy; the host "
            "waits 700 us for those to a device\n");
  EXPECT_NEAR(Gain(findings), OfSteps(700, 3080), 0.5);
}

// A value of 2 us beside an offload of 500 is none that holds up computing.
TEST(ExposedCopies, CountsThoseThatCost) {
  const Told told = TellOf([](Program& of, int step) {
    Offloads("Memcpy DtoH (Device -> Pinned)", 500)(of, step);
    of.Copy("Memcpy DtoH (Device -> Pinned)", 2);
  });
  ASSERT_EQ(told.first(), "exposed-copies") << told.all;
  EXPECT_NE(told.title.find("502 us a step in 1 copy"), std::string::npos) << told.title;
}

}  // namespace
}  // namespace rankscope
