// Rows of work: each is one worker's at a time, and one that was cut off changes nothing.
#include "service/queue/work_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <set>
#include <thread>

#include "postgres/test_server.h"

namespace rankscope::service {
namespace {

using store::PostgresCatalogue;
using store::RunState;
using WorkRowsStoredRun = store::Run;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr milliseconds kLong{3'600'000};

class WorkRowsTest : public testing::Test {
 protected:
  void SetUp() override {
    RS_NEEDS_POSTGRES();
    address_ = postgres::TestServer::Get().NewDatabase();
    catalogue_ = Open();
    rows_.emplace(*catalogue_, "first", kLong);
    other_.emplace(*catalogue_, "second", kLong);
  }
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
    ASSERT_TRUE(rows_->Sweep().ok());
    // And the pause after that.
    ASSERT_TRUE(catalogue_->database().Do("UPDATE rankscope.work SET not_before = now()").ok());
  }
  static Status Finish(WorkRowsStoredRun& run) {
    run.state = RunState::kReady;
    run.reports.push_back({.version = 1, .program = "test", .summary = "{}"});
    return OkStatus();
  }

  std::string address_;
  std::unique_ptr<PostgresCatalogue> catalogue_;
  std::optional<WorkRows> rows_, other_;
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
  while (const auto unit = Take(*rows_)) order.push_back(unit->run);
  EXPECT_THAT(order, ElementsAre(a1, b1, a2, a3));
}

TEST_F(WorkRowsTest, TeamsTakeTurnsWithOneWorker) {
  std::vector<std::string> flood, small;
  for (int i = 0; i < 5; ++i) flood.push_back(Queue("flood"));
  for (int i = 0; i < 2; ++i) small.push_back(Queue("small"));
  std::vector<std::string> order;
  std::optional<WorkUnit> unit;
  const auto next = [&] {
    unit = Take(*rows_);
    if (!unit) return false;
    order.push_back(unit->run);
    EXPECT_TRUE(rows_->Conclude(*unit, {.is_done = true}, Finish).ok());
    return true;
  };
  ASSERT_TRUE(next() && next() && next());
  // One that comes later has had no turn yet.
  const std::string late = Queue("late");
  while (next()) continue;
  EXPECT_THAT(order, ElementsAre(flood[0], small[0], flood[1], late, small[1], flood[2], flood[3],
                                 flood[4]));
}

TEST_F(WorkRowsTest, MoreTeamsThanWorkersTakeTurns) {
  std::vector<std::string> order;
  for (const char* const team : {"a", "b", "c"}) {
    for (int i = 0; i < 3; ++i) Queue(team);
  }
  // Two slots, in which one unit ends and another begins.
  auto held = Take(*rows_);
  order.push_back(held->team);
  while (const auto unit = Take(*rows_)) {
    order.push_back(unit->team);
    ASSERT_TRUE(rows_->Conclude(*held, {.is_done = true}, Finish).ok());
    held = unit;
  }
  EXPECT_THAT(order, ElementsAre("a", "b", "c", "a", "b", "c", "a", "b", "c"));
}

TEST_F(WorkRowsTest, ALeaseThatEndedIsAnothers) {
  const std::string run = Queue();
  const auto first = Take(*rows_);
  ASSERT_TRUE(first);
  EXPECT_FALSE(Take(*other_)) << "it is taken";
  EXPECT_TRUE(*rows_->Renew(*first, 0.5, true));
  EndLease(*first);
  EXPECT_FALSE(*rows_->Renew(*first, 0.6, false));
  const auto second = Take(*other_);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->run, run);
  EXPECT_EQ(second->lost, 1);
  EXPECT_EQ(second->failed, 0) << "that costs no attempt";
  EXPECT_GT(second->attempt, first->attempt);
  // The first comes back, and changes nothing.
  EXPECT_EQ(rows_->Conclude(*first, {.is_done = true}, Finish).status().code(),
            StatusCode::kCancelled);
  EXPECT_EQ(rows_->Change(*first, Finish).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(rows_->FailAttempt(*first, "late", kLong).code(), StatusCode::kCancelled);
  EXPECT_TRUE(rows_->HandBack(*first).ok());
  EXPECT_TRUE(catalogue_->Find(run)->reports.empty());
  // The second's report is there once.
  ASSERT_TRUE(other_->Conclude(*second, {.is_done = true}, Finish).ok());
  EXPECT_EQ(other_->Conclude(*second, {.is_done = true}, Finish).status().code(),
            StatusCode::kCancelled);
  EXPECT_EQ(catalogue_->Find(run)->reports.size(), 1U);
  EXPECT_EQ(other_->Numbers()->done, 1);
  EXPECT_EQ(other_->Numbers()->waiting + other_->Numbers()->running, 0);
}

TEST_F(WorkRowsTest, TheSameWorkerTakesAnotherNumber) {
  Queue();
  const auto first = Take(*rows_);
  EndLease(*first);
  const auto again = Take(*rows_);
  ASSERT_TRUE(again);
  EXPECT_EQ(rows_->Conclude(*first, {.is_done = true}, Finish).status().code(),
            StatusCode::kCancelled);
  EXPECT_TRUE(rows_->Conclude(*again, {.is_done = true}, Finish).ok());
}

TEST_F(WorkRowsTest, AChangeThatFailsEndsNothing) {
  const std::string run = Queue();
  const auto unit = Take(*rows_);
  const auto refused = rows_->Conclude(*unit, {.is_done = true}, [](WorkRowsStoredRun&) {
    return Error(StatusCode::kBadData, "no");
  });
  EXPECT_EQ(refused.status().code(), StatusCode::kBadData);
  EXPECT_TRUE(*rows_->Renew(*unit, 0, false)) << "the work is there as before";
  EXPECT_EQ(rows_->Numbers()->done, 0);
}

TEST_F(WorkRowsTest, WhatFailsIsTriedAgainLaterAndAlone) {
  Queue();
  const auto unit = Take(*rows_);
  EXPECT_FALSE(unit->is_alone);
  ASSERT_TRUE(rows_->FailAttempt(*unit, "out of memory", kLong).ok());
  EXPECT_FALSE(Take(*rows_)) << "not yet";
  ASSERT_TRUE(catalogue_->database().Do("UPDATE rankscope.work SET not_before = now()").ok());
  const auto again = Take(*rows_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->failed, 1);
  EXPECT_TRUE(again->is_alone);
  EXPECT_EQ(again->reason, "out of memory");
  // Its worker ends.
  EndLease(*again);
  EXPECT_EQ(Take(*rows_)->lost_alone, 1);
}

TEST_F(WorkRowsTest, WhatFailedOnAWorkerIsForAnotherThatLives) {
  constexpr milliseconds kNow{0};
  Queue();
  ASSERT_TRUE(rows_->ShowLife().ok() && other_->ShowLife().ok());
  ASSERT_TRUE(rows_->FailAttempt(*Take(*rows_), "out of memory", kNow).ok());
  EXPECT_FALSE(Take(*rows_)) << "it failed here";
  const auto second = Take(*other_);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->failed, 1);
  // Where it failed on all alike, each may have it.
  ASSERT_TRUE(other_->FailAttempt(*second, "out of memory", kNow).ok());
  const auto third = Take(*rows_);
  ASSERT_TRUE(third);
  ASSERT_TRUE(rows_->FailAttempt(*third, "out of memory", kNow).ok());
  EXPECT_FALSE(Take(*rows_)) << "twice here, once there";
  EXPECT_TRUE(Take(*other_));
}

