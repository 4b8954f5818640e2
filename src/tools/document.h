// A trace that a tool works on, and what a first pass over it finds: everything that must be known
// before the first event can be written.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "formats/kineto/edit/event_edit.h"
#include "formats/kineto/edit/event_pass.h"
#include "formats/kineto/edit/event_text.h"
#include "formats/kineto/edit/merged.h"
#include "trace/quality.h"

namespace rankscope::tools {

// Outer keys of a piece of a split trace (pieces.h): what it is a piece of, and where its events
// were in the whole.
inline constexpr std::string_view kSplitKey = "rankscope.split";
inline constexpr std::string_view kOrderKey = "rankscope.order";

// A file, or one of the traces of a merged one.
struct Document {
  std::string path;
  int part = kWholeFile;
  std::vector<std::string> pieces;  // not empty: the files of a split trace, read as the whole
  std::string name;  // what to call it: the path, or the name inside of the merged file
  // Of a merged document, and what is written into one (kineto::MergedPart).
  std::int64_t rank = -1;
  std::string label;
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = -1;
};

Result<std::unique_ptr<ByteSource>> OpenDocument(const Document& document);

// The traces of a file: itself, or what was merged into it.
Result<std::vector<Document>> DocumentsOf(const std::string& path);

struct StepMark {
  std::uint64_t thread = 0;  // hash of its pid and tid
  std::int64_t number = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// What to look for, beyond the outer values.
struct SurveyOptions {
  bool step_marks = false;
  bool arrows = false;    // those that no correlation id states
  bool metadata = false;  // the text of metadata events (ph M)
  int threads = 1;
};

// An arrow's point: where it begins or ends.
struct ArrowPoint {
  std::uint64_t arrow = 0;  // hash of its category and id
  std::uint64_t place = 0;  // PlaceHash
};

struct Survey {
  kineto::TopValues values;
  bool is_array = false;
  std::int64_t base_ns = 0;  // baseTimeNanoseconds, 0 without
  std::int64_t rank = -1;    // distributedInfo.rank
  std::uint64_t events = 0;  // elements of traceEvents, the unusable included
  std::uint64_t bad_events = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t file_bytes = 0;
  QualityLog problems;
  std::vector<std::uint64_t> first_of_chunk;  // index of each chunk's first element
  // Begin of the first and end of the last complete event that is not the profiler's own; both 0
  // without any.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  // Processes as their tokens stand in the text, sorted as numbers, then as text.
  std::vector<std::string> pids;
  bool has_events_without_pid = false;
  std::vector<StepMark> step_marks;
  std::vector<ArrowPoint> arrow_points;
  std::vector<std::string> metadata;
};

// More processes, or more text of metadata, than this is no trace.
inline constexpr std::size_t kMostProcesses = 100'000;
inline constexpr std::size_t kMostMetadataBytes = std::size_t{64} << 20;

Result<Survey> SurveyOf(const Document& document, const SurveyOptions& options);

// The text of the value of an outer key; "" without it.
std::string_view ValueOf(const kineto::TopValues& values, std::string_view key);

// Where an event is on its time line. Times that are no numbers give 0.
std::uint64_t PlaceHash(const kineto::RawEvent& event);
std::uint64_t ThreadHash(const kineto::RawEvent& event);
std::uint64_t ArrowHash(const kineto::RawEvent& event);
// False when the event has no time that can be used.
bool TimeOf(const kineto::RawEvent& event, std::int64_t& ts_ns);
// 0 for a duration that is missing, or no number, or negative.
std::int64_t DurationOf(const kineto::RawEvent& event);

// A string token as it would be read: no quotes, escapes resolved where there are any.
std::string_view PlainText(std::string_view token, std::string& scratch);

// One sentence on what could not be read of a document; "" when all was.
std::string LossOf(const Document& document, const Survey& survey);

}  // namespace rankscope::tools
