#include "timeline/writer.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/gzip.h"
#include "base/hash.h"
#include "base/saturating.h"
#include "timeline/merge_spans.h"
#include "timeline/span_blocks.h"

namespace rankscope {
namespace {

// Of the coarsest level of spans, over the whole extent; each finer one tells kFiner times more
// apart.
constexpr std::int64_t kCoarsest = 2048;
constexpr std::int64_t kFiner = 16;
constexpr std::int64_t kFinestNs = 64;

// The shortest bins of which kMostBaseBins hold the extent.
int BaseShift(std::int64_t length_ns) {
  int shift = 0;
  while (length_ns >> shift >= static_cast<std::int64_t>(kMostBaseBins)) ++shift;
  return shift;
}

}  // namespace

TimelineWriter::TimelineWriter(std::unique_ptr<AtomicFile> file, const TimelineExtent& extent)
    : file_(std::move(file)), extent_(extent) {
  const std::int64_t length = SaturatingSubtract(extent.end_ns, extent.begin_ns);
  index_.origin_ns = extent.origin_ns;
  index_.begin_ns = extent.begin_ns;
  index_.base_shift = BaseShift(length);
  index_.last_shift = index_.base_shift;
  while (length >> index_.last_shift >= static_cast<std::int64_t>(kTileBins)) ++index_.last_shift;
}

Result<std::unique_ptr<TimelineWriter>> TimelineWriter::Create(const std::string& path,
                                                               const TimelineExtent& extent) {
  RS_ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, AtomicFile::Create(path));
  RS_RETURN_IF_ERROR(file->Write(kTimelineMark.data(), kTimelineMark.size()));
  return std::unique_ptr<TimelineWriter>(new TimelineWriter(std::move(file), extent));
}

Result<Piece> TimelineWriter::Write(std::string_view bytes) {
  Piece piece{.bytes = bytes.size(), .checksum = Checksum64(bytes.data(), bytes.size())};
  const std::scoped_lock lock(mutex_);
  piece.offset = file_->written();
  RS_RETURN_IF_ERROR(file_->Write(bytes.data(), bytes.size()));
  return piece;
}

std::vector<std::uint32_t> TimelineWriter::Numbers(const std::vector<std::string>& names) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(names.size());
  const std::scoped_lock lock(mutex_);
  for (const std::string& name : names) {
    const auto [found, is_new] =
        numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    numbers.push_back(found->second);
  }
  return numbers;
}

Result<SpanLevel> TimelineWriter::WriteLevel(std::span<const TimelineSpan> spans,
                                             std::int64_t resolution_ns, std::size_t block_spans) {
  SpanLevel level{.resolution_ns = resolution_ns};
  for (std::size_t at = 0; at < spans.size(); at += block_spans) {
    const auto part = spans.subspan(at, std::min(block_spans, spans.size() - at));
    SpanBlock block{.spans = static_cast<std::uint32_t>(part.size()),
                    .begin_ns = part.front().start_ns,
                    .end_ns = part.front().start_ns};
    for (const TimelineSpan& span : part)
      block.end_ns = std::max(block.end_ns, SaturatingAdd(span.start_ns, span.duration_ns));
    RS_ASSIGN_OR_RETURN(block.piece, Write(ToBlock(part)));
    level.blocks.push_back(block);
  }
  return level;
}

Result<StoredTrack> TimelineWriter::WriteTrack(const TimelineTrack& track,
                                               std::span<const std::uint32_t> names) {
  StoredTrack stored{.name = track.name,
                     .role = track.role,
                     .first = track.first,
                     .second = track.second,
                     .lanes = track.lanes};
  std::vector<TimelineSpan> spans = track.spans;
  if (!IsForBins(track.role)) {
    for (TimelineSpan& span : spans) span.name = names[span.name];
  }
  RS_ASSIGN_OR_RETURN(SpanLevel level,
                      WriteLevel(spans, 0, IsForBins(track.role) ? kPartBlockSpans : kBlockSpans));
  stored.levels.push_back(std::move(level));
  // Parts of time that are joined are none.
  if (IsForBins(track.role)) return stored;
  const std::int64_t coarsest = SaturatingSubtract(extent_.end_ns, extent_.begin_ns) / kCoarsest;
  std::vector<std::int64_t> resolutions;
  for (std::int64_t one = coarsest; one >= kFinestNs; one /= kFiner) resolutions.push_back(one);
  for (const std::int64_t resolution : std::vector(resolutions.rbegin(), resolutions.rend())) {
    if (spans.size() <= kBlockSpans) break;
    std::vector<TimelineSpan> merged = MergeSpans(spans, resolution);
    if (merged.size() > spans.size() / 2) continue;
    spans = std::move(merged);
    RS_ASSIGN_OR_RETURN(SpanLevel coarser, WriteLevel(spans, resolution, kBlockSpans));
    stored.levels.push_back(std::move(coarser));
  }
  return stored;
}

void TimelineWriter::AddBins(const RankTimeline& timeline) {
  BinSums sums(extent_.begin_ns, index_.base_shift, kMostBaseBins);
  std::int64_t devices = 0;
  for (const TimelineTrack& track : timeline.tracks) {
    if (IsForBins(track.role)) AddTrack(sums, track);
    devices += track.role == TimelineRole::kParts ? 1 : 0;
  }
  const std::scoped_lock lock(mutex_);
  const auto [found, is_new] = block_.try_emplace(timeline.rank, OfRank{sums, devices});
  if (is_new) return;
  found->second.sums.Add(sums);
  found->second.devices = std::max(found->second.devices, devices);
}

