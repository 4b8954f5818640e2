// The text that tells Kineto what to record: lines KEY=VALUE.
//
// Kineto splits lines at every '=', and takes '#' for the begin of a comment wherever it stands: a
// value has neither. A line that it cannot read makes it stop, and it dispatches what it has read
// by then; so what is sent is checked here, as Kineto reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::wire {

// What to record, of which processes alike.
struct CaptureConfig {
  // As asked for; Kineto puts the process's number into it (TracePath).
  std::string log_file;
  // Iterations when there are any, else a time.
  std::int64_t iterations = 0;
  std::int64_t start_iteration = -1;   // -1: the next multiple of the round-up
  std::int64_t iteration_roundup = 0;  // of `iterations`; 0: none
  std::int64_t warmup_iterations = 0;
  // Of time, and what is recorded in place of iterations when the process does not count any.
  std::int64_t duration_ms = 500;
  std::int64_t start_unix_ms = 0;  // 0: at once
  std::int64_t warmup_s = 5;
  bool shapes = false;
  bool stacks = false;
  bool flops = false;
  bool modules = false;
  bool memory = false;           // allocations in the trace
  bool memory_snapshot = false;  // in its place: the allocator's history, over duration_ms
  std::string trace_id;          // comes back in the trace
};

// The text. kInvalidArgument for a path or id that such a text cannot have, and for numbers that
// make no sense.
Result<std::string> ToConfigText(const CaptureConfig& config);

// A text of somebody else: each line is read as Kineto reads it. kInvalidArgument names the line.
Status CheckConfigText(std::string_view text);
// The last value of a key, as Kineto takes it.
std::optional<std::string> ValueIn(std::string_view text, std::string_view key);
// With the key's line in place of those that are there.
std::string WithValue(std::string_view text, std::string_view key, std::string_view value);

// Where Kineto writes: "/a/b.pt.trace.json" of process 7 is "/a/b_7.pt.trace.json", "/a/b.json"
// "/a/b_7.json"; a name without .json stays as it is, and all processes write over each other.
std::string TracePath(std::string_view log_file, std::int64_t pid);
// Where it writes when it may not write there (libkineto since June 2026: outside of /tmp and of
// the process's KINETO_ONDEMAND_TRACE_DIR, or with ".." in the path).
std::string FallbackTracePath(std::int64_t pid);
// Of a memory snapshot, into whose name Kineto puts no number: "/a/b.pickle" of process 7 is to be
// "/a/b_7.pickle", and what has an end of a trace as with TracePath.
std::string SnapshotPath(std::string_view log_file, std::int64_t pid);
// Where it writes one when it was told no path, or may not write there.
std::string FallbackSnapshotPath(std::int64_t pid);
bool IsAllowedPath(std::string_view log_file, std::string_view allowed_folder);

}  // namespace rankscope::wire
