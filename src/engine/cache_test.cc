#include "engine/cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "base/file.h"
#include "formats/columnar/cache_file.h"
#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

Hash128 Key(std::uint64_t number) { return {0xABCD, number}; }

// Some kilobytes of columns.
RankTrace SmallTrace(int ops = 100) {
  TestTrace trace;
  for (int i = 0; i < ops; ++i) trace.Op("op", 10 * i, 5);
  return trace.Finish();
}

Partials SomePartials(char fill = 'p') {
  Partials partials;
  partials.Set("stage", std::string(100, fill));
  return partials;
}

class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    std::string name = (fs::temp_directory_path() / "cache_test_XXXXXX").string();
    RS_CHECK(mkdtemp(name.data()) != nullptr, "no temporary folder");
    home_ = name;
    folder_ = home_ / "cache" / "rankscope";
  }
  ~CacheTest() override { fs::remove_all(home_); }

  CacheOptions OfUser() const {
    CacheOptions options;
    options.user_folder = folder_;
    return options;
  }
  CacheOptions Limited(std::uint64_t bytes) const {
    CacheOptions options;
    options.folder = folder_;
    options.limit_bytes = bytes;
    return options;
  }
  std::string Folder() const { return folder_.string(); }
  std::set<std::string> Files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.insert(entry.path().filename().string());
    return names;
  }
  std::size_t CountOf(std::string_view suffix) const {
    std::size_t count = 0;
    for (const std::string& name : Files()) count += name.ends_with(suffix);
    return count;
  }
  std::uint64_t BytesInFolder() const {
    std::uint64_t bytes = 0;
    for (const std::string& name : Files()) bytes += fs::file_size(folder_ / name);
    return bytes;
  }
  std::string PathOfTrace(const Hash128& key, int version = columnar::kCacheVersion) const {
    return folder_ / fmt::format("{}.v{}.columns", key.Hex(), version);
  }
  std::string PathOfPartials(const Hash128& key, int version = Partials::kVersion) const {
    return folder_ / fmt::format("{}.v{}.partials", key.Hex(), version);
  }
  void SetAge(const std::string& path, std::chrono::hours age) const {
    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
  }
  // Files of an earlier run, `age` old.
  void StoreBoth(const Hash128& key, std::chrono::hours age) const {
    const Cache cache(Limited(1 << 30));
    cache.StoreTrace(Folder(), key, SmallTrace());
    EXPECT_TRUE(cache.StorePartials(Folder(), key, SomePartials()));
    SetAge(PathOfTrace(key), age);
    SetAge(PathOfPartials(key), age);
  }
  void ExpectRefused(std::string_view why) const {
    const Cache cache(OfUser());
    EXPECT_EQ(cache.FolderFor("trace"), std::nullopt);
    ASSERT_TRUE(cache.warning().has_value());
    EXPECT_NE(cache.warning()->find(why), std::string::npos) << *cache.warning();
    EXPECT_NE(cache.warning()->find("--cache-dir"), std::string::npos) << "the remedy";
  }

  fs::path home_;
  fs::path folder_;
};

using std::chrono::hours;

TEST(UserCacheFolder, ComesFromTheEnvironment) {
  EXPECT_EQ(UserCacheFolder("/x", "/home/u"), "/x/rankscope");
  EXPECT_EQ(UserCacheFolder("", "/home/u"), "/home/u/.cache/rankscope");
  EXPECT_EQ(UserCacheFolder("relative", "/home/u"), "/home/u/.cache/rankscope");
  EXPECT_EQ(UserCacheFolder("", "relative"), "");
  EXPECT_EQ(UserCacheFolder("", ""), "");
}

// --- the folder ---

