#include "report/documents/markdown_report.h"

#include <gmock/gmock.h>

#include "report/base/report_for_test.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

using report_for_test::MakeFindings;
using report_for_test::WithFindings;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(MarkdownReport, ASentenceATableAndASectionForEachFinding) {
  const std::string text = WriteMarkdownReport(WithFindings(MakeFindings()));
  EXPECT_THAT(text,
              StartsWith("**A step takes 23.8 ms; without the causes below it would take 18.5 "
                         "ms (-22.5%).**\n\n8 ranks on NVIDIA H100, steps 10 to 17"));
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("\n| | finding | gain | who | where |\n|---|---|---|---|---|\n"
                    "| HIGH | slow-gpu | 18.2%, 4.34 ms per step | rank 3 | `aten::mm in "
                    "Block_0.mlp (2.10 ms)` |\n"),
          HasSubstr("\n### slow-gpu (18.2%, 4.34 ms per step)\n\nRank 3's device takes 1.3 times"),
          HasSubstr("- **Change** Look at clocks, power and temperature of that device:  \n"
                    "  nvidia-smi -i 3 -q -d CLOCK,PERFORMANCE  \n  Then drain the host.\n"),
          HasSubstr("- **See** `rankscope table kernels_by_rank TRACES --set metric=mean`\n"),
          HasSubstr("<details><summary>Where device time goes</summary>\n\n| part | share |\n"
                    "|---|---:|\n| computing | 75.7% |\n"),
          HasSubstr("- power-throttle: needs telemetry of devices\n")));
}

TEST(MarkdownReport, NamesAreNoMarkdown) {
  EXPECT_EQ(EscapedMarkdown("__init__ a|b <img> `x` [y](z) *w*\n"),
            "\\_\\_init\\_\\_ a\\|b &lt;img> \\`x\\` \\[y\\](z) \\*w\\*\\\\n");
  const auto& columns = SchemaOf<Findings>();
  auto findings = columns.NewTable("findings");
  const std::string_view evil = "<script>|`\x1b[31m";
  findings.Add({columns.id = "slow-gpu", columns.severity = "high", columns.who = evil,
                columns.title = evil, columns.why = evil, columns.recommendation = evil,
                columns.command = evil, columns.places = R"([{"op":"a|b`c"}])"});
  const std::string text = WriteMarkdownReport(WithFindings(findings));
  EXPECT_THAT(text,
              AllOf(Not(HasSubstr("<script>|")), Not(HasSubstr("\x1b")), HasSubstr("| `a/b'c` |")));
}

TEST(MarkdownReport, AHealthyJobSaysSo) {
  EXPECT_THAT(WriteMarkdownReport(report_for_test::WithoutFinding()),
              StartsWith("**No cause was found that costs 1% of a step or more."));
}

}  // namespace
}  // namespace rankscope
