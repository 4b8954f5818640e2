// The input trace of a tool, and the result of a first pass over it: all that must be known before
// the first event can be written.
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

// Outer keys of a piece of a split trace (pieces.h): the trace it belongs to, and the positions of
// its events in the whole.
inline constexpr std::string_view kSplitKey = "rankscope.split";
inline constexpr std::string_view kOrderKey = "rankscope.order";

// A file, or one of the traces of a merged one.
struct Document {
  std::string path;
  int part = kWholeFile;
  std::vector<std::string> pieces;  // if not empty: the files of a split trace, read as the whole
  std::string name;                 // display name: the path, or the name inside the merged file
  // For a merged document; also written into one (kineto::MergedPart).
  std::int64_t rank = -1;
  std::string label;
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = -1;
};

Result<std::unique_ptr<ByteSource>> OpenDocument(const Document& document);

// The traces in a file: itself, or those that were merged into it.
Result<std::vector<Document>> DocumentsOf(const std::string& path);

struct StepMark {
  std::uint64_t thread = 0;  // hash of its pid and tid
  std::int64_t number = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// What a survey collects besides the outer values.
struct SurveyOptions {
  bool step_marks = false;
  bool arrows = false;    // arrows that no correlation id repeats
  bool metadata = false;  // the text of metadata events (ph M)
  int threads = 1;
};

// An end point of an arrow.
struct ArrowPoint {
  std::uint64_t arrow = 0;  // hash of its category and id
  std::uint64_t place = 0;  // PlaceHash
};

struct Survey {
  kineto::TopValues values;
  bool is_array = false;
  std::int64_t base_ns = 0;  // baseTimeNanoseconds; 0 if missing
  std::int64_t rank = -1;    // distributedInfo.rank
  std::uint64_t events = 0;  // elements of traceEvents, including unusable ones
  std::uint64_t bad_events = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t file_bytes = 0;
  QualityLog problems;
  std::vector<std::uint64_t> first_of_chunk;  // index of each chunk's first element
  // Begin of the first and end of the last complete event, without the profiler's own; both 0 if
  // there are none.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  // Process tokens as written in the text, sorted as numbers, then as text.
  std::vector<std::string> pids;
  bool has_events_without_pid = false;
  std::vector<StepMark> step_marks;
  std::vector<ArrowPoint> arrow_points;
  std::vector<std::string> metadata;
};

// Limits: something with more processes, or more metadata text, is not a trace.
inline constexpr std::size_t kMostProcesses = 100'000;
inline constexpr std::size_t kMostMetadataBytes = std::size_t{64} << 20;

Result<Survey> SurveyOf(const Document& document, const SurveyOptions& options);

// The text of an outer key's value; "" if it is missing.
std::string_view ValueOf(const kineto::TopValues& values, std::string_view key);

// Hash of an event's place on its time line. A time that is not a number counts as 0.
std::uint64_t PlaceHash(const kineto::RawEvent& event);
std::uint64_t ThreadHash(const kineto::RawEvent& event);
std::uint64_t ArrowHash(const kineto::RawEvent& event);
// False if the event has no usable time.
bool TimeOf(const kineto::RawEvent& event, std::int64_t& ts_ns);
// 0 for a duration that is missing, negative or not a number.
std::int64_t DurationOf(const kineto::RawEvent& event);

// The content of a string token: without quotes, with escapes resolved.
std::string_view PlainText(std::string_view token, std::string& scratch);

// One sentence on what could not be read of a document; "" if everything was read.
std::string LossOf(const Document& document, const Survey& survey);

}  // namespace rankscope::tools
