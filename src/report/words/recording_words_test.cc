#include "report/words/recording_words.h"

#include <gtest/gtest.h>

#include "report/base/report_for_test.h"
#include "report/documents/summary_report.h"
#include "report/text/text_report.h"
#include "schemas/captures.h"

namespace rankscope {
namespace {

Report WithVerdicts() {
  Report report = report_for_test::MakeReport();
  const auto& columns = SchemaOf<Recording>();
  auto recording = columns.NewTable("recording");
  recording.Add(
      {columns.code = "truncated", columns.severity = "high",
       columns.message = "2 of 8 files cannot be read (rankscope table data_quality says why).",
       columns.ranks = kNull});
  recording.Add({columns.code = "single-step", columns.severity = "medium",
                 columns.message = "There is one step.", columns.ranks = "3"});
  report.tables.push_back(recording);
  return report;
}

TEST(RecordingWords, TheGraveStandApart) {
  const RecordingSentences said = DescribeRecording(WithVerdicts());
  ASSERT_EQ(said.grave.size(), 1u);
  ASSERT_EQ(said.others.size(), 1u);
  EXPECT_EQ(said.others[0], "Rank 3: There is one step.");
  EXPECT_EQ(RecordingVerdict(WithVerdicts()), "2 of 8 files cannot be read.");
  EXPECT_EQ(RecordingVerdict(report_for_test::MakeReport()), "");
}

// Where people look: the first line of the text, and the line of a list of runs.
TEST(RecordingWords, ComeFirst) {
  const std::string text = WriteTextReport(WithVerdicts(), {});
  EXPECT_EQ(text.find("2 of 8 files cannot be read"), 0u);
  EXPECT_NE(WriteSummary(WithVerdicts()).find(R"("headline":"2 of 8 files cannot be read. )"),
            std::string::npos);
}

}  // namespace
}  // namespace rankscope
