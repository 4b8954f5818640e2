#include "snoop/offcpu.h"

#include <gmock/gmock.h>

namespace rankscope::snoop {
namespace {

TEST(OffCpuTimes, OpenSpansEndWithTheWindowAndAllSumsToWhatAThreadLived) {
  // One that runs, one that sleeps, one that was woken and has no core, one that has gone.
  const OffThread threads[] = {
      {.thread = 1, .state = 1, .begin_ns = 100, .since_ns = 700, .on_ns = 50, .call = -1},
      {.thread = 2,
       .state = 2,
       .begin_ns = 100,
       .since_ns = 400,
       .on_ns = 300,
       .stack = 7,
       .reason = kOffSleeping,
       .call = 202},
      {.thread = 3,
       .state = 2,
       .begin_ns = 100,
       .since_ns = 400,
       .woken_ns = 900,
       .on_ns = 300,
       .stack = 7,
       .reason = kOffDisk,
       .call = 0},
      {.thread = 4, .state = 3, .begin_ns = 300, .since_ns = 500, .on_ns = 200, .call = -1}};
  std::vector<SummedWait> waits = {
      {{.stack = 9, .thread = 1, .reason = kOffSleeping, .call = 0, .pad = 0},
       {.count = 2, .total_ns = 550, .longest_ns = 400}}};
  const std::vector<ThreadTime> times = TimesOf(threads, waits, 1000);
  ASSERT_EQ(times.size(), 4U);
  for (const ThreadTime& time : times) {
    EXPECT_EQ(time.on_cpu_ns + time.sleeping_ns + time.disk_ns + time.runnable_ns + time.other_ns,
              time.lived_ns)
        << time.id;
  }
  EXPECT_EQ(times[0].id, 1);
  EXPECT_EQ(times[0].on_cpu_ns, 350);
  EXPECT_EQ(times[0].lived_ns, 900);
  EXPECT_EQ(times[1].sleeping_ns, 600);
  EXPECT_EQ(times[2].disk_ns, 500);
  EXPECT_EQ(times[2].runnable_ns, 100);
  EXPECT_EQ(times[3].lived_ns, 200);
  EXPECT_EQ(waits.size(), 4U);
}

TEST(OffCpuTimes, WhatAWaitWasFor) {
  const auto native = [](const char* function) {
    return Frames{{"main", "a", 0, false}, {function, "b", 0, false}};
  };
  EXPECT_EQ(WaitedFor(kOffRunnable, 202, {}), "a core");
  EXPECT_EQ(WaitedFor(kOffSleeping, 202, native("take_gil")), "Python's lock (GIL)");
  EXPECT_EQ(WaitedFor(kOffSleeping, 202, native("cudaStreamSynchronize")),
            "the device (cudaStreamSynchronize)");
  EXPECT_EQ(WaitedFor(kOffSleeping, 202, native("wait")), "a lock or another thread (futex)");
  EXPECT_EQ(WaitedFor(kOffSleeping, 230, {}), "time to pass (clock_nanosleep)");
  EXPECT_EQ(WaitedFor(kOffSleeping, 232, {}), "something to happen (epoll_wait)");
  EXPECT_EQ(WaitedFor(kOffDisk, 0, {}), "a disk (read)");
  EXPECT_EQ(WaitedFor(kOffDisk, -1, {}), "a page of memory");
  EXPECT_EQ(WaitedFor(kOffSleeping, 9999, {}), "system call 9999");
}

}  // namespace
}  // namespace rankscope::snoop
