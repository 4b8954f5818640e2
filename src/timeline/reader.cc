#include "timeline/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/saturating.h"
#include "json/writer.h"
#include "timeline/bins.h"
#include "timeline/merge_spans.h"
#include "timeline/span_blocks.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kMostNameBytes = std::uint64_t{256} << 20;

Status Damaged(std::string_view what) {
  return Error(StatusCode::kBadData, "the timeline is damaged ({}): analyse the run again", what);
}

bool Overlaps(const TimelineSpan& span, TimelineWindow window) {
  const std::int64_t end = SaturatingAdd(span.start_ns, span.duration_ns);
  // An instant is in the window in which it is.
  return span.start_ns < window.to_ns &&
         (end > window.from_ns || (span.duration_ns == 0 && span.start_ns >= window.from_ns));
}

std::int64_t Clipped(const TimelineSpan& span, TimelineWindow window) {
  const std::int64_t end = std::min(window.to_ns, SaturatingAdd(span.start_ns, span.duration_ns));
  return SaturatingSubtract(end, std::max(window.from_ns, span.start_ns));
}

Status CheckWindow(TimelineWindow window) {
  if (window.from_ns < window.to_ns) return OkStatus();
  return Error(StatusCode::kInvalidArgument, "from_ns is to be before to_ns");
}

}  // namespace

TimelineFile::~TimelineFile() { close(descriptor_); }

Result<std::unique_ptr<const TimelineFile>> TimelineFile::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return Error(StatusCode::kIo, "{}: cannot be read: {}", path, std::strerror(errno));
  struct stat status {};
  const std::uint64_t size =
      fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  std::unique_ptr<TimelineFile> file(new TimelineFile(descriptor, size));
  if (size < kTimelineMark.size() + kTailBytes) return Damaged("too short");
  std::string tail(kTailBytes, '\0');
  if (pread(descriptor, tail.data(), tail.size(), static_cast<off_t>(size - kTailBytes)) !=
      static_cast<ssize_t>(kTailBytes))
    return Damaged("no end");
  if (!tail.ends_with(kTimelineMark)) {
    if (tail.find("RSTIME", kTailBytes - kTimelineMark.size()) != std::string::npos)
      return Error(StatusCode::kNotFound,
                   "the timeline was made by another version: reopen and finish the run to make "
                   "another");
    return Damaged("no mark");
  }
  ByteReader in(tail);
  Piece index;
  index.offset = in.Get<std::uint64_t>();
  index.bytes = in.Get<std::uint64_t>();
  index.checksum = in.Get<std::uint64_t>();
  RS_ASSIGN_OR_RETURN(const std::string bytes, file->Read(index));
  RS_ASSIGN_OR_RETURN(file->index_, IndexFromBytes(bytes));
  RS_RETURN_IF_ERROR(file->ReadNames());
  return std::unique_ptr<const TimelineFile>(std::move(file));
}

