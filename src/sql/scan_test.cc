// Scans of many row groups, captures and threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sql/job_for_test.h"
#include "sql/job_reader.h"

namespace rankscope::sql {
namespace {

// A rank with `ops` operators on two threads, each of which launches a kernel; event i is at i us.
std::string BigTrace(int rank, int ops) {
  std::string json = fmt::format(
      R"({{"baseTimeNanoseconds":0,"distributedInfo":{{"rank":{},"world_size":8}},"traceEvents":[)",
      rank);
  for (int i = 0; i < ops; ++i) {
    const int at = 3 * i;
    json += fmt::format(
        R"({{"ph":"X","cat":"cpu_op","name":"aten::operator_number_{}","pid":1,"tid":{},"ts":{},"dur":3}},)"
        "\n",
        i % 100, i % 2, at);
    json += fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":{},"ts":{},"dur":1,"args":{{"correlation":{}}}}},)"
        "\n",
        i % 2, at + 1, i + 1);
    json += fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"kernel_with_a_long_name_{}","pid":0,"tid":7,"ts":{},"dur":2,"args":{{"device":0,"stream":7,"correlation":{}}}}}{})"
        "\n",
        i % 100, at + 2, i + 1, i + 1 < ops ? "," : "]}");
  }
  return json;
}

constexpr int kOps = 130'000;  // 390,000 events: 4 row groups
constexpr int kRanks = 5;      // more than may stay open

class ScanTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    for (int rank = 0; rank < kRanks; ++rank) {
      ASSERT_TRUE(WriteFileAtomically(*folder_ / fmt::format("rank{}.json", rank),
                                      BigTrace(rank, rank == 0 ? kOps : 10 * rank))
                      .ok());
    }
    JobOptions options;
    options.threads = 2;
    options.cache.folder = *folder_ / "cache";
    job_ = OpenJob(folder_->path(), std::move(options)).release();
  }
  static void TearDownTestSuite() {
    delete job_;
    delete folder_;
  }
  static std::string Rows(const std::string& sql, int threads = 0) {
    QueryOptions options;
    options.threads = threads;
    const Result<Table> table = RunQuery(*job_, sql, options);
    if (!table.ok()) return table.status().message();
    const std::string csv = WriteCsv(*table);
    return csv.substr(csv.find('\n') + 1);
  }
  static inline TempFolder* folder_ = nullptr;
  static inline Job* job_ = nullptr;
};

TEST_F(ScanTest, EveryRowOnce) {
  EXPECT_EQ(
      Rows("SELECT rank, count(*), count(DISTINCT event), min(event), max(event), sum(dur_ns) "
           "FROM events GROUP BY rank ORDER BY rank"),
      "0,390000,390000,0,389999,780000000\r\n"
      "1,30,30,0,29,60000\r\n2,60,60,0,59,120000\r\n3,90,90,0,89,180000\r\n"
      "4,120,120,0,119,240000\r\n");
}

TEST_F(ScanTest, AnyNumberOfThreadsGivesTheSame) {
  const std::string sql =
      "SELECT rank, name, count(*), sum(ts_ns), sum(launch_event) FROM kernels GROUP BY ALL ORDER "
      "BY "
      "ALL";
  const std::string one = Rows(sql, 1);
  EXPECT_EQ(one, Rows(sql, 2));
  EXPECT_EQ(one, Rows(sql, 8));
}

TEST_F(ScanTest, JoinsOverRanks) {
  EXPECT_EQ(
      Rows(
          "SELECT count(*), count(DISTINCT o.rank), bool_and(o.name = 'aten::operator_number_' "
          "|| substr(k.name, 25)), sum(k.dur_ns) FROM kernels k "
          "JOIN events l ON l.rank = k.rank AND l.capture = k.capture AND l.event = k.launch_event "
          "JOIN ops o ON o.rank = k.rank AND o.capture = k.capture AND o.event = l.parent"),
      "130100,5,true,260200000\r\n");
}

TEST_F(ScanTest, RowsAsTheyAreKeepTheirOrder) {
  const Result<Table> table = RunQuery(*job_, "SELECT rank, ts_ns, name FROM kernels", {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  ASSERT_EQ(table->row_count(), 130'100U);
  for (std::size_t row = 1; row < table->row_count(); ++row) {
    const auto before = std::pair(table->Int(row - 1, 0), table->Int(row - 1, 1));
    ASSERT_LT(before, std::pair(table->Int(row, 0), table->Int(row, 1))) << row;
  }
  EXPECT_EQ(table->String(129'999, 2), "kernel_with_a_long_name_99");
}

TEST_F(ScanTest, ManyScansAtOnce) {
  std::string sql = "SELECT count(*) FROM (SELECT name FROM events";
  for (int i = 0; i < 9; ++i) sql += " UNION ALL SELECT name FROM kernels";
  EXPECT_EQ(Rows(sql + ")", 4), fmt::format("{}\r\n", 130'100 * 12));
}

TEST_F(ScanTest, ReaderKeepsNoMoreTracesOpenThanItMay) {
  JobReader reader(*job_, 2);
  std::weak_ptr<const OpenedTrace> first;
  {
    const auto opened = reader.Open(0);
    ASSERT_TRUE(opened.ok());
    first = *opened;
  }
  EXPECT_FALSE(first.expired());  // kept for the next scan
  const auto second = reader.Open(1);
  EXPECT_FALSE(first.expired());
  const auto third = reader.Open(2);
  EXPECT_TRUE(first.expired());  // made room
  const auto fourth = reader.Open(3);
  ASSERT_TRUE(second.ok() && third.ok() && fourth.ok());  // held ones stay open
  EXPECT_EQ((*second)->rank(), 1);
  EXPECT_EQ(reader.Open(1)->get(), second->get());
}

}  // namespace
}  // namespace rankscope::sql
