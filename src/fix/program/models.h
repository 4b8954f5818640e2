// Models and optimizers of a training program.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fix/base/source_file.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// A call that constructs one of torch.optim's optimizers.
struct OptimizerCall {
  Node call;
  std::string name;  // "AdamW"
};
std::vector<OptimizerCall> OptimizersOf(const SourceFile& file);

// Names whose parameters() an optimizer of the file gets, or that DDP wraps.
std::set<std::string> ModelNames(const SourceFile& file);

// Calls that construct DistributedDataParallel.
std::vector<Node> DdpCalls(const SourceFile& file);

}  // namespace rankscope::fix
