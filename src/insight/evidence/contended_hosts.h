// Ranks whose threads wait for cores, as telemetry shows.
#pragma once

#include <cstdint>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// Waiting for a core, of a rank's threads or, where that is not known, of some task of its host.
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

// Puts how long each rank waits for cores into its row of evidence, where telemetry has it.
void TellCoreWaits(const RuleInput& input, Cause& cause);

}  // namespace rankscope
