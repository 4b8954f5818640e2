#include "report/words/step_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/html_report.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Steps of 10 ms at the median; one that the device of rank 3 ends so much behind the host.
Report Behind(std::int64_t lag_ns, bool complete = true) {
  const auto& spread = SchemaOf<StepSpread>();
  auto steps = spread.NewTable("step_spread");
  steps.Add({spread.median_ns = 10e6, spread.steps = 2});
  const auto& times = SchemaOf<StepTimes>();
  auto of_step = times.NewTable("step_times");
  of_step.Add({times.rank = 2, times.step = 1, times.lag_ns = 1000, times.complete = true});
  of_step.Add({times.rank = 3, times.step = 1, times.lag_ns = lag_ns, times.complete = complete});
  Report report;
  report.ranks = {2, 3};
  report.tables = {steps, of_step};
  return report;
}

TEST(HostLead, IsSaidFromATenthOfAStepOn) {
  EXPECT_THAT(DescribeHostLead(Behind(1'000'000)),
              ElementsAre("the host runs up to 1.00 ms ahead of its device on rank 3: steps end "
                          "where the devices have finished them, not at the host's marks"));
  EXPECT_THAT(DescribeHostLead(Behind(999'999)), IsEmpty());
  EXPECT_THAT(DescribeHostLead(Behind(5'000'000, false)), IsEmpty()) << "the step is cut off";
  EXPECT_THAT(DescribeHostLead({}), IsEmpty());
}

TEST(HostLead, StandsInTheDataOfThePage) {
  EXPECT_THAT(WriteHtmlReport(Behind(2'000'000)), HasSubstr("\"host_lead\":[\"the host runs up"));
  EXPECT_THAT(WriteHtmlReport(Behind(0)), HasSubstr("\"host_lead\":[]"));
}

}  // namespace
}  // namespace rankscope
