#include "report/text/text_report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "base/utf8.h"
#include "report/base/report_for_test.h"
#include "schemas/across.h"
#include "schemas/blame.h"
#include "schemas/layout.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> LinesTextReport(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void ExpectToFitTextReport(const std::string& text, std::size_t most_lines) {
  const std::vector<std::string> lines = LinesTextReport(text);
  EXPECT_LE(lines.size(), most_lines);
  for (const std::string& line : lines) {
    EXPECT_LE(CountCodePoints(line), 80u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
}

TEST(TextReport, SaysWhatMattersFirst) {
  const std::string text = WriteTextReport(report_for_test::MakeReport());
  ExpectToFitTextReport(text, 62);
  EXPECT_THAT(text,
              testing::StartsWith(
                  "8 ranks on NVIDIA H100, steps 10 to 17\n"
                  "1 recording left out (rankscope table captures shows "
                  "which)\n\n"
                  "STEP TIME\n"
                  "  median 23.8 ms, from 23.0 ms on rank 1 to 24.7 ms on "
                  "rank 3\n\n"
                  "WHAT MATTERS FIRST\n"
                  "  - 22.2% of device time is exposed communication (from 11.1% on rank 3 to "
                  "26.6%\n    on rank 1).\n"));
  EXPECT_THAT(text, HasSubstr("  computing                    75.7%  "
                              "██████████████████████████████\n"));
  EXPECT_THAT(text, HasSubstr("       3    23.6 ms     *88.0%      *20.4%    0.2%    1.8%  waiting "
                              "for data\n"));
  EXPECT_THAT(text, HasSubstr("  communication hidden          42.0%        33.6% (rank 0)       "
                              "54.6% (rank 3)\n"));
  EXPECT_THAT(text, HasSubstr("   24.0%   48.0 ms       800 x  "
                              "ncclDevKernel_AllReduce_Sum_bf16_RING_LL\n"));
  EXPECT_THAT(text, HasSubstr("  the file ends in the middle of an event (3 files)\n"));
  EXPECT_THAT(text, Not(HasSubstr("HOST THREADS")));
  // What would show as 0.0 % is left out.
  EXPECT_THAT(text, Not(HasSubstr("idle: unknown")));
}

// Steps that differ by less than what is shown, and extremes of one rank.
TEST(TextReport, StepTimesThatAreEqual) {
  const auto line = [](std::int64_t most_ns, std::int64_t slowest) {
    const auto& columns = SchemaOf<StepSpread>();
    auto table = columns.NewTable("step_spread");
    for (const bool is_all : {false, true})
      table.Add({columns.step = is_all ? Value(kNull) : Value(std::int64_t{10}), columns.ranks = 8,
                 columns.steps = 16, columns.min_ns = 463'000'000, columns.p25_ns = 463'000'000,
                 columns.median_ns = 463'000'000, columns.mean_ns = 463e6,
                 columns.p75_ns = 463'000'000, columns.max_ns = most_ns, columns.fastest_rank = 2,
                 columns.slowest_rank = slowest, columns.inferred = false});
    Report report = report_for_test::MakeReport();
    std::ranges::find(report.tables, "step_spread", &Table::name)->operator=(std::move(table));
    return LinesTextReport(WriteTextReport(report)).at(4);
  };
  EXPECT_EQ(line(463'000'900, 3), "  463 ms in every step");
  EXPECT_EQ(line(500'000'000, 2), "  median 463 ms, from 463 ms to 500 ms, both on rank 2");
  EXPECT_EQ(line(500'000'000, 3), "  median 463 ms, from 463 ms on rank 2 to 500 ms on rank 3");
}

TEST(TextReport, AThousandRanksAreTwoScreens) {
  const std::string text =
      WriteTextReport(report_for_test::MakeReport({.ranks = 1000, .steps = 3, .slow_rank = 637}));
  ExpectToFitTextReport(text, 72);
  EXPECT_THAT(text, AllOf(HasSubstr("1,000 ranks"), HasSubstr("the 16 that differ most"),
                          HasSubstr("\n     637 ")));
}

TEST(TextReport, NamesAreNoControls) {
  report_for_test::Shape shape;
  shape.kernels = {"evil\x1b[31m\n\"name\" \xe2\x80\xae \xff", std::string(10'000, 'x')};
  const std::string text = WriteTextReport(report_for_test::MakeReport(shape));
  ExpectToFitTextReport(text, 62);
  EXPECT_THAT(text, HasSubstr("evil\\x1b[31m\\n\"name\" \\u202e"));
  EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
  }));
}

