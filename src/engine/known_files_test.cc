#include "engine/known_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "base/file.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLater_ns = std::int64_t{4'000'000'000} * 1'000'000'000;  // year 2096

class KnownFilesTest : public testing::Test {
 protected:
  KnownFilesTest() {
    std::string name = (fs::temp_directory_path() / "known_files_XXXXXX").string();
    RS_CHECK(mkdtemp(name.data()) != nullptr, "no temporary folder");
    folder_ = name;
  }
  ~KnownFilesTest() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  std::string Folder() const { return folder_.string(); }
  std::string NotesPath() const { return folder_ / std::string(KnownFiles::kFileName); }

  fs::path folder_;
};

TEST_F(KnownFilesTest, WhatWasNotedIsKnownToTheNextProcess) {
  const auto one = IdentityOf(Write("one", "first"));
  const auto two = IdentityOf(Write("two", "second"));
  ASSERT_TRUE(one && two);
  EXPECT_NE(*one, *two);
  {
    KnownFiles known(Folder());
    EXPECT_FALSE(known.Find(*one));
    known.Note(*one, {1, 2}, kLater_ns);
    known.Store();
  }
  KnownFiles known(Folder());
  EXPECT_EQ(known.Find(*one), (Hash128{1, 2}));
  EXPECT_FALSE(known.Find(*two));
}

TEST_F(KnownFilesTest, AWriteThatHidesItselfIsSeen) {
  const std::string path = Write("trace", "before");
  const auto before = IdentityOf(path);
  ASSERT_TRUE(before);
  // Same length, and the time of writing set back: the inode's own time cannot be.
  const timespec stamp = {.tv_sec = static_cast<time_t>(before->written_ns / 1'000'000'000),
                          .tv_nsec = before->written_ns % 1'000'000'000};
  auto after = before;
  for (int i = 0; i < 100 && after == before; ++i) {
    usleep(5'000);  // the kernel's steps of time
    std::ofstream(path) << "after!";
    const timespec times[2] = {stamp, stamp};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    after = IdentityOf(path);
  }
  ASSERT_TRUE(after);
  EXPECT_EQ(after->bytes, before->bytes);
  EXPECT_EQ(after->written_ns, before->written_ns);
  EXPECT_NE(*after, *before);
}

TEST_F(KnownFilesTest, WhatWasJustWrittenIsNotKnown) {
  const auto identity = IdentityOf(Write("trace", "text"));
  ASSERT_TRUE(identity);
  KnownFiles known(Folder());
  known.Note(*identity, {1, 2}, identity->changed_ns + KnownFiles::kSettle_ns - 1);
  EXPECT_FALSE(known.Find(*identity));
  known.Note(*identity, {1, 2}, identity->changed_ns + KnownFiles::kSettle_ns);
  EXPECT_TRUE(known.Find(*identity));
}

TEST_F(KnownFilesTest, ProcessesKeepWhatOthersNoted) {
  const auto one = IdentityOf(Write("one", "first"));
  const auto two = IdentityOf(Write("two", "second"));
  KnownFiles first(Folder());
  KnownFiles second(Folder());
  first.Note(*one, {1, 1}, kLater_ns);
  first.Store();
  second.Note(*two, {2, 2}, kLater_ns);
  second.Store();
  const KnownFiles third(Folder());
  EXPECT_TRUE(third.Find(*one));
  EXPECT_TRUE(third.Find(*two));
}

TEST_F(KnownFilesTest, DamagedNotesAreNone) {
  const auto identity = IdentityOf(Write("trace", "text"));
  KnownFiles known(Folder());
  known.Note(*identity, {1, 2}, kLater_ns);
  known.Store();
  const Result<std::string> whole = ReadFile(NotesPath());
  ASSERT_TRUE(whole.ok());
  for (std::size_t i = 0; i < whole->size(); ++i) {
    std::string damaged = *whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    ASSERT_TRUE(WriteFileAtomically(NotesPath(), damaged).ok());
    EXPECT_FALSE(KnownFiles(Folder()).Find(*identity)) << i;
    ASSERT_TRUE(WriteFileAtomically(NotesPath(), whole->substr(0, i)).ok());
    EXPECT_FALSE(KnownFiles(Folder()).Find(*identity)) << i;
  }
}

TEST_F(KnownFilesTest, TheOldestNotesGoFirst) {
  KnownFiles known(Folder());
  FileIdentity identity;
  for (std::size_t i = 0; i <= KnownFiles::kMost; ++i) {
    identity.inode = i;
    known.Note(identity, {1, i}, kLater_ns);
  }
  known.Store();
  const KnownFiles again(Folder());
  EXPECT_EQ(again.Find(identity), (Hash128{1, KnownFiles::kMost}));
  identity.inode = 0;
  EXPECT_FALSE(again.Find(identity));
  identity.inode = 1;
  EXPECT_TRUE(again.Find(identity));
}

TEST_F(KnownFilesTest, WithoutAFolderNothingIsWritten) {
  const auto identity = IdentityOf(Write("trace", "text"));
  KnownFiles known(std::nullopt);
  known.Note(*identity, {1, 2}, kLater_ns);
  known.Store();
  EXPECT_TRUE(known.Find(*identity));
  EXPECT_FALSE(IdentityOf(folder_ / "no such file"));
}

}  // namespace
}  // namespace rankscope
