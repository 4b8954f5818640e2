#include "engine/summary.h"

#include <gtest/gtest.h>

#include "facts/trace_facts.h"
#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

std::vector<Table> SummaryWithCode(std::int64_t code) {
  TestTrace trace;
  trace.Op("op", 10, 5);
  const RankTrace finished = trace.Finish();
  std::vector<Table> tables = CaptureSummary().map(TraceFacts(finished), {});
  tables[1].AddRow({code, std::int64_t{-1}, std::int64_t{2}, std::string_view("what was wrong")});
  return tables;
}

TEST(Summary, ComesBackAsACapture) {
  const auto capture =
      CaptureFromSummary(SummaryWithCode(static_cast<std::int64_t>(QualityCode::kTooLarge)));
  ASSERT_TRUE(capture.ok());
  EXPECT_EQ(capture->rows, 1);
  EXPECT_EQ(capture->begin_ns, 10);
  EXPECT_EQ(capture->end_ns, 15);
  EXPECT_FALSE(capture->rank_is_stated);
  ASSERT_EQ(capture->quality.size(), 1U);
  EXPECT_EQ(capture->quality[0].code, QualityCode::kTooLarge);
  EXPECT_EQ(capture->quality[0].count, 2);
}

// A recording lists all devices of its host; the rank's is the one that works.
TEST(Summary, NamesTheDeviceThatWorks) {
  TestTrace trace;
  trace.Op("op", 10, 5);
  trace.Add(EventKind::kKernel, trace.Track(Domain::kDevice, 2, 7), "gemm", 20, 5);
  RankTrace finished = trace.Finish();
  finished.meta.devices = {{.id = 0, .name = "NVIDIA H100"}, {.id = 2, .name = "NVIDIA A100"}};
  const auto device = [&] {
    const auto capture = CaptureFromSummary(CaptureSummary().map(TraceFacts(finished), {}));
    return capture.ok() ? capture->device_name : "none";
  };
  EXPECT_EQ(device(), "NVIDIA A100");
  finished.meta.devices.pop_back();
  EXPECT_EQ(device(), "NVIDIA H100");
}

// A summary comes from a file that anybody may have written.
TEST(Summary, OtherTablesAreRefused) {
  EXPECT_FALSE(CaptureFromSummary({}).ok());
  EXPECT_FALSE(CaptureFromSummary({Table(), Table()}).ok());
  EXPECT_FALSE(CaptureFromSummary(SummaryWithCode(-1)).ok());
  EXPECT_FALSE(
      CaptureFromSummary(SummaryWithCode(static_cast<std::int64_t>(QualityCode::kOther) + 1)).ok());
  std::vector<Table> tables = SummaryWithCode(0);
  std::swap(tables[0], tables[1]);
  EXPECT_FALSE(CaptureFromSummary(tables).ok());
  tables = SummaryWithCode(0);
  std::vector<ColumnSpec> columns = tables[0].columns();
  columns[0].type = ColumnType::kString;
  tables[0] = Table("capture", columns);
  tables[0].AddRow({std::string_view("rank"), std::int64_t{1}, std::int64_t{0}, std::int64_t{0},
                    std::int64_t{0}, std::int64_t{0}, std::string_view(), std::string_view(),
                    std::int64_t{0}, std::int64_t{0}});
  EXPECT_FALSE(CaptureFromSummary(tables).ok()) << "a column of another type";
}

}  // namespace
}  // namespace rankscope
