// HTA's data frame of one rank: the events that Holistic Trace Analysis keeps of a trace file, with
// HTA's values and row order. Only the hta.* analyses use it. Each field and docs/hta.md describe
// its intentional differences from a RankTrace.
//
// Cost: 48 bytes per event, O(n log n) to load. A frame views its trace, which must outlive it.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace rankscope::hta {

// Host events that are joined with the device work of the same correlation: one, rarely two. HTA
// joins any number, which exceeds memory for a file that gives every event the same correlation.
// This is the limit here.
inline constexpr std::size_t kMostHostsOfCorrelation = 4;

// HTA's value for "no stream", "no correlation" and "no partner".
inline constexpr std::int64_t kNone = -1;

struct Event {
  std::int64_t ts = 0;   // whole microseconds, as in the file
  std::int64_t dur = 0;  // whole microseconds; -1 for an event that contains no whole microsecond
  std::int64_t stream = kNone;  // the "stream" argument of any event, not only of device work
  std::int64_t correlation = kNone;
  // HTA's index_correlation: index in the file of the other side of the correlation, 0 when that
  // side is not in the file, kNone without correlation.
  std::int64_t partner = kNone;
  Row row = kNoRow;

  std::int64_t end() const { return ts + dur; }
  // HTA's test for device work; waits and CPU ops with a stream also pass it.
  bool on_stream() const { return stream != kNone; }
};
static_assert(sizeof(Event) == 48);

struct Frame {
  const RankTrace* trace = nullptr;
  std::vector<Event> events;

  std::string_view NameOf(const Event& event) const { return trace->name_of(event.row); }
  std::string_view CategoryOf(const Event& event) const {
    return trace->strings.Get(trace->categories[trace->category[event.row]]);
  }
  std::int64_t IndexOf(const Event& event) const { return trace->source[event.row]; }
};

// The pid and tid that the file states for an event.
struct ProcessIds {
  std::int64_t pid = 0;
  std::int64_t tid = 0;
};
ProcessIds IdsOf(const Frame& frame, const Event& event);

// Everything that HTA loads, in file order: events with a duration and a category other than
// "Trace". When any time in the file has a fraction of a microsecond, begins are rounded up and
// ends down.
Frame LoadFrame(const RankTrace& trace);

// Distinct names of profiler steps among the frame's events.
std::vector<std::string_view> StepNames(const Frame& frame);

enum class LastStep : std::uint8_t { kDrop, kKeep };

// HTA's filter for a frame if the ranks together have more than one profiler step. It drops host
// events from the begin of the rank's last step on (kKeep: none), and device work whose launch it
// drops. Device work comes first, then host events. A rank without a step keeps nothing. MTIA:
// keeps what lies between the first step and the end of the last one.
Frame FilterFrame(const Frame& frame, LastStep last_step);

// A frame's events by their index in the file; if the filter repeats one, the first. Views the
// frame.
class EventsByIndex {
 public:
  explicit EventsByIndex(const Frame& frame);
  const Event* Find(std::int64_t index) const;  // null: not in the frame

 private:
  boost::unordered_flat_map<std::int64_t, const Event*> events_;
};

// The ids of these names in a string table, for fast tests.
class NameSet {
 public:
  NameSet(const StringTable& strings, std::span<const std::string_view> names);
  // The names that contain a text.
  static NameSet Holding(const StringTable& strings, std::string_view part);
  bool Contains(StringId name) const { return is_member_[name] != 0; }

 private:
  NameSet() = default;
  std::vector<std::uint8_t> is_member_;
};

}  // namespace rankscope::hta
