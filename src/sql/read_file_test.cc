#include "sql/read_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sql/parquet.h"
#include "table/write_csv.h"

namespace rankscope::sql {
namespace {

using ::testing::HasSubstr;

const std::vector<ColumnSpec> kColumns = {{"step"},
                                          {"duration", ColumnType::kDouble},
                                          {"optype", ColumnType::kString},
                                          {"last", ColumnType::kBool}};
constexpr std::string_view kText =
    "optype,step,extra,duration,last\n"
    "forward-compute,16,a,0.5,true\n"
    "gc,17,b,1e-3,false\n"
    "\"a, b\",18,c,,true\n";
constexpr std::string_view kExpected =
    "step,duration,optype,last\n16,0.5,forward-compute,true\n17,0.001,gc,false\n18,,\"a, "
    "b\",true\n";

class ReadFileTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& name, std::string_view text) const {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string Rows(const std::string& path) {
    const Result<Table> table = ReadFile(path, "rows", kColumns);
    if (!table.ok()) return table.status().message();
    std::string text = WriteCsv(*table);
    std::erase(text, '\r');
    return text;
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("rs_read_file_" + std::to_string(getpid()));
};

TEST_F(ReadFileTest, Csv) {
  EXPECT_EQ(Rows(Write("a.csv", kText)), kExpected);
  // Names are no patterns.
  Write("bb.csv", "x\n1\n");
  EXPECT_EQ(Rows(Write("b[ab]*'.csv", kText)), kExpected);
}

TEST_F(ReadFileTest, Parquet) {
  const std::string csv = Write("a.csv", kText);
  const std::string path = folder_ / "a.parquet";
  ASSERT_TRUE(WriteParquet(ReadFile(csv, "rows", kColumns).value(), path).ok());
  EXPECT_EQ(Rows(path), kExpected);
}

TEST_F(ReadFileTest, WhatCannotBeRead) {
  const std::string missing = folder_ / "none.csv";
  EXPECT_EQ(Rows(missing), missing + ": there is no such file");
  const std::string other = Write("other.csv", "step,duration\n1,2\n");
  EXPECT_EQ(Rows(other), other + ": has no column optype");
  const std::string text = Write("text.csv", "optype,step,duration,last\nx,seven,1,true\n");
  EXPECT_THAT(Rows(text), testing::StartsWith(text + ": "));
  EXPECT_THAT(Rows(text), HasSubstr("seven"));
  const std::string damaged = Write("damaged.parquet", "PAR1 nothing");
  EXPECT_THAT(Rows(damaged), testing::StartsWith(damaged + ": "));
  for (const std::string& path : {text, damaged})
    EXPECT_EQ(ReadFile(path, "rows", kColumns).status().code(), StatusCode::kBadData) << path;
}

TEST(IsTableFile, ByName) {
  for (const std::string_view path : {"a.csv", "b/c.csv.gz", "a.parquet", "x.tsv"})
    EXPECT_TRUE(IsTableFile(path)) << path;
  for (const std::string_view path : {"trace.json", "trace.json.gz", "folder", "csv"})
    EXPECT_FALSE(IsTableFile(path)) << path;
}

}  // namespace
}  // namespace rankscope::sql
