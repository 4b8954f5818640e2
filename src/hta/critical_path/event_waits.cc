#include "hta/critical_path/event_waits.h"

#include <algorithm>
#include <tuple>

#include "hta/queue_points.h"

namespace rankscope::hta {

EventWaits::EventWaits(const Frame& frame, const EventsByIndex& events) : frame_(frame) {
  constexpr std::string_view kRecord = "cudaEventRecord";
  const RankTrace& trace = *frame.trace;
  const NameSet launches(trace.strings, LaunchNames());
  const NameSet records(trace.strings, std::span(&kRecord, 1));
  for (const Event& event : frame.events) {
    const StringId name = trace.name[event.row];
    if (records.Contains(name) && event.correlation >= 0)
      records_.emplace(event.correlation, event.ts);
    if (event.partner <= 0 || !launches.Contains(name)) continue;
    const Event* work = events.Find(event.partner);
    if (work == nullptr || !work->on_stream() || work->partner <= 0) continue;
    const ProcessIds thread = IdsOf(frame, event);
    by_stream_.push_back({IdsOf(frame, *work).pid, 0, work->stream, event.ts, event.partner});
    by_thread_.push_back({thread.pid, thread.tid, work->stream, event.ts, event.partner});
  }
  std::stable_sort(by_stream_.begin(), by_stream_.end(), ComesBefore);
  std::stable_sort(by_thread_.begin(), by_thread_.end(), ComesBefore);
}

std::optional<std::int64_t> EventWaits::WorkBeforeRecord(std::int64_t record_correlation,
                                                         std::int64_t device,
                                                         std::int64_t stream) const {
  const auto record = records_.find(record_correlation);
  if (record == records_.end()) return std::nullopt;
  const Launch wanted{device, 0, stream, record->second, 0};
  const auto after = std::upper_bound(by_stream_.begin(), by_stream_.end(), wanted, ComesBefore);
  if (after == by_stream_.begin() || !IsSamePlace(*(after - 1), wanted)) return std::nullopt;
  return (after - 1)->work;
}

std::optional<std::int64_t> EventWaits::WorkAfter(const Event& wait_call,
                                                  std::int64_t stream) const {
  const ProcessIds thread = IdsOf(frame_, wait_call);
  const Launch wanted{thread.pid, thread.tid, stream, wait_call.ts, 0};
  const auto after = std::upper_bound(by_thread_.begin(), by_thread_.end(), wanted, ComesBefore);
  if (after == by_thread_.end() || !IsSamePlace(*after, wanted)) return std::nullopt;
  return after->work;
}

bool EventWaits::ComesBefore(const Launch& a, const Launch& b) {
  return std::tie(a.first, a.second, a.stream, a.ts) < std::tie(b.first, b.second, b.stream, b.ts);
}

bool EventWaits::IsSamePlace(const Launch& a, const Launch& b) {
  return std::tie(a.first, a.second, a.stream) == std::tie(b.first, b.second, b.stream);
}

}  // namespace rankscope::hta
