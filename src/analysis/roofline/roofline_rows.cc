#include "analysis/roofline/roofline_rows.h"

#include <algorithm>
#include <cmath>

#include "analysis/roofline/modelled_ops.h"
#include "base/saturating.h"
#include "op_cost/device_peaks.h"
#include "op_cost/op_cost.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

Value TextOrNull(std::string_view text) { return text.empty() ? Value(kNull) : Value(text); }

Value Ratio(double part, double whole) { return whole > 0 ? Value(part / whole) : Value(kNull); }

void AddRow(Table& table, const RooflineKey& key, const RooflineSum& entry,
            std::int64_t everything) {
  const auto& [op, family, shapes, dtype, device, flops, bytes, fits, is_lower_bound] = key;
  const UnitTimes& times = entry.times;
  const auto device_ns = static_cast<double>(times.device_ns);
  const Value share = Ratio(100 * device_ns, static_cast<double>(everything));
  const auto ranks = static_cast<std::int64_t>(entry.ranks.size());
  if (op.empty()) {
    std::vector<Value> row(RooflineColumns().size(), kNull);
    row[4] = TextOrNull(device);
    row[5] = ranks;
    row[7] = times.device_ns;
    row[8] = share;
    table.AddRow(row);
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
  table.AddRow({std::string_view(op),
                std::string_view(family),
                std::string_view(shapes),
                TextOrNull(dtype),
                TextOrNull(device),
                ranks,
                entry.count,
                times.device_ns,
                share,
                1e9 * seconds,
                flops,
                bytes,
                Ratio(flops, bytes),
                Ratio(flops, seconds),
                Ratio(bytes, seconds),
                bound,
                efficiency,
                headroom,
                Ratio(100 * static_cast<double>(times.matrix_ns), device_ns),
                fits,
                above,
                roof.flops.value > 0 ? Value(roof.flops.value) : Value(kNull),
                roof.memory.value > 0 ? Value(roof.memory.value) : Value(kNull),
                std::string_view(units.are_matrix_cores ? "matrix cores" : "vector units"),
                units.are_stated,
                confidence,
                is_lower_bound});
}

}  // namespace

const std::vector<ColumnSpec>& RooflineColumns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("op", "the op; null = computing without a model"),
      column::Text("family",
                   "matmul, convolution, attention, elementwise, reduction, normalisation, "
                   "indexing, pooling or optimizer"),
      column::Text("shapes", "shapes of its inputs, as recorded"),
      column::Text("dtype", "of its first operand"),
      column::Text("device", "name of the device; null when the trace does not state it"),
      column::Int("ranks", "", "ranks on which it ran"),
      column::Int("count", "", "how often it ran with device work, on all ranks"),
      column::Int("device_ns", "ns", "sum of the durations of its kernels"),
      column::Real("share_pct", "%", "device_ns of all computing kernels"),
      column::Real("mean_ns", "ns", "device_ns / count"),
      column::Real("flops", "FLOP", "what one run has to compute"),
      column::Real("bytes", "bytes", "what one run has to move at least"),
      column::Real("flop_per_byte", "FLOP/byte", "flops / bytes: the arithmetic intensity"),
      column::Real("flops_per_s", "FLOP/s", "achieved: flops / mean_ns"),
      column::Real("bytes_per_s", "bytes/s", "achieved: bytes / mean_ns"),
      column::Text("bound", "compute or memory: what limits it; null for an unknown device"),
      column::Real("efficiency_pct", "%", "time at the device's peak / mean_ns"),
      column::Int("headroom_ns", "ns",
                  "device_ns less the time at the peak: what a perfect kernel would save"),
      column::Real("matrix_cores_pct", "%",
                   "part of device_ns in kernels whose name says that they use matrix cores"),
      {"fits_matrix_cores", ColumnType::kBool, "",
       "a matmul, convolution or attention whose dtype and sizes matrix cores can take"},
      {"above_roof", ColumnType::kBool, "",
       "more than 110 % of the peak: inputs lay in a cache, or the model is wrong here"},
      column::Real("peak_flops_per_s", "FLOP/s",
                   "the device's peak for the dtype, on these units; null when it is not known"),
      column::Real("peak_bytes_per_s", "bytes/s",
                   "the device's memory bandwidth; null for an unknown device"),
      column::Text("units", "matrix cores or vector units: whose peak it is measured against"),
      {"units_stated", ColumnType::kBool, "",
       "false: the kernels' names do not say it, so a matmul, convolution or attention of 16 or 8 "
       "bits is taken to run on matrix cores, one of more bits not to"},
      column::Text("roof_confidence",
                   "how the peak that bounds it was come by: stated, halved, derived or unsure, as "
                   "device_peaks explains"),
      {"lower_bound", ColumnType::kBool, "",
       "flops are at least these: the lengths of the sequences were not recorded, only their sum "
       "and the longest"},
  };
  return kColumns;
}

void AddKernelTime(UnitTimes& times, std::string_view kernel, std::int64_t duration_ns) {
  AddSaturating(times.device_ns, duration_ns);
  const KernelUnits units = UnitsOfKernel(kernel);
  if (units == KernelUnits::kMatrixCores) AddSaturating(times.matrix_ns, duration_ns);
  if (units == KernelUnits::kVectorUnits) AddSaturating(times.vector_ns, duration_ns);
}

Table RooflineRows(const std::map<RooflineKey, RooflineSum>& sums) {
  std::int64_t everything = 0;
  for (const auto& [key, sum] : sums) AddSaturating(everything, sum.times.device_ns);
  Table table("roofline", RooflineColumns());
  for (const auto& [key, sum] : sums) AddRow(table, key, sum, everything);
  return table;
}

}  // namespace rankscope
