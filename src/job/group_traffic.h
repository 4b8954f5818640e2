// The exchanges of the ranks of a process group, and the matching kind of parallelism.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "job/job_collectives.h"
#include "job/rank_work.h"

namespace rankscope {

// Collectives of one op in one part of a step.
struct Flow {
  double count = 0;  // per rank and step
  double bytes = 0;  // full buffers, per rank and step; unknown sizes do not count
};

struct GroupTraffic {
  std::array<std::array<Flow, kStepPartCount>, kCollectiveOpCount> flows{};
  // All-reduces with the most frequent size per rank and step, in forward and in backward.
  double same_in_forward = 0;
  double same_in_backward = 0;
  // All-to-alls in forward, by their bytes: the share with different amounts per rank, and the
  // share of different sizes. Exchanges of routers are uneven and vary; backward repeats forward's
  // sizes, so it is not used. 0 without any.
  double uneven_exchanges = 0;
  double different_exchanges = 0;
  // Ranks with the first all-to-all of a step before the step's first attention, and after it. An
  // exchange that distributes a sequence must come first; one that distributes tokens among experts
  // cannot.
  std::int64_t exchanges_first = 0;
  std::int64_t attention_first = 0;
  // Sends go round in a ring: inside forward and backward alike, or from each rank to one other and
  // back from none.
  bool is_ring = false;
  std::int64_t members = 0;     // examined
  std::int64_t rank_steps = 0;  // of these

  double Count(CollectiveOp op) const;
  double Count(CollectiveOp op, StepPart part) const;
  double Bytes() const;  // of all ops
};

// One entry per group of `all`; `work` is by dense number of the rank. O(events).
std::vector<GroupTraffic> TrafficOfGroups(const JobCollectives& all,
                                          std::span<const RankWork> work);

// The kind of parallelism of an exchange.
enum class TrafficKind : std::uint8_t {
  kNone,       // nothing, or a few bytes: norms, losses, flags
  kTensor,     // activations are reduced in forward and backward alike
  kPipeline,   // sends between neighbours
  kRing,       // sends round a ring, in backward too: blocks of keys and values
  kExperts,    // all-to-all of tokens
  kSequence,   // all-to-all around attention (Ulysses)
  kTables,     // all-to-all of embedding tables' rows
  kSharded,    // parameters (or keys and values) are gathered in forward, reduced and scattered in
               // backward
  kGradients,  // reduced in or behind the backward only
  kUnclear
};
std::string_view ToString(TrafficKind kind);

// `work` is that of a rank of the group. One kind, or two if tokens (or tables) are exchanged and
// gradients reduced in the same group, the main one first; never empty.
std::vector<TrafficKind> KindsOf(const GroupTraffic& traffic, const RankWork& work);

}  // namespace rankscope
