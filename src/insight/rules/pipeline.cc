// pipeline-bubble and pipeline-stage-imbalance: stages that idle.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/layout/analyses.h"
#include "base/median.h"
#include "insight/cause_tools.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"
#include "schemas/layout.h"

namespace rankscope {
namespace {

struct Stage {
  std::vector<std::uint32_t> ranks;
  double compute_ns = 0;  // of a rank's step, in the mean, without the optimizer
  double attention = 0;   // kernels of a rank's step that each layer has one of
};

bool IsOfPasses(const NodeKind& kind) {
  return kind.work == Work::kCompute &&
         (kind.phase == Phase::kForward || kind.phase == Phase::kBackward);
}

std::map<std::int32_t, Stage> StagesOf(const RuleInput& input) {
  std::map<std::int32_t, Stage> stages;
  const JobLayout& layout = input.across().layout();
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    const std::int32_t stage = layout.places[rank].Of(Dimension::kPipeline);
    if (stage >= 0) stages[stage].ranks.push_back(rank);
  }
  if (stages.size() < 2) return {};
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    const std::int32_t at = layout.places[input.RankOf(node)].Of(Dimension::kPipeline);
    if (at < 0 || !IsOfPasses(kind)) return;
    Stage& stage = stages[at];
    const auto each = 1.0 / static_cast<double>(stage.ranks.size() * input.counted().size());
    stage.compute_ns += each * static_cast<double>(input.graph().nodes()[node].duration_ns);
    if (kind.kernel_class == KernelClass::kAttention) stage.attention += each;
  });
  return stages;
}

void FindImbalance(const RuleInput& input, const std::map<std::int32_t, Stage>& stages,
                   std::vector<Cause>& causes) {
  // Layers are counted by what each has one of; embedding and head, which only the ends have, are
  // not what is meant.
  std::vector<double> layers;
  layers.reserve(stages.size());
  for (const auto& [number, stage] : stages) layers.push_back(stage.attention);
  std::vector<double> sorted = layers;
  const double usual = MedianOf(sorted);
  if (usual <= 0) return;
  const double lower = std::min(usual, *std::min_element(layers.begin(), layers.end()) * 1.0001);
  std::vector<std::uint32_t> ranks;
  Scenario without = input.recorded();
  double lost = 0;
  std::vector<NodeId> nodes;
  std::string which;
  std::map<std::uint32_t, double> factor;  // by rank of such stages
  const double reference = stages.size() > 2 ? usual : lower;
  for (const auto& [number, stage] : stages) {
    if (stage.attention < kMoreLayers * reference) continue;
    for (const std::uint32_t rank : stage.ranks) factor[rank] = reference / stage.attention;
    ranks.insert(ranks.end(), stage.ranks.begin(), stage.ranks.end());
    lost += stage.compute_ns * (1 - reference / stage.attention) *
            static_cast<double>(stage.ranks.size());
    which += fmt::format("{}{}", which.empty() ? "" : ", ", number);
  }
  if (ranks.empty()) return;
  std::sort(ranks.begin(), ranks.end());
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    const auto found = factor.find(input.RankOf(node));
    const NodeKind& kind = input.graph().KindOf(node);
    if (found == factor.end() || input.graph().StepOf(node) == kNoStep) continue;
    const bool is_host = !IsDevice(kind.work) && kind.work != Work::kDataLoading;
    // What layers exchange goes with them; sends between stages stay.
    const std::uint32_t meeting = input.graph().nodes()[node].rendezvous;
    const bool is_exchange = kind.work == Work::kCommunication && meeting != kNoRendezvous &&
                             input.graph().meetings()[meeting].collective != UINT32_MAX &&
                             kind.phase != Phase::kAfter;
    if (!IsOfPasses(kind) && !is_host && !is_exchange) continue;
    without.SetDuration(
        node, static_cast<std::int64_t>(
                  static_cast<double>(input.graph().nodes()[node].duration_ns) * found->second));
    if (input.Counts(node) && !is_host) nodes.push_back(node);
  }
  Cause cause;
  cause.id = "pipeline-stage-imbalance";
  cause.tier = Tier::kRoot;
  cause.ranks = ranks;
  cause.lost_ns = static_cast<std::int64_t>(lost / static_cast<double>(ranks.size()));
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  for (const auto& [number, stage] : stages)
    cause.evidence.push_back(
        {{"stage", fmt::format("{}", number)},
         {"compute per step", TimeText(stage.compute_ns)},
         {"attention kernels per step", fmt::format("{:.0f}", stage.attention)}});
  cause.evidence_table = std::string(Pipeline::kName);
  cause.what = fmt::format(
      "stage {} of the pipeline has more layers than the others, which wait for it", which);
  cause.why =
      "kernels that every layer has one of, and the time of forward and backward, per stage; "
      "replayed with as many in that stage as in the median one, so what other stages take over is "
      "to be taken off";
  cause.recommendation =
      "Move layers to other stages (--decoder-first-pipeline-num-layers and its like in "
      "Megatron-LM, pipeline split points in torch.distributed.pipelining).";
  cause.command = "rankscope table pipeline TRACES";
  causes.push_back(std::move(cause));
}

