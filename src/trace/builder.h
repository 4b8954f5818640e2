// TraceBuilder turns batches of raw events, in file order, into a RankTrace. It merges the string
// ids of the parsing threads, matches B with E, sorts rows by track and time, and finds parents,
// links and steps.
//
// A reader parses in parallel: each thread fills EventBatch objects with its own NameScope (local
// strings and tracks), and the builder appends them one at a time in file order. This code is
// independent of file formats.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/interner.h"
#include "trace/quality.h"
#include "trace/stated_steps.h"
#include "trace/trace.h"

namespace rankscope {

enum class EventPhase : std::uint8_t { kComplete, kBegin, kEnd, kOther };

// One event as parsed; name, category and track are ids of the parsing thread's NameScope, aux
// indexes the batch's side table for the kind, or is such an id for a call (RankTrace::aux).
struct RawRow {
  std::int64_t ts_ns = 0;
  std::int64_t dur_ns = kNoDuration;
  std::int64_t correlation = kNoCorrelation;
  StringId name = kEmptyString;
  StringId category = kEmptyString;
  std::uint32_t track = 0;
  std::uint32_t source = 0;
  std::uint32_t aux = kNoAux;
  std::int32_t external_id = kNoId;
  EventKind kind = EventKind::kOther;
  EventPhase phase = EventPhase::kComplete;
};

struct TrackKey {
  std::int64_t first = 0;
  std::int64_t second = 0;
  StringId first_text = kEmptyString;  // set when the id is not a number
  StringId second_text = kEmptyString;
  Domain domain = Domain::kHost;
  friend bool operator==(const TrackKey&, const TrackKey&) = default;
};
struct TrackKeyHash {
  std::size_t operator()(const TrackKey& key) const;
};
using TrackMap = boost::unordered_flat_map<TrackKey, std::uint32_t, TrackKeyHash>;

// The start or end of an arrow at (track, ts); arrows that duplicate a correlation id are dropped.
// Ids are unique within a category.
struct FlowPoint {
  std::int64_t id = 0;
  std::int64_t ts_ns = 0;
  std::uint32_t track = 0;
  StringId category = kEmptyString;
  bool start = false;
  bool forward_backward = false;
};

// thread_name and process_name records.
struct TrackName {
  std::int64_t first = 0;
  std::int64_t second = 0;
  StringId text = kEmptyString;
  bool of_process = false;
};

// The number that identifies an event in other records of the run ("Record function id"), for
// readers that need it.
struct RecordId {
  std::uint32_t source = 0;
  std::int64_t id = 0;
};

// The thread of a begin or end event in the file: an end may lack the data that determines the
// track of its begin, such as a category or a stream.
struct BracketThread {
  std::uint32_t source = 0;
  std::uint64_t thread = 0;  // equal for equal threads
};

// Data about the work of a row without a category, for readers that classify such rows when the
// names of all processes are known.
struct WorkHint {
  std::uint32_t source = 0;
  StringId task = kEmptyString;       // the kind of the task
  StringId dtype = kEmptyString;      // of a collective
  StringId algorithm = kEmptyString;  // of a collective
  StringId details = kEmptyString;    // of a kernel or copy, as its profiler writes them
  std::int64_t elements = -1;         // of a collective
  std::int64_t peer = -1;             // of a part of one
  std::int64_t step = -1;             // of a mark of a step
};

struct NameScope {
  Interner strings;
  std::vector<TrackKey> tracks;
  TrackMap track_ids;
};

struct EventBatch {
  std::vector<RawRow> rows;
  std::vector<KernelArgs>
      kernels;  // `collective` indexes the batch's collectives; so it does in ops
  std::vector<CollectiveArgs> collectives;
  std::vector<CopyArgs> copies;
  std::vector<OpArgs> ops;
  std::vector<MemoryArgs> memory;
  std::vector<PythonArgs> python;
  std::vector<SyncArgs> syncs;
  std::vector<CounterArgs> counters;
  std::vector<RowIds> row_ids;       // `source` counts from the batch's first event, as in rows
  std::vector<RecordId> record_ids;  // the same
  std::vector<FlowPoint> flows;
  std::vector<TrackName> names;
  std::vector<BracketThread> brackets;  // `source` as in row_ids; none: threads are tracks
  std::vector<WorkHint> hints;          // the same
  std::uint64_t event_count = 0;
  std::uint64_t flow_count = 0;
  std::uint64_t metadata_count = 0;
  std::uint64_t bad_event_count = 0;
  QualityLog quality;

  void Clear();
};

// A trace with unsorted rows: in the order of `source`, with named tracks and matched begins and
// ends. An adapter may change kind, track, name, category, correlation and aux of rows, and append
// tracks, names, row_ids (which must stay sorted by source) and rows of side tables.
struct UnsortedTrace {
  RankTrace& trace;
  std::span<const FlowPoint> flows;
  std::span<const WorkHint> hints;  // sorted by source
  std::function<StringId(std::string_view)> intern;
  std::function<std::uint8_t(std::string_view)> category;  // its number (RankTrace::categories)
  std::function<void(const StatedStep&)> state_step;
};

class TraceBuilder {
 public:
  using Adapt = void (*)(UnsortedTrace& unsorted);

  // Appends the events of `batch`, which come after all appended before. `scope_index` identifies
  // the thread: always the same scope for one index. Row and event counts are limited to 2^32 - 2.
  // O(batch).
  void Append(const EventBatch& batch, const NameScope& scope, std::size_t scope_index);

  // A step stated by the file without a mark on a host thread (trace/steps.h).
  void StateStep(const StatedStep& step) { stated_steps_.push_back(step); }

  std::size_t row_count() const { return trace_.row_count(); }
  // Of all appended batches, sorted by source.
  std::vector<RecordId> TakeRecordIds() { return std::move(record_ids_); }

  // Sorts, links and returns the trace. `meta` has the file's own metadata; its counts are filled
  // in here. `adapt`, if any, runs before that: some formats can classify rows only after reading
  // everything.
  RankTrace Finish(TraceMeta meta, QualityLog quality, Adapt adapt = nullptr) &&;

 private:
  struct Remap {
    std::vector<StringId> strings;
    std::vector<std::uint32_t> tracks;
  };
  StringId Intern(std::string_view text);
  StringId MapString(StringId id, const NameScope& scope, Remap& remap);
  std::uint32_t MapTrack(std::uint32_t id, const NameScope& scope, Remap& remap);
  std::uint8_t CategoryIndex(StringId category);
  void NameTracks();
  void MatchBeginEnd();
  void SetStrayCallsAside();
  void SortRows();

  RankTrace trace_;
  Column<EventPhase> phase_;
  Interner strings_;
  std::vector<TrackKey> track_keys_;
  TrackMap track_ids_;
  std::vector<Remap> remaps_;
  std::vector<FlowPoint> flows_;
  std::vector<TrackName> names_;
  std::vector<RecordId> record_ids_;
  std::vector<StatedStep> stated_steps_;
  std::vector<BracketThread> brackets_;
  std::vector<WorkHint> hints_;
  QualityLog quality_;
  bool has_begin_end_ = false;
};

}  // namespace rankscope
