// Run: the store's record of a recorded job, in its catalogue.
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

// The format of a store's folder. 2: notes, queries, metrics, set_aside and summaries. 3: records
// carry a checksum of their own.
inline constexpr std::int64_t kStoreFormat = 3;
// The file of a run with the program's code instead of a trace (fix/tree/source_bundle.h).
inline constexpr std::string_view kSourceFile = ".source.jsonl";

// Tags by which the sender of a run states its subject: kind=serving, the recording of a serving
// program, with the limits slo=ttft=500ms. Without tags, the contents of the files decide.
inline constexpr std::string_view kKindTag = "kind";
inline constexpr std::string_view kServingKind = "serving";
inline constexpr std::string_view kSloTag = "slo";
// Hours of devices that the job was given, a number above 0.
inline constexpr std::string_view kDeviceHoursTag = "device_hours";
using Tags = std::map<std::string, std::string>;
// kResource: a team has as many runs as it may.
Status TooManyRuns(std::size_t most);
// kInvalidArgument, if a tag that has a meaning has a value without one.
Status CheckTags(const Tags& tags);
// The tag by which a search for better settings names the run of its serving program.
inline constexpr std::string_view kOptimisesTag = "optimises";
// Folders from this format on are read as they are; older ones must be migrated first.
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

// The report on the files that had arrived by then; later ranks cause another.
struct RunReport {
  std::int64_t version = 0;  // 1, 2, ...
  std::int64_t made_s = 0;   // seconds since 1970, UTC, as all times here
  std::string program;       // version of rankscope that made it
  std::string summary;       // JSON, what lists of runs show of it; "": none
  std::vector<RunTable> tables;
  friend bool operator==(const RunReport&, const RunReport&) = default;
};

// A person's note on a run, at a rank and a time of the job or on all of it.
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

// A file that reports leave out, because reading it ended the process.
struct SetAside {
  std::string file;
  std::string reason;
  friend bool operator==(const SetAside&, const SetAside&) = default;
};

// Times are UTC by the clock of the store's machine. The times of events, and their clocks, are in
// the tables.
struct Run {
  std::string id;   // 16 hexadecimal digits
  std::string key;  // of who made it: a second attempt with the same key is the same run; may be ""
  std::string name;
  std::string user, team, model, product, framework, hardware;
  std::int64_t world_size = -1;  // -1: unknown
  Tags tags;
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
  // Since when the record has a checksum. Later than created_s: its earlier contents were not
  // verified. 0: an older version wrote the record without one; the next change, or Store::Seal,
  // adds it.
  std::int64_t sealed_s = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

// A record of the catalogue: one JSON object in a line. Members unknown to this version are
// refused, since they would be lost when the record is written again. If sealed_s is not 0, its
// last member, "record_sha256", is the SHA-256 of the object without that member.
std::string ToRecord(const Run& run);
// Checks the record against its checksum. One without a checksum is read as format 2, or as
// `format` if that is older: such records lack members.
Result<Run> FromRecord(std::string_view record, std::int64_t format = kStoreFormat);

// Every content that a run names, with the file or part of a report that names it.
void ForEachContent(const Run& run,
                    const std::function<void(const std::string& name, const std::string& sha256,
                                             std::uint64_t bytes)>& visit);

// The contents of its files and telemetry: the input of an analysis.
std::vector<std::string> InputsOf(const Run& run);

bool IsRunId(std::string_view text);
// A name of a file of a run: relative, no empty part, no `.` or `..`, no backslash or control
// character, at most 1,024 bytes.
Status CheckFileName(std::string_view name);
// Whether a run can have a new file of that name beside the others, so that the run can be laid out
// as files: no name is a folder of another, and no part is longer than file systems allow (255
// bytes). kInvalidArgument. O(its files) comparisons at worst, usually O(log).
Status CheckNewFile(const Run& run, std::string_view name);

}  // namespace rankscope::store
