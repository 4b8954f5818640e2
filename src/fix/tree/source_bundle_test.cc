#include "fix/tree/source_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace rankscope::fix {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SourceBundleTest : public testing::Test {
 protected:
  SourceBundleTest() {
    std::string pattern = testing::TempDir() + "/source_bundle_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~SourceBundleTest() override { fs::remove_all(folder_); }
  Result<SourceTree> Read(std::string_view text, const TreeBounds& bounds = {}) {
    std::ofstream(folder_ + "/bundle") << text;
    return ReadBundle(folder_ + "/bundle", bounds);
  }
  std::string folder_;
};

TEST_F(SourceBundleTest, HasWhatTheFolderHas) {
  fs::create_directories(folder_ + "/code/net");
  std::ofstream(folder_ + "/code/train.py") << "print(\"a\\n\")\n";
  std::ofstream(folder_ + "/code/net/größe.py") << "x = 1";
  std::ofstream(folder_ + "/code/old.py") << "\xe9";  // Latin 1: is left out
  const auto tree = ReadSourceTree(folder_ + "/code");
  ASSERT_TRUE(tree.ok());
  const auto packed = WriteBundle(*tree);
  ASSERT_TRUE(packed.ok());
  const auto read = Read(*packed);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->files.size(), 2u);
  EXPECT_EQ(read->files[0].path, "net/größe.py");
  EXPECT_EQ(read->files[0].text, "x = 1");
  EXPECT_EQ(read->files[1].text, "print(\"a\\n\")\n");
  EXPECT_FALSE(read->has_git);
  EXPECT_EQ(ReadSource(folder_ + "/bundle")->files.size(), 2u);
  EXPECT_EQ(ReadSource(folder_ + "/code")->files.size(), 3u);
}

TEST_F(SourceBundleTest, WhatIsNoBundleIsSaidWithItsLine) {
  constexpr std::string_view kGood = R"({"path":"b.py","text":""})";
  for (const std::string_view bad :
       {"{", "", "[]", R"({"path":"c.py"})", R"({"path":1,"text":""})",
        R"({"path":"/c.py","text":""})", R"({"path":"../c.py","text":""})",
        R"({"path":"a/../c.py","text":""})", R"({"path":"c/","text":""})",
        R"({"path":"c.txt","text":""})", R"({"path":"c\".py","text":""})",
        R"({"path":"b.py","text":""})", R"({"path":"a.py","text":""})"}) {
    const auto read = Read(fmt::format("{}\n{}\n", kGood, bad));
    ASSERT_FALSE(read.ok()) << bad;
    EXPECT_EQ(read.status().code(), StatusCode::kBadData) << bad;
    EXPECT_THAT(read.status().message(), HasSubstr("bundle: line 2: ")) << bad;
  }
}

TEST_F(SourceBundleTest, HasBounds) {
  constexpr std::string_view kTwo =
      "{\"path\":\"a.py\",\"text\":\"12\"}\n"
      "{\"path\":\"b.py\",\"text\":\"\"}\n";
  EXPECT_TRUE(Read(kTwo, {.most_files = 2, .most_file_bytes = 2}).ok());
  EXPECT_FALSE(Read(kTwo, {.most_files = 1}).ok());
  EXPECT_FALSE(Read(kTwo, {.most_file_bytes = 1}).ok());
  SourceTree large{.folder = "code", .files = {}, .unread = {}};
  large.files.push_back({"a.py", std::string(kMostBundleBytes, 'x')});
  EXPECT_EQ(WriteBundle(large).status().code(), StatusCode::kResource);
}

}  // namespace
}  // namespace rankscope::fix
