#include "analysis/roofline/roofline.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "analysis/reduce.h"
#include "analysis/roofline/device_name.h"
#include "analysis/roofline/device_peaks.h"
#include "analysis/roofline/modelled_ops.h"
#include "analysis/roofline/roof.h"
#include "analysis/vocabulary.h"
#include "analysis/windows.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("op", "the op; null = computing without a model"),
      column::Text(
          "family",
          "matmul, convolution, attention, elementwise, reduction, normalisation, indexing, "
          "pooling or optimizer"),
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

struct Sum {
  std::int64_t count = 0;
  UnitTimes times;
  Row op = kNoRow;  // one of them
};

Value TextOrNull(std::string_view text) { return text.empty() ? Value(kNull) : Value(text); }

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  const auto most = static_cast<std::size_t>(CountOption(options.values, "groups"));
  Table table("roofline", {column::Text("op", ""),
                           column::Text("family", ""),
                           column::Text("shapes", ""),
                           column::Text("dtype", ""),
                           column::Text("device", ""),
                           {"count"},
                           {"device_ns"},
                           {"matrix_ns"},
                           {"vector_ns"},
                           column::Real("flops", "", ""),
                           column::Real("bytes", "", ""),
                           {"fits", ColumnType::kBool},
                           {"lower_bound", ColumnType::kBool}});
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  const ModelledOps ops(trace);
  for (const DeviceTime& device : facts.devices()) {
    std::vector<Sum> sums(ops.size());
    std::vector<std::uint8_t> is_counted(trace.row_count());
    std::int64_t unmodelled = 0;
    for (const Row row : device.work) {
      if (windows.At(trace.ts_ns[row]) == Windows::kNone) continue;
      if (facts.classes().Of(row) != WorkClass::kCompute) continue;
      const Row op = ops.OwnerOf(row);
      if (op == kNoRow) {
        AddSaturating(unmodelled, trace.dur_ns[row]);
        continue;
      }
      Sum& sum = sums[ops.IndexOfOwner(op)];
      sum.op = op;
      sum.count += is_counted[op] == 0 ? 1 : 0;
      is_counted[op] = 1;
      UnitTimes& times = sum.times;
      AddSaturating(times.device_ns, trace.dur_ns[row]);
      const KernelUnits units = UnitsOfKernel(trace.name_of(row));
      if (units == KernelUnits::kMatrixCores) AddSaturating(times.matrix_ns, trace.dur_ns[row]);
      if (units == KernelUnits::kVectorUnits) AddSaturating(times.vector_ns, trace.dur_ns[row]);
    }
    const std::string_view device_name = NameOfDevice(trace, device.device);
    std::vector<const Sum*> order;
    for (const Sum& sum : sums) {
      if (sum.op != kNoRow) order.push_back(&sum);
    }
    std::ranges::stable_sort(order, std::greater<>(),
                             [](const Sum* sum) { return sum->times.device_ns; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Sum& sum = *order[i];
      if (most > 0 && i >= most) {
        AddSaturating(unmodelled, sum.times.device_ns);
        continue;
      }
      const OpCost& cost = ops.CostOfOwner(sum.op);
      const OpArgs& args = trace.ops[trace.aux[sum.op]];
      table.AddRow({trace.name_of(sum.op), ToString(cost.family),
                    trace.strings.Get(args.input_dims), TextOrNull(cost.dtype),
                    TextOrNull(device_name), sum.count, sum.times.device_ns, sum.times.matrix_ns,
                    sum.times.vector_ns, cost.flops, cost.bytes, cost.fits_matrix_cores,
                    cost.is_lower_bound});
    }
    if (unmodelled > 0) {
      std::vector<Value> row(table.columns().size(), kNull);
      row[4] = TextOrNull(device_name);
      row[6] = unmodelled;
      table.AddRow(row);
    }
  }
  return {table};
}

struct OverRanks {
  std::int64_t count = 0;
  UnitTimes times;
  std::set<std::int64_t> ranks;
};
// op, family, shapes, dtype, device, and the cost's numbers, which concrete inputs may change.
using JobKey = std::tuple<std::string, std::string, std::string, std::string, std::string, double,
                          double, bool, bool>;

