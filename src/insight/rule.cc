#include "insight/rule.h"

#include <array>

#include "insight/rules/rules.h"

namespace rankscope {

std::span<const Rule* const> AllRules() {
  static const std::array kRules = {
      &SlowGpuRule(),         &SlowHostRule(),      &InputRule(),
      &HostStallRule(),       &HostSyncRule(),      &AllocatorRule(),
      &PageableCopyRule(),    &SlowTransfersRule(), &ExposedCommunicationRule(),
      &CollectiveCountRule(), &WorkImbalanceRule(), &PipelineRule(),
      &MatrixRule(),          &ShortKernelsRule(),  &UnfusedRule(),
      &MemoryRule(),
  };
  return kRules;
}

}  // namespace rankscope
