#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string name = (fs::temp_directory_path() / "file_test_XXXXXX").string();
    RS_CHECK(mkdtemp(name.data()) != nullptr, "no temporary folder");
    folder_ = name;
  }
  ~FileTest() override { fs::remove_all(folder_); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    return names;
  }
  fs::path folder_;
};

using Names = std::vector<std::string>;

TEST_F(FileTest, CommitPutsTheWholeFileInPlace) {
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "old").ok());
  auto file = AtomicFile::Create(Path("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE((*file)->Write("new", 3).ok());
  EXPECT_TRUE((*file)->Write("er", 2).ok());
  EXPECT_TRUE((*file)->Write(nullptr, 0).ok());
  EXPECT_EQ((*file)->written(), 5U);
  EXPECT_EQ(*ReadFile(Path("a")), "old") << "readers see the old file until the commit";
  EXPECT_EQ(Files().size(), 2U);
  ASSERT_TRUE((*file)->Commit().ok());
  EXPECT_EQ(*ReadFile(Path("a")), "newer");
  EXPECT_EQ(Files(), (Names{"a"}));
  struct stat info {};
  ASSERT_EQ(stat(Path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644U) << "others may read it";
}

TEST_F(FileTest, AbandonedFilesLeaveNothing) {
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "old").ok());
  {
    auto file = AtomicFile::Create(Path("a"));
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE((*file)->Write("new", 3).ok());
  }
  EXPECT_EQ(*ReadFile(Path("a")), "old");
  EXPECT_EQ(Files(), (Names{"a"}));
}

TEST_F(FileTest, ACommitThatFailsLeavesNothing) {
  fs::create_directory(Path("target"));
  ASSERT_TRUE(WriteFileAtomically(Path("target") + "/inside", "x").ok());
  const Status status = WriteFileAtomically(Path("target"), "content");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_NE(status.message().find(Path("target")), std::string::npos);
  EXPECT_EQ(Files(), (Names{"target"}));
}

TEST_F(FileTest, CreateNeedsAFolder) {
  const auto file = AtomicFile::Create(Path("missing/a"));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::kIo);
  EXPECT_NE(file.status().message().find("missing/a"), std::string::npos);
}

TEST_F(FileTest, TemporaryNames) {
  auto file = AtomicFile::Create(Path("a.json"));
  ASSERT_TRUE(file.ok());
  std::string_view final_name;
  EXPECT_TRUE(
      IsTemporaryName(fs::path((*file)->temporary_path()).filename().string(), &final_name));
  const std::string name = "a.json.tmp.AbCdEf";
  EXPECT_TRUE(IsTemporaryName(name, &final_name));
  EXPECT_EQ(final_name, "a.json");
  for (const std::string other : {"", "a.json", "a.json.tmp.", "a.json.tmp.AbCdE", ".tmp.AbCdEf7"})
    EXPECT_FALSE(IsTemporaryName(other, &final_name)) << other;
}

TEST_F(FileTest, OnlyAbandonedFilesAreRemoved) {
  const std::int64_t now_s = std::chrono::duration_cast<std::chrono::seconds>(
                                 std::chrono::system_clock::now().time_since_epoch())
                                 .count();
  auto file = AtomicFile::Create(Path("a"));
  ASSERT_TRUE(file.ok());
  const std::string temporary = (*file)->temporary_path();
  EXPECT_FALSE(RemoveIfAbandoned(temporary, now_s)) << "its writer lives";
  EXPECT_FALSE(RemoveIfAbandoned(temporary, now_s + 1'000'000)) << "and may take its time";
  EXPECT_TRUE((*file)->Commit().ok());
  EXPECT_FALSE(RemoveIfAbandoned(temporary, now_s)) << "it is not there any more";

  // A writer that is killed with its file half written.
  const pid_t writer = fork();
  if (writer == 0) {
    auto cut_off = AtomicFile::Create(Path("b"));
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(writer, &status, 0), writer);
  EXPECT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(Files().size(), 2U);
  for (const std::string& name : Files()) {
    if (name != "a") {
      EXPECT_TRUE(RemoveIfAbandoned(Path(name), now_s)) << name;
    }
  }
  EXPECT_EQ(Files(), (Names{"a"}));
  fs::create_symlink(Path("a"), Path("a.tmp.AbCdEf"));
  EXPECT_FALSE(RemoveIfAbandoned(Path("a.tmp.AbCdEf"), now_s)) << "nobody of us makes links";
}

