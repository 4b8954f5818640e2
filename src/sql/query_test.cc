// What queries give and how they fail: statements, types, errors, limits.
#include "sql/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/until.h"
#include "sql/job_for_test.h"

namespace rankscope::sql {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using QueryTest = TwoRanks;

ColumnType TypeOf(Job& job, const std::string& sql) {
  const Result<Table> table = RunQuery(job, sql, {});
  EXPECT_TRUE(table.ok()) << table.status().message();
  return table->columns()[0].type;
}

TEST_F(QueryTest, TableIsNamedQueryAndHasTheColumnsOfTheResult) {
  const Result<Table> table = RunQuery(*job_, "SELECT 1 AS a, 'x' AS b", {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->name(), "query");
  EXPECT_EQ(WriteCsv(*table), "a,b\r\n1,x\r\n");
}

TEST_F(QueryTest, NumbersThatFitAreInt64) {
  for (const char* type : {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT",
                           "UINTEGER", "UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL(20,0)"}) {
    const std::string sql = fmt::format("SELECT unnest([100, NULL, 7])::{} AS v", type);
    EXPECT_EQ(TypeOf(*job_, sql), ColumnType::kInt64) << type;
    EXPECT_EQ(Rows(sql), "100\n\n7\n") << type;
  }
  EXPECT_EQ(Rows("SELECT -5::HUGEINT, -9223372036854775808::HUGEINT, -3::DECIMAL(30,0)"),
            "-5,-9223372036854775808,-3\n");
}

TEST_F(QueryTest, ColumnWithANumberThatDoesNotFitIsTextOfExactNumbers) {
  for (const char* type : {"UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL(20,0)"}) {
    const std::string sql = fmt::format("SELECT unnest([3, NULL, 18446744073709551615])::{}", type);
    EXPECT_EQ(TypeOf(*job_, sql), ColumnType::kString) << type;
    EXPECT_EQ(Rows(sql), "3\n\n18446744073709551615\n") << type;
  }
  EXPECT_EQ(Rows("SELECT (-9223372036854775809)::HUGEINT"), "-9223372036854775809\n");
}

TEST_F(QueryTest, NumberThatDoesNotFitAfterManyThatDo) {
  const std::string sql =
      "SELECT CASE WHEN i = 9999 THEN 9223372036854775808 ELSE i END AS v, i AS other "
      "FROM range(10000) t(i)";
  const Result<Table> table = RunQuery(*job_, sql, {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  ASSERT_EQ(table->row_count(), 10000U);
  EXPECT_EQ(table->String(42, 0), "42");
  EXPECT_EQ(table->Int(42, 1), 42);
  EXPECT_EQ(table->String(9999, 0), "9223372036854775808");
}

TEST_F(QueryTest, DecimalsAreDoublesWhereThatIsExact) {
  EXPECT_EQ(TypeOf(*job_, "SELECT 1.25 AS v"), ColumnType::kDouble);
  EXPECT_EQ(Rows("SELECT unnest([1.25, NULL, -0.1])"), "1.25\n\n-0.1\n");
  EXPECT_EQ(Rows("SELECT unnest([1.50, 12345678901234567890.12]::DECIMAL(30,2)[])"),
            "1.50\n12345678901234567890.12\n");
}

TEST_F(QueryTest, FloatsAreDoublesAndWhatIsNoNumberIsUnknown) {
  EXPECT_EQ(Rows("SELECT 0.5::FLOAT, 1e300, 'nan'::DOUBLE, '-inf'::DOUBLE"), "0.5,1e+300,,\n");
}

TEST_F(QueryTest, FlagsAndTexts) {
  EXPECT_EQ(Rows("SELECT true, false, NULL::BOOLEAN, '', 'with \"quotes\"', 'Zürich', "
                 "'longer than twelve bytes', NULL"),
            "true,false,,\"\",\"with \"\"quotes\"\"\",Zürich,longer than twelve bytes,\n");
}

TEST_F(QueryTest, OtherTypesAreTheTextThatACastGives) {
  for (const char* value : {"DATE '2024-02-29'",
                            "TIME '12:34:56.789'",
                            "TIMESTAMP '2024-02-29 12:34:56.000001'",
                            "TIMESTAMP_NS '2024-02-29 12:34:56.000000001'",
                            "TIMESTAMP_S '2024-02-29 12:34:56'",
                            "TIMESTAMP_MS '2024-02-29 12:34:56.123'",
                            "TIMETZ '12:34:56+02'",
                            "INTERVAL '3 days 2 hours'",
                            "UUID 'eeccb8c5-9943-b2bb-bb5e-222f4e14b687'",
                            "'\\xAA\\x41'::BLOB",
                            "'10110'::BIT",
                            "'b'::ENUM('a', 'b')",
                            "[1, NULL, 3]",
                            "[[1], []]::INTEGER[][]",
                            "[1.5, 2.5]::DOUBLE[2]",
                            "{'a': 1, 'b': 'x', 'c': NULL}",
                            "MAP {'k': [1, 2], 'l': NULL}",
                            "union_value(num := 2)",
                            "[1.25, 2]::DECIMAL(9,2)[]",
                            "[true, NULL]",
                            "[1::UTINYINT, 2]",
                            "[1::HUGEINT]",
                            "[0.5::FLOAT]",
                            "[DATE '2024-01-01']"}) {
    const std::string sql =
        fmt::format("WITH v AS (SELECT {} AS x) SELECT x, x::VARCHAR AS y FROM v", value);
    const Result<Table> table = RunQuery(*job_, sql, {});
    ASSERT_TRUE(table.ok()) << value << ": " << table.status().message();
    EXPECT_EQ(table->String(0, 0), table->String(0, 1)) << value;
  }
}

TEST_F(QueryTest, TypeThatCannotBeShownIsASentence) {
  EXPECT_THAT(Rows("SELECT 123456789012345678901234567890123456789012345::BIGNUM"),
              HasSubstr("cast it to VARCHAR"));
}

TEST_F(QueryTest, LastStatementGivesTheRows) {
  EXPECT_EQ(Rows("CREATE TABLE slow AS SELECT name FROM kernels WHERE dur_ns > 15000; "
                 "INSERT INTO slow VALUES ('more'); SELECT * FROM slow ORDER BY 1;"),
            "more\nsgemm_é\n");
}

TEST_F(QueryTest, StatementWithoutRowsGivesATableWithoutColumns) {
  const Result<Table> table = RunQuery(*job_, "CREATE TABLE t (i INTEGER)", {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->column_count(), 0U);
}

TEST_F(QueryTest, FailingStatementStopsTheOnesBehindIt) {
  EXPECT_THAT(Rows("SELECT nothing; SELECT 1"), HasSubstr("nothing"));
}

TEST_F(QueryTest, SeesTheJobAlone) {
  const std::string file = folder_ / "secret.csv";
  ASSERT_TRUE(WriteFileAtomically(file, "a\n1\n").ok());
  const std::string written = folder_ / "written.csv";
  for (const std::string& sql :
       {fmt::format("SELECT * FROM read_csv('{}')", file), fmt::format("FROM '{}'", file),
        fmt::format("SELECT * FROM read_text('{}')", file),
        fmt::format("SELECT * FROM read_blob('{}')", file),
        fmt::format("SELECT * FROM glob('{}*')", file),
        fmt::format("SELECT * FROM sniff_csv('{}')", file),
        fmt::format("COPY (SELECT 1) TO '{}'", written),
        fmt::format("CREATE TABLE t AS SELECT 1 AS a; COPY t FROM '{}'", file),
        fmt::format("ATTACH '{}.db' AS other", written),
        fmt::format("EXPORT DATABASE '{}'", written), std::string("INSTALL httpfs"),
        std::string("LOAD httpfs"),
        std::string("SELECT * FROM read_csv('https://example.org/a')")}) {
    const Status status = StatusOf(sql);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << sql << ": " << status.message();
    EXPECT_THAT(status.message(), HasSubstr("--allow-files")) << sql;
  }
  EXPECT_FALSE(std::filesystem::exists(written));
  EXPECT_FALSE(std::filesystem::exists(written + ".db"));
  QueryOptions options;
  options.allow_files = true;
  const auto allowed = RunQuery(*job_, fmt::format("FROM read_csv('{}')", file), options);
  ASSERT_TRUE(allowed.ok()) << allowed.status().message();
  EXPECT_EQ(allowed->row_count(), 1U);
}

TEST_F(QueryTest, TakesSelectsAloneWhereItHasTo) {
  QueryOptions options;
  options.select_only = true;
  EXPECT_EQ(Rows("SELECT count(*) FROM kernels WHERE rank < 0", options), "0\n");
  EXPECT_EQ(
      Rows("SELECT comment IS NOT NULL FROM duckdb_views() WHERE view_name = 'kernels'", options),
      "true\n");
  EXPECT_TRUE(RunQuery(*job_, "EXPLAIN SELECT * FROM kernels", options).ok());
  EXPECT_TRUE(RunQuery(*job_, "WITH a AS (FROM kernels) FROM a", options).ok());
  for (const char* sql : {"COPY (SELECT 1) TO '/tmp/rankscope_never.csv'",
                          "COPY kernels FROM '/etc/passwd'",
                          "ATTACH '/tmp/rankscope_never.db'",
                          "EXPORT DATABASE '/tmp/rankscope_never'",
                          "PRAGMA database_list; SELECT 1",
                          "DROP VIEW kernels",
                          "CREATE TABLE t AS SELECT 1",
                          "SET threads = 1",
                          "INSTALL httpfs",
                          "LOAD httpfs",
                          "SELECT 1; SELECT 2",
                          "CHECKPOINT",
                          "CALL pragma_version()",
                          "USE memory",
                          "BEGIN",
                          "PREPARE p AS SELECT 1",
                          "VACUUM",
                          "SELECT * FROM read_csv('/etc/passwd')",
                          "SELECT * FROM read_text('/etc/passwd')",
                          "SELECT * FROM glob('/*')",
                          "SELECT getenv('HOME')",
                          "EXPLAIN ANALYZE COPY (SELECT 1) TO '/tmp/rankscope_never.csv'"}) {
    const Result<Table> table = RunQuery(*job_, sql, options);
    EXPECT_FALSE(table.ok()) << sql;
    EXPECT_EQ(table.status().code(), StatusCode::kInvalidArgument) << sql;
  }
  for (const char* path :
       {"/tmp/rankscope_never.csv", "/tmp/rankscope_never.db", "/tmp/rankscope_never"})
    EXPECT_FALSE(std::filesystem::exists(path)) << path;
}

TEST_F(QueryTest, ChangesNoSettings) {
  for (const bool allow_files : {false, true}) {
    QueryOptions options;
    options.allow_files = allow_files;
    for (const char* sql :
         {"SET memory_limit = '100GB'", "SET enable_external_access = true", "SET threads = 64",
          "SET lock_configuration = false", "PRAGMA memory_limit = '100GB'",
          "RESET enable_external_access", "SET autoinstall_known_extensions = true",
          "CALL enable_logging(storage='file', storage_path='/tmp/rankscope_never')",
          "SELECT * FROM Enable_Logging()"}) {
      const Result<Table> table = RunQuery(*job_, sql, options);
      ASSERT_FALSE(table.ok()) << sql;
      EXPECT_EQ(table.status().code(), StatusCode::kInvalidArgument) << sql;
    }
  }
}

// By one name or another, and also by a text that is made only while it runs.
TEST_F(QueryTest, SaysNoPathsOfTheHost) {
  TempFolder spill;
  QueryOptions options;
  options.spill_folder = spill.path();
  EXPECT_EQ(Rows("SELECT regexp_replace(value, '/fd/[0-9]+', '/fd/N', 'g'), count(*) FROM "
                 "duckdb_settings() WHERE value LIKE '%/%' AND "
                 "name <> 'TimeZone' GROUP BY 1 ORDER BY 1",
                 options),
            "/none,3\n/proc/self/fd/N/data,1\n"
            "\"[/proc/self/fd/N/, /proc/self/fd/N/data/]\",1\n");
  for (const char* const sql :
       {"SELECT current_setting('temp_directory')", "SELECT current_setting('secret_directory')",
        "SELECT current_setting('allowed_directories')", "SELECT * FROM duckdb_temporary_files()",
        "SELECT * FROM duckdb_databases()", "SELECT * FROM duckdb_extensions()",
        "SELECT * FROM query('SELECT * FROM duckdb_sett' || 'ings()')"}) {
    const std::string rows = Rows(sql, options);
    EXPECT_THAT(rows, Not(HasSubstr(spill.path()))) << sql;
    EXPECT_THAT(rows, Not(HasSubstr("/.duckdb"))) << sql;
  }
}

TEST_F(QueryTest, EmptyQueryIsAUsageError) {
  for (const char* sql : {"", "  ", ";", "-- a comment"}) {
    const Status status = StatusOf(sql);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << sql;
    EXPECT_THAT(status.message(), HasSubstr("the query is empty")) << sql;
  }
}

TEST_F(QueryTest, ParametersAreAUsageError) {
  EXPECT_THAT(Rows("SELECT $1"), HasSubstr("parameters"));
}

TEST_F(QueryTest, UnknownTableNamesTheViews) {
  const Status status = StatusOf("SELECT * FROM kernls");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "there is no table or view kernls; did you mean kernels? rankscope list has all");
}

TEST_F(QueryTest, UnknownColumnKeepsTheHint) {
  EXPECT_THAT(Rows("SELECT nam FROM kernels"),
              AllOf(HasSubstr("Referenced column \"nam\" not found"), HasSubstr("\"name\""),
                    Not(HasSubstr("Binder Error")), Not(HasSubstr("LINE"))));
}

TEST_F(QueryTest, SyntaxErrorIsOneSentence) {
  EXPECT_EQ(Rows("SELEC 1"), "syntax error at or near \"SELEC\"");
}

TEST_F(QueryTest, ErrorsWhileRunningAreSentencesToo) {
  const Status status = StatusOf("SELECT name::INTEGER FROM kernels");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("Could not convert string 'sgemm_é' to INT32"));
}

TEST_F(QueryTest, TraceThatDisappearedIsTheErrorOfItsFile) {
  std::filesystem::remove(folder_ / "rank1.json");
  const Status status = StatusOf("SELECT count(name) FROM events");
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("rank1.json"), Not(HasSubstr("Error:"))));
}

TEST_F(QueryTest, SpillsWhatDoesNotFitAndLeavesNothing) {
  TempFolder spill;
  QueryOptions options;
  options.memory_bytes = 48U << 20;
  options.spill_folder = spill.path();
  // 4M numbers, their hashes and row numbers are 96 MB.
  EXPECT_EQ(
      Rows("SELECT min(i) >= 0, count(*) FROM (SELECT i, row_number() OVER (ORDER BY hash(i)) "
           "AS r FROM range(4000000) t(i)) WHERE r % 2 = 0",
           options),
      "true,2000000\n");
  EXPECT_EQ(spill.file_count(), 0U);
}

TEST_F(QueryTest, MemoryThatCannotBeSpilledIsAResourceError) {
  QueryOptions options;
  options.memory_bytes = 16U << 20;
  const Status status =
      StatusOf("SELECT length(string_agg(i::VARCHAR, ',')) FROM range(50000000) t(i)", options);
  EXPECT_EQ(status.code(), StatusCode::kResource) << status.message();
}

TEST_F(QueryTest, ResultThatDoesNotFitInMemoryIsAResourceErrorAndCanBeStreamed) {
  QueryOptions options;
  options.memory_bytes = 16U << 20;
  const std::string sql = "SELECT i FROM range(3000000) t(i)";
  const Status status = StatusOf(sql, options);
  EXPECT_EQ(status.code(), StatusCode::kResource);
  EXPECT_THAT(status.message(), HasSubstr("jsonl"));
  const auto database = JobDatabase::Open(*job_, options);
  ASSERT_TRUE(database.ok());
  std::int64_t rows = 0;
  std::int64_t sum = 0;
  std::size_t most = 0;
  const Status streamed = (*database)->Stream(sql, [&](const Table& part) {
    most = std::max(most, part.row_count());
    for (std::size_t row = 0; row < part.row_count(); ++row) sum += part.Int(row, 0);
    rows += static_cast<std::int64_t>(part.row_count());
    return OkStatus();
  });
  EXPECT_TRUE(streamed.ok()) << streamed.message();
  EXPECT_EQ(rows, 3'000'000);
  EXPECT_EQ(sum, 3'000'000LL * 2'999'999 / 2);
  EXPECT_LE(most, 2048U);
}

TEST_F(QueryTest, StreamsHaveColumnsWithoutRowsAndStopWhenNobodyWantsMore) {
  const auto database = JobDatabase::Open(*job_, {});
  ASSERT_TRUE(database.ok());
  int taken = 0;
  ASSERT_TRUE((*database)
                  ->Stream("SELECT 1 AS a WHERE false",
                           [&](const Table& part) {
                             EXPECT_EQ(part.columns()[0].name, "a");
                             EXPECT_EQ(part.row_count(), 0U);
                             ++taken;
                             return OkStatus();
                           })
                  .ok());
  EXPECT_EQ(taken, 1);
  const Status status = (*database)->Stream("FROM range(100000)", [&](const Table&) {
    return Error(StatusCode::kIo, "the disk is full");
  });
  EXPECT_EQ(status.message(), "the disk is full");
  // What statements create stays for the next.
  EXPECT_TRUE((*database)->Run("CREATE TABLE t AS SELECT 7 AS x").ok());
  EXPECT_EQ((*database)->Run("FROM t")->Int(0, 0), 7);
}

// Whether a file that is not whole yet has bytes: COPY has begun to write it.
bool IsBegun(const TempFolder& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(), error)) {
    const std::string name = entry.path().filename().string();
    const bool is_other = name == "old.csv" || name.find("whole") != std::string::npos;
    if (!is_other && entry.file_size(error) > 0 && !error) return true;
  }
  return false;
}

