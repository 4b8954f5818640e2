// The queue of a cluster with a small program in place of this one.
#include "service/queue/cluster_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/until.h"
#include "postgres/test_server.h"
#include "service/processes/small_program.h"

namespace rankscope::service {
namespace {

using ClusterQueueStoredRun = store::Run;
using store::RunState;
using testing::HasSubstr;

class ClusterQueueTest : public testing::Test {
 protected:
  ClusterQueueTest() : folder_(mkdtemp(name_)) {}
  void SetUp() override {
    RS_NEEDS_POSTGRES();
    address_ = postgres::TestServer::Get().NewDatabase();
    // Children may write to the cache, and to nothing else that lasts.
    WriteSmallProgram(folder_ + "/program", folder_ + "/cache/log");
    std::filesystem::create_directories(folder_ + "/cache");
    auto store = store::Store::Open(folder_ + "/data", {.create = true, .catalogue = address_});
    EXPECT_TRUE(store.ok()) << store.status().message();
    store_ = std::move(*store);
    commands_ = std::make_unique<Commands>(folder_ + "/program", folder_ + "/commands",
                                           folder_ + "/cache", *store_, CommandLimits{});
  }
  ~ClusterQueueTest() override {
    queues_.clear();
    std::filesystem::remove_all(folder_);
  }

  // Another process with so many threads.
  ClusterQueue& Begin(int workers, std::uint64_t shard_bytes = 1 << 30) {
    const std::string name = "worker" + std::to_string(queues_.size());
    ClusterQueueOptions options{.queue = {.program = folder_ + "/program",
                                          .folder = folder_ + "/" + name,
                                          .cache_folder = folder_ + "/cache",
                                          .workers = workers,
                                          .shard_bytes = shard_bytes,
                                          .pause = std::chrono::milliseconds(10)},
                                .lease = std::chrono::seconds(60),
                                .name = name};
    options.queue.on_change = [this](const ClusterQueueStoredRun& run) {
      if (run.state == RunState::kReady) ++ready_;
    };
    options.queue.on_message = [this](std::string_view message) {
      const std::scoped_lock lock(mutex_);
      messages_ += std::string(message) + "\n";
    };
    queues_.push_back(std::make_unique<ClusterQueue>(*store_, *commands_, std::move(options)));
    queues_.back()->Begin();
    return *queues_.back();
  }
  std::string NewRun(const std::map<std::string, std::string>& files) {
    ClusterQueueStoredRun run;
    for (const auto& [name, text] : files) {
      const auto blob = *store::StoreText(store_->blobs(), text);
      run.files.push_back({name, blob.sha256, blob.bytes});
    }
    run.state = RunState::kQueued;
    return store_->catalogue().Create(run)->id;
  }
  RunState StateOf(const std::string& id) { return store_->catalogue().Find(id)->state; }
  ClusterQueueStoredRun Done(const std::string& id) {
    EXPECT_TRUE(
        Until([&] { return StateOf(id) == RunState::kReady || StateOf(id) == RunState::kFailed; }));
    return *store_->catalogue().Find(id);
  }
  // How often the program was called with these words and no others.
  std::int64_t Called(const std::string& words) {
    std::istringstream log(*ReadFile(folder_ + "/cache/log"));
    std::int64_t count = 0;
    for (std::string line; std::getline(log, line);) count += line == words ? 1 : 0;
    return count;
  }
  std::string ReportOf(const ClusterQueueStoredRun& run) {
    if (run.reports.empty()) return "no report";
    for (const auto& table : run.reports.back().tables) {
      if (table.name == "report.json") return *ReadFile(*store_->blobs().PathOf(table.sha256));
    }
    return "";
  }

