#include "sql/parquet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sql/job_for_test.h"
#include "sql/session.h"
#include "sql/sessions_opened.h"

namespace rankscope::sql {
namespace {

using ::testing::HasSubstr;

class ParquetTest : public TwoRanks {
 protected:
  const std::string path_ = folder_ / "it's a tablé.parquet";
  std::string Source() const {
    std::string name = path_;
    name.insert(name.find('\''), "'");
    return "read_parquet('" + name + "')";
  }
  static QueryOptions WithFiles() {
    QueryOptions options;
    options.allow_files = true;
    return options;
  }
  // As TwoRanks::Rows, of a query that may read files.
  std::string Rows(const std::string& sql) { return TwoRanks::Rows(sql, WithFiles()); }
  Table Read() {
    const Result<Table> table = RunQuery(*job_, "SELECT * FROM " + Source(), WithFiles());
    EXPECT_TRUE(table.ok()) << table.status().message();
    return table.ok() ? *table : Table();
  }
};

Table Mixed() {
  Table table("mixed", {{"größe", ColumnType::kInt64, "bytes", "How \"big\" it's."},
                        {"share", ColumnType::kDouble, "%", ""},
                        {"select", ColumnType::kString},
                        {"is slow", ColumnType::kBool}});
  table.AddRow({std::numeric_limits<std::int64_t>::max(), 0.1, "カーネル of many bytes", true});
  table.AddRow({kNull, kNull, kNull, kNull});
  table.AddRow({std::int64_t{-1}, -1e300, "", false});
  return table;
}

TEST_F(ParquetTest, KeepsNamesTypesNullsAndOrder) {
  const Table table = Mixed();
  const Status written = WriteParquet(table, path_);
  ASSERT_TRUE(written.ok()) << written.message();
  EXPECT_EQ(WriteCsv(Read()), WriteCsv(table));
  EXPECT_EQ(Rows("SELECT column_type FROM (DESCRIBE SELECT * FROM " + Source() + ")"),
            "BIGINT\nDOUBLE\nVARCHAR\nBOOLEAN\n");
}

TEST_F(ParquetTest, ManyTablesTakeOneDatabase) {
  const std::int64_t before = SessionsOpened();
  ParquetWriter writer;
  const Table table = Mixed();
  for (int i = 0; i < 60; ++i) {
    const Status written = writer.Write(table, path_);
    ASSERT_TRUE(written.ok()) << written.message();
  }
  EXPECT_EQ(SessionsOpened() - before, 1);
  EXPECT_EQ(WriteCsv(Read()), WriteCsv(table));
}

TEST_F(ParquetTest, SaysUnitsAndDocs) {
  ASSERT_TRUE(WriteParquet(Mixed(), path_).ok());
  std::string source = Source();
  source.replace(0, std::string("read_parquet").size(), "parquet_kv_metadata");
  EXPECT_EQ(Rows("SELECT value::BLOB::VARCHAR FROM (SELECT decode(value) AS value FROM " + source +
                 " WHERE decode(key) = 'rankscope.table')"),
            "mixed\n");
  EXPECT_EQ(Rows("SELECT decode(value)::JSON ->> '$[0].doc', decode(value)::JSON ->> '$[1].unit', "
                 "decode(value)::JSON ->> '$[0].name' FROM " +
                 source + " WHERE decode(key) = 'rankscope.columns'"),
            "\"How \"\"big\"\" it's.\",%,größe\n");
}

TEST_F(ParquetTest, ManyRows) {
  Table table("many", {{"i"}, {"name", ColumnType::kString}});
  for (std::int64_t i = 0; i < 300'000; ++i)
    table.AddRow({i, std::string_view(i % 3 == 0 ? "short" : "a name of more than twelve bytes")});
  ASSERT_TRUE(WriteParquet(table, path_).ok());
  const Table read = Read();
  ASSERT_EQ(read.row_count(), table.row_count());
  for (std::size_t row = 0; row < table.row_count(); row += 4099) {
    EXPECT_EQ(read.Int(row, 0), table.Int(row, 0));
    EXPECT_EQ(read.String(row, 1), table.String(row, 1));
  }
}

TEST_F(ParquetTest, NoRows) {
  const Table table("none", {{"a"}, {"b", ColumnType::kString}});
  ASSERT_TRUE(WriteParquet(table, path_).ok());
  EXPECT_EQ(WriteCsv(Read()), WriteCsv(table));
}

TEST_F(ParquetTest, BrokenUtf8IsReplaced) {
  Table table("broken", {{"name", ColumnType::kString}});
  table.AddRow({std::string_view("a\xFFz and more than twelve")});
  ASSERT_TRUE(WriteParquet(table, path_).ok());
  EXPECT_EQ(Read().String(0, 0), "a\xEF\xBF\xBDz and more than twelve");
}

TEST_F(ParquetTest, ColumnNameThatOccursTwiceGetsASuffix) {
  Table table("twice", {{"a"}, {"a"}});
  table.AddRow({std::int64_t{1}, std::int64_t{2}});
  const Status written = WriteParquet(table, path_);
  ASSERT_TRUE(written.ok()) << written.message();
  const Table read = Read();
  ASSERT_EQ(read.column_count(), 2U);
  EXPECT_EQ(read.Int(0, 0), 1);
  EXPECT_EQ(read.Int(0, 1), 2);
}

TEST_F(ParquetTest, ReplacesAFileAndLeavesNothingElse) {
  const std::size_t before = folder_.file_count();
  ASSERT_TRUE(WriteFileAtomically(path_, "old").ok());
  ASSERT_TRUE(WriteParquet(Mixed(), path_).ok());
  EXPECT_EQ(Read().row_count(), 3U);
  EXPECT_EQ(folder_.file_count(), before + 1);
}

TEST_F(ParquetTest, FailuresAreSentencesAndLeaveNothing) {
  const std::size_t before = folder_.file_count();
  const Status no_columns = WriteParquet(Table(), path_);
  EXPECT_EQ(no_columns.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(no_columns.message(), HasSubstr("without columns"));
  const Status no_folder = WriteParquet(Mixed(), folder_ / "nowhere/x.parquet");
  EXPECT_EQ(no_folder.code(), StatusCode::kIo);
  EXPECT_THAT(no_folder.message(), HasSubstr("nowhere/x.parquet"));
  EXPECT_EQ(folder_.file_count(), before);
}

}  // namespace
}  // namespace rankscope::sql
