#include "table/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "base/hash.h"
#include "table/random_table_for_test.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kTrailerBytes = 8;

Table Sample() {
  Table table("sample", {{.name = "rank", .type = ColumnType::kInt64, .doc = "The rank."},
                         {.name = "start", .type = ColumnType::kInt64, .unit = "ns"},
                         {.name = "busy", .type = ColumnType::kDouble, .unit = "%"},
                         {.name = "name", .type = ColumnType::kString},
                         {.name = "slow", .type = ColumnType::kBool}});
  for (int i = 0; i < 20; ++i) {
    table.AddRow({i, std::numeric_limits<std::int64_t>::min() + i, i * 0.1, "kernel", i % 2 == 0});
  }
  table.AddRow({kNull, std::numeric_limits<std::int64_t>::max(), kNull, kNull, kNull});
  return table;
}

void ExpectRoundTrip(const std::vector<Table>& tables) {
  const std::string bytes = EncodeTables(tables);
  const Result<std::vector<Table>> back = DecodeTables(bytes);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, tables);
  EXPECT_EQ(EncodeTables(*back), bytes);
}

// Makes damaged bytes pass the checksum, so that what lies behind it is tested too.
void Seal(std::string& bytes) {
  const std::size_t end = bytes.size() - kTrailerBytes;
  const std::uint64_t checksum = Checksum64(bytes.data() + kHeaderBytes, end - kHeaderBytes);
  std::memcpy(bytes.data() + end, &checksum, sizeof(checksum));
}

std::string MessageOf(std::string_view bytes) { return DecodeTables(bytes).status().message(); }

TEST(Codec, KeepsTables) {
  ExpectRoundTrip({});
  ExpectRoundTrip({Table()});
  ExpectRoundTrip({Sample()});
  ExpectRoundTrip(
      {Sample(), Table("empty", {{.name = "x", .type = ColumnType::kString}}), Sample()});
}

TEST(Codec, KeepsRandomTables) {
  RandomTables random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<Table> tables(random.Below(4));
    for (Table& table : tables) table = random.Make(60);
    ExpectRoundTrip(tables);
  }
}

TEST(Codec, KeepsNumbersAtEveryWidth) {
  for (const std::int64_t reach :
       {std::int64_t{0}, std::int64_t{0xFF}, std::int64_t{0x100}, std::int64_t{0xFFFF},
        std::int64_t{0x10000}, std::int64_t{0xFFFFFFFF}, std::int64_t{0x100000000},
        std::numeric_limits<std::int64_t>::max()}) {
    Table table("t", {{.name = "x"}});
    table.AddRow({std::int64_t{-1}});
    table.AddRow({reach - 1});
    ExpectRoundTrip({table});
  }
}

// Of several blocks of rows.
Table Large() {
  Table table("t", {{.name = "x"},
                    {.name = "flag", .type = ColumnType::kBool},
                    {.name = "text", .type = ColumnType::kString}});
  for (std::int64_t i = 0; i < 10'000; ++i)
    table.AddRow({i % 7 == 0 ? Value(kNull) : Value(i * i), i % 3 == 0,
                  std::string_view("texts").substr(0, static_cast<std::size_t>(i % 5))});
  return table;
}

TEST(Codec, KeepsManyRows) { ExpectRoundTrip({Large()}); }

TEST(Codec, RefusesNumbersBehindNulls) {
  Table table("t", {{.name = "x"}});
  table.AddRow({kNull});
  std::string bytes = EncodeTables(std::vector<Table>{table});
  bytes[bytes.size() - kTrailerBytes - 1] = 1;
  Seal(bytes);
  EXPECT_THAT(MessageOf(bytes), HasSubstr("a null number is not 0"));
}

TEST(Codec, PacksSmallNumbers) {
  Table table("t", {{.name = "timestamp", .unit = "ns"}});
  for (int i = 0; i < 1000; ++i) table.AddRow({std::int64_t{1'712'345'678'901'234'567} + i * 50});
  EXPECT_LT(EncodeTables(std::vector<Table>{table}).size(), 2100U);
}

TEST(Codec, HasAFixedForm) {
  Table table("t", {{.name = "x", .unit = "ns"}});
  table.AddRow({std::int64_t{3}});
  table.AddRow({kNull});
  const std::string bytes = EncodeTables(std::vector<Table>{table});
  const std::string payload(
      "\1\0\0\0"                 // tables
      "\1\0\0\0t"                // name
      "\1\0\0\0"                 // columns
      "\2\0\0\0\0\0\0\0"         // rows
      "\1\0\0\0x\0\2\0\0\0ns"    // column, type, unit
      "\0\0\0\0"                 // doc
      "\1\2"                     // nulls: the second
      "\0\0\0\0\0\0\0\0\1\3\0",  // packed from 0, a byte each
      4 + 5 + 4 + 8 + 12 + 4 + 2 + 11);
  EXPECT_EQ(bytes.substr(0, 8), std::string("RSTB\2\0\0\0", 8));
  EXPECT_EQ(bytes.substr(kHeaderBytes, bytes.size() - kHeaderBytes - kTrailerBytes), payload);
}

TEST(Codec, RefusesEveryTruncation) {
  const std::string bytes = EncodeTables(std::vector<Table>{Sample(), Sample()});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeTables(std::string_view(bytes).substr(0, size)).ok()) << size;
    if (size < kHeaderBytes + kTrailerBytes) continue;
    std::string sealed = bytes.substr(0, size);
    Seal(sealed);
    EXPECT_FALSE(DecodeTables(sealed).ok()) << size;
  }
}

