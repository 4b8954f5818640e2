// Time of hosts in data-loading ranges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

struct DataLoading {
  explicit DataLoading(const RuleInput& input);

  std::vector<std::int64_t> of_rank;            // over the counted steps
  std::vector<std::int64_t> usual_of;           // the median of the rank's peers
  std::vector<std::vector<std::int64_t>> each;  // by rank: each of its loadings
  std::vector<std::int64_t> fetches;            // by rank: stretches of them, one behind the other
  // The ranks that wait far longer than their peers: twice as long, by at least 1% of a step, and
  // with at least eight peers beyond their scatter. Where some do in most steps and others in a
  // few, only the former. None if at least half of all ranks do.
  std::vector<std::uint32_t> late;
};

// The loss, places and replay if these ranks waited at most `usual_ns` for a batch.
Cause CauseOfLoading(const RuleInput& input, const DataLoading& loading,
                     const std::vector<std::uint32_t>& ranks, std::int64_t usual_ns);

// Whether the training processes make their batches themselves (num_workers=0), by the marks of
// PyTorch's loader. False without such marks, or if one is of a loader with workers.
bool IsLoadedInProcess(const RuleInput& input);

// ": 316 ms in 1 step of 11": what such a cause's ranks wait in its steps; "" where it is all
// steps.
std::string LoadingInFewSteps(const RuleInput& input, const Cause& cause);

}  // namespace rankscope
