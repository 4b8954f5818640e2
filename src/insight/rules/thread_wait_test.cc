// thread-wait: the thread that launches stays in a lock.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

Told StaysIn(std::string_view frame, std::int64_t us = 1500) {
  const Body body = [=](Program& of, int) {
    of.Products(3);
    of.Frame(frame, [&] { of.Idles(us); });
    of.Products(3);
  };
  return TellOf(body);
}

TEST(ThreadWait, InALockAQueueOrAFuture) {
  for (const char* frame :
       {"threading.py(320): wait", "queue.py(171): get", "concurrent/futures/_base.py(451): result",
        "<built-in method acquire of _thread.lock object at 0x7f01>",
        "<method 'acquire' of '_thread.lock' objects>"})
    EXPECT_EQ(StaysIn(frame).first(), "thread-wait") << frame;
}

TEST(ThreadWait, ALineOfTheProgramIsItsOwnWork) {
  for (const char* frame : {"train.py(9): wait_for_service", "data_queue.py(10): get",
                            "queue.py(10): get_stats", "my_threading.py(3): wait"})
    EXPECT_EQ(StaysIn(frame).first(), "host-work") << frame;
}

TEST(ThreadWait, WhatIsHiddenIsNot) {
  EXPECT_FALSE(StaysIn("threading.py(320): wait", 250).Has("thread-wait"));
}

}  // namespace
}  // namespace rankscope
