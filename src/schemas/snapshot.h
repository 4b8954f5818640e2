// The tables of one memory snapshot, of two snapshots, and of a memory timeline (src/memory).
//
// Bytes are those that the program requested, unless a column says that they are rounded as by the
// allocator. Times are nanoseconds since the first event of the history.
#pragma once

#include <string_view>

#include "table/schema.h"

namespace rankscope {

// The place in the program: the first columns of tables by stack.
struct SnapshotPlace : Schema<SnapshotPlace> {
  IntColumn device = Int("device", "", "index of the GPU in the process");
  StringColumn category = Text("category",
                               "what the program did when it allocated, by the frames: forward, "
                               "backward, recompute, optimizer, module (made or moved), data, "
                               "communication; unknown where no frame says");
  StringColumn place =
      Text("place", "the innermost frame of the program's own Python code; else of any code");
};

struct SnapshotSummary : Schema<SnapshotSummary> {
  static constexpr std::string_view kName = "snapshot_summary";

  IntColumn device = Int("device", "", "index of the GPU in the process");
  IntColumn events = Int("events", "", "events of the history; 0: none was recorded");
  IntColumn duration_ns = Int("duration_ns", "ns", "from the first to the last event");
  IntColumn begin_us = Int("begin_us", "us", "Unix time of the first event");
  IntColumn peak_active_bytes = Int("peak_active_bytes", "bytes",
                                    "most that was held at once (active); null without history");
  IntColumn peak_ns = Int("peak_ns", "ns", "when that was first reached");
  IntColumn peak_reserved_bytes = Int("peak_reserved_bytes", "bytes", "most that was reserved");
  IntColumn allocated_bytes =
      Int("allocated_bytes", "bytes", "held by the program at the end of the history");
  IntColumn active_bytes =
      Int("active_bytes", "bytes",
          "allocated, and what was given back but is still used by a stream, at the end");
  IntColumn reserved_bytes = Int("reserved_bytes", "bytes", "of the device, at the end");
  IntColumn rounding_bytes =
      Int("rounding_bytes", "bytes", "size of the blocks in use beyond what was requested");
  IntColumn split_bytes =
      Int("split_bytes", "bytes",
          "unused blocks in segments that are in use: cached, and torch.cuda.empty_cache() cannot "
          "return them");
  IntColumn idle_segment_bytes = Int("idle_segment_bytes", "bytes",
                                     "segments without a block in use: empty_cache() returns them");
  IntColumn largest_free_bytes =
      Int("largest_free_bytes", "bytes",
          "largest unused block: a larger request asks the device for more, whatever is cached");
  IntColumn segments = Int("segments", "", "segments at the end");
  IntColumn ooms = Int("ooms", "", "out-of-memory errors in the history");
  FlagColumn expandable_segments =
      Flag("expandable_segments",
           "segments that grow in place: the device has some, or had, or the allocator's setting; "
           "null where the snapshot says neither");
  IntColumn disagreeing_bytes =
      Int("disagreeing_bytes", "bytes",
          "of allocations that the history has as held at its end and the segments do not, or with "
          "another size: recording was off between, or the device was in use");
};
extern template const SnapshotSummary& SchemaOf<SnapshotSummary>();

struct SnapshotTimeline : Schema<SnapshotTimeline> {
  static constexpr std::string_view kName = "snapshot_timeline";