Status TimelineWriter::Add(const RankTimeline& timeline) {
  const std::vector<std::uint32_t> names = Numbers(timeline.names);
  StoredCapture capture{.rank = timeline.rank,
                        .capture = timeline.capture,
                        .begin_ns = timeline.begin_ns,
                        .end_ns = timeline.end_ns};
  std::vector<StoredTrack> tracks;
  for (const TimelineTrack& track : timeline.tracks) {
    RS_ASSIGN_OR_RETURN(StoredTrack stored, WriteTrack(track, names));
    tracks.push_back(std::move(stored));
    capture.spans += track.spans.size();
  }
  RS_ASSIGN_OR_RETURN(capture.section, Write(ToBytes(tracks)));
  AddBins(timeline);
  const std::scoped_lock lock(mutex_);
  index_.captures.push_back(capture);
  return OkStatus();
}

Status TimelineWriter::EndBlock() {
  if (block_.empty()) return OkStatus();
  std::vector<std::int64_t> ranks;
  for (const auto& [rank, one] : block_) ranks.push_back(rank);
  for (int shift = index_.base_shift; shift <= index_.last_shift; ++shift) {
    std::vector<std::vector<TimelineBin>> bins;
    std::size_t most = 0;
    for (auto& [rank, one] : block_) {
      if (shift > index_.base_shift) one.sums.Halve();
      bins.push_back(one.sums.Shares(one.devices));
      most = std::max(most, bins.back().size());
    }
    for (std::size_t column = 0; column * kTileBins < most; ++column) {
      const std::size_t from = column * kTileBins;
      const std::int64_t begin = extent_.begin_ns + (static_cast<std::int64_t>(from) << shift);
      std::string tile = TileHead(ranks, kTileBins, shift, begin);
      for (const std::vector<TimelineBin>& of_rank : bins) {
        std::vector<TimelineBin> part(kTileBins);
        for (std::size_t i = 0; i < kTileBins && from + i < of_rank.size(); ++i)
          part[i] = of_rank[from + i];
        tile.append(reinterpret_cast<const char*>(part.data()), part.size() * sizeof(TimelineBin));
      }
      RS_ASSIGN_OR_RETURN(const Piece piece, Write(PackGzip(tile, GzipEffort::kFast)));
      index_.tiles.push_back({shift, static_cast<std::uint32_t>(column), blocks_, piece});
    }
  }
  block_.clear();
  ++blocks_;
  return OkStatus();
}

Result<LinkBlock> TimelineWriter::WriteLinks(const std::string& bytes, std::size_t records,
                                             TimelineWindow times) {
  LinkBlock block{.unpacked_bytes = bytes.size(),
                  .records = records,
                  .begin_ns = times.from_ns,
                  .end_ns = times.to_ns};
  RS_ASSIGN_OR_RETURN(block.piece, Write(PackZstd(bytes)));
  return block;
}

Status TimelineWriter::AddCollectives(std::vector<TimelineCollective> collectives) {
  std::ranges::stable_sort(collectives, {},
                           [](const TimelineCollective& one) { return one.begin_ns(); });
  for (std::size_t at = 0; at < collectives.size();) {
    std::size_t to = at;
    std::size_t arrivals = 0;
    std::int64_t end = INT64_MIN;
    for (; to < collectives.size() && (to == at || arrivals < kBlockSpans); ++to) {
      arrivals += collectives[to].arrivals.size();
      end = std::max(end, collectives[to].end_ns());
    }
    RS_ASSIGN_OR_RETURN(const LinkBlock block,
                        WriteLinks(ToBytes(std::span(collectives).subspan(at, to - at)), arrivals,
                                   {collectives[at].begin_ns(), end}));
    index_.collectives.push_back(block);
    at = to;
  }
  return OkStatus();
}

Status TimelineWriter::AddPath(std::span<const TimelinePathPiece> pieces) {
  for (std::size_t at = 0; at < pieces.size(); at += kBlockSpans) {
    const auto part = pieces.subspan(at, std::min(kBlockSpans, pieces.size() - at));
    const std::int64_t end = SaturatingAdd(part.back().start_ns, part.back().duration_ns);
    RS_ASSIGN_OR_RETURN(const LinkBlock block,
                        WriteLinks(ToBytes(part), part.size(), {part.front().start_ns, end}));
    index_.path.push_back(block);
  }
  return OkStatus();
}

Status TimelineWriter::Commit() {
  RS_RETURN_IF_ERROR(EndBlock());
  ByteWriter names;
  for (const std::string& name : names_) names.PutString(name);
  index_.name_bytes = names.bytes().size();
  RS_ASSIGN_OR_RETURN(index_.names, Write(PackZstd(names.bytes())));
  std::ranges::sort(index_.captures, {},
                    [](const auto& one) { return std::pair(one.rank, one.capture); });
  std::ranges::sort(index_.tiles, {},
                    [](const auto& one) { return std::tuple(one.shift, one.column, one.block); });
  RS_ASSIGN_OR_RETURN(const Piece index, Write(ToBytes(index_)));
  ByteWriter tail;
  tail.Put(index.offset);
  tail.Put(index.bytes);
  tail.Put(index.checksum);
  RS_RETURN_IF_ERROR(file_->Write(tail.bytes().data(), tail.bytes().size()));
  RS_RETURN_IF_ERROR(file_->Write(kTimelineMark.data(), kTimelineMark.size()));
  return file_->Commit();
}

}  // namespace rankscope