TEST(TextReport, WithoutDeviceWorkTheHostIsShown) {
  Report report = report_for_test::MakeReport({.ranks = 1});
  for (const std::string_view name : {"job_breakdown", "rank_breakdown", "kernels_by_name",
                                      "kernel_steps", "over_ranks", "data_quality"})
    report_for_test::Get(report, name).Truncate(0);
  report.devices.clear();
  const std::string text = WriteTextReport(report);
  ExpectToFitTextReport(text, 40);
  EXPECT_THAT(text, HasSubstr("NO DEVICE TIME IS KNOWN. WHAT HOST THREADS DID"));
  EXPECT_THAT(text, HasSubstr("       0            0  outside   1.00 us  ops 600 ns\n"));
}

TEST(TextReport, CollectivesOverRanks) {
  Report report = report_for_test::MakeReport({.ranks = 2});
  const auto& of_rank = SchemaOf<CollectiveRanks>();
  auto ranks = of_rank.NewTable("collective_ranks");
  ranks.Add({of_rank.rank = 0, of_rank.collectives = 40, of_rank.wait_ns = 90'000'000,
             of_rank.last_count = 2, of_rank.lead_ns = 10, of_rank.caused_wait_ns = 20});
  ranks.Add({of_rank.rank = 1, of_rank.collectives = 40, of_rank.wait_ns = 20,
             of_rank.last_count = 38, of_rank.lead_ns = 80'000'000,
             of_rank.caused_wait_ns = 90'000'000});
  const auto& of_size = SchemaOf<CollectiveSizes>();
  auto sizes = of_size.NewTable("collective_sizes");
  sizes.Add({of_size.share_pct = 75, of_size.count = 30, of_size.op = "all_reduce",
             of_size.bytes = 25'000'000, of_size.wait_pct = 60, of_size.bus_bandwidth = 2e11});
  sizes.Add({of_size.share_pct = 25, of_size.count = 10, of_size.op = "unknown"});
  const auto& of_clock = SchemaOf<Clocks>();
  auto clocks = of_clock.NewTable("clocks");
  clocks.Add({of_clock.aligned = true, of_clock.uncertainty_ns = 2500});
  clocks.Add({of_clock.aligned = false});
  const auto& of_blame = SchemaOf<BlameOfRanks>();
  auto blame = of_blame.NewTable("blame");
  const auto blamed = [&](Value rank, std::string_view who, std::string_view cause, Value op,
                          double share, double of_steps) {
    blame.Add({of_blame.rank = rank, of_blame.ranks = who, of_blame.cause = cause, of_blame.op = op,
               of_blame.share_pct = share, of_blame.step_pct = of_steps, of_blame.steps = 4,
               of_blame.of_steps = 5});
  };
  blamed(1, "1", "slower kernels", "aten::mm", 50, 7.5);
  blamed(kNull, "0-1", "transfer", kNull, 10, 1.5);
  blamed(0, "0", "input", kNull, 12, 0.8);  // too little
  blamed(0, "0", "host", kNull, 2, 9);      // too little of all
  blamed(0, "0", "usual work", kNull, 33, 5);
  report.tables.insert(report.tables.end(), {ranks, sizes, clocks, blame});
  const std::string text = WriteTextReport(report);
  EXPECT_THAT(text, HasSubstr("  - 50.0% of all lateness is due to rank 1: slower kernels "
                              "(aten::mm), in 4 of 5\n    steps\n"
                              "  - 10.0% of all lateness is due to ranks 0-1: transfer, in 4 of 5 "
                              "steps\n  Clocks"));
  EXPECT_THAT(text, HasSubstr("   75.0%       30 x  all_reduce       25.0 MB    60.0% waiting  "
                              "200 GB/s bus\n"));
  EXPECT_THAT(text, HasSubstr("x  unknown                ?  unknown waiting\n"));
  EXPECT_THAT(text,
              HasSubstr("  - rank 1 comes last to 38 of 40 collectives; others wait 90.0 ms"));
  EXPECT_THAT(text, Not(HasSubstr("rank 0 comes last"))) << "what it costs is nothing to speak of";
  EXPECT_THAT(text, Not(HasSubstr("the cause is")));
  auto findings = SchemaOf<Findings>().NewTable("findings");
  const auto& finding = SchemaOf<Findings>();
  findings.Add({finding.id = "slow-gpu", finding.severity = "high", finding.gain_pct = 8,
                finding.ranks = "0", finding.who = "rank 0"});
  report.tables.push_back(findings);
  EXPECT_THAT(WriteTextReport(report, {.full = true}),
              HasSubstr("  - the cause is rank 0 (slow-gpu); who comes last may have waited for "
                        "it\n  - rank 1 comes last to"));
  EXPECT_THAT(text, HasSubstr("agree to 2.50 us after alignment. 1 rank cannot be"));
}