  IntColumn device = Int("device", "", "index of the GPU in the process");
  IntColumn event =
      Int("event", "", "number of the event in the history; -1: what was before the first");
  IntColumn time_ns = Int("time_ns", "ns", "since the first event; null without a clock");
  StringColumn action = Text("action",
                             "alloc, free_requested, free_completed, segment_alloc, segment_free, "
                             "segment_map, segment_unmap, oom; before");
  IntColumn bytes = Int("bytes", "bytes", "of the event");
  IntColumn allocated_bytes = Int("allocated_bytes", "bytes", "held by the program after it");
  IntColumn active_bytes =
      Int("active_bytes", "bytes", "allocated, and given back but still used by a stream");
  IntColumn reserved_bytes = Int("reserved_bytes", "bytes", "segments after it");
};
extern template const SnapshotTimeline& SchemaOf<SnapshotTimeline>();

// Sums over allocations, in tables by stack and by category.
template <typename Names>
struct SnapshotSums : Schema<SnapshotSums<Names>, Names> {
  using Columns = Schema<SnapshotSums<Names>, Names>;
  using typename Columns::IntColumn;
  IntColumn peak_bytes = this->Int("peak_bytes", "bytes", "active at the peak");
  IntColumn peak_count = this->Int("peak_count", "", "allocations of these");
  IntColumn end_bytes = this->Int("end_bytes", "bytes", "active at the end");
  IntColumn end_count = this->Int("end_count", "", "allocations of these");
  IntColumn allocated_bytes =
      this->Int("allocated_bytes", "bytes", "all that was allocated during the history");
  IntColumn allocations = this->Int("allocations", "", "how often that was");
  IntColumn before_bytes =
      this->Int("before_bytes", "bytes", "allocated before the history; parts of peak and end");
};

struct SnapshotStackNames : Schema<SnapshotStackNames, SnapshotPlace> {
  StringColumn stack = Text("stack", "all frames, innermost first; null where none was recorded");
};
extern template const SnapshotStackNames& SchemaOf<SnapshotStackNames>();
struct SnapshotStacks : Schema<SnapshotStacks, SnapshotSums<SnapshotStackNames>> {
  static constexpr std::string_view kName = "snapshot_stacks";
};

struct SnapshotCategoryNames : Schema<SnapshotCategoryNames> {
  IntColumn device = Int("device", "", "index of the GPU in the process");
  StringColumn category = Text("category", "of snapshot_stacks");
};
extern template const SnapshotCategoryNames& SchemaOf<SnapshotCategoryNames>();
struct SnapshotCategories : Schema<SnapshotCategories, SnapshotSums<SnapshotCategoryNames>> {
  static constexpr std::string_view kName = "snapshot_categories";
};

struct SnapshotPeak : Schema<SnapshotPeak, SnapshotPlace> {
  static constexpr std::string_view kName = "snapshot_peak";

  IntColumn bytes = Int("bytes", "bytes", "active at the peak");
  RealColumn of_peak_pct = Real("of_peak_pct", "%", "of all that was active then");
  IntColumn count = Int("count", "", "allocations");
  IntColumn since_ns =
      Int("since_ns", "ns", "when the oldest was allocated; null: before the history");
  IntColumn until_ns = Int("until_ns", "ns", "when the last of them ended; null: held at the end");
  IntColumn lifetime_ns = Int("lifetime_ns", "ns",
                              "mean length of those whose begin and end are in the history; null "
                              "where there is none");
  StringColumn stack = Text("stack", "all frames, innermost first");
};
extern template const SnapshotPeak& SchemaOf<SnapshotPeak>();

struct SnapshotSegments : Schema<SnapshotSegments> {
  static constexpr std::string_view kName = "snapshot_segments";

  IntColumn device = Int("device", "", "index of the GPU in the process");
  IntColumn address = Int("address", "", "of its first byte");
  StringColumn type = Text("type", "small (requests up to 1 MiB) or large");
  IntColumn stream =
      Int("stream", "", "handle of the stream whose requests it serves; 0 = default");
  StringColumn pool = Text("pool", "id of a private pool, as of a CUDA graph; null = default");
  FlagColumn expandable = Flag("expandable", "grows in place");
  IntColumn bytes = Int("bytes", "bytes", "reserved: the sum of the next four");
  IntColumn requested_bytes = Int("requested_bytes", "bytes", "of blocks in use");
  IntColumn rounding_bytes = Int("rounding_bytes", "bytes", "of blocks in use beyond that");
  IntColumn pending_bytes =
      Int("pending_bytes", "bytes", "blocks that were given back and are still used by a stream");
  IntColumn free_bytes = Int("free_bytes", "bytes", "unused blocks");
  IntColumn largest_free_bytes = Int("largest_free_bytes", "bytes", "largest unused block");
  IntColumn blocks = Int("blocks", "", "blocks");
  IntColumn free_blocks = Int("free_blocks", "", "unused ones");
};
extern template const SnapshotSegments& SchemaOf<SnapshotSegments>();

// By the memory that a request can use: of one stream, one pool and one size class.
struct SnapshotFragmentation : Schema<SnapshotFragmentation> {
  static constexpr std::string_view kName = "snapshot_fragmentation";