  char name_[48] = "/tmp/rankscope_cluster_queue_XXXXXX";
  std::string folder_;
  std::string address_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Commands> commands_;
  std::mutex mutex_;
  std::string messages_;
  std::atomic<int> ready_ = 0;
  std::vector<std::unique_ptr<ClusterQueue>> queues_;
};

TEST_F(ClusterQueueTest, WorkersOfSeveralProcessesMakeEachReportOnce) {
  std::vector<std::string> ids;
  for (int i = 0; i < 12; ++i) ids.push_back(NewRun({{"rank0", fmt::format("{}\n", i)}}));
  Begin(2);
  Begin(1);
  for (int i = 0; i < 4; ++i) ids.push_back(NewRun({{"rank0", fmt::format("{}\n", 12 + i)}}));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const ClusterQueueStoredRun run = Done(ids[i]);
    EXPECT_EQ(run.state, RunState::kReady) << run.reason;
    EXPECT_EQ(run.reports.size(), 1U);
    EXPECT_EQ(run.world_size, 4);
    EXPECT_EQ(ReportOf(run), fmt::format("{}\n", i));
  }
  EXPECT_TRUE(Until([&] { return ready_ == 16; }));
  EXPECT_EQ(queues_[0]->Numbers().done, 16);
  EXPECT_EQ(queues_[0]->Numbers().waiting + queues_[0]->Numbers().running, 0);
}

TEST_F(ClusterQueueTest, MakesRunsOfSeveral) {
  const std::string id = NewRun({{"a/rank0", "zero\n"}, {"b/rank0", "one\n"}});
  Begin(2);
  EXPECT_EQ(ReportOf(Done(id)), "zero\n");
  EXPECT_EQ(*store_->catalogue().Count(), 2U);
  const std::vector<ClusterQueueStoredRun> all = *store_->catalogue().All();
  for (const ClusterQueueStoredRun& run : all) {
    if (run.id == id) continue;
    EXPECT_EQ(ReportOf(Done(run.id)), "one\n");
    EXPECT_EQ(run.tags.at("set"), "");
  }
}

TEST_F(ClusterQueueTest, SetsAPoisonFileAsideAfterTwoTries) {
  const std::string id = NewRun({{"rank0", "zero\n"}, {"rank1", "poison\n"}, {"rank2", "two\n"}});
  Begin(2);
  const ClusterQueueStoredRun run = Done(id);
  EXPECT_EQ(run.state, RunState::kReady) << run.reason;
  EXPECT_EQ(ReportOf(run), "zero\ntwo\n");
  ASSERT_EQ(run.set_aside.size(), 1U);
  EXPECT_EQ(run.set_aside[0].file, "rank1");
  EXPECT_THAT(run.set_aside[0].reason, HasSubstr("SIGSEGV"));
  EXPECT_EQ(queues_[0]->Numbers().attempts_failed, 2);
  EXPECT_EQ(queues_[0]->Numbers().set_aside, 1);
}

TEST_F(ClusterQueueTest, ALargeRunIsReadInShards) {
  const std::string large =
      NewRun({{"rank0", "zero\n"}, {"rank1", "one\n"}, {"rank2", "two\n"}, {"rank3", "three\n"}});
  const std::string small = NewRun({{"rank0", "0\n"}, {"rank1", "1\n"}});
  Begin(2, /*shard_bytes=*/9);
  Begin(1, /*shard_bytes=*/9);
  const ClusterQueueStoredRun run = Done(large);
  EXPECT_EQ(run.state, RunState::kReady) << run.reason;
  EXPECT_EQ(ReportOf(run), "zero\none\ntwo\nthree\n");
  EXPECT_EQ(run.reports.size(), 1U);
  EXPECT_EQ(ReportOf(Done(small)), "0\n1\n");
  EXPECT_TRUE(Until([&] { return ready_ == 2; }));
  const std::string shards = store_->ShardFolderOf(large, 1);
  EXPECT_EQ(Called("shard " + shards + " --read TRACES"), 3) << "rank0 and 1, rank2, rank3";
  EXPECT_EQ(Called("analyze TRACES --format folder -o report --shards " + shards), 1);
  EXPECT_EQ(Called("analyze TRACES --format folder -o report"), 1) << "the small one costs no more";
  EXPECT_TRUE(Until([&] { return !std::filesystem::exists(shards); })) << "the report is there";
  EXPECT_EQ(queues_[0]->Numbers().done, 2);
}

TEST_F(ClusterQueueTest, APoisonFileCostsItsShardAndNoOther) {
  const std::string id = NewRun({{"rank0", "zero\n"},
                                 {"rank1", "one\n"},
                                 {"rank2", "poison\n"},
                                 {"rank3", "three\n"},
                                 {"rank4", "no trace\n"}});
  Begin(2, /*shard_bytes=*/13);
  const ClusterQueueStoredRun run = Done(id);
  // The whole program refuses what has a file that is no trace; this small one knows no better.
  EXPECT_THAT(run.reason, HasSubstr("it is no trace"));
  ASSERT_EQ(run.set_aside.size(), 1U);
  EXPECT_EQ(run.set_aside[0].file, "rank2");
  EXPECT_THAT(run.set_aside[0].reason, HasSubstr("SIGSEGV"));
  const std::string shards = store_->ShardFolderOf(id, 1);
  // rank0 and 1; rank2 and 3 twice, then each alone; rank4, which is refused, not again.
  EXPECT_EQ(Called("shard " + shards + " --read TRACES"), 4);
  EXPECT_EQ(Called("shard " + shards + " --read TRACES/rank2"), 1);
  EXPECT_EQ(Called("shard " + shards + " --read TRACES/rank3"), 1);
  EXPECT_EQ(Called("shard " + shards + " --read TRACES/rank0"), 0);
}

TEST_F(ClusterQueueTest, WhatEndsTheWorkersOfAShardIsSetAside) {
  const std::string id = NewRun({{"rank0", "zero\n"}, {"rank1", "one\n"}, {"rank2", "two\n"}});
  WorkRows rows(*store_->cluster(), "test", std::chrono::hours(1));
  ASSERT_TRUE(rows.Divide(**rows.Take(), {{0, 2, 9}, {2, 3, 4}}).ok());
  ASSERT_TRUE(store_->cluster()
                  ->database()
                  .Do("UPDATE rankscope.work SET lost = 6, lost_alone = 3 WHERE shard >= 0")
                  .ok());
  Begin(2);
  const ClusterQueueStoredRun run = Done(id);
  EXPECT_EQ(run.state, RunState::kReady) << run.reason;
  EXPECT_EQ(ReportOf(run), "zero\none\n");
  ASSERT_EQ(run.set_aside.size(), 1U);
  EXPECT_EQ(run.set_aside[0].file, "rank2");
  EXPECT_THAT(run.set_aside[0].reason, HasSubstr("3 times while it read this file"));
  EXPECT_EQ(Called("shard " + store_->ShardFolderOf(id, 1) + " --read TRACES"), 2)
      << "rank0 and rank1, each alone";
  EXPECT_EQ(queues_[0]->Numbers().set_aside, 1);
}

TEST_F(ClusterQueueTest, FailsWithItsReason) {
  const std::string refused = NewRun({{"rank0", "no trace"}});
  Begin(1);
  EXPECT_EQ(Done(refused).reason, "it is no trace");
  EXPECT_EQ(queues_[0]->Numbers().failed, 1);
  EXPECT_EQ(queues_[0]->Numbers().attempts_failed, 2) << "the third is the run's end";
}

TEST_F(ClusterQueueTest, HandsBackWhatItCannotEnd) {
  const std::string id = NewRun({{"rank0", "sleep"}});
  Begin(1);
  ASSERT_TRUE(Until([&] { return StateOf(id) == RunState::kAnalysing; }));
  queues_.clear();
  const auto rows = store_->cluster()->database().Do(
      "SELECT state, failed + lost FROM rankscope.work WHERE run = $1", {id});
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->Text(0, 0), "ready");
  EXPECT_EQ(rows->Integer(0, 1), 0);
}

