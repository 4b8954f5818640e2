#include "timeline/links.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/saturating.h"
#include "timeline/file_format.h"

namespace rankscope {
namespace {

constexpr std::size_t kArrivalBytes = 4 * 8 + 4 + 1;
constexpr std::size_t kPathPieceBytes = 4 * 8 + 4 + 2 * 8;

}  // namespace

std::int64_t TimelineCollective::begin_ns() const {
  return std::ranges::min_element(arrivals, {}, &TimelineArrival::start_ns)->start_ns;
}

std::int64_t TimelineCollective::end_ns() const {
  std::int64_t end = INT64_MIN;
  for (const TimelineArrival& one : arrivals)
    end = std::max(end, SaturatingAdd(one.start_ns, one.duration_ns));
  return end;
}

std::int64_t TimelineCollective::wait_ns() const {
  std::int64_t wait = 0;
  for (const TimelineArrival& one : arrivals)
    AddSaturating(wait, std::max<std::int64_t>(0, one.wait_ns));
  return wait;
}

std::string ToBytes(std::span<const TimelineCollective> collectives) {
  ByteWriter out;
  out.Put(static_cast<std::uint64_t>(collectives.size()));
  for (const TimelineCollective& collective : collectives) {
    out.PutString(collective.name);
    out.Put(static_cast<std::uint64_t>(collective.arrivals.size()));
    for (const TimelineArrival& one : collective.arrivals) {
      out.Put(one.rank);
      out.Put(one.start_ns);
      out.Put(one.duration_ns);
      out.Put(one.wait_ns);
      out.Put(one.event);
      out.Put(static_cast<std::uint8_t>(one.is_last));
    }
  }
  return out.bytes();
}

Result<std::vector<TimelineCollective>> CollectivesFromBytes(std::string_view bytes) {
  ByteReader in(bytes);
  std::vector<TimelineCollective> collectives(in.GetCount(16));
  for (TimelineCollective& collective : collectives) {
    collective.name = in.GetString();
    collective.arrivals.resize(in.GetCount(kArrivalBytes));
    if (collective.arrivals.empty()) return DamagedTimeline();
    for (TimelineArrival& one : collective.arrivals) {
      one.rank = in.Get<std::int64_t>();
      one.start_ns = in.Get<std::int64_t>();
      one.duration_ns = in.Get<std::int64_t>();
      one.wait_ns = in.Get<std::int64_t>();
      one.event = in.Get<std::uint32_t>();
      const auto is_last = in.Get<std::uint8_t>();
      if (is_last > 1) return DamagedTimeline();
      one.is_last = is_last == 1;
    }
  }
  if (!in.ok() || !in.at_end()) return DamagedTimeline();
  return collectives;
}

std::string ToBytes(std::span<const TimelinePathPiece> pieces) {
  ByteWriter out;
  out.Put(static_cast<std::uint64_t>(pieces.size()));
  for (const TimelinePathPiece& piece : pieces) {
    out.Put(piece.start_ns);
    out.Put(piece.duration_ns);
    out.Put(piece.rank);
    out.Put(piece.event);
    out.Put(piece.count);
    out.PutString(piece.part);
    out.PutString(piece.name);
  }
  return out.bytes();
}

Result<std::vector<TimelinePathPiece>> PathFromBytes(std::string_view bytes) {
  ByteReader in(bytes);
  std::vector<TimelinePathPiece> pieces(in.GetCount(kPathPieceBytes));
  for (TimelinePathPiece& piece : pieces) {
    piece.start_ns = in.Get<std::int64_t>();
    piece.duration_ns = in.Get<std::int64_t>();
    piece.rank = in.Get<std::int64_t>();
    piece.event = in.Get<std::int64_t>();
    piece.count = in.Get<std::uint32_t>();
    piece.part = in.GetString();
    piece.name = in.GetString();
  }
  if (!in.ok() || !in.at_end()) return DamagedTimeline();
  return pieces;
}

std::vector<TimelinePathPiece> MergePath(std::span<const TimelinePathPiece> pieces,
                                         std::int64_t resolution_ns) {
  std::vector<TimelinePathPiece> merged;
  std::int64_t longest = 0;  // of those that the last of `merged` stands for
  for (const TimelinePathPiece& piece : pieces) {
    const bool joins = !merged.empty() && piece.duration_ns < resolution_ns &&
                       SaturatingAdd(merged.back().duration_ns, piece.duration_ns) < resolution_ns;
    if (!joins) {
      merged.push_back(piece);
      longest = piece.duration_ns;
      continue;
    }
    TimelinePathPiece& last = merged.back();
    if (piece.duration_ns > longest) {
      longest = piece.duration_ns;
      last.rank = piece.rank;
      last.part = piece.part;
      last.name = piece.name;
      last.event = piece.event;
    }
    AddSaturating(last.duration_ns, piece.duration_ns);
    last.count += piece.count;
  }
  return merged;
}

}  // namespace rankscope