// Of traces whose stages are told by their passes alone (lanes of a host's ranges), by the time of
// these.
void FindUnevenPasses(const RuleInput& input, std::vector<Cause>& causes) {
  const Table* const pipeline = input.Find(Pipeline::kName);
  if (pipeline == nullptr) return;
  const auto& columns = SchemaOf<Pipeline>();
  std::optional<std::size_t> slowest;
  double excess = 0;
  for (std::size_t row = 0; row < pipeline->row_count(); ++row) {
    excess = std::max(excess, pipeline->Known(row, columns.excess_pct).value_or(0));
    const double load = pipeline->Known(row, columns.load_pct).value_or(0);
    if (load < 100 * kMoreLayers) continue;
    if (!slowest || load > pipeline->Double(*slowest, columns.load_pct)) slowest = row;
  }
  if (!slowest || pipeline->IsNull(*slowest, columns.compute_pct)) return;
  const double load = pipeline->Double(*slowest, columns.load_pct) / 100;
  const double compute = pipeline->Double(*slowest, columns.compute_pct) / 100;
  const double window = pipeline->Known(*slowest, columns.window_ns).value_or(0);
  Cause cause;
  cause.id = "pipeline-stage-imbalance";
  cause.tier = Tier::kRoot;
  cause.ranks = AllRanks(input);
  // The pipeline moves at the pace of its slowest stage; with the mean of all it computes so much
  // less.
  cause.gain = compute * (1 - 1 / load);
  cause.gain_method = "estimate";
  cause.confidence = 0.6;
  cause.lost_ns = static_cast<std::int64_t>(*cause.gain * window);
  cause.what = fmt::format(
      "stage {} of the pipeline takes {} of the stages' mean for a forward and a backward; {} of "
      "the "
      "others' time is bubble that no schedule needs",
      pipeline->Int(*slowest, columns.stage), PercentText(load), PercentText(excess / 100));
  cause.why =
      "the passes of all stages: their mean time, and the bubble beyond that of the schedule";
  cause.recommendation =
      "Move layers from that stage to others; the last one also has the output layer and the loss.";
  cause.command = "rankscope table pipeline TRACES";
  causes.push_back(std::move(cause));
}

void FindBubble(const RuleInput& input, const std::map<std::int32_t, Stage>& stages,
                std::vector<Cause>& causes) {
  const Table* const pipeline = input.Find(Pipeline::kName);
  if (pipeline == nullptr || pipeline->row_count() == 0) return;
  const auto& columns = SchemaOf<Pipeline>();
  std::int64_t batches = 0, chunks = 1;
  double window = 0;
  for (std::size_t row = 0; row < pipeline->row_count(); ++row) {
    batches = std::max(batches, pipeline->Known(row, columns.micro_batches).value_or(0));
    chunks = std::max(chunks, pipeline->Known(row, columns.virtual_stages).value_or(1));
    window = std::max(window, pipeline->Known(row, columns.window_ns).value_or(0));
  }
  const auto p = static_cast<double>(stages.size());
  const auto m = static_cast<double>(batches * chunks);
  if (m <= 0 || m >= kEnoughBatches * p) return;
  // (p - 1) / (m + p - 1) of the window is empty; with kEnoughBatches per stage less is. Smaller
  // micro-batches are less efficient: kPartOfBubble of that is promised.
  const auto ideal = [&](double n) { return (p - 1) / (n + p - 1); };
  const double shorter = 1 - (1 - ideal(m)) / (1 - ideal(kEnoughBatches * p));
  Cause cause;
  cause.id = "pipeline-bubble";
  cause.tier = Tier::kNature;
  cause.ranks = AllRanks(input);
  cause.gain = kPartOfBubble * shorter * std::min(1.0, window / input.step_ns());
  cause.gain_method = "estimate";
  cause.lost_ns = static_cast<std::int64_t>(ideal(m) * window);
  cause.confidence = 0.7;
  cause.what = fmt::format(
      "{} stages with {} micro-batches leave {} of the pipeline's time empty by their schedule",
      stages.size(), batches, PercentText(ideal(m)));
  cause.why =
      "passes of all stages; a schedule of one forward, one backward leaves (p - 1) / (m + p - 1) "
      "empty";
  cause.recommendation = fmt::format(
      "More and smaller micro-batches ({} or more), an interleaved schedule "
      "(--num-layers-per-virtual-pipeline-stage), or a zero-bubble schedule.",
      static_cast<int>(kEnoughBatches * p));
  cause.command = "rankscope table pipeline TRACES";
  causes.push_back(std::move(cause));
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const std::map<std::int32_t, Stage> stages = StagesOf(input);
  if (stages.empty()) return FindUnevenPasses(input, causes);
  FindImbalance(input, stages, causes);
  FindBubble(input, stages, causes);
}

}  // namespace

const Rule& PipelineRule() {
  static const Rule kRule{.ids = {"pipeline-bubble", "pipeline-stage-imbalance"},
                          .tables = {&PipelineAnalysis()},
                          .find = Find,
                          .needs_graph = false};
  return kRule;
}

}  // namespace rankscope
