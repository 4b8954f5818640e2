// hta.events, hta.symbols and hta.traces on traces small enough to check by hand.
#include <gtest/gtest.h>

#include "hta/analyses.h"
#include "hta/trace_for_test.h"

namespace rankscope::hta {
namespace {

// Two steps with a launch each, as HTA leaves the later one out.
UsTrace TwoStepsEvents() {
  return UsTrace()
      .Step(5, 100, 50)
      .Launch(1, 110, 2)
      .Kernel(7, "gemm", 120, 10, 1)
      .Step(6, 150, 50)
      .Launch(2, 160, 2)
      .Kernel(7, "relu", 170, 10, 2)
      .Kernel(0, "on stream 0", 180, 5, 3);
}

Table EventsOf(const UsTrace& trace, const Options& options = {}) {
  return JobForTest().Add(3, trace.Build()).Run(Events(), options);
}

std::size_t ColumnOf(const Table& table, std::string_view name) {
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (table.columns()[i].name == name) return i;
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

// Some columns of every row: "name ts stream index_correlation iteration end".
std::string Shown(const Table& table) {
  std::string text;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    text += table.String(row, ColumnOf(table, "name"));
    for (const std::string_view name : {"ts", "stream", "index_correlation", "iteration", "end"}) {
      const std::size_t column = ColumnOf(table, name);
      text += table.IsNull(row, column) ? " null" : " " + std::to_string(table.Int(row, column));
    }
    text += "\n";
  }
  return text;
}

TEST(Events, AreWithoutTheLastStepAndDeviceWorkComesFirst) {
  EXPECT_EQ(Shown(EventsOf(TwoStepsEvents())),
            "gemm 20 7 1 5 130\n"
            "ProfilerStep#5 0 -1 -1 5 150\n"
            "cudaLaunchKernel 10 -1 2 5 112\n");
}

TEST(Events, AreAllInTheOrderOfTheFileWithoutTheFilter) {
  EXPECT_EQ(Shown(EventsOf(TwoStepsEvents(), {{"filter", "false"}})),
            "ProfilerStep#5 0 -1 -1 5 150\n"
            "cudaLaunchKernel 10 -1 2 5 112\n"
            "gemm 20 7 1 5 130\n"
            "ProfilerStep#6 50 -1 -1 6 200\n"
            "cudaLaunchKernel 60 -1 5 6 162\n"
            "relu 70 7 4 6 180\n"
            "on stream 0 80 0 0 null 185\n");
}

TEST(Events, HaveTheDefaultsOfHtaWhereTheFileSaysNothing) {
  const Table table =
      EventsOf(UsTrace().Op("op", 10, 5).Copy("Memcpy DtoH", 20, 5, 2.5), {{"filter", "false"}});
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.Int(0, ColumnOf(table, "bytes")), -1);
  EXPECT_EQ(table.Double(0, ColumnOf(table, "memory_bw_gbps")), 0);
  EXPECT_EQ(table.Double(1, ColumnOf(table, "memory_bw_gbps")), 2.5);
  EXPECT_EQ(table.String(0, ColumnOf(table, "input_dims")), "-1");
  EXPECT_EQ(table.String(0, ColumnOf(table, "in_split_size")), "[]");
  EXPECT_EQ(table.Int(0, ColumnOf(table, "group_size")), 0);
}

TEST(Symbols, AreOfTheWholeFile) {
  const Table table = JobForTest().Add(0, TwoStepsEvents().Build()).Run(Symbols());
  std::vector<std::string> symbols;
  for (std::size_t row = 0; row < table.row_count(); ++row)
    symbols.emplace_back(table.String(row, 1));
  std::sort(symbols.begin(), symbols.end());
  EXPECT_EQ(symbols, (std::vector<std::string>{"ProfilerStep#5", "ProfilerStep#6",
                                               "cudaLaunchKernel", "cuda_runtime", "gemm", "kernel",
                                               "on stream 0", "relu", "user_annotation"}));
}

TEST(Traces, BeginWithTheFirstEvent) {
  const Table table = JobForTest().Add(2, TwoStepsEvents().Build()).Run(Traces());
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(table.Int(0, ColumnOf(table, "rank")), 2);
  EXPECT_EQ(table.Int(0, ColumnOf(table, "first_ts")), 100);
  EXPECT_EQ(table.String(0, ColumnOf(table, "device_type")), "NVIDIA GPU");
}

}  // namespace
}  // namespace rankscope::hta
