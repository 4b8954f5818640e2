#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "base/utf8.h"
#include "report/base/report_for_test.h"
#include "report/text/text_report.h"
#include "schemas/kernels.h"
#include "schemas/roofline.h"

namespace rankscope {
namespace {

using report_for_test::MakeFindings;
using report_for_test::WithFindings;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> LinesTextFindings(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(TextFindings, FullHasEverything) {
  const std::string text =
      WriteTextReport(WithFindings(MakeFindings()), {.colour = false, .full = true});
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("          Why:    Kernels of equal name and shapes were compared with ranks "
                      "0-2\n                  and 4-7.\n"),
            HasSubstr("          Change: Look at clocks, power and temperature of that device:\n"
                      "                  nvidia-smi -i 3 -q -d CLOCK,PERFORMANCE\n"
                      "                  Then drain the host.\n"),
            HasSubstr("  low     about 1.5%, 357 us per step: redundant-copies, all ranks\n"
                      "          Casts take 0.36 ms.\n"),
            HasSubstr("  Not looked for: power-throttle, underused-gpu (needs telemetry of "
                      "devices)\n"),
            HasSubstr("\nWHERE TIME IS LOST\n"), HasSubstr("\nTOP KERNELS"),
            HasSubstr("\nBY RANK")));
  // A rank that differs costs time, or it is no news.
  EXPECT_THAT(text, Not(HasSubstr("stands out")));
  for (const std::string& line : LinesTextFindings(text))
    EXPECT_LE(CountCodePoints(line), 80u) << line;
}

// The step in its parts, with --full.
TEST(TextFindings, ContributionsSumToTheStep) {
  const auto& columns = SchemaOf<Contributions>();
  auto table = columns.NewTable("contributions");
  table.Add({columns.what = "host work", columns.finding = "rank-host-work", columns.who = "rank 3",
             columns.time_ns = 2'500'000});
  table.Add({columns.what = "best", columns.time_ns = 7'500'000});
  Report report = WithFindings(MakeFindings());
  report.tables.push_back(std::move(table));
  const std::string text = WriteTextReport(report, {.full = true});
  EXPECT_THAT(text,
              HasSubstr("WHAT A STEP IS MADE OF (rankscope table contributions)\n"
                        "  rank-host-work, rank 3                        2.50 ms  25.0%  █████\n"
                        "  at its best                                   7.50 ms  75.0%  "
                        "███████████████\n"));
  EXPECT_THAT(WriteTextReport(report), Not(HasSubstr("MADE OF")));
}

// Two thirds of aten::mm's time at 60 % of its roof, a third at 90 %.
TEST(TextFindings, AHealthyJobNamesItsLargestParts) {
  const auto& columns = SchemaOf<Roofline>();
  auto table = columns.NewTable("roofline");
  table.Add({columns.op = "aten::mm", columns.share_pct = 40.0, columns.efficiency_pct = 60.0});
  table.Add({columns.op = "aten::mm", columns.share_pct = 20.0, columns.efficiency_pct = 90.0});
  table.Add({columns.op = "aten::add", columns.share_pct = 10.0});
  Report report = report_for_test::WithoutFinding();
  report.traces = "job";
  report.tables.push_back(std::move(table));
  std::string text = WriteTextReport(report);
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_THAT(text, HasSubstr("The largest parts of computing are aten::mm (60.0%, at 70.0% of its "
                              "roof), aten::add (10.0%); how far ops are from their roof: "
                              "rankscope table roofline job."));
}

// Without the table of roofs, which text reports do not make: 6 and 2 of 8 ms of computing.
TEST(TextFindings, AHealthyJobNamesItsLargestKernels) {
  const auto& columns = SchemaOf<KernelsByName>();
  auto table = columns.NewTable("kernels_by_name");
  for (const auto& [name, work, ms] :
       {std::tuple("gemm", "compute", 6), {"relu", "compute", 2}, {"Memcpy HtoD", "copy", 20}})
    table.Add({columns.name = std::string_view(name), columns.work = std::string_view(work),
               columns.total_ns = std::int64_t{1'000'000} * ms});
  Report report = report_for_test::WithoutFinding();
  std::erase_if(report.tables, [](const Table& one) { return one.name() == "kernels_by_name"; });
  report.tables.push_back(std::move(table));
  EXPECT_THAT(WriteTextReport(report),
              HasSubstr("The largest parts of computing are gemm (75.0%), relu (25.0%);"));
}

TEST(TextFindings, ARefusedReplayIsSaid) {
  const Report report = WithFindings(
      MakeFindings(), {}, SchemaOf<Gains>().NewTable("gains"),
      report_for_test::MakeFidelity(std::string_view("replaying is 7.1% off the recorded steps")));
  EXPECT_THAT(
      WriteTextReport(report, {.full = true}),
      HasSubstr("FINDINGS\n  Gains are not from a replay: replaying is 7.1% off the recorded "
                "steps.\n  HIGH"));
}

TEST(TextFindings, SeveritiesHaveColours) {
  const std::string text =
      WriteTextReport(WithFindings(MakeFindings()), {.colour = true, .full = true});
  EXPECT_THAT(text, AllOf(HasSubstr("  \x1b[31mHIGH\x1b[0m    18.2%"),
                          HasSubstr("  \x1b[33mMEDIUM\x1b[0m  at most"),
                          HasSubstr("  \x1b[2mlow\x1b[0m     about")));
}

TEST(TextFindings, NamesAreNoControls) {
  const auto& columns = SchemaOf<Findings>();
  auto findings = columns.NewTable("findings");
  const std::string_view evil = "evil\x1b[31m\xe2\x80\xae\xff";
  findings.Add({columns.id = "slow-gpu", columns.severity = "high", columns.who = evil,
                columns.title = evil, columns.why = evil, columns.recommendation = evil,
                columns.command = evil, columns.places = R"([{"op":"x\u001b[31m\u0007"}])"});
  for (const bool full : {false, true}) {
    const std::string text =
        WriteTextReport(WithFindings(findings), {.colour = false, .full = full});
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 && c != '\n';
    }));
    EXPECT_THAT(text, HasSubstr("x\\x1b[31m"));
  }
}

}  // namespace
}  // namespace rankscope
