#include "mcp/progress.h"

#include <gtest/gtest.h>

namespace rankscope::mcp {
namespace {

app::ReadProgress At(std::uint64_t bytes) {
  return {.files_done = 1, .files = 8, .bytes_done = bytes, .bytes = 1000};
}

TEST(Progress, SaysHowFarItIs) {
  Progress progress("\"t\"", ProtocolVersion::k20250618);
  EXPECT_EQ(progress.After(At(0)),
            R"({"progressToken":"t","progress":0,"total":1000,"message":"reading 1 of 8 files"})");
  Progress old("7", ProtocolVersion::k20241105);
  EXPECT_EQ(old.After(At(500)), R"({"progressToken":7,"progress":500,"total":1000})");
}

TEST(Progress, OnlyRisesAndIsToldAHundredTimes) {
  Progress progress("1", ProtocolVersion::k20241105);
  int told = 0;
  for (std::uint64_t bytes = 0; bytes <= 1000; ++bytes) told += progress.After(At(bytes)) ? 1 : 0;
  EXPECT_EQ(told, 101);
  // Another reading.
  EXPECT_EQ(progress.After(At(0)), std::nullopt);
  EXPECT_EQ(progress.After(At(20)), R"({"progressToken":1,"progress":1020,"total":2000})");
}

TEST(Progress, OfAnUnknownSizeIsTotal) {
  Progress progress("1", ProtocolVersion::k20241105);
  EXPECT_EQ(progress.After({.bytes_done = 9}), R"({"progressToken":1,"progress":9,"total":9})");
  EXPECT_EQ(progress.After({.bytes_done = 9}), std::nullopt);
}

}  // namespace
}  // namespace rankscope::mcp
