// Off-CPU: where a process's threads spend their time while they do not run, from the scheduler's
// switches.
//
// For each thread: time on a core + time of its waits = its lifetime in the window, to the ns. A
// wait in progress when the window begins counts from there; its stack is unknown.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "snoop/place.h"
#include "snoop/stack_book.h"

namespace rankscope::snoop {

struct OffCpuOptions {
  pid_t pid = 0;
  std::int64_t length_ns = 10'000'000'000;
  bool stacks = true;
  double most_of_core = 0.05;             // time inside the probes; more ends the window
  std::string helper = "/proc/self/exe";  // the privileged program (helper.h)
};

struct ThreadTime {
  std::int64_t id = 0;  // in the process's namespace
  std::string name;
  std::int64_t lived_ns = 0;  // in the window
  std::int64_t on_cpu_ns = 0;
  // By class; with on_cpu_ns they sum to lived_ns.
  std::int64_t sleeping_ns = 0, disk_ns = 0, runnable_ns = 0, other_ns = 0;
};

struct WaitRow {
  OffClass reason = kOffSleeping;
  std::string what;  // "a lock (futex)", "Python's lock (GIL)", "the device", ...
  Frames frames;     // empty: unknown, or it began before the window
  std::uint64_t count = 0;
  std::int64_t total_ns = 0, longest_ns = 0;
  std::uint64_t threads = 0;  // with such a wait
};

struct OffCpuFindings {
  std::int64_t pid = 0;
  PlaceInJob place;
  std::string command;
  std::int64_t begin_unix_ns = 0, window_ns = 0, asked_ns = 0;
  std::string cut;             // why it ended early; empty: full length
  std::uint64_t switches = 0;  // off a core
  std::int64_t spent_ns = 0;   // inside the probes
  std::uint64_t lost_stacks = 0, lost_sums = 0;
  std::uint64_t unseen = 0;  // switches to a core that were missed: the time until the next switch
                             // counts as "runnable"
  std::vector<std::string> notes;
  std::vector<ThreadTime> threads;  // most time on a core first
  std::vector<WaitRow> waits;       // longest first
};

std::string_view ToString(OffClass reason);  // "sleeping", "disk", "runnable", "other"
// What a wait with this stack and system call (-1: none) waited for.
std::string WaitedFor(OffClass reason, std::int32_t call, const Frames& frames);

// As in the maps (records.h). Open waits end at `end_ns`.
struct SummedWait {
  WaitKey key{};
  Wait wait{};
};
std::vector<ThreadTime> TimesOf(std::span<const OffThread> threads, std::vector<SummedWait>& waits,
                                std::int64_t end_ns);

// Blocks for the whole window, like Snoop of session.h.
Result<OffCpuFindings> OffCpu(const OffCpuOptions& options,
                              const std::function<void(std::string_view)>& said);

std::string ToText(const OffCpuFindings& findings, std::size_t most_rows);
std::string ToJson(const OffCpuFindings& findings);
// "outer;inner;[sleeping: a lock (futex)] 123": time off core in ns.
std::string ToFolded(const OffCpuFindings& findings);

}  // namespace rankscope::snoop
