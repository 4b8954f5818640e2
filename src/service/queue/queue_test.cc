// The queue with a small program in place of this one.
#include "service/queue/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>

#include "base/file.h"
#include "base/until.h"
#include "service/processes/small_program.h"
#include "service/queue/journal.h"

namespace rankscope::service {
namespace {

using QueueStoredRun = store::Run;
using store::RunState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class QueueTest : public ::testing::Test {
 protected:
  QueueTest() : folder_(mkdtemp(name_)) {
    WriteSmallProgram(folder_ + "/program", folder_ + "/log");
    OpenStore();
  }
  ~QueueTest() override {
    queue_.reset();
    std::filesystem::remove_all(folder_);
  }

  void OpenStore() {
    queue_.reset();
    commands_.reset();
    store_.reset();
    auto store = store::Store::Open(folder_ + "/data", {.create = true});
    ASSERT_TRUE(store.ok()) << store.status().message();
    store_ = std::move(*store);
    commands_ = std::make_unique<Commands>(folder_ + "/program", folder_ + "/data/commands",
                                           folder_ + "/cache", *store_, CommandLimits{});
    std::filesystem::create_directories(folder_ + "/cache");
  }
  void Begin(std::chrono::seconds time = std::chrono::seconds(3600)) {
    QueueOptions options{.program = folder_ + "/program",
                         .folder = folder_ + "/data/queue",
                         .cache_folder = folder_ + "/cache",
                         .journal = folder_ + "/data/journal",
                         .workers = 2,
                         .time = time,
                         .pause = std::chrono::milliseconds(10)};
    options.on_change = [this](const QueueStoredRun& run) {
      if (run.state == RunState::kAnalysing && throws_ > 0) {
        --throws_;
        throw std::runtime_error("nobody listens");
      }
      const std::scoped_lock lock(mutex_);
      states_[run.id] = run.state;
      changed_.notify_all();
    };
    options.on_message = [this](std::string_view message) {
      const std::scoped_lock lock(mutex_);
      messages_ += std::string(message) + "\n";
    };
    auto queue = Queue::Open(*store_, *commands_, options);
    ASSERT_TRUE(queue.ok()) << queue.status().message();
    queue_ = std::move(*queue);
    queue_->Begin();
  }
  std::string NewRun(const std::map<std::string, std::string>& files) {
    QueueStoredRun run;
    for (const auto& [name, text] : files) {
      const auto blob = *store::StoreText(store_->blobs(), text);
      run.files.push_back({name, blob.sha256, blob.bytes});
    }
    run.state = RunState::kQueued;
    return store_->catalogue().Create(run)->id;
  }
  QueueStoredRun Done(const std::string& id) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kTestLimit, [&] {
      return states_[id] == RunState::kReady || states_[id] == RunState::kFailed;
    });
    return *store_->catalogue().Find(id);
  }
  // What it counted when nothing runs any more.
  QueueNumbers Settled() {
    EXPECT_TRUE(Until([&] { return queue_->Numbers().running == 0; }));
    return queue_->Numbers();
  }
  std::string ReportOf(const QueueStoredRun& run) {
    for (const auto& table : run.reports.back().tables) {
      if (table.name == "report.json") return *ReadFile(*store_->blobs().PathOf(table.sha256));
    }
    return "";
  }

  char name_[40] = "/tmp/rankscope_queue_XXXXXX";
  std::string folder_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Commands> commands_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, RunState> states_;
  std::string messages_;
  std::atomic<int> throws_ = 0;  // so often when it hears that an analysis begins
  std::unique_ptr<Queue> queue_;
};

TEST_F(QueueTest, MakesAReport) {
  const std::string id = NewRun({{"rank0", "zero\n"}, {"rank1", "one\n"}});
  Begin();
  const QueueStoredRun run = Done(id);
  EXPECT_EQ(run.state, RunState::kReady);
  EXPECT_EQ(run.world_size, 4);
  EXPECT_EQ(run.hardware, "H100");
  EXPECT_EQ(ReportOf(run), "zero\none\n");
  EXPECT_EQ(Settled().done, 1);
}

TEST_F(QueueTest, MakesRunsOfSeveral) {
  const std::string id = NewRun({{"a/rank0", "zero\n"}, {"b/rank0", "one\n"}});
  Begin();
  const QueueStoredRun run = Done(id);
  EXPECT_EQ(run.state, RunState::kReady) << run.reason;
  EXPECT_EQ(run.name, "/a");
  EXPECT_EQ(ReportOf(run), "zero\n");
  ASSERT_EQ(*store_->catalogue().Count(), 2u);
  const std::vector<QueueStoredRun> all = *store_->catalogue().All();
  for (const QueueStoredRun& other : all) {
    if (other.id == id) continue;
    const QueueStoredRun done = Done(other.id);
    EXPECT_EQ(done.name, "/b");
    EXPECT_EQ(ReportOf(done), "one\n");
  }
  EXPECT_EQ(Settled().attempts_failed, 0);
}

