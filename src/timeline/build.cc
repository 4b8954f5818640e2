#include "timeline/build.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/interval.h"
#include "base/saturating.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kMostLanes = 255;

const TimelineMember* MemberOf(std::span<const TimelineMember> members, std::uint32_t event) {
  const auto found = std::ranges::lower_bound(members, event, {}, &TimelineMember::event);
  return found != members.end() && found->event == event ? &*found : nullptr;
}

TimelinePart PartOf(IdleCause cause) {
  switch (cause) {
    case IdleCause::kHostBound:
    case IdleCause::kDataLoading:
    case IdleCause::kSync:
    case IdleCause::kLaunchLatency:
      return TimelinePart::kIdleHost;
    case IdleCause::kKernelGap:
    case IdleCause::kOtherStream:
      return TimelinePart::kIdleDevice;
    case IdleCause::kUnknown:
      break;
  }
  return TimelinePart::kIdleUnknown;
}

class Builder {
 public:
  Builder(const TraceFacts& facts, const TimelineClock& clock,
          std::span<const TimelineMember> members)
      : facts_(facts), trace_(facts.trace()), clock_(clock), members_(members) {}

  RankTimeline Build(std::int64_t rank, std::int64_t capture) {
    RankTimeline made{.rank = rank, .capture = capture};
    for (const DeviceTime& device : facts_.recorded_devices())
      made.tracks.push_back(PartsOf(device));
    const std::size_t marks = made.tracks.size();
    made.tracks.push_back({.name = "marks", .role = TimelineRole::kMarks, .lanes = 1});
    for (const Track& track : trace_.tracks) {
      if (track.begin < track.end) made.tracks.push_back(EventsOf(track));
    }
    made.tracks[marks].spans = Marks(made.tracks);
    made.names = std::move(names_);
    bool is_first = true;
    for (const TimelineTrack& track : made.tracks) {
      for (const TimelineSpan& span : track.spans) {
        const std::int64_t end = SaturatingAdd(span.start_ns, span.duration_ns);
        made.begin_ns = is_first ? span.start_ns : std::min(made.begin_ns, span.start_ns);
        made.end_ns = is_first ? end : std::max(made.end_ns, end);
        is_first = false;
      }
    }
    return made;
  }

 private:
  std::int64_t JobTime(std::int64_t ts_ns) const {
    return clock_.At(SaturatingAdd(trace_.meta.base_ns, ts_ns));
  }

  static std::vector<TimelineSpan> Marks(std::span<const TimelineTrack> tracks) {
    std::vector<TimelineSpan> marks;
    for (const TimelineTrack& track : tracks) {
      for (const TimelineSpan& span : track.spans) {
        if (span.flags != 0)
          marks.push_back({.start_ns = span.start_ns, .event = span.event, .flags = span.flags});
      }
    }
    std::ranges::stable_sort(marks, {}, &TimelineSpan::start_ns);
    return marks;
  }

  // What the device's communication does, as far as is known: transfers win over waits.
  struct KnownCommunication {
    IntervalSet transfer;
    IntervalSet wait;
  };
  KnownCommunication CommunicationOf(const DeviceTime& device) const {
    std::vector<Interval> transfers;
    std::vector<Interval> waits;
    for (const Row row : device.work) {
      if (facts_.classes().Of(row) != WorkClass::kCommunication) continue;
      const TimelineMember* member = MemberOf(members_, trace_.source[row]);
      if (member == nullptr || member->wait_ns == TimelineMember::kUnknown) continue;
      const std::int64_t begin = trace_.ts_ns[row];
      const std::int64_t met =
          SaturatingAdd(begin, std::clamp<std::int64_t>(member->wait_ns, 0, trace_.dur_ns[row]));
      waits.push_back({begin, met});
      if (member->knows_rest) transfers.push_back({met, SaturatingAdd(begin, trace_.dur_ns[row])});
    }
    KnownCommunication known{.transfer = Normalise(std::move(transfers)), .wait = {}};
    known.wait = Subtract(Normalise(std::move(waits)), known.transfer);
    return known;
  }