TEST(TextReport, CollectivesOfAKnownLink) {
  Report report = report_for_test::MakeReport({.ranks = 2});
  const auto& of_rank = SchemaOf<CollectiveRanks>();
  auto ranks = of_rank.NewTable("collective_ranks");
  for (const std::int64_t rank : {0, 1}) ranks.Add({of_rank.rank = rank, of_rank.collectives = 40});
  const auto& of_size = SchemaOf<CollectiveSizes>();
  auto sizes = of_size.NewTable("collective_sizes");
  sizes.Add({of_size.share_pct = 75, of_size.count = 1'234'567, of_size.op = "reduce_scatter",
             of_size.bytes = 999'900'000, of_size.wait_pct = 100, of_size.bus_bandwidth = 2e11,
             of_size.link_pct = 44.44});
  sizes.Add({of_size.share_pct = 25, of_size.count = 10, of_size.op = "all_gather",
             of_size.bytes = 9, of_size.wait_pct = 60, of_size.bus_bandwidth = 1e9});
  const auto& of_clock = SchemaOf<Clocks>();
  auto clocks = of_clock.NewTable("clocks");
  clocks.Add({of_clock.aligned = true, of_clock.linked_by = "collectives",
              of_clock.uncertainty_ns = 2500});
  clocks.Add(
      {of_clock.aligned = true, of_clock.linked_by = "sends", of_clock.uncertainty_ns = 125'000});
  report.tables.insert(report.tables.end(), {ranks, sizes, clocks});
  const std::string text = WriteTextReport(report);
  ExpectToFitTextReport(text, 72);
  EXPECT_THAT(text, HasSubstr("agree to 125 us after alignment. Messages alone link 1"));
  EXPECT_THAT(text, HasSubstr("(share of their device time; bus, of the link)"));
  EXPECT_THAT(text, HasSubstr("reduce_scatter   1.00 GB     100% wait  200 GB/s (44.4%)\n"));
  EXPECT_THAT(text, HasSubstr("all_gather           9 B    60.0% wait  1.00 GB/s\n"));
}

TEST(TextReport, LayoutPipelineAndExperts) {
  Report report = report_for_test::MakeReport({.ranks = 16});
  const auto& of_layout = SchemaOf<Layout>();
  auto layout = of_layout.NewTable("layout");
  for (const std::string_view dimension : {"tp", "pp"}) {
    layout.Add({of_layout.role = "trainer", of_layout.dimension = dimension, of_layout.degree = 12,
                of_layout.source = "names", of_layout.ranks_seen = 16, of_layout.ranks = 144,
                of_layout.partial = true,
                of_layout.conflicts = dimension == "pp"
                                          ? Value(std::string_view("a pair of ranks sends where no "
                                                                   "stages are next to each other"))
                                          : Value(kNull)});
  }
  const auto& of_stage = SchemaOf<Pipeline>();
  auto stages = of_stage.NewTable("pipeline");
  for (std::int64_t stage = 0; stage < 12; ++stage) {
    stages.Add({of_stage.stage = stage, of_stage.micro_batches = 4, of_stage.compute_pct = 20,
                of_stage.inside_pct = 6.7, of_stage.warm_up_pct = 1, of_stage.steady_pct = 70,
                of_stage.cool_down_pct = 2.3, of_stage.bubble_pct = 73.3, of_stage.ideal_pct = 73.3,
                of_stage.excess_pct = 0, of_stage.load_pct = stage == 5 ? 150 : 90 + stage});
  }
  const auto& of_exchange = SchemaOf<ExpertLoad>();
  auto exchanges = of_exchange.NewTable("expert_load");
  exchanges.Add({of_exchange.group = 0, of_exchange.exchange = 1, of_exchange.steps = 3,
                 of_exchange.max_over_mean = 1.5, of_exchange.hottest_rank = 7,
                 of_exchange.persistence_pct = 100});
  const auto& of_expert = SchemaOf<ExpertRanks>();
  auto experts = of_expert.NewTable("expert_ranks");
  for (std::int64_t rank = 0; rank < 8; ++rank) {
    experts.Add(
        {of_expert.rank = rank, of_expert.exchanges = 1, of_expert.load = rank == 7 ? 1.5 : 0.9,
         of_expert.max_load = rank == 7 ? 1.5 : 0.95, of_expert.hottest_count = rank == 7 ? 1 : 0});
  }
  report.tables.insert(report.tables.end(), {layout, stages, exchanges, experts});
  const std::string text = WriteTextReport(report);
  ExpectToFitTextReport(text, 110);
  EXPECT_THAT(text, HasSubstr("tp 12 x pp 12, from names of process groups\n"
                              "warning: partial: 16 of 144 ranks were recorded\n"
                              "warning: pp is uncertain: a pair of ranks sends"));
  EXPECT_THAT(text, HasSubstr("PIPELINE (share of a step's window; the 8 fullest of 12 stages)\n"));
  EXPECT_THAT(
      text,
      HasSubstr("      5      150%   26.7%     1.0%    70.0%       2.3%    73.3%    73.3%\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n      0     90.0%")))
      << "the stages with least load are left out";
  EXPECT_THAT(text, HasSubstr("  - Stage 5 is the fullest"));
  EXPECT_THAT(text, HasSubstr("  rank     7  1.50 times, 1.50 at most; has most rows in 1 of 1 "
                              "exchange\n"));
  EXPECT_THAT(text, HasSubstr("It is rank 7 everywhere"));
}

TEST(TextReport, MissingAndEmptyTables) {
  EXPECT_EQ(WriteTextReport(Report{}), "0 ranks\n");
  Report report = report_for_test::MakeReport();
  for (Table& table : report.tables) table.Truncate(0);
  report.ranks = {0};
  EXPECT_EQ(WriteTextReport(report),
            "1 rank of 8 on NVIDIA H100\n\nSTEP TIME\n"
            "  no steps: nothing marks them (ProfilerStep, an engine's or the program's\n"
            "  annotations, an optimizer), and no period was found\n");
  const auto& of_step = SchemaOf<StepTimes>();
  auto steps = of_step.NewTable("step_times");
  steps.Add({of_step.step = 3});
  report.tables.push_back(steps);
  EXPECT_THAT(WriteTextReport(report), HasSubstr("every step was cut off by the recording"));
}

}  // namespace
}  // namespace rankscope
