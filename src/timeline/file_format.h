// The timeline file: all ranks of a job, for display at any zoom. Written once, read in pieces.
//
//   "RSTIME03"
//   blocks      spans of a track at a resolution, packed with zstd
//   sections    per capture: its tracks, and the positions of their blocks
//   tiles       kTileBins bins of kTileRanks ranks, as transmitted (kTileHead), packed with gzip
//   links       collectives and pieces of the critical path (links.h), packed with zstd
//   names       texts, packed with zstd
//   index       this header's FileIndex
//   tail        offset, size and checksum of the index, "RSTIME03"
//
// Little-endian. Every reference to a piece contains its checksum (XXH3), which is checked on
// reading. Bins are 2^shift ns long, starting at begin_ns: `base_shift` first, then every length up
// to the one at which one column of tiles holds everything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "timeline/rank_timeline.h"

namespace rankscope {

Status DamagedTimeline();

inline constexpr std::string_view kTimelineMark = "RSTIME03";
inline constexpr std::size_t kTailBytes = 32;
inline constexpr std::size_t kTileBins = 512;
inline constexpr std::size_t kTileRanks = 128;
inline constexpr std::size_t kMostBaseBins = 8192;
inline constexpr std::size_t kBlockSpans = 4096;
// Limit of one unpacked block of collectives or of the path: a collective is never split.
inline constexpr std::uint64_t kMostLinkBytes = std::uint64_t{64} << 20;
// For tracks that feed bins: tiles of many ranks read a little of each track at once.
inline constexpr std::size_t kPartBlockSpans = 512;

struct Piece {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // stored size
  std::uint64_t checksum = 0;
};

struct SpanBlock {
  Piece piece;
  std::uint32_t spans = 0;
  std::int64_t begin_ns = 0;  // earliest start
  std::int64_t end_ns = 0;    // latest end
};

struct SpanLevel {
  std::int64_t resolution_ns = 0;  // 0: every event is separate
  std::vector<SpanBlock> blocks;
};

struct StoredTrack {
  std::string name;
  TimelineRole role = TimelineRole::kOther;
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::uint32_t lanes = 0;
  std::vector<SpanLevel> levels;  // the finest first
};

struct StoredCapture {
  std::int64_t rank = 0;
  std::int64_t capture = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t spans = 0;
  Piece section;
};

struct StoredTile {
  int shift = 0;
  std::uint32_t column = 0;
  std::uint32_t block = 0;  // of kTileRanks ranks
  Piece piece;
};

// Whole collectives, or pieces of the path, sorted by begin.
struct LinkBlock {
  Piece piece;
  std::uint64_t unpacked_bytes = 0;
  std::uint64_t records = 0;  // arrivals, or pieces
  std::int64_t begin_ns = 0;  // earliest start
  std::int64_t end_ns = 0;    // latest end
};

struct FileIndex {
  std::int64_t origin_ns = 0;  // zero of the job's time, since the epoch
  std::int64_t begin_ns = 0;   // of the first bin, in the job's time
  int base_shift = 0;
  int last_shift = 0;
  std::vector<StoredCapture> captures;  // by rank and capture
  std::vector<StoredTile> tiles;        // by shift, column and block
  std::vector<LinkBlock> collectives;
  std::vector<LinkBlock> path;
  Piece names;
  std::uint64_t name_bytes = 0;

  std::vector<std::int64_t> Ranks() const;  // ascending, without duplicates
};

std::string ToBytes(const FileIndex& index);
Result<FileIndex> IndexFromBytes(std::string_view bytes);
std::string ToBytes(const std::vector<StoredTrack>& tracks);
Result<std::vector<StoredTrack>> TracksFromBytes(std::string_view bytes);

// The head of a tile: "RSTL", ranks and bins (uint32), shift (uint32), begin of the first bin and
// each rank (float64); then the bins of the first rank, the second, and so on.
std::string TileHead(const std::vector<std::int64_t>& ranks, std::size_t bins, int shift,
                     std::int64_t begin_ns);

std::string PackZstd(std::string_view bytes);
Result<std::string> UnpackZstd(std::string_view packed, std::size_t bytes);

}  // namespace rankscope