  TimelineTrack PartsOf(const DeviceTime& device) const {
    TimelineTrack track{.name = fmt::format("device {}", device.device),
                        .role = TimelineRole::kParts,
                        .first = device.device,
                        .lanes = 1};
    const KnownCommunication known = CommunicationOf(device);
    const auto add = [&](const IntervalSet& set, TimelinePart part) {
      for (const Interval& one : set) {
        const std::int64_t start = JobTime(one.begin);
        track.spans.push_back({.start_ns = start,
                               .duration_ns = SaturatingSubtract(JobTime(one.end), start),
                               .event = kNoTimelineEvent,
                               .kind = KindOfPart(part)});
      }
    };
    add(device.compute, TimelinePart::kCompute);
    add(Intersect(device.exposed_communication, known.transfer), TimelinePart::kTransfer);
    add(Intersect(device.exposed_communication, known.wait), TimelinePart::kWait);
    add(Subtract(Subtract(device.exposed_communication, known.transfer), known.wait),
        TimelinePart::kCommunicationUnknown);
    add(device.exposed_copy, TimelinePart::kCopy);
    for (int cause = 0; cause < kIdleCauseCount; ++cause)
      add(device.idle[cause], PartOf(static_cast<IdleCause>(cause)));
    add(device.not_observed, TimelinePart::kNotObserved);
    std::ranges::sort(track.spans, {}, &TimelineSpan::start_ns);
    return track;
  }

  std::uint32_t NameOf(StringId id) {
    const auto [found, is_new] =
        numbers_.try_emplace(id, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.emplace_back(trace_.strings.Get(id));
    return found->second;
  }

  std::uint8_t KindOf(Row row) const {
    if (IsDeviceWork(trace_.kind[row]))
      return static_cast<std::uint8_t>(facts_.classes().ClassOf(row));
    return static_cast<std::uint8_t>(kKernelClassCount + static_cast<int>(trace_.kind[row]));
  }

  TimelineTrack EventsOf(const Track& track) {
    TimelineTrack made = Named(track);
    made.spans.reserve(track.end - track.begin);
    std::vector<std::int64_t> free_from;  // by lane
    std::vector<std::uint8_t> lanes(track.end - track.begin);
    for (Row row = track.begin; row < track.end; ++row) {
      const Row parent = trace_.parent[row];
      const bool is_nested = parent != kNoRow && parent >= track.begin && parent < row;
      const std::int64_t start = trace_.ts_ns[row];
      const std::int64_t duration = std::max<std::int64_t>(0, trace_.dur_ns[row]);
      std::size_t lane = is_nested ? lanes[parent - track.begin] + std::size_t{1} : 0;
      while (lane < free_from.size() && free_from[lane] > start) ++lane;
      lane = std::min<std::size_t>(lane, kMostLanes - 1);
      if (lane >= free_from.size()) free_from.resize(lane + 1, INT64_MIN);
      free_from[lane] = SaturatingAdd(start, duration);
      lanes[row - track.begin] = static_cast<std::uint8_t>(lane);
      made.spans.push_back(SpanOf(row, static_cast<std::uint8_t>(lane), duration));
    }
    made.lanes = static_cast<std::uint32_t>(free_from.size());
    std::ranges::stable_sort(made.spans, {}, &TimelineSpan::start_ns);
    return made;
  }

  TimelineSpan SpanOf(Row row, std::uint8_t lane, std::int64_t duration) {
    TimelineSpan span{.start_ns = JobTime(trace_.ts_ns[row]),
                      .duration_ns = duration,
                      .name = NameOf(trace_.name[row]),
                      .event = trace_.source[row],
                      .lane = lane,
                      .kind = KindOf(row)};
    if (trace_.kind[row] == EventKind::kRuntime) {
      const std::string_view name = trace_.name_of(row);
      if (IsSynchronizeCall(name)) span.flags |= kSyncFlag;
      if (AllocatorAction(name)) span.flags |= kAllocatorFlag;
    }
    const TimelineMember* member =
        IsDeviceWork(trace_.kind[row]) ? MemberOf(members_, span.event) : nullptr;
    if (member == nullptr) return span;
    if (member->is_last) span.flags |= kLateFlag;
    if (member->wait_ns > 0 && duration > 0) {
      const double left = 1 - static_cast<double>(std::min(member->wait_ns, duration)) /
                                  static_cast<double>(duration);
      span.share = static_cast<std::uint8_t>(std::lround(255 * left));
    }
    return span;
  }

  TimelineTrack Named(const Track& track) const {
    TimelineTrack made{.first = track.first, .second = track.second};
    const std::string_view said = trace_.strings.Get(track.name);
    const auto device = [&](std::string_view what) {
      return fmt::format("device {} stream {}{}", track.first, track.second, what);
    };
    switch (track.domain) {
      case Domain::kDevice:
        made.role = TimelineRole::kStream;
        made.name = device("");
        return made;
      case Domain::kDeviceSync:
        made.role = TimelineRole::kWaits;
        made.name = device(" waits");
        return made;
      case Domain::kDeviceAnnotation:
        made.role = TimelineRole::kAnnotations;
        made.name = device(" annotations");
        return made;
      case Domain::kHost:
        made.role = TimelineRole::kThread;
        break;
      case Domain::kOther:
        made.role = TimelineRole::kOther;
        break;
    }
    const std::string number = std::to_string(track.second);
    if (said.empty()) {
      made.name = "thread " + number;
    } else {
      made.name = said;
      // Two threads may have the same name.
      if (track.second >= 0 && said.find(number) == std::string_view::npos)
        made.name += " (" + number + ")";
    }
    return made;
  }

  const TraceFacts& facts_;
  const RankTrace& trace_;
  const TimelineClock clock_;
  const std::span<const TimelineMember> members_;
  std::unordered_map<StringId, std::uint32_t> numbers_;
  std::vector<std::string> names_;
};

}  // namespace

