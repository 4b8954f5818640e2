// Findings: the result of a window of snoop, with names. All output formats are made from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "snoop/allocations.h"
#include "snoop/calls.h"
#include "snoop/place.h"
#include "snoop/stack_book.h"

namespace rankscope::snoop {

// Exact, from the kernel's counters.
struct CallRow {
  Call call;
  std::uint64_t calls = 0;       // began in the window
  std::uint64_t failed = 0;      // returned an error
  std::uint64_t unfinished = 0;  // had not returned at the end of the window
  std::uint64_t total = 0;       // bytes of successful allocations and copies, ns of waits
  bool has_total = false;        // false: the call does not give it
};

struct MemoryRow {
  Allocations::Domain domain;
  MemoryTotals totals;
};

// Allocated in the window and not freed in it, by stack; the largest first.
struct LeakRow {
  Allocations::Domain domain;
  std::string call;
  Frames frames;
  std::uint64_t count = 0, bytes = 0;
  std::int64_t oldest_ns = 0, youngest_ns = 0;  // age at the end of the window
  // Some of it was allocated in each quarter of the window: it may keep growing.
  bool grows = false;
  bool is_inner = false;        // made by a call of a higher level, which has its own row
  std::uint64_t allocated = 0;  // calls with this stack in the window, including freed ones
};

struct FailureRow {
  std::string call;
  Frames frames;
  bool is_inner = false;
  std::uint64_t count = 0, bytes = 0;            // as requested
  std::map<std::int32_t, std::uint64_t> errors;  // by returned status
};

// Launches, waits, copies, and allocations that are probed only at entry, by stack; the most
// frequent first.
struct UseRow {
  Level level = Level::kRuntime;
  CallKind kind = kLaunch;
  std::string call;
  std::string function;  // the launched one; empty: unknown
  Frames frames;
  bool is_inner = false;
  std::uint64_t count = 0;
  std::uint64_t total = 0;  // bytes of copies, ns of waits
};

// Calls that began between two samples, about a second apart.
struct RateRow {
  std::int64_t begin_ns = 0, end_ns = 0;  // since the window began
  Level level = Level::kRuntime;
  CallKind kind = kLaunch;
  std::uint64_t count = 0;
};

struct TimelineRow {
  Allocations::Domain domain;
  std::int64_t part_ns = 0;
  std::vector<Timeline::Part> parts;
};

struct Findings {
  std::int64_t pid = 0;
  PlaceInJob place;
  std::string command;
  std::vector<std::string> libraries;
  std::vector<std::string> late_libraries;  // loaded during the window: not probed
  std::int64_t begin_unix_ns = 0;
  std::int64_t window_ns = 0, asked_ns = 0;
  std::string cut;  // why it ended early, a sentence; empty: full length
  std::uint64_t hits = 0;
  std::int64_t spent_ns = 0;  // inside the probes, over all cores, without the trap into the kernel
  std::uint64_t lost_events = 0, lost_stacks = 0, lost_sums = 0, abandoned = 0, nested = 0;
  StackBookCounts stacks;
  std::vector<std::string> notes;  // further remarks, in sentences

  std::vector<CallRow> calls;
  std::vector<MemoryRow> memory;
  std::vector<LeakRow> leaks;
  std::vector<FailureRow> failures;
  std::vector<UseRow> uses;
  std::vector<RateRow> rates;
  std::vector<TimelineRow> timelines;
};

std::string_view ToString(CallKind kind);  // "allocate", "free", "launch", "wait", "copy"

std::string ToText(const Findings& findings, std::size_t most_rows);
std::string ToJson(const Findings& findings);
enum class Folded { kLive, kLaunches };
// "outer;inner 123", one line per stack, the input of flame graphs: live bytes of one level, or
// launches of one level, the highest that has any.
std::string ToFolded(const Findings& findings, Folded what);

}  // namespace rankscope::snoop
