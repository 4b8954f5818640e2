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