TEST_F(WorkRowsTest, WhatFailedOnTheOnlyWorkerIsItsAgain) {
  const auto fail = [&] {
    ASSERT_TRUE(rows_->FailAttempt(*Take(*rows_), "no", milliseconds(0)).ok());
  };
  ASSERT_TRUE(rows_->ShowLife().ok() && other_->ShowLife().ok());
  Queue();
  fail();
  EXPECT_FALSE(Take(*rows_));
  ASSERT_TRUE(other_->EndLife().ok());
  fail();
  // Killed: it was not seen for the time of a lease.
  ASSERT_TRUE(other_->ShowLife().ok());
  EXPECT_FALSE(Take(*rows_));
  ASSERT_TRUE(catalogue_->database()
                  .Do("UPDATE rankscope.worker SET seen = now() - interval '61 minutes' "
                      "WHERE name = 'second'")
                  .ok());
  EXPECT_TRUE(Take(*rows_));
}

TEST_F(WorkRowsTest, OtherWorkIsTakenBesideWhatFailedHere) {
  const std::string first = Queue("a"), second = Queue("a"), third = Queue("b");
  ASSERT_TRUE(rows_->ShowLife().ok() && other_->ShowLife().ok());
  const auto unit = Take(*rows_);
  EXPECT_EQ(unit->run, first);
  ASSERT_TRUE(rows_->FailAttempt(*unit, "no", milliseconds(0)).ok());
  std::vector<std::string> order;
  while (const auto next = Take(*rows_)) order.push_back(next->run);
  EXPECT_THAT(order, UnorderedElementsAre(second, third));
}

