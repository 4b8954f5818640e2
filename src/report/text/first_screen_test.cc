#include "report/text/first_screen.h"

#include <gmock/gmock.h>

#include "base/utf8.h"
#include "report/base/report_for_test.h"
#include "report/base/text_lines.h"
#include "report/text/text_report.h"
#include "schemas/captures.h"
#include "schemas/findings.h"
#include "schemas/layout.h"
#include "schemas/ranks.h"

namespace rankscope {
namespace {

using report_for_test::MakeFindings;
using report_for_test::WithFindings;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

void ExpectToFitTextFirstScreen(std::string_view text) {
  EXPECT_LE(LinesOf(text), 25U) << text;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    EXPECT_LE(CountCodePoints(line), 80U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

std::string ScreenOf(const Report& report) { return WriteTextReport(report); }

TEST(FirstScreen, JobGainAndTheLargestFindings) {
  const std::string text = ScreenOf(WithFindings(MakeFindings()));
  ExpectToFitTextFirstScreen(text);
  EXPECT_THAT(
      text,
      StartsWith("8 ranks on NVIDIA H100, steps 10 to 17\n"
                 "1 recording left out (rankscope table captures shows which)\n"
                 "\n"
                 "A step takes 23.8 ms; without the causes below it would take 18.5 ms (-22.5%).\n"
                 "HIGH    slow-gpu: 18.2%, 4.34 ms per step. Rank 3's device takes 1.3 times as\n"
                 "        long for the same kernels as its peers do; 7 ranks wait for it.\n"
                 "        rank 3; aten::mm in Block_0.mlp (2.10 ms)\n"
                 "        Change: Look at clocks, power and temperature of that device: ...\n"
                 "HIGH    memory-leak: full in 1.3 h. Memory grows by 50.0 MB per step.\n"
                 "        all ranks\n"
                 "        Change: Detach what is kept.\n"
                 "MEDIUM  host-sync: at most 4.5%, 1.07 ms per step. aten::item makes the host\n"
                 "        wait 12 times per step.\n"
                 "        all ranks; train.py:214, aten::item (1.10 ms)\n"
                 "        Change: Call `loss.item()` every 100th step.\n"
                 "And:    redundant-copies 1.5%\n"
                 "\n"
                 "Device time: computing 75.7%, exposed communication 22.2%, idle: waiting for\n"
                 "data 1.1%\n"));
  EXPECT_THAT(text, EndsWith("\n3 causes could not be looked for: --full says why.\n"
                             "More: rankscope explain slow-gpu; rankscope TRACES --full\n"
                             "      rankscope top kernels TRACES\n"
                             "      rankscope TRACES --format html -o report.html\n"));
}

TEST(FirstScreen, IsOneScreenHoweverMuchThereIs) {
  const std::string text =
      ScreenOf(WithFindings(MakeFindings(20), {.ranks = 1000, .steps = 300, .slow_rank = 637}));
  ExpectToFitTextFirstScreen(text);
  EXPECT_THAT(text, HasSubstr("\nAnd:    "));
  EXPECT_THAT(text, HasSubstr(" ...\n"));
}

// What the metadata say, else what the groups of ranks do.
TEST(FirstScreen, SaysOfHowManyRanks) {
  const auto& columns = SchemaOf<Layout>();
  auto layout = columns.NewTable("layout");
  layout.Add({columns.role = "trainer", columns.dimension = "dp", columns.degree = 32,
              columns.source = "names", columns.confidence = 0.9, columns.groups = 1,
              columns.ranks_seen = 8, columns.ranks = 32, columns.partial = true});
  Report report = WithFindings(MakeFindings());
  report.tables.push_back(layout);
  report.world_size = -1;
  EXPECT_THAT(ScreenOf(report), StartsWith("8 ranks of at least 32 on NVIDIA H100"));
  report.world_size = 16;
  EXPECT_THAT(ScreenOf(report), StartsWith("8 ranks of 16 on NVIDIA H100"));
  report.world_size = 8;
  EXPECT_THAT(ScreenOf(report), StartsWith("8 ranks on NVIDIA H100"));
}

// A long verdict and findings of long sentences: fewer of them, in the same lines.
TEST(FirstScreen, IsOneScreenWithAVerdict) {
  const auto& columns = SchemaOf<Recording>();
  auto table = columns.NewTable("recording");
  std::string message;
  for (int i = 0; i < 20; ++i) message += "The recording is of the start. ";
  table.Add({columns.code = "start-up", columns.severity = "medium", columns.message = message});
  Report report = WithFindings(MakeFindings(20));
  report.tables.push_back(std::move(table));
  const std::string text = ScreenOf(report);
  ExpectToFitTextFirstScreen(text);
  EXPECT_THAT(text, StartsWith("The recording is of the start. The recording is of the start."));
  // At the end of a sentence.
  EXPECT_THAT(text, HasSubstr("recording is of the start ...\n8 ranks"));
  EXPECT_THAT(text, HasSubstr("\nHIGH    slow-gpu: "));
  EXPECT_THAT(text, HasSubstr("\nMore: "));
}

TEST(FirstScreen, WithRoomTheSharesAreBars) {
  EXPECT_THAT(ScreenOf(report_for_test::WithoutFinding()),
              HasSubstr("\nWHERE DEVICE TIME GOES (what takes 1% or more)\n  computing  "));
}

// The device ran one kernel: that it computes 100 % of that says nothing.
TEST(FirstScreen, OfHardlyAnyDeviceWorkThereAreNoShares) {
  const auto& columns = SchemaOf<Recording>();
  auto table = columns.NewTable("recording");
  table.Add({columns.code = "too-little-work", columns.severity = "high",
             columns.message = "One kernel."});
  Report report = report_for_test::WithoutFinding();
  report.tables.push_back(std::move(table));
  EXPECT_THAT(ScreenOf(report),
              AllOf(StartsWith("One kernel."), Not(HasSubstr("WHERE DEVICE TIME GOES"))));
}

TEST(FirstScreen, AHealthyJobIsASentence) {
  const std::string text = ScreenOf(report_for_test::WithoutFinding());
  ExpectToFitTextFirstScreen(text);
  EXPECT_THAT(text,
              HasSubstr("\n\nNo cause was found that costs 1% of a step or more. The job is "
                        "bound by\ncomputing: if that took no time at all, a step would be 61.2% "
                        "shorter.\nCommunication that no computing hides takes 22.2% of device "
                        "time.\nThe largest parts of computing are "));
  EXPECT_THAT(text, Not(HasSubstr("HIGH")));
}

TEST(FirstScreen, BeginsWithAVerdictThatMatters) {
  const auto& columns = SchemaOf<Recording>();
  auto table = columns.NewTable("recording");
  table.Add(
      {columns.code = "single-step", columns.severity = "low", columns.message = "One step."});
  table.Add({columns.code = "truncated", columns.severity = "medium", columns.ranks = "2",
             columns.message = "The file ends early."});
  table.Add({columns.code = "start-up", columns.severity = "medium", columns.message = "Cold."});
  Report report = WithFindings(MakeFindings());
  report.tables.push_back(std::move(table));
  EXPECT_THAT(ScreenOf(report),
              StartsWith("Rank 2: The file ends early. (1 more: --full)\n8 ranks"));
}

TEST(FirstScreen, SaysFlopUtilisationAsFarAsItIsKnown) {
  const auto with = [](double mfu, double known) {
    const auto& columns = SchemaOf<OverRanks>();
    auto table = columns.NewTable("over_ranks");
    table.Add({columns.analysis = "flop_utilisation", columns.metric = "mfu", columns.mean = mfu});
    table.Add(
        {columns.analysis = "flop_utilisation", columns.metric = "known", columns.mean = known});
    Report report = WithFindings(MakeFindings());
    std::erase_if(report.tables, [](const Table& one) { return one.name() == "over_ranks"; });
    report.tables.push_back(std::move(table));
    return ScreenOf(report);
  };
  EXPECT_THAT(with(38.25, 95), HasSubstr("\nMFU 38.2%.\n"));
  EXPECT_THAT(with(38.25, 80), HasSubstr("\nMFU at least 38.2%.\n"));
  EXPECT_THAT(with(38.25, 40), Not(HasSubstr("MFU")));
  EXPECT_THAT(with(0.01, 95), HasSubstr("below 0.1%."));
  EXPECT_THAT(with(153, 95), HasSubstr("MFU is not known"));
}

}  // namespace
}  // namespace rankscope
