// communication-contention: kernels take longer while their device communicates.
#include <fmt/core.h>

#include <utility>

#include "insight/base/cause_tools.h"
#include "insight/evidence/communication/beside_communication.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/setting/setting.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Communication takes a few multiprocessors and some bandwidth of the memory: a tenth longer beside
// it is usual, and a fifth is told.
constexpr double kUsualSlowdown = 1.1;
constexpr double kSlowerBeside = 1.2;
// What never runs alone is told by the others where these are so many kernels, and so much of the
// time beside communication.
constexpr std::size_t kEnoughKernels = 2;
constexpr double kEnoughCompared = 0.15;

// What kernels take beside communication, in steps that count, and what they take alone.
struct ComparedProducts {
  double beside_ns = 0, alone_ns = 0;
  double others_ns = 0;  // beside it, of those that never run alone
  double Times() const { return alone_ns > 0 ? beside_ns / alone_ns : 0; }
  double Share() const { return beside_ns / (beside_ns + others_ns); }
};

ComparedProducts Compare(const RuleInput& input, const BesideCommunication& beside) {
  ComparedProducts compared;
  const auto duration = [&](NodeId node) {
    return static_cast<double>(input.graph().nodes().DurationOf(node));
  };
  for (const NodeId node : beside.nodes) {
    if (!input.Counts(node)) continue;
    compared.beside_ns += duration(node);
    compared.alone_ns += static_cast<double>(beside.AloneNs(node));
  }
  for (const NodeId node : beside.others)
    compared.others_ns += input.Counts(node) ? duration(node) : 0;
  return compared;
}

std::optional<Cause> FindCommunicationContention(const RuleInput& input) {
  const auto& beside = input.Shared<BesideCommunication>();
  const ComparedProducts compared = Compare(input, beside);
  if (compared.Times() < kSlowerBeside) return std::nullopt;
  const bool tell_others = beside.kernels >= kEnoughKernels && compared.Share() >= kEnoughCompared;
  Scenario without = input.recorded();
  NodeSums sums(input);
  const auto set = [&](NodeId node, double alone_ns) {
    const std::int64_t ns = input.graph().nodes().DurationOf(node);
    const auto usual = static_cast<std::int64_t>(kUsualSlowdown * alone_ns);
    if (ns <= usual) return;
    without.SetDuration(node, usual);
    sums.Add(node, static_cast<double>(ns - usual));
  };
  for (const NodeId node : beside.nodes) set(node, static_cast<double>(beside.AloneNs(node)));
  for (const NodeId node : beside.others) {
    if (tell_others)
      set(node, static_cast<double>(input.graph().nodes().DurationOf(node)) / compared.Times());
  }
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.confidence = 0.7;
  cause.what = fmt::format(
      "kernels take {:.3g} times as long while their device communicates as they do alone",
      compared.Times());
  if (compared.others_ns > 0)
    cause.what += fmt::format(" (by those that run in both ways, {} of the time beside it)",
                              PercentText(compared.Share()));
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
      .find = FindCommunicationContention,
      .why =
          "kernels of one name, inputs and launch, on one rank: those during which it communicates "
          "against those during which it does not. Replayed at a tenth longer than alone, which "
          "is usual; those that never run alone, by what the others take longer",
      .recommendation =
          "Give communication fewer multiprocessors as long as its links stay full (NCCL_MAX_CTAS, "
          "NCCL_MAX_NCHANNELS, or config.max_ctas of ProcessGroupNCCL's options), or let the "
          "switch reduce (NCCL_NVLS_ENABLE=1); move fewer bytes (gradients in 16 bits).",
      .command = "rankscope top kernels TRACES",
  };
  return kRule;
}

}  // namespace rankscope
