#include "timeline/merge_spans.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/saturating.h"

namespace rankscope {
namespace {

// What is being joined in one lane.
struct Joined {
  TimelineSpan first;  // as it was, while it is the only one
  std::int64_t end_ns = 0;
  std::int64_t longest_ns = -1;
  double covered_ns = 0;
  std::uint32_t count = 0;
  std::uint32_t name = 0;
  std::uint32_t event = 0;
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
};

void Take(Joined& joined, const TimelineSpan& span) {
  if (joined.count == 0) joined = {.first = span, .end_ns = span.start_ns};
  joined.end_ns = std::max(joined.end_ns, SaturatingAdd(span.start_ns, span.duration_ns));
  joined.count += span.count;
  joined.flags |= span.flags;
  // The share of a single one says something else; it covers all of its length.
  joined.covered_ns +=
      static_cast<double>(span.duration_ns) * (span.count > 1 ? span.share / 255.0 : 1);
  if (span.duration_ns <= joined.longest_ns) return;
  joined.longest_ns = span.duration_ns;
  joined.name = span.name;
  joined.event = span.event;
  joined.kind = span.kind;
}

void Flush(Joined& joined, std::vector<TimelineSpan>& out) {
  if (joined.count == 0) return;
  TimelineSpan span = joined.first;
  if (joined.count != span.count) {
    span.duration_ns = SaturatingSubtract(joined.end_ns, span.start_ns);
    span.name = joined.name;
    span.event = joined.event;
    span.kind = joined.kind;
    span.flags = joined.flags;
    span.count = joined.count;
    const double whole = static_cast<double>(std::max<std::int64_t>(1, span.duration_ns));
    span.share = static_cast<std::uint8_t>(
        std::clamp(std::lround(255 * joined.covered_ns / whole), 1L, 255L));
  }
  out.push_back(span);
  joined.count = 0;
}

}  // namespace

std::vector<TimelineSpan> MergeSpans(std::span<const TimelineSpan> spans,
                                     std::int64_t resolution_ns) {
  std::vector<TimelineSpan> merged;
  std::array<Joined, 256> lanes;
  for (const TimelineSpan& span : spans) {
    Joined& joined = lanes[span.lane];
    const std::int64_t end = SaturatingAdd(span.start_ns, span.duration_ns);
    const bool goes_on =
        joined.count > 0 && SaturatingSubtract(end, joined.first.start_ns) <= resolution_ns;
    if (!goes_on) Flush(joined, merged);
    if (span.duration_ns >= resolution_ns) {
      merged.push_back(span);
    } else {
      Take(joined, span);
    }
  }
  for (Joined& joined : lanes) Flush(joined, merged);
  std::ranges::stable_sort(merged, [](const TimelineSpan& a, const TimelineSpan& b) {
    return a.start_ns < b.start_ns || (a.start_ns == b.start_ns && a.lane < b.lane);
  });
  return merged;
}

}  // namespace rankscope