// What a Ctrl-C handler does, in a process of its own.
void Interrupt() {
  EXPECT_EXIT((RemoveUnfinishedFiles(), _exit(0)), testing::ExitedWithCode(0), "");
}

// Open files go, committed and abandoned ones are no longer known.
TEST_F(FileTest, RemoveUnfinishedFiles) {
  ASSERT_TRUE(WriteFileAtomically(Path("done"), "x").ok());
  auto first = AtomicFile::Create(Path("first"));
  auto second = AtomicFile::Create(Path("second"));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(Files().size(), 3U);
  Interrupt();
  EXPECT_EQ(Files(), (Names{"done"}));
  EXPECT_FALSE((*first)->Commit().ok());
  EXPECT_EQ(Files(), (Names{"done"}));
}

TEST_F(FileTest, MoreFilesThanAreTracked) {
  {
    std::vector<std::unique_ptr<AtomicFile>> files;
    for (int i = 0; i < 676; ++i)
      files.push_back(std::move(AtomicFile::Create(Path("f" + std::to_string(i)))).value());
    EXPECT_EQ(Files().size(), 676U);
    Interrupt();
    EXPECT_EQ(Files().size(), 36U);
  }
  EXPECT_TRUE(Files().empty());
  auto file = AtomicFile::Create(Path("again"));
  ASSERT_TRUE(file.ok());
  Interrupt();
  EXPECT_TRUE(Files().empty()) << "places were given back";
}

// The interrupt meets threads at every point between making a file and giving it its last name, and
// may be taken by the very thread that makes one.
TEST_F(FileTest, InterruptOfBusyWriters) {
  for (int round = 0; round < 40; ++round) {
    EXPECT_EXIT(
        {
          std::signal(SIGTERM, [](int) {
            RemoveUnfinishedFiles();
            _exit(0);
          });
          std::vector<std::thread> writers;
          for (int i = 0; i < 4; ++i) {
            writers.emplace_back([this, i] {
              while (true)
                if (!WriteFileAtomically(Path(std::string(1, static_cast<char>('a' + i))), "x")
                         .ok())
                  _exit(1);
            });
          }
          std::this_thread::sleep_for(std::chrono::microseconds(500 * round));
          kill(getpid(), SIGTERM);
          while (true) pause();
        },
        testing::ExitedWithCode(0), "");
    for (const std::string& name : Files())
      EXPECT_EQ(name.find(".tmp."), std::string::npos) << name;
  }
}

