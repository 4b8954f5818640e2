// The store: what is acknowledged stays, what is not does not show, whenever the process dies.
#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/durable.h"
#include "base/file.h"
#include "base/until.h"
#include "postgres/test_server.h"
#include "store/random_id.h"
#include "store/requeue.h"
#include "store/sha256.h"
#include "store/verified_contents.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kStoreAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";  // FIPS 180-4's example

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    std::string name = (fs::temp_directory_path() / "rankscope_store_XXXXXX").string();
    root_ = mkdtemp(name.data());
    folder_ = (root_ / "data").string();
  }
  ~StoreTest() override { fs::remove_all(root_); }

  Result<std::unique_ptr<Store>> Try(StoreOptions options) {
    options.now_s = [this] { return now_s_; };
    return Store::Open(folder_, std::move(options));
  }
  std::unique_ptr<Store> Open(StoreOptions options = {.create = true}) {
    auto store = Try(std::move(options));
    EXPECT_TRUE(store.ok()) << store.status().message();
    return store.ok() ? std::move(*store) : nullptr;
  }
  // A run of one file with this text.
  static store::Run Add(Store& store, const std::string& name, const std::string& text) {
    const auto blob = StoreText(store.blobs(), text);
    EXPECT_TRUE(blob.ok());
    const auto run = store.catalogue().Create({.name = name});
    EXPECT_TRUE(run.ok());
    const auto changed = store.catalogue().Change(run->id, [&](store::Run& one) {
      one.files.push_back({"rank0.json", blob->sha256, blob->bytes});
      one.state = RunState::kReady;
      return OkStatus();
    });
    EXPECT_TRUE(changed.ok());
    return *changed;
  }
  static std::vector<std::string> ProblemsOf(const Store& store, bool contents = true) {
    const auto checked = store.Check(contents);
    EXPECT_TRUE(checked.ok());
    std::vector<std::string> problems;
    for (const Problem& problem : checked->problems)
      problems.push_back(problem.where + ": " + problem.what);
    return problems;
  }
  std::string PathOfBlob(const std::string& sha256) const {
    return folder_ + "/blobs/" + sha256.substr(0, 2) + "/" + sha256;
  }
  void Write(const std::string& path, std::string_view text) const {
    std::ofstream(path, std::ios::binary) << text;
  }

  fs::path root_;
  std::string folder_;
  std::int64_t now_s_ = 1'800'000'000;
};

TEST(Record, NotesOfOlderVersionsHaveNoEnd) {
  store::Run run{.id = "0123456789abcdef", .sealed_s = 1};
  run.notes = {{.id = 1, .text = "at an instant", .time_ns = 5}};
  const std::string older = ToRecord(run);
  EXPECT_THAT(older, Not(HasSubstr("end_ns")));
  ASSERT_TRUE(FromRecord(older).ok()) << FromRecord(older).status().message();
  EXPECT_EQ(*FromRecord(older), run);
  run.notes[0].end_ns = 9;
  ASSERT_TRUE(FromRecord(ToRecord(run)).ok());
  EXPECT_EQ(*FromRecord(ToRecord(run)), run);
}

TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(Sha256Of("abc"), kStoreAbc);
  EXPECT_EQ(Sha256Of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_TRUE(IsSha256(kStoreAbc));
  EXPECT_FALSE(IsSha256("BA7816"));
  EXPECT_FALSE(IsSha256(std::string(64, 'g')));
}

TEST_F(StoreTest, ARunThatFailedIsQueuedAgain) {
  const auto store = Open();
  const store::Run run = Add(*store, "r", "abc");
  const auto to = [&](RunState state) {
    const auto changed = store->catalogue().Change(run.id, [&](store::Run& one) {
      one.state = state;
      one.reason = "out of memory";
      one.set_aside = {{"f", "out of memory"}};
      return OkStatus();
    });
    EXPECT_TRUE(changed.ok());
  };
  for (const RunState state : {RunState::kFailed, RunState::kReady}) {
    to(state);
    const auto queued = Requeue(*store, run.id);
    ASSERT_TRUE(queued.ok()) << queued.status().message();
    EXPECT_EQ(queued->state, RunState::kQueued);
    EXPECT_EQ(queued->reason, "");
    EXPECT_THAT(queued->set_aside, IsEmpty());
    EXPECT_EQ(queued->files, run.files);
  }
  for (const RunState state : {RunState::kQueued, RunState::kAnalysing, RunState::kUploading}) {
    to(state);
    const Status refused = Requeue(*store, run.id).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(refused.message(), HasSubstr(std::string("is ") + std::string(ToString(state))));
  }
  const auto none = store->catalogue().Create({.name = "none", .state = RunState::kFailed});
  EXPECT_THAT(Requeue(*store, none->id).status().message(), HasSubstr("no files"));
  EXPECT_EQ(Requeue(*store, "0123456789abcdef").status().code(), StatusCode::kNotFound);
}

