// What a process names to the agent, and what it could lead it to.
#include "agent/captures/process_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr uid_t kProcessFolderNobody = 65534;

class ProcessFolderTest : public ::testing::Test {
 protected:
  ProcessFolderTest() : folder_(testing::TempDir() + "/process" + std::to_string(getpid())) {
    fs::create_directories(folder_ + "/tree/proc/7");
    fs::create_directories(folder_ + "/jail/tmp");
    fs::create_directory_symlink(folder_ + "/jail", folder_ + "/tree/proc/7/root");
    Status(user_);
    std::ofstream(folder_ + "/tree/proc/7/stat")
        << "7 (a) b) S 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5000\n";
  }
  ~ProcessFolderTest() override { fs::remove_all(folder_); }

  void Status(uid_t uid) {
    std::ofstream(folder_ + "/tree/proc/7/status")
        << fmt::format("Uid:\t{0}\nGid:\t{0}\nGroups:\t\nCapEff:\t0\n", uid);
  }
  Result<std::shared_ptr<const ProcessFolder>> Open(const std::string& path) {
    return ProcessFolder::Open(folder_ + "/tree", {.pid = 7, .uid = user_, .start_ticks = 5000},
                               path);
  }
  // To the process's user, which without root is this one.
  void Give(const std::string& name) {
    EXPECT_EQ(lchown((folder_ + "/" + name).c_str(), user_, static_cast<gid_t>(-1)), 0);
  }
  void Write(const std::string& name) {
    std::ofstream(folder_ + "/" + name) << "{}";
    Give(name);
  }
  std::string Refusal(std::string_view name) {
    const auto file = (*Open("/tmp/x"))->Find(name, 0);
    return file.ok() ? "" : file.status().message();
  }

  const std::string folder_;
  // Root tries what nobody could have done.
  const uid_t user_ = geteuid() == 0 ? kProcessFolderNobody : geteuid();
};

