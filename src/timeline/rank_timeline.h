// RankTimeline: what a timeline draws of one capture: its events in rows, and where the time of its
// devices goes. In the job's time: nanoseconds from its origin, by the clock of all ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// [from, to)
struct TimelineWindow {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
};

// Where the time of a device goes, as pictures tell it apart: the parts of the accounting
// (docs/accounting.md) with communication divided and causes of idle time joined.
enum class TimelinePart : std::uint8_t {
  kCompute,
  // Exposed communication (exposed_communication of docs/tables.md): while any collective or
  // message of the rank has all its members; else while one is known to lack some; else the rest.
  kTransfer,
  kWait,
  kCommunicationUnknown,
  kCopy,        // exposed
  kIdleHost,    // the host had not issued work: host-bound, data loading, in a sync call, launching
  kIdleDevice,  // between queued kernels, or behind another stream
  kIdleUnknown,
  kNotObserved,  // what the device did was not recorded
};
inline constexpr int kTimelinePartCount = 9;
std::string_view ToString(TimelinePart part);  // "compute", "transfer", ...

// One event, or several that are too short to be told apart.
struct TimelineSpan {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;  // 0: an instant
  std::uint32_t name = 0;   // index into a list of names; of several events that of the longest
  std::uint32_t event = 0;  // its index in the file; kNoTimelineEvent of a part of time
  std::uint32_t count = 1;  // events
  std::uint8_t lane = 0;    // rows of a track, from above
  std::uint8_t kind = 0;    // index into TimelineKinds()
  // In 255ths, of its length: of several events how much is covered by them; of a collective's
  // kernel how much is left from the arrival of its last member on.
  std::uint8_t share = 255;
  std::uint8_t flags = 0;
  friend bool operator==(const TimelineSpan&, const TimelineSpan&) = default;
};
static_assert(sizeof(TimelineSpan) == 32);
inline constexpr std::uint32_t kNoTimelineEvent = UINT32_MAX;

// Of spans, and of the bins of tiles. What must not vanish while zooming.
inline constexpr std::uint8_t kLateFlag = 1;       // the last member of its collective came
inline constexpr std::uint8_t kSyncFlag = 2;       // a host thread waits for the device
inline constexpr std::uint8_t kAllocatorFlag = 4;  // the driver allocates or frees memory

// What spans are, as texts: kernel classes, then kinds of events, then parts of time.
const std::vector<std::string>& TimelineKinds();
std::uint8_t KindOfPart(TimelinePart part);

// kParts: where a device's time goes; kMarks: every span with flags, as an instant. Both are for
// bins.
enum class TimelineRole : std::uint8_t {
  kParts,
  kMarks,
  kStream,
  kWaits,
  kAnnotations,
  kThread,
  kOther,
};
constexpr bool IsForBins(TimelineRole role) { return role <= TimelineRole::kMarks; }
std::string_view ToString(TimelineRole role);  // "parts", "stream", ...

struct TimelineTrack {
  std::string name;  // "stream 7", "thread 4711"; readable names go before numbers
  TimelineRole role = TimelineRole::kOther;
  std::int64_t first = 0;   // pid or device
  std::int64_t second = 0;  // tid or stream
  std::uint32_t lanes = 0;
  std::vector<TimelineSpan> spans;  // by start
};

struct RankTimeline {
  std::int64_t rank = 0;
  std::int64_t capture = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::vector<std::string> names;
  // First a track of the role kParts for every device, whose spans follow each other without gaps,
  // and one of kMarks.
  std::vector<TimelineTrack> tracks;
};

}  // namespace rankscope
