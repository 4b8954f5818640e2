// RankTimeline: the timeline of one capture: its events in rows, and how its devices spend their
// time. In the job's time: nanoseconds from its origin, on the clock that all ranks share.
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

// How a device spends its time, as displayed: the parts of the accounting (docs/accounting.md),
// with communication split up and causes of idle time merged.
enum class TimelinePart : std::uint8_t {
  kCompute,
  // Exposed communication (exposed_communication of docs/tables.md). kTransfer: any collective or
  // message of the rank has all its members; kWait: one is known to lack some; else the rest.
  kTransfer,
  kWait,
  kCommunicationUnknown,
  kCopy,        // exposed
  kIdleHost,    // the host had not issued work: host-bound, data loading, in a sync call, launching
  kIdleDevice,  // between queued kernels, or waiting for another stream
  kIdleUnknown,
  kNotObserved,  // the device's activity was not recorded
};
inline constexpr int kTimelinePartCount = 9;
std::string_view ToString(TimelinePart part);  // "compute", "transfer", ...

// One event, or several that are too short to distinguish.
struct TimelineSpan {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;  // 0: an instant
  std::uint32_t name = 0;   // index into a list of names; for several events, the longest one's
  std::uint32_t event = 0;  // index in the file; kNoTimelineEvent for a part of time
  std::uint32_t count = 1;  // number of events
  std::uint8_t lane = 0;    // row within the track, from the top
  std::uint8_t kind = 0;    // index into TimelineKinds()
  // In 255ths of its length. For several events: the share that they cover. For a collective's
  // kernel: the share after the arrival of its last member.
  std::uint8_t share = 255;
  std::uint8_t flags = 0;
  friend bool operator==(const TimelineSpan&, const TimelineSpan&) = default;
};
static_assert(sizeof(TimelineSpan) == 32);
inline constexpr std::uint32_t kNoTimelineEvent = UINT32_MAX;

// Flags of spans and of the bins of tiles: details that must stay visible at every zoom.
inline constexpr std::uint8_t kLateFlag = 1;       // the last member of its collective arrived
inline constexpr std::uint8_t kSyncFlag = 2;       // a host thread waits for the device
inline constexpr std::uint8_t kAllocatorFlag = 4;  // the driver allocates or frees memory

// Texts for the kinds of spans: kernel classes, then kinds of events, then parts of time.
const std::vector<std::string>& TimelineKinds();
std::uint8_t KindOfPart(TimelinePart part);

// kParts: how a device spends its time; kMarks: every span with flags, as an instant. Both feed
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
  std::string name;  // "stream 7", "thread 4711"; a readable name is preferred to a number
  TimelineRole role = TimelineRole::kOther;
  std::int64_t first = 0;   // pid or device
  std::int64_t second = 0;  // tid or stream
  std::uint32_t lanes = 0;
  std::vector<TimelineSpan> spans;  // sorted by start
};

struct RankTimeline {
  std::int64_t rank = 0;
  std::int64_t capture = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::vector<std::string> names;
  // First a track with the role kParts for every device, with spans without gaps, and one of
  // kMarks.
  std::vector<TimelineTrack> tracks;
};

}  // namespace rankscope
