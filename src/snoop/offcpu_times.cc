// What the scheduler's spans sum to, and what a wait was for.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "snoop/offcpu.h"

namespace rankscope::snoop {
namespace {

enum : std::uint32_t { kOn = 1, kOff = 2 };

// Of x86-64, those in which programs wait.
constexpr std::array<std::pair<std::int32_t, std::string_view>, 36> kCalls = {{
    {0, "read"},
    {1, "write"},
    {7, "poll"},
    {17, "pread64"},
    {18, "pwrite64"},
    {19, "readv"},
    {20, "writev"},
    {16, "ioctl"},
    {23, "select"},
    {24, "sched_yield"},
    {35, "nanosleep"},
    {42, "connect"},
    {43, "accept"},
    {44, "sendto"},
    {45, "recvfrom"},
    {46, "sendmsg"},
    {47, "recvmsg"},
    {61, "wait4"},
    {74, "fsync"},
    {75, "fdatasync"},
    {128, "rt_sigtimedwait"},
    {202, "futex"},
    {230, "clock_nanosleep"},
    {232, "epoll_wait"},
    {247, "waitid"},
    {257, "openat"},
    {270, "pselect6"},
    {271, "ppoll"},
    {281, "epoll_pwait"},
    {288, "accept4"},
    {9, "mmap"},
    {11, "munmap"},
    {34, "pause"},
    {262, "newfstatat"},
    {426, "io_uring_enter"},
    {441, "epoll_pwait2"},
}};

// Of CPython: where a thread goes on with Python. take_gil has a name only where symbols are whole.
constexpr std::array<std::string_view, 4> kTakesLock = {
    "take_gil", "PyEval_RestoreThread", "PyEval_AcquireThread", "PyGILState_Ensure"};

std::string NameOf(std::int32_t call) {
  for (const auto& [number, name] : kCalls) {
    if (number == call) return std::string(name);
  }
  return fmt::format("system call {}", call);
}

bool IsWaitForDevice(std::string_view function) {
  return (function.starts_with("cuda") || function.starts_with("cu") ||
          function.starts_with("hip")) &&
         function.find("Synchronize") != std::string_view::npos;
}

}  // namespace

std::string_view ToString(OffClass reason) {
  switch (reason) {
    case kOffSleeping:
      return "sleeping";
    case kOffDisk:
      return "disk";
    case kOffRunnable:
      return "runnable";
    case kOffOther:
      return "other";
  }
  return "";
}

std::string WaitedFor(OffClass reason, std::int32_t call, const Frames& frames) {
  if (reason == kOffRunnable) return "a core";
  if (reason == kOffOther) return "being stopped or traced";
  for (const StackFrame& frame : frames) {
    if (frame.is_python) continue;
    if (std::ranges::find(kTakesLock, frame.function) != kTakesLock.end())
      return "Python's lock (GIL)";
    if (IsWaitForDevice(frame.function)) return fmt::format("the device ({})", frame.function);
  }
  if (call < 0) return reason == kOffDisk ? "a page of memory" : "no system call";
  const std::string name = NameOf(call);
  if (name == "futex") return "a lock or another thread (futex)";
  if (name.ends_with("nanosleep") || name == "pause") return fmt::format("time to pass ({})", name);
  if (name.find("poll") != std::string::npos || name.find("select") != std::string::npos)
    return fmt::format("something to happen ({})", name);
  if (reason == kOffDisk) return fmt::format("a disk ({})", name);
  return name;
}

std::vector<ThreadTime> TimesOf(std::span<const OffThread> threads, std::vector<SummedWait>& waits,
                                std::int64_t end_ns) {
  const auto add = [&](const OffThread& thread, std::uint32_t reason, std::int64_t span) {
    if (span <= 0) return;
    const auto length = static_cast<std::uint64_t>(span);
    waits.push_back({{.stack = thread.stack,
                      .thread = thread.thread,
                      .reason = reason,
                      .call = thread.call,
                      .pad = 0},
                     {.count = 1, .total_ns = length, .longest_ns = length}});
  };
  std::map<std::int64_t, ThreadTime> times;
  for (const OffThread& thread : threads) {
    const auto since = static_cast<std::int64_t>(thread.since_ns);
    const auto woken = static_cast<std::int64_t>(thread.woken_ns);
    // A probe that ran while the window was closed may be some ns behind it.
    const std::int64_t end = std::max({end_ns, since, woken});
    ThreadTime& time = times[thread.thread];
    time.id = thread.thread;
    time.on_cpu_ns += static_cast<std::int64_t>(thread.on_ns);
    const bool is_gone = thread.state != kOn && thread.state != kOff;
    time.lived_ns += (is_gone ? since : end) - static_cast<std::int64_t>(thread.begin_ns);
    if (thread.state == kOn) time.on_cpu_ns += end - since;
    if (thread.state != kOff) continue;
    add(thread, thread.reason, (woken != 0 ? woken : end) - since);
    if (woken != 0) add(thread, kOffRunnable, end - woken);
  }
  for (const SummedWait& one : waits) {
    ThreadTime& time = times[one.key.thread];
    const auto total = static_cast<std::int64_t>(one.wait.total_ns);
    (one.key.reason == kOffSleeping   ? time.sleeping_ns
     : one.key.reason == kOffDisk     ? time.disk_ns
     : one.key.reason == kOffRunnable ? time.runnable_ns
                                      : time.other_ns) += total;
  }
  std::vector<ThreadTime> all;
  all.reserve(times.size());
  for (auto& [id, time] : times) all.push_back(std::move(time));
  std::ranges::stable_sort(all, std::greater(), &ThreadTime::on_cpu_ns);
  return all;
}

}  // namespace rankscope::snoop
