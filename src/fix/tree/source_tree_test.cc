#include "fix/tree/source_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace rankscope::fix {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SourceTreeTest : public testing::Test {
 protected:
  SourceTreeTest() {
    std::string pattern = testing::TempDir() + "/source_tree_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~SourceTreeTest() override { fs::remove_all(folder_); }

  void Put(const std::string& path, std::string_view text) {
    fs::create_directories(fs::path(folder_ + "/" + path).parent_path());
    std::ofstream(folder_ + "/" + path) << text;
  }
  std::string Text(const std::string& path) {
    return std::move(ReadFile(folder_ + "/" + path)).value();
  }

  std::string folder_;
};

std::vector<std::string> PathsOf(const SourceTree& tree) {
  std::vector<std::string> paths;
  for (const SourceText& file : tree.files) paths.push_back(file.path);
  return paths;
}

TEST_F(SourceTreeTest, HasPythonFilesAlone) {
  Put("b.py", "b");
  Put("a/c.py", "c");
  Put("a/text.txt", "");
  Put(".hidden/d.py", "");
  Put("__pycache__/e.py", "");
  Put("venv/pyvenv.cfg", "");
  Put("venv/f.py", "");
  const auto tree = ReadSourceTree(folder_);
  ASSERT_TRUE(tree.ok());
  EXPECT_THAT(PathsOf(*tree), ElementsAre("a/c.py", "b.py"));
  EXPECT_EQ(tree->files[0].text, "c");
  EXPECT_FALSE(tree->has_git);
}

TEST_F(SourceTreeTest, FollowsNoLinks) {
  Put("in/a.py", "a");
  Put("out/b.py", "b");
  fs::create_symlink(folder_ + "/out/b.py", folder_ + "/in/b.py");
  fs::create_directory_symlink(folder_ + "/out", folder_ + "/in/more");
  fs::create_symlink(folder_ + "/in/nowhere.py", folder_ + "/in/gone.py");
  const auto tree = ReadSourceTree(folder_ + "/in");
  ASSERT_TRUE(tree.ok());
  EXPECT_THAT(PathsOf(*tree), ElementsAre("a.py"));
  EXPECT_THAT(tree->unread, IsEmpty());
}

TEST_F(SourceTreeTest, SaysWhatIsTooMuch) {
  Put("a.py", "12345");
  Put("b.py", "1");
  Put("c.py", "1");
  Put("d.py", "1");
  const auto tree = ReadSourceTree(folder_, {.most_files = 2, .most_file_bytes = 4});
  ASSERT_TRUE(tree.ok());
  EXPECT_THAT(PathsOf(*tree), ElementsAre("b.py", "c.py"));
  ASSERT_EQ(tree->unread.size(), 2U);
  EXPECT_THAT(tree->unread[0].why, HasSubstr("it has over"));
  EXPECT_THAT(tree->unread[1].why, HasSubstr("too many files"));
}

TEST_F(SourceTreeTest, LeavesOddNamesAndPipes) {
  Put("a\nb.py", "");
  ASSERT_EQ(mkfifo((folder_ + "/pipe.py").c_str(), 0600), 0);
  const auto tree = ReadSourceTree(folder_);
  ASSERT_TRUE(tree.ok());
  EXPECT_THAT(PathsOf(*tree), IsEmpty());
  ASSERT_EQ(tree->unread.size(), 1U);
  EXPECT_THAT(tree->unread[0].why, HasSubstr("whose name has quotes, controls"));
}

TEST_F(SourceTreeTest, IsAnErrorWhereThereIsNone) {
  Put("a.py", "");
  EXPECT_EQ(ReadSourceTree(folder_ + "/none").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(ReadSourceTree(folder_ + "/a.py").status().code(), StatusCode::kNotFound);
}

FilePatch Patch(std::string path, std::string before, std::string after) {
  return {
      .path = std::move(path), .before = std::move(before), .after = std::move(after), .hunks = {}};
}

TEST_F(SourceTreeTest, WritesAndKeepsModes) {
  Put("a.py", "a");
  Put("b/c.py", "c");
  chmod((folder_ + "/a.py").c_str(), 0750);
  ASSERT_TRUE(WritePatches(folder_, {Patch("a.py", "a", "A"), Patch("b/c.py", "c", "C")}).ok());
  EXPECT_EQ(Text("a.py"), "A");
  EXPECT_EQ(Text("b/c.py"), "C");
  struct stat state;
  ASSERT_EQ(stat((folder_ + "/a.py").c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 07777U, 0750U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(SourceTreeTest, WritesNothingWhereAFileHasChanged) {
  Put("a.py", "a");
  Put("b.py", "other");
  const Status status = WritePatches(folder_, {Patch("a.py", "a", "A"), Patch("b.py", "b", "B")});
  EXPECT_EQ(status.code(), StatusCode::kBadData);
  EXPECT_THAT(status.message(), HasSubstr("b.py: the file has changed"));
  EXPECT_EQ(Text("a.py"), "a");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(SourceTreeTest, WritesThroughNoLink) {
  Put("out.py", "a");
  fs::create_symlink("out.py", folder_ + "/a.py");
  EXPECT_FALSE(WritePatches(folder_, {Patch("a.py", "a", "A")}).ok());
  EXPECT_EQ(Text("out.py"), "a");
}

TEST_F(SourceTreeTest, AFolderThatGitShouldKnowIsNotTakenForClean) {
  Put("a.py", "a");
  EXPECT_TRUE(CheckIsClean(folder_).ok());
  fs::create_directory(folder_ + "/.git");  // which is no repository
  EXPECT_THAT(CheckIsClean(folder_).message(), HasSubstr("git does not say"));
}

}  // namespace
}  // namespace rankscope::fix
