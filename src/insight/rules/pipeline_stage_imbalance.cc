// pipeline-stage-imbalance: one pipeline stage has more work than the rest.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/layout/analyses.h"
#include "base/median.h"
#include "base/number_set.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/peers/assignment.h"
#include "insight/evidence/peers/pipeline_stages.h"
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

// Every stage that has layers with as many as the mean of these, where no whole layer can move.
Scenario WithEvenStages(const RuleInput& input, const std::map<std::int32_t, PipelineStage>& stages,
                        double mean) {
  std::map<std::uint32_t, double> factors;  // by rank
  for (const auto& [number, stage] : stages) {
    if (stage.attention <= 0) continue;
    for (const std::uint32_t rank : stage.ranks) factors[rank] = mean / stage.attention;
  }
  return WithStagesTimes(input, factors);
}

// What one stage alone runs, of a rank's step in the mean, and the op that takes most of it.
struct OwnWork {
  double ns = 0;
  std::map<std::string_view, double> of_op;

  std::string_view LargestOp() const {
    const auto largest =
        std::max_element(of_op.begin(), of_op.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return largest == of_op.end() ? std::string_view() : largest->first;
  }
};

std::map<std::int32_t, OwnWork> OwnWorkOf(const RuleInput& input,
                                          const std::map<std::int32_t, PipelineStage>& stages) {
  constexpr std::int32_t kNone = -1, kSeveral = -2;
  std::map<std::uint32_t, std::int32_t> stage_of_rank;
  for (const auto& [number, stage] : stages) {
    for (const std::uint32_t rank : stage.ranks) stage_of_rank[rank] = number;
  }
  const JobGraph& graph = input.graph();
  std::vector<std::int32_t> stage_of_kind(graph.kinds().size(), kNone);
  const auto for_each_of_passes = [&](const auto& visit) {
    input.ForEach([&](NodeId node, const NodeKind& kind) {
      const auto stage = stage_of_rank.find(input.RankOf(node));
      if (IsOfPasses(kind) && stage != stage_of_rank.end()) visit(node, kind, stage->second);
    });
  };
  for_each_of_passes([&](NodeId node, const NodeKind&, std::int32_t stage) {
    std::int32_t& of = stage_of_kind[graph.nodes().KindOf(node)];
    of = of == kNone || of == stage ? stage : kSeveral;
  });
  std::map<std::int32_t, OwnWork> own;
  for_each_of_passes([&](NodeId node, const NodeKind& kind, std::int32_t stage) {
    if (stage_of_kind[graph.nodes().KindOf(node)] == kSeveral) return;
    const double ns = static_cast<double>(graph.nodes().DurationOf(node)) /
                      static_cast<double>(stages.at(stage).ranks.size() * input.counted().size());
    own[stage].ns += ns;
    own[stage].of_op[kind.op.empty() ? kind.name : kind.op] += ns;
  });
  return own;
}

// A stage with as many layers as others that computes more by what it alone has: the last one by
// its output layer and loss, the first by its embedding.
std::optional<Cause> FindHeavyStage(const RuleInput& input,
                                    const std::map<std::int32_t, PipelineStage>& stages) {
  // An output layer makes the last stage of most pipelines somewhat longer.
  constexpr double kMuchHeavier = 1.3;
  constexpr double kOwnPartOfExcess = 0.5;
  double mean_ns = 0;
  auto heaviest = stages.begin();
  for (auto stage = stages.begin(); stage != stages.end(); ++stage) {
    mean_ns += stage->second.compute_ns / static_cast<double>(stages.size());
    if (stage->second.compute_ns > heaviest->second.compute_ns) heaviest = stage;
  }
  const PipelineStage& heavy = heaviest->second;
  if (heavy.compute_ns < kMuchHeavier * mean_ns) return std::nullopt;
  const double of_others_ns = (mean_ns * static_cast<double>(stages.size()) - heavy.compute_ns) /
                              static_cast<double>(stages.size() - 1);
  const std::map<std::int32_t, OwnWork> own = OwnWorkOf(input, stages);
  const auto found = own.find(heaviest->first);
  if (found == own.end() || found->second.ns < kOwnPartOfExcess * (heavy.compute_ns - of_others_ns))
    return std::nullopt;
  Cause cause;
  cause.ranks = heavy.ranks;
  cause.proposal = AssignLayers(input);
  // Where no whole layer can move it is as even as it can be.
  if (!cause.proposal) return std::nullopt;
  cause.without = cause.proposal->then;
  cause.lost_ns = static_cast<std::int64_t>(heavy.compute_ns - mean_ns);
  TellWhere(input, std::map<std::uint32_t, double>{{heavy.ranks.front(), 1}}, cause);
  cause.evidence_table = std::string(Pipeline::kName);
  for (const auto& [number, stage] : stages)
    cause.evidence.push_back(
        {{"stage", fmt::format("{}", number)}, {"compute per step", TimeText(stage.compute_ns)}});
  cause.what = fmt::format(
      "stage {} of the pipeline computes {:.3g} times the mean of all: what no other stage has, "
      "above all {}, takes {} of its {} a step",
      heaviest->first, heavy.compute_ns / mean_ns, found->second.LargestOp(),
      TimeText(found->second.ns), TimeText(heavy.compute_ns));
  cause.why =
      "kernels of forward and backward that one stage alone runs; replayed with layers of that "
      "stage on others";
  cause.recommendation =
      "Give that stage fewer layers (--decoder-last-pipeline-num-layers, "
      "--account-for-loss-in-pipeline-split or --account-for-embedding-in-pipeline-split in "
      "Megatron-LM), split the vocabulary over tensor or pipeline ranks, and compute the loss in "
      "parts (a fused linear cross-entropy).";
  return cause;
}

std::optional<Cause> FindPipelineStageImbalance(const RuleInput& input) {
  const auto& stages = input.Shared<PipelineStages>().of;
  if (stages.empty()) return FindUnevenPasses(input);
  const double usual = UsualLayers(stages);
  if (usual <= 0) return std::nullopt;
  // A stage without layers (the output layer alone) takes none of the others'.
  const auto with_layers = static_cast<double>(
      std::ranges::count_if(stages, [](const auto& of) { return of.second.attention > 0; }));
  double layers = 0;      // of a stage that has some, in the mean
  double compute_ns = 0;  // of a stage, in the mean
  bool are_counted = true;
  for (const auto& [number, stage] : stages) {
    layers += stage.attention / with_layers;
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
  if (factors.empty()) return FindHeavyStage(input, stages);
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
                RangesWords(which));
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
      .find = FindPipelineStageImbalance,
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
