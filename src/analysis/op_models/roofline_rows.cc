#include "analysis/op_models/roofline_rows.h"

#include <algorithm>
#include <cmath>

#include "analysis/op_models/modelled_ops.h"
#include "base/saturating.h"
#include "op_cost/op_cost.h"
#include "op_cost/peak_flops.h"
#include "peaks/device_peaks.h"
#include "schemas/roofline.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

Value Ratio(double part, double whole) { return whole > 0 ? Value(part / whole) : Value(kNull); }

void AddOpRow(TableOf<Roofline>& table, const RooflineKey& key, const RooflineSum& entry,
              std::int64_t everything) {
  const auto& columns = SchemaOf<Roofline>();
  const auto& [op, family, shapes, dtype, device, flops, bytes, fits, is_lower_bound] = key;
  const UnitTimes& times = entry.times;
  const auto device_ns = static_cast<double>(times.device_ns);
  const Value share = Ratio(100 * device_ns, static_cast<double>(everything));
  const auto ranks = static_cast<std::int64_t>(entry.ranks.size());
  if (op.empty()) {
    table.Add({columns.device = TextOrNull(device), columns.ranks = ranks,
               columns.device_ns = times.device_ns, columns.share_pct = share});
    return;
  }
  const auto count = static_cast<double>(entry.count);
  const double seconds = device_ns / count / 1e9;
  const bool is_matrix_work = IsMatrixWork(family);
  const Units units = UnitsOf(is_matrix_work, fits, dtype, times);
  const DevicePeaks* peaks = FindPeaks(device);
  Roof roof;
  if (peaks != nullptr) roof = {PeakFlops(*peaks, dtype, units.are_matrix_cores), peaks->memory};
  Value bound = kNull;
  Value efficiency = kNull;
  Value headroom = kNull;
  Value above = kNull;
  Value confidence = kNull;
  if (RoofTime at_roof; seconds > 0 && TimeAtRoof(roof, flops, bytes, is_matrix_work, at_roof)) {
    bound = std::string_view(at_roof.is_compute_bound ? "compute" : "memory");
    efficiency = 100 * at_roof.seconds / seconds;
    headroom = static_cast<std::int64_t>(
        std::llround(std::max(0.0, (seconds - at_roof.seconds) * count * 1e9)));
    above = at_roof.seconds > 1.1 * seconds;
    confidence = ToString(at_roof.confidence);
  }
  table.Add(
      {columns.op = op,
       columns.family = family,
       columns.shapes = shapes,
       columns.dtype = TextOrNull(dtype),
       columns.device = TextOrNull(device),
       columns.ranks = ranks,
       columns.count = entry.count,
       columns.device_ns = times.device_ns,
       columns.share_pct = share,
       columns.mean_ns = 1e9 * seconds,
       columns.flops = flops,
       columns.bytes = bytes,
       columns.flop_per_byte = Ratio(flops, bytes),
       columns.flops_per_s = Ratio(flops, seconds),
       columns.bytes_per_s = Ratio(bytes, seconds),
       columns.bound = bound,
       columns.efficiency_pct = efficiency,
       columns.headroom_ns = headroom,
       columns.matrix_cores_pct = Ratio(100 * static_cast<double>(times.matrix_ns), device_ns),
       columns.fits_matrix_cores = fits,
       columns.above_roof = above,
       columns.peak_flops_per_s = roof.flops.value > 0 ? Value(roof.flops.value) : Value(kNull),
       columns.peak_bytes_per_s = roof.memory.value > 0 ? Value(roof.memory.value) : Value(kNull),
       columns.units = units.are_matrix_cores ? "matrix cores" : "vector units",
       columns.units_stated = units.are_stated,
       columns.roof_confidence = confidence,
       columns.lower_bound = is_lower_bound});
}

}  // namespace

void AddKernelTime(UnitTimes& times, std::string_view kernel, std::int64_t duration_ns) {
  AddSaturating(times.device_ns, duration_ns);
  const KernelUnits units = UnitsOfKernel(kernel);
  if (units == KernelUnits::kMatrixCores) AddSaturating(times.matrix_ns, duration_ns);
  if (units == KernelUnits::kVectorUnits) AddSaturating(times.vector_ns, duration_ns);
}

Table RooflineRows(const std::map<RooflineKey, RooflineSum>& sums) {
  std::int64_t everything = 0;
  for (const auto& [key, sum] : sums) AddSaturating(everything, sum.times.device_ns);
  auto table = SchemaOf<Roofline>().NewTable("roofline");
  for (const auto& [key, sum] : sums) AddOpRow(table, key, sum, everything);
  return table;
}

}  // namespace rankscope