TEST_F(ProcessFolderTest, AFileOfTheProcessIsReadAndRemoved) {
  Give("jail/tmp");
  Write("jail/tmp/t.json");
  const auto folder = Open("/tmp/t.json");
  ASSERT_TRUE(folder.ok()) << folder.status().message();
  const auto file = (*folder)->Find("t.json", 0);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ((*file)->bytes(), 2);
  EXPECT_EQ((*file)->path(), "/tmp/t.json");
  ASSERT_TRUE((*file)->WriteBeside(".side", "text").ok());
  struct stat status {};
  ASSERT_EQ(stat((folder_ + "/jail/tmp/t.json.side").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, user_);
  EXPECT_TRUE((*file)->Remove());
  EXPECT_FALSE(fs::exists(folder_ + "/jail/tmp/t.json"));
  EXPECT_FALSE((*file)->Remove());
}

TEST_F(ProcessFolderTest, LinksAreFollowedWithinItsRootAlone) {
  fs::create_directories(folder_ + "/jail/data");
  fs::create_directories(folder_ + "/out");
  fs::create_directory_symlink("/data", folder_ + "/jail/link");
  fs::create_directory_symlink("../../../../.." + folder_ + "/out", folder_ + "/jail/leaves");
  Write("jail/data/t.json");
  EXPECT_TRUE((*Open("/link/t.json"))->Find("t.json", 0).ok());
  EXPECT_FALSE(Open("/leaves/t.json").ok());
  EXPECT_FALSE(Open("/../../out/t.json").ok());
}

TEST_F(ProcessFolderTest, WhatIsNoneOfItsFilesIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "takes files of others";
  const std::string tmp = folder_ + "/jail/tmp/";
  std::ofstream(tmp + "roots") << "secret";
  chmod((tmp + "roots").c_str(), 0644);
  EXPECT_THAT(Refusal("roots"), HasSubstr("belongs to user 0"));
  fs::create_symlink("roots", tmp + "link");
  EXPECT_THAT(Refusal("link"), HasSubstr("is a link"));
  Write("jail/tmp/own");
  fs::create_hard_link(tmp + "own", tmp + "second");
  EXPECT_THAT(Refusal("own"), HasSubstr("several names"));
  ASSERT_EQ(mkfifo((tmp + "pipe").c_str(), 0666), 0);
  ASSERT_EQ(lchown((tmp + "pipe").c_str(), user_, user_), 0);
  EXPECT_THAT(Refusal("pipe"), HasSubstr("no regular file"));
  fs::create_directory(tmp + "folder");
  EXPECT_THAT(Refusal("folder"), HasSubstr("no regular file"));
}

TEST_F(ProcessFolderTest, AFolderThatItsUserCannotOpenIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "takes folders of others";
  fs::create_directories(folder_ + "/jail/root/inner");
  chmod((folder_ + "/jail/root").c_str(), 0700);
  EXPECT_THAT(Open("/root/inner/t.json").status().message(), HasSubstr("cannot open this folder"));
}

// Kineto writes into folders that are there.
TEST_F(ProcessFolderTest, AFolderThatIsMissingIsMadeAsItsUser) {
  Give("jail/tmp");
  const std::string path = "/tmp/job/traces/t.json";
  EXPECT_EQ(Open(path).status().code(), StatusCode::kNotFound);
  const rankscope::Status made =
      ProcessFolder::Make(folder_ + "/tree", {.pid = 7, .uid = user_, .start_ticks = 5000}, path);
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_TRUE(Open(path).ok());
  struct stat status {};
  ASSERT_EQ(stat((folder_ + "/jail/tmp/job/traces").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, user_);
  if (geteuid() != 0) return;
  // Where he may not, it is not made.
  fs::create_directories(folder_ + "/jail/roots");
  chmod((folder_ + "/jail/roots").c_str(), 0755);
  const rankscope::Status refused = ProcessFolder::Make(
      folder_ + "/tree", {.pid = 7, .uid = user_, .start_ticks = 5000}, "/roots/job/t.json");
  EXPECT_THAT(refused.message(), HasSubstr("cannot make it: Permission denied"));
  EXPECT_FALSE(fs::exists(folder_ + "/jail/roots/job"));
}

TEST_F(ProcessFolderTest, AFileOfBeforeIsNone) {
  Write("jail/tmp/t.json");
  const auto file = (*Open("/tmp/t.json"))->Find("t.json", 0);
  ASSERT_TRUE(file.ok());
  const auto later = (*Open("/tmp/t.json"))->Find("t.json", (*file)->changed_unix_ms() + 1001);
  EXPECT_EQ(later.status().code(), StatusCode::kNotFound);
}

TEST_F(ProcessFolderTest, AnotherFileUnderTheNameStays) {
  Give("jail/tmp");
  Write("jail/tmp/t.json");
  const auto file = (*Open("/tmp/t.json"))->Find("t.json", 0);
  fs::rename(folder_ + "/jail/tmp/t.json", folder_ + "/jail/tmp/elsewhere");
  Write("jail/tmp/t.json");
  EXPECT_FALSE((*file)->Remove());
  EXPECT_TRUE(fs::exists(folder_ + "/jail/tmp/t.json"));
}

TEST_F(ProcessFolderTest, AnotherProcessOfTheNumberIsNone) {
  std::ofstream(folder_ + "/tree/proc/7/stat")
      << "7 (a) S 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5001\n";
  EXPECT_THAT(Open("/tmp/t.json").status().message(), HasSubstr("has ended"));
}

TEST_F(ProcessFolderTest, AProcessThatIsAnotherUsersByNowIsRefused) {
  Status(user_ + 1);
  EXPECT_THAT(Open("/tmp/t.json").status().message(), HasSubstr("is of user"));
}

TEST(Paths, AreCutAtTheLastSlash) {
  EXPECT_EQ(FolderOf("/a/b.json"), "/a");
  EXPECT_EQ(FolderOf("/b.json"), "/");
  EXPECT_EQ(FolderOf("b.json"), "");
  EXPECT_EQ(NameOf("/a/b.json"), "b.json");
  EXPECT_EQ(NameOf("b.json"), "b.json");
}

}  // namespace
}  // namespace rankscope::agent
