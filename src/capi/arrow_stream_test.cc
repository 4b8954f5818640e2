#include "capi/arrow_stream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "table/table.h"

namespace rankscope::capi {
namespace {

Table TableOfAllTypes() {
  return Table("things", {{.name = "number", .unit = "ns", .doc = "How long."},
                          {.name = "real", .type = ColumnType::kDouble},
                          {.name = "text", .type = ColumnType::kString},
                          {.name = "flag", .type = ColumnType::kBool}});
}

Table ThreeRows() {
  Table table = TableOfAllTypes();
  table.AddRow({std::int64_t{7}, 0.5, std::string_view("ab"), true});
  table.AddRow({kNull, kNull, kNull, kNull});
  table.AddRow({std::int64_t{-1}, 2.0, std::string_view("ab"), false});
  return table;
}

// A reader that releases what it was given.
struct Read {
  ArrowArrayStream stream{};
  ArrowSchema schema{};
  ArrowArray batch{};

  explicit Read(Table table, TextForm form = TextForm::kPlain)
      : Read(std::make_shared<const ArrowColumns>(std::move(table)), form) {}
  Read(std::shared_ptr<const ArrowColumns> columns, TextForm form) {
    stream = ExportStream(std::move(columns), form);
    EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_EQ(stream.get_next(&stream, &batch), 0);
  }
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;
  ~Read() {
    if (stream.release != nullptr) stream.release(&stream);
    if (schema.release != nullptr) schema.release(&schema);
    if (batch.release != nullptr) batch.release(&batch);
  }
  template <typename T>
  const T* Buffer(int column, int buffer) const {
    return static_cast<const T*>(batch.children[column]->buffers[buffer]);
  }
};

std::int32_t NumberAt(const char*& at) {
  std::int32_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  at += sizeof(value);
  return value;
}

std::string TextAt(const char*& at) {
  const std::int32_t size = NumberAt(at);
  std::string text(at, static_cast<std::size_t>(size));
  at += size;
  return text;
}

std::map<std::string, std::string> MetadataOf(const ArrowSchema& schema) {
  std::map<std::string, std::string> pairs;
  const char* at = schema.metadata;
  if (at == nullptr) return pairs;
  for (std::int32_t left = NumberAt(at); left > 0; --left) {
    std::string key = TextAt(at);
    pairs[std::move(key)] = TextAt(at);
  }
  return pairs;
}

using Pairs = std::map<std::string, std::string>;

TEST(ArrowStream, SchemaNamesTypesUnitsAndDocs) {
  const Read read(ThreeRows());
  EXPECT_STREQ(read.schema.format, "+s");
  EXPECT_EQ(MetadataOf(read.schema), (Pairs{{"name", "things"}}));
  ASSERT_EQ(read.schema.n_children, 4);
  std::string all;
  for (int i = 0; i < 4; ++i) {
    const ArrowSchema& column = *read.schema.children[i];
    all += std::string(column.name) + " " + column.format + ";";
    EXPECT_EQ(column.flags, ARROW_FLAG_NULLABLE);
    EXPECT_EQ(column.dictionary, nullptr);
  }
  EXPECT_EQ(all, "number l;real g;text U;flag b;");
  EXPECT_EQ(MetadataOf(*read.schema.children[0]), (Pairs{{"unit", "ns"}, {"doc", "How long."}}));
  EXPECT_EQ(read.schema.children[1]->metadata, nullptr);
}

TEST(ArrowStream, LayoutOfEachType) {
  const Read read(ThreeRows());
  EXPECT_EQ(read.batch.length, 3);
  EXPECT_EQ(read.batch.null_count, 0);
  EXPECT_EQ(read.batch.n_buffers, 1);
  EXPECT_EQ(read.batch.buffers[0], nullptr);
  ASSERT_EQ(read.batch.n_children, 4);
  for (int i = 0; i < 4; ++i) {
    const ArrowArray& column = *read.batch.children[i];
    EXPECT_EQ(column.length, 3);
    EXPECT_EQ(column.offset, 0);
    EXPECT_EQ(column.null_count, 1);
    EXPECT_EQ(column.n_buffers, i == 2 ? 3 : 2);
    EXPECT_EQ(read.Buffer<std::uint8_t>(i, 0)[0], 0b101);
  }
  EXPECT_EQ(read.Buffer<std::int64_t>(0, 1)[0], 7);
  EXPECT_EQ(read.Buffer<std::int64_t>(0, 1)[2], -1);
  EXPECT_EQ(read.Buffer<double>(1, 1)[0], 0.5);
  EXPECT_EQ(read.Buffer<double>(1, 1)[2], 2.0);
  const auto* const offsets = read.Buffer<std::int64_t>(2, 1);
  EXPECT_EQ(std::vector<std::int64_t>(offsets, offsets + 4),
            (std::vector<std::int64_t>{0, 2, 2, 4}));
  EXPECT_EQ(std::string(read.Buffer<char>(2, 2), 4), "abab");
  EXPECT_EQ(read.Buffer<std::uint8_t>(3, 1)[0] & 0b111, 0b001);
}

TEST(ArrowStream, WithoutNullsThereIsNoBitmap) {
  Table table("t", {{.name = "a"}});
  table.AddRow({std::int64_t{1}});
  const Read read(std::move(table));
  EXPECT_EQ(read.batch.children[0]->null_count, 0);
  EXPECT_EQ(read.batch.children[0]->buffers[0], nullptr);
}

TEST(ArrowStream, BitmapsOfManyRows) {
  Table table("t", {{.name = "a", .type = ColumnType::kBool}});
  for (int row = 0; row < 130; ++row)
    table.AddRow({row % 3 == 0 ? Value(kNull) : Value(row % 5 == 0)});
  const Read read(std::move(table));
  EXPECT_EQ(read.batch.children[0]->null_count, 44);
  for (int row = 0; row < 130; ++row) {
    const auto bit = [&](int buffer) {
      return (read.Buffer<std::uint8_t>(0, buffer)[row / 8] >> (row % 8)) & 1;
    };
    EXPECT_EQ(bit(0), row % 3 == 0 ? 0 : 1) << row;
    EXPECT_EQ(bit(1), row % 3 != 0 && row % 5 == 0 ? 1 : 0) << row;
  }
}

TEST(ArrowStream, NumbersAndTextsAreNotCopied) {
  const auto columns = std::make_shared<const ArrowColumns>(ThreeRows());
  const Read one(columns, TextForm::kPlain);
  const Read other(columns, TextForm::kPlain);
  for (const auto& [column, buffer] : std::vector<std::pair<int, int>>{{0, 1}, {1, 1}, {2, 2}}) {
    EXPECT_EQ(one.Buffer<char>(column, buffer), other.Buffer<char>(column, buffer));
  }
  EXPECT_EQ(one.Buffer<std::int64_t>(0, 1), columns->columns()[0].ints.data());
  EXPECT_EQ(one.Buffer<double>(1, 1), columns->columns()[1].doubles.data());
  EXPECT_EQ(one.Buffer<char>(2, 2), columns->columns()[2].text.data());
}

TEST(ArrowStream, TextsAsADictionary) {
  const Read read(ThreeRows(), TextForm::kDictionary);
  const ArrowSchema& schema = *read.schema.children[2];
  EXPECT_STREQ(schema.format, "i");
  ASSERT_NE(schema.dictionary, nullptr);
  EXPECT_STREQ(schema.dictionary->format, "U");
  const ArrowArray& codes = *read.batch.children[2];
  EXPECT_EQ(codes.n_buffers, 2);
  EXPECT_EQ(codes.null_count, 1);
  EXPECT_EQ(read.Buffer<std::uint8_t>(2, 0)[0], 0b101);
  const auto* const numbers = read.Buffer<std::int32_t>(2, 1);
  EXPECT_EQ(std::vector<std::int32_t>(numbers, numbers + 3), (std::vector<std::int32_t>{0, 0, 0}));
  ASSERT_NE(codes.dictionary, nullptr);
  EXPECT_EQ(codes.dictionary->length, 1);
  EXPECT_EQ(std::string(static_cast<const char*>(codes.dictionary->buffers[2]), 2), "ab");
  // Columns of other types are as they are.
  EXPECT_STREQ(read.schema.children[0]->format, "l");
  EXPECT_EQ(read.batch.children[0]->dictionary, nullptr);
}

TEST(ArrowStream, ATableWithoutRowsIsABatchWithoutRows) {
  const Read read(TableOfAllTypes());
  ASSERT_NE(read.batch.release, nullptr);
  EXPECT_EQ(read.batch.length, 0);
  ASSERT_EQ(read.batch.n_children, 4);
  for (int i = 0; i < 4; ++i) EXPECT_NE(read.Buffer<char>(i, 1), nullptr);
  EXPECT_EQ(read.Buffer<std::int64_t>(2, 1)[0], 0);
  const Read coded(TableOfAllTypes(), TextForm::kDictionary);
  EXPECT_EQ(coded.batch.children[2]->dictionary->length, 0);
}

TEST(ArrowStream, ATableWithoutColumnsHasNoBatch) {
  const Read read{Table()};
  EXPECT_EQ(read.schema.n_children, 0);
  EXPECT_EQ(read.batch.release, nullptr);
}

TEST(ArrowStream, EndsBehindItsBatch) {
  Read read(ThreeRows());
  for (int i = 0; i < 2; ++i) {
    ArrowArray end{};
    end.length = 5;
    EXPECT_EQ(read.stream.get_next(&read.stream, &end), 0);
    EXPECT_EQ(end.release, nullptr);
    EXPECT_EQ(read.stream.get_last_error(&read.stream), nullptr);
  }
}

TEST(ArrowStream, ColumnsOfOneNameAreTold) {
  const Read read(Table("t", {{.name = "a"}, {.name = "a"}}));
  EXPECT_STREQ(read.schema.children[0]->name, "a");
  EXPECT_STREQ(read.schema.children[1]->name, "a_1");
}

// Who still holds the memory.
TEST(ArrowStream, EachPartHoldsTheColumnsUntilItIsReleased) {
  auto columns = std::make_shared<const ArrowColumns>(ThreeRows());
  const std::weak_ptr<const ArrowColumns> held = columns;
  auto read = std::make_optional<Read>(std::move(columns), TextForm::kDictionary);
  read->stream.release(&read->stream);
  EXPECT_EQ(read->stream.release, nullptr);
  EXPECT_FALSE(held.expired());
  // A reader that moves a column out of its batch, as the interface allows, and releases it last.
  ArrowArray column = *read->batch.children[0];
  read->batch.children[0]->release = nullptr;
  read->batch.release(&read->batch);
  EXPECT_EQ(read->batch.release, nullptr);
  EXPECT_FALSE(held.expired());
  EXPECT_EQ(static_cast<const std::int64_t*>(column.buffers[1])[0], 7);
  column.release(&column);
  EXPECT_EQ(column.release, nullptr);
  EXPECT_TRUE(held.expired());
}

TEST(ArrowStream, ASchemaNeedsNoColumns) {
  ArrowSchema schema = ExportSchema(ArrowColumns(ThreeRows()), TextForm::kDictionary);
  ArrowSchema column = *schema.children[2];
  schema.children[2]->release = nullptr;
  schema.release(&schema);
  EXPECT_EQ(schema.release, nullptr);
  EXPECT_STREQ(column.name, "text");
  EXPECT_STREQ(column.dictionary->format, "U");
  column.release(&column);
}

}  // namespace
}  // namespace rankscope::capi
