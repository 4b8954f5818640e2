#include "service/requests/waiting_work.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <future>

namespace rankscope::service {
namespace {

using std::chrono::minutes;

http::Reply Text(std::string text) {
  http::Reply reply;
  reply.body = std::move(text);
  return reply;
}

http::Pending& PendingOf(http::Reply& reply) { return std::get<http::Pending>(reply.body); }

void WaitFor(const http::Pending& pending) {
  pollfd wait{pending.start(), POLLIN, 0};
  ASSERT_EQ(poll(&wait, 1, 300'000), 1);
}

TEST(WaitingWorkTest, AnswersWhenItIsDone) {
  WaitingWork work(1, 10);
  http::Reply reply = work.Reply({.run = [] { return Text("done"); }, .stop = [] {}}, minutes(5));
  WaitFor(PendingOf(reply));
  EXPECT_EQ(std::get<std::string>(PendingOf(reply).finish().body), "done");
}

TEST(WaitingWorkTest, WhatItThrowsIsAnError) {
  WaitingWork work(1, 10);
  http::Reply reply = work.Reply(
      {.run = []() -> http::Reply { throw std::bad_alloc(); }, .stop = [] {}}, minutes(5));
  WaitFor(PendingOf(reply));
  EXPECT_EQ(PendingOf(reply).finish().status, 500);
}

TEST(WaitingWorkTest, WhatIsTooMuchIsRefusedAndWhatWaitsIsStopped) {
  std::promise<void> begun, stop;
  auto work = std::make_unique<WaitingWork>(1, 1);
  const auto nothing = [] { return Text(""); };
  http::Reply first = work->Reply({.run =
                                       [&] {
                                         begun.set_value();
                                         stop.get_future().wait();
                                         return Text("stopped");
                                       },
                                   .stop = [&] { stop.set_value(); }},
                                  minutes(5));
  begun.get_future().wait();
  http::Reply second = work->Reply({.run = nothing, .stop = [] {}}, minutes(5));
  const http::Reply third = work->Reply({.run = nothing, .stop = [] {}}, minutes(5));
  EXPECT_EQ(third.status, 429);
  EXPECT_EQ(http::Find(third.fields, "Retry-After"), "10");
  work.reset();
  EXPECT_EQ(std::get<std::string>(PendingOf(first).finish().body), "stopped");
  EXPECT_EQ(PendingOf(second).finish().status, 422);
}

}  // namespace
}  // namespace rankscope::service