TEST_F(StoreTest, ContentsAreThereOnceAndOnlyAfterCommit) {
  const auto store = Open();
  {
    const auto writer = store->blobs().Create();
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Write("ab").ok());
  }
  EXPECT_EQ(store->blobs().PathOf(kStoreAbc).status().code(), StatusCode::kNotFound);
  for (int i = 0; i < 2; ++i) {
    const auto blob = StoreText(store->blobs(), "abc");
    ASSERT_TRUE(blob.ok());
    EXPECT_EQ(blob->sha256, kStoreAbc);
    EXPECT_EQ(blob->bytes, 3U);
  }
  const auto path = store->blobs().PathOf(kStoreAbc);
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(*ReadFile(*path), "abc");
  EXPECT_EQ(store->Check(true)->blobs, 1);
  EXPECT_TRUE(fs::is_empty(folder_ + "/temporary"));
  for (const char* key : {"../../x", "", "ab/../ab"})
    EXPECT_EQ(store->blobs().PathOf(key).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(StoreTest, ARecordReadsBackAsItIs) {
  store::Run run{.id = "0123456789abcdef",
                 .key = "k\"\\\n",
                 .name = "n\u00e4me",
                 .user = "u",
                 .team = "t",
                 .model = "m",
                 .product = "p",
                 .framework = "f",
                 .hardware = "h",
                 .world_size = 1 << 20,
                 .tags = {{"a", "1"}, {"keep", ""}},
                 .created_s = 1,
                 .changed_s = INT64_MAX,
                 .state = RunState::kFailed,
                 .reason = "why",
                 .files = {{"a/b.json", std::string(kStoreAbc), UINT64_MAX}},
                 .reports = {{.version = 2,
                              .made_s = 5,
                              .program = "1.0",
                              .tables = {{"findings", std::string(kStoreAbc), 7}}}}};
  const auto back = FromRecord(ToRecord(run));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, run);
  EXPECT_TRUE(FromRecord(ToRecord({.id = "0123456789abcdef"})).ok());
}

TEST_F(StoreTest, WhatIsNoRecordIsRefused) {
  const std::string good = ToRecord({.id = "0123456789abcdef"});
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& record :
       {std::string(), std::string("[]"), good.substr(0, good.size() / 2), with("uploading", "x"),
        with("0123456789abcdef", "../456789abcdef0"), with("\"tags\"", "\"more\""),
        with("\"created_s\":0", "\"created_s\":\"0\""), with("\"files\":[]", "\"files\":[{}]"),
        with("\"files\":[]", "\"files\":[{\"name\":\"../x\",\"sha256\":\"" +
                                 std::string(kStoreAbc) + "\",\"bytes\":1}]"),
        with("\"reports\":[]", "\"reports\":[{\"version\":1}]")}) {
    EXPECT_FALSE(FromRecord(record).ok()) << record;
  }
}

TEST_F(StoreTest, ARecordWithAByteChangedIsRefused) {
  const std::string good = ToRecord({.id = "0123456789abcdef",
                                     .name = "llama",
                                     .created_s = 5,
                                     .state = RunState::kReady,
                                     .reason = "why",
                                     .sealed_s = 5});
  ASSERT_TRUE(FromRecord(good).ok());
  for (std::size_t at = 0; at + 1 < good.size(); ++at) {
    for (const char bit : {1, 4, 32}) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      EXPECT_FALSE(FromRecord(damaged).ok()) << damaged;
    }
  }
  for (std::size_t bytes = 0; bytes + 1 < good.size(); ++bytes)
    EXPECT_FALSE(FromRecord(good.substr(0, bytes)).ok()) << bytes;
  EXPECT_FALSE(FromRecord(good + "x").ok());
}

