#include "report/text_report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "report/report_for_test.h"
#include "table/utf8.h"

namespace rankscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void ExpectToFit(const std::string& text, std::size_t most_lines) {
  const std::vector<std::string> lines = Lines(text);
  EXPECT_LE(lines.size(), most_lines);
  for (const std::string& line : lines) {
    EXPECT_LE(CountCodePoints(line), 80u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
}

TEST(TextReport, SaysWhatMattersFirst) {
  const std::string text = WriteTextReport(report_for_test::MakeReport());
  ExpectToFit(text, 62);
  EXPECT_THAT(text, testing::StartsWith("8 ranks on NVIDIA H100, steps 10 to 17\n"
                                        "1 recording left out (rankscope table captures shows "
                                        "which)\n\n"
                                        "STEP TIME\n"
                                        "  median 23.8 ms, from 23.0 ms on rank 1 to 24.7 ms on "
                                        "rank 3\n\n"
                                        "WHAT MATTERS FIRST\n"
                                        "  - 22.2% of device time is communication that nothing "
                                        "hides (from 11.1% on rank\n"
                                        "    3 to 26.6% on rank 1).\n"));
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

TEST(TextReport, AThousandRanksAreTwoScreens) {
  const std::string text =
      WriteTextReport(report_for_test::MakeReport({.ranks = 1000, .steps = 3, .slow_rank = 637}));
  ExpectToFit(text, 72);
  EXPECT_THAT(text, AllOf(HasSubstr("1,000 ranks"), HasSubstr("the 16 that differ most"),
                          HasSubstr("\n     637 ")));
}

TEST(TextReport, NamesAreNoControls) {
  report_for_test::Shape shape;
  shape.kernels = {"evil\x1b[31m\n\"name\" \xe2\x80\xae \xff", std::string(10'000, 'x')};
  const std::string text = WriteTextReport(report_for_test::MakeReport(shape));
  ExpectToFit(text, 62);
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
  ExpectToFit(text, 40);
  EXPECT_THAT(text, HasSubstr("NO DEVICE WORK WAS RECORDED. WHAT HOST THREADS DID"));
  EXPECT_THAT(text, HasSubstr("       0            0  outside   1.00 us  ops 600 ns\n"));
}

TEST(TextReport, CollectivesOverRanks) {
  Report report = report_for_test::MakeReport({.ranks = 2});
  Table ranks = report_for_test::MakeTable(
      "collective_ranks", {"i rank", "i collectives", "i wait_ns:ns", "i last_count",
                           "i lead_ns:ns", "i caused_wait_ns:ns"});
  ranks.AddRow({std::int64_t{0}, std::int64_t{40}, std::int64_t{90'000'000}, std::int64_t{2},
                std::int64_t{10}, std::int64_t{20}});
  ranks.AddRow({std::int64_t{1}, std::int64_t{40}, std::int64_t{20}, std::int64_t{38},
                std::int64_t{80'000'000}, std::int64_t{90'000'000}});
  Table sizes = report_for_test::MakeTable(
      "collective_sizes", {"d share_pct:%", "i count", "s op", "i bytes:bytes", "d wait_pct:%",
                           "d bus_bandwidth:bytes/s"});
  sizes.AddRow({75.0, std::int64_t{30}, std::string_view("all_reduce"), std::int64_t{25'000'000},
                60.0, 2e11});
  sizes.AddRow({25.0, std::int64_t{10}, std::string_view("unknown"), kNull, kNull, kNull});
  Table clocks = report_for_test::MakeTable("clocks", {"b aligned", "i uncertainty_ns:ns"});
  clocks.AddRow({true, std::int64_t{2500}});
  clocks.AddRow({false, kNull});
  for (const Table& table : {ranks, sizes, clocks}) report.tables.push_back(table);
  const std::string text = WriteTextReport(report);
  EXPECT_THAT(text, HasSubstr("   75.0%       30 x  all_reduce       25.0 MB    60.0% waiting  "
                              "200.0 GB/s bus\n"));
  EXPECT_THAT(text, HasSubstr("x  unknown                ?  unknown waiting\n"));
  EXPECT_THAT(text,
              HasSubstr("  - rank 1 comes last to 38 of 40 collectives; others wait 90.0 ms"));
  EXPECT_THAT(text, Not(HasSubstr("rank 0 comes last"))) << "what it costs is nothing to speak of";
  EXPECT_THAT(text, HasSubstr("agree to 2.50 us after alignment. 1 rank shares no"));
}

TEST(TextReport, CollectivesOfAKnownLink) {
  Report report = report_for_test::MakeReport({.ranks = 2});
  Table ranks = report_for_test::MakeTable("collective_ranks", {"i rank", "i collectives"});
  for (const std::int64_t rank : {0, 1}) ranks.AddRow({rank, std::int64_t{40}});
  Table sizes = report_for_test::MakeTable(
      "collective_sizes", {"d share_pct:%", "i count", "s op", "i bytes:bytes", "d wait_pct:%",
                           "d bus_bandwidth:bytes/s", "d link_pct:%"});
  sizes.AddRow({75.0, std::int64_t{1'234'567}, std::string_view("reduce_scatter"),
                std::int64_t{999'900'000}, 100.0, 2e11, 44.44});
  sizes.AddRow(
      {25.0, std::int64_t{10}, std::string_view("all_gather"), std::int64_t{9}, 60.0, 1e9, kNull});
  Table clocks = report_for_test::MakeTable("clocks", {"b aligned", "i uncertainty_ns:ns"});
  clocks.AddRow({true, std::int64_t{2500}});
  for (const Table& table : {ranks, sizes, clocks}) report.tables.push_back(table);
  const std::string text = WriteTextReport(report);
  ExpectToFit(text, 72);
  EXPECT_THAT(text, HasSubstr("(share of their device time; bus, of the link)"));
  EXPECT_THAT(text, HasSubstr("reduce_scatter  999.9 MB   100.0% wait  200.0 GB/s (44.4%)\n"));
  EXPECT_THAT(text, HasSubstr("all_gather           9 B    60.0% wait  1.0 GB/s\n"));
}

TEST(TextReport, LayoutPipelineAndExperts) {
  Report report = report_for_test::MakeReport({.ranks = 16});
  Table layout =
      report_for_test::MakeTable("layout", {"s role", "s dimension", "i degree", "s source",
                                            "i ranks_seen", "i ranks", "b partial", "s conflicts"});
  for (const std::string_view dimension : {"tp", "pp"}) {
    layout.AddRow({std::string_view("trainer"), dimension, std::int64_t{12},
                   std::string_view("names"), std::int64_t{16}, std::int64_t{144}, true,
                   dimension == "pp" ? Value(std::string_view("a pair of ranks sends where no "
                                                              "stages are next to each other"))
                                     : Value(kNull)});
  }
  Table stages = report_for_test::MakeTable(
      "pipeline", {"i stage", "i micro_batches", "d compute_pct:%", "d inside_pct:%",
                   "d warm_up_pct:%", "d steady_pct:%", "d cool_down_pct:%", "d bubble_pct:%",
                   "d ideal_pct:%", "d excess_pct:%", "d load_pct:%"});
  for (std::int64_t stage = 0; stage < 12; ++stage) {
    stages.AddRow({stage, std::int64_t{4}, 20.0, 6.7, 1.0, 70.0, 2.3, 73.3, 73.3, 0.0,
                   stage == 5 ? 150.0 : 90.0 + static_cast<double>(stage)});
  }
  Table exchanges = report_for_test::MakeTable(
      "expert_load", {"i group", "i exchange", "i steps", "d max_over_mean", "i hottest_rank",
                      "d persistence_pct:%"});
  exchanges.AddRow(
      {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, 1.5, std::int64_t{7}, 100.0});
  Table experts = report_for_test::MakeTable(
      "expert_ranks", {"i rank", "i exchanges", "d load", "d max_load", "i hottest_count"});
  for (std::int64_t rank = 0; rank < 8; ++rank) {
    experts.AddRow({rank, std::int64_t{1}, rank == 7 ? 1.5 : 0.9, rank == 7 ? 1.5 : 0.95,
                    std::int64_t{rank == 7 ? 1 : 0}});
  }
  for (const Table& table : {layout, stages, exchanges, experts}) report.tables.push_back(table);
  const std::string text = WriteTextReport(report);
  ExpectToFit(text, 110);
  EXPECT_THAT(text, HasSubstr("tp 12 x pp 12, from names of process groups\n"
                              "warning: partial: 16 of 144 ranks were recorded\n"
                              "warning: pp is uncertain: a pair of ranks sends"));
  EXPECT_THAT(text, HasSubstr("PIPELINE (share of a step's window; the 8 fullest of 12 stages)\n"));
  EXPECT_THAT(
      text,
      HasSubstr("      5    150.0%   26.7%     1.0%    70.0%       2.3%    73.3%    73.3%\n"));
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
            "  no steps: the trace has no ProfilerStep marks and no period was found\n");
  Table steps = report_for_test::MakeTable("step_times", {"i step"});
  steps.AddRow({std::int64_t{3}});
  report.tables.push_back(steps);
  EXPECT_THAT(WriteTextReport(report), HasSubstr("every step was cut off by the recording"));
}

}  // namespace
}  // namespace rankscope
