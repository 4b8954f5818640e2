#include "facts/path_charges.h"

#include <algorithm>
#include <array>

#include "graph/critical_path.h"

namespace rankscope {

std::string_view ToString(ChargeCause cause) {
  static constexpr std::array<std::string_view, kChargeCauseCount> kNames = {
      "host",    "data loading",  "launch", "kernel gap",
      "compute", "communication", "copy",   "unexplained"};
  return kNames[static_cast<std::size_t>(cause)];
}

namespace {

ChargeCause CauseOf(WorkClass work) {
  switch (work) {
    case WorkClass::kCommunication:
      return ChargeCause::kCommunication;
    case WorkClass::kCopy:
      return ChargeCause::kCopy;
    default:
      return ChargeCause::kCompute;
  }
}

class Charger {
 public:
  Charger(const TraceFacts& facts, std::vector<Charge>& charges)
      : facts_(facts), next_loading_(facts.trace().tracks.size(), 0), charges_(charges) {}

  void Add(const PathPart& part) {
    switch (part.cause) {
      case PathCause::kHost:
        Host(part);
        break;
      case PathCause::kLaunch:
        Put(part, part.begin_ns, part.end_ns, ChargeCause::kLaunch);
        break;
      case PathCause::kKernelGap:
        Put(part, part.begin_ns, part.end_ns, ChargeCause::kKernelGap);
        break;
      case PathCause::kDevice:
        Put(part, part.begin_ns, part.end_ns, CauseOf(facts_.classes().Of(part.row)));
        break;
      case PathCause::kUnexplained:
        Put(part, part.begin_ns, part.end_ns, ChargeCause::kUnexplained);
        break;
    }
  }

 private:
  // Parts come in the order of time, so each range is looked at about once.
  void Host(const PathPart& part) {
    const IntervalSet& loading = facts_.host().data_loading(part.track);
    std::size_t& next = next_loading_[part.track];
    while (next < loading.size() && loading[next].end <= part.begin_ns) ++next;
    std::int64_t until = part.begin_ns;
    for (std::size_t i = next; i < loading.size() && loading[i].begin < part.end_ns; ++i) {
      const std::int64_t begin = std::max(until, loading[i].begin);
      const std::int64_t end = std::min(part.end_ns, loading[i].end);
      Put(part, until, begin, ChargeCause::kHost);
      Put(part, begin, end, ChargeCause::kDataLoading);
      until = end;
    }
    Put(part, until, part.end_ns, ChargeCause::kHost);
  }

  void Put(const PathPart& part, std::int64_t begin, std::int64_t end, ChargeCause cause) {
    if (begin < end) charges_.push_back({begin, end, part.track, part.row, cause});
  }

  const TraceFacts& facts_;
  std::vector<std::size_t> next_loading_;  // by track
  std::vector<Charge>& charges_;
};

}  // namespace

std::vector<Charge> ChargesOf(const TraceFacts& facts) {
  const RankTrace& trace = facts.trace();
  std::vector<Charge> charges;
  Charger charger(facts, charges);
  for (const PathPart& part : PathParts(trace, facts.graph(), CriticalPath(facts.graph())))
    charger.Add(part);
  const std::int64_t until = charges.empty() ? trace.begin_ns : charges.back().end_ns;
  if (until < trace.finish_ns) charges.push_back({.begin_ns = until, .end_ns = trace.finish_ns});
  return charges;
}

Row HostRowOf(const RankTrace& trace, const Charge& charge) {
  if (charge.row == kNoRow) return kNoRow;
  return IsDeviceWork(trace.kind[charge.row]) ? trace.link[charge.row] : charge.row;
}

}  // namespace rankscope
