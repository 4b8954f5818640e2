// communication-contention: kernels take longer while their device communicates.
#include <fmt/core.h>

#include <algorithm>

#include "insight/base/cause_tools.h"
#include "insight/evidence/beside_communication.h"
#include "insight/evidence/node_sums.h"
#include "insight/evidence/setting.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Communication takes a few multiprocessors and some bandwidth of the memory: a tenth longer beside
// it is usual, and a fifth is told.
constexpr double kUsual = 1.1;
constexpr double kLonger = 1.2;

std::optional<Cause> Find(const RuleInput& input) {
  const auto& beside = input.Shared<BesideCommunication>();
  Scenario without = input.recorded();
  NodeSums sums(input);
  double took_ns = 0, alone_ns = 0;  // in steps that count
  for (const NodeId node : beside.nodes) {
    const std::int64_t ns = input.graph().nodes().DurationOf(node);
    const std::int64_t alone = beside.AloneNs(node);
    if (input.Counts(node)) {
      took_ns += static_cast<double>(ns);
      alone_ns += static_cast<double>(alone);
    }
    const auto usual = static_cast<std::int64_t>(kUsual * static_cast<double>(alone));
    if (ns <= usual) continue;
    without.SetDuration(node, usual);
    sums.Add(node, static_cast<double>(ns - usual));
  }
  if (sums.empty() || took_ns < kLonger * alone_ns) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.confidence = 0.7;
  cause.what = fmt::format(
      "kernels take {:.3g} times as long while their device communicates as they do alone: {} a "
      "step beside communication",
      took_ns / alone_ns, TimeText(sums.PerStep(took_ns)));
  if (input.Shared<Setting>().IsAmd())
    cause.recommendation =
        "Give communication fewer compute units (NCCL_MAX_NCHANNELS) as long as its links stay "
        "full, or let products leave some free; move fewer bytes (gradients in 16 bits).";
  return cause;
}

}  // namespace

const Rule& CommunicationContentionRule() {
  static const Rule kRule{
      .id = "communication-contention",
      .summary = "kernels take longer while their device communicates",
      .tier = Tier::kNature,
      .takes = Takes::kSlowerKernels,
      .find = Find,
      .why =
          "kernels of one name, inputs and launch, on one rank: those during which it communicates "
          "against those during which it does not. Replayed at a tenth longer than alone, which "
          "is usual",
      .recommendation =
          "Give communication fewer multiprocessors as long as its links stay full (NCCL_MAX_CTAS, "
          "NCCL_MAX_NCHANNELS, or config.max_ctas of ProcessGroupNCCL's options), or let the "
          "switch reduce (NCCL_NVLS_ENABLE=1); move fewer bytes (gradients in 16 bits).",
      .command = "rankscope top kernels TRACES",
  };
  return kRule;
}

}  // namespace rankscope
