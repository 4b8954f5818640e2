// The documents of windows, which `rankscope-agent snoop` and `offcpu` write (--format json) and
// rankscope reads beside traces: NAME.snoop.json, NAME.offcpu.json. Declared only here;
// docs/snoop.md and the fields' texts (window.cc) describe the numbers.
//
// Times are ns, memory is bytes; unknown values are null. Plain values, owned by their user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/type.h"

namespace rankscope::snoop_file {

// Increase it when a number changes its meaning; adding fields does not require that.
inline constexpr int kVersion = 1;
inline constexpr std::string_view kSnoopFormat = "rankscope-snoop-1";
inline constexpr std::string_view kOffCpuFormat = "rankscope-offcpu-1";

// The common part of both: the process and the time of the window.
struct Window {
  std::string format;
  std::int64_t pid = 0;
  std::string host;
  std::optional<std::int64_t> rank, world_size;
  std::string job;
  std::string command;
  std::int64_t begin_unix_ns = 0;
  std::int64_t window_ns = 0, asked_ns = 0;
  std::string cut;
  std::vector<std::string> notes;
};

struct Frame {
  std::string function;
  std::string file;
  std::optional<std::int64_t> line;
  std::string language;
};
using Stack = std::vector<Frame>;  // outermost first

struct Probes {
  std::int64_t hits = 0, time_ns = 0;
  std::int64_t lost_events = 0, lost_stacks = 0, lost_sums = 0;
  std::int64_t abandoned_calls = 0, nested_calls = 0;
  std::int64_t stacks = 0, stacks_cut = 0;
  std::int64_t python_frames_without_names = 0, stacks_without_python = 0;
};

struct CallCount {
  std::string level, library, call, kind;
  std::int64_t calls = 0;
  std::optional<std::int64_t> failed, unfinished, bytes, time_ns;
};

// A level of calls and a kind of memory.
struct Domain {
  std::string level, memory;
};
struct Memory : Domain {
  std::int64_t allocations = 0, allocated_bytes = 0;
  std::int64_t frees = 0, freed_bytes = 0;
  std::int64_t frees_of_earlier = 0;
  std::int64_t replaced = 0, replaced_bytes = 0;
  std::int64_t live = 0, live_bytes = 0, peak_bytes = 0;
};
struct NeverFreed : Domain {
  std::string call;
  std::int64_t count = 0, bytes = 0, allocations_of_the_stack = 0;
  std::int64_t oldest_ns = 0, youngest_ns = 0;
  bool in_all_quarters = false;
  bool inside_a_level_above = false;
  Stack stack;
};
struct Timeline : Domain {
  std::int64_t part_ns = 0;
  std::vector<std::int64_t> highest_bytes, last_bytes;
};
struct ErrorCount {
  std::int64_t status = 0, count = 0;
};
struct Failure {
  std::string call;
  std::int64_t count = 0, asked_bytes = 0;
  std::vector<ErrorCount> errors;
  bool inside_a_level_above = false;
  Stack stack;
};
struct Use {
  std::string level, kind, call, function;
  std::int64_t count = 0;
  std::optional<std::int64_t> bytes, time_ns;
  bool inside_a_level_above = false;
  Stack stack;
};
struct Rate {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::string level, kind;
  std::int64_t calls = 0;
};

struct SnoopWindow : Window {
  std::vector<std::string> libraries, late_libraries;
  Probes probes;
  std::vector<CallCount> calls;
  std::vector<Memory> memory;
  std::vector<NeverFreed> never_freed;
  std::vector<Failure> failures;
  std::vector<Timeline> timelines;
  std::vector<Use> uses;
  std::vector<Rate> rates;
};

struct OffCpuProbes {
  std::int64_t switches = 0, time_ns = 0, lost_stacks = 0, lost_sums = 0, unseen_switches = 0;
};
struct ThreadTime {
  std::int64_t thread = 0;
  std::string name;
  std::int64_t lived_ns = 0, on_cpu_ns = 0;
  std::int64_t sleeping_ns = 0, disk_ns = 0, runnable_ns = 0, other_ns = 0;
};
struct Wait {
  std::string reason, what;
  std::int64_t count = 0, total_ns = 0, longest_ns = 0, threads = 0;
  Stack stack;
};

struct OffCpuWindow : Window {
  OffCpuProbes probes;
  std::vector<ThreadTime> threads;
  std::vector<Wait> waits;
};

}  // namespace rankscope::snoop_file

namespace rankscope::json {

template <>
const Fields<snoop_file::Window>& FieldsOf();
template <>
const Fields<snoop_file::Frame>& FieldsOf();
template <>
const Fields<snoop_file::Probes>& FieldsOf();
template <>
const Fields<snoop_file::CallCount>& FieldsOf();
template <>
const Fields<snoop_file::Domain>& FieldsOf();
template <>
const Fields<snoop_file::Memory>& FieldsOf();
template <>
const Fields<snoop_file::NeverFreed>& FieldsOf();
template <>
const Fields<snoop_file::Timeline>& FieldsOf();
template <>
const Fields<snoop_file::ErrorCount>& FieldsOf();
template <>
const Fields<snoop_file::Failure>& FieldsOf();
template <>
const Fields<snoop_file::Use>& FieldsOf();
template <>
const Fields<snoop_file::Rate>& FieldsOf();
template <>
const Fields<snoop_file::SnoopWindow>& FieldsOf();
template <>
const Fields<snoop_file::OffCpuProbes>& FieldsOf();
template <>
const Fields<snoop_file::ThreadTime>& FieldsOf();
template <>
const Fields<snoop_file::Wait>& FieldsOf();
template <>
const Fields<snoop_file::OffCpuWindow>& FieldsOf();

}  // namespace rankscope::json
