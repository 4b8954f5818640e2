// TimelineFile: what a timeline file says of any ranks and any time, at the resolution that a
// picture has.
//
// Thread-safe. Memory: the index, 100 bytes for each capture and tile, and the names; everything
// else is read from the file when it is asked for.
#pragma once

#include <cstdint>
#include <memory>
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
  bool is_gzip = false;  // as it is stored
};

// Events of one name within a window, each clipped to it.
struct TimelineSum {
  std::string name;
  std::uint8_t kind = 0;
  TimelineRole role = TimelineRole::kOther;
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;  // without other events that lie in it
  std::int64_t count = 0;
};

struct TimelineSums {
  std::vector<TimelineSum> names;  // the longest first; of host threads nested ones count, too
  std::array<std::int64_t, kTimelinePartCount> part_ns{};  // of the devices of the ranks
};

// What threads called within a window.
struct TimelineCalls {
  struct Thread {
    std::string name;  // as its track is called; threads of several ranks may be called the same
    std::int64_t total_ns = 0;  // of outermost calls
  };
  std::vector<Thread> threads;  // all that have events there, the busiest first
  std::vector<CallTree::Node> frames;
  bool is_complete = true;  // false: not all events were looked at
};

struct TimelineHit {
  std::int64_t rank = 0;
  std::string track;
  TimelineSpan span;
  std::string name;
};

struct TimelineHits {
  std::vector<TimelineHit> hits;  // by rank, then as the tracks have them
  bool is_complete = true;        // false: there may be more
};

// What events of some names come to on a rank.
struct TimelineOccurrencesOfRank {
  std::int64_t rank = 0;
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  TimelineHit longest;  // the first of them
};

struct TimelineOccurrences {
  std::vector<TimelineOccurrencesOfRank> ranks;  // those that have one, as they were asked for
  bool is_complete = true;                       // false: not all of their spans were looked at
};

struct TimelineCollectives {
  std::vector<TimelineCollective> collectives;  // by begin
  bool is_complete = true;                      // false: there are more in the window
};

struct TimelinePath {
  std::int64_t resolution_ns = 0;  // shorter pieces are joined
  std::vector<TimelinePathPiece> pieces;
};

class TimelineFile {
 public:
  static constexpr std::size_t kMostTileBins = 4096;
  static constexpr std::size_t kMostTileCells = std::size_t{1} << 20;  // ranks x bins
  static constexpr std::size_t kMostSpans = 100'000;
  static constexpr std::size_t kMostArrivals = 20'000;  // of an answer
  static constexpr std::size_t kMostPathPieces = 20'000;

  static Result<std::unique_ptr<const TimelineFile>> Open(const std::string& path);
  ~TimelineFile();

  const FileIndex& index() const { return index_; }
  std::uint64_t bytes() const { return size_; }

  // `width` bins, more or less, of equal length: the shortest 2^n ns of which `width` hold the
  // window; the first begins a whole number of bins behind index().begin_ns, at or before
  // `from_ns`. Of the recorded ones of `ranks`, which are ascending. One read when that is a tile
  // of the file; else each rank's parts of time in the window are read. kInvalidArgument beyond
  // the limits.
  Result<TimelineTile> Tile(TimelineWindow window, std::size_t width,
                            std::span<const std::int64_t> ranks) const;

  // The tracks of a rank but for those that are for bins, and their spans in the window
  // (ToColumns); what is shorter than a `width`-th of it is merged, and more than that when there
  // would be more than kMostSpans.
  Result<std::string> Spans(std::int64_t rank, TimelineWindow window, std::size_t width) const;

  // Exact: of all events of the ranks. O(events in the window).
  Result<TimelineSums> Sums(TimelineWindow window, std::span<const std::int64_t> ranks) const;

  // The calls of the ranks' threads, of the one that is called `thread` where that is said: the
  // `most` ways with the longest times, of `most_spans` events.
  Result<TimelineCalls> Calls(TimelineWindow window, std::span<const std::int64_t> ranks,
                              std::string_view thread, std::size_t most,
                              std::uint64_t most_spans) const;
  std::string_view NameOf(std::uint32_t name) const {
    return name < names_.size() ? std::string_view(names_[name]) : std::string_view();
  }

  // Events from `from_ns` on with such a name, up to `most` of them, looking at `most_spans` at
  // most.
  Result<TimelineHits> Search(const NameFilter& filter, std::int64_t from_ns,
                              std::span<const std::int64_t> ranks, std::size_t most,
                              std::uint64_t most_spans) const;
  // The events of a capture that have these indices in its file, as the tracks have them; those of
  // a file that is not there are none.
  Result<TimelineHits> Events(std::int64_t rank, std::int64_t capture,
                              const std::set<std::int64_t>& events) const;
  // Of all events with such a name what they come to on each rank that has one.
  Result<TimelineOccurrences> Occurrences(const NameFilter& filter,
                                          std::span<const std::int64_t> ranks,
                                          std::uint64_t most_spans) const;

  // Of the collectives in the window the `most` with the longest waiting of all members, of which
  // there are kMostArrivals at most, but of the first. O(arrivals in the window), which is looked
  // at up to `most_seen` of them.
  Result<TimelineCollectives> Collectives(TimelineWindow window, std::size_t most,
                                          std::uint64_t most_seen) const;
  // The one of which an event of a rank is a member that starts within the window; none is
  // kNotFound.
  Result<TimelineCollective> CollectiveOf(std::int64_t rank, std::uint32_t event,
                                          TimelineWindow window) const;

  // What is shorter than a `width`-th of the window is joined with its neighbours, and more than
  // that when there would be more than kMostPathPieces.
  Result<TimelinePath> Path(TimelineWindow window, std::size_t width) const;

 private:
  TimelineFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  Result<std::string> Read(const Piece& piece) const;
  Result<std::string> Unpack(const LinkBlock& block) const;
  Status ReadNames();
  std::span<const StoredCapture> CapturesOf(std::int64_t rank) const;
  Result<std::vector<StoredTrack>> TracksOf(const StoredCapture& capture) const;
  // Of a level of a track, what overlaps the window.
  Status ReadSpans(const SpanLevel& level, TimelineWindow window,
                   std::vector<TimelineSpan>& spans) const;
  // By the number of the name.
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