  IntColumn device = Int("device", "", "index of the GPU in the process");
  StringColumn type = Text("type", "small (requests up to 1 MiB) or large");
  IntColumn stream = Int("stream", "", "handle of the stream; 0 = default");
  StringColumn pool = Text("pool", "id of a private pool; null = default");
  IntColumn segments = Int("segments", "", "segments");
  IntColumn reserved_bytes =
      Int("reserved_bytes", "bytes", "of the segments: the sum of the next five");
  IntColumn requested_bytes = Int("requested_bytes", "bytes", "of blocks in use");
  IntColumn rounding_bytes = Int("rounding_bytes", "bytes", "of blocks in use beyond that");
  IntColumn pending_bytes =
      Int("pending_bytes", "bytes", "blocks that were given back and are still used by a stream");
  IntColumn split_bytes = Int("split_bytes", "bytes", "unused blocks in segments that are in use");
  IntColumn idle_segment_bytes =
      Int("idle_segment_bytes", "bytes", "segments without a block in use");
  IntColumn free_blocks = Int("free_blocks", "", "unused blocks");
  IntColumn largest_free_bytes =
      Int("largest_free_bytes", "bytes", "largest unused block: no larger request is served");
  RealColumn fragmentation_pct =
      Real("fragmentation_pct", "%",
           "1 - largest_free_bytes / (split_bytes + idle_segment_bytes); null where nothing is "
           "unused");
};
extern template const SnapshotFragmentation& SchemaOf<SnapshotFragmentation>();

struct SnapshotOom : Schema<SnapshotOom, SnapshotPlace> {
  static constexpr std::string_view kName = "snapshot_oom";

  IntColumn event = Int("event", "", "number of the event in the history");
  IntColumn time_ns = Int("time_ns", "ns", "since the first event");
  IntColumn requested_bytes = Int("requested_bytes", "bytes", "what was asked for");
  IntColumn device_free_bytes = Int("device_free_bytes", "bytes", "what the device had left");
  IntColumn active_bytes = Int("active_bytes", "bytes", "held at that time");
  IntColumn reserved_bytes = Int("reserved_bytes", "bytes", "of the device at that time");
  IntColumn cached_bytes =
      Int("cached_bytes", "bytes", "reserved less active (in whole blocks): unused at that time");
  IntColumn largest_gap_bytes =
      Int("largest_gap_bytes", "bytes",
          "longest unused stretch of a segment of the request's stream at that time");
  IntColumn missing_bytes =
      Int("missing_bytes", "bytes",
          "requested less device_free and cached: what must be freed even without fragmentation; 0 "
          "where that would have been enough");
  StringColumn cause = Text(
      "cause",
      "fragmentation: cached and free memory would have been enough, in one piece; streams: "
      "what is cached belongs to other streams; held: the program holds too much; others: most "
      "of the device is not of this process (needs --device-memory)");
  StringColumn holder = Text("holder", "the place that held most at that time");
  IntColumn holder_bytes = Int("holder_bytes", "bytes", "how much it held");
  StringColumn stack = Text("stack", "of the request, innermost first");
};
extern template const SnapshotOom& SchemaOf<SnapshotOom>();

struct SnapshotLeaks : Schema<SnapshotLeaks, SnapshotPlace> {
  static constexpr std::string_view kName = "snapshot_leaks";

