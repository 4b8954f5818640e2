#include "fix/all_kinds.h"

#include <algorithm>
#include <array>

#include "fix/kinds/kinds.h"

namespace rankscope::fix {

std::span<const Kind* const> AllKinds() {
  static const std::array<const Kind*, 19> kKinds = {
      &LoaderWorkers(), &PinMemory(),
      &NonBlocking(),  // needs pinned memory
      &Optimizer(),     &ZeroGrad(),           &Tf32(),
      &Autocast(),      &SumOnDevice(),        &PrintSeldom(),
      &StaticGraph(),   &BucketSize(),         &NoSync(),
      &GcFreeze(),      &ExpandableSegments(), &Compile(),
      &Attention(),     &TrainerArguments(),   &LightningTrainer(),
      &AnomalyMode(),
  };
  return kKinds;
}

bool IsAnswered(std::string_view finding) {
  return std::ranges::any_of(AllKinds(), [&](const Kind* kind) {
    return std::ranges::find(kind->findings, finding) != kind->findings.end();
  });
}

}  // namespace rankscope::fix
