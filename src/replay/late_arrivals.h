// Late arrivals: who let whom wait at which rendezvous, and why it was late.
//
// Every begin was decided by the end of one thing that it waited for (binding.h), and a transfer by
// the member that came last. So from any begin one way leads back, through other rendezvous to
// their last members, onto other ranks. The ways of the last and of the first member of a
// rendezvous meet; until there they are the same, and have no part in the difference:
//
//     first  ----a----.                    skew = (length of b) - (length of a)
//                      >---- together
//     last   ------b-------
//
// What b has in excess of the usual (excess.h), by rank and cause, less what a has of the same, is
// charged with the skew, the largest sum first, until all of it is. What is left is usual work as
// far as b would be longer than a without their excess, else it is unexplained; of usual work as
// much as the host was held in blocking calls that peers do not make is charged to these.
//
// The first member often waits on its stream behind another rendezvous to which the same rank came
// late, with its own work long done (buckets of gradients). What it did meanwhile the last one
// still had to do. Then a begins with what else the first one waited for on its device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "replay/excess.h"
#include "replay/peers.h"
#include "replay/scenario.h"

namespace rankscope {

// A part of a skew and whose it is.
struct LateRoot {
  std::uint32_t who = 0;  // of LateArrivals::Who
  LateCause cause = LateCause::kUnexplained;
  std::int64_t blamed_ns = 0;
  // With the largest excess of that cause on the way; kNoNode of usual work and what is
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
  // How far begins of two ranks (dense numbers) may be apart by the clocks alone; nullopt: they
  // cannot be compared.
  using Tolerance = std::function<std::optional<std::int64_t>(std::uint32_t, std::uint32_t)>;

  // Of the rendezvous of counted steps; `replay` is that of the recording. O(n log n), and for
  // every rendezvous the pieces of its two ways, at most kMostPieces: what stands between two
  // points at which ways of other rendezvous branch off.
  LateArrivals(const JobGraph& graph, const Replay& replay, const Peers& peers,
               const Places& places, const Tolerance& tolerance);

  // In the order of the graph's rendezvous.
  const std::vector<LateArrival>& all() const { return all_; }
  // A rank and cause at most once: the largest first, then usual work, then what is unexplained.
  std::span<const LateRoot> RootsOf(const LateArrival& arrival) const {
    return std::span(roots_).subspan(arrival.first_root, arrival.root_count);
  }
  // One rank, or of a transfer the members of the rendezvous, ascending.
  const std::vector<std::uint32_t>& Who(std::uint32_t who) const { return who_[who]; }

  static constexpr std::size_t kMostPieces = 2'000;

 private:
  class Finder;

  std::vector<LateArrival> all_;
  std::vector<LateRoot> roots_;
  std::vector<std::vector<std::uint32_t>> who_;
};

}  // namespace rankscope