std::int64_t TimelineClock::At(std::int64_t absolute_ns) const {
  const std::int64_t since = SaturatingSubtract(absolute_ns, anchor_ns);
  const auto drifted = static_cast<std::int64_t>(
      std::llround(std::clamp(drift * static_cast<double>(since), -0x1p61, 0x1p61)));
  return SaturatingAdd(SaturatingAdd(job_ns, since), drifted);
}

TimelineClock ClockOf(const RankTrace& trace, std::span<const TimelineMember> members,
                      std::int64_t origin_ns, std::int64_t offset_ns) {
  struct Moment {
    std::int64_t own_ns = 0;
    std::int64_t job_ns = 0;
  };
  std::optional<Moment> first;
  std::optional<Moment> last;
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (!IsDeviceWork(trace.kind[row])) continue;
    const TimelineMember* member = MemberOf(members, trace.source[row]);
    if (member == nullptr) continue;
    const Moment moment{SaturatingAdd(trace.meta.base_ns, trace.ts_ns[row]), member->start_ns};
    if (!first || moment.own_ns < first->own_ns) first = moment;
    if (!last || moment.own_ns > last->own_ns) last = moment;
  }
  if (!first) return {.anchor_ns = SaturatingAdd(origin_ns, offset_ns), .job_ns = 0};
  TimelineClock clock{.anchor_ns = first->own_ns, .job_ns = first->job_ns};
  const auto own = static_cast<double>(SaturatingSubtract(last->own_ns, first->own_ns));
  const auto job = static_cast<double>(SaturatingSubtract(last->job_ns, first->job_ns));
  // A nanosecond of rounding over a short stretch is no drift, nor is what no clock has.
  constexpr double kMostDrift = 1e-3;
  if (own > 1e6 && std::abs(job - own) <= kMostDrift * own) clock.drift = (job - own) / own;
  return clock;
}

RankTimeline BuildRankTimeline(const TraceFacts& facts, std::int64_t rank, std::int64_t capture,
                               const TimelineClock& clock,
                               std::span<const TimelineMember> members) {
  return Builder(facts, clock, members).Build(rank, capture);
}

}  // namespace rankscope
