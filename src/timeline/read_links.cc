// What TimelineFile says of collectives and of the critical path.
#include <algorithm>

#include "base/saturating.h"
#include "timeline/reader.h"

namespace rankscope {
namespace {

bool Overlaps(const LinkBlock& block, TimelineWindow window) {
  return block.begin_ns < window.to_ns && block.end_ns >= window.from_ns;
}

}  // namespace

Result<std::string> TimelineFile::Unpack(const LinkBlock& block) const {
  if (block.unpacked_bytes > kMostLinkBytes)
    return Error(StatusCode::kBadData, "the timeline is damaged (links): analyse the run again");
  RS_ASSIGN_OR_RETURN(const std::string packed, Read(block.piece));
  return UnpackZstd(packed, block.unpacked_bytes);
}

Result<TimelineCollectives> TimelineFile::Collectives(TimelineWindow window, std::size_t most,
                                                      std::uint64_t most_seen) const {
  TimelineCollectives found;
  std::vector<std::pair<std::int64_t, TimelineCollective>> best;  // by waiting
  std::uint64_t seen = 0;
  const auto keep_the_longest = [&] {
    std::ranges::stable_sort(best, std::greater<>(), [](const auto& one) { return one.first; });
    if (best.size() > most) found.is_complete = false;
    best.resize(std::min(best.size(), most));
  };
  for (const LinkBlock& block : index_.collectives) {
    if (block.begin_ns >= window.to_ns) break;
    if (!Overlaps(block, window)) continue;
    if (seen > most_seen) {
      found.is_complete = false;
      break;
    }
    seen += block.records;
    RS_ASSIGN_OR_RETURN(const std::string bytes, Unpack(block));
    RS_ASSIGN_OR_RETURN(std::vector<TimelineCollective> collectives, CollectivesFromBytes(bytes));
    for (TimelineCollective& one : collectives) {
      if (one.begin_ns() < window.to_ns && one.end_ns() > window.from_ns)
        best.emplace_back(one.wait_ns(), std::move(one));
    }
    if (best.size() > 4 * most) keep_the_longest();
  }
  keep_the_longest();
  std::size_t arrivals = 0;
  for (auto& [wait, collective] : best) {
    arrivals += collective.arrivals.size();
    if (arrivals > kMostArrivals && !found.collectives.empty()) {
      found.is_complete = false;
      break;
    }
    found.collectives.push_back(std::move(collective));
  }
  std::ranges::stable_sort(found.collectives, {},
                           [](const TimelineCollective& one) { return one.begin_ns(); });
  return found;
}

Result<std::optional<TimelineCollective>> TimelineFile::CollectiveOf(std::int64_t rank,
                                                                     std::uint32_t event,
                                                                     TimelineWindow window) const {
  for (const LinkBlock& block : index_.collectives) {
    if (block.begin_ns >= window.to_ns) break;
    if (!Overlaps(block, window)) continue;
    RS_ASSIGN_OR_RETURN(const std::string bytes, Unpack(block));
    RS_ASSIGN_OR_RETURN(std::vector<TimelineCollective> collectives, CollectivesFromBytes(bytes));
    for (TimelineCollective& one : collectives) {
      const bool is_it = std::ranges::any_of(one.arrivals, [&](const TimelineArrival& arrival) {
        return arrival.rank == rank && arrival.event == event &&
               arrival.start_ns >= window.from_ns && arrival.start_ns < window.to_ns;
      });
      if (is_it) return std::optional(std::move(one));
    }
  }
  return std::optional<TimelineCollective>();
}

Result<TimelinePath> TimelineFile::Path(TimelineWindow window, std::size_t width) const {
  TimelinePath path;
  if (window.from_ns >= window.to_ns || width == 0)
    return Error(StatusCode::kInvalidArgument, "from_ns is to be before to_ns, width 1 or more");
  std::vector<TimelinePathPiece> pieces;
  path.resolution_ns =
      SaturatingSubtract(window.to_ns, window.from_ns) / static_cast<std::int64_t>(width);
  for (const LinkBlock& block : index_.path) {
    if (block.begin_ns >= window.to_ns) break;
    if (!Overlaps(block, window)) continue;
    RS_ASSIGN_OR_RETURN(const std::string bytes, Unpack(block));
    RS_ASSIGN_OR_RETURN(std::vector<TimelinePathPiece> some, PathFromBytes(bytes));
    std::erase_if(some, [&](const TimelinePathPiece& piece) {
      return piece.start_ns >= window.to_ns ||
             SaturatingAdd(piece.start_ns, piece.duration_ns) <= window.from_ns;
    });
    some = MergePath(some, path.resolution_ns);
    pieces.insert(pieces.end(), std::make_move_iterator(some.begin()),
                  std::make_move_iterator(some.end()));
  }
  while (pieces.size() > kMostPathPieces) {
    path.resolution_ns = 2 * path.resolution_ns + 1;
    pieces = MergePath(pieces, path.resolution_ns);
  }
  path.pieces = std::move(pieces);
  return path;
}

}  // namespace rankscope
