// Ranks whose threads wait for cores, as telemetry shows.
#pragma once

#include <cstdint>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// Waiting for a core, by a rank's threads or, if unknown, by some task of its host.
struct CoreWait {
  double share = 0;  // of the time
  bool is_of_rank = false;
};

struct ContendedHosts {
  explicit ContendedHosts(const RuleInput& input);
  std::vector<CoreWait> waits;              // by rank
  std::vector<std::uint32_t> ranks;         // that wait much, ascending
  std::vector<std::uint32_t> slower_ranks;  // of these, those slower than their peers
  std::vector<std::uint32_t> others;        // slow hosts that do not wait for cores
};

// Adds each rank's wait for cores to its row of evidence, if telemetry has it.
void TellCoreWaits(const RuleInput& input, Cause& cause);

}  // namespace rankscope