TEST_F(WorkRowsTest, WhatIsHandedBackCostsNothing) {
  Queue();
  const auto unit = Take(*rows_);
  ASSERT_TRUE(rows_->HandBack(*unit).ok());
  const auto again = Take(*other_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->failed + again->lost, 0);
}

TEST_F(WorkRowsTest, WhatIsRemovedIsNobodys) {
  const std::string run = Queue();
  const auto unit = Take(*rows_);
  ASSERT_TRUE(catalogue_->Remove(run).ok());
  EXPECT_FALSE(*rows_->Renew(*unit, 0, false));
  EXPECT_EQ(rows_->Conclude(*unit, {.is_done = true}, Finish).status().code(),
            StatusCode::kNotFound);
}

// Of two files each, of 10 bytes of text.
std::vector<WorkShard> ShardsOf(std::int64_t count) {
  std::vector<WorkShard> shards;
  for (std::int64_t i = 0; i < count; ++i) shards.push_back({2 * i, 2 * i + 2, 10});
  return shards;
}

TEST_F(WorkRowsTest, ARunIsTakenAgainBehindItsShards) {
  const std::string run = Queue();
  const auto whole = Take(*rows_);
  EXPECT_FALSE(whole->is_shard() || whole->was_divided());
  ASSERT_TRUE(rows_->Divide(*whole, ShardsOf(3)).ok());
  EXPECT_FALSE(*rows_->Renew(*whole, 0, false)) << "it is nobody's now";
  EXPECT_EQ(rows_->Divide(*whole, ShardsOf(3)).code(), StatusCode::kCancelled);
  std::vector<WorkUnit> shards;
  while (const auto unit = Take(shards.size() % 2 == 0 ? *rows_ : *other_)) shards.push_back(*unit);
  ASSERT_EQ(shards.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(shards[i].run, run);
    EXPECT_EQ(shards[i].shard, static_cast<std::int64_t>(i));
    EXPECT_EQ(shards[i].files, ShardsOf(3)[i]);
    EXPECT_EQ(shards[i].generation, whole->generation);
  }
  EXPECT_TRUE(rows_->EndShard(shards[2], true, milliseconds(3)).ok());
  EXPECT_TRUE(other_->EndShard(shards[1], false, milliseconds(4)).ok());
  EXPECT_FALSE(Take(*rows_)) << "one is not read yet";
  EXPECT_EQ(rows_->Numbers()->running, 1) << "runs are counted, not units";
  EXPECT_TRUE(rows_->EndShard(shards[0], true, milliseconds(5)).ok());
  EXPECT_EQ(rows_->EndShard(shards[0], true, milliseconds(5)).code(), StatusCode::kCancelled);
  const auto reduce = Take(*other_);
  ASSERT_TRUE(reduce);
  EXPECT_EQ(reduce->id, whole->id);
  EXPECT_TRUE(reduce->was_divided());
  EXPECT_EQ(reduce->failed + reduce->lost, 0);
  EXPECT_FALSE(Take(*rows_)) << "once";
  ASSERT_TRUE(other_->Conclude(*reduce, {.is_done = true}, Finish).ok());
  EXPECT_EQ(rows_->Numbers()->done, 1);
  EXPECT_EQ(rows_->Numbers()->busy_seconds, 0.012);
  const auto history = catalogue_->database().Do(
      "SELECT string_agg(outcome, ' ' ORDER BY shard) FROM rankscope.history");
  EXPECT_EQ(history->Text(0, 0), "done read unread read");
}

TEST_F(WorkRowsTest, AShardThatWasCutOffEndsNothing) {
  Queue();
  ASSERT_TRUE(rows_->Divide(*Take(*rows_), ShardsOf(1)).ok());
  const auto first = Take(*rows_);
  EndLease(*first);
  EXPECT_EQ(rows_->EndShard(*first, true, {}).code(), StatusCode::kCancelled);
  const auto second = Take(*other_);
  ASSERT_TRUE(second && second->is_shard());
  EXPECT_EQ(second->lost, 1);
  EXPECT_EQ(rows_->Divide(*first, ShardsOf(1)).code(), StatusCode::kCancelled);
  EXPECT_EQ(rows_->EndShard(*first, true, {}).code(), StatusCode::kCancelled);
  EXPECT_TRUE(other_->EndShard(*second, true, {}).ok());
  EXPECT_TRUE(Take(*rows_)->was_divided());
}