TEST_F(ClusterQueueTest, ForgetsWhatIsRemoved) {
  const std::string id = NewRun({{"rank0", "sleep"}});
  Begin(1);
  ASSERT_TRUE(Until([&] { return StateOf(id) == RunState::kAnalysing; }));
  ASSERT_TRUE(store_->catalogue().Remove(id).ok());
  const std::string other = NewRun({{"rank0", "good\n"}});
  EXPECT_EQ(Done(other).state, RunState::kReady);
}

TEST_F(ClusterQueueTest, GivesUpWhatEndsItsWorkers) {
  const std::string id = NewRun({{"rank0", "good\n"}});
  const std::string other = NewRun({{"rank0", "good\n"}});
  ASSERT_TRUE(store_->cluster()
                  ->database()
                  .Do("UPDATE rankscope.work SET lost = 6, lost_alone = 3 WHERE run = $1", {id})
                  .ok());
  ASSERT_TRUE(store_->cluster()
                  ->database()
                  .Do("UPDATE rankscope.work SET lost = 60, lost_alone = 2 WHERE run = $1", {other})
                  .ok());
  Begin(2);
  EXPECT_THAT(Done(id).reason, HasSubstr("3 times while it analysed this run and nothing else"));
  EXPECT_EQ(Done(other).state, RunState::kReady);
}

TEST_F(ClusterQueueTest, GoesOnWhenTheDatabaseIsBack) {
  Begin(2);
  postgres::TestServer::Get().Crash();
  std::string id;
  ASSERT_TRUE(Until([&] {
    ClusterQueueStoredRun run;
    const auto blob = *store::StoreText(store_->blobs(), "zero\n");
    run.files.push_back({"rank0", blob.sha256, blob.bytes});
    run.state = RunState::kQueued;
    run.key = "once";
    const auto made = store_->catalogue().Create(run);
    if (made.ok()) id = made->id;
    return made.ok();
  }));
  EXPECT_EQ(Done(id).state, RunState::kReady);
  EXPECT_EQ(*store_->catalogue().Count(), 1U);
}

}  // namespace
}  // namespace rankscope::service
