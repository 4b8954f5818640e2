#include "analysis/roofline/roofline.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "analysis/graphs/graph_join.h"
#include "analysis/roofline/device_name.h"
#include "analysis/roofline/device_peaks.h"
#include "analysis/roofline/modelled_ops.h"
#include "analysis/roofline/roof.h"
#include "analysis/roofline/roofline_rows.h"
#include "analysis/vocabulary.h"
#include "analysis/windows.h"
#include "base/saturating.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

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
  std::vector<std::uint8_t> is_graph_launch(trace.strings.size());
  for (StringId id = 0; id < is_graph_launch.size(); ++id)
    is_graph_launch[id] = IsGraphLaunchCall(trace.strings.Get(id));
  for (const DeviceTime& device : facts.devices()) {
    std::vector<Sum> sums(ops.size());
    std::vector<std::uint8_t> is_counted(trace.row_count());
    std::int64_t unmodelled = 0;
    for (const Row row : device.work) {
      if (windows.At(trace.ts_ns[row]) == Windows::kNone) continue;
      if (facts.classes().Of(row) != WorkClass::kCompute) continue;
      const Row launch = trace.link[row];
      if (launch != kNoRow && is_graph_launch[trace.name[launch]] != 0) continue;
      const Row op = ops.OwnerOf(row);
      if (op == kNoRow) {
        AddSaturating(unmodelled, trace.dur_ns[row]);
        continue;
      }
      Sum& sum = sums[ops.IndexOfOwner(op)];
      sum.op = op;
      sum.count += is_counted[op] == 0 ? 1 : 0;
      is_counted[op] = 1;
      AddKernelTime(sum.times, trace.name_of(row), trace.dur_ns[row]);
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
  std::vector<Table> tables = MapGraphs(facts, options.steps);
  tables.insert(tables.begin(), std::move(table));
  return tables;
}

using Sums = std::map<RooflineKey, RooflineSum>;

void AddOps(const Table& table, std::int64_t rank, Sums& sums) {
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const auto text = [&](std::size_t column) {
      return table.IsNull(row, column) ? std::string() : std::string(table.String(row, column));
    };
    RooflineKey key{.device = text(4)};
    const bool is_modelled = !table.IsNull(row, 0);
    if (is_modelled) {
      key = {text(0),
             text(1),
             text(2),
             text(3),
             text(4),
             table.Double(row, 9),
             table.Double(row, 10),
             table.Bool(row, 11),
             table.Bool(row, 12)};
    }
    RooflineSum& sum = sums[key];
    sum.ranks.insert(rank);
    AddSaturating(sum.times.device_ns, table.Int(row, 6));
    if (!is_modelled) continue;
    sum.count += table.Int(row, 5);
    AddSaturating(sum.times.matrix_ns, table.Int(row, 7));
    AddSaturating(sum.times.vector_ns, table.Int(row, 8));
  }
}

void AddGraphs(const GraphsOfJob& found, Sums& sums) {
  for (const auto& [id, graph] : found.graphs()) {
    if (graph.nodes.empty())
      AddSaturating(sums[{.device = graph.device}].times.device_ns, graph.device_ns);
    for (const JobGraph::Node& node : graph.nodes) {
      if (!node.is_compute || node.count == 0) continue;
      const auto cost = CostOfNode(graph, node);
      RooflineSum& sum = sums[cost.value_or(RooflineKey{.device = graph.device})];
      sum.ranks.insert(graph.ranks.begin(), graph.ranks.end());
      AddKernelTime(sum.times, node.name, node.device_ns);
      if (cost && node.owner->begins_run) sum.count += node.count;
    }
  }
}

// Ops of which only a part ran in the steps that were asked for have no run to measure.
void DropPartsOfRuns(Sums& sums) {
  for (auto entry = sums.begin(); entry != sums.end();) {
    const auto& [key, sum] = *entry;
    if (key.op.empty() || sum.count > 0) {
      ++entry;
      continue;
    }
    RooflineSum& rest = sums[{.device = key.device}];
    AddSaturating(rest.times.device_ns, sum.times.device_ns);
    rest.ranks.insert(sum.ranks.begin(), sum.ranks.end());
    entry = sums.erase(entry);
  }
}

Result<Table> Reduce(PartialStream& partials, const JobContext& job, const Options& options) {
  Sums sums;
  GraphsOfJob graphs;
  Partial partial;
  while (true) {
    RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
    if (!more) break;
    const Capture& capture = job.captures[partial.capture];
    if (capture.selected) AddOps(partial.tables.front(), capture.rank, sums);
    RS_RETURN_IF_ERROR(graphs.Add(capture, std::span(partial.tables).subspan(1)));
  }
  graphs.Join();
  AddGraphs(graphs, sums);
  DropPartsOfRuns(sums);
  Table table = RooflineRows(sums);
  table.SortBy({{7, true}, {0}, {2}});
  const std::int64_t top = CountOption(options, "top");
  if (top > 0) table.Truncate(static_cast<std::size_t>(top));
  return table;
}

}  // namespace

const Analysis& RooflineAnalysis() {
  static const Analysis kAnalysis = {
      .name = "roofline",
      .version = 4,
      .size = Size::kDetail,
      .summary = "how far ops are from what the device can do, by op and shapes",
      .definition =
          "Computing kernels belong to the outermost op with a cost model around their launch, "
          "those "
          "of a CUDA graph around the captured launch where the trace of the capture is given (see "
          "graph_ops). "
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
      .columns = RooflineColumns(),
      .options = {{"top", "0", "keep the rows with most device time; 0 = all", false,
                   OptionType::kCount},
                  {"groups", "1000",
                   "so many groups of each rank and device are told apart; what is beyond has no "
                   "model; 0 = all",
                   true, OptionType::kCount}},
      .map = Map,
      .reduce = Reduce,
      .of_all_captures = true,
  };
  return kAnalysis;
}

}  // namespace rankscope
