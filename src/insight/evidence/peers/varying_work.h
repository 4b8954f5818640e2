// Different amounts of work on ranks with the same role.
//
// Compares kernels (ops on ranks without devices) with different input shapes on peers, or missing
// on some peers. Longer times with equal shapes are another cause (slow-gpu).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

enum class VariesBy : std::uint8_t { kNothing, kTables, kExperts, kBatches };

// Whether an op of that name looks up embedding tables.
bool IsOfTables(std::string_view op);
// Kernels of embedding tables.
bool WorksOnTables(const NodeKind& kind);

struct VaryingWork {
  explicit VaryingWork(const RuleInput& input);

  VariesBy by = VariesBy::kNothing;   // kNothing: it does not vary
  std::vector<NodeId> nodes;          // of all steps
  std::vector<std::int64_t> even_ns;  // of each: with even shares
  std::vector<NodeId> by_values;      // of these, ascending: attention that differs in time alone
  std::vector<NodeId> heavier;        // of counted steps: those that take longer than that
  std::vector<double> of_rank;        // what they take over the counted steps
  std::vector<double> of_peers;       // by rank: the mean of that of its peers
  // The ranks with more work in the mean of all steps, beyond random variation between steps.
  std::vector<std::uint32_t> heavy;

  // Whether inputs' shapes differ at their place of a step, of half of this time or more: kernels
  // and launches differ for other reasons, too.
  bool ByShapes(const RuleInput& input) const;
  // Whether most of what takes longer than with even shares is attention over inputs of the same
  // shapes, on all peers.
  bool ByValues(const RuleInput& input) const;
  bool FewAreHeavy() const { return !heavy.empty() && 2 * heavy.size() <= of_rank.size(); }
  // "from 12.1 ms to 14.0 ms a step": the least and the most of a rank.
  std::string SpreadText(const RuleInput& input) const;
  // "from 36.0 ms on the rank with least of it to 48.6 ms on that with most, in the mean step": of
  // peers, step by step, as ranks that take turns take the same over all steps.
  std::string SpreadInStepText(const RuleInput& input) const;
  Scenario WithEvenShares(const RuleInput& input) const;
};

// Places and loss of these ranks.
Cause CauseOfVaryingWork(const RuleInput& input, const VaryingWork& work,
                         std::vector<std::uint32_t> ranks);

inline constexpr std::string_view kWhyVarying =
    "kernels whose input shapes differ from those at the same place of the same step on the ranks "
    "that do the same work; replayed with even shares";

}  // namespace rankscope
