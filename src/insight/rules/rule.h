// A rule detects one cause. Its file here, named by its id, has everything: the tables that it
// reads, its condition, the change of the replay that gives its gain, and its texts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"
#include "insight/evidence/setting/setting.h"
#include "stage/analysis.h"

namespace rankscope {

// The recordings that a rule requires, besides steps.
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
  // Texts of the cause if `find` leaves them empty.
  std::string_view why = {};
  std::string_view recommendation = {};
  std::string_view command = {};
  // Tables with the evidence, the most telling first, if they are not the command's: a page leads
  // to the section that shows the first.
  std::vector<std::string_view> shown_in = {};
  // Whether its findings depend on all work of the devices. Rules without a graph depend on tables.
  bool IsOfDevices() const {
    return needs == RuleNeeds::kDevice ||
           (needs_graph && (takes == Takes::kSlowerKernels || takes == Takes::kMoreWork ||
                            takes == Takes::kCopies));
  }
  // Replaces the recommendation: the first that matches the job's setting.
  std::span<const Advice> advice = {};
};

// The tables with the evidence of a finding with this command: the rule's own, or the command's.
std::vector<std::string> EvidenceTables(const Rule& rule, std::string_view command);

// The rule's result, with its id, tier and texts.
std::optional<Cause> CauseOf(const Rule& rule, const RuleInput& input);

}  // namespace rankscope
