// uneven-work: some ranks have more to compute than their peers.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/peers/rank_excess.h"
#include "insight/evidence/peers/same_inputs.h"
#include "insight/evidence/peers/work_in_turn.h"
#include "insight/evidence/setting/device_models.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

constexpr double kAllOfIt = 0.9;
constexpr double kMostOfIt = 0.5;

constexpr std::string_view kOtherLibraries =
    "Compare what chooses kernels between these hosts and the others: versions of PyTorch, CUDA, "
    "cuBLAS, cuDNN and NCCL, the environment (NVIDIA_TF32_OVERRIDE, CUBLAS_*, TORCH_*), flags of "
    "torch.backends, caches of autotuning. `rankscope table kernels_by_rank` has the kernels of "
    "each rank.";
constexpr std::string_view kOtherOps =
    "These ranks take another path through the model: compare versions and optional packages "
    "(flash-attn, xformers, apex, Transformer Engine) on these hosts with the others', the "
    "backends "
    "that torch.nn.attention.sdpa_kernel allows, and settings by rank.";
constexpr std::string_view kMoreWork =
    "Look at what these ranks get: longer batches (pack sequences, or sort them by length), larger "
    "shards, more experts or layers.";

// "aten::bmm, aten::div and 4 others"
std::string FirstOf(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", names[i]);
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

bool HasShapes(const JobGraph& graph) {
  return std::ranges::any_of(graph.kinds(), [](const NodeKind& kind) {
    return kind.work == Work::kCompute && !kind.shapes.empty();
  });
}

// On other ranks from step to step.
std::optional<Cause> FindInTurn(const RuleInput& input) {
  const std::optional<WorkInTurn> work = FindWorkInTurn(input);
  if (!work) return std::nullopt;
  Cause cause;
  work->beyond.sums().TellIn(cause);
  cause.without = work->beyond.WithoutAndItsWaits();
  if (input.GainOf(*cause.without) < kMediumGain) return std::nullopt;
  cause.what =
      fmt::format("{} more to do: kernels that most peers do not run in that step, {} a step",
                  work->who.starts_with("1 ") ? work->who + " has" : work->who + " have",
                  TimeText(work->most_ns));
  cause.why =
      "kernels at places of the step that at most half of the ranks have which do the same; "
      "replayed without them, their launches and waits for them";
  cause.recommendation =
      "Share out what makes the length of a step: sequences to generate or to train on, sorted by "
      "length and dealt out evenly, or taken from one queue; a limit on the longest (partial "
      "rollouts that go on in the next step); generation that does not wait for all.";
  return cause;
}

std::optional<Cause> FindUnevenWork(const RuleInput& input) {
  const std::vector<std::uint32_t> ranks = RanksBeyond(input, Beyond::kWork);
  if (ranks.empty()) return FindInTurn(input);
  // The same work in other kernels: of another model of device, that is uneven-devices.
  const SameInputs inputs(input, ranks);
  const bool is_same_work = inputs.Hold();
  if (AreOfOtherModels(input, ranks) && is_same_work) return std::nullopt;
  Cause cause = CauseOfExcess(input, Beyond::kWork, ranks);
  // Where nearly all of it is that the same kernels take longer, there is no more work. Longer
  // batches leave kernels of one launch shape, too, that take longer beside those of others.
  const Cause slower = CauseOfExcess(input, Beyond::kKernels, ranks);
  if (static_cast<double>(slower.lost_ns.value_or(0)) >
      kAllOfIt * static_cast<double>(cause.lost_ns.value_or(0)))
    return std::nullopt;
  const LossWords loss = LossOf(input, cause);
  const std::string who = WhoText(input, ranks);
  const std::string_view s = ranks.size() == 1 ? "s" : "";
  const SameInputs::OtherOps ops = inputs.OpsOfOneSide();
  // Without: inputs that are not told, such as lists of tensors, differ.
  if (is_same_work && inputs.HaveOtherKernels()) {
    cause.what = fmt::format(
        "{} run{} other kernels than the ranks that do the same, for the same inputs, and take{} "
        "{} more {}",
        who, s, s, loss.time, loss.when);
    cause.recommendation = kOtherLibraries;
  } else if (!ops.these.empty() && !ops.others.empty() &&
             ops.these_ns >= kMostOfIt * static_cast<double>(cause.lost_ns.value_or(0))) {
    cause.what =
        fmt::format("{} run{} {} where the ranks that do the same run {}, and take{} {} more {}",
                    who, s, FirstOf(ops.these), FirstOf(ops.others), s, loss.time, loss.when);
    cause.recommendation = kOtherOps;
  } else {
    cause.what = fmt::format(
        "{} compute{} {} {} more than the ranks that do the same: work of other sizes, or more of "
        "it",
        who, s, loss.time, loss.when);
    if (HasShapes(input.graph())) cause.recommendation = kMoreWork;
  }
  return cause;
}

}  // namespace

const Rule& UnevenWorkRule() {
  static const Rule kRule{
      .id = "uneven-work",
      .summary = "some ranks have more to compute than their peers",
      .tier = Tier::kBeyondPeers,
      .takes = Takes::kMoreWork,
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindUnevenWork,
      .why =
          "kernels at the same place of the step that differ from those of the other ranks in "
          "inputs, "
          "launch shape or number; replayed with what these take",
      .recommendation =
          "Look at what these ranks get: longer batches (pack sequences, or sort them by length), "
          "larger shards, more experts or layers. Record shapes (record_shapes=True) to see which "
          "dimension differs.",
      .command = "rankscope table kernels_by_rank TRACES",
  };
  return kRule;
}

}  // namespace rankscope
