// The tables of a job's layout that other code reads.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct Layout : Schema<Layout> {
  static constexpr std::string_view kName = "layout";

  StringColumn role =
      Text("role",
           "trainer; generator (no backward and no optimizer where other ranks have them); "
           "inference (no rank trains); unknown without ops of the host");
  StringColumn dimension =
      Text("dimension",
           "tp tensor, cp context or sequence, ep expert, pp pipeline, dp data parallel, "
           "sharded or not");
  IntColumn degree = Int(
      "degree", "", "ranks along it; tp x cp x pp x dp are the ranks of the role, ep divides dp");
  StringColumn source =
      Text("source",
           "names: descriptions of process groups; traffic: what groups exchange; rest: "
           "what the others leave; guess: names of files, processes or hosts; absent: no such "
           "group was seen");
  RealColumn confidence =
      Real("confidence", "",
           "0 to 1, a judgement of the source (docs/layout.md), less with every conflict");
  IntColumn groups = Int("groups", "", "process groups of this dimension that were seen");
  StringColumn traffic = Text("traffic", "what they exchange; null without groups");
  IntColumn ranks_seen = Int("ranks_seen", "", "of the role, in the recordings");
  IntColumn ranks = Int("ranks", "", "of the role, by the metadata");
  FlagColumn partial = Flag("partial", "true when ranks are missing");
  StringColumn conflicts = Text("conflicts", "what speaks against it; null when nothing does");
};
extern template const Layout& SchemaOf<Layout>();

struct LayoutRanks : Schema<LayoutRanks> {
  static constexpr std::string_view kName = "layout_ranks";

  IntColumn rank = Int(column::Rank());
  StringColumn host = Text("host", "null when not stated");
  StringColumn role = Text("role", "as in layout");
  IntColumn tp = Int("tp", "", "tensor parallel coordinate; null when not known, as what follows");
  IntColumn cp = Int("cp", "", "context parallel coordinate");
  IntColumn ep = Int("ep", "", "expert parallel coordinate");
  IntColumn pp = Int("pp", "", "pipeline stage");
  IntColumn dp = Int("dp", "", "data parallel coordinate");
};
extern template const LayoutRanks& SchemaOf<LayoutRanks>();

// Common columns of the tables of pipelines.
namespace column {

inline ColumnSpec Stage() { return Int("stage", "", "of the pipeline, from 0"); }
inline ColumnSpec Replica() { return Int("replica", "", "which pipeline, from 0"); }
inline ColumnSpec MicroBatches() {
  return Int("micro_batches", "",
             "of a step, through each stage: forward passes of most stages, divided by "
             "virtual_stages");
}
inline ColumnSpec VirtualStages() {
  return Int("virtual_stages", "",
             "chunks of layers per stage (interleaved schedule); 1 where none is seen");
}
inline ColumnSpec IdealPct() {
  return Real("ideal_pct", "%", "the bubble of 1F1B on equal stages: (p - 1) / (m v + p - 1)");
}

}  // namespace column

struct Pipeline : Schema<Pipeline> {
  static constexpr std::string_view kName = "pipeline";

  IntColumn stage = Int(column::Stage());
  IntColumn ranks = Int("ranks", "", "of the stage that were seen, over all replicas");
  IntColumn steps = Int("steps", "", "of these ranks, complete ones");
  IntColumn micro_batches = Int(column::MicroBatches());
  IntColumn virtual_stages = Int(column::VirtualStages());
  RealColumn window_ns = Real("window_ns", "ns", "median over ranks and steps, as all below");
  RealColumn compute_pct = Real("compute_pct", "%", "of the window");
  RealColumn inside_pct = Real("inside_pct", "%", "of the window");
  RealColumn warm_up_pct = Real("warm_up_pct", "%", "of the window");
  RealColumn steady_pct = Real("steady_pct", "%", "of the window");
  RealColumn cool_down_pct = Real("cool_down_pct", "%", "of the window");
  RealColumn bubble_pct = Real("bubble_pct", "%", "of the window");
  RealColumn ideal_pct = Real(column::IdealPct());
  RealColumn excess_pct =
      Real("excess_pct", "%", "bubble_pct less ideal_pct; null when stages are missing");
  RealColumn forward_ns =
      Real("forward_ns", "ns", "a forward pass; the mean of the stage's chunks of layers");
  RealColumn backward_ns = Real("backward_ns", "ns", "a backward pass, likewise");
  RealColumn load_pct =
      Real("load_pct", "%",
           "forward_ns + backward_ns of their mean over stages: 100 for each when stages "
           "are equal");
};
extern template const Pipeline& SchemaOf<Pipeline>();

struct PipelineSteps : Schema<PipelineSteps> {
  static constexpr std::string_view kName = "pipeline_steps";