TEST_F(WorkRowsTest, AnotherGenerationMakesShardsVoid) {
  const std::string run = Queue();
  ASSERT_TRUE(rows_->Divide(*Take(*rows_), ShardsOf(2)).ok());
  const auto shard = Take(*rows_);
  const auto to = [&](RunState state) {
    ASSERT_TRUE(catalogue_
                    ->Update(run,
                             [&](WorkRowsStoredRun& one) {
                               one.state = state;
                               return OkStatus();
                             })
                    .ok());
  };
  to(RunState::kUploading);
  EXPECT_FALSE(Take(*other_)) << "the other shard is nobody's work any more";
  to(RunState::kQueued);
  EXPECT_EQ(rows_->EndShard(*shard, true, {}).code(), StatusCode::kCancelled);
  EXPECT_EQ(rows_->Change(*shard, Finish).status().code(), StatusCode::kCancelled);
  const auto again = Take(*rows_);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->is_shard() || again->was_divided());
  EXPECT_FALSE(Take(*rows_));
}

TEST_F(WorkRowsTest, ShardsThatEndAtTheSameTimeLeaveTheRunToOne) {
  constexpr int kShards = 16;
  Queue();
  ASSERT_TRUE(rows_->Divide(*Take(*rows_), ShardsOf(kShards)).ok());
  std::vector<std::unique_ptr<PostgresCatalogue>> servers;
  for (int i = 0; i < 3; ++i) servers.push_back(Open());
  std::vector<std::thread> threads;
  std::atomic<int> ended = 0, wholes = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      WorkRows rows(*servers[static_cast<std::size_t>(t) % servers.size()], std::to_string(t),
                    kLong);
      while (const auto unit = Take(rows)) {
        if (!unit->is_shard()) {
          ++wholes;
          return;
        }
        EXPECT_TRUE(rows.EndShard(*unit, true, {}).ok());
        ++ended;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, kShards);
  // Who ended the last one takes the run next, or somebody before him.
  EXPECT_EQ(wholes, 1);
}

TEST_F(WorkRowsTest, AShardIsDividedIntoOnesThatAreTakenAlone) {
  Queue();
  ASSERT_TRUE(rows_->Divide(*Take(*rows_), ShardsOf(2)).ok());
  const auto first = Take(*rows_);
  ASSERT_TRUE(rows_->Divide(*first, {{0, 1, 4}, {1, 2, 6}}).ok());
  std::vector<WorkUnit> units;
  while (const auto unit = Take(*other_)) units.push_back(*unit);
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0].shard, 1);
  EXPECT_FALSE(units[0].is_alone);
  EXPECT_EQ(units[1].shard, 2);
  EXPECT_TRUE(units[1].is_alone);
  EXPECT_EQ(units[2].files, (WorkShard{1, 2, 6}));
  for (const WorkUnit& unit : units) EXPECT_TRUE(other_->EndShard(unit, true, {}).ok());
  EXPECT_TRUE(Take(*rows_)->was_divided());
}

TEST_F(WorkRowsTest, TeamsTakeTurnsBesideShards) {
  const std::string a = Queue("a"), b1 = Queue("b"), b2 = Queue("b");
  ASSERT_TRUE(rows_->Divide(*Take(*rows_), ShardsOf(4)).ok());
  std::vector<std::string> order;
  while (const auto unit = Take(*rows_)) order.push_back(unit->run);
  EXPECT_THAT(order, ElementsAre(b1, a, b2, a, a, a));
}

