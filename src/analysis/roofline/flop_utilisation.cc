#include "analysis/roofline/flop_utilisation.h"

#include "analysis/roofline/modelled_ops.h"
#include "base/saturating.h"
#include "facts/windows.h"
#include "op_cost/device_name.h"
#include "op_cost/device_peaks.h"
#include "op_cost/op_cost.h"
#include "stage/reduce.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::Device(),
      column::StepOfWindow(),
      column::WindowLength(),
      column::Real("flops", "FLOP",
                   "of the matmuls, convolutions and attentions whose kernels begin in the window"),
      column::Real("flops_per_s", "FLOP/s", "flops / duration_ns"),
      column::Real("known_pct", "%",
                   "part of summed computing time whose op has a cost model; null without any"),
      column::Real("peak_flops_per_s", "FLOP/s",
                   "dense 16-bit peak of the device's matrix cores; null for an unknown device"),
      column::Real("hfu_pct", "%", "flops_per_s of the peak: hardware FLOP utilisation"),
      column::Real("recomputed_flops", "FLOP",
                   "part of flops that activation checkpointing computed again"),
      column::Real("mfu_pct", "%",
                   "the same as hfu_pct without recomputed_flops: model FLOP utilisation"),
      column::Complete(),
  });
  return kColumns;
}

struct Sum {
  double flops = 0;
  double recomputed_flops = 0;
  std::int64_t modelled_ns = 0;
  std::int64_t compute_ns = 0;
};

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("flop_utilisation", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  const ModelledOps ops(trace);
  const std::vector<std::uint8_t>& recomputed = facts.recomputed();
  std::vector<std::uint8_t> is_counted(trace.row_count());
  for (const DeviceTime& device : facts.devices()) {
    std::vector<Sum> sums(windows.size());
    for (const Row row : device.work) {
      const std::size_t window = windows.At(trace.ts_ns[row]);
      if (window == Windows::kNone || facts.classes().Of(row) != WorkClass::kCompute) continue;
      Sum& sum = sums[window];
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
      const Sum& sum = sums[w];
      const auto duration = static_cast<double>(window.Duration());
      const bool is_known = sum.modelled_ns > 0 && duration > 0;
      const double rate = is_known ? sum.flops / duration * 1e9 : 0;
      const double peak = peaks == nullptr ? 0 : peaks->matrix_16.value;
      table.AddRow({device.device, window.StepValue(), window.Duration(),
                    is_known ? Value(sum.flops) : Value(kNull),
                    is_known ? Value(rate) : Value(kNull),
                    sum.compute_ns > 0 ? Value(100.0 * static_cast<double>(sum.modelled_ns) /
                                               static_cast<double>(sum.compute_ns))
                                       : Value(kNull),
                    peak > 0 ? Value(peak) : Value(kNull),
                    is_known && peak > 0 ? Value(100 * rate / peak) : Value(kNull),
                    is_known ? Value(sum.recomputed_flops) : Value(kNull),
                    is_known && peak > 0
                        ? Value(100 * (sum.flops - sum.recomputed_flops) / duration * 1e9 / peak)
                        : Value(kNull),
                    window.complete});
    }
  }
  return {table};
}

}  // namespace

const Analysis& FlopUtilisationAnalysis() {
  static const Analysis kAnalysis = {
      .name = "flop_utilisation",
      .summary = "FLOPs of every step against the device's peak (HFU, MFU)",
      .definition =
          "FLOPs of matmuls, convolutions and attentions by their recorded shapes (roofline), "
          "those that were computed again for activation checkpointing included, so this is the "
          "hardware "
          "FLOP utilisation: hfu_pct = 100 * flops / duration / dense 16-bit peak of the device. "
          "The model FLOP utilisation mfu_pct leaves them out (recomputation says how they are "
          "recognised). "
          "An op counts in the window in which its first kernel begins. Low known_pct means that "
          "much computing has no model (fused and custom kernels, CUDA graphs, no recorded "
          "shapes), and hfu_pct is too low by that.",
      .example = "rankscope table flop_utilisation traces/",
      .columns = Columns(),
      .mapper = {.name = "flop_utilisation",
                 .version = 4,
                 .tables = {column::OfMap(Columns())},
                 .uses = {kOpCostComponent},
                 .map = Map},
      .reducer = JoinRows(FlopUtilisationAnalysis, 4),
  };
  return kAnalysis;
}

}  // namespace rankscope
