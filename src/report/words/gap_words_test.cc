#include "report/words/gap_words.h"

#include <gmock/gmock.h>

#include "report/base/report_for_test.h"
#include "schemas/steps.h"
#include "schemas/unknown_gaps.h"

namespace rankscope {
namespace {

Report WithUnknown(double share_pct) {
  Report report = report_for_test::MakeReport();
  const auto& parts = SchemaOf<JobBreakdown>();
  auto breakdown = parts.NewTable("job_breakdown");
  breakdown.Add({parts.part = "unknown", parts.share_pct = share_pct});
  report_for_test::Get(report, "job_breakdown") = breakdown;
  const auto& columns = SchemaOf<UnknownGaps>();
  auto gaps = columns.NewTable("unknown_gaps");
  for (const std::int64_t rank : {0, 1}) {
    gaps.Add({columns.rank = rank, columns.host_op = "aten::to", columns.host_range = "dist",
              columns.gaps = 20, columns.total_ns = 300'000'000});
    gaps.Add({columns.rank = rank, columns.host_call = "cudaLaunchKernel", columns.gaps = 1,
              columns.total_ns = 100'000'000});
    gaps.Add({columns.rank = rank, columns.host_op = "aten::add", columns.gaps = 1,
              columns.total_ns = 1'000'000});
    gaps.Add({columns.rank = rank, columns.host_op = "(others)", columns.gaps = 99,
              columns.total_ns = 99'000'000});
  }
  report.tables.push_back(gaps);
  return report;
}

TEST(GapWords, WhatTheHostDidInMostOfThem) {
  EXPECT_THAT(DescribeUnknownGaps(WithUnknown(10)),
              testing::ElementsAre(
                  "of 1.00 s that devices idled for no reason that the trace shows, 600 ms in 40 "
                  "gaps while the host was in aten::to (dist), 200 ms in 2 gaps while the host was "
                  "in cudaLaunchKernel (table unknown_gaps)"));
}

TEST(GapWords, LittleIsNotWorthASentence) {
  EXPECT_THAT(DescribeUnknownGaps(WithUnknown(4.9)), testing::IsEmpty());
  EXPECT_THAT(DescribeUnknownGaps(Report{}), testing::IsEmpty());
}

}  // namespace
}  // namespace rankscope
