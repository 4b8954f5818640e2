// How long ranks take for what their peers do, too.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// Of a rank, over nodes of counted steps that its peers have, too.
struct PeerSpeed {
  double own_ns = 0;
  double typical_ns = 0;  // of its peers
  double slower_ns = 0;   // of own, in nodes slower than typical by half of what makes a rank slow
  std::size_t places = 0, slower_places = 0;
};

// By rank, over the nodes of which is_one(kind). A rank is slow from `slow` times its peers' on.
std::vector<PeerSpeed> SpeedOfRanks(const RuleInput& input, const Typical& typical, double slow,
                                    bool (*is_one)(const NodeKind&));

PeerSpeed SumOf(const std::vector<PeerSpeed>& speeds, const std::vector<std::uint32_t>& ranks);

// What the cause's ranks lose, and a row of evidence for each: what it takes under the column
// `own`, what it takes its peers under `typical`.
void TellSpeed(const RuleInput& input, const std::vector<PeerSpeed>& speeds, const std::string& own,
               const std::string& typical, Cause& cause);

// The ranks whose devices are slow: in most of what they compute, and most places of the program.
struct SlowDevices {
  explicit SlowDevices(const RuleInput& input);
  std::vector<PeerSpeed> speeds;     // by rank
  std::vector<std::uint32_t> ranks;  // ascending
};

// Where these slow devices lose time, and the replay with kernels as long as their peers'.
Cause CauseOfSlowDevices(const RuleInput& input, std::vector<std::uint32_t> ranks);

// The ranks whose processors are slow: in what ops and launch calls take.
struct SlowHosts {
  explicit SlowHosts(const RuleInput& input);
  std::vector<PeerSpeed> speeds;     // by rank
  std::vector<std::uint32_t> ranks;  // ascending
};

// The same of these slow hosts.
Cause CauseOfSlowHosts(const RuleInput& input, std::vector<std::uint32_t> ranks);

}  // namespace rankscope
