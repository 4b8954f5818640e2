#include "facts/places/work_places.h"

#include <algorithm>

#include "facts/places/code_places.h"

namespace rankscope {
namespace {

bool IsIn(const IntervalSet& set, std::int64_t t) {
  const auto next = std::upper_bound(
      set.begin(), set.end(), t, [](std::int64_t at, const Interval& i) { return at < i.begin; });
  return next != set.begin() && t < std::prev(next)->end;
}

}  // namespace

WorkPlaces::WorkPlaces(const TraceFacts& facts, const Windows& windows)
    : trace_(facts.trace()),
      code_of_(trace_.row_count(), CodePlaces::kNone),
      op_of_(trace_.row_count(), kNoRow),
      shapes_of_(trace_.row_count(), kEmptyString),
      phases_(PhaseTimes(facts, windows)) {
  for (const Track& track : trace_.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      // Parents precede their children.
      if (const Row around = trace_.parent[row]; around != kNoRow) {
        op_of_[row] = op_of_[around];
        shapes_of_[row] = shapes_of_[around];
      }
      if (trace_.kind[row] != EventKind::kCpuOp) continue;
      op_of_[row] = row;
      if (trace_.aux[row] == kNoAux) continue;
      const StringId shapes = trace_.ops[trace_.aux[row]].input_dims;
      if (shapes != kEmptyString) shapes_of_[row] = shapes;
    }
  }
  CodePlaces code(trace_);
  for (Row row = 0; row < trace_.row_count(); ++row) {
    if (!IsDeviceWork(trace_.kind[row]) || trace_.link[row] == kNoRow) continue;
    std::uint32_t& place = code_of_[trace_.link[row]];
    if (place == CodePlaces::kNone) place = code.At(trace_.link[row]);
  }
  code_.reserve(code.places().size());
  for (const CodePlace& place : code.places()) code_.push_back({place.module, place.function});
}

std::uint8_t WorkPlaces::PhaseAt(std::int64_t t) const {
  for (std::uint8_t phase = 0; phase < kPhaseCount; ++phase) {
    if (IsIn(phases_[phase], t)) return phase;
  }
  return static_cast<std::uint8_t>(HostPhase::kOther);
}

LaunchPlace WorkPlaces::Of(Row work) const {
  const Row launch = trace_.link[work];
  if (launch == kNoRow) return {};
  return {.op = op_of_[launch],
          .shapes = shapes_of_[launch],
          .code = code_of_[launch],
          .phase = PhaseAt(trace_.ts_ns[launch])};
}

std::string_view WorkPlaces::module(const LaunchPlace& place) const {
  return place.code == CodePlaces::kNone ? std::string_view() : code_[place.code].module;
}

std::string_view WorkPlaces::line(const LaunchPlace& place) const {
  return place.code == CodePlaces::kNone ? std::string_view()
                                         : trace_.strings.Get(code_[place.code].function);
}

StringId ProcessGroupOf(const RankTrace& trace, Row kernel) {
  if (trace.kind[kernel] != EventKind::kKernel || trace.aux[kernel] == kNoAux) return kEmptyString;
  const std::uint32_t index = trace.kernels[trace.aux[kernel]].collective;
  if (index == kNoAux) return kEmptyString;
  const CollectiveArgs& args = trace.collectives[index];
  // PyTorch's own word for a group that nobody described.
  const std::string_view description = trace.strings.Get(args.group_desc);
  return description.empty() || description == "undefined" ? args.group_name : args.group_desc;
}

}  // namespace rankscope
