// The text that configures a recording in Kineto: lines KEY=VALUE.
//
// Kineto splits lines at every '=', and treats '#' as the begin of a comment anywhere, so a value
// may contain neither. At a line that it cannot read, Kineto stops, but applies what it has read so
// far. So texts are checked here before sending, by Kineto's rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::wire {

// What to record, for all processes alike.
struct CaptureConfig {
  // As requested; Kineto inserts the process id (TracePath).
  std::string log_file;
  // Iterations if above 0, otherwise a duration.
  std::int64_t iterations = 0;
  std::int64_t start_iteration = -1;   // -1: the next multiple of the round-up
  std::int64_t iteration_roundup = 0;  // for `iterations`; 0: none
  std::int64_t warmup_iterations = 0;
  // For a duration; also used instead of iterations if the process does not count any.
  std::int64_t duration_ms = 500;
  std::int64_t start_unix_ms = 0;  // 0: immediately
  std::int64_t warmup_s = 5;
  bool shapes = false;
  bool stacks = false;
  bool flops = false;
  bool modules = false;
  bool memory = false;           // adds allocations to the trace
  bool memory_snapshot = false;  // instead of a trace: the allocator's history, over duration_ms
  std::string trace_id;          // is repeated in the trace
};

// The text. kInvalidArgument for a path or id that such a text cannot contain, and for invalid
// numbers.
Result<std::string> ToConfigText(const CaptureConfig& config);

// Checks a foreign text by Kineto's rules, line by line. kInvalidArgument names the line.
Status CheckConfigText(std::string_view text);
// The last value of a key, which is the one that Kineto uses.
std::optional<std::string> ValueIn(std::string_view text, std::string_view key);
// Replaces all lines of the key by this one.
std::string WithValue(std::string_view text, std::string_view key, std::string_view value);

// Kineto's output path: "/a/b.pt.trace.json" becomes "/a/b_7.pt.trace.json" for process 7, and
// "/a/b.json" becomes "/a/b_7.json". A name without .json stays unchanged, so all processes
// overwrite the same file.
std::string TracePath(std::string_view log_file, std::int64_t pid);
// The path that it uses if the requested one is forbidden (libkineto since June 2026: outside of
// /tmp and of the process's KINETO_ONDEMAND_TRACE_DIR, or with ".." in the path).
std::string FallbackTracePath(std::int64_t pid);
// For a memory snapshot, where Kineto inserts no process id: "/a/b.pickle" becomes "/a/b_7.pickle"
// for process 7; a name with a trace's ending is handled like in TracePath.
std::string SnapshotPath(std::string_view log_file, std::int64_t pid);
// Its path for a snapshot if none was requested, or the requested one is forbidden.
std::string FallbackSnapshotPath(std::int64_t pid);
bool IsAllowedPath(std::string_view log_file, std::string_view allowed_folder);

}  // namespace rankscope::wire
