// memory-pressure: device memory seems to be nearly full: allocations fail and are tried again.
#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "insight/evidence/host_work/allocator_calls.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindMemoryPressure(const RuleInput& input) {
  const auto& calls = input.Shared<AllocatorTraffic>();
  if (calls.sums().empty() || !calls.Fail()) return std::nullopt;
  Cause cause = calls.ToCause();
  // A cache that is emptied in the step may ask for other blocks than it gave back.
  cause.confidence = 0.6;
  cause.what = fmt::format(
      "the allocator asks the driver for memory more often than it gives some back, {}, "
      "{} in all: allocations that fail for want of memory and are tried again look so",
      CountAStep(calls.sums().CountPerStep(), "call").text, TimeText(calls.sums().LostPerStep()));
  cause.recommendation = fmt::format(
      "See torch.cuda.memory_stats()['num_alloc_retries']. Where it rises: activation "
      "checkpointing, smaller micro-batches, sharded parameters and optimizer state (FSDP, ZeRO){} "
      "Where it does not: no torch.cuda.empty_cache() in the step.",
      calls.IsExpandable()
          ? "; segments are expandable already."
          : "; PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True against fragmentation.");
  return cause;
}

}  // namespace

const Rule& MemoryPressureRule() {
  static const Rule kRule{
      .id = "memory-pressure",
      .summary = "device memory is nearly full",
      .takes = Takes::kAllocator,
      .find = FindMemoryPressure,
      .why =
          "calls that allocate and free device memory inside steps: more ask than give back, "
          "though memory does not grow",
      .command = "rankscope table allocator_calls TRACES",
  };
  return kRule;
}

}  // namespace rankscope
