#include "table/write_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "table/random_table_for_test.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Table NamedKernels() {
  Table table("kernels", {{.name = "rank", .type = ColumnType::kInt64},
                          {.name = "exposed", .type = ColumnType::kInt64, .unit = "ns"},
                          {.name = "kernels", .type = ColumnType::kInt64},
                          {.name = "busy", .type = ColumnType::kDouble, .unit = "%"},
                          {.name = "moved", .type = ColumnType::kInt64, .unit = "bytes"},
                          {.name = "power", .type = ColumnType::kDouble, .unit = "W"},
                          {.name = "slow", .type = ColumnType::kBool},
                          {.name = "name", .type = ColumnType::kString}});
  table.AddRow({0, 12'345'678, 1'234, 87.54, 1'500'000'000, 412.25, true, "gemm"});
  table.AddRow({1'024, kNull, 9, 0.4, 12, kNull, false, "ncclDevKernel_AllReduce"});
  return table;
}

TEST(WriteText, AlignsForPeople) {
  EXPECT_EQ(WriteText(NamedKernels()),
            "rank  exposed  kernels   busy    moved  power [W]  slow   name\n"
            "----  -------  -------  -----  -------  ---------  -----  -----------------------\n"
            "   0  12.3 ms    1,234  87.5%  1.50 GB        412  true   gemm\n"
            "1024        -        9   0.4%     12 B          -  false  ncclDevKernel_AllReduce\n");
}

TEST(WriteText, PrintsRawNumbersUnderTheirUnits) {
  EXPECT_EQ(WriteText(NamedKernels(), {.numbers = NumberStyle::kRaw, .max_width = 0}),
            "rank  exposed [ns]  kernels  busy [%]  moved [bytes]  power [W]  slow   name\n"
            "----  ------------  -------  --------  -------------  ---------  -----  "
            "-----------------------\n"
            "   0      12345678     1234     87.54     1500000000     412.25  true   gemm\n"
            "1024             -        9       0.4             12          -  false  "
            "ncclDevKernel_AllReduce\n");
}

TEST(WriteText, GroupsCountsAndNotIdentifiers) {
  Table table("t", {{.name = "launch_event"}, {.name = "kernels_per_step"}, {.name = "pid"}});
  table.AddRow({123'456, 123'456, 123'456});
  EXPECT_THAT(WriteText(table), HasSubstr("      123456           123,456  123456\n"));
}

TEST(WriteText, SaysHowManyRowsThereAre) {
  Table table("t", {{.name = "x"}});
  for (int i = 0; i < 2'000; ++i) table.AddRow({i});
  EXPECT_EQ(WriteText(table, {.max_rows = 2}), "x\n-\n0\n1\n... 1,998 more rows\n");
  EXPECT_THAT(WriteText(table, {.max_rows = 1'999}), HasSubstr("... 1 more row\n"));
  EXPECT_THAT(WriteText(table, {.max_rows = 2'000}), Not(HasSubstr("more")));
}

TEST(WriteText, OfNothing) {
  EXPECT_EQ(WriteText(Table()), "(no columns)\n");
  EXPECT_EQ(WriteText(Table("t", {{.name = "x"}, {.name = "y", .type = ColumnType::kString}})),
            "x  y\n-  -\n(no rows)\n");
}

TEST(WriteText, ShortensLongStringsInTheMiddle) {
  Table table("t", {{.name = "name", .type = ColumnType::kString}});
  table.AddRow({"void cutlass::Kernel<float>"});
  EXPECT_EQ(WriteText(table, {.max_text_width = 20}),
            "name\n--------------------\nvoid cutl...l<float>\n");
}

TEST(WriteText, FitsALineByShorteningStringsFirst) {
  Table table("t", {{.name = "exposed_communication", .unit = "ns"},
                    {.name = "name", .type = ColumnType::kString}});
  table.AddRow({1'000, std::string(50, 'a') + std::string(50, 'b')});
  EXPECT_EQ(WriteText(table, {.max_width = 53}),
            "exposed_communication  name\n"
            "---------------------  ------------------------------\n"
            "              1.00 us  aaaaaaaaaaaaaa...bbbbbbbbbbbbb\n");
  EXPECT_EQ(WriteText(table, {.max_width = 31}),
            "     exposed_\n"
            "communication  name\n"
            "-------------  ----------------\n"
            "      1.00 us  aaaaaaa...bbbbbb\n");
}

TEST(WriteText, NamesTheColumnsThatDoNotFit) {
  Table table("t", {{.name = "first"}, {.name = "second"}, {.name = "third"}});
  table.AddRow({1, 2, 3});
  EXPECT_EQ(WriteText(table, {.max_width = 14}),
            "first  second\n-----  ------\n    1       2\n... 1 ...third\n");
}

TEST(WriteText, CountsCodePoints) {
  Table table("t", {{.name = "a", .type = ColumnType::kString}, {.name = "b"}});
  table.AddRow({"\xC3\xA9\xC3\xA9", 1});
  table.AddRow({"eee", 2});
  EXPECT_EQ(WriteText(table), "a    b\n---  -\n\xC3\xA9\xC3\xA9   1\neee  2\n");
}

TEST(WriteText, SendsNoControlsToTheTerminal) {
  Table table("t", {{.name = "a\x1b[2J", .type = ColumnType::kString, .unit = "\x07"}});
  table.AddRow({"\x1b]0;title\x07\nx"});
  const std::string text = WriteText(table);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("\\x1b]0;title\\x07\\nx\n"));
}

TEST(WriteText, KeepsEveryLineWithinTheLimit) {
  RandomTables random(8);
  for (int round = 0; round < 300; ++round) {
    const std::size_t limit = 30 + random.Below(100);
    const std::string text = WriteText(random.Make(20), {.max_rows = 5, .max_width = limit});
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      ASSERT_NE(end, std::string::npos);
      const std::string_view line = std::string_view(text).substr(at, end - at);
      EXPECT_LE(CountCodePoints(line), limit) << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
      at = end + 1;
    }
  }
}

}  // namespace
}  // namespace rankscope