TEST_F(QueueTest, SetsAPoisonFileAside) {
  const std::string id = NewRun({{"rank0", "zero\n"}, {"rank1", "poison\n"}, {"rank2", "two\n"}});
  Begin();
  const QueueStoredRun run = Done(id);
  EXPECT_EQ(run.state, RunState::kReady) << run.reason;
  EXPECT_EQ(ReportOf(run), "zero\ntwo\n");
  ASSERT_EQ(run.set_aside.size(), 1u);
  EXPECT_EQ(run.set_aside[0].file, "rank1");
  EXPECT_THAT(run.set_aside[0].reason, HasSubstr("SIGSEGV"));
  EXPECT_EQ(Settled().attempts_failed, 2);
}

TEST_F(QueueTest, AnExceptionOfTheServersIsAnAttempt) {
  throws_ = 2;
  const std::string id = NewRun({{"rank0", "zero\n"}});
  Begin();
  EXPECT_EQ(Done(id).state, RunState::kReady);
  EXPECT_EQ(Settled().attempts_failed, 2);
  const std::scoped_lock lock(mutex_);
  EXPECT_THAT(messages_, HasSubstr("could not see to its analysis: nobody listens"));
}

TEST_F(QueueTest, AnExceptionThatComesAgainEndsTheRun) {
  throws_ = 1000;
  const std::string id = NewRun({{"rank0", "zero\n"}});
  Begin();
  const QueueStoredRun run = Done(id);
  EXPECT_EQ(run.state, RunState::kFailed);
  EXPECT_THAT(run.reason, HasSubstr("nobody listens"));
  EXPECT_EQ(Settled().waiting, 0);
}

TEST_F(QueueTest, FailsWithItsReason) {
  const std::string refused = NewRun({{"rank0", "no trace"}});
  const std::string poison = NewRun({{"rank0", "poison"}});
  Begin();
  EXPECT_EQ(Done(refused).reason, "it is no trace");
  const QueueStoredRun run = Done(poison);
  EXPECT_EQ(run.state, RunState::kFailed);
  EXPECT_EQ(Settled().failed, 2);
}

TEST_F(QueueTest, WhatWouldFailAgainIsTriedOnce) {
  const std::string id = NewRun({{"rank0", "no event"}});
  Begin();
  EXPECT_EQ(Done(id).reason, "no recording has an event: rank0: it inflates");
  EXPECT_EQ(Settled().attempts_failed, 1);
}

TEST_F(QueueTest, EndsWhatTakesTooLong) {
  const std::string id = NewRun({{"rank0", "sleep"}});
  Begin(std::chrono::seconds(1));
  const QueueStoredRun run = Done(id);
  EXPECT_EQ(run.state, RunState::kFailed);
}

TEST_F(QueueTest, GoesOnAfterItEnded) {
  const std::string id = NewRun({{"rank0", "sleep"}});
  for (int i = 0; i < 3; ++i) {
    Begin();
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kTestLimit, [&] { return states_[id] == RunState::kAnalysing; });
    lock.unlock();
    OpenStore();
    std::string message;
    EXPECT_EQ((*Journal::Open(folder_ + "/data/journal", message))->Of(id).interrupted(), 0);
    EXPECT_EQ(store_->catalogue().Find(id)->state, RunState::kAnalysing);
    states_.clear();
  }
  // One that is there when the file is good.
  const auto blob = *store::StoreText(store_->blobs(), "good\n");
  ASSERT_TRUE(store_->catalogue()
                  .Change(id,
                          [&](QueueStoredRun& run) {
                            run.files[0].sha256 = blob.sha256;
                            run.files[0].bytes = blob.bytes;
                            return OkStatus();
                          })
                  .ok());
  Begin();
  EXPECT_EQ(Done(id).state, RunState::kReady);
  EXPECT_EQ(Settled().attempts_failed, 0);
}

