#include "analysis/roofline/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/reduce.h"
#include "analysis/roofline/device_name.h"
#include "analysis/roofline/device_peaks.h"
#include "analysis/roofline/modelled_ops.h"
#include "analysis/vocabulary.h"
#include "analysis/windows.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("op", "the op; null = computing without a model"),
      column::Text("family", "matmul, convolution, attention, elementwise, reduction, ..."),
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
                   "the device's peak for the dtype, on the units where most of the time ran; null "
                   "for an unknown device"),
      column::Real("peak_bytes_per_s", "bytes/s",
                   "the device's memory bandwidth; null for an unknown device"),
  };
  return kColumns;
}

struct Sum {
  std::int64_t count = 0;
  std::int64_t device_ns = 0;
  std::int64_t matrix_ns = 0;
  OpCost cost;
};

Value TextOrNull(std::string_view text) { return text.empty() ? Value(kNull) : Value(text); }

// Work of ops that differ only in what cannot change their cost is one group.
using Key = std::array<StringId, 4>;  // name, dims, types, concrete inputs

Key KeyOf(const RankTrace& trace, Row op) {
  const OpArgs& args = trace.ops[trace.aux[op]];
  return {trace.name[op], args.input_dims, args.input_types, args.concrete_inputs};
}

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
                           column::Real("flops", "", ""),
                           column::Real("bytes", "", ""),
                           {"fits", ColumnType::kBool}});
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  const ModelledOps ops(trace);
  for (const DeviceTime& device : facts.devices()) {
    std::map<Key, Sum> sums;
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
      const Key key = KeyOf(trace, op);
      Sum& sum = sums[key];
      sum.cost = ops.CostOfOwner(op);
      sum.count += is_counted[op] == 0 ? 1 : 0;
      is_counted[op] = 1;
      AddSaturating(sum.device_ns, trace.dur_ns[row]);
      if (UsesMatrixCores(trace.name_of(row))) AddSaturating(sum.matrix_ns, trace.dur_ns[row]);
    }
    const std::string_view device_name = NameOfDevice(trace, device.device);
    std::vector<std::pair<std::int64_t, const Key*>> order;
    order.reserve(sums.size());
    for (const auto& [key, sum] : sums) order.emplace_back(-sum.device_ns, &key);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Key& key = *order[i].second;
      const Sum& sum = sums[key];
      if (most > 0 && i >= most) {
        AddSaturating(unmodelled, sum.device_ns);
        continue;
      }
      table.AddRow({trace.strings.Get(key[0]), ToString(sum.cost.family), trace.strings.Get(key[1]),
                    sum.cost.dtype, TextOrNull(device_name), sum.count, sum.device_ns,
                    sum.matrix_ns, sum.cost.flops, sum.cost.bytes, sum.cost.fits_matrix_cores});
    }
    if (unmodelled > 0) {
      table.AddRow({kNull, kNull, kNull, kNull, TextOrNull(device_name), kNull, unmodelled, kNull,
                    kNull, kNull, kNull});
    }
  }
  return {table};
}

struct OverRanks {
  Sum sum;
  std::set<std::int64_t> ranks;
};
// op, family, shapes, dtype, device, and the cost's numbers, which concrete inputs may change.
using JobKey = std::tuple<std::string, std::string, std::string, std::string, std::string, double,
                          double, bool>;

Value Ratio(double part, double whole) { return whole > 0 ? Value(part / whole) : Value(kNull); }

void AddRow(Table& table, const JobKey& key, const OverRanks& entry, std::int64_t everything) {
  const auto& [op, family, shapes, dtype, device, flops, bytes, fits] = key;
  const Sum& sum = entry.sum;
  const auto device_ns = static_cast<double>(sum.device_ns);
  const Value share = Ratio(100 * device_ns, static_cast<double>(everything));
  const auto ranks = static_cast<std::int64_t>(entry.ranks.size());
  if (op.empty()) {
    std::vector<Value> row(Columns().size(), kNull);
    row[4] = TextOrNull(device);
    row[5] = ranks;
    row[7] = sum.device_ns;
    row[8] = share;
    table.AddRow(row);
    return;
  }
  const double seconds = device_ns / static_cast<double>(sum.count) / 1e9;
  const double matrix_share = device_ns > 0 ? static_cast<double>(sum.matrix_ns) / device_ns : 0;
  Value bound = kNull;
  Value efficiency = kNull;
  Value headroom = kNull;
  Value above = kNull;
  const DevicePeaks* peaks = FindPeaks(device);
  // What ran on vector units is measured against them: matrix_cores_pct says what else there is.
  const double peak = peaks == nullptr ? 0 : PeakFlops(*peaks, dtype, matrix_share > 0.5);
  if (peak > 0 && seconds > 0) {
    const double compute = flops / peak;
    const double memory = bytes / peaks->memory;
    const double at_peak = std::max(compute, memory);
    bound = std::string_view(compute >= memory ? "compute" : "memory");
    efficiency = 100 * at_peak / seconds;
    headroom = static_cast<std::int64_t>(
        std::llround(std::max(0.0, (seconds - at_peak) * static_cast<double>(sum.count) * 1e9)));
    above = at_peak > 1.1 * seconds;
  }
  table.AddRow({std::string_view(op),
                std::string_view(family),
                std::string_view(shapes),
                std::string_view(dtype),
                TextOrNull(device),
                ranks,
                sum.count,
                sum.device_ns,
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
                100 * matrix_share,
                fits,
                above,
                peak > 0 ? Value(peak) : Value(kNull),
                peaks != nullptr ? Value(peaks->memory) : Value(kNull)});
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
        OverRanks& entry = groups[{text(0), text(1), text(2), text(3), text(4),
                                   table.IsNull(row, 8) ? 0 : table.Double(row, 8),
                                   table.IsNull(row, 9) ? 0 : table.Double(row, 9),
                                   is_modelled && table.Bool(row, 10)}];
        if (is_modelled) {
          entry.sum.count += table.Int(row, 5);
          AddSaturating(entry.sum.matrix_ns, table.Int(row, 7));
        }
        AddSaturating(entry.sum.device_ns, table.Int(row, 6));
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
      .version = 2,
      .size = Size::kDetail,
      .summary = "how far ops are from what the device can do, by op and shapes",
      .definition =
          "Computing kernels belong to the outermost op with a cost model around their launch. "
          "FLOPs (a multiplication and an addition are two) and bytes (every input read and every "
          "output written once) follow from the recorded shapes: matmuls 2 B M N K, convolutions "
          "2 |out| |w| / Cout, attention 2 B H pairs (dqk + dv) with half of the pairs when "
          "causal, "
          "elementwise |out|, reductions |in|, normalisation 5 |x|. Time at the peak = max(flops / "
          "peak FLOP/s of the dtype, bytes / memory bandwidth), with the vendor's dense figures; "
          "the peak is that of matrix cores when more than half of the time ran there by the names "
          "of the kernels, else that of the vector units. efficiency = time at the peak / time. "
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