TEST_F(WorkRowsTest, ProgressOfShardsIsThatOfTheirRun) {
  const std::string run = Queue();
  ASSERT_TRUE(rows_->Divide(*Take(*rows_), {{0, 1, 60}, {1, 2, 40}}).ok());
  EXPECT_EQ(rows_->Progress()->at(run), 0);
  const auto first = Take(*rows_), second = Take(*rows_);
  ASSERT_TRUE(*rows_->Renew(*first, 0.5, false));
  EXPECT_EQ(rows_->Progress()->at(run), 0.27) << "half of 60 of 100 bytes, of nine tenths";
  ASSERT_TRUE(rows_->EndShard(*first, true, {}).ok());
  EXPECT_EQ(rows_->Progress()->at(run), 0.54);
  ASSERT_TRUE(rows_->EndShard(*second, true, {}).ok());
  EXPECT_EQ(rows_->Progress()->at(run), 0.9);
  const auto whole = Take(*rows_);
  ASSERT_TRUE(*rows_->Renew(*whole, 0.5, false));
  EXPECT_EQ(rows_->Progress()->at(run), 0.95);
}

TEST_F(WorkRowsTest, TheBacklogIsEstimatedByWhatUnitsTook) {
  const auto queue = [&](std::uint64_t bytes) {
    ASSERT_TRUE(catalogue_
                    ->Create({.state = RunState::kQueued,
                              .files = {{"a", std::string(64, 'a'), bytes / 2},
                                        {"b", std::string(64, 'b'), bytes - bytes / 2}}})
                    .ok());
  };
  const auto backlog = [&] { return rows_->Numbers()->backlog_cpu_seconds; };
  EXPECT_EQ(backlog(), 0) << "nothing waits";
  queue(100);
  EXPECT_EQ(backlog(), std::nullopt) << "nobody knows what a byte costs";
  ASSERT_TRUE(
      rows_->Conclude(*Take(*rows_), {.is_done = true, .cpu = milliseconds(5000)}, Finish).ok());
  queue(300);
  EXPECT_EQ(backlog(), 15) << "50 ms for each byte";
  const auto whole = Take(*rows_);
  EXPECT_EQ(backlog(), 0) << "it no longer waits";
  ASSERT_TRUE(rows_->Divide(*whole, {{0, 1, 60}, {1, 2, 40}}).ok());
  EXPECT_EQ(backlog(), 30) << "180 and 120 bytes to read, 300 to report on";
  const auto first = Take(*rows_);
  ASSERT_TRUE(rows_->EndShard(*first, true, milliseconds(1), milliseconds(1800)).ok());
  EXPECT_NEAR(*backlog(), 120 * 0.01 + 300 * (6.8 / 280), 0.001)
      << "shards by shards, others by all";
  // What failed says nothing, nor what was not measured.
  ASSERT_TRUE(rows_->EndShard(*Take(*rows_), false, milliseconds(1), milliseconds(90'000)).ok());
  EXPECT_NEAR(*backlog(), 300 * (6.8 / 280), 0.001);
  ASSERT_TRUE(catalogue_->database().Do("UPDATE rankscope.work SET input_bytes = NULL").ok());
  EXPECT_EQ(backlog(), std::nullopt) << "a row of an earlier version";
}

TEST_F(WorkRowsTest, WaitingIsMeasured) {
  EXPECT_EQ(rows_->Numbers()->oldest_wait_seconds, 0);
  EXPECT_TRUE(rows_->Numbers()->units_waiting_of_team.empty());
  Queue("a");
  Queue("a");
  Queue("b");
  ASSERT_TRUE(catalogue_->database()
                  .Do("UPDATE rankscope.work SET since = now() - interval '90 seconds', "
                      "not_before = now() - interval '90 seconds' WHERE team = 'b'")
                  .ok());
  QueueNumbers numbers = *rows_->Numbers();
  EXPECT_GE(*numbers.oldest_wait_seconds, 90);
  EXPECT_THAT(numbers.units_waiting_of_team,
              ElementsAre(std::pair<const std::string, std::int64_t>("a", 2),
                          std::pair<const std::string, std::int64_t>("b", 1)));
  // It has had its turn, and waits anew when it fails.
  while (const auto unit = Take(*rows_)) {
    if (unit->team == "a") continue;
    ASSERT_TRUE(rows_->FailAttempt(*unit, "no", kLong).ok());
  }
  numbers = *rows_->Numbers();
  EXPECT_EQ(numbers.oldest_wait_seconds, 0) << "its pause is not over";
  EXPECT_EQ(numbers.units_waiting_of_team.size(), 1U);
}

TEST_F(WorkRowsTest, ProgressIsTold) {
  const std::string run = Queue();
  const auto unit = Take(*rows_);
  ASSERT_TRUE(*rows_->Renew(*unit, 0.25, false));
  EXPECT_EQ(rows_->Progress()->at(run), 0.25);
}

}  // namespace
}  // namespace rankscope::service
