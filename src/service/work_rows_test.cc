// Rows of work: each is one worker's at a time, and one that was cut off changes nothing.
#include "service/work_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "postgres/test_server.h"

namespace rankscope::service {
namespace {

using store::PostgresCatalogue;
using store::RunState;
using StoredRun = store::Run;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr milliseconds kLong{3'600'000};

class WorkRowsTest : public testing::Test {
 protected:
  std::unique_ptr<PostgresCatalogue> Open() {
    auto opened = PostgresCatalogue::Open(address_, {});
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  std::string Queue(const std::string& team = "") {
    return catalogue_->Create({.name = "r", .team = team, .state = RunState::kQueued})->id;
  }
  static std::optional<WorkUnit> Take(WorkRows& rows) {
    const auto unit = rows.Take();
    EXPECT_TRUE(unit.ok()) << unit.status().message();
    return unit.ok() ? *unit : std::nullopt;
  }
  // As if its worker had ended and its lease, too.
  void EndLease(const WorkUnit& unit) {
    ASSERT_TRUE(catalogue_->database()
                    .Do("UPDATE rankscope.work SET lease_until = now() - interval '1 second' "
                        "WHERE id = $1",
                        {unit.id})
                    .ok());
    ASSERT_TRUE(rows_.Sweep().ok());
    // And the pause after that.
    ASSERT_TRUE(catalogue_->database().Do("UPDATE rankscope.work SET not_before = now()").ok());
  }
  static Status Finish(StoredRun& run) {
    run.state = RunState::kReady;
    run.reports.push_back({.version = 1, .program = "test", .summary = "{}"});
    return OkStatus();
  }

  const std::string address_ = postgres::TestServer::Get().NewDatabase();
  std::unique_ptr<PostgresCatalogue> catalogue_ = Open();
  WorkRows rows_{*catalogue_, "first", kLong};
  WorkRows other_{*catalogue_, "second", kLong};
};

TEST_F(WorkRowsTest, FiftyTakersTakeEachOnce) {
  constexpr int kRuns = 200;
  std::set<std::string> queued;
  for (int i = 0; i < kRuns; ++i) queued.insert(Queue(fmt::format("team{}", i % 7)));
  // Several servers, each with its connections.
  std::vector<std::unique_ptr<PostgresCatalogue>> servers;
  for (int i = 0; i < 5; ++i) servers.push_back(Open());
  std::mutex mutex;
  std::vector<std::string> taken;
  std::vector<std::thread> threads;
  for (int t = 0; t < 50; ++t) {
    threads.emplace_back([&, t] {
      WorkRows rows(*servers[static_cast<std::size_t>(t) % servers.size()], std::to_string(t),
                    kLong);
      while (const auto unit = Take(rows)) {
        const std::scoped_lock lock(mutex);
        taken.push_back(unit->run);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken.size(), static_cast<std::size_t>(kRuns)) << "none twice";
  EXPECT_EQ(std::set<std::string>(taken.begin(), taken.end()), queued) << "none skipped";
}

TEST_F(WorkRowsTest, TeamsTakeTurns) {
  const std::string a1 = Queue("a"), a2 = Queue("a"), a3 = Queue("a"), b1 = Queue("b");
  std::vector<std::string> order;
  while (const auto unit = Take(rows_)) order.push_back(unit->run);
  EXPECT_THAT(order, ElementsAre(a1, b1, a2, a3));
}

TEST_F(WorkRowsTest, ALeaseThatEndedIsAnothers) {
  const std::string run = Queue();
  const auto first = Take(rows_);
  ASSERT_TRUE(first);
  EXPECT_FALSE(Take(other_)) << "it is taken";
  EXPECT_TRUE(*rows_.Renew(*first, 0.5, true));
  EndLease(*first);
  EXPECT_FALSE(*rows_.Renew(*first, 0.6, false));
  const auto second = Take(other_);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->run, run);
  EXPECT_EQ(second->lost, 1);
  EXPECT_EQ(second->failed, 0) << "that costs no attempt";
  EXPECT_GT(second->attempt, first->attempt);
  // The first comes back, and changes nothing.
  EXPECT_EQ(rows_.Conclude(*first, {.is_done = true}, Finish).status().code(),
            StatusCode::kCancelled);
  EXPECT_EQ(rows_.Change(*first, Finish).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(rows_.FailAttempt(*first, "late", kLong).code(), StatusCode::kCancelled);
  EXPECT_TRUE(rows_.HandBack(*first).ok());
  EXPECT_TRUE(catalogue_->Find(run)->reports.empty());
  // The second's report is there once.
  ASSERT_TRUE(other_.Conclude(*second, {.is_done = true}, Finish).ok());
  EXPECT_EQ(other_.Conclude(*second, {.is_done = true}, Finish).status().code(),
            StatusCode::kCancelled);
  EXPECT_EQ(catalogue_->Find(run)->reports.size(), 1U);
  EXPECT_EQ(other_.Numbers()->done, 1);
  EXPECT_EQ(other_.Numbers()->waiting + other_.Numbers()->running, 0);
}

TEST_F(WorkRowsTest, TheSameWorkerTakesAnotherNumber) {
  Queue();
  const auto first = Take(rows_);
  EndLease(*first);
  const auto again = Take(rows_);
  ASSERT_TRUE(again);
  EXPECT_EQ(rows_.Conclude(*first, {.is_done = true}, Finish).status().code(),
            StatusCode::kCancelled);
  EXPECT_TRUE(rows_.Conclude(*again, {.is_done = true}, Finish).ok());
}

TEST_F(WorkRowsTest, AChangeThatFailsEndsNothing) {
  const std::string run = Queue();
  const auto unit = Take(rows_);
  const auto refused = rows_.Conclude(*unit, {.is_done = true},
                                      [](StoredRun&) { return Error(StatusCode::kBadData, "no"); });
  EXPECT_EQ(refused.status().code(), StatusCode::kBadData);
  EXPECT_TRUE(*rows_.Renew(*unit, 0, false)) << "the work is there as before";
  EXPECT_EQ(rows_.Numbers()->done, 0);
}

TEST_F(WorkRowsTest, WhatFailsIsTriedAgainLaterAndAlone) {
  Queue();
  const auto unit = Take(rows_);
  EXPECT_FALSE(unit->is_alone);
  ASSERT_TRUE(rows_.FailAttempt(*unit, "out of memory", kLong).ok());
  EXPECT_FALSE(Take(rows_)) << "not yet";
  ASSERT_TRUE(catalogue_->database().Do("UPDATE rankscope.work SET not_before = now()").ok());
  const auto again = Take(rows_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->failed, 1);
  EXPECT_TRUE(again->is_alone);
  EXPECT_EQ(again->reason, "out of memory");
  // Its worker ends.
  EndLease(*again);
  EXPECT_EQ(Take(rows_)->lost_alone, 1);
}

TEST_F(WorkRowsTest, WhatIsHandedBackCostsNothing) {
  Queue();
  const auto unit = Take(rows_);
  ASSERT_TRUE(rows_.HandBack(*unit).ok());
  const auto again = Take(other_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->failed + again->lost, 0);
}

TEST_F(WorkRowsTest, WhatIsRemovedIsNobodys) {
  const std::string run = Queue();
  const auto unit = Take(rows_);
  ASSERT_TRUE(catalogue_->Remove(run).ok());
  EXPECT_FALSE(*rows_.Renew(*unit, 0, false));
  EXPECT_EQ(rows_.Conclude(*unit, {.is_done = true}, Finish).status().code(),
            StatusCode::kNotFound);
}

TEST_F(WorkRowsTest, ProgressIsTold) {
  const std::string run = Queue();
  const auto unit = Take(rows_);
  ASSERT_TRUE(*rows_.Renew(*unit, 0.25, false));
  EXPECT_EQ(rows_.Progress()->at(run), 0.25);
}

}  // namespace
}  // namespace rankscope::service
