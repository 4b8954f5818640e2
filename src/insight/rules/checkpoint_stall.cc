// checkpoint-stall: the training waits while a checkpoint is written.
#include "insight/evidence/host_work/host_stalls.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindCheckpointStall(const RuleInput& input) {
  return CauseOfStalls(input, StallsOf(input, Work::kCheckpoint),
                       {"writes a checkpoint while the training waits",
                        "write a checkpoint while the training waits"});
}

}  // namespace

const Rule& CheckpointStallRule() {
  static const Rule kRule{
      .id = "checkpoint-stall",
      .summary = "all ranks stop while a checkpoint is written",
      .tier = Tier::kRoot,
      .takes = Takes::kHostWork,
      .find = FindCheckpointStall,
      .why = "host time inside ranges and frames that write checkpoints",
      .recommendation =
          "Write checkpoints asynchronously: torch.distributed.checkpoint.async_save copies to "
          "pinned memory and writes from another thread.",
      .command = "rankscope table critical_path_events TRACES",
      .shown_in = {"step_spread"},
  };
  return kRule;
}

}  // namespace rankscope