  IntColumn before_bytes = Int("before_bytes", "bytes", "held in the first snapshot");
  IntColumn after_bytes = Int("after_bytes", "bytes", "held in the second");
  IntColumn growth_bytes = Int("growth_bytes", "bytes", "after_bytes - before_bytes");
  IntColumn kept_bytes =
      Int("kept_bytes", "bytes", "of allocations that are in both: address, size and stack");
  IntColumn kept_count = Int("kept_count", "", "these allocations");
  IntColumn new_bytes =
      Int("new_bytes", "bytes", "held in the second, and not yet allocated in the first");
  IntColumn new_count = Int("new_count", "", "these allocations");
  StringColumn stack = Text("stack", "all frames, innermost first");
};
extern template const SnapshotLeaks& SchemaOf<SnapshotLeaks>();

struct SnapshotAllocations : Schema<SnapshotAllocations, SnapshotPlace> {
  static constexpr std::string_view kName = "snapshot_allocations";

  IntColumn address = Int("address", "", "of its first byte");
  IntColumn bytes = Int("bytes", "bytes", "as requested");
  IntColumn stream = Int("stream", "", "handle of the stream; null: of before the history");
  IntColumn begin_ns = Int("begin_ns", "ns", "null: before the history");
  IntColumn freed_ns = Int("freed_ns", "ns", "when it was given back; null: held at the end");
  IntColumn end_ns =
      Int("end_ns", "ns", "when no stream used it any more; null: active at the end");
  FlagColumn at_peak = Flag("at_peak", "was active at the peak");
  StringColumn metadata = Text("metadata", "what torch.cuda.memory._set_memory_metadata said");
  StringColumn stack = Text("stack", "all frames, innermost first");
};
extern template const SnapshotAllocations& SchemaOf<SnapshotAllocations>();

struct SnapshotBlocks : Schema<SnapshotBlocks, SnapshotPlace> {
  static constexpr std::string_view kName = "snapshot_blocks";

  IntColumn segment = Int("segment", "", "address of the segment");
  IntColumn offset = Int("offset", "bytes", "of the block in its segment");
  IntColumn bytes = Int("bytes", "bytes", "as rounded");
  IntColumn requested_bytes = Int("requested_bytes", "bytes", "null of an unused block");
  StringColumn state = Text("state", "allocated, pending_free or inactive");
};
extern template const SnapshotBlocks& SchemaOf<SnapshotBlocks>();

struct TimelineCategories : Schema<TimelineCategories> {
  static constexpr std::string_view kName = "timeline_categories";

  StringColumn category =
      Text("category",
           "parameter, optimizer_state, input, temporary, activation, gradient, autograd_detail, "
           "unknown: as torch.profiler told them apart");
  IntColumn peak_bytes = Int("peak_bytes", "bytes", "when all together were highest");
  RealColumn of_peak_pct = Real("of_peak_pct", "%", "of all together");
  IntColumn own_peak_bytes = Int("own_peak_bytes", "bytes", "most of this category at any time");
  IntColumn own_peak_ns = Int("own_peak_ns", "ns", "when that was first, since the first change");
  IntColumn before_bytes = Int("before_bytes", "bytes", "existed before the profile");
  IntColumn end_bytes = Int("end_bytes", "bytes", "at the end");
};
extern template const TimelineCategories& SchemaOf<TimelineCategories>();

// HTA's MemoryAnalysis: bytes per category after each change.
struct HtaMemoryTimeline : Schema<HtaMemoryTimeline> {
  static constexpr std::string_view kName = "hta.memory_timeline";

  IntColumn time = Int("time", "ns", "since the first change that has a time");
  IntColumn parameter = Int("Parameter", "bytes", "after the changes at this time");
  IntColumn optimizer_state = Int("Optimizer state", "bytes", "the same");
  IntColumn input = Int("Input", "bytes", "the same");
  IntColumn temporary = Int("Temporary", "bytes", "the same");
  IntColumn activation = Int("Activation", "bytes", "the same");
  IntColumn gradient = Int("Gradient", "bytes", "the same");
  IntColumn autograd = Int("Autograd", "bytes", "the same");
  IntColumn unknown = Int("Unknown", "bytes", "the same");
};
extern template const HtaMemoryTimeline& SchemaOf<HtaMemoryTimeline>();

}  // namespace rankscope
