// TimelineFile: reads a timeline file for any ranks and any time, at the resolution of the
// display.
//
// Thread-safe. Memory: the index, 100 bytes per capture and tile, and the names; everything else is
// read from the file on demand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "timeline/call_tree.h"
#include "timeline/file_format.h"
#include "timeline/links.h"
#include "timeline/name_filter.h"

namespace rankscope {

struct TimelineTile {
  std::string bytes;     // kTileHead and bins
  bool is_gzip = false;  // as stored
};

// Events with one name within a window, each clipped to it.
struct TimelineSum {
  std::string name;
  std::uint8_t kind = 0;
  TimelineRole role = TimelineRole::kOther;
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;  // without other events inside it
  std::int64_t count = 0;
};

struct TimelineSums {
  std::vector<TimelineSum> names;  // longest first; nested events of host threads count, too
  std::array<std::int64_t, kTimelinePartCount> part_ns{};  // of the devices of the ranks
};

// The calls of threads within a window.
struct TimelineCalls {
  struct Thread {
    std::string name;           // track name; threads of several ranks may share it
    std::int64_t total_ns = 0;  // of outermost calls
  };
  std::vector<Thread> threads;  // all threads with events there, busiest first
  std::vector<CallTree::Node> frames;
  bool is_complete = true;  // false: some events were not examined
};

struct TimelineHit {
  std::int64_t rank = 0;
  std::string track;
  TimelineSpan span;
  std::string name;
};

struct TimelineHits {
  std::vector<TimelineHit> hits;  // by rank, then in the order of the tracks
  bool is_complete = true;        // false: there may be more
};

// Totals over the events with certain names on a rank.
struct TimelineOccurrencesOfRank {
  std::int64_t rank = 0;
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  TimelineHit longest;  // the first one if several are equal
};

struct TimelineOccurrences {
  std::vector<TimelineOccurrencesOfRank> ranks;  // ranks with an occurrence, in the requested order
  bool is_complete = true;                       // false: some spans were not examined
};

struct TimelineCollectives {
  std::vector<TimelineCollective> collectives;  // by begin
  bool is_complete = true;                      // false: the window has more
};

struct TimelinePath {
  std::int64_t resolution_ns = 0;  // shorter pieces were merged
  std::vector<TimelinePathPiece> pieces;
};

class TimelineFile {
 public:
  static constexpr std::size_t kMostTileBins = 4096;
  static constexpr std::size_t kMostTileCells = std::size_t{1} << 20;  // ranks x bins
  static constexpr std::size_t kMostSpans = 100'000;
  static constexpr std::size_t kMostArrivals = 20'000;  // per answer
  static constexpr std::size_t kMostPathPieces = 20'000;

  static Result<std::unique_ptr<const TimelineFile>> Open(const std::string& path);
  ~TimelineFile();

  const FileIndex& index() const { return index_; }
  std::uint64_t bytes() const { return size_; }

  // About `width` bins of equal length: the smallest 2^n ns for which `width` bins cover the
  // window. The first bin begins a whole number of bins after index().begin_ns, at or before
  // `from_ns`. For those of `ranks` (ascending) that were recorded. One read if the result is a
  // tile of the file; otherwise the parts of time of each rank in the window are read.
  // kInvalidArgument beyond the limits.
  Result<TimelineTile> Tile(TimelineWindow window, std::size_t width,
                            std::span<const std::int64_t> ranks) const;

  // The tracks of a rank, without those that only feed bins, and their spans in the window
  // (ToColumns). Spans shorter than 1 / `width` of the window are merged, and longer ones, too, if
  // there would be more than kMostSpans.
  Result<std::string> Spans(std::int64_t rank, TimelineWindow window, std::size_t width) const;

  // Exact: over all events of the ranks. O(events in the window).
  Result<TimelineSums> Sums(TimelineWindow window, std::span<const std::int64_t> ranks) const;

  // The calls of the ranks' threads, or only of the thread named `thread` if given: the `most`
  // paths with the longest times, from at most `most_spans` events.
  Result<TimelineCalls> Calls(TimelineWindow window, std::span<const std::int64_t> ranks,
                              std::string_view thread, std::size_t most,
                              std::uint64_t most_spans) const;
  std::string_view NameOf(std::uint32_t name) const {
    return name < names_.size() ? std::string_view(names_[name]) : std::string_view();
  }

  // Events from `from_ns` on with a matching name, up to `most` of them, after examining at most
  // `most_spans`.
  Result<TimelineHits> Search(const NameFilter& filter, std::int64_t from_ns,
                              std::span<const std::int64_t> ranks, std::size_t most,
                              std::uint64_t most_spans) const;
  // The events of a capture with these indices in its file, as stored in the tracks. Empty for a
  // capture that does not exist.
  Result<TimelineHits> Events(std::int64_t rank, std::int64_t capture,
                              const std::set<std::int64_t>& events) const;
  // For all events with a matching name: their totals on each rank that has one.
  Result<TimelineOccurrences> Occurrences(const NameFilter& filter,
                                          std::span<const std::int64_t> ranks,
                                          std::uint64_t most_spans) const;

  // The `most` collectives in the window with the longest wait over all members. Together they have
  // at most kMostArrivals arrivals, except that the first is always included. O(arrivals in the
  // window), of which at most `most_seen` are examined.
  Result<TimelineCollectives> Collectives(TimelineWindow window, std::size_t most,
                                          std::uint64_t most_seen) const;
  // The collective that has a rank's event as a member and starts within the window; nullopt if
  // there is none.
  Result<std::optional<TimelineCollective>> CollectiveOf(std::int64_t rank, std::uint32_t event,
                                                         TimelineWindow window) const;

  // Pieces shorter than 1 / `width` of the window are merged with their neighbours, and longer
  // ones, too, if there would be more than kMostPathPieces.
  Result<TimelinePath> Path(TimelineWindow window, std::size_t width) const;

 private:
  TimelineFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  Result<std::string> Read(const Piece& piece) const;
  Result<std::string> Unpack(const LinkBlock& block) const;
  Status ReadNames();
  std::span<const StoredCapture> CapturesOf(std::int64_t rank) const;
  Result<std::vector<StoredTrack>> TracksOf(const StoredCapture& capture) const;
  // Reads the spans of one level of a track that overlap the window.
  Status ReadSpans(const SpanLevel& level, TimelineWindow window,
                   std::vector<TimelineSpan>& spans) const;
  // Indexed by name number.
  std::vector<bool> WantedNames(const NameFilter& filter) const;
  template <typename Use>
  Result<bool> ForEachNamed(const std::vector<bool>& is_wanted, std::int64_t from_ns,
                            std::span<const std::int64_t> ranks, std::uint64_t most_spans,
                            const Use& use) const;

  const int descriptor_;
  const std::uint64_t size_;
  FileIndex index_;
  std::vector<std::string> names_;
};

}  // namespace rankscope