  IntColumn rank = Int(column::Rank());
  IntColumn replica = Int(column::Replica());
  IntColumn stage = Int(column::Stage());
  IntColumn step = Int(column::StepOfLaunch());
  IntColumn micro_batches = Int(column::MicroBatches());
  IntColumn virtual_stages = Int(column::VirtualStages());
  IntColumn start_ns = Int("start_ns", "ns", "of the window: the replica's first pass, aligned");
  IntColumn window_ns =
      Int("window_ns", "ns",
          "to the end of the replica's last pass; the stage's own where its clock is not "
          "aligned; the five below sum to it");
  IntColumn compute_ns = Int("compute_ns", "ns", "computing kernels of forward and backward");
  IntColumn inside_ns = Int("inside_ns", "ns", "the rest of the passes: communication, gaps");
  IntColumn warm_up_ns = Int("warm_up_ns", "ns", "before the stage's first pass");
  IntColumn steady_ns = Int("steady_ns", "ns", "between its passes");
  IntColumn cool_down_ns = Int("cool_down_ns", "ns", "behind its last one");
  RealColumn bubble_pct = Real("bubble_pct", "%", "warm-up, steady and cool-down of the window");
  RealColumn ideal_pct = Real(column::IdealPct());
  IntColumn stages_seen = Int("stages_seen", "", "stages of the replica in the recordings");
  FlagColumn aligned =
      Flag("aligned",
           "false: stages' clocks are not known to each other, or only by sends that leave more "
           "than 2% of the window open");
  FlagColumn complete = Flag(column::Complete());
};
extern template const PipelineSteps& SchemaOf<PipelineSteps>();

// A forward or backward of a stage, in a typical step or in every step.
struct PipelinePassRows : Schema<PipelinePassRows> {
  IntColumn rank = Int(column::Rank());
  IntColumn replica = Int(column::Replica());
  IntColumn stage = Int(column::Stage());
  IntColumn step = Int(column::StepOfLaunch());
  StringColumn pass = Text("pass", "forward or backward");
  IntColumn ordinal =
      Int("ordinal", "", "counts the forwards, and the backwards, of the step from 0");
  IntColumn start_ns = Int("start_ns", "ns", "aligned");
  IntColumn duration_ns =
      Int("duration_ns", "ns", "from its first computing kernel's begin to its last one's end");
  IntColumn compute_ns = Int("compute_ns", "ns", "computing kernels of it");
};

struct PipelineSchedule : Schema<PipelineSchedule, PipelinePassRows> {
  static constexpr std::string_view kName = "pipeline_schedule";
};
extern template const PipelineSchedule& SchemaOf<PipelineSchedule>();

struct PipelinePasses : Schema<PipelinePasses, PipelinePassRows> {
  static constexpr std::string_view kName = "pipeline_passes";
};
extern template const PipelinePasses& SchemaOf<PipelinePasses>();

struct ExpertLoad : Schema<ExpertLoad> {
  static constexpr std::string_view kName = "expert_load";

  IntColumn group = Int("group", "", "expert group, counted from 0");
  IntColumn exchange =
      Int("exchange", "",
          "dispatch of the step's forward, from 0: layers, and these again for each "
          "micro-batch");
  StringColumn source = Text("source", "all-to-all sizes, or shapes of grouped GEMMs");
  IntColumn ranks = Int("ranks", "", "of the group, that were seen");
  IntColumn steps = Int("steps", "", "in which it was seen");
  RealColumn mean_rows =
      Real("mean_rows", "",
           "tokens, times experts per token, that a rank computes: mean over ranks and "
           "steps; elements where the trace states no rows");
  RealColumn max_over_mean =
      Real("max_over_mean", "", "of the ranks; median over steps; 1 = even, as below");
  RealColumn variation =
      Real("variation", "", "standard deviation over mean of the ranks; median over steps");
  RealColumn gini = Real("gini", "", "Gini coefficient of the ranks: 0 = even; median over steps");
  IntColumn hottest_rank = Int("hottest_rank", "", "the rank that has most rows in most steps");
  RealColumn persistence_pct = Real("persistence_pct", "%", "steps in which that is so");
  RealColumn excess_ns =
      Real("excess_ns", "ns",
           "experts' time of the slowest rank less the mean of the ranks, per step; null "
           "when not known");
};
extern template const ExpertLoad& SchemaOf<ExpertLoad>();

struct ExpertRanks : Schema<ExpertRanks> {
  static constexpr std::string_view kName = "expert_ranks";

  IntColumn rank = Int(column::Rank());
  IntColumn exchanges = Int("exchanges", "", "dispatches of forward passes, over all steps");
  IntColumn rows =
      Int("rows", "", "tokens, times experts per token, that the rank computes in these");
  RealColumn load =
      Real("load", "", "rows over the mean of the group's ranks in the same exchanges");
  RealColumn max_load = Real("max_load", "", "in the exchange in which it was most");
  IntColumn hottest_count =
      Int("hottest_count", "", "exchanges in which it has most rows of its group");
  IntColumn experts_ns =
      Int("experts_ns", "ns",
          "from a dispatch's end to its combine's begin, summed; null when not known");
};
extern template const ExpertRanks& SchemaOf<ExpertRanks>();

}  // namespace rankscope
