#include "agent/spool_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace rankscope::agent {
namespace {

using ::testing::HasSubstr;

class SpoolFolderTest : public ::testing::Test {
 protected:
  SpoolFolderTest() : folder_(testing::TempDir() + "/spool" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~SpoolFolderTest() override { std::filesystem::remove_all(folder_); }
  const std::string folder_;
};

TEST_F(SpoolFolderTest, IsMadeForTheAgentAlone) {
  const std::string spool = folder_ + "/new";
  ASSERT_EQ(*OwnSpoolFolder(spool), spool);
  EXPECT_EQ(std::filesystem::status(spool).permissions(), std::filesystem::perms::owner_all);
  EXPECT_TRUE(OwnSpoolFolder(spool).ok()) << "again";
}

TEST_F(SpoolFolderTest, WhatOthersMayWriteToIsRefused) {
  const std::string spool = folder_ + "/open";
  std::filesystem::create_directory(spool);
  chmod(spool.c_str(), 0770);
  EXPECT_THAT(OwnSpoolFolder(spool).status().message(),
              HasSubstr("a folder of the agent's own, with mode 700"));
  std::filesystem::create_directory_symlink(spool, folder_ + "/link");
  EXPECT_THAT(OwnSpoolFolder(folder_ + "/link").status().message(), HasSubstr("no folder"));
  EXPECT_THAT(OwnSpoolFolder(folder_ + "/none/below").status().message(),
              HasSubstr("cannot be made"));
  if (geteuid() != 0) return;
  chmod(spool.c_str(), 0700);
  ASSERT_EQ(chown(spool.c_str(), 1, 1), 0);
  EXPECT_THAT(OwnSpoolFolder(spool).status().message(), HasSubstr("belongs to user 1"));
}

TEST_F(SpoolFolderTest, CheckingMakesNothing) {
  EXPECT_TRUE(CheckSpoolFolder(folder_ + "/later").ok());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/later"));
  EXPECT_FALSE(CheckSpoolFolder(folder_ + "/none/below").ok());
  std::filesystem::create_directory(folder_ + "/open");
  chmod((folder_ + "/open").c_str(), 0755);
  EXPECT_FALSE(CheckSpoolFolder(folder_ + "/open").ok());
  EXPECT_TRUE(CheckSpoolFolder("").ok());
}

TEST_F(SpoolFolderTest, SystemdSaysWhere) {
  setenv("STATE_DIRECTORY", (folder_ + ":/elsewhere").c_str(), 1);
  EXPECT_EQ(*OwnSpoolFolder(""), folder_ + "/spool");
  unsetenv("STATE_DIRECTORY");
}

}  // namespace
}  // namespace rankscope::agent