TEST_F(FileTest, WritersOfOneFileDoNotMix) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([this, i] {
      const std::string content(10'000, static_cast<char>('a' + i));
      for (int round = 0; round < 20; ++round)
        EXPECT_TRUE(WriteFileAtomically(Path("a"), content).ok());
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string content = *ReadFile(Path("a"));
  EXPECT_EQ(content, std::string(10'000, content.front()));
  EXPECT_EQ(Files(), (Names{"a"}));
}

TEST_F(FileTest, MappedFile) {
  const std::string content(10 << 20, 'x');
  ASSERT_TRUE(WriteFileAtomically(Path("a"), content).ok());
  auto file = MappedFile::Open(Path("a"));
  ASSERT_TRUE(file.ok());
  fs::remove(Path("a"));
  EXPECT_EQ((*file)->text(), content);
  EXPECT_EQ((*file)->bytes().size(), content.size());
}

TEST_F(FileTest, WindowsCoverTheFile) {
  std::string content;
  while (content.size() < (20U << 20)) content += std::to_string(content.size()) + ",";
  ASSERT_TRUE(WriteFileAtomically(Path("a"), content).ok());
  auto file = FileWindow::Open(Path("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->size(), content.size());
  std::string read;
  while (read.size() < content.size()) {
    const std::string_view piece = (*file)->At(read.size(), 1'000'003);
    ASSERT_FALSE(piece.empty());
    ASSERT_LE(piece.size(), 1'000'003U);
    read += piece;
  }
  EXPECT_EQ(read, content);
  EXPECT_EQ((*file)->At(5, 3), content.substr(5, 3)) << "going back is slow, not wrong";
  EXPECT_TRUE((*file)->At(content.size(), 1).empty());
  EXPECT_FALSE(FileWindow::Open(folder_.string()).ok());
  EXPECT_EQ(FileWindow::Open(Path("none")).status().code(), StatusCode::kNotFound);
}

TEST_F(FileTest, UntrustedFilesAreCopiedAndLinksAreNotFollowed) {
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "content").ok());
  EXPECT_EQ((*MappedFile::OpenUntrusted(Path("a")))->text(), "content");
  fs::create_symlink(Path("a"), Path("link"));
  const auto link = MappedFile::OpenUntrusted(Path("link"));
  ASSERT_FALSE(link.ok());
  EXPECT_EQ(link.status().code(), StatusCode::kIo);
  EXPECT_EQ(MappedFile::OpenUntrusted(Path("none")).status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(MappedFile::OpenUntrusted(folder_.string()).ok());
  ASSERT_TRUE(WriteFileAtomically(Path("empty"), "").ok());
  EXPECT_TRUE((*MappedFile::OpenUntrusted(Path("empty")))->text().empty());

  ASSERT_EQ(chmod(Path("a").c_str(), 0666), 0);
  const auto file = MappedFile::OpenUntrusted(Path("a"));
  ASSERT_TRUE(file.ok());
  std::FILE* const writer = std::fopen(Path("a").c_str(), "r+");
  std::fputs("changed", writer);
  std::fclose(writer);
  EXPECT_EQ((*file)->text(), "content") << "what others may write to is a copy";
  EXPECT_EQ((*MappedFile::OpenUntrusted(Path("a")))->text(), "changed");
}

TEST_F(FileTest, EmptyFile) {
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "").ok());
  auto file = MappedFile::Open(Path("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE((*file)->text().empty());
  EXPECT_EQ(*ReadFile(Path("a")), "");
}

TEST_F(FileTest, WhatCannotBeMapped) {
  const auto missing = MappedFile::Open(Path("missing"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
  EXPECT_NE(missing.status().message().find(Path("missing")), std::string::npos);
  const auto folder = MappedFile::Open(folder_.string());
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.status().code(), StatusCode::kIo);
  const auto below_a_file = MappedFile::Open("/dev/null/x");
  ASSERT_FALSE(below_a_file.ok());
  EXPECT_EQ(below_a_file.status().code(), StatusCode::kIo);
  EXPECT_FALSE(ReadFile("/dev/null").ok());
}

TEST_F(FileTest, AFileWithoutANameKeepsWhatIsWritten) {
  const int file = OpenUnnamedFile(folder_.string());
  ASSERT_GE(file, 0);
  EXPECT_TRUE(Files().empty());
  EXPECT_TRUE(WriteWhole(file, "abc", 3));
  char text[4] = {};
  EXPECT_EQ(pread(file, text, 3, 0), 3);
  EXPECT_STREQ(text, "abc");
  close(file);
  EXPECT_FALSE(WriteWhole(file, "abc", 3));
  EXPECT_LT(OpenUnnamedFile(Path("missing")), 0);
}

}  // namespace
}  // namespace rankscope