Result<std::string> TimelineFile::Read(const Piece& piece) const {
  if (piece.offset > size_ || piece.bytes > size_ - piece.offset)
    return Damaged("a piece is beyond");
  std::string bytes(piece.bytes, '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = pread(descriptor_, bytes.data() + done, bytes.size() - done,
                              static_cast<off_t>(piece.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Damaged("a piece cannot be read");
    done += static_cast<std::size_t>(got);
  }
  if (Checksum64(bytes.data(), bytes.size()) != piece.checksum) return Damaged("a checksum");
  return bytes;
}

Status TimelineFile::ReadNames() {
  if (index_.name_bytes > kMostNameBytes) return Damaged("names");
  RS_ASSIGN_OR_RETURN(const std::string packed, Read(index_.names));
  RS_ASSIGN_OR_RETURN(const std::string bytes, UnpackZstd(packed, index_.name_bytes));
  ByteReader in(bytes);
  while (in.ok() && !in.at_end()) names_.push_back(in.GetString());
  return in.ok() ? OkStatus() : Damaged("names");
}

std::span<const StoredCapture> TimelineFile::CapturesOf(std::int64_t rank) const {
  const auto first = std::ranges::lower_bound(index_.captures, rank, {}, &StoredCapture::rank);
  const auto last = std::ranges::upper_bound(index_.captures, rank, {}, &StoredCapture::rank);
  return {first, last};
}

Result<std::vector<StoredTrack>> TimelineFile::TracksOf(const StoredCapture& capture) const {
  RS_ASSIGN_OR_RETURN(const std::string bytes, Read(capture.section));
  return TracksFromBytes(bytes);
}

Status TimelineFile::ReadSpans(const SpanLevel& level, TimelineWindow window,
                               std::vector<TimelineSpan>& spans) const {
  const std::size_t first = spans.size();
  for (const SpanBlock& block : level.blocks) {
    if (block.begin_ns >= window.to_ns) break;
    if (block.end_ns < window.from_ns) continue;
    RS_ASSIGN_OR_RETURN(const std::string packed, Read(block.piece));
    RS_RETURN_IF_ERROR(FromBlock(packed, block.spans, spans));
  }
  const auto outside =
      std::remove_if(spans.begin() + static_cast<std::ptrdiff_t>(first), spans.end(),
                     [&](const TimelineSpan& span) { return !Overlaps(span, window); });
  spans.erase(outside, spans.end());
  return OkStatus();
}

Result<TimelineTile> TimelineFile::Tile(TimelineWindow window, std::size_t width,
                                        std::span<const std::int64_t> ranks) const {
  RS_RETURN_IF_ERROR(CheckWindow(window));
  if (width < 1 || width > kMostTileBins)
    return Error(StatusCode::kInvalidArgument, "width is 1 to {}", kMostTileBins);
  const std::int64_t length = SaturatingSubtract(window.to_ns, window.from_ns);
  int shift = 0;
  while (length >> shift > static_cast<std::int64_t>(width) ||
         (length >> shift == static_cast<std::int64_t>(width) &&
          length != static_cast<std::int64_t>(width) << shift))
    ++shift;
  // The window's bins have a sum.
  if (shift + std::bit_width(width) > 62)
    return Error(StatusCode::kInvalidArgument, "the window is too long");
  const std::int64_t since = SaturatingSubtract(window.from_ns, index_.begin_ns);
  const std::int64_t first_bin = since >> shift;
  const std::int64_t begin = SaturatingAdd(index_.begin_ns, first_bin << shift);
  std::vector<std::int64_t> recorded;
  for (const std::int64_t rank : ranks) {
    if (!CapturesOf(rank).empty()) recorded.push_back(rank);
  }
  if (recorded.size() * width > kMostTileCells) {
    return Error(StatusCode::kInvalidArgument,
                 "{} ranks of {} bins are too much at once: {} ranks at most", recorded.size(),
                 width, kMostTileCells / width);
  }
  if (width == kTileBins && first_bin >= 0 && first_bin % std::int64_t{kTileBins} == 0 &&
      shift >= index_.base_shift) {
    const std::vector<std::int64_t> all = index_.Ranks();
    const auto found = recorded.empty() ? all.end() : std::ranges::lower_bound(all, recorded[0]);
    const auto row = static_cast<std::size_t>(found - all.begin());
    const bool is_block = !recorded.empty() && row % kTileRanks == 0 &&
                          recorded.size() == std::min(kTileRanks, all.size() - row) &&
                          std::equal(recorded.begin(), recorded.end(), found);
    const auto key =
        std::tuple(shift, static_cast<std::uint32_t>(first_bin / std::int64_t{kTileBins}),
                   static_cast<std::uint32_t>(row / kTileRanks));
    const auto of = [](const StoredTile& one) {
      return std::tuple(one.shift, one.column, one.block);
    };
    const auto tile = std::ranges::lower_bound(index_.tiles, key, {}, of);
    if (is_block && tile != index_.tiles.end() && of(*tile) == key) {
      RS_ASSIGN_OR_RETURN(std::string bytes, Read(tile->piece));
      return TimelineTile{.bytes = std::move(bytes), .is_gzip = true};
    }
  }
  TimelineTile tile{.bytes = TileHead(recorded, width, shift, begin)};
  const TimelineWindow whole{begin,
                             SaturatingAdd(begin, static_cast<std::int64_t>(width) << shift)};
  for (const std::int64_t rank : recorded) {
    BinSums sums(begin, shift, width);
    std::int64_t devices = 0;
    for (const StoredCapture& capture : CapturesOf(rank)) {
      if (capture.begin_ns >= whole.to_ns || capture.end_ns < whole.from_ns) continue;
      RS_ASSIGN_OR_RETURN(const std::vector<StoredTrack> tracks, TracksOf(capture));
      std::int64_t of_capture = 0;
      for (const StoredTrack& track : tracks) {
        if (!IsForBins(track.role)) continue;
        of_capture += track.role == TimelineRole::kParts ? 1 : 0;
        std::vector<TimelineSpan> spans;
        RS_RETURN_IF_ERROR(ReadSpans(track.levels.front(), whole, spans));
        for (const TimelineSpan& span : spans) AddSpan(sums, span);
      }
      devices = std::max(devices, of_capture);
    }
    std::vector<TimelineBin> bins = sums.Shares(devices);
    bins.resize(width);
    tile.bytes.append(reinterpret_cast<const char*>(bins.data()),
                      bins.size() * sizeof(TimelineBin));
  }
  return tile;
}

Result<std::string> TimelineFile::Spans(std::int64_t rank, TimelineWindow window,
                                        std::size_t width) const {
  RS_RETURN_IF_ERROR(CheckWindow(window));
  if (width < 1 || width > kMostTileBins)
    return Error(StatusCode::kInvalidArgument, "width is 1 to {}", kMostTileBins);
  if (CapturesOf(rank).empty())
    return Error(StatusCode::kNotFound, "rank {} is not in the timeline", rank);
  std::int64_t resolution =
      SaturatingSubtract(window.to_ns, window.from_ns) / static_cast<std::int64_t>(width);
  std::string tracks_json;
  std::vector<TimelineSpan> spans;
  std::vector<std::uint16_t> track_of;
  // Coarser until there are few enough.
  while (true) {
    tracks_json.clear();
    json::Writer writer(tracks_json);
    writer.BeginArray();
    spans.clear();
    track_of.clear();
    std::uint16_t track_count = 0;
    for (const StoredCapture& capture : CapturesOf(rank)) {
      RS_ASSIGN_OR_RETURN(const std::vector<StoredTrack> tracks, TracksOf(capture));
      for (const StoredTrack& track : tracks) {
        if (IsForBins(track.role)) continue;
        if (track_count == UINT16_MAX) break;
        const std::uint16_t number = track_count++;
        writer.BeginObject().Member("name", track.name).Member("role", ToString(track.role));
        writer.Member("capture", capture.capture).Member("first", track.first);
        writer.Member("second", track.second).Member("lanes", track.lanes).EndObject();
        const SpanLevel* level = &track.levels.front();
        for (const SpanLevel& one : track.levels) {
          if (one.resolution_ns <= resolution) level = &one;
        }
        std::vector<TimelineSpan> found;
        RS_RETURN_IF_ERROR(ReadSpans(*level, window, found));
        found = MergeSpans(found, resolution);
        spans.insert(spans.end(), found.begin(), found.end());
        track_of.resize(spans.size(), number);
      }
    }
    writer.EndArray();
    if (spans.size() <= kMostSpans || resolution > INT64_MAX / 4) break;
    resolution = std::max<std::int64_t>(1, resolution) * 2;
  }
  std::map<std::uint32_t, std::uint32_t> used;
  for (TimelineSpan& span : spans) {
    span.name = used.try_emplace(span.name, static_cast<std::uint32_t>(used.size())).first->second;
  }
  std::vector<std::string_view> names(used.size());
  for (const auto& [name, number] : used) names[number] = NameOf(name);
  std::string header;
  json::Writer writer(header);
  writer.BeginObject().Member("rank", rank).Member("resolution_ns", resolution);
  writer.Key("tracks")
      .Raw(tracks_json)
      .Member("names", names)
      .Member("spans", spans.size())
      .EndObject();
  return ToColumns(std::move(header), spans, track_of);
}

Result<TimelineSums> TimelineFile::Sums(TimelineWindow window,
                                        std::span<const std::int64_t> ranks) const {
  RS_RETURN_IF_ERROR(CheckWindow(window));
  struct Total {
    std::int64_t total_ns = 0;
    std::int64_t self_ns = 0;
    std::int64_t count = 0;
  };
  std::map<std::tuple<TimelineRole, std::uint8_t, std::uint32_t>, Total> totals;
  TimelineSums sums;
  std::vector<TimelineSpan> spans;
  for (const std::int64_t rank : ranks) {
    for (const StoredCapture& capture : CapturesOf(rank)) {
      RS_ASSIGN_OR_RETURN(const std::vector<StoredTrack> tracks, TracksOf(capture));
      for (const StoredTrack& track : tracks) {
        if (track.role == TimelineRole::kMarks) continue;
        spans.clear();
        RS_RETURN_IF_ERROR(ReadSpans(track.levels.front(), window, spans));
        if (track.role == TimelineRole::kParts) {
          for (const TimelineSpan& span : spans) {
            const int part = span.kind - KindOfPart(TimelinePart::kCompute);
            if (part >= 0 && part < kTimelinePartCount)
              AddSaturating(sums.part_ns[static_cast<std::size_t>(part)], Clipped(span, window));
          }
          continue;
        }
        // What overlaps on a stream runs side by side: nothing is in anything.
        const bool is_flat = track.role == TimelineRole::kStream;
        const std::vector<NestedSpan> nested =
            is_flat ? std::vector<NestedSpan>() : Nest(spans, window);
        for (std::size_t i = 0; i < spans.size(); ++i) {
          Total& total = totals[{track.role, spans[i].kind, spans[i].name}];
          const std::int64_t length = Clipped(spans[i], window);
          AddSaturating(total.total_ns, length);
          AddSaturating(total.self_ns, is_flat ? length : nested[i].self_ns);
          ++total.count;
        }
      }
    }
  }
  for (const auto& [key, total] : totals) {
    const auto& [role, kind, name] = key;
    sums.names.push_back(
        {std::string(NameOf(name)), kind, role, total.total_ns, total.self_ns, total.count});
  }
  std::ranges::stable_sort(sums.names, std::greater<>(), &TimelineSum::total_ns);
  return sums;
}

Result<TimelineCalls> TimelineFile::Calls(TimelineWindow window,
                                          std::span<const std::int64_t> ranks,
                                          std::string_view thread, std::size_t most,
                                          std::uint64_t most_spans) const {
  RS_RETURN_IF_ERROR(CheckWindow(window));
  TimelineCalls found;
  CallTree tree;
  std::map<std::string, std::int64_t> threads;
  std::uint64_t seen = 0;
  std::vector<TimelineSpan> spans;
  for (const std::int64_t rank : ranks) {
    for (const StoredCapture& capture : CapturesOf(rank)) {
      RS_ASSIGN_OR_RETURN(const std::vector<StoredTrack> tracks, TracksOf(capture));
      for (const StoredTrack& track : tracks) {
        if (track.role != TimelineRole::kThread) continue;
        if (seen > most_spans) {
          found.is_complete = false;
          break;
        }
        spans.clear();
        RS_RETURN_IF_ERROR(ReadSpans(track.levels.front(), window, spans));
        if (spans.empty()) continue;
        seen += spans.size();
        const std::vector<NestedSpan> nested = Nest(spans, window);
        std::int64_t& total = threads[track.name];
        for (const NestedSpan& one : nested) {
          if (one.parent == NestedSpan::kNoParent) AddSaturating(total, one.total_ns);
        }
        if (thread.empty() || thread == track.name) tree.Add(spans, nested);
      }
    }
  }
  for (const auto& [name, total_ns] : threads) found.threads.push_back({name, total_ns});
  std::ranges::stable_sort(found.threads, std::greater<>(), &TimelineCalls::Thread::total_ns);
  found.frames = tree.Heaviest(most);
  return found;
}

std::vector<bool> TimelineFile::WantedNames(const NameFilter& filter) const {
  std::vector<bool> is_wanted(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) is_wanted[i] = filter.Matches(names_[i]);
  return is_wanted;
}

// Calls use(rank, track, span) for every span of a wanted name, until it returns false. False:
// `most_spans` were seen before the end.
template <typename Use>
Result<bool> TimelineFile::ForEachNamed(const std::vector<bool>& is_wanted, std::int64_t from_ns,
                                        std::span<const std::int64_t> ranks,
                                        std::uint64_t most_spans, const Use& use) const {
  if (std::ranges::find(is_wanted, true) == is_wanted.end()) return true;
  std::uint64_t seen = 0;
  std::vector<TimelineSpan> spans;
  for (const std::int64_t rank : ranks) {
    for (const StoredCapture& capture : CapturesOf(rank)) {
      RS_ASSIGN_OR_RETURN(const std::vector<StoredTrack> tracks, TracksOf(capture));
      for (const StoredTrack& track : tracks) {
        if (IsForBins(track.role)) continue;
        for (const SpanBlock& block : track.levels.front().blocks) {
          if (block.end_ns < from_ns) continue;
          if (seen > most_spans) return false;
          RS_ASSIGN_OR_RETURN(const std::string packed, Read(block.piece));
          spans.clear();
          RS_RETURN_IF_ERROR(FromBlock(packed, block.spans, spans));
          seen += spans.size();
          for (const TimelineSpan& span : spans) {
            if (span.start_ns < from_ns || span.name >= is_wanted.size() || !is_wanted[span.name])
              continue;
            if (!use(rank, track, span)) return true;
          }
        }
      }
    }
  }
  return true;
}

Result<TimelineHits> TimelineFile::Search(const NameFilter& filter, std::int64_t from_ns,
                                          std::span<const std::int64_t> ranks, std::size_t most,
                                          std::uint64_t most_spans) const {
  TimelineHits found;
  const auto use = [&](std::int64_t rank, const StoredTrack& track, const TimelineSpan& span) {
    found.is_complete = found.hits.size() < most;
    if (found.is_complete)
      found.hits.push_back({rank, track.name, span, std::string(NameOf(span.name))});
    return found.is_complete;
  };
  RS_ASSIGN_OR_RETURN(const bool is_all,
                      ForEachNamed(WantedNames(filter), from_ns, ranks, most_spans, use));
  found.is_complete = found.is_complete && is_all;
  return found;
}

Result<TimelineHits> TimelineFile::Events(std::int64_t rank, std::int64_t capture,
                                          const std::set<std::int64_t>& events) const {
  TimelineHits found;
  std::vector<TimelineSpan> spans;
  for (const StoredCapture& one : CapturesOf(rank)) {
    if (one.capture != capture) continue;
    RS_ASSIGN_OR_RETURN(const std::vector<StoredTrack> tracks, TracksOf(one));
    for (const StoredTrack& track : tracks) {
      if (IsForBins(track.role)) continue;
      for (const SpanBlock& block : track.levels.front().blocks) {
        RS_ASSIGN_OR_RETURN(const std::string packed, Read(block.piece));
        spans.clear();
        RS_RETURN_IF_ERROR(FromBlock(packed, block.spans, spans));
        for (const TimelineSpan& span : spans) {
          if (!events.contains(span.event)) continue;
          found.hits.push_back({rank, track.name, span, std::string(NameOf(span.name))});
        }
      }
    }
  }
  return found;
}

Result<TimelineOccurrences> TimelineFile::Occurrences(const NameFilter& filter,
                                                      std::span<const std::int64_t> ranks,
                                                      std::uint64_t most_spans) const {
  TimelineOccurrences found;
  const auto use = [&](std::int64_t rank, const StoredTrack& track, const TimelineSpan& span) {
    if (found.ranks.empty() || found.ranks.back().rank != rank) {
      found.ranks.push_back({.rank = rank, .min_ns = span.duration_ns});
    }
    TimelineOccurrencesOfRank& of = found.ranks.back();
    if (of.count == 0 || span.duration_ns > of.longest.span.duration_ns)
      of.longest = {rank, track.name, span, std::string(NameOf(span.name))};
    of.min_ns = std::min(of.min_ns, span.duration_ns);
    AddSaturating(of.total_ns, span.duration_ns);
    ++of.count;
    return true;
  };
  RS_ASSIGN_OR_RETURN(found.is_complete,
                      ForEachNamed(WantedNames(filter), INT64_MIN, ranks, most_spans, use));
  return found;
}

}  // namespace rankscope
