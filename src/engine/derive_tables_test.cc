#include "engine/derive_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>

#include "base/until.h"
#include "schemas/rank_rows.h"

namespace rankscope {
namespace {

using testing::ElementsAre;

struct Made : Schema<Made> {
  IntColumn value = Int("value");
};

// Analyses that are made of each other, and the order in which they were begun.
class DeriveTablesTest : public testing::Test {
 protected:
  using Work = std::function<Status()>;

  const Analysis& Add(const std::string& name, std::vector<const Analysis*> inputs,
                      Work work = OkStatus) {
    auto analysis = std::make_unique<Analysis>();
    analysis->name = name;
    analysis->inputs = std::move(inputs);
    analysis->derive = [this, name, work = std::move(work)](const InputTables&, const JobContext&,
                                                            const Options&) -> Result<Table> {
      {
        const std::lock_guard lock(mutex_);
        begun_.push_back(name);
      }
      RS_RETURN_IF_ERROR(work());
      Table table = SchemaOf<Made>().NewTable("made");
      return table;
    };
    analyses_.push_back(std::move(analysis));
    return *analyses_.back();
  }

  WantedTables Want(std::span<const Request> requests) const {
    return WantedTables(requests, [](const Request&) { return nullptr; });
  }

  static std::vector<std::string> MadeOf(const WantedTables& wanted) {
    std::vector<std::string> names;
    for (const WantedTables::Entry& entry : wanted.entries()) {
      if (entry.table) names.push_back(entry.request.analysis->name);
    }
    return names;
  }

  JobContext job_;
  std::vector<std::unique_ptr<Analysis>> analyses_;
  std::mutex mutex_;
  std::vector<std::string> begun_;
};

TEST_F(DeriveTablesTest, TheLongestChainGoesFirst) {
  const Analysis& alone = Add("alone", {});
  const Analysis& first = Add("first", {});
  const Analysis& second = Add("second", {&first});
  const Analysis& third = Add("third", {&second, &alone});
  const Request requests[] = {{&alone, {}}, {&third, {}}};
  WantedTables wanted = Want(requests);
  EXPECT_TRUE(DeriveTables(wanted.entries(), job_, 1, OkStatus).ok());
  EXPECT_THAT(begun_, ElementsAre("first", "alone", "second", "third"));
  EXPECT_THAT(MadeOf(wanted), ElementsAre("alone", "first", "second", "third"));
}

// One that takes long holds up none but those that are made of it.
TEST_F(DeriveTablesTest, NobodyWaitsForWhatItDoesNotNeed) {
  std::atomic<bool> is_third_made = false;
  const Analysis& slow = Add("slow", {}, [&] {
    return Until([&] { return is_third_made.load(); })
               ? OkStatus()
               : Error(StatusCode::kInternal, "it waited for nothing");
  });
  const Analysis& first = Add("first", {});
  const Analysis& second = Add("second", {&first});
  const Analysis& third = Add("third", {&second}, [&] {
    is_third_made = true;
    return OkStatus();
  });
  const Request requests[] = {{&slow, {}}, {&third, {}}};
  WantedTables wanted = Want(requests);
  EXPECT_TRUE(DeriveTables(wanted.entries(), job_, 2, OkStatus).ok());
  EXPECT_THAT(MadeOf(wanted), ElementsAre("slow", "first", "second", "third"));
}

TEST_F(DeriveTablesTest, WhatCannotBeMadeCostsWhatIsMadeOfIt) {
  const Analysis& bad =
      Add("bad", {}, [] { return Error(StatusCode::kBadData, "nothing to see"); });
  const Analysis& of_bad = Add("of_bad", {&bad});
  const Analysis& good = Add("good", {});
  const Request requests[] = {{&of_bad, {}}, {&good, {}}};
  WantedTables wanted = Want(requests);
  EXPECT_TRUE(DeriveTables(wanted.entries(), job_, 2, OkStatus).ok());
  EXPECT_THAT(MadeOf(wanted), ElementsAre("good"));
  EXPECT_EQ(wanted.entries()[0].status.message(), "nothing to see");
  EXPECT_TRUE(wanted.entries()[1].status.ok());
}

TEST_F(DeriveTablesTest, EndsWhenItMayNotGoOn) {
  const Analysis& first = Add("first", {});
  const Analysis& second = Add("second", {&first});
  const Request requests[] = {{&second, {}}};
  WantedTables wanted = Want(requests);
  int asked = 0;
  const Status status = DeriveTables(wanted.entries(), job_, 1, [&] {
    return ++asked < 2 ? OkStatus() : Error(StatusCode::kCancelled, "stopped");
  });
  EXPECT_EQ(status.message(), "stopped");
  EXPECT_THAT(MadeOf(wanted), ElementsAre("first"));
}

TEST_F(DeriveTablesTest, AnExceptionLeavesNobodyWaiting) {
  const Analysis& bad =
      Add("bad", {}, []() -> Status { throw std::runtime_error("out of memory"); });
  const Analysis& of_bad = Add("of_bad", {&bad});
  const Request requests[] = {{&of_bad, {}}};
  for (const int threads : {1, 2}) {
    WantedTables wanted = Want(requests);
    EXPECT_THROW((void)DeriveTables(wanted.entries(), job_, threads, OkStatus), std::runtime_error);
  }
}

TEST_F(DeriveTablesTest, NothingToMakeIsDone) {
  WantedTables wanted = Want({});
  EXPECT_TRUE(DeriveTables(wanted.entries(), job_, 2, OkStatus).ok());
}

}  // namespace
}  // namespace rankscope
