#include "analysis/roofline/analyses.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "analysis/graphs/graph_join.h"
#include "analysis/op_models/modelled_ops.h"
#include "analysis/op_models/roofline_rows.h"
#include "base/saturating.h"
#include "facts/windows.h"
#include "op_cost/device_name.h"
#include "op_cost/op_cost.h"
#include "op_cost/roof.h"
#include "peaks/device_peaks.h"
#include "schemas/roofline.h"
#include "stage/reducer.h"
#include "table/or_null.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

// Ops of one kind; without op, computing without a model.
struct RooflinePartial : Schema<RooflinePartial> {
  StringColumn op = Text("op");
  StringColumn family = Text("family");
  StringColumn shapes = Text("shapes");
  StringColumn dtype = Text("dtype");
  StringColumn device = Text("device", "its name; null when it is not known");
  IntColumn count = Int("count", "", "runs");
  IntColumn device_ns = Int("device_ns", "ns");
  IntColumn matrix_ns = Int("matrix_ns", "ns", "of that, in kernels of matrix cores");
  IntColumn vector_ns = Int("vector_ns", "ns", "of that, in kernels of vector units");
  RealColumn flops = Real("flops", "", "of one run");
  RealColumn bytes = Real("bytes", "bytes", "of one run");
  FlagColumn fits = Flag("fits", "matrix cores can do it");
  FlagColumn lower_bound = Flag("lower_bound", "the cost is one");
};

struct OwnerSum {
  std::int64_t count = 0;
  UnitTimes times;
  Row op = kNoRow;  // one of them
};

std::vector<Table> MapRoofline(const TraceFacts& facts, const MapOptions& options) {
  const auto most = static_cast<std::size_t>(CountOption(options.values, "groups"));
  const auto& columns = SchemaOf<RooflinePartial>();
  auto table = columns.NewPartial("roofline");
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  const ModelledOps ops(trace);
  std::vector<std::uint8_t> is_graph_launch(trace.strings.size());
  for (StringId id = 0; id < is_graph_launch.size(); ++id)
    is_graph_launch[id] = IsGraphLaunchCall(trace.strings.Get(id));
  for (const DeviceTime& device : facts.devices()) {
    std::vector<OwnerSum> sums(ops.size());
    std::vector<std::uint8_t> is_counted(trace.row_count());
    std::int64_t unmodelled = 0;
    for (const Row row : device.work) {
      if (windows.OfWork(row) == Windows::kNone) continue;
      if (facts.classes().Of(row) != WorkClass::kCompute) continue;
      const Row launch = trace.link[row];
      if (launch != kNoRow && is_graph_launch[trace.name[launch]] != 0) continue;
      const Row op = ops.OwnerOf(row);
      if (op == kNoRow) {
        AddSaturating(unmodelled, trace.dur_ns[row]);
        continue;
      }
      OwnerSum& sum = sums[ops.IndexOfOwner(op)];
      sum.op = op;
      sum.count += is_counted[op] == 0 ? 1 : 0;
      is_counted[op] = 1;
      AddKernelTime(sum.times, trace.name_of(row), trace.dur_ns[row]);
    }
    const std::string_view device_name = NameOfDevice(trace, device.device);
    std::vector<const OwnerSum*> order;
    for (const OwnerSum& sum : sums) {
      if (sum.op != kNoRow) order.push_back(&sum);
    }
    std::ranges::stable_sort(order, std::greater<>(),
                             [](const OwnerSum* sum) { return sum->times.device_ns; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const OwnerSum& sum = *order[i];
      if (most > 0 && i >= most) {
        AddSaturating(unmodelled, sum.times.device_ns);
        continue;
      }
      const OpCost& cost = ops.CostOfOwner(sum.op);
      const OpArgs& args = trace.ops[trace.aux[sum.op]];
      table.Add({columns.op = trace.name_of(sum.op), columns.family = ToString(cost.family),
                 columns.shapes = trace.strings.Get(args.input_dims),
                 columns.dtype = TextOrNull(cost.dtype), columns.device = TextOrNull(device_name),
                 columns.count = sum.count, columns.device_ns = sum.times.device_ns,
                 columns.matrix_ns = sum.times.matrix_ns, columns.vector_ns = sum.times.vector_ns,
                 columns.flops = cost.flops, columns.bytes = cost.bytes,
                 columns.fits = cost.fits_matrix_cores, columns.lower_bound = cost.is_lower_bound});
    }
    if (unmodelled > 0)
      table.Add({columns.device = TextOrNull(device_name), columns.device_ns = unmodelled});
  }
  std::vector<Table> tables = MapGraphs(facts, options.steps);
  tables.insert(tables.begin(), std::move(table));
  return tables;
}

std::vector<std::vector<ColumnSpec>> PartialColumns() {
  std::vector<std::vector<ColumnSpec>> columns = GraphPartialColumns();
  columns.insert(columns.begin(), SchemaOf<RooflinePartial>().BareColumns());
  return columns;
}

using SumsByKey = std::map<RooflineKey, RooflineSum>;

void AddOps(ViewOf<RooflinePartial> table, std::int64_t rank, SumsByKey& sums) {
  const auto& columns = SchemaOf<RooflinePartial>();
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const auto text = [&](auto column) {
      return table.IsNull(row, column) ? std::string() : std::string(table.String(row, column));
    };
    RooflineKey key{.device = text(columns.device)};
    const bool is_modelled = !table.IsNull(row, columns.op);
    if (is_modelled) {
      key = {text(columns.op),
             text(columns.family),
             text(columns.shapes),
             text(columns.dtype),
             text(columns.device),
             table.Double(row, columns.flops),
             table.Double(row, columns.bytes),
             table.Bool(row, columns.fits),
             table.Bool(row, columns.lower_bound)};
    }
    RooflineSum& sum = sums[key];
    sum.ranks.insert(rank);
    AddSaturating(sum.times.device_ns, table.Int(row, columns.device_ns));
    if (!is_modelled) continue;
    AddSaturating(sum.count, table.Int(row, columns.count));
    AddSaturating(sum.times.matrix_ns, table.Int(row, columns.matrix_ns));
    AddSaturating(sum.times.vector_ns, table.Int(row, columns.vector_ns));
  }
}

