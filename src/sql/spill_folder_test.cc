#include "sql/spill_folder.h"

#include <gtest/gtest.h>

#include "sql/job_for_test.h"

namespace rankscope::sql {
namespace {

namespace fs = std::filesystem;

TEST(SpillFolder, IsPrivateAndGoesWithWhatIsInIt) {
  const TempFolder parent;
  {
    const auto folder = SpillFolder::Create(parent.path());
    ASSERT_TRUE(folder.ok()) << folder.status().message();
    const fs::path path = (*folder)->path();
    EXPECT_EQ(path.parent_path(), parent.path());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    ASSERT_TRUE(WriteFileAtomically(path / "spilled", "data").ok());
  }
  EXPECT_EQ(parent.file_count(), 0U);
}

TEST(SpillFolder, OneInUseIsLeftAlone) {
  const TempFolder parent;
  const auto first = SpillFolder::Create(parent.path());
  const auto second = SpillFolder::Create(parent.path());
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_TRUE(fs::exists((*first)->path()));
  EXPECT_EQ(parent.file_count(), 2U);
}

TEST(SpillFolder, OneOfADeadProcessIsRemoved) {
  const TempFolder parent;
  const fs::path abandoned = parent / "rankscope-spill-abcdef";
  fs::create_directories(abandoned / "data");
  ASSERT_TRUE(WriteFileAtomically(abandoned / "lock", "").ok());
  ASSERT_TRUE(WriteFileAtomically(abandoned / "data" / "block", "much").ok());
  fs::create_directory(parent / "rankscope-spill-ghijkl");  // about to get its lock
  fs::create_directory(parent / "other");
  const auto folder = SpillFolder::Create(parent.path());
  ASSERT_TRUE(folder.ok());
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_EQ(parent.file_count(), 3U);
}

}  // namespace
}  // namespace rankscope::sql
