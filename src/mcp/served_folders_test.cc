#include "mcp/served_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace rankscope::mcp {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ServedFoldersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::canonical(::testing::TempDir()) / "served_folders";
    fs::remove_all(root_);
    fs::create_directories(root_ / "runs" / "before");
    fs::create_directories(root_ / "runs" / "after");
    fs::create_directories(root_ / "runs2");
    fs::create_directory_symlink(root_ / "runs2", root_ / "runs" / "link");
  }
  void TearDown() override { fs::remove_all(root_); }
  std::string At(const std::string& below) const { return (root_ / below).string(); }

  fs::path root_;
};

TEST_F(ServedFoldersTest, WhatLiesBesideTheJob) {
  for (const std::string& served : {At("runs/after"), At("runs/after/"), At("runs/*.json")}) {
    const ServedFolders folders({}, {served});
    EXPECT_EQ(folders.Allowed(At("runs/before")).status().message(), "") << served;
    EXPECT_EQ(*folders.Allowed(At("runs/after/../before")), At("runs/before"));
    EXPECT_EQ(folders.Allowed(At("runs2")).status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(folders.Allowed(At("runs/after/../../runs2")).status().code(),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(folders.Allowed("/etc/passwd").status().code(), StatusCode::kInvalidArgument);
  }
}

TEST_F(ServedFoldersTest, LinksAreFollowed) {
  const ServedFolders folders({}, {At("runs/after")});
  EXPECT_EQ(folders.Allowed(At("runs/link")).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(ServedFoldersTest, NamedOnesTakeTheirPlace) {
  const ServedFolders folders({At("runs2/")}, {At("runs/after")});
  EXPECT_TRUE(folders.Allowed(At("runs2")).ok());
  EXPECT_TRUE(folders.Allowed(At("runs/link")).ok());
  EXPECT_THAT(folders.Allowed(At("runs/before")).status().message(), HasSubstr("--within"));
}

TEST_F(ServedFoldersTest, WhatIsNotThereIsNotToldOutside) {
  const ServedFolders folders({}, {At("runs/after")});
  EXPECT_EQ(folders.Allowed(At("runs/none")).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(folders.Allowed(At("none")).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rankscope::mcp