void AddGraphs(const GraphsOfJob& found, SumsByKey& sums) {
  for (const auto& [id, graph] : found.graphs()) {
    if (graph.nodes.empty())
      AddSaturating(sums[{.device = graph.device}].times.device_ns, graph.device_ns);
    for (const CudaGraph::Node& node : graph.nodes) {
      if (!node.is_compute || node.count == 0) continue;
      const auto cost = CostOfNode(graph, node);
      RooflineSum& sum = sums[cost.value_or(RooflineKey{.device = graph.device})];
      sum.ranks.insert(graph.ranks.begin(), graph.ranks.end());
      AddKernelTime(sum.times, node.name, node.device_ns);
      if (cost && node.owner->begins_run) AddSaturating(sum.count, node.count);
    }
  }
}

// Ops of which only a part ran in the steps that were asked for have no run to measure.
void DropPartsOfRuns(SumsByKey& sums) {
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

struct RooflineState {
  explicit RooflineState(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    if (capture.selected) AddOps(tables.front(), capture.rank, sums);
    return graphs.Add(capture, std::span(tables).subspan(1));
  }

  void Merge(RooflineState&& other) {
    sums.merge(other.sums);  // leaves those that are in both
    for (auto& [key, sum] : other.sums) {
      RooflineSum& into = sums.at(key);
      into.ranks.merge(sum.ranks);
      AddSaturating(into.count, sum.count);
      AddSaturating(into.times.device_ns, sum.times.device_ns);
      AddSaturating(into.times.matrix_ns, sum.times.matrix_ns);
      AddSaturating(into.times.vector_ns, sum.times.vector_ns);
    }
    graphs.Merge(std::move(other.graphs));
  }

  Result<Table> Finish(const JobContext&) {
    RS_RETURN_IF_ERROR(graphs.Join());
    AddGraphs(graphs, sums);
    DropPartsOfRuns(sums);
    TableOf<Roofline> table(RooflineRows(sums));
    const auto& columns = SchemaOf<Roofline>();
    table.SortBy({{columns.device_ns, true}, {columns.op}, {columns.shapes}});
    if (top > 0) table.Truncate(static_cast<std::size_t>(top));
    return table;
  }

  std::int64_t top = 0;
  SumsByKey sums;
  GraphsOfJob graphs;
};

}  // namespace

const Analysis& RooflineAnalysis() {
  static const Analysis kAnalysis = {
      .name = "roofline",
      .size = Size::kDetail,
      .summary = "how far ops are from what the device can do, by op and shapes",
      .definition =
          "Computing kernels belong to the outermost op with a cost model around their launch, "
          "those of a CUDA graph around the captured launch where the trace of the capture is "
          "given (see graph_ops). FLOPs (a multiplication and an addition are two) and bytes "
          "(every input read and every output written once) follow from the recorded shapes: "
          "matmuls 2 B M N K, convolutions 2 |out| |w| / Cout, attention 2 B H pairs (dqk + dv) "
          "with half of the pairs when causal, elementwise |out|, reductions |in|, normalisation 5 "
          "|x|; docs/roofline.md has the rest. Time at the peak = max(flops / peak FLOP/s of the "
          "dtype, bytes / memory bandwidth), with the vendor's dense figures; device_peaks lists "
          "them and how sure they are. The peak is that of matrix cores when more than half of the "
          "time ran there by the names of the kernels, that of the vector units when the names say "
          "otherwise or the op is no matmul, convolution or attention, and where names say nothing "
          "(Triton) it goes by the dtype. efficiency = time at the peak / time. Computing without "
          "a model is the row without op, so shares sum to 100%. Shapes need record_shapes=True.",
      .example = "rankscope table roofline traces/ --set top=20",
      .columns = SchemaOf<Roofline>().columns(),
      .options = {{"top", "0", "keep the rows with most device time; 0 = all", OptionType::kCount}},
      .mapper =
          {.name = "roofline",
           .version = 5,
           .options =
               {{"groups", "1000",
                 "so many groups of each rank and device are told apart; what is beyond has no "
                 "model; 0 = all",
                 OptionType::kCount}},
           .tables = PartialColumns(),
           .uses = {kOpCostComponent},
           .map = MapRoofline},
      .reducer = ReduceBy<RooflineState>(),
      .of_all_captures = true,
  };
  return kAnalysis;
}

}  // namespace rankscope