TEST_F(StoreTest, RecordsOfOlderVersionsAreUnverifiedUntilTheyAreSealed) {
  const auto blob_of = [&](Store& store, const char* text) {
    return StoreText(store.blobs(), text)->sha256;
  };
  std::string sound, faulty, changed;
  {
    const auto store = Open();
    sound = Add(*store, "sound", "aaaa").id;
    faulty = Add(*store, "faulty", "bbbb").id;
    changed = Add(*store, "changed", "cccc").id;
    Write(PathOfBlob(blob_of(*store, "bbbb")), "bbbB");
    const auto runs = store->catalogue().All();
    for (store::Run run : *runs) {
      run.sealed_s = 0;
      Write(folder_ + "/runs/" + run.id + ".json", ToRecord(run));
      EXPECT_THAT(ToRecord(run), testing::Not(HasSubstr("seal")));
    }
  }
  Write(folder_ + "/store.json", "{\"format\": 1}");
  EXPECT_THAT(Try({.read_only = true}).status().message(), HasSubstr("format 1"));
  Write(folder_ + "/store.json", "{\"format\": 2}");
  EXPECT_EQ(Open({.read_only = true})->Check(false)->unsealed, 3);
  EXPECT_EQ(*ReadFile(folder_ + "/store.json"), "{\"format\": 2}");
  const std::int64_t made_s = now_s_;
  now_s_ += 1000;
  {
    const auto store = Open();
    EXPECT_EQ(store->catalogue().Find(sound)->sealed_s, 0) << "nobody has looked at it";
    ASSERT_TRUE(store->catalogue()
                    .Change(changed,
                            [](store::Run& run) {
                              run.tags["new"] = "";
                              return OkStatus();
                            })
                    .ok());
    const auto before = store->Check(false);
    EXPECT_EQ(before->unsealed, 2);
    EXPECT_EQ(before->sealed_late, 1);
    const auto sealed = store->Seal();
    ASSERT_TRUE(sealed.ok());
    EXPECT_EQ(sealed->unsealed, 1) << "what it names is damaged";
    EXPECT_EQ(sealed->sealed_late, 2);
    EXPECT_EQ(sealed->problems.size(), 1U);
    now_s_ += 1000;
    EXPECT_EQ(store->Seal()->sealed_late, 2);
  }
  const auto store = Open();
  EXPECT_EQ(store->catalogue().Find(sound)->sealed_s, made_s + 1000);
  EXPECT_EQ(store->catalogue().Find(sound)->changed_s, made_s) << "retention goes by it";
  EXPECT_EQ(store->catalogue().Find(changed)->sealed_s, made_s + 1000);
  EXPECT_EQ(store->catalogue().Find(changed)->changed_s, made_s + 1000);
  EXPECT_EQ(store->catalogue().Find(faulty)->sealed_s, 0);
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
  Write(folder_ + "/store.json", "format");
  EXPECT_EQ(Try({}).status().code(), StatusCode::kBadData);
}

TEST_F(StoreTest, GarbageIsWhatNoRunNamesForLong) {
  const auto store = Open();
  const store::Run kept = Add(*store, "kept", "in use");
  const auto loose = StoreText(store->blobs(), "loose");
  // Blobs have the time of the disk, runs that of the test.
  now_s_ = std::time(nullptr);
  auto removed = store->CollectGarbage({});
  EXPECT_EQ(removed->blobs, 0) << "somebody may be about to name it";
  now_s_ += 4000;
  EXPECT_EQ(store->Check(false)->unused_blobs, 1);
  removed = store->CollectGarbage({});
  EXPECT_EQ(removed->blobs, 1);
  EXPECT_EQ(removed->bytes, 5U);
  EXPECT_EQ(removed->runs, 0);
  EXPECT_FALSE(store->blobs().PathOf(loose->sha256).ok());
  EXPECT_TRUE(store->blobs().PathOf(kept.files[0].sha256).ok());
}

