// A rule: recognises one cause. Its file here, named by its id, has all that it is: the tables that
// it reads, its condition, the change of the replay that gives its gain, and its texts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"
#include "insight/evidence/setting.h"
#include "stage/analysis.h"

namespace rankscope {

// What must have been recorded, besides steps, for a rule to tell anything.
enum class RuleNeeds : std::uint8_t {
  kNothing,
  kDevice,         // work of a device
  kSeveralRanks,   // to compare them
  kSeveralGroups,  // of such ranks, to compare what they exchange
  kShapes,         // of the ops' inputs
  kAllocations,    // of device memory
  kClocks,         // telemetry: of devices, and what holds them down
  kCoreWaits,      // telemetry: of processes, or the pressure of their hosts
  kUnitsActive,    // telemetry: how much of devices works, and of their memory
  kWindows,        // of snoop, beside the traces
};

struct Rule {
  std::string_view id;       // never changes; docs/findings/ID.md is its page
  std::string_view summary;  // the cause, in one line without a full stop
  Tier tier = Tier::kProgram;
  Takes takes = Takes::kKernels;
  std::vector<const Analysis*> tables = {};  // that it reads
  RuleNeeds needs = RuleNeeds::kNothing;
  bool needs_graph = true;  // it finds nothing without counted steps in the graph
  std::optional<Cause> (*find)(const RuleInput&) = nullptr;
  // What the cause says where `find` leaves it empty.
  std::string_view why = {};
  std::string_view recommendation = {};
  std::string_view command = {};
  // Whether what it finds rests on all that devices did. What needs no graph rests on tables.
  bool IsOfDevices() const {
    return needs == RuleNeeds::kDevice ||
           (needs_graph && (takes == Takes::kSlowerKernels || takes == Takes::kMoreWork ||
                            takes == Takes::kCopies));
  }
  // In place of the recommendation: the first that fits what the job runs on and with.
  std::span<const Advice> advice = {};
};

// What the rule finds, with the rule's id, tier and texts.
std::optional<Cause> CauseOf(const Rule& rule, const RuleInput& input);

}  // namespace rankscope
