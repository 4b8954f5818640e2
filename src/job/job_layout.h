// The shape of a job: the dimensions along which its ranks work in parallel, and the place of each
// rank in them.
//
// The descriptions of process groups state the dimensions if they are meaningful. Otherwise the
// dimensions follow from what the ranks of a group exchange (group_traffic.h). A rank's coordinate
// in a dimension is its place in its group of that dimension, in the order of ranks. So the places
// of recorded ranks are known even when others are missing, as long as groups state their members.
//
// Ranks that train and ranks that only generate (no backward, no optimizer) are laid out apart.
//
//   tp, pp   the size of such groups
//   cp       the same; or of a sharded group whose ranks all belong to one group of gradients: what
//            is gathered there are keys and values
//   ep       the same; divides dp
//   dp       ranks that compute gradients of the same parameters: of a group that reduces them
//            (without cp where it includes that), or of the group that shards parameters times the
//            group of replicas; without such groups what is left of the world, and that is marked
//
// tp * cp * pp * dp must be the number of ranks of the role; whatever contradicts the layout is
// listed. The rules are those of Megatron-LM's and DeviceMesh's process groups.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "job/group_traffic.h"
#include "job/job_collectives.h"
#include "job/parallel_dimension.h"
#include "job/rank_work.h"

namespace rankscope {

enum class RankRole : std::uint8_t { kTrainer, kGenerator, kInference, kUnknown };
std::string_view ToString(RankRole role);  // "trainer", ...

enum class LayoutSource : std::uint8_t {
  kNames,    // descriptions of process groups
  kTraffic,  // what process groups exchange
  kRest,     // what the other dimensions leave of the ranks
  kGuess,    // names of files, processes and hosts (named_layout.h), where nothing else says it
  kAbsent,   // no group of this dimension was seen
};
std::string_view ToString(LayoutSource source);  // "names", ...

struct DimensionFit {
  std::int64_t degree = 1;
  LayoutSource source = LayoutSource::kAbsent;
  // A judgement of the source, not a probability: names 0.95, traffic 0.6 to 0.85, rest 0.5,
  // guess 0.3, absent 0.9 where the other dimensions explain all ranks and 0.5 else; 0.6 of that
  // per conflict.
  double confidence = 0;
  std::vector<std::uint32_t> groups;  // JobCollectives::groups() of it
  std::string traffic;                // what they exchange
  std::vector<std::string> conflicts;
};

using Coordinates = std::array<std::int32_t, kDimensionCount>;  // -1: not known

// The layout of the ranks of one role.
struct RoleLayout {
  RankRole role = RankRole::kUnknown;
  std::array<DimensionFit, kDimensionCount> dimensions;
  std::int64_t seen = 0;   // ranks of the role in the recordings
  std::int64_t ranks = 0;  // that there are by the metadata
  bool is_partial() const { return seen < ranks; }
  const DimensionFit& Of(Dimension dimension) const {
    return dimensions[static_cast<std::size_t>(dimension)];
  }
};

struct RankPlace {
  RankRole role = RankRole::kUnknown;
  Coordinates at{-1, -1, -1, -1, -1};
  std::int32_t Of(Dimension dimension) const { return at[static_cast<std::size_t>(dimension)]; }
};

struct JobLayout {
  std::vector<RoleLayout> roles;  // those that train first
  std::vector<RankPlace> places;  // by dense number of the rank
  // RankWork::process, by dense number of the rank.
  std::vector<std::string> processes;
};

// `work` is by dense number of the rank; `world_size` -1 when not stated.
JobLayout LayoutOf(const JobCollectives& all, std::span<const RankWork> work,
                   std::int64_t world_size);

}  // namespace rankscope
