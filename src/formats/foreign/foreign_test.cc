#include "formats/foreign/foreign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

using ::testing::HasSubstr;
using namespace std::string_view_literals;

TEST(NameForeignFormatTest, ByContent) {
  EXPECT_THAT(NameForeignFormat("\xff\xfe{\0\"\0"sv, "a.json"), HasSubstr("UTF-16"));
  EXPECT_THAT(NameForeignFormat("\0{\0\"\0t"sv, "a.json"), HasSubstr("UTF-16"));
  EXPECT_THAT(NameForeignFormat("\x80\x04\x95\x01"sv, "a"), HasSubstr("_dump_snapshot"));
  EXPECT_THAT(NameForeignFormat("{\"schema\":\"1\",\"nodes\":[{\"op_schema\":\"\"", "a.json"),
              HasSubstr("execution trace"));
  EXPECT_THAT(NameForeignFormat("PAR1", "a"), HasSubstr("Parquet"));
}

TEST(NameForeignFormatTest, FlightRecorderDumps) {
  EXPECT_THAT(NameForeignFormat("\x80\x02}q\0(X\7\0\0\0versionq\1X\3\0\0\0"
                                "2.4q\2X\x9\0\0\0pg_config"sv,
                                "a"),
              HasSubstr("rankscope hang"));
  EXPECT_THAT(NameForeignFormat("{\"entries\":[{\"collective_seq_id\":1", "a.json"),
              HasSubstr("rankscope hang"));
  // Traces of Kineto state process groups as well.
  EXPECT_EQ(NameForeignFormat("{\"schemaVersion\": 1, \"distributedInfo\": {\"pg_config\": [], "
                              "\"version\": 1}",
                              "a.json"),
            "");
}

TEST(NameForeignFormatTest, Memory) {
  EXPECT_THAT(NameForeignFormat("SQLite format 3\0... CREATE TABLE device_traces (id"sv, "a.db"),
              HasSubstr("torch.cuda.memory._dump_snapshot(FILE)"));
  EXPECT_THAT(NameForeignFormat("SQLite format 3\0... CREATE TABLE leaks_dump (id"sv, "a.db"),
              HasSubstr("MindStudio"));
  EXPECT_EQ(NameForeignFormat("SQLite format 3\0... CREATE TABLE StringIds (id"sv, "a.db"), "");
  EXPECT_THAT(NameForeignFormat("[[5, 6], [[0, 1,", "a.json"), HasSubstr("rankscope memory FILE"));
  EXPECT_THAT(NameForeignFormat("[[-1, 1, 5, 7], [", "a.json"), HasSubstr("rankscope memory FILE"));
}

TEST(NameForeignFormatTest, ByNameWhereContentSaysNothing) {
  EXPECT_THAT(NameForeignFormat("????", "run.nsys-rep"), HasSubstr("Nsight Systems"));
  EXPECT_EQ(NameForeignFormat("????", "run.json"), "");
}

TEST(NameForeignFormatTest, AnyOtherJsonIsNothingKnown) {
  EXPECT_EQ(NameForeignFormat("{\"a\": 1}", "config.json"), "");
  EXPECT_EQ(NameForeignFormat("", "empty.json"), "");
}

}  // namespace
}  // namespace rankscope
