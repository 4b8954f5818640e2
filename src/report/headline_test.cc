#include "report/headline.h"

#include <gmock/gmock.h>

#include "report/report_for_test.h"

namespace rankscope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Texts(const Report& report) {
  std::vector<std::string> texts;
  for (const Headline& headline : Headlines(report)) texts.push_back(headline.text);
  return texts;
}

TEST(Headlines, LossesThenRanksThenKernels) {
  EXPECT_THAT(
      Texts(report_for_test::MakeReport()),
      ElementsAre("22.2% of device time is communication that nothing hides (from 11.1% on rank 3 "
                  "to 26.6% on rank 1).",
                  "1.1% of device time is idle: the host was waiting for input data (from 0.6% on "
                  "rank 3 to 1.3% on rank 1).",
                  "Rank 3 stands out: computing 88.0% (median 73.0%), exposed communication 20.4% "
                  "(median 24.9%).",
                  "ncclDevKernel_AllReduce_Sum_bf16_RING_LL took 60.0% longer in step 14 than in "
                  "its median step (3.84 ms per rank)."));
}

TEST(Headlines, AreAboutAPartAndASection) {
  const std::vector<Headline> headlines = Headlines(report_for_test::MakeReport());
  ASSERT_EQ(headlines.size(), 4u);
  EXPECT_EQ(headlines[0].part, "exposed_communication");
  EXPECT_EQ(headlines[0].section, "overlap");
  EXPECT_EQ(headlines[1].section, "idle");
  EXPECT_EQ(headlines[2].section, "ranks");
  EXPECT_EQ(headlines[3].section, "kernel-steps");
}

TEST(Headlines, OnlySomeOfManyOutliersAreNamed) {
  Report report;
  Table metrics = report_for_test::MakeTable(
      "rank_metrics",
      {"i rank", "s metric", "s unit", "d value", "d median", "d deviation", "b outlier"});
  for (std::int64_t rank = 0; rank < 5; ++rank) {
    metrics.AddRow({rank, std::string_view("kernels"), std::string_view("1/step"),
                    100.0 + static_cast<double>(rank), 50.0, 10.0 + static_cast<double>(rank),
                    true});
  }
  report.tables.push_back(metrics);
  EXPECT_THAT(Texts(report), ElementsAre("Rank 4 stands out: kernels per step 104 (median 50).",
                                         "Rank 3 stands out: kernels per step 103 (median 50).",
                                         "Rank 2 stands out: kernels per step 102 (median 50).",
                                         "2 ranks more stand out."));
}

TEST(Headlines, OfNothing) { EXPECT_THAT(Texts(Report{}), IsEmpty()); }

}  // namespace
}  // namespace rankscope
