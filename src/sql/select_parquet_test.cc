#include "sql/select_parquet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "sql/job_for_test.h"
#include "sql/parquet.h"
#include "sql/session.h"
#include "sql/sessions_opened.h"
#include "table/write_csv.h"

namespace rankscope::sql {
namespace {

using ::testing::HasSubstr;

class SelectParquetTest : public TwoRanks {
 protected:
  void SetUp() override {
    Table table("kernels", {{"rank", ColumnType::kInt64, "", "Of which rank."},
                            {"a \"name\"", ColumnType::kString},
                            {"dur", ColumnType::kDouble, "ns"},
                            {"late", ColumnType::kBool}});
    table.AddRow({std::int64_t{0}, "it's a gemm", 5.0, true});
    table.AddRow({std::int64_t{1}, "copy", kNull, false});
    table.AddRow({std::int64_t{2}, kNull, 1.5, kNull});
    table.AddRow({std::int64_t{10}, "gemm 2", 5.0, true});
    const Status written = WriteParquet(table, path_);
    ASSERT_TRUE(written.ok()) << written.message();
  }

  struct SelectedRows {
    Table table;
    std::uint64_t row_count = 0;
    int pieces = 0;
  };

  Result<SelectedRows> Select(const std::vector<std::string>& conditions,
                              ParquetSelection selection = {}) {
    for (const std::string& text : conditions) {
      const auto condition = ParseCondition(text);
      if (!condition.ok()) return condition.status();
      selection.conditions.push_back(*condition);
    }
    SelectedRows selected;
    RS_RETURN_IF_ERROR(reader_.Stream(path_, "kernels", selection,
                                      [&](const Table& rows, std::uint64_t row_count) {
                                        if (selected.pieces++ == 0) {
                                          selected.table = rows;
                                        } else {
                                          selected.table.Append(Table(rows));
                                        }
                                        selected.row_count = row_count;
                                        return OkStatus();
                                      }));
    return selected;
  }
  std::string Ranks(const std::vector<std::string>& conditions, ParquetSelection selection = {}) {
    selection.columns = {"rank"};
    const auto selected = Select(conditions, selection);
    if (!selected.ok()) return selected.status().message();
    std::string text;
    for (std::size_t row = 0; row < selected->table.row_count(); ++row)
      text += (row > 0 ? " " : "") + std::to_string(selected->table.Int(row, std::size_t{0}));
    return text + " of " + std::to_string(selected->row_count);
  }

