#include "facts/memory_timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope {
namespace {

constexpr std::int32_t kCpu = 0;
// No host has more; damaged ids must not make a table of devices times steps.
constexpr std::size_t kMostDevices = 64;

std::int64_t LevelOrUnknown(std::int64_t stated) { return stated >= 0 ? stated : kUnknownBytes; }

// before + change, when both are known and it makes sense.
std::int64_t LevelBehind(std::int64_t before, std::int64_t change) {
  std::int64_t level = 0;
  if (before < 0 || __builtin_add_overflow(before, change, &level)) return kUnknownBytes;
  return LevelOrUnknown(level);
}

// Threads report on their own tracks; their instants make one line. The file's order decides
// between equal times.
void SortByTime(const RankTrace& trace, std::vector<MemoryEvent>& events) {
  std::sort(events.begin(), events.end(), [&](const MemoryEvent& a, const MemoryEvent& b) {
    return a.t != b.t ? a.t < b.t : trace.source[a.row] < trace.source[b.row];
  });
}

void FillLevels(MemoryDevice& device) {
  const MemoryEvent& first = device.events.front();
  if (first.bytes != INT64_MIN)
    device.allocated_before = LevelBehind(first.allocated, -first.bytes);
  std::int64_t allocated = device.allocated_before;
  std::int64_t reserved = kUnknownBytes;
  for (MemoryEvent& event : device.events) {
    if (event.allocated < 0) event.allocated = LevelBehind(allocated, event.bytes);
    allocated = event.allocated;
    if (device.type == kCpu) event.reserved = kUnknownBytes;  // always stated as 0
    if (event.reserved >= 0) reserved = event.reserved;
    event.reserved = reserved;
  }
}

void MatchFrees(MemoryDevice& device) {
  boost::unordered_flat_map<std::int64_t, std::size_t> live;  // address -> allocation
  for (std::size_t i = 0; i < device.events.size(); ++i) {
    const MemoryEvent& event = device.events[i];
    if (event.address == 0 || event.bytes == 0) continue;
    const auto found = live.find(event.address);
    if (found != live.end()) {
      device.allocations[found->second].end = i;
      live.erase(found);
    }
    if (event.bytes < 0) continue;
    live.emplace(event.address, device.allocations.size());
    device.allocations.push_back({.begin = i});
  }
}

}  // namespace

MemoryDevice::Range MemoryDevice::EventsIn(Interval piece, const RankTrace& trace) const {
  const auto before = [&](std::int64_t t) {
    const auto place = std::partition_point(events.begin(), events.end(),
                                            [&](const MemoryEvent& event) { return event.t < t; });
    return static_cast<std::size_t>(place - events.begin());
  };
  if (piece.begin >= piece.end) return {before(piece.begin), before(piece.begin)};
  return {piece.begin <= trace.begin_ns ? 0 : before(piece.begin),
          piece.end >= trace.finish_ns ? events.size() : before(piece.end)};
}

Peak MemoryDevice::PeakIn(const IntervalSet& intervals, const RankTrace& trace) const {
  Peak peak;
  for (const Interval& interval : intervals) {
    const Range range = EventsIn(interval, trace);
    if (AllocatedAfter(range.begin) > peak.bytes) {
      const bool is_early = range.begin < range.end && events[range.begin].t < interval.begin;
      peak = {AllocatedAfter(range.begin), is_early ? events[range.begin].t : interval.begin,
              range.begin};
    }
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (events[i].allocated > peak.bytes) peak = {events[i].allocated, events[i].t, i + 1};
    }
  }
  return peak;
}

std::vector<MemoryDevice> MemoryDevicesOf(const RankTrace& trace) {
  if (trace.memory.empty()) return {};
  std::map<std::pair<std::int32_t, std::int32_t>, MemoryDevice> devices;
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] != EventKind::kMemoryInstant || trace.aux[row] == kNoAux) continue;
    const MemoryArgs& args = trace.memory[trace.aux[row]];
    MemoryDevice& device = devices[{args.device_type, args.device}];
    device.events.push_back({trace.ts_ns[row], args.bytes, args.address,
                             LevelOrUnknown(args.total_allocated),
                             LevelOrUnknown(args.total_reserved), row});
  }
  std::vector<MemoryDevice> result;
  result.reserve(std::min(devices.size(), kMostDevices));
  for (auto& [key, device] : devices) {
    if (result.size() == kMostDevices) break;
    std::tie(device.type, device.id) = key;
    SortByTime(trace, device.events);
    FillLevels(device);
    MatchFrees(device);
    result.push_back(std::move(device));
  }
  return result;
}

std::string DeviceTypeName(std::int32_t type) {
  // c10/core/DeviceType.h
  switch (type) {
    case -1:
      return "unknown";
    case kCpu:
      return "cpu";
    case 1:
      return "cuda";
    case 6:
      return "hip";
    case 9:
      return "xla";
    case 12:
      return "xpu";
    case 13:
      return "mps";
    case 15:
      return "hpu";
    case 19:
      return "mtia";
    case 20:
      return "privateuse1";
    default:
      return fmt::format("type {}", type);
  }
}

}  // namespace rankscope
