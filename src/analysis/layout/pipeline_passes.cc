#include "analysis/layout/pipeline_passes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/letter_case.h"
#include "facts/launch_parts.h"
#include "job/collective_op.h"

namespace rankscope {
namespace {

enum class Way : std::uint8_t { kNone, kForward, kBackward };

// What an annotation is named after; after both is after neither.
Way WayOf(std::string_view name) {
  const bool forward = ContainsInEitherCase(name, "forward");
  const bool backward = ContainsInEitherCase(name, "backward");
  if (forward == backward) return Way::kNone;
  return forward ? Way::kForward : Way::kBackward;
}

// A stretch of the host's time in which a pass is launched.
struct Range {
  Interval host;
  bool is_backward = false;
  std::int64_t lane = 0;
};

// The outermost annotations of each track that `may_show`, by begin.
template <typename Predicate>
std::vector<Range> RangesOf(const RankTrace& trace, const Predicate& may_show) {
  std::vector<Way> ways(trace.strings.size());
  for (StringId id = 0; id < ways.size(); ++id) ways[id] = WayOf(trace.strings.Get(id));
  std::vector<Range> ranges;
  std::int64_t lane = 0;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    std::int64_t end = INT64_MIN;
    bool any = false;
    for (Row row = track.begin; row < track.end; ++row) {
      const Way way = ways[trace.name[row]];
      if (way == Way::kNone || trace.dur_ns[row] <= 0 || trace.ts_ns[row] < end || !may_show(row))
        continue;
      end = trace.end_ns(row);
      ranges.push_back({{trace.ts_ns[row], end}, way == Way::kBackward, lane});
      any = true;
    }
    lane += any ? 1 : 0;
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const Range& a, const Range& b) { return a.host.begin < b.host.begin; });
  return ranges;
}

bool HasBothWays(const std::vector<Range>& ranges) {
  const auto is_backward = [](const Range& range) { return range.is_backward; };
  return std::any_of(ranges.begin(), ranges.end(), is_backward) &&
         !std::all_of(ranges.begin(), ranges.end(), is_backward);
}

// Device work that counts, by launch.
struct Launched {
  std::int64_t at = 0;
  Row row = kNoRow;
  bool is_send = false;
};

bool IsSendKernel(const RankTrace& trace, Row row) {
  if (trace.aux[row] != kNoAux && trace.kernels[trace.aux[row]].collective != kNoAux) {
    const StringId name = trace.collectives[trace.kernels[trace.aux[row]].collective].name;
    const CollectiveOp op = OpOfName(trace.strings.Get(name));
    if (op != CollectiveOp::kUnknown) return IsPointToPoint(op) || op == CollectiveOp::kSendReceive;
  }
  const CollectiveOp op = OpOfKernel(trace.name_of(row));
  return IsPointToPoint(op) || op == CollectiveOp::kSendReceive;
}

// Those whose launch is known, by its time.
struct Launches {
  std::vector<Launched> known;
  bool any_send = false;  // with a known launch or without
};

Launches LaunchesOf(const TraceFacts& facts) {
  const RankTrace& trace = facts.trace();
  Launches launches;
  for (const DeviceTime& device : facts.devices()) {
    for (const Row row : device.work) {
      if (trace.kind[row] != EventKind::kKernel) continue;
      const WorkClass work = facts.classes().Of(row);
      const bool is_send = work == WorkClass::kCommunication && IsSendKernel(trace, row);
      launches.any_send |= is_send;
      if (trace.link[row] != kNoRow && (work == WorkClass::kCompute || is_send))
        launches.known.push_back({trace.ts_ns[trace.link[row]], row, is_send});
    }
  }
  std::stable_sort(launches.known.begin(), launches.known.end(),
                   [](const Launched& a, const Launched& b) { return a.at < b.at; });
  return launches;
}

// The sends before a pass.
struct Cut {
  StringId by = kEmptyString;
  bool by_others = false;
};

StringId GroupOf(const RankTrace& trace, Row kernel) {
  if (trace.aux[kernel] == kNoAux) return kEmptyString;
  const std::uint32_t collective = trace.kernels[trace.aux[kernel]].collective;
  return collective == kNoAux ? kEmptyString : trace.collectives[collective].group_name;
}

class Passes {
 public:
  Passes(const RankTrace& trace, const Windows& windows) : trace_(trace), windows_(windows) {}