TEST_F(StoreTest, RetentionByAgeAndSize) {
  const auto store = Open();
  now_s_ = std::time(nullptr);
  const store::Run old = Add(*store, "old", "shared");
  const store::Run pinned = Add(*store, "pinned", "pinned text");
  ASSERT_TRUE(store->catalogue()
                  .Change(pinned.id,
                          [](store::Run& run) {
                            run.tags["keep"] = "";
                            return OkStatus();
                          })
                  .ok());
  now_s_ += 100'000;
  const store::Run middle = Add(*store, "middle", "shared");
  now_s_ += 10;
  const store::Run last = Add(*store, "last", std::string(100, 'x'));
  const auto names = [&] {
    std::vector<std::string> all;
    const std::vector<store::Run> runs = store->catalogue().All().value();
    for (const store::Run& run : runs) all.push_back(run.name);
    return all;
  };
  auto removed = store->CollectGarbage({.older_than_s = 50'000});
  EXPECT_EQ(removed->runs, 1);
  EXPECT_EQ(removed->blobs, 0) << "the other run has the same content";
  EXPECT_THAT(names(), ElementsAre("last", "middle", "pinned"));
  removed = store->CollectGarbage({.most_bytes = 111});
  EXPECT_EQ(removed->runs, 1);
  EXPECT_EQ(removed->blobs, 1);
  EXPECT_THAT(names(), ElementsAre("last", "pinned"));
  EXPECT_THAT(ProblemsOf(*store), IsEmpty());
}

TEST_F(StoreTest, WhatShardsHaveReadGoesWithTheReport) {
  const auto store = Open();
  now_s_ = std::time(nullptr);
  const store::Run run = Add(*store, "large", "content");
  const auto set = [&](RunState state, std::int64_t reports) {
    ASSERT_TRUE(store->catalogue()
                    .Change(run.id,
                            [&](store::Run& one) {
                              one.state = state;
                              one.reports.resize(static_cast<std::size_t>(reports));
                              return OkStatus();
                            })
                    .ok());
  };
  const auto make = [&](const std::string& id, std::int64_t report) {
    fs::create_directories(store->ShardFolderOf(id, report) + "/cache");
    return store->ShardFolderOf(id, report);
  };
  const auto collect = [&] { ASSERT_TRUE(store->CollectGarbage({}).ok()); };
  const std::string first = make(run.id, 1), second = make(run.id, 2);
  const std::string others = make("0123456789abcdef", 1);
  fs::create_directories(folder_ + "/shards/not ours");
  const std::string half_made = store->ShardFolderOf(run.id, 2) + ".x";
  fs::create_directories(half_made);
  set(RunState::kAnalysing, 1);
  collect();
  EXPECT_FALSE(fs::exists(first)) << "report 1 is there";
  EXPECT_TRUE(fs::exists(second)) << "it is at work";
  EXPECT_TRUE(fs::exists(others)) << "its run may be younger than the list of runs";
  EXPECT_TRUE(fs::exists(half_made)) << "somebody may be making it";
  now_s_ += 3 * 3600;
  collect();
  EXPECT_TRUE(fs::exists(second)) << "however long that takes";
  EXPECT_FALSE(fs::exists(others)) << "there is no such run";
  EXPECT_FALSE(fs::exists(half_made));
  set(RunState::kFailed, 1);
  now_s_ = std::time(nullptr);
  collect();
  EXPECT_TRUE(fs::exists(second)) << "it may be tried again";
  now_s_ += 3 * 3600;
  collect();
  EXPECT_FALSE(fs::exists(second));
  EXPECT_TRUE(fs::exists(folder_ + "/shards/not ours"));
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

TEST_F(StoreTest, ARecordThatCannotBeReadStopsTheGarbageCollector) {
  {
    const auto store = Open();
    const store::Run run = Add(*store, "a", "aaaa");
    Write(folder_ + "/runs/" + run.id + ".json", "{\"id\":");
  }
  const auto store = Open({});
  EXPECT_THAT(*store->catalogue().All(), IsEmpty());
  EXPECT_EQ(ProblemsOf(*store).size(), 1U);
  now_s_ = std::time(nullptr) + 100'000;
  EXPECT_EQ(store->CollectGarbage({}).status().code(), StatusCode::kBadData);
  EXPECT_EQ(store->Check(false)->blobs, 1);
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

TEST_F(StoreTest, WhatIsStoredAgainIsNoGarbage) {
  const auto store = Open();
  ASSERT_TRUE(StoreText(store->blobs(), "abc").ok());
  const std::int64_t now = std::time(nullptr);
  EXPECT_FALSE(*store->blobs().RemoveUnused(kStoreAbc, now - 1000)) << "it was stored since";
  EXPECT_TRUE(store->blobs().PathOf(kStoreAbc).ok());
  EXPECT_TRUE(*store->blobs().RemoveUnused(kStoreAbc, now + 1000));
  EXPECT_EQ(store->blobs().PathOf(kStoreAbc).status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(fs::is_empty(folder_ + "/temporary"));
}

TEST_F(StoreTest, WhoCollectsAndWhoStoresMayMeet) {
  const auto store = Open();
  std::atomic<bool> is_over = false;
  std::thread collector([&] {
    // All of it is old enough, always: what was stored is lost only behind the answer that it is.
    while (!is_over) (void)store->blobs().RemoveUnused(kStoreAbc, std::time(nullptr) - 3600);
  });
  for (int i = 0; i < 300; ++i) {
    // As if it had been stored long ago.
    const timespec old[2] = {{.tv_sec = 1000, .tv_nsec = 0}, {.tv_sec = 1000, .tv_nsec = 0}};
    utimensat(AT_FDCWD, PathOfBlob(std::string(kStoreAbc)).c_str(), old, 0);
    ASSERT_TRUE(StoreText(store->blobs(), "abc").ok());
    ASSERT_TRUE(Until([&] { return store->blobs().PathOf(kStoreAbc).ok(); }));
  }
  is_over = true;
  collector.join();
  EXPECT_TRUE(store->blobs().PathOf(kStoreAbc).ok());
}

TEST_F(StoreTest, WhatAKilledCollectorHadTakenAwayComesBack) {
  const auto store = Open();
  const store::Run run = Add(*store, "a", "abc");
  fs::rename(PathOfBlob(std::string(kStoreAbc)),
             folder_ + "/temporary/unused-" + std::string(kStoreAbc) + "-1");
  EXPECT_EQ(ProblemsOf(*store).size(), 1U);
  EXPECT_EQ(store->CollectGarbage({})->blobs, 0);
  EXPECT_THAT(ProblemsOf(*store), IsEmpty());
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
