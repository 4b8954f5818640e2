#include "app/files_state.h"

#include <gtest/gtest.h>

#include "app/small_job_for_test.h"

namespace rankscope::app {
namespace {

using FilesStateTest = SmallJobTest;

TEST_F(FilesStateTest, StaysWhileNothingChanges) {
  EXPECT_EQ(StateOfFiles(spec_.paths), StateOfFiles(spec_.paths));
  EXPECT_NE(StateOfFiles(spec_.paths), "");
}

TEST_F(FilesStateTest, ChangesWithFiles) {
  const std::string before = StateOfFiles(spec_.paths);
  std::ofstream(folder_ / "rank2.json") << TraceOfRank(2);
  const std::string added = StateOfFiles(spec_.paths);
  EXPECT_NE(before, added);
  std::ofstream(folder_ / "rank2.json") << TraceOfRank(2) << "\n";
  EXPECT_NE(StateOfFiles(spec_.paths), added);
  std::filesystem::remove(folder_ / "rank2.json");
  EXPECT_EQ(StateOfFiles(spec_.paths), before);
}

TEST_F(FilesStateTest, OfNothingHasTheReason) {
  EXPECT_NE(StateOfFiles({"/nowhere/at/all"}).find("/nowhere/at/all"), std::string::npos);
}

}  // namespace
}  // namespace rankscope::app