TEST_F(CacheTest, TheUsersFolderIsMadeForTheUserAlone) {
  const Cache cache(OfUser());
  EXPECT_EQ(cache.FolderFor("/anywhere/trace.json"), Folder());
  EXPECT_FALSE(cache.warning().has_value());
  struct stat info {};
  ASSERT_EQ(stat(folder_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  EXPECT_TRUE(Cache(OfUser()).FolderFor("again").has_value());
}

TEST_F(CacheTest, WithoutAHomeThereIsNoCache) {
  const Cache nowhere{CacheOptions{}};
  EXPECT_EQ(nowhere.FolderFor("trace"), std::nullopt);
  EXPECT_TRUE(nowhere.warning().has_value());
  CacheOptions options;
  options.user_folder = home_ / "no" / "such" / "home" / ".cache" / "rankscope";
  EXPECT_TRUE(Cache(options).warning().has_value()) << "homes are not made";
  EXPECT_FALSE(fs::exists(home_ / "no"));
  options.enabled = false;
  const Cache unwanted(options);
  EXPECT_EQ(unwanted.FolderFor("trace"), std::nullopt);
  EXPECT_FALSE(unwanted.warning().has_value());
}

TEST_F(CacheTest, ALinkInPlaceOfTheFolderIsRefused) {
  fs::create_directories(home_ / "cache");
  fs::create_directories(home_ / "elsewhere");
  fs::create_directory_symlink(home_ / "elsewhere", folder_);
  ExpectRefused("symbolic link");
  fs::remove(folder_);
  std::ofstream(folder_) << "a file";
  ExpectRefused("cannot be opened");
}

TEST_F(CacheTest, AFolderThatOthersWriteToIsRefused) {
  fs::create_directories(folder_);
  for (const mode_t mode : {0770, 0707, 0777}) {
    ASSERT_EQ(chmod(folder_.c_str(), mode), 0);
    ExpectRefused("written to by other users");
  }
  CacheOptions shared;
  shared.folder = folder_;
  EXPECT_TRUE(Cache(shared).FolderFor("trace").has_value()) << "unless the user named it";
}

TEST_F(CacheTest, AFolderOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fs::create_directories(folder_);
  ASSERT_EQ(chmod(folder_.c_str(), 0700), 0);
  ASSERT_EQ(chown(folder_.c_str(), 12345, 12345), 0);
  ExpectRefused("another user");
}

TEST_F(CacheTest, ANamedFolderMayBeALinkButMustBeAFolder) {
  fs::create_directories(home_ / "elsewhere");
  fs::create_directory_symlink(home_ / "elsewhere", home_ / "link");
  CacheOptions options;
  options.folder = home_ / "link";
  EXPECT_FALSE(Cache(options).warning().has_value());
  std::ofstream(home_ / "file") << "x";
  options.folder = home_ / "file" / "below";
  const Cache cache(options);
  EXPECT_EQ(cache.FolderFor("trace"), std::nullopt);
  EXPECT_NE(cache.warning()->find("no folder"), std::string::npos);
}

// --- files ---

TEST_F(CacheTest, WhatIsStoredIsFound) {
  const Cache cache(OfUser());
  EXPECT_FALSE(cache.FindTrace(Folder(), Key(1)).has_value());
  EXPECT_EQ(cache.FindPartials(Folder(), Key(1)).size(), 0U);
  cache.StoreTrace(Folder(), Key(1), SmallTrace());
  EXPECT_TRUE(cache.StorePartials(Folder(), Key(1), SomePartials()));
  const Cache other(OfUser());
  EXPECT_EQ(other.FindTrace(Folder(), Key(1))->row_count(), 100U);
  EXPECT_TRUE(other.FindPartials(Folder(), Key(1)).Contains("stage"));
  EXPECT_FALSE(other.FindTrace(Folder(), Key(2)).has_value());
}

TEST_F(CacheTest, DamagedFilesAreRemovedAndWrittenAgain) {
  const Cache cache(OfUser());
  cache.StoreTrace(Folder(), Key(1), SmallTrace());
  cache.StorePartials(Folder(), Key(1), SomePartials());
  for (const std::string& path : {PathOfTrace(Key(1)), PathOfPartials(Key(1))}) {
    std::string bytes = ReadFile(path).value();
    bytes[bytes.size() / 2] ^= 1;
    ASSERT_TRUE(WriteFileAtomically(path, bytes).ok());
  }
  EXPECT_FALSE(cache.FindTrace(Folder(), Key(1)).has_value());
  EXPECT_EQ(cache.FindPartials(Folder(), Key(1)).size(), 0U);
  EXPECT_TRUE(Files().empty());
  cache.StoreTrace(Folder(), Key(1), SmallTrace());
  EXPECT_TRUE(cache.FindTrace(Folder(), Key(1)).has_value());
}

TEST_F(CacheTest, FilesOfAnotherVersionAreNobodysBusiness) {
  const Cache cache(OfUser());
  const std::string trace = PathOfTrace(Key(1), columnar::kCacheVersion + 1);
  const std::string partials = PathOfPartials(Key(1), Partials::kVersion + 1);
  ASSERT_TRUE(WriteFileAtomically(trace, "of the future").ok());
  ASSERT_TRUE(WriteFileAtomically(partials, "of the future").ok());
  EXPECT_FALSE(cache.FindTrace(Folder(), Key(1)).has_value());
  EXPECT_EQ(cache.FindPartials(Folder(), Key(1)).size(), 0U);
  cache.StoreTrace(Folder(), Key(1), SmallTrace());
  cache.StorePartials(Folder(), Key(1), SomePartials());
  EXPECT_EQ(ReadFile(trace).value(), "of the future");
  EXPECT_EQ(ReadFile(partials).value(), "of the future");
  EXPECT_EQ(Files().size(), 4U);
}

TEST_F(CacheTest, LinksInTheFolderAreNotFollowed) {
  const Cache cache(OfUser());
  cache.StoreTrace(Folder(), Key(1), SmallTrace());
  cache.StorePartials(Folder(), Key(1), SomePartials());
  for (const std::string& path : {PathOfTrace(Key(1)), PathOfPartials(Key(1))}) {
    const fs::path elsewhere = home_ / fs::path(path).filename();
    fs::rename(path, elsewhere);
    fs::create_symlink(elsewhere, path);
  }
  EXPECT_FALSE(cache.FindTrace(Folder(), Key(1)).has_value());
  EXPECT_EQ(cache.FindPartials(Folder(), Key(1)).size(), 0U);
  const std::string target = home_ / fs::path(PathOfPartials(Key(1))).filename();
  const std::string before = ReadFile(target).value();
  EXPECT_TRUE(cache.StorePartials(Folder(), Key(1), SomePartials('q')));
  EXPECT_EQ(ReadFile(target).value(), before) << "the link was replaced, not written through";
  EXPECT_TRUE(cache.FindPartials(Folder(), Key(1)).Contains("stage"));
}

TEST_F(CacheTest, AFolderThatVanishesIsNoCache) {
  const Cache cache(OfUser());
  cache.StoreTrace(Folder(), Key(1), SmallTrace());
  const auto trace = cache.FindTrace(Folder(), Key(1));
  ASSERT_TRUE(trace.has_value());
  fs::remove_all(folder_);
  EXPECT_EQ(trace->row_count(), 100U) << "what is open stays readable";
  EXPECT_FALSE(cache.FindTrace(Folder(), Key(1)).has_value());
  cache.StoreTrace(Folder(), Key(2), SmallTrace());
  EXPECT_FALSE(cache.StorePartials(Folder(), Key(2), SomePartials()));
  EXPECT_EQ(cache.FindPartials(Folder(), Key(2)).size(), 0U);
  cache.Trim(Folder());
}

// --- the limit ---

TEST_F(CacheTest, ColumnsGoBeforePartialsAndOldBeforeNew) {
  for (int i = 0; i < 4; ++i) StoreBoth(Key(static_cast<std::uint64_t>(i)), hours(10 - i));
  const std::uint64_t columns = fs::file_size(PathOfTrace(Key(0)));
  const std::uint64_t partials = fs::file_size(PathOfPartials(Key(0)));

  Cache(Limited(2 * columns + 4 * partials)).Trim(Folder());
  EXPECT_EQ(CountOf(".partials"), 4U);
  EXPECT_EQ(CountOf(".columns"), 2U);
  EXPECT_FALSE(fs::exists(PathOfTrace(Key(1))));
  EXPECT_TRUE(fs::exists(PathOfTrace(Key(2))));

  Cache(Limited(2 * partials)).Trim(Folder());
  EXPECT_EQ(CountOf(".columns"), 0U);
  EXPECT_EQ(CountOf(".partials"), 2U);
  EXPECT_FALSE(fs::exists(PathOfPartials(Key(1))));
  EXPECT_TRUE(fs::exists(PathOfPartials(Key(3))));

  std::ofstream(folder_ / "notes.txt") << "of somebody else";
  Cache(Limited(0)).Trim(Folder());
  EXPECT_EQ(Files(), (std::set<std::string>{"notes.txt"}));
}

TEST_F(CacheTest, FilesOfOtherVersionsAgeLikeOurs) {
  StoreBoth(Key(1), hours(1));
  const std::string old = PathOfTrace(Key(1), 1);
  const std::string unnumbered = folder_ / (Key(2).Hex() + ".columns");
  const std::string lookalike = folder_ / (Key(2).Hex() + ".v.columns");
  for (const std::string& path : {old, unnumbered, lookalike}) {
    ASSERT_TRUE(WriteFileAtomically(path, std::string(10'000, 'x')).ok());
    SetAge(path, hours(24));
  }
  Cache(Limited(fs::file_size(PathOfTrace(Key(1))) + 10'000)).Trim(Folder());
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(unnumbered));
  EXPECT_TRUE(fs::exists(lookalike));
  EXPECT_TRUE(fs::exists(PathOfTrace(Key(1))));
}

TEST_F(CacheTest, UseKeepsAFile) {
  StoreBoth(Key(1), hours(10));
  StoreBoth(Key(2), hours(5));
  const std::uint64_t columns = fs::file_size(PathOfTrace(Key(1)));
  ASSERT_TRUE(Cache(Limited(1 << 30)).FindTrace(Folder(), Key(1)).has_value());
  Cache(Limited(columns + 1000)).Trim(Folder());
  EXPECT_TRUE(fs::exists(PathOfTrace(Key(1)))) << "it was used last";
  EXPECT_FALSE(fs::exists(PathOfTrace(Key(2))));
}

TEST_F(CacheTest, WhatThisRunUsedOrStoredStays) {
  for (int i = 1; i <= 3; ++i) StoreBoth(Key(static_cast<std::uint64_t>(i)), hours(10));
  const std::uint64_t columns = fs::file_size(PathOfTrace(Key(1)));
  const std::uint64_t partials = fs::file_size(PathOfPartials(Key(1)));
  const Cache cache(Limited(2 * columns + 2 * partials));
  ASSERT_TRUE(cache.FindTrace(Folder(), Key(1)).has_value());
  ASSERT_EQ(cache.FindPartials(Folder(), Key(2)).size(), 1U);
  SetAge(PathOfTrace(Key(1)), hours(1000));
  SetAge(PathOfPartials(Key(2)), hours(1000));
  cache.StoreTrace(Folder(), Key(4), SmallTrace());
  SetAge(PathOfTrace(Key(4)), hours(1000));
  cache.Trim(Folder());
  EXPECT_TRUE(fs::exists(PathOfTrace(Key(1))));
  EXPECT_TRUE(fs::exists(PathOfPartials(Key(2))));
  EXPECT_TRUE(fs::exists(PathOfTrace(Key(4))));
  EXPECT_LE(BytesInFolder(), 2 * columns + 2 * partials);
}

// A job larger than its cache: the folder keeps to its limit, partials come first, and what was
// written is not thrown away for the next file.
TEST_F(CacheTest, AJobLargerThanItsCache) {
  const RankTrace trace = SmallTrace();
  const std::uint64_t columns = columnar::CacheFileBytes(trace);
  const std::uint64_t partials = SomePartials().Encode().size();
  const std::uint64_t limit = 3 * columns + partials;
  const Cache cache(Limited(limit));
  for (std::uint64_t i = 0; i < 10; ++i) cache.StoreTrace(Folder(), Key(i), trace);
  EXPECT_EQ(CountOf(".columns"), 3U);
  std::size_t stored = 0;
  std::uint64_t next = 0;
  while (cache.StorePartials(Folder(), Key(next), SomePartials())) {
    ++next;
    ++stored;
    ASSERT_LE(BytesInFolder(), limit);
  }
  EXPECT_EQ(CountOf(".columns"), 0U) << "columns made room";
  EXPECT_EQ(CountOf(".partials"), stored);
  EXPECT_EQ(stored, limit / partials);
  EXPECT_TRUE(cache.StorePartials(Folder(), Key(0), SomePartials('z'))) << "in place of its own";
  cache.Trim(Folder());
  EXPECT_EQ(CountOf(".partials"), stored);
  EXPECT_FALSE(cache.FindTrace(Folder(), Key(0)).has_value());
}

TEST_F(CacheTest, ColumnsTakeTheSpaceOfOlderFilesAsTheyAreStored) {
  for (std::uint64_t i = 0; i < 8; ++i) StoreBoth(Key(i), hours(10));
  const std::uint64_t limit = 4 * fs::file_size(PathOfTrace(Key(0)));
  const Cache cache(Limited(limit));
  for (std::uint64_t i = 10; i < 20; ++i) cache.StoreTrace(Folder(), Key(i), SmallTrace());
  for (std::uint64_t i = 10; i < 14; ++i)
    EXPECT_TRUE(cache.FindTrace(Folder(), Key(i)).has_value());
  EXPECT_LE(BytesInFolder(), limit);
}

// --- several at once ---

TEST_F(CacheTest, TwoCachesOnOneFolderInManyThreads) {
  const RankTrace trace = SmallTrace();
  const Cache one(Limited(60'000));
  const Cache two(Limited(60'000));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Cache& cache = t % 2 == 0 ? one : two;
      for (std::uint64_t i = 0; i < 40; ++i) {
        const Hash128 key = Key(i % 7);
        const auto found = cache.FindTrace(Folder(), key);
        EXPECT_TRUE(!found || found->row_count() == 100);
        if (!found) cache.StoreTrace(Folder(), key, trace);
        const Partials partials = cache.FindPartials(Folder(), key);
        EXPECT_TRUE(partials.size() == 0 || partials.Get("stage") == std::string(100, 'p'));
        if (partials.size() == 0) cache.StorePartials(Folder(), key, SomePartials());
        if (i % 10 == 0) cache.Trim(Folder());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(CountOf(".tmp."), 0U);
}

// Ends the process that it runs in; 0 when all that was found was right.
[[noreturn]] void WorkInAProcess(const CacheOptions& options, const std::string& folder) {
  const Cache cache(options);
  const RankTrace trace = SmallTrace();
  bool right = cache.FolderFor("trace").has_value();
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto found = cache.FindTrace(folder, Key(i % 5));
    right &= !found || found->row_count() == 100;
    if (!found) cache.StoreTrace(folder, Key(i % 5), trace);
    const Partials partials = cache.FindPartials(folder, Key(i % 5));
    right &= partials.size() == 0 || partials.Get("stage") == std::string(100, 'p');
    if (partials.size() == 0) cache.StorePartials(folder, Key(i % 5), SomePartials());
    cache.Trim(folder);
  }
  _exit(right ? 0 : 1);
}

TEST_F(CacheTest, SeveralProcessesOnOneFolder) {
  std::vector<pid_t> processes;
  for (int i = 0; i < 4; ++i) {
    const pid_t process = fork();
    if (process == 0) WorkInAProcess(Limited(40'000), Folder());
    processes.push_back(process);
  }
  for (const pid_t process : processes) {
    int status = 0;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (const std::string& name : Files())
    EXPECT_TRUE(name.ends_with(".columns") || name.ends_with(".partials")) << name;
}

// Stores a trace and partials until the kernel kills it: with SIGXFSZ, in the write that passes
// `limit` bytes.
[[noreturn]] void StoreUntilKilled(const CacheOptions& options, rlim_t limit) {
  const rlimit no_core = {0, 0};
  const rlimit file_size = {limit, limit};
  if (setrlimit(RLIMIT_CORE, &no_core) != 0 || setrlimit(RLIMIT_FSIZE, &file_size) != 0) _exit(1);
  const Cache cache(options);
  cache.StorePartials(options.folder, Key(1), SomePartials());
  cache.StoreTrace(options.folder, Key(1), SmallTrace(5000));
  _exit(0);
}

TEST_F(CacheTest, AKilledWriterLeavesNothingThatCounts) {
  fs::create_directories(folder_);
  for (const rlim_t limit : {0, 40, 3'000, 30'000, 100'000}) {
    SCOPED_TRACE(limit);
    const pid_t writer = fork();
    if (writer == 0) StoreUntilKilled(Limited(1 << 30), limit);
    int status = 0;
    ASSERT_EQ(waitpid(writer, &status, 0), writer);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) << status;
    const auto half_written = [](const std::string& name) {
      return name.find(kTemporaryMark) != std::string::npos;
    };
    const std::set<std::string> left = Files();
    EXPECT_EQ(std::count_if(left.begin(), left.end(), half_written), 1);
    EXPECT_FALSE(fs::exists(PathOfTrace(Key(1)))) << "a file with its name is whole";
    const Cache cache(Limited(1 << 30));
    EXPECT_FALSE(cache.FindTrace(Folder(), Key(1)).has_value());
    const Partials partials = cache.FindPartials(Folder(), Key(1));
    EXPECT_TRUE(partials.size() == 0 || partials.Get("stage") == std::string(100, 'p'));
    cache.Trim(Folder());
    for (const std::string& name : Files()) EXPECT_FALSE(half_written(name)) << name;
  }
}

TEST_F(CacheTest, FilesThatAreBeingWrittenCountAndStay) {
  StoreBoth(Key(1), hours(1));
  const std::string path = PathOfTrace(Key(2));
  auto file = AtomicFile::Create(path);
  ASSERT_TRUE(file.ok());
  const std::string content(100'000, 'x');
  ASSERT_TRUE((*file)->Write(content.data(), content.size()).ok());
  SetAge((*file)->temporary_path(), hours(100));
  Cache(Limited(content.size() + 10)).Trim(Folder());
  EXPECT_TRUE(fs::exists((*file)->temporary_path())) << "its writer lives";
  EXPECT_EQ(Files().size(), 1U) << "and it takes the room of others";
  EXPECT_TRUE((*file)->Commit().ok());
}

}  // namespace
}  // namespace rankscope
