// Two servers of a cluster tell their listeners the same.
#include "service/runs/cluster_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/until.h"
#include "postgres/test_server.h"

namespace rankscope::service {
namespace {

using store::PostgresCatalogue;
using testing::HasSubstr;
using testing::Not;

class ClusterEventsTest : public testing::Test {
 protected:
  void SetUp() override {
    RS_NEEDS_POSTGRES();
    address_ = postgres::TestServer::Get().NewDatabase();
    catalogue_ = std::move(PostgresCatalogue::Open(address_, {}).value());
  }
  std::unique_ptr<ClusterEvents> Open() {
    auto events =
        ClusterEvents::Open({.catalogue = *catalogue_,
                             .shown = [](const store::Run& run) { return "\"" + run.name + "\""; },
                             .before_reading = [] {},
                             .on_message = [](std::string_view) {}});
    EXPECT_TRUE(events.ok()) << events.status().message();
    (*events)->Begin();
    return std::move(*events);
  }
  static std::shared_ptr<http::Stream> Listen(ClusterEvents& events, std::string_view last = "") {
    return events.hub().Listen(last, "test", [](std::string_view team) { return team != "red"; });
  }
  // What comes until it has `word`.
  static std::string Hear(http::Stream& stream, const std::string& word) {
    std::string all;
    EXPECT_TRUE(Until([&] {
      all += stream.Take().value_or("");
      return all.find(word) != std::string::npos;
    })) << all;
    return all;
  }
  static std::string LastId(const std::string& text) {
    const std::size_t begin = text.rfind("id: ") + 4;
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  std::string address_;
  std::unique_ptr<PostgresCatalogue> catalogue_;
};

TEST_F(ClusterEventsTest, TheOtherServerGoesOnWhereTheFirstEnded) {
  auto first = Open();
  const auto second = Open();
  auto listener = Listen(*first);
  const auto run = catalogue_->Create({.name = "one", .team = "blue"});
  ASSERT_TRUE(catalogue_->Create({.name = "secret", .team = "red"}).ok());
  const std::string heard = Hear(*listener, "\"one\"");
  EXPECT_THAT(Hear(*Listen(*second, LastId(heard)), ""), Not(HasSubstr("\"one\"")));
  // The first server dies; what happens then is told by the second, and nothing twice.
  listener.reset();
  first.reset();
  ASSERT_TRUE(catalogue_
                  ->Update(run->id,
                           [](store::Run& one) {
                             one.name = "two";
                             return OkStatus();
                           })
                  .ok());
  ASSERT_TRUE(catalogue_->Remove(run->id).ok());
  const std::string rest = Hear(*Listen(*second, LastId(heard)), "removed");
  EXPECT_THAT(rest, Not(HasSubstr("resync")));
  EXPECT_THAT(rest, Not(HasSubstr("secret")));
  EXPECT_THAT(rest, HasSubstr(run->id));
  // And by a third that begins now.
  const auto third = Open();
  const std::string again = Hear(*Listen(*third, LastId(heard)), "removed");
  EXPECT_THAT(again, Not(HasSubstr("resync")));
  EXPECT_EQ(LastId(again), LastId(rest));
}

TEST_F(ClusterEventsTest, WhatAServerPublishesReachesTheOthers) {
  const auto first = Open();
  const auto second = Open();
  const auto listener = Listen(*second);
  first->hub().Publish("blue", "run", "\"told by who changed it\"");
  first->hub().Publish("blue", "capture", "\"half\"");
  const std::string heard = Hear(*listener, "half");
  EXPECT_THAT(heard, HasSubstr("event: capture\ndata: \"half\""));
  EXPECT_THAT(heard, Not(HasSubstr("told by")));
}

TEST_F(ClusterEventsTest, ManyAreTrimmedAndWhoMissesThemLooksAgain) {
  const auto run = catalogue_->Create({.name = "one"});
  const auto first = Open();
  ASSERT_TRUE(catalogue_->database()
                  .Do("UPDATE rankscope.cluster SET last_event = last_event + 10000")
                  .ok());
  ASSERT_TRUE(first->Trim().ok());
  const auto rows = catalogue_->database().Do("SELECT count(*) FROM rankscope.event");
  EXPECT_EQ(rows->Integer(0, 0), 0);
  const auto late = Open();
  const std::string text = Hear(*Listen(*late, "1-1"), "id:");
  EXPECT_THAT(text, HasSubstr("resync"));
}

}  // namespace
}  // namespace rankscope::service
