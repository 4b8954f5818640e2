#include "analysis/ops/analyses.h"

#include <utility>

#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/rank_rows.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct Recomputation : Schema<Recomputation, RankRows> {
  static constexpr std::string_view kName = "recomputation";

  IntColumn step = Int(column::StepOfHost());
  IntColumn stretches = Int("stretches", "", "times that recomputation begins in the window");
  IntColumn host_ns = Int("host_ns", "ns", "host time of these, summed");
  IntColumn works =
      Int("works", "", "kernels, copies and memsets that it launched, by their begin");
  IntColumn device_ns = Int("device_ns", "ns", "sum of their durations");
  RealColumn share_pct =
      Real("share_pct", "%", "device_ns as a part of all device work of the window");
  FlagColumn complete = Flag(column::Complete());
};

struct RecomputationSum {
  std::int64_t stretches = 0;
  std::int64_t host_ns = 0;
  std::int64_t works = 0;
  std::int64_t device_ns = 0;
  std::int64_t all_device_ns = 0;
};

std::vector<Table> MapRecomputation(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<Recomputation>();
  auto table = columns.NewPartial("recomputation");
  const RankTrace& trace = facts.trace();
  const std::vector<std::uint8_t>& recomputed = facts.recomputed();
  if (recomputed.empty()) return MoveTables(std::move(table));
  const Windows windows = Windows::OfHost(facts, options.steps);
  std::vector<RecomputationSum> sums(windows.size());
  for (Row row = 0; row < trace.row_count(); ++row) {
    const std::size_t window = windows.At(trace.ts_ns[row]);
    if (window == Windows::kNone) continue;
    RecomputationSum& sum = sums[window];
    if (IsDeviceWork(trace.kind[row])) {
      const std::int64_t duration = std::max<std::int64_t>(trace.dur_ns[row], 0);
      AddSaturating(sum.all_device_ns, duration);
      if (trace.link[row] == kNoRow || recomputed[trace.link[row]] == 0) continue;
      ++sum.works;
      AddSaturating(sum.device_ns, duration);
    } else if (recomputed[row] != 0) {
      const Row around = trace.parent[row];
      if (around != kNoRow && recomputed[around] != 0) continue;
      ++sum.stretches;
      AddSaturating(sum.host_ns, std::max<std::int64_t>(trace.dur_ns[row], 0));
    }
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const RecomputationSum& sum = sums[i];
    table.Add({columns.step = windows[i].StepValue(), columns.stretches = sum.stretches,
               columns.host_ns = sum.host_ns, columns.works = sum.works,
               columns.device_ns = sum.device_ns,
               columns.share_pct = Percent(sum.device_ns, sum.all_device_ns),
               columns.complete = windows[i].complete});
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& RecomputationAnalysis() {
  static const Analysis kAnalysis = {
      .name = "recomputation",
      .summary = "activation checkpointing: what doing forward work again costs",
      .definition =
          "Forward work that is done again during backward: what lies inside "
          "CheckpointFunctionBackward, inside recompute_fn of torch.utils.checkpoint, or, without "
          "Python stacks, inside an op that records itself for autograd while the engine evaluates "
          "a node, when forward had an op of the same name and input shapes; but not what the "
          "engine evaluates inside that. Device work belongs to it when its launching call does. A "
          "capture in which nothing is recomputed has no rows; ops of a gradient of a gradient "
          "that forward had, too, count as recomputed.",
      .example = "rankscope table recomputation traces/",
      .columns = SchemaOf<Recomputation>().columns(),
      .mapper = {.name = "recomputation",
                 .version = 2,
                 .tables = {SchemaOf<Recomputation>().BareColumns()},
                 .map = MapRecomputation},
      .reducer = JoinRows<Recomputation>(SchemaOf<Recomputation>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