TEST_F(QueueTest, SearchesForPoisonAlsoAfterItEnded) {
  const std::string id = NewRun({{"rank0", "zero\n"}, {"rank1", "poison\n"}});
  {
    std::string message;
    auto journal = Journal::Open(folder_ + "/data/journal", message);
    for (const auto event : {Journal::Event::kBegun, Journal::Event::kFailed,
                             Journal::Event::kBegun, Journal::Event::kFailed}) {
      ASSERT_TRUE((*journal)->Add(event, id).ok());
    }
  }
  Begin();
  EXPECT_EQ(ReportOf(Done(id)), "zero\n");
}

TEST_F(QueueTest, FinishedAgainWhileItRuns) {
  const std::string id = NewRun({{"rank0", "good\n"}});
  Begin();
  for (std::int64_t version = 1; version <= 20; ++version) {
    EXPECT_EQ(Done(id).reports.size(), static_cast<std::size_t>(version));
    {
      const std::scoped_lock lock(mutex_);
      states_.erase(id);
    }
    ASSERT_TRUE(store_->catalogue()
                    .Change(id,
                            [](QueueStoredRun& run) {
                              run.state = RunState::kQueued;
                              return OkStatus();
                            })
                    .ok());
    queue_->Add(id);
  }
}

// As servers leave it that ended in the middle.
void Interrupt(const std::string& folder, const std::string& run, Journal::Event event,
               std::int64_t times) {
  std::string message;
  const auto journal = Journal::Open(folder + "/data/journal", message);
  for (std::int64_t i = 0; i < times; ++i) ASSERT_TRUE((*journal)->Add(event, run).ok());
}

TEST_F(QueueTest, GivesUpWhatEndsTheServer) {
  const std::string id = NewRun({{"rank0", "good"}});
  Interrupt(folder_, id, Journal::Event::kBegun, Queue::kSuspicious);
  Interrupt(folder_, id, Journal::Event::kAlone, Queue::kMostAlone);
  Begin();
  EXPECT_THAT(Done(id).reason, HasSubstr("3 times while it analysed this run and nothing else"));
}

TEST_F(QueueTest, ThatOthersWereAnalysedBesideItIsNoEvidence) {
  const std::string id = NewRun({{"rank0", "good"}});
  Interrupt(folder_, id, Journal::Event::kBegun, 50);
  Interrupt(folder_, id, Journal::Event::kAlone, Queue::kMostAlone - 1);
  const std::string other = NewRun({{"rank0", "good"}});
  Begin();
  EXPECT_EQ(Done(id).state, RunState::kReady);
  EXPECT_EQ(Done(other).state, RunState::kReady);
}

TEST_F(QueueTest, ForgetsWhatIsRemoved) {
  const std::string id = NewRun({{"rank0", "sleep"}});
  const std::string other = NewRun({{"rank0", "good"}});
  Begin();
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kTestLimit, [&] { return states_[id] == RunState::kAnalysing; });
  }
  ASSERT_TRUE(store_->catalogue().Remove(id).ok());
  queue_->Forget(id);
  EXPECT_EQ(Done(other).state, RunState::kReady);
  EXPECT_EQ(Settled().running, 0);
}

TEST(QueueMetrics, AreThoseThatAreKnown) {
  std::string out;
  AppendQueueMetrics(out, {});
  EXPECT_THAT(out, Not(HasSubstr("rankscope_backlog_cpu_seconds")));
  EXPECT_THAT(out, Not(HasSubstr("rankscope_oldest_wait_seconds")));
  AppendQueueMetrics(out, {.backlog_cpu_seconds = 1.5, .oldest_wait_seconds = 2});
  EXPECT_THAT(out, HasSubstr("\nrankscope_backlog_cpu_seconds 1.5\n"));
  EXPECT_THAT(out, HasSubstr("\nrankscope_oldest_wait_seconds 2\n"));
  EXPECT_THAT(out, Not(HasSubstr("team=")));
  AppendTeamMetrics(out, {.units_waiting_of_team = {{"a \"b\" \\", 3}}});
  EXPECT_THAT(out, HasSubstr("\nrankscope_team_units_waiting{team=\"a \\\"b\\\" \\\\\"} 3\n"));
}

TEST(AnalysisMemory, LessThanAnyAnalysisNeedsIsRefused) {
  EXPECT_TRUE(CheckAnalysisMemory(0, "--memory", "0").ok()) << "any";
  EXPECT_TRUE(CheckAnalysisMemory(std::uint64_t{1} << 30, "--memory", "1G").ok());
  const Status refused = CheckAnalysisMemory(40 << 20, "--memory", "40M");
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(refused.message(),
            "--memory takes at least 1G, not '40M': no analysis works with less, however small its "
            "traces");
}

}  // namespace
}  // namespace rankscope::service
