// The kinds of patches, each in its own file. all_kinds.h lists them.
#pragma once

#include "fix/base/kind.h"

namespace rankscope::fix {

const Kind& LoaderWorkers();
const Kind& PinMemory();
const Kind& NonBlocking();
const Kind& Optimizer();
const Kind& ZeroGrad();
const Kind& Tf32();
const Kind& Autocast();
const Kind& SumOnDevice();
const Kind& PrintSeldom();
const Kind& StaticGraph();
const Kind& BucketSize();
const Kind& NoSync();
const Kind& GcFreeze();
const Kind& EmptyCache();
const Kind& ExpandableSegments();
const Kind& Compile();
const Kind& Attention();
const Kind& TrainerArguments();
const Kind& LightningTrainer();
const Kind& AnomalyMode();

}  // namespace rankscope::fix
