// WorkPlaces: the origin of device work in the program: op, shapes, module, line of the user's
// code, phase, process group.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/places/phase_times.h"
#include "facts/trace_facts.h"
#include "trace/trace.h"

namespace rankscope {

struct LaunchPlace {
  Row op = kNoRow;                   // the innermost op around the launching call
  StringId shapes = kEmptyString;    // of the innermost op around the call that states any
  std::uint32_t code = UINT32_MAX;   // WorkPlaces::module and line tell; UINT32_MAX: not known
  std::uint8_t phase = kPhaseCount;  // a HostPhase; kPhaseCount: the call is not known
};

// 12 bytes per row of the trace; 12 more while it is made. Immutable.
class WorkPlaces {
 public:
  // Phases of unmarked steps follow from `windows` (PhaseTimes).
  WorkPlaces(const TraceFacts& facts, const Windows& windows);

  // For a kernel, copy or memset: O(log of the phases' intervals).
  LaunchPlace Of(Row work) const;
  // Classes of the modules, "Model/Layer"; empty if unknown.
  std::string_view module(const LaunchPlace& place) const;
  // The innermost function of the user's code, "train.py(214): step"; empty if unknown.
  std::string_view line(const LaunchPlace& place) const;

 private:
  std::uint8_t PhaseAt(std::int64_t t) const;

  const RankTrace& trace_;
  struct Code {
    std::string module;
    StringId function = kEmptyString;
  };
  std::vector<Code> code_;              // CodePlaces::places
  std::vector<std::uint32_t> code_of_;  // by row of a call that launched work
  std::vector<Row> op_of_;              // by row of a host thread
  std::vector<StringId> shapes_of_;
  std::array<IntervalSet, kPhaseCount> phases_;
};

// The description of a communication kernel's process group, else its name; kEmptyString if the
// trace has none.
StringId ProcessGroupOf(const RankTrace& trace, Row kernel);

}  // namespace rankscope
