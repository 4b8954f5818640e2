#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "insight/base/cause_tools.h"
#include "insight/findings.h"
#include "replay/fidelity.h"
#include "replay/replay_fact.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

struct Resource {
  std::string_view name;
  bool (*is_work)(const NodeKind&);
};
// The names are the bottleneck classes of a job.
constexpr std::array<Resource, 5> kResources = {{
    {"data", [](const NodeKind& kind) { return kind.work == Work::kDataLoading; }},
    {"cpu",
     [](const NodeKind& kind) { return !IsDevice(kind.work) && kind.work != Work::kDataLoading; }},
    {"gpu-compute",
     [](const NodeKind& kind) { return kind.work == Work::kCompute && IsBoundByComputing(kind); }},
    {"gpu-memory",
     [](const NodeKind& kind) {
       return kind.work == Work::kCopy ||
              (kind.work == Work::kCompute && !IsBoundByComputing(kind));
     }},
    {"communication", [](const NodeKind& kind) { return kind.work == Work::kCommunication; }},
}};

Scenario WithoutWork(const Scenario& recorded, const Resource& resource) {
  const JobGraph& graph = recorded.graph();
  Scenario scenario = recorded;
  for (std::uint32_t kind = 0; kind < graph.kinds().size(); ++kind) {
    if (resource.is_work(graph.kinds()[kind])) scenario.TakesNoTime(kind);
  }
  return scenario;
}

// Hosts wait for their devices nowhere.
Scenario WithoutSyncs(const Scenario& recorded) {
  const JobGraph& graph = recorded.graph();
  Scenario scenario = recorded;
  for (std::size_t edge = 0; edge < graph.edge_count(); ++edge) {
    if (graph.edge(edge).kind == DependencyKind::kSync) scenario.Cut(edge);
  }
  return scenario;
}

Result<Table> DeriveGains(const InputTables& inputs, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<Gains>();
  auto table = columns.NewTable(std::string(Gains::kName));
  const Replayed& replayed = ReplayedOf(job);
  const Scenario& recorded = replayed.recorded();
  const double step = replayed.now().MeanStep();
  if (step > 0 && replayed.fidelity().refused.empty()) {
    std::vector<std::string_view> names;
    std::vector<Scenario> without;
    for (const Resource& resource : kResources) {
      names.push_back(resource.name);
      without.push_back(WithoutWork(recorded, resource));
    }
    names.push_back("sync");
    without.push_back(WithoutSyncs(recorded));
    std::vector<const Scenario*> scenarios;
    for (const Scenario& scenario : without) scenarios.push_back(&scenario);
    const std::vector<StepEnds> steps = replayed.StepTimes(scenarios);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double gain = 1 - steps[i].Mean() / step;
      table.Add({columns.of = "resource", columns.name = names[i], columns.gain_pct = 100 * gain,
                 columns.gain_ns = std::int64_t{std::llround(gain * replayed.fidelity().step_ns)}});
    }
  }
  const ViewOf<Findings> findings = inputs.Of<Findings>();
  const auto& of = SchemaOf<Findings>();
  for (std::size_t row = 0; row < findings.row_count(); ++row) {
    table.Add({columns.of = "finding", columns.name = findings.At(row, of.id),
               columns.gain_pct = findings.At(row, of.gain_pct),
               columns.gain_ns = findings.At(row, of.gain_ns)});
  }
  if (findings.row_count() > 0) {
    const double all = findings.Double(findings.row_count() - 1, of.combined_gain_pct);
    table.Add(
        {columns.of = "findings", columns.gain_pct = all,
         columns.gain_ns = std::int64_t{std::llround(all / 100 * replayed.fidelity().step_ns)}});
  }
  return table;
}

}  // namespace

const Analysis& GainsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "gains",
      .summary = "what the job would gain without each resource, each finding, all findings",
      .definition =
          "By replay (docs/replay.md). Of a resource: all of its work takes no time: data (the "
          "host fetches batches), cpu (all else that hosts do), gpu-compute (matrix products, "
          "convolutions, attention), gpu-memory (all other kernels, copies), communication (no "
          "transfer takes time), sync (hosts wait for devices nowhere). The job's bottleneck is "
          "the resource that gains most. No rows of resources where the replay predicts nothing.",
      .example = "rankscope table gains traces/",
      .columns = SchemaOf<Gains>().columns(),
      .facts = {&ReplayFact()},
      .inputs = {&FindingsAnalysis()},
      .derive = DeriveGains,
  };
  return kAnalysis;
}

}  // namespace rankscope