  ParquetReader reader_{std::uint64_t{256} << 20, 2};
  const std::string path_ = folder_ / "odd [1]*'?.parquet";
};

TEST_F(SelectParquetTest, TurnsAreAsManyAsDatabasesAndComeBack) {
  ParquetReader reader(std::uint64_t{256} << 20, 2);
  auto first = reader.TryTurn();
  auto second = reader.TryTurn();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(reader.TryTurn(), nullptr);
  const auto take = [](const Table&, std::uint64_t) { return OkStatus(); };
  // It reads in the turn that it was handed, and gives that back, also when it fails.
  EXPECT_TRUE(reader.Stream(path_, "kernels", {}, take, std::move(first)).ok());
  first = reader.TryTurn();
  ASSERT_TRUE(first);
  EXPECT_FALSE(reader.Stream(path_ + ".none", "kernels", {}, take, std::move(first)).ok());
  EXPECT_TRUE(reader.TryTurn()) << "and one that nobody used";
  // Who may wait does, and reads when a turn is given back.
  first = reader.TryTurn();
  std::atomic<bool> has_read = false;
  std::thread waits([&] {
    EXPECT_TRUE(reader.Stream(path_, "kernels", {}, take).ok());
    has_read = true;
  });
  EXPECT_FALSE(has_read);
  second.reset();
  waits.join();
  EXPECT_TRUE(has_read);
}

TEST_F(SelectParquetTest, GivesEverythingAsItWas) {
  const auto selected = Select({});
  ASSERT_TRUE(selected.ok()) << selected.status().message();
  EXPECT_EQ(selected->row_count, 4u);
  ASSERT_EQ(selected->table.column_count(), 4u);
  EXPECT_EQ(selected->table.columns()[0].doc, "Of which rank.");
  EXPECT_EQ(selected->table.columns()[2].unit, "ns");
  EXPECT_TRUE(selected->table.IsNull(1, 2));
  EXPECT_EQ(selected->table.String(0, std::size_t{1}), "it's a gemm");
}

TEST_F(SelectParquetTest, Filters) {
  EXPECT_EQ(Ranks({"rank=10"}), "10 of 1");
  EXPECT_EQ(Ranks({"rank>=1", "rank<10"}), "1 2 of 2");
  EXPECT_EQ(Ranks({"a \"name\"~gemm"}), "0 10 of 2");
  EXPECT_EQ(Ranks({"a \"name\"=it's a gemm"}), "0 of 1");
  EXPECT_EQ(Ranks({"late=true"}), "0 10 of 2");
  EXPECT_EQ(Ranks({"dur="}), "1 of 1");
  EXPECT_EQ(Ranks({"dur!="}), "0 2 10 of 3");
  EXPECT_EQ(Ranks({"dur<=1.5"}), "2 of 1");
}

TEST_F(SelectParquetTest, SortsStablyWithUnknownLast) {
  EXPECT_EQ(Ranks({}, {.sort = {{"dur", true}}}), "0 10 2 1 of 4");
  EXPECT_EQ(Ranks({}, {.sort = {{"dur", true}, {"rank", true}}}), "10 0 2 1 of 4");
  EXPECT_EQ(Ranks({}, {.sort = {{"dur", false}}, .offset = 1, .limit = 2}), "0 10 of 4");
}

TEST_F(SelectParquetTest, SaysWhatIsWrong) {
  EXPECT_THAT(Ranks({"ranks=1"}), HasSubstr("no column 'ranks'; there are rank, a \"name\""));
  EXPECT_THAT(Ranks({"rank"}), HasSubstr("is no condition"));
  EXPECT_THAT(Ranks({"=3"}), HasSubstr("is no condition"));
  EXPECT_THAT(Ranks({"rank=three"}), HasSubstr("three"));
  EXPECT_EQ(Select({"rank=three"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Ranks({"rank=1) OR (1=1"}), HasSubstr("1) OR (1=1"));
}

TEST_F(SelectParquetTest, RowsComeInPiecesAndInOrder) {
  Table table("kernels", {{"rank", ColumnType::kInt64}, {"text", ColumnType::kString}});
  constexpr std::int64_t kRows = 20'000;
  for (std::int64_t i = 0; i < kRows; ++i) table.AddRow({i, std::to_string(i % 7)});
  ASSERT_TRUE(WriteParquet(table, path_).ok());
  const auto selected = Select({"text!=3"}, {.offset = 100, .limit = 15'000});
  ASSERT_TRUE(selected.ok()) << selected.status().message();
  EXPECT_GT(selected->pieces, 3);
  ASSERT_EQ(selected->table.row_count(), 15'000U);
  for (std::size_t row = 1; row < 15'000; ++row) {
    ASSERT_LT(selected->table.Int(row - 1, std::size_t{0}),
              selected->table.Int(row, std::size_t{0}));
  }
  const auto none = Select({"rank<0"});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->table.column_count(), 2U);
  EXPECT_EQ(none->pieces, 1);
}

TEST_F(SelectParquetTest, CopiesAsWriteParquetWrites) {
  const std::string to = folder_ / "copy.parquet";
  const auto count = reader_.Copy(path_, "kernels", {.sort = {{"rank", true}}, .limit = 3}, to);
  ASSERT_TRUE(count.ok()) << count.status().message();
  EXPECT_EQ(*count, 4U);
  Table read;
  ASSERT_TRUE(reader_
                  .Stream(to, "kernels", {},
                          [&](const Table& rows, std::uint64_t) {
                            read = rows;
                            return OkStatus();
                          })
                  .ok());
  EXPECT_EQ(WriteCsv(read),
            "rank,\"a \"\"name\"\"\",dur,late\r\n10,gemm 2,5,true\r\n2,,1.5,\r\n1,copy,,false\r\n");
  EXPECT_EQ(read.columns()[0].doc, "Of which rank.");
  EXPECT_EQ(read.columns()[2].unit, "ns");
}

TEST_F(SelectParquetTest, ManyThreadsShareFewDatabases) {
  const std::int64_t before = SessionsOpened();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { EXPECT_EQ(Ranks({}), "0 1 2 10 of 4"); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(SessionsOpened() - before, 2);
}

TEST_F(SelectParquetTest, WhoTakesMayEndIt) {
  const Status ended = reader_.Stream(path_, "kernels", {}, [](const Table&, std::uint64_t) {
    return Error(StatusCode::kResource, "full");
  });
  EXPECT_EQ(ended.message(), "full");
  EXPECT_EQ(Ranks({}), "0 1 2 10 of 4");
}

TEST_F(SelectParquetTest, DamageIsNotTheCallersFault) {
  std::ofstream(path_, std::ios::binary) << "PAR1 nothing of the kind PAR1";
  EXPECT_EQ(Select({}).status().code(), StatusCode::kBadData);
}

}  // namespace
}  // namespace rankscope::sql