// A COPY of more rows than will ever be written.
std::string EndlessCopy(const std::string& path) {
  return fmt::format("COPY (SELECT i FROM range(100000000000) t(i)) TO '{}'", path);
}

TEST_F(QueryTest, CancelledCopyLeavesNothing) {
  TempFolder out;
  ASSERT_TRUE(WriteFileAtomically(out / "old.csv", "as before").ok());
  for (const char* name : {"new.csv", "new.parquet", "old.csv"}) {
    std::atomic<bool> cancelled{false};
    QueryOptions options;
    options.allow_files = true;
    options.cancelled = [&] { return cancelled.load(); };
    const auto database = JobDatabase::Open(*job_, options);
    ASSERT_TRUE(database.ok());
    std::thread user([&] {
      EXPECT_TRUE(Until([&] { return IsBegun(out); }));
      cancelled = true;
    });
    const auto result = (*database)->Run(
        fmt::format("COPY (SELECT 1) TO '{}'; {}", out / "whole.csv", EndlessCopy(out / name)));
    user.join();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), StatusCode::kCancelled);
    EXPECT_EQ(out.file_count(), 2U) << name;  // the old one, and that of the statement before
    EXPECT_EQ(*ReadFile(out / "old.csv"), "as before");
    cancelled = false;
    EXPECT_TRUE((*database)->Run("SELECT 1").ok());
  }
}

TEST_F(QueryTest, FailedCopyLeavesNothing) {
  TempFolder out;
  QueryOptions options;
  options.allow_files = true;
  const std::string sql = fmt::format(
      "COPY (SELECT (CASE WHEN i = 3000000 THEN 'x' ELSE '1' END)::INT FROM range(4000000) t(i)) "
      "TO '{}'",
      out / "it''s.csv");
  EXPECT_EQ(StatusOf(sql, options).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(out.file_count(), 0U);
}

TEST_F(QueryTest, SpillFolderThatDoesNotExistIsAnError) {
  QueryOptions options;
  options.spill_folder = folder_ / "nowhere";
  const Status status = StatusOf("SELECT 1", options);
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr("nowhere"));
}

}  // namespace
}  // namespace rankscope::sql
