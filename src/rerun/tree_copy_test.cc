#include "rerun/tree_copy.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace rankscope::rerun {
namespace {

namespace fs = std::filesystem;

class TreeCopy : public testing::Test {
 protected:
  TreeCopy()
      : root_(testing::TempDir() + "tree_copy_" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
    for (const char* folder : {"code/pkg", "code/.git", "code/pkg/__pycache__", "data"})
      fs::create_directories(root_ + "/" + folder);
    for (const char* file : {"code/train.py", "code/pkg/a.py", "code/.git/HEAD",
                             "code/pkg/__pycache__/a.pyc", "data/d.bin"})
      EXPECT_TRUE(WriteFileAtomically(root_ + "/" + file, file).ok());
    fs::permissions(root_ + "/code/train.py", fs::perms::owner_all);
    fs::create_symlink("../data", root_ + "/code/data");
  }
  ~TreeCopy() override { fs::remove_all(root_); }

  std::string root_;
};

TEST_F(TreeCopy, HoldsTheCode) {
  const std::string copy = root_ + "/copy";
  ASSERT_TRUE(CopyTree(root_ + "/code", copy).ok());
  EXPECT_EQ(*ReadFile(copy + "/pkg/a.py"), "code/pkg/a.py");
  EXPECT_EQ(fs::status(copy + "/train.py").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::read_symlink(copy + "/data"), "../data");
  EXPECT_FALSE(fs::exists(copy + "/.git") || fs::exists(copy + "/pkg/__pycache__"));
}

TEST_F(TreeCopy, IsRefused) {
  EXPECT_EQ(CopyTree(root_ + "/not_there", root_ + "/copy").code(), StatusCode::kNotFound);
  // It would copy itself.
  EXPECT_EQ(CopyTree(root_, root_ + "/code/copy").code(), StatusCode::kInvalidArgument);
}

TEST_F(TreeCopy, WordsThatArePathsMeanTheCopy) {
  const std::string source = root_ + "/code";
  const auto in = [&](const std::string& word, const std::string& from) {
    return WordInCopy(word, source, "/copy", from);
  };
  EXPECT_EQ(in(source + "/train.py", source), "/copy/train.py");
  EXPECT_EQ(in("code/train.py", root_), "/copy/train.py");
  EXPECT_EQ(in("--script=code/train.py", root_), "--script=/copy/train.py");
  // A word that only looks like a folder, and what the copy's own folder is around.
  EXPECT_EQ(in("code", root_), "code");
  EXPECT_EQ(in("pkg", source), "pkg");
  EXPECT_EQ(in("pkg/a.py", source), "pkg/a.py");
}

TEST_F(TreeCopy, PathsInTheSourceMeanTheCopy) {
  const std::string source = root_ + "/code";
  const auto in = [&](const std::string& word, const std::string& from) {
    return InCopy(word, source, "/copy", from);
  };
  EXPECT_EQ(in(source + "/pkg/a.py", "/"), "/copy/pkg/a.py");
  EXPECT_EQ(in("train.py", source), "/copy/train.py");
  EXPECT_EQ(in("code/train.py", root_), "/copy/train.py");
  EXPECT_EQ(in(source, "/"), "/copy");
  EXPECT_EQ(in("pkg/../train.py", source), "/copy/train.py");
  for (const char* other : {"", "--lr", "1e-3", "not_there.py", "../data/d.bin"})
    EXPECT_EQ(in(other, source), other);
}

}  // namespace
}  // namespace rankscope::rerun
