// Run: what the store knows of a job that was recorded, as a record of its catalogue.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::store {

// Of a store's folder: what is in it and how. 2: notes, queries, metrics, set_aside and summaries.
// 3: records carry a checksum of their own.
inline constexpr std::int64_t kStoreFormat = 3;
// The file of a run that is no trace but the program's code (fix/tree/source_bundle.h).
inline constexpr std::string_view kSourceFile = ".source.jsonl";

// Tags by which who sends a run says what it is of: kind=serving, what a serving program recorded,
// with the limits slo=ttft=500ms. Without, what is in its files tells.
inline constexpr std::string_view kKindTag = "kind";
inline constexpr std::string_view kServingKind = "serving";
inline constexpr std::string_view kSloTag = "slo";
// And by which a search for better settings names the run of the serving program it is for.
inline constexpr std::string_view kOptimisesTag = "optimises";
// Folders from this format on are read as they are; older ones have to be carried over first.
inline constexpr std::int64_t kOldestReadFormat = 2;

enum class RunState : std::uint8_t {
  kUploading,  // files may come
  kQueued,     // finished, to be analysed
  kAnalysing,
  kReady,
  kFailed,  // `reason` says why
};
std::string_view ToString(RunState state);
std::span<const std::string_view> WordsOf(RunState state);

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
  std::string summary;       // JSON, what lists of runs show of it; "": none
  std::vector<RunTable> tables;
  friend bool operator==(const RunReport&, const RunReport&) = default;
};

// What somebody wrote to a run, at a rank and a time of the job or at all of it.
struct RunNote {
  std::int64_t id = 0;
  std::int64_t made_s = 0;
  std::string user;
  std::string text;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> time_ns;  // relative to the job's origin
  std::optional<std::int64_t> end_ns;   // of a stretch of time
  friend bool operator==(const RunNote&, const RunNote&) = default;
};

struct SavedQuery {
  std::int64_t id = 0;
  std::string name;
  std::string sql;
  friend bool operator==(const SavedQuery&, const SavedQuery&) = default;
};

// A file that no report is made of any more, since reading it ended the process that did.
struct SetAside {
  std::string file;
  std::string reason;
  friend bool operator==(const SetAside&, const SetAside&) = default;
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
  std::vector<RunNote> notes;
  std::vector<SavedQuery> queries;
  std::vector<RunTable> metrics;  // numbers that the job tells, in the order in which they came
  std::vector<SetAside> set_aside;
  // Since when the record has a checksum. Later than created_s: what it said before was not
  // verified. 0: an older version wrote the record, which has none yet; the next change, or
  // Store::Seal, gives it one.
  std::int64_t sealed_s = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

// A record of the catalogue: one JSON object in a line. Members that this version does not know are
// refused, since writing the record again would lose them. When sealed_s is not 0 its last member,
// "record_sha256", is the SHA-256 of the object without that member.
std::string ToRecord(const Run& run);
// Checks the record against its checksum. One without a checksum is read as of format 2, or of
// `format` when that is older: such records lack members.
Result<Run> FromRecord(std::string_view record, std::int64_t format = kStoreFormat);

// Every content that a run names, with what names it: a file, a part of a report.
void ForEachContent(const Run& run,
                    const std::function<void(const std::string& name, const std::string& sha256,
                                             std::uint64_t bytes)>& visit);

// The contents of its files and telemetry, what an analysis reads.
std::vector<std::string> InputsOf(const Run& run);

bool IsRunId(std::string_view text);
// A name of a file of a run: relative, no empty part, no `.` or `..`, no backslash or control
// character, at most 1,024 bytes.
Status CheckFileName(std::string_view name);
// Whether a run can have a new file of that name beside the others: none of it and them is a folder
// of the other, and no part is longer than file systems take (255 bytes), so that the run can be
// laid out as files. kInvalidArgument. O(its files) comparisons at the worst, O(log) as a rule.
Status CheckNewFile(const Run& run, std::string_view name);

}  // namespace rankscope::store
