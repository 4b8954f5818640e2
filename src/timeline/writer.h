// TimelineWriter: writes a timeline file, one block of ranks after the other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/status.h"
#include "timeline/bins.h"
#include "timeline/file_format.h"
#include "timeline/links.h"

namespace rankscope {

// The extent of a timeline, in the job's time. Time outside of it is in no bin, but it is in the
// spans.
struct TimelineExtent {
  std::int64_t origin_ns = 0;  // since the epoch
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Memory: the bins of kTileRanks ranks (75 MB), and the data being added.
class TimelineWriter {
 public:
  static Result<std::unique_ptr<TimelineWriter>> Create(const std::string& path,
                                                        const TimelineExtent& extent);

  // Thread-safe. The captures between two calls of EndBlock may come in any order.
  Status Add(const RankTimeline& timeline);
  // Call after every kTileRanks ranks and after the last. Ranks must increase from block to block.
  Status EndBlock();
  // Adds all collectives, and the critical path with contiguous pieces; call each once.
  Status AddCollectives(std::vector<TimelineCollective> collectives);
  Status AddPath(std::span<const TimelinePathPiece> pieces);
  Status Commit();
  std::uint64_t bytes() const { return file_->written(); }

 private:
  TimelineWriter(std::unique_ptr<AtomicFile> file, const TimelineExtent& extent);
  Result<Piece> Write(std::string_view bytes);
  std::vector<std::uint32_t> Numbers(const std::vector<std::string>& names);
  Result<SpanLevel> WriteLevel(std::span<const TimelineSpan> spans, std::int64_t resolution_ns,
                               std::size_t block_spans);
  Result<StoredTrack> WriteTrack(const TimelineTrack& track, std::span<const std::uint32_t> names);
  Result<LinkBlock> WriteLinks(const std::string& bytes, std::size_t records, TimelineWindow times);
  void AddBins(const RankTimeline& timeline);

  struct OfRank {
    BinSums sums;
    std::int64_t devices = 0;
  };

  std::unique_ptr<AtomicFile> file_;
  const TimelineExtent extent_;
  std::mutex mutex_;
  FileIndex index_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::map<std::int64_t, OfRank> block_;  // by rank
  std::uint32_t blocks_ = 0;
};

}  // namespace rankscope
