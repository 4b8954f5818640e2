// memory-pressure: device memory is nearly full, so that allocations fail and are tried again.
#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "insight/evidence/allocator_calls.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> Find(const RuleInput& input) {
  const auto& calls = input.Shared<AllocatorTraffic>();
  if (calls.sums().empty() || !calls.Fail()) return std::nullopt;
  Cause cause = calls.ToCause();
  cause.what = fmt::format(
      "allocations fail for want of device memory, the cache is given back and they are tried "
      "again, {:.0f} calls a step, {} in all",
      calls.sums().CountPerStep(), TimeText(calls.sums().LostPerStep()));
  if (calls.IsExpandable()) {
    cause.recommendation =
        "Activation checkpointing, smaller micro-batches, sharded parameters and optimizer state "
        "(FSDP, ZeRO); segments are expandable already.";
  }
  return cause;
}

}  // namespace

const Rule& MemoryPressureRule() {
  static const Rule kRule{
      .id = "memory-pressure",
      .summary = "device memory is nearly full",
      .takes = Takes::kAllocator,
      .find = Find,
      .why =
          "calls that allocate and free device memory inside steps: more ask than give back, "
          "though memory does not grow",
      .recommendation =
          "Activation checkpointing, smaller micro-batches, sharded parameters and optimizer state "
          "(FSDP, ZeRO); PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True against fragmentation.",
      .command = "rankscope table allocator_calls TRACES",
  };
  return kRule;
}

}  // namespace rankscope
