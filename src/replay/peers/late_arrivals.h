// Late arrivals: which rank made others wait at which rendezvous, and why it was late.
//
// Every begin was determined by the end of one predecessor (binding.h), and every transfer by the
// member that came last. So from any begin one path leads back, through other rendezvous to their
// last members and to other ranks. The paths of the last and of the first member of a rendezvous
// meet; before that point they are the same, and do not affect the difference:
//
//     first  ----a----.                    skew = (length of b) - (length of a)
//                      >---- together
//     last   ------b-------
//
// The skew is charged to the excess of b over the usual time (excess.h), by rank and cause, minus
// the same excess of a, the largest sum first, until the skew is used up. The rest is usual work as
// far as b would be longer than a without their excess, and otherwise unexplained. Usual work up to
// the time that the host was blocked in calls that peers do not make is charged to these calls.
//
// The first member often waits on its stream for another rendezvous to which the same rank came
// late, with its own work long done (buckets of gradients). The last member still had to do the
// work that the first one did in that time. Then a begins with the other predecessors of the first
// member on its device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "replay/peers/excess.h"
#include "replay/peers/peers.h"
#include "replay/scenario/scenario.h"

namespace rankscope {

// A part of a skew and its root cause.
struct LateRoot {
  std::uint32_t who = 0;  // of LateArrivals::Who
  LateCause cause = LateCause::kUnexplained;
  std::int64_t blamed_ns = 0;
  // The node with the largest excess of that cause on the path; kNoNode for usual work and
  // unexplained.
  NodeId node = kNoNode;
};

struct LateArrival {
  std::uint32_t meeting = 0;
  std::uint32_t step = 0;
  NodeId last = kNoNode;
  NodeId first = kNoNode;
  std::int64_t skew_ns = 0;  // from the first arrival to the last
  std::int64_t wait_ns = 0;  // of all members, to the last arrival
  std::int64_t lead_ns = 0;  // from the last but one to the last
  std::uint32_t first_root = 0;
  std::uint32_t root_count = 0;  // at least one; their blamed_ns sum to the skew
};

class LateArrivals {
 public:
  // The clock uncertainty between begins of two ranks (dense numbers); nullopt: they cannot be
  // compared.
  using Tolerance = std::function<std::optional<std::int64_t>(std::uint32_t, std::uint32_t)>;

  // For the rendezvous of counted steps; `replay` is that of the recording. O(n log n), plus for
  // every rendezvous the pieces of its two paths, at most kMostPieces. A piece is the part between
  // two points where paths of other rendezvous branch off.
  LateArrivals(const JobGraph& graph, const Replay& replay, const Peers& peers,
               const Places& places, const Tolerance& tolerance);

  // In the order of the graph's rendezvous.
  const std::vector<LateArrival>& all() const { return all_; }
  // Each rank and cause at most once: the largest first, then usual work, then unexplained.
  std::span<const LateRoot> RootsOf(const LateArrival& arrival) const {
    return std::span(roots_).subspan(arrival.first_root, arrival.root_count);
  }
  // One rank, or for a transfer the members of the rendezvous, ascending.
  const std::vector<std::uint32_t>& Who(std::uint32_t who) const { return who_[who]; }

  static constexpr std::size_t kMostPieces = 2'000;

 private:
  class Finder;

  std::vector<LateArrival> all_;
  std::vector<LateRoot> roots_;
  std::vector<std::vector<std::uint32_t>> who_;
};

}  // namespace rankscope