  void Add(bool is_backward, std::int64_t host_begin, std::vector<Interval> kernels,
           const Cut& cut = {}) {
    const std::size_t window = windows_.At(host_begin);
    const IntervalSet busy = Normalise(std::move(kernels));  // without what has no extent
    if (window == Windows::kNone || busy.empty()) return;
    passes_.push_back({.is_backward = is_backward,
                       .window = window,
                       .cut_by = cut.by_others ? kEmptyString : cut.by,
                       .is_cut_by_others = cut.by_others,
                       .span = {busy.front().begin, busy.back().end},
                       .compute_ns = Total(busy)});
  }

  void OfRanges(const std::vector<Range>& ranges, const std::vector<Launched>& launches) {
    std::vector<std::vector<Interval>> kernels(ranges.size());
    std::size_t next = 0;  // the first range that begins later
    for (const Launched& launched : launches) {
      if (launched.is_send) continue;
      while (next < ranges.size() && ranges[next].host.begin <= launched.at) ++next;
      if (next == 0 || ranges[next - 1].host.end < launched.at) continue;
      kernels[next - 1].push_back({trace_.ts_ns[launched.row], trace_.end_ns(launched.row)});
    }
    for (std::size_t i = 0; i < ranges.size(); ++i)
      Add(ranges[i].is_backward, ranges[i].host.begin, std::move(kernels[i]));
  }

  void BetweenSends(const std::vector<Launched>& launches) {
    const LaunchParts parts(trace_, windows_);
    std::vector<Interval> kernels;
    std::int64_t begin = 0;
    bool is_backward = false;
    Cut cut;  // before the kernels at hand
    const auto close = [&] {
      if (!kernels.empty())
        Add(is_backward, begin, std::exchange(kernels, {}), std::exchange(cut, {}));
    };
    for (const Launched& launched : launches) {
      if (launched.is_send) {
        close();
        const StringId group = GroupOf(trace_, launched.row);
        cut.by_others |= group == kEmptyString || (cut.by != kEmptyString && cut.by != group);
        cut.by = group;
        continue;
      }
      const std::size_t window = windows_.At(launched.at);
      if (window == Windows::kNone) continue;
      const StepPart part = parts.Of(trace_.link[launched.row], window);
      // The optimizer.
      if (part == StepPart::kAfter) {
        close();
        continue;
      }
      if ((part == StepPart::kBackward) != is_backward) close();
      if (kernels.empty()) begin = launched.at;
      is_backward = part == StepPart::kBackward;
      kernels.push_back({trace_.ts_ns[launched.row], trace_.end_ns(launched.row)});
    }
    close();
  }

  void OfLanes(const std::vector<Range>& ranges) {
    for (const Range& range : ranges) {
      const std::size_t window = windows_.At(range.host.begin);
      if (window == Windows::kNone) continue;
      passes_.push_back({.is_backward = range.is_backward,
                         .window = window,
                         .lane = range.lane,
                         .span = range.host,
                         .compute_ns = range.host.end - range.host.begin});
    }
  }

  std::vector<PipelinePass> Done() { return std::move(passes_); }

 private:
  const RankTrace& trace_;
  const Windows& windows_;
  std::vector<PipelinePass> passes_;
};

}  // namespace

std::vector<PipelinePass> FindPipelinePasses(const TraceFacts& facts, const Windows& windows) {
  const RankTrace& trace = facts.trace();
  Passes passes(trace, windows);
  if (facts.devices().empty()) {
    const std::vector<Range> ranges = RangesOf(trace, [&](Row row) {
      return trace.kind[row] == EventKind::kOther || trace.kind[row] == EventKind::kUserAnnotation;
    });
    const bool has_lanes = std::any_of(ranges.begin(), ranges.end(),
                                       [](const Range& range) { return range.lane > 0; });
    if (has_lanes && HasBothWays(ranges)) passes.OfLanes(ranges);
    return passes.Done();
  }
  const Launches launches = LaunchesOf(facts);
  if (!launches.any_send) return {};
  const std::vector<Range> ranges =
      RangesOf(trace, [&](Row row) { return trace.kind[row] == EventKind::kUserAnnotation; });
  if (HasBothWays(ranges)) {
    passes.OfRanges(ranges, launches.known);
  } else {
    passes.BetweenSends(launches.known);
  }
  return passes.Done();
}

}  // namespace rankscope
