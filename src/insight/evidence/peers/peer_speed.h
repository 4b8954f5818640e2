// Times of ranks for work that their peers also do.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// For a rank, over nodes of counted steps that its peers also have.
struct PeerSpeed {
  double own_ns = 0;
  double typical_ns = 0;  // of its peers
  double slower_ns = 0;   // of own, in nodes slower than typical by half of what makes a rank slow
  std::size_t places = 0, slower_places = 0;
};

// By rank, over the nodes with is_one(kind). A rank is slow from `slow` times its peers.
std::vector<PeerSpeed> SpeedOfRanks(const RuleInput& input, const Typical& typical, double slow,
                                    bool (*is_one)(const NodeKind&));

PeerSpeed SumOf(const std::vector<PeerSpeed>& speeds, const std::vector<std::uint32_t>& ranks);

// The loss of the cause's ranks, and a row of evidence for each: its time in the column `own`, that
// of its peers in `typical`.
void TellSpeed(const RuleInput& input, const std::vector<PeerSpeed>& speeds, const std::string& own,
               const std::string& typical, Cause& cause);

// The ranks with slow devices: in most of their computing, and in most places of the program.
struct SlowDevices {
  explicit SlowDevices(const RuleInput& input);
  std::vector<PeerSpeed> speeds;     // by rank
  std::vector<std::uint32_t> ranks;  // ascending
};

// The places where these slow devices lose time, and the replay with kernels as fast as their
// peers'.
Cause CauseOfSlowDevices(const RuleInput& input, std::vector<std::uint32_t> ranks);

// The ranks with slow CPUs, by the time of ops and launch calls.
struct SlowHosts {
  explicit SlowHosts(const RuleInput& input);
  std::vector<PeerSpeed> speeds;     // by rank
  std::vector<std::uint32_t> ranks;  // ascending
};

// The same for these slow hosts.
Cause CauseOfSlowHosts(const RuleInput& input, std::vector<std::uint32_t> ranks);

}  // namespace rankscope