TEST(Codec, RefusesEveryFlippedBit) {
  const std::string bytes = EncodeTables(std::vector<Table>{Sample()});
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(DecodeTables(damaged).status().code(), StatusCode::kBadData) << bit;
  }
}

TEST(Codec, SurvivesDamageBehindTheChecksum) {
  RandomTables random(3);
  const std::string bytes = EncodeTables(std::vector<Table>{Sample(), random.Make(30)});
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = bytes;
    for (std::size_t flips = 1 + random.Below(4); flips > 0; --flips) {
      damaged[kHeaderBytes + random.Below(damaged.size() - kHeaderBytes)] =
          static_cast<char>(random.Below(4) == 0 ? 0xFF : random.Below(256));
    }
    Seal(damaged);
    Result<std::vector<Table>> tables = DecodeTables(damaged);
    if (!tables.ok()) {
      EXPECT_THAT(tables.status().message(), HasSubstr("damaged at byte"));
      continue;
    }
    ++accepted;
    ExpectRoundTrip(*tables);
  }
  EXPECT_GT(accepted, 0) << "cells may hold any value";
}

TEST(Codec, FreeingWhileEncodingGivesTheSameBytes) {
  RandomTables random(4);
  std::vector<Table> tables(20);
  for (Table& table : tables) table = random.Make(60);
  tables.push_back(Large());
  const std::string bytes = EncodeTables(tables);
  std::string pieces;
  EncodeAndFree(std::move(tables), [&](std::string_view piece) { pieces.append(piece); });
  EXPECT_EQ(pieces, bytes);
}

TEST(Codec, RefusesClaimsWithoutData) {
  std::string bytes = EncodeTables(std::vector<Table>{Sample()});
  const std::uint64_t rows = std::numeric_limits<std::uint64_t>::max();
  std::memcpy(bytes.data() + kHeaderBytes + 4 + 4 + 6 + 4, &rows, sizeof(rows));
  Seal(bytes);
  EXPECT_THAT(MessageOf(bytes), HasSubstr("more rows than it can hold"));

  bytes = EncodeTables(std::vector<Table>{Table()});
  std::memcpy(bytes.data() + bytes.size() - kTrailerBytes - sizeof(rows), &rows, sizeof(rows));
  Seal(bytes);
  EXPECT_THAT(MessageOf(bytes), HasSubstr("without columns"));

  bytes = EncodeTables({});
  std::memset(bytes.data() + kHeaderBytes, 0xFF, 4);
  Seal(bytes);
  EXPECT_THAT(MessageOf(bytes), HasSubstr("ends too early"));
}

TEST(Codec, SaysWhatIsWrong) {
  EXPECT_THAT(MessageOf(""), HasSubstr("not encoded tables"));
  EXPECT_THAT(MessageOf(std::string(100, 'x')), HasSubstr("not encoded tables"));
  std::string bytes = EncodeTables(std::vector<Table>{Sample()});
  EXPECT_THAT(MessageOf(bytes + "x"), HasSubstr("checksum"));
  bytes.back() ^= 1;
  EXPECT_THAT(MessageOf(bytes), HasSubstr("checksum"));
  bytes[4] = 9;
  EXPECT_THAT(MessageOf(bytes), HasSubstr("version 9"));
  bytes = EncodeTables({}) + "x";
  Seal(bytes);
  EXPECT_THAT(MessageOf(bytes), HasSubstr("left over"));
}

}  // namespace
}  // namespace rankscope
