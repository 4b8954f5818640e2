// The store: what is acknowledged stays, what is not does not show, whenever the process dies.
#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/file.h"
#include "postgres/test_server.h"
#include "store/random_id.h"
#include "store/sha256.h"
#include "store/store_for_test.h"
#include "store/verified_contents.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(Sha256Of("abc"), kSha256OfAbc);
  EXPECT_EQ(Sha256Of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_TRUE(IsSha256(kSha256OfAbc));
  EXPECT_FALSE(IsSha256("BA7816"));
  EXPECT_FALSE(IsSha256(std::string(64, 'g')));
}

TEST(Tags, WhatHasAMeaningHasAValueOfIt) {
  EXPECT_TRUE(CheckTags({{"branch", "main"}, {"keep", ""}}).ok());
  EXPECT_TRUE(CheckTags({{"device_hours", "12.5"}}).ok());
  for (const char* hours : {"abc", "", "0", "-1", "inf", "1e999", "12h"})
    EXPECT_THAT(CheckTags({{"device_hours", hours}}).message(), HasSubstr("a number of hours"))
        << hours;
}

TEST_F(StoreTest, ContentsAreThereOnceAndOnlyAfterCommit) {
  const auto store = Open();
  {
    const auto writer = store->blobs().Create();
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Write("ab").ok());
  }
  EXPECT_EQ(store->blobs().PathOf(kSha256OfAbc).status().code(), StatusCode::kNotFound);
  for (int i = 0; i < 2; ++i) {
    const auto blob = StoreText(store->blobs(), "abc");
    ASSERT_TRUE(blob.ok());
    EXPECT_EQ(blob->sha256, kSha256OfAbc);
    EXPECT_EQ(blob->bytes, 3U);
  }
  const auto path = store->blobs().PathOf(kSha256OfAbc);
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(*ReadFile(*path), "abc");
  EXPECT_EQ(store->Check(true)->blobs, 1);
  EXPECT_TRUE(fs::is_empty(folder_ + "/temporary"));
  for (const char* key : {"../../x", "", "ab/../ab"})
    EXPECT_EQ(store->blobs().PathOf(key).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(StoreTest, ContentsAreHashedAgainWhenTheirFilesChanged) {
  const auto store = Open();
  const std::string sha256 = StoreText(store->blobs(), "abc")->sha256;
  std::int64_t now_s = std::time(nullptr) + 100;
  VerifiedContents verified([&] { return now_s; });
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(verified.PathOf(store->blobs(), sha256).ok());
  EXPECT_EQ(verified.hashed(), 1);
  Write(PathOfBlob(sha256), "abcd");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(verified.PathOf(store->blobs(), sha256).status().code(), StatusCode::kInternal);
  EXPECT_EQ(verified.hashed(), 3);
  fs::remove(PathOfBlob(sha256));
  EXPECT_EQ(verified.PathOf(store->blobs(), sha256).status().code(), StatusCode::kNotFound);
  // What was written a moment ago may be written again without another time.
  ASSERT_TRUE(StoreText(store->blobs(), "abc").ok());
  now_s = std::time(nullptr);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(verified.PathOf(store->blobs(), sha256).ok());
  EXPECT_GE(verified.hashed(), 4);
}

TEST(CheckNewFile, ARunCanBeLaidOutAsFiles) {
  store::Run run;
  run.files = {{"a.json"}, {"b/c.json"}, {"b/d/e.json"}};
  for (const char* name : {"a.json", "b/c.json", "b/d/f", "a.json2", "b2", "c/a.json"})
    EXPECT_TRUE(CheckNewFile(run, name).ok()) << name;
  for (const char* name : {"a.json/x", "b/c.json/x/y", "b", "b/d", "../x"})
    EXPECT_FALSE(CheckNewFile(run, name).ok()) << name;
  EXPECT_TRUE(CheckNewFile(run, "x/" + std::string(255, 'a')).ok());
  EXPECT_FALSE(CheckNewFile(run, "x/" + std::string(256, 'a') + "/y").ok());
}

TEST(CheckFileName, KeepsPathsInside) {
  for (const char* name : {"a", "a/b.json.gz", "..a", "a..", "\u00e4", ".x"})
    EXPECT_TRUE(CheckFileName(name).ok()) << name;
  for (const std::string& name :
       {std::string(), std::string("/a"), std::string("a/"), std::string("a//b"), std::string("."),
        std::string("a/../b"), std::string(".."), std::string("a\\b"), std::string("a\nb"),
        std::string("a\0b", 3), std::string("\xff"), std::string(1025, 'a')}) {
    EXPECT_FALSE(CheckFileName(name).ok()) << name;
  }
}

TEST_F(StoreTest, RunsStayAndAreListedNewestFirst) {
  std::string first, second;
  {
    const auto store = Open();
    first = Add(*store, "first", "1").id;
    now_s_ += 10;
    second = Add(*store, "second", "2").id;
    ASSERT_TRUE(IsRunId(first));
  }
  const auto store = Open({});
  const std::vector<store::Run> runs = store->catalogue().All().value();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].id, second);
  EXPECT_EQ(runs[1].name, "first");
  EXPECT_EQ(runs[1].state, RunState::kReady);
  EXPECT_EQ(runs[1].created_s, 1'800'000'000);
  EXPECT_THAT(ProblemsOf(*store), IsEmpty());
  ASSERT_TRUE(store->catalogue().Remove(first).ok());
  EXPECT_EQ(store->catalogue().Find(first).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(store->catalogue().Remove(first).code(), StatusCode::kNotFound);
}

TEST_F(StoreTest, RunsOfOneSecondAreListedNewestFirst) {
  std::vector<std::string> names;
  for (int i = 300; i-- > 0;) names.push_back(std::to_string(i));
  {
    const auto store = Open();
    for (int i = 0; i < 200; ++i)
      ASSERT_TRUE(store->catalogue().Create({.name = names[299 - i]}).ok());
  }
  const auto store = Open({});
  for (int i = 200; i < 300; ++i)
    ASSERT_TRUE(store->catalogue().Create({.name = names[299 - i]}).ok());
  std::vector<std::string> all, paged;
  const std::vector<store::Run> runs = store->catalogue().All().value();
  for (const auto& run : runs) all.push_back(run.name);
  EXPECT_EQ(all, names);
  const RunPage page = store->catalogue().Page({.descending = true, .limit = 1000}).value();
  for (const auto& run : page.runs) paged.push_back(run->name);
  EXPECT_EQ(paged, names);
}

TEST(RandomIdTest, SortsBehindAnother) {
  for (const std::string id : {"0000000000000000", "7fffffffffffffff", "fffffffffffffff0"})
    EXPECT_GT(RandomIdBehind(id), id);
  EXPECT_EQ(RandomIdBehind("fffffffffffffffe"), "ffffffffffffffff");
  // Wherever the first lies.
  std::string id = "fff0000000000000";
  for (int i = 0; i < 2000; ++i) {
    const std::string next = RandomIdBehind(id);
    ASSERT_GT(next, id) << i;
    id = next;
  }
  EXPECT_TRUE(IsRunId(RandomIdBehind("ffffffffffffffff")));
}

TEST_F(StoreTest, TheSameKeyIsTheSameRun) {
  const auto store = Open();
  const auto a = store->catalogue().Create({.key = "k", .name = "a"});
  const auto b = store->catalogue().Create({.key = "k", .name = "b"});
  const auto c = store->catalogue().Create({.name = "c"});
  const auto d = store->catalogue().Create({.name = "d"});
  EXPECT_EQ(a->id, b->id);
  EXPECT_EQ(b->name, "a");
  EXPECT_NE(c->id, d->id);
}

TEST_F(StoreTest, AChangeThatFailsChangesNothing) {
  const auto store = Open();
  const store::Run run = Add(*store, "a", "1");
  const auto failed = store->catalogue().Change(run.id, [](store::Run& one) {
    one.name = "b";
    return Error(StatusCode::kCancelled, "no");
  });
  EXPECT_EQ(failed.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(*store->catalogue().Find(run.id), run);
  // Neither the id nor the time of creation can be changed.
  now_s_ += 5;
  const auto changed = store->catalogue().Change(run.id, [](store::Run& one) {
    one.id = "ffffffffffffffff";
    one.created_s = 0;
    one.name = "c";
    return OkStatus();
  });
  EXPECT_EQ(changed->id, run.id);
  EXPECT_EQ(changed->created_s, run.created_s);
  EXPECT_EQ(changed->changed_s, now_s_);
}

// A process that is killed while it begins another leaves its lock to that for a moment.
TEST_F(StoreTest, WaitsForTheChildOfAProcessThatIsGone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    const auto store = Store::Open(folder_, {.create = true});
    if (fork() == 0) {
      // Has the lock, too, until the test closes its end.
      close(ends[1]);
      char byte = 0;
      (void)!read(ends[0], &byte, 1);
    }
    _exit(store.ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(owner, &status, 0);
  ASSERT_EQ(status, 0);
  close(ends[0]);
  std::thread child_ends([&] { close(ends[1]); });
  const auto store = Try({});
  child_ends.join();
  EXPECT_TRUE(store.ok()) << store.status().message();
}

TEST_F(StoreTest, ChangesSideBySideAreAllMade) {
  const auto store = Open();
  const store::Run run = Add(*store, "a", "1");
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const auto changed = store->catalogue().Update(run.id, [&](store::Run& one) {
          one.tags[fmt::format("{} {}", t, i)] = "";
          // Every fifth does its part and fails.
          return i % 5 == 4 ? Error(StatusCode::kCancelled, "no") : OkStatus();
        });
        failed += changed.ok() ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 8 * 5);
  EXPECT_EQ(store->catalogue().Find(run.id)->tags.size(), 8U * 20);
  // And on the disk.
  const auto reader = Open({.read_only = true});
  EXPECT_EQ(reader->catalogue().Find(run.id)->tags.size(), 8U * 20);
}

// Changes that share a record with one that throws are made as a whole or told as not made.
TEST_F(StoreTest, WhatAnExceptionInterruptsIsNotToldAsMade) {
  const auto store = Open();
  const store::Run run = Add(*store, "a", "1");
  std::mutex mutex;
  std::set<std::string> told;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string tag = fmt::format("{} {}", t, i);
        try {
          const auto changed = store->catalogue().Update(run.id, [&](store::Run& one) {
            if (i % 5 == 4) throw std::runtime_error("no room");
            one.tags[tag] = "";
            return OkStatus();
          });
          if (!changed.ok()) continue;
          EXPECT_NE(*changed, nullptr);
          const std::lock_guard lock(mutex);
          told.insert(tag);
        } catch (const std::runtime_error&) {
          // Another's may have been among those of this turn.
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> made;
  const store::Run now = *store->catalogue().Find(run.id);
  for (const auto& [tag, value] : now.tags) made.insert(tag);
  EXPECT_EQ(made, told);
}

TEST_F(StoreTest, ARunIsRemovedOnce) {
  const auto store = Open();
  const store::Run run = Add(*store, "a", "1");
  std::atomic<int> removed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      (void)store->catalogue().Update(run.id, [](store::Run& one) {
        one.name += "x";
        return OkStatus();
      });
      removed += store->catalogue().Remove(run.id).ok() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(removed, 1);
  EXPECT_EQ(*store->catalogue().Count(), 0U);
  EXPECT_THAT(*Open({.read_only = true})->catalogue().All(), IsEmpty());
}

TEST_F(StoreTest, OneProcessWritesOthersMayRead) {
  const auto store = Open();
  Add(*store, "a", "1");
  const auto other = Try({});
  EXPECT_EQ(other.status().code(), StatusCode::kResource);
  EXPECT_THAT(other.status().message(), HasSubstr("another process writes"));
  const auto reader = Open({.read_only = true});
  EXPECT_EQ(reader->catalogue().All()->size(), 1U);
}

TEST_F(StoreTest, WhatIsNoStoreIsLeftAlone) {
  EXPECT_EQ(Try({}).status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(fs::exists(folder_));
  fs::create_directory(folder_);
  Write(folder_ + "/thesis.tex", "x");
  const auto made = Try({.create = true});
  EXPECT_EQ(made.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(made.status().message(), HasSubstr("thesis.tex"));
  EXPECT_FALSE(fs::exists(folder_ + "/blobs"));
}

TEST_F(StoreTest, OfANewerFormatNothingIsTouched) {
  Open();
  Write(folder_ + "/store.json", "{\"format\": 99}");
  const auto store = Try({.create = true});
  EXPECT_EQ(store.status().code(), StatusCode::kBadData);
  EXPECT_THAT(store.status().message(), HasSubstr("format 99"));
  Write(folder_ + "/store.json", "{");
  const Status damaged = Try({}).status();
  EXPECT_EQ(damaged.code(), StatusCode::kBadData);
  EXPECT_THAT(damaged.message(), HasSubstr("store.json: damaged"));
  EXPECT_THAT(damaged.message(), HasSubstr("write {\"format\": "));
}

TEST_F(StoreTest, WhatLiesBesideContentsIsNoContent) {
  const auto store = Open();
  Add(*store, "a", "aaaa");
  Write(folder_ + "/blobs/README", "x");
  const auto checked = store->Check(true);
  ASSERT_TRUE(checked.ok()) << checked.status().message();
  EXPECT_TRUE(checked->problems.empty());
}

TEST_F(StoreTest, CheckTellsWhatIsGoneOrDamaged) {
  const auto store = Open();
  const store::Run a = Add(*store, "a", "aaaa");
  const store::Run b = Add(*store, "b", "bbbb");
  const store::Run c = Add(*store, "c", "cccc");
  fs::remove(PathOfBlob(a.files[0].sha256));
  Write(PathOfBlob(b.files[0].sha256), "bbbB");
  Write(PathOfBlob(c.files[0].sha256), "cc");
  EXPECT_EQ(ProblemsOf(*store, false).size(), 2U);
  const auto problems = ProblemsOf(*store);
  ASSERT_EQ(problems.size(), 4U);
  EXPECT_THAT(problems, testing::Contains(AllOf(HasSubstr(a.id), HasSubstr("is gone"))));
  EXPECT_THAT(problems, testing::Contains(AllOf(HasSubstr(b.id), HasSubstr("is damaged"))));
  EXPECT_THAT(problems, testing::Contains(AllOf(HasSubstr(c.id), HasSubstr("2 bytes, not 4"))));
  EXPECT_EQ(store->Check(true)->damaged.size(), 2U);
}

TEST_F(StoreTest, FilesStoredTogetherAreAsStoredAlone) {
  const auto store = Open();
  std::vector<std::string> paths, sums;
  for (const char* text : {"a", "b", "a", ""}) {
    paths.push_back((root_ / std::to_string(paths.size())).string());
    Write(paths.back(), text);
    sums.push_back(Sha256Of(text));
  }
  ASSERT_TRUE(StoreText(store->blobs(), "b").ok());
  const auto stored = StoreFiles(store->blobs(), paths);
  ASSERT_TRUE(stored.ok()) << stored.status().message();
  ASSERT_EQ(stored->size(), sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ((*stored)[i].sha256, sums[i]);
    EXPECT_TRUE(store->blobs().VerifiedPathOf(sums[i]).ok());
  }
  EXPECT_TRUE(fs::is_empty(folder_ + "/temporary"));
  paths.push_back((root_ / "not there").string());
  EXPECT_FALSE(StoreFiles(store->blobs(), paths).ok());
  EXPECT_TRUE(fs::is_empty(folder_ + "/temporary"));
}

TEST_F(StoreTest, AFolderWhoseRunsAreInADatabaseIsNotTakenForEmpty) {
  RS_NEEDS_POSTGRES();
  {
    const auto store = Open();
    Add(*store, "a", "abc");
  }
  const std::string address = postgres::TestServer::Get().NewDatabase();
  const auto refused = Try({.catalogue = address});
  EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().message(), HasSubstr("store migrate"));
  fs::remove_all(folder_ + "/runs");
  fs::create_directories(folder_ + "/runs");
  {
    const auto first = Open({.catalogue = address});
    const auto second = Open({.catalogue = address});
    Add(*first, "b", "bbbb");
    EXPECT_THAT(ProblemsOf(*second), IsEmpty());
  }
  for (const bool is_reader : {false, true}) {
    EXPECT_THAT(Try({.create = true, .read_only = is_reader}).status().message(),
                HasSubstr("its runs are in a database"));
  }
}

TEST_F(StoreTest, ManyThreadsAdd) {
  const auto store = Open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) Add(*store, "run", std::to_string(i % 7 + t % 2));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store->catalogue().All()->size(), 80U);
  EXPECT_EQ(store->Check(true)->blobs, 8);
  EXPECT_THAT(ProblemsOf(*store), IsEmpty());
}

// A child adds runs and tells of each that is done; it is killed at some time. What it told of is
// there, whole; what it did not may be there, whole, or not at all.
TEST_F(StoreTest, KilledAtAnyTime) {
  std::mt19937 random(20261123);
  std::set<std::string> told;
  for (int round = 0; round < 60; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      auto store = Store::Open(folder_, {.create = true});
      if (!store.ok()) _exit(1);
      for (int i = 0;; ++i) {
        const auto blob =
            StoreText((*store)->blobs(), std::string(static_cast<std::size_t>(1000 * (i % 50)),
                                                     static_cast<char>('a' + round % 26)));
        const auto run = (*store)->catalogue().Create({.name = "run"});
        if (!blob.ok() || !run.ok()) _exit(1);
        const auto changed = (*store)->catalogue().Change(run->id, [&](store::Run& one) {
          one.files.push_back({"f", blob->sha256, blob->bytes});
          one.state = RunState::kReady;
          return OkStatus();
        });
        if (!changed.ok() || write(ends[1], run->id.data(), 16) != 16) _exit(1);
      }
    }
    close(ends[1]);
    // Behind so many runs that it told of, at any point of the next one.
    std::string id(16, '\0');
    for (auto i = 1 + random() % 4; i > 0 && read(ends[0], id.data(), 16) == 16; --i)
      told.insert(id);
    usleep(static_cast<useconds_t>(random() % 20'000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    while (read(ends[0], id.data(), 16) == 16) told.insert(id);
    close(ends[0]);
    const auto store = Open();
    EXPECT_THAT(ProblemsOf(*store), IsEmpty());
    EXPECT_TRUE(fs::is_empty(folder_ + "/temporary"));
    for (const std::string& one : told) {
      const auto run = store->catalogue().Find(one);
      ASSERT_TRUE(run.ok()) << "round " << round;
      EXPECT_EQ(run->state, RunState::kReady);
      EXPECT_EQ(run->files.size(), 1U);
    }
  }
  EXPECT_GT(told.size(), 20U);
}

}  // namespace
}  // namespace rankscope::store
