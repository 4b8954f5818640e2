#include "timeline/file_format.h"

#include <zstd.h>

#include <algorithm>
#include <new>

#include "base/bytes.h"

namespace rankscope {
namespace {

constexpr std::size_t kPieceBytes = 24;

void Put(ByteWriter& out, const Piece& piece) {
  out.Put(piece.offset);
  out.Put(piece.bytes);
  out.Put(piece.checksum);
}

Piece GetPiece(ByteReader& in) {
  Piece piece;
  piece.offset = in.Get<std::uint64_t>();
  piece.bytes = in.Get<std::uint64_t>();
  piece.checksum = in.Get<std::uint64_t>();
  return piece;
}

constexpr std::size_t kLinkBlockBytes = kPieceBytes + 4 * 8;

void Put(ByteWriter& out, const std::vector<LinkBlock>& blocks) {
  out.Put(static_cast<std::uint64_t>(blocks.size()));
  for (const LinkBlock& block : blocks) {
    Put(out, block.piece);
    out.Put(block.unpacked_bytes);
    out.Put(block.records);
    out.Put(block.begin_ns);
    out.Put(block.end_ns);
  }
}

std::vector<LinkBlock> GetLinkBlocks(ByteReader& in) {
  std::vector<LinkBlock> blocks(in.GetCount(kLinkBlockBytes));
  for (LinkBlock& block : blocks) {
    block.piece = GetPiece(in);
    block.unpacked_bytes = in.Get<std::uint64_t>();
    block.records = in.Get<std::uint64_t>();
    block.begin_ns = in.Get<std::int64_t>();
    block.end_ns = in.Get<std::int64_t>();
  }
  return blocks;
}

}  // namespace

Status DamagedTimeline() {
  return Error(StatusCode::kBadData, "the timeline is damaged: analyse the run again");
}

std::vector<std::int64_t> FileIndex::Ranks() const {
  std::vector<std::int64_t> ranks;
  for (const StoredCapture& capture : captures) {
    if (ranks.empty() || ranks.back() != capture.rank) ranks.push_back(capture.rank);
  }
  return ranks;
}

std::string ToBytes(const FileIndex& index) {
  ByteWriter out;
  out.Put(index.origin_ns);
  out.Put(index.begin_ns);
  out.Put(static_cast<std::int32_t>(index.base_shift));
  out.Put(static_cast<std::int32_t>(index.last_shift));
  out.Put(static_cast<std::uint64_t>(index.captures.size()));
  for (const StoredCapture& one : index.captures) {
    out.Put(one.rank);
    out.Put(one.capture);
    out.Put(one.begin_ns);
    out.Put(one.end_ns);
    out.Put(one.spans);
    Put(out, one.section);
  }
  out.Put(static_cast<std::uint64_t>(index.tiles.size()));
  for (const StoredTile& tile : index.tiles) {
    out.Put(static_cast<std::int32_t>(tile.shift));
    out.Put(tile.column);
    out.Put(tile.block);
    Put(out, tile.piece);
  }
  Put(out, index.collectives);
  Put(out, index.path);
  Put(out, index.names);
  out.Put(index.name_bytes);
  return out.bytes();
}

Result<FileIndex> IndexFromBytes(std::string_view bytes) {
  ByteReader in(bytes);
  FileIndex index;
  index.origin_ns = in.Get<std::int64_t>();
  index.begin_ns = in.Get<std::int64_t>();
  index.base_shift = in.Get<std::int32_t>();
  index.last_shift = in.Get<std::int32_t>();
  index.captures.resize(in.GetCount(5 * 8 + kPieceBytes));
  for (StoredCapture& one : index.captures) {
    one.rank = in.Get<std::int64_t>();
    one.capture = in.Get<std::int64_t>();
    one.begin_ns = in.Get<std::int64_t>();
    one.end_ns = in.Get<std::int64_t>();
    one.spans = in.Get<std::uint64_t>();
    one.section = GetPiece(in);
  }
  index.tiles.resize(in.GetCount(12 + kPieceBytes));
  for (StoredTile& tile : index.tiles) {
    tile.shift = in.Get<std::int32_t>();
    tile.column = in.Get<std::uint32_t>();
    tile.block = in.Get<std::uint32_t>();
    tile.piece = GetPiece(in);
  }
  index.collectives = GetLinkBlocks(in);
  index.path = GetLinkBlocks(in);
  index.names = GetPiece(in);
  index.name_bytes = in.Get<std::uint64_t>();
  const bool has_sense =
      index.base_shift >= 0 && index.last_shift >= index.base_shift && index.last_shift <= 62;
  if (!in.ok() || !in.at_end() || !has_sense) return DamagedTimeline();
  return index;
}

std::string ToBytes(const std::vector<StoredTrack>& tracks) {
  ByteWriter out;
  out.Put(static_cast<std::uint64_t>(tracks.size()));
  for (const StoredTrack& track : tracks) {
    out.PutString(track.name);
    out.Put(static_cast<std::uint8_t>(track.role));
    out.Put(track.first);
    out.Put(track.second);
    out.Put(track.lanes);
    out.Put(static_cast<std::uint64_t>(track.levels.size()));
    for (const SpanLevel& level : track.levels) {
      out.Put(level.resolution_ns);
      out.Put(static_cast<std::uint64_t>(level.blocks.size()));
      for (const SpanBlock& block : level.blocks) {
        Put(out, block.piece);
        out.Put(block.spans);
        out.Put(block.begin_ns);
        out.Put(block.end_ns);
      }
    }
  }
  return out.bytes();
}

Result<std::vector<StoredTrack>> TracksFromBytes(std::string_view bytes) {
  ByteReader in(bytes);
  std::vector<StoredTrack> tracks(in.GetCount(8 + 1 + 16 + 4 + 8));
  for (StoredTrack& track : tracks) {
    track.name = in.GetString();
    track.role = static_cast<TimelineRole>(in.Get<std::uint8_t>());
    track.first = in.Get<std::int64_t>();
    track.second = in.Get<std::int64_t>();
    track.lanes = in.Get<std::uint32_t>();
    track.levels.resize(in.GetCount(16));
    for (SpanLevel& level : track.levels) {
      level.resolution_ns = in.Get<std::int64_t>();
      level.blocks.resize(in.GetCount(kPieceBytes + 20));
      for (SpanBlock& block : level.blocks) {
        block.piece = GetPiece(in);
        block.spans = in.Get<std::uint32_t>();
        block.begin_ns = in.Get<std::int64_t>();
        block.end_ns = in.Get<std::int64_t>();
        if (block.spans > kBlockSpans) return DamagedTimeline();
      }
    }
    if (track.role > TimelineRole::kOther || track.levels.empty()) return DamagedTimeline();
  }
  if (!in.ok() || !in.at_end()) return DamagedTimeline();
  return tracks;
}

std::string TileHead(const std::vector<std::int64_t>& ranks, std::size_t bins, int shift,
                     std::int64_t begin_ns) {
  std::string head = "RSTL";
  const auto put = [&](auto value) {
    head.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  put(static_cast<std::uint32_t>(ranks.size()));
  put(static_cast<std::uint32_t>(bins));
  put(static_cast<std::uint32_t>(shift));
  put(static_cast<double>(begin_ns));
  for (const std::int64_t rank : ranks) put(static_cast<double>(rank));
  return head;
}

std::string PackZstd(std::string_view bytes) {
  constexpr int kLevel = 1;
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  packed.resize(size);
  return packed;
}

Result<std::string> UnpackZstd(std::string_view packed, std::size_t bytes) {
  std::string unpacked(bytes, '\0');
  const std::size_t size =
      ZSTD_decompress(unpacked.data(), unpacked.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0 || size != bytes) return DamagedTimeline();
  return unpacked;
}

}  // namespace rankscope
