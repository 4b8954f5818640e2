// allocator-thrash: memory is asked from the driver, and given back, in steady state.
#include <fmt/core.h>

#include <array>
#include <string>

#include "insight/base/cause_tools.h"
#include "insight/evidence/host_work/allocator_calls.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindAllocatorThrash(const RuleInput& input) {
  const auto& calls = input.Shared<AllocatorTraffic>();
  // Where they fail, that is memory-pressure.
  if (calls.sums().empty() || calls.Fail()) return std::nullopt;
  Cause cause = calls.ToCause();
  const double count = calls.sums().CountPerStep();
  const std::string often = TimesAStep(count);
  const std::string time = TimeText(calls.sums().LostPerStep());
  if (calls.PinsMemory()) {
    cause.what = fmt::format("memory of the host is pinned {}, {} in all", often, time);
    cause.recommendation =
        "Keep one pinned buffer and copy each batch into it (buffer.copy_(batch)), or let the "
        "loader's own thread pin batches (DataLoader(..., pin_memory=True)); no .pin_memory() in "
        "the loop.";
    return cause;
  }
  cause.what =
      fmt::format("memory is asked from the driver and given back {}, {} in all", often, time);
  if (calls.IsExpandable()) {
    cause.recommendation =
        "Segments are expandable already: keep shapes fixed or pad them to a few sizes; do not "
        "call torch.cuda.empty_cache() in the loop.";
  }
  return cause;
}

constexpr std::array<Advice, 2> kAllocatorThrashAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "XLA_PYTHON_CLIENT_PREALLOCATE=true (the default) with XLA_PYTHON_CLIENT_MEM_FRACTION=.9; "
     "donate buffers (donate_argnums)."},
    {[](const Setting& of) { return of.IsAmd(); },
     "PYTORCH_HIP_ALLOC_CONF=expandable_segments:True where this version of ROCm knows it, no "
     "PYTORCH_NO_CUDA_MEMORY_CACHING; keep shapes fixed or pad them to a few sizes; do not call "
     "torch.cuda.empty_cache() in the loop."},
}};

}  // namespace

const Rule& AllocatorThrashRule() {
  static const Rule kRule{
      .id = "allocator-thrash",
      .summary = "device memory is requested and freed in steady state",
      .takes = Takes::kAllocator,
      .find = FindAllocatorThrash,
      .why =
          "calls that allocate and free device or pinned memory inside steps, and what they wait "
          "for",
      .recommendation =
          "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; keep shapes fixed or pad them to a "
          "few sizes; do not call torch.cuda.empty_cache() in the loop.",
      .command = "rankscope table allocator_calls TRACES",
      .advice = kAllocatorThrashAdvice,
  };
  return kRule;
}

}  // namespace rankscope
