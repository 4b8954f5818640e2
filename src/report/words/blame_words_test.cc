#include "report/words/blame_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/html_report.h"
#include "schemas/blame.h"

namespace rankscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Rank 3, in four of five steps.
Report Late(std::string_view cause, Value op, double share_pct, double step_pct) {
  const auto& columns = SchemaOf<BlameOfRanks>();
  auto blame = columns.NewTable("blame");
  blame.Add({columns.rank = 3, columns.ranks = "3", columns.cause = cause, columns.op = op,
             columns.share_pct = share_pct, columns.step_pct = step_pct, columns.steps = 4,
             columns.of_steps = 5});
  Report report;
  report.tables = {blame};
  return report;
}

TEST(Blame, IsSaidOfWhatCostsOnePercentOfAStep) {
  EXPECT_THAT(DescribeBlame(Late("slower kernels", "aten::mm", 10, 1)),
              ElementsAre("10.0% of all lateness is due to rank 3: slower kernels (aten::mm), in 4 "
                          "of 5 steps"));
  EXPECT_THAT(DescribeBlame(Late("host", kNull, 10, 1)),
              ElementsAre("10.0% of all lateness is due to rank 3: host, in 4 of 5 steps"));
  EXPECT_THAT(DescribeBlame(Late("host", kNull, 10, 0.99)), IsEmpty());
  EXPECT_THAT(DescribeBlame(Late("host", kNull, 9.9, 1)), IsEmpty());
  EXPECT_THAT(DescribeBlame(Late("usual work", kNull, 90, 50)), IsEmpty());
  EXPECT_THAT(DescribeBlame({}), IsEmpty());
}

TEST(Blame, StandsInTheDataOfThePage) {
  const std::string page = WriteHtmlReport(Late("host", kNull, 50, 5));
  EXPECT_THAT(page, HasSubstr("\"blame\":[\"50.0% of all lateness is due to rank 3"));
  EXPECT_THAT(page, HasSubstr("\"blame\":{\"rows\":1"));
}

}  // namespace
}  // namespace rankscope
