#include "report/words/headline.h"

#include <gmock/gmock.h>

#include "report/base/report_for_test.h"
#include "schemas/across.h"
#include "schemas/memory.h"

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
      ElementsAre("22.2% of device time is exposed communication (from 11.1% on rank 3 "
                  "to 26.6% on rank 1).",
                  "1.1% of device time is idle: the host was waiting for input data (from 0.6% on "
                  "rank 3 to 1.3% on rank 1).",
                  "Rank 3 stands out: computing 88.0% (median 73.0%), exposed communication 20.4% "
                  "(median 24.9%).",
                  "ncclDevKernel_AllReduce_Sum_bf16_RING_LL took 60.0% longer in step 14 than in "
                  "its median step (3.84 ms per rank)."));
}

TEST(Headlines, ExposedCommunicationIsDivided) {
  Report report = report_for_test::MakeReport();
  const auto& columns = SchemaOf<ExposedByRank>();
  auto exposed = columns.NewTable("exposed_by_rank");
  for (const Value rank : {Value(std::int64_t{0}), Value(kNull)}) {
    exposed.Add({columns.rank = rank, columns.exposed_ns = 100, columns.wait_ns = 70,
                 columns.transfer_ns = 26, columns.unknown_ns = 4, columns.wait_share_pct = 15.5,
                 columns.transfer_share_pct = 5.8, columns.unknown_share_pct = 0.9});
  }
  report.tables.push_back(exposed);
  EXPECT_EQ(Texts(report).front(),
            "22.2% of device time is exposed communication (from 11.1% on rank 3 to "
            "26.6% on rank 1): 15.5% waiting for other ranks, 5.8% transfer.");
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
  const auto& columns = SchemaOf<RankMetrics>();
  auto metrics = columns.NewTable("rank_metrics");
  for (std::int64_t rank = 0; rank < 5; ++rank) {
    metrics.Add({columns.rank = rank, columns.metric = "kernels", columns.unit = "1/step",
                 columns.value = 100 + rank, columns.median = 50, columns.deviation = 10 + rank,
                 columns.outlier = true});
  }
  report.tables.push_back(metrics);
  EXPECT_THAT(Texts(report), ElementsAre("Rank 4 stands out: kernels per step 104 (median 50).",
                                         "Rank 3 stands out: kernels per step 103 (median 50).",
                                         "Rank 2 stands out: kernels per step 102 (median 50).",
                                         "Ranks 0, 1 stand out, too."));
}

TEST(Headlines, MemoryThatGrows) {
  Report report;
  const auto& columns = SchemaOf<MemoryGrowth>();
  auto growth = columns.NewTable("memory_growth");
  const auto add = [&](std::int64_t rank, Value device, std::int64_t first, std::int64_t last,
                       double per_step, Value p_value) {
    growth.Add({columns.rank = rank,
                columns.device_type = std::holds_alternative<Null>(device) ? "cpu" : "cuda",
                columns.device = device, columns.steps = 6, columns.first_end_bytes = first,
                columns.last_end_bytes = last, columns.bytes_per_step = per_step,
                columns.p_value = p_value});
  };
  // By chance; by next to nothing; not known; shrinking.
  add(0, std::int64_t{0}, 1'000, 9'000, 1'600, 0.06);
  add(1, std::int64_t{1}, 1'000'000, 1'009'000, 1'800, 0.001);
  add(2, std::int64_t{2}, 1'000, 2'000, 200, kNull);
  add(3, std::int64_t{3}, 2'000, 1'000, -200, 0.001);
  report.tables.push_back(growth);
  EXPECT_THAT(Texts(report), IsEmpty());
  add(4, std::int64_t{4}, 6'400'000'000, 6'475'000'000, 12'500'000, 0.003);
  report.tables[0] = growth;
  EXPECT_THAT(Texts(report), ElementsAre("Memory of rank 4 (cuda 4) grows by 12.5 MB per step: "
                                         "from 6.40 GB to 6.47 GB over 6 steps."));
  add(5, kNull, 0, 75'000'000, 12'600'000, 0.003);
  report.tables[0] = growth;
  EXPECT_THAT(Texts(report), ElementsAre("Memory of rank 5 (cpu) grows by 12.6 MB per step: from "
                                         "0 B to 75.0 MB over 6 steps. 1 device more grows."));
  EXPECT_EQ(Headlines(report)[0].section, "memory");
}

TEST(Headlines, OfNothing) { EXPECT_THAT(Texts(Report{}), IsEmpty()); }

}  // namespace
}  // namespace rankscope
