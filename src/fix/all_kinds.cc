#include "fix/all_kinds.h"

#include <algorithm>
#include <array>

#include "fix/kinds/kinds.h"

namespace rankscope::fix {

std::span<const Kind* const> AllKinds() {
  static const std::array<const Kind*, 20> kKinds = {
      // What another builds on stands before it: non-blocking copies need pinned memory, and
      // autocast goes inside of what is put around forward and backward.
      &LoaderWorkers(),    &PinMemory(),   &NonBlocking(),
      &Optimizer(),        &ZeroGrad(),    &Tf32(),
      &NoSync(),           &Autocast(),    &SumOnDevice(),
      &PrintSeldom(),      &StaticGraph(), &BucketSize(),
      &GcFreeze(),         &EmptyCache(),  &ExpandableSegments(),
      &Compile(),          &Attention(),   &TrainerArguments(),
      &LightningTrainer(), &AnomalyMode()};
  return kKinds;
}

bool IsAnswered(std::string_view finding) {
  return std::ranges::any_of(AllKinds(), [&](const Kind* kind) {
    return std::ranges::find(kind->findings, finding) != kind->findings.end();
  });
}

}  // namespace rankscope::fix