Value Ratio(double part, double whole) { return whole > 0 ? Value(part / whole) : Value(kNull); }

void AddRow(Table& table, const JobKey& key, const OverRanks& entry, std::int64_t everything) {
  const auto& [op, family, shapes, dtype, device, flops, bytes, fits, is_lower_bound] = key;
  const UnitTimes& times = entry.times;
  const auto device_ns = static_cast<double>(times.device_ns);
  const Value share = Ratio(100 * device_ns, static_cast<double>(everything));
  const auto ranks = static_cast<std::int64_t>(entry.ranks.size());
  if (op.empty()) {
    std::vector<Value> row(Columns().size(), kNull);
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

Result<Table> Reduce(PartialStream& partials, const JobContext& job, const Options& options) {
  std::map<JobKey, OverRanks> groups;
  std::int64_t everything = 0;
  RS_RETURN_IF_ERROR(
      ForEachRow(partials, job, [&](const Capture& capture, const Table& table, std::size_t row) {
        const auto text = [&](std::size_t column) {
          return table.IsNull(row, column) ? std::string() : std::string(table.String(row, column));
        };
        const bool is_modelled = !table.IsNull(row, 0);
        OverRanks& entry =
            groups[{text(0), text(1), text(2), text(3), text(4),
                    is_modelled ? table.Double(row, 9) : 0, is_modelled ? table.Double(row, 10) : 0,
                    is_modelled && table.Bool(row, 11), is_modelled && table.Bool(row, 12)}];
        if (is_modelled) {
          entry.count += table.Int(row, 5);
          AddSaturating(entry.times.matrix_ns, table.Int(row, 7));
          AddSaturating(entry.times.vector_ns, table.Int(row, 8));
        }
        AddSaturating(entry.times.device_ns, table.Int(row, 6));
        AddSaturating(everything, table.Int(row, 6));
        entry.ranks.insert(capture.rank);
      }));
  Table table("roofline", Columns());
  for (const auto& [key, entry] : groups) AddRow(table, key, entry, everything);
  table.SortBy({{7, true}, {0}, {2}});
  const std::int64_t top = CountOption(options, "top");
  if (top > 0) table.Truncate(static_cast<std::size_t>(top));
  return table;
}

}  // namespace

const Analysis& RooflineAnalysis() {
  static const Analysis kAnalysis = {
      .name = "roofline",
      .version = 3,
      .size = Size::kDetail,
      .summary = "how far ops are from what the device can do, by op and shapes",
      .definition =
          "Computing kernels belong to the outermost op with a cost model around their launch. "
          "FLOPs (a multiplication and an addition are two) and bytes (every input read and every "
          "output written once) follow from the recorded shapes: matmuls 2 B M N K, convolutions "
          "2 |out| |w| / Cout, attention 2 B H pairs (dqk + dv) with half of the pairs when "
          "causal, elementwise |out|, reductions |in|, normalisation 5 |x|; docs/roofline.md has "
          "the rest. Time at the peak = max(flops / peak FLOP/s of the dtype, bytes / memory "
          "bandwidth), with the vendor's dense figures; "
          "device_peaks lists them and how sure they are. The peak is that of matrix cores when "
          "more than half of the time ran there by the names of the kernels, that of the vector "
          "units when the names say otherwise or the op is no matmul, convolution or attention, "
          "and where names say nothing (Triton) it goes by the dtype. "
          "efficiency = time at the peak / time. "
          "Computing without a model is the row without op, so shares sum to 100 %. Shapes need "
          "record_shapes=True.",
      .example = "rankscope table roofline traces/ --set top=20",
      .columns = Columns(),
      .options = {{"top", "0", "keep the rows with most device time; 0 = all", false,
                   OptionType::kCount},
                  {"groups", "1000",
                   "so many groups of each rank and device are told apart; what is beyond has no "
                   "model; 0 = all",
                   true, OptionType::kCount}},
      .map = Map,
      .reduce = Reduce,
  };
  return kAnalysis;
}

}  // namespace rankscope
