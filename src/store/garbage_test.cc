// What a store removes: contents that no run names, runs beyond its limits, what shards have read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "base/until.h"
#include "store/store_for_test.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

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

TEST_F(StoreTest, WhatIsStoredAgainIsNoGarbage) {
  const auto store = Open();
  ASSERT_TRUE(StoreText(store->blobs(), "abc").ok());
  const std::int64_t now = std::time(nullptr);
  EXPECT_FALSE(*store->blobs().RemoveUnused(kSha256OfAbc, now - 1000)) << "it was stored since";
  EXPECT_TRUE(store->blobs().PathOf(kSha256OfAbc).ok());
  EXPECT_TRUE(*store->blobs().RemoveUnused(kSha256OfAbc, now + 1000));
  EXPECT_EQ(store->blobs().PathOf(kSha256OfAbc).status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(fs::is_empty(folder_ + "/temporary"));
}

TEST_F(StoreTest, WhoCollectsAndWhoStoresMayMeet) {
  const auto store = Open();
  std::atomic<bool> is_over = false;
  std::thread collector([&] {
    // All of it is old enough, always: what was stored is lost only behind the answer that it is.
    while (!is_over) (void)store->blobs().RemoveUnused(kSha256OfAbc, std::time(nullptr) - 3600);
  });
  for (int i = 0; i < 300; ++i) {
    // As if it had been stored long ago.
    const timespec old[2] = {{.tv_sec = 1000, .tv_nsec = 0}, {.tv_sec = 1000, .tv_nsec = 0}};
    utimensat(AT_FDCWD, PathOfBlob(std::string(kSha256OfAbc)).c_str(), old, 0);
    ASSERT_TRUE(StoreText(store->blobs(), "abc").ok());
    ASSERT_TRUE(Until([&] { return store->blobs().PathOf(kSha256OfAbc).ok(); }));
  }
  is_over = true;
  collector.join();
  EXPECT_TRUE(store->blobs().PathOf(kSha256OfAbc).ok());
}

TEST_F(StoreTest, WhatAKilledCollectorHadTakenAwayComesBack) {
  const auto store = Open();
  const store::Run run = Add(*store, "a", "abc");
  fs::rename(PathOfBlob(std::string(kSha256OfAbc)),
             folder_ + "/temporary/unused-" + std::string(kSha256OfAbc) + "-1");
  EXPECT_EQ(ProblemsOf(*store).size(), 1U);
  EXPECT_EQ(store->CollectGarbage({})->blobs, 0);
  EXPECT_THAT(ProblemsOf(*store), IsEmpty());
}

}  // namespace
}  // namespace rankscope::store
