// Run: what the store knows of a job that was recorded, as a record of its catalogue.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::store {

enum class RunState : std::uint8_t {
  kUploading,  // files may come
  kQueued,     // finished, to be analysed
  kAnalysing,
  kReady,
  kFailed,  // `reason` says why
};
std::string_view ToString(RunState state);

struct RunFile {
  std::string name;  // with `/`, relative to the job's folder; no `..`
  std::string sha256;
  std::uint64_t bytes = 0;
  friend bool operator==(const RunFile&, const RunFile&) = default;
};

// A table of a report, as Parquet, or the report itself, as JSON.
struct RunTable {
  std::string name;
  std::string sha256;
  std::uint64_t bytes = 0;
  friend bool operator==(const RunTable&, const RunTable&) = default;
};

// What was made of the files that had come by then; late ranks make another.
struct RunReport {
  std::int64_t version = 0;  // 1, 2, ...
  std::int64_t made_s = 0;   // seconds since 1970, UTC, as all times here
  std::string program;       // version of rankscope that made it
  std::vector<RunTable> tables;
  friend bool operator==(const RunReport&, const RunReport&) = default;
};

// Times are UTC by the clock of the machine that keeps the store; the times of events, and the
// clocks that they go by, are in the tables.
struct Run {
  std::string id;   // 16 hexadecimal digits
  std::string key;  // of who made it: a second attempt with the same key is the same run; may be ""
  std::string name;
  std::string user, team, model, product, framework, hardware;
  std::int64_t world_size = -1;  // -1: unknown
  std::map<std::string, std::string> tags;
  std::int64_t created_s = 0;
  std::int64_t changed_s = 0;
  RunState state = RunState::kUploading;
  std::string reason;
  std::vector<RunFile> files;  // by name
  std::vector<RunReport> reports;
  friend bool operator==(const Run&, const Run&) = default;
};

// A record of the catalogue: one JSON object. Members that this version does not know are refused,
// since writing the record again would lose them.
std::string ToRecord(const Run& run);
Result<Run> FromRecord(std::string_view record);

bool IsRunId(std::string_view text);
// A name of a file of a run: relative, no empty part, no `.` or `..`, no backslash or control
// character, at most 1,024 bytes.
Status CheckFileName(std::string_view name);

}  // namespace rankscope::store
