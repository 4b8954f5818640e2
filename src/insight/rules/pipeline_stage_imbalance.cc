// pipeline-stage-imbalance: one pipeline stage has more work than the rest.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "analysis/layout/analyses.h"
#include "base/median.h"
#include "base/number_set.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/assignment.h"
#include "insight/evidence/pipeline_stages.h"
#include "insight/rules/rules.h"
#include "schemas/layout.h"

namespace rankscope {
namespace {

// Of the mean of all stages: as much more is above it.
constexpr double kAboveMean = 1.01;

// Of traces whose stages are told by their passes alone (lanes of a host's ranges), by the time of
// these.
std::optional<Cause> FindUnevenPasses(const RuleInput& input) {
  const auto pipeline = input.Find<Pipeline>();
  if (!pipeline) return std::nullopt;
  const auto& columns = SchemaOf<Pipeline>();
  std::optional<std::size_t> slowest;
  double excess = 0;
  for (std::size_t row = 0; row < pipeline->row_count(); ++row) {
    excess = std::max(excess, pipeline->Known(row, columns.excess_pct).value_or(0));
    const double load = pipeline->Known(row, columns.load_pct).value_or(0);
    if (load < 100 * kMoreLayers) continue;
    if (!slowest || load > pipeline->Double(*slowest, columns.load_pct)) slowest = row;
  }
  if (!slowest || pipeline->IsNull(*slowest, columns.compute_pct)) return std::nullopt;
  const double load = pipeline->Double(*slowest, columns.load_pct) / 100;
  const double compute = pipeline->Double(*slowest, columns.compute_pct) / 100;
  const double window = pipeline->Known(*slowest, columns.window_ns).value_or(0);
  Cause cause;
  cause.ranks = AllRanks(input);
  // The pipeline moves at the pace of its slowest stage; with the mean of all it computes so much
  // less.
  cause.gain = compute * (1 - 1 / load);
  cause.gain_method = "estimate";
  cause.confidence = 0.6;
  cause.lost_ns = static_cast<std::int64_t>(*cause.gain * window);
  cause.what = fmt::format(
      "stage {} of the pipeline takes {} of the stages' mean for a forward and a backward; {} of "
      "the others' time is bubble that no schedule needs",
      pipeline->Int(*slowest, columns.stage), PercentText(load), PercentText(excess / 100));
  cause.why =
      "the passes of all stages: their mean time, and the bubble beyond that of the schedule";
  cause.recommendation =
      "Move layers from that stage to others; the last one also has the output layer and the loss.";
  return cause;
}

// What the stages of these ranks do more than that.
void TellWhere(const RuleInput& input, const std::map<std::uint32_t, double>& factors,
               Cause& cause) {
  std::vector<NodeId> nodes;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (factors.contains(input.RankOf(node)) &&
        (IsOfPasses(kind) || IsExchangeOfLayers(input.graph(), node)))
      nodes.push_back(node);
  });
  TellWhere(input, nodes, cause);
}

// What a stage should have. Layers are counted by what each has one of; embedding and head, which
// only the ends have, are not what is meant. 0: not known.
double UsualLayers(const std::map<std::int32_t, PipelineStage>& stages) {
  std::vector<double> layers;
  layers.reserve(stages.size());
  for (const auto& [number, stage] : stages) layers.push_back(stage.attention);
  const double least = *std::min_element(layers.begin(), layers.end());
  const double usual = MedianOf(layers);
  return stages.size() > 2 ? usual : std::min(usual, least * 1.0001);
}

// Every stage with as many layers as the mean, where no whole layer can move.
Scenario WithEvenStages(const RuleInput& input, const std::map<std::int32_t, PipelineStage>& stages,
                        double mean) {
  std::map<std::uint32_t, double> factors;  // by rank
  for (const auto& [number, stage] : stages) {
    if (stage.attention <= 0) continue;
    for (const std::uint32_t rank : stage.ranks) factors[rank] = mean / stage.attention;
  }
  return WithStagesTimes(input, factors);
}

std::optional<Cause> Find(const RuleInput& input) {
  const auto& stages = input.Shared<PipelineStages>().of;
  if (stages.empty()) return FindUnevenPasses(input);
  const double usual = UsualLayers(stages);
  if (usual <= 0) return std::nullopt;
  double layers = 0, compute_ns = 0;  // of a stage, in the mean
  bool are_counted = true;
  for (const auto& [number, stage] : stages) {
    layers += stage.attention / static_cast<double>(stages.size());
    compute_ns += stage.compute_ns / static_cast<double>(stages.size());
    are_counted = are_counted && stage.layers > 0;
  }
  Cause cause;
  double lost = 0;
  std::vector<std::int64_t> which;
  std::map<std::uint32_t, double> factors;  // by rank of such stages
  for (const auto& [number, stage] : stages) {
    cause.evidence.push_back(
        {{"stage", fmt::format("{}", number)},
         {"compute per step", TimeText(stage.compute_ns)},
         {"attention kernels per step", fmt::format("{:.0f}", stage.attention)}});
    // A stage at the mean of all holds nobody up, however few layers most of them have.
    if (stage.attention < kMoreLayers * usual || stage.attention <= kAboveMean * layers ||
        stage.compute_ns <= kAboveMean * compute_ns)
      continue;
    for (const std::uint32_t rank : stage.ranks) factors[rank] = layers / stage.attention;
    lost +=
        stage.compute_ns * (1 - layers / stage.attention) * static_cast<double>(stage.ranks.size());
    which.push_back(number);
  }
  if (factors.empty()) return std::nullopt;
  // Layers move, they do not go away: what the job gains is what it gains with them elsewhere.
  cause.proposal = AssignLayers(input);
  if (!cause.proposal && are_counted)
    cause.recommendation =
        "No whole layer can move so that the longest stage becomes shorter: choose a number of "
        "stages, or of virtual stages, that divides the layers evenly.";
  cause.without = cause.proposal ? cause.proposal->then : WithEvenStages(input, stages, layers);
  for (const auto& [rank, factor] : factors) cause.ranks.push_back(rank);
  cause.lost_ns = static_cast<std::int64_t>(lost / static_cast<double>(cause.ranks.size()));
  TellWhere(input, factors, cause);
  cause.evidence_table = std::string(Pipeline::kName);
  cause.what =
      which.size() == 1
          ? fmt::format(
                "stage {} of the pipeline has more layers than the others, which wait for it",
                which.front())
          : fmt::format(
                "stages {} of the pipeline have more layers than the others, which wait for them",
                RangesText(which));
  return cause;
}

}  // namespace

const Rule& PipelineStageImbalanceRule() {
  static const Rule kRule{
      .id = "pipeline-stage-imbalance",
      .summary = "one pipeline stage has more work than the rest",
      .tier = Tier::kRoot,
      .takes = Takes::kMoreWork,
      .tables = {&PipelineAnalysis()},
      .needs_graph = false,
      .find = Find,
      .why =
          "kernels that every layer has one of, and the time of forward and backward, per stage; "
          "replayed with layers moved so that the longest stage is as short as whole layers allow, "
          "or, where none can move, with the mean in every stage",
      .recommendation =
          "Move layers to other stages (--decoder-first-pipeline-num-layers and its like in "
          "Megatron-LM, pipeline split points in torch.distributed.pipelining).",
      .command = "rankscope table pipeline TRACES",
  };
  return kRule;
}

}  // namespace rankscope
