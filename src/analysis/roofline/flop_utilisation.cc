#include "analysis/roofline/analyses.h"

#include <utility>

#include "analysis/op_models/modelled_ops.h"
#include "base/saturating.h"
#include "facts/windows.h"
#include "op_cost/device_name.h"
#include "op_cost/op_cost.h"
#include "peaks/device_peaks.h"
#include "schemas/roofline.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct FlopUtilisationSum {
  double flops = 0;
  double recomputed_flops = 0;
  std::int64_t modelled_ns = 0;
  std::int64_t compute_ns = 0;
};

std::vector<Table> MapFlopUtilisation(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<FlopUtilisation>();
  auto table = columns.NewPartial("flop_utilisation");
  const RankTrace& trace = facts.trace();
  const ModelledOps ops(trace);
  const std::vector<std::uint8_t>& recomputed = facts.recomputed();
  std::vector<std::uint8_t> is_counted(trace.row_count());
  for (const DeviceTime& device : facts.devices()) {
    const Windows windows = Windows::OfDevice(facts, device, options.steps);
    std::vector<FlopUtilisationSum> sums(windows.size());
    for (const Row row : device.work) {
      const std::size_t window = windows.OfWork(row);
      if (window == Windows::kNone || facts.classes().Of(row) != WorkClass::kCompute) continue;
      FlopUtilisationSum& sum = sums[window];
      AddSaturating(sum.compute_ns, trace.dur_ns[row]);
      const Row op = ops.OwnerOf(row);
      if (op == kNoRow) continue;
      AddSaturating(sum.modelled_ns, trace.dur_ns[row]);
      // An op counts with its first kernel.
      if (is_counted[op]) continue;
      is_counted[op] = 1;
      const OpCost& cost = ops.CostOfOwner(op);
      if (!IsMatrixWork(cost.family)) continue;
      sum.flops += cost.flops;
      if (!recomputed.empty() && recomputed[op] != 0) sum.recomputed_flops += cost.flops;
    }
    const DevicePeaks* peaks = FindPeaks(NameOfDevice(trace, device.device));
    for (std::size_t w = 0; w < windows.size(); ++w) {
      const Window& window = windows[w];
      const FlopUtilisationSum& sum = sums[w];
      const auto duration = static_cast<double>(window.Duration());
      const bool is_known = sum.modelled_ns > 0 && duration > 0;
      const double rate = is_known ? sum.flops / duration * 1e9 : 0;
      const double peak = peaks == nullptr ? 0 : peaks->matrix_16.value;
      table.Add({columns.device = device.device, columns.step = window.StepValue(),
                 columns.duration_ns = window.HasExtent() ? Value(window.Duration()) : kNull,
                 columns.flops = is_known ? Value(sum.flops) : Value(kNull),
                 columns.flops_per_s = is_known ? Value(rate) : Value(kNull),
                 columns.known_pct = sum.compute_ns > 0
                                         ? Value(100.0 * static_cast<double>(sum.modelled_ns) /
                                                 static_cast<double>(sum.compute_ns))
                                         : Value(kNull),
                 columns.peak_flops_per_s = peak > 0 ? Value(peak) : Value(kNull),
                 columns.hfu_pct = is_known && peak > 0 ? Value(100 * rate / peak) : Value(kNull),
                 columns.recomputed_flops = is_known ? Value(sum.recomputed_flops) : Value(kNull),
                 columns.mfu_pct =
                     is_known && peak > 0
                         ? Value(100 * (sum.flops - sum.recomputed_flops) / duration * 1e9 / peak)
                         : Value(kNull),
                 columns.complete = window.complete});
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& FlopUtilisationAnalysis() {
  static const Analysis kAnalysis = {
      .name = "flop_utilisation",
      .summary = "FLOPs of every step against the device's peak (HFU, MFU)",
      .definition =
          "FLOPs of matmuls, convolutions and attentions by their recorded shapes (roofline), "
          "those that were computed again for activation checkpointing included, so this is the "
          "hardware FLOP utilisation: hfu_pct = 100 * flops / duration / dense 16-bit peak of the "
          "device. The model FLOP utilisation mfu_pct leaves them out (recomputation says how they "
          "are recognised). An op counts in the step that launched its first kernel. Low "
          "known_pct means that much computing has no model (fused and custom kernels, CUDA "
          "graphs, no recorded shapes), and hfu_pct is too low by that.",
      .example = "rankscope table flop_utilisation traces/",
      .columns = SchemaOf<FlopUtilisation>().columns(),
      .mapper = {.name = "flop_utilisation",
                 .version = 5,
                 .tables = {SchemaOf<FlopUtilisation>().BareColumns()},
                 .uses = {kOpCostComponent},
                 .map = MapFlopUtilisation},
      .reducer = JoinRows<FlopUtilisation>(SchemaOf<FlopUtilisation>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
