#include "mcp/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Explained, FindingsVerdictsAndTables) {
  EXPECT_THAT(*Explained("host-sync"), StartsWith("# "));
  EXPECT_THAT(*Explained("profiler-overhead"), HasSubstr("profiler"));
  EXPECT_THAT(*Explained("step_times"), HasSubstr("\nColumns:\n- "));
  EXPECT_THAT(*Explained("events"), HasSubstr("A view of SQL"));
  EXPECT_THAT(*Explained("diff_ops"), HasSubstr("The tool diff"));
}

TEST(Explained, WithoutIdListsAll) {
  const std::string all = *Explained("");
  for (const char* line : {"\n- host-sync: ", "\n- profiler-overhead: ", "\n- step_times: "})
    EXPECT_THAT(all, HasSubstr(line));
}

TEST(Explained, SaysWhatMayBeMeant) {
  EXPECT_EQ(Explained("host-snyc").status().message(),
            "there is no finding, verdict or table 'host-snyc'; did you mean host-sync? explain "
            "without id lists all");
  EXPECT_FALSE(TableExplained("host-sync").ok());
}

}  // namespace
}  // namespace rankscope::mcp
