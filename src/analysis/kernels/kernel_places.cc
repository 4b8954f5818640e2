#include "analysis/kernels/kernel_places.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/graphs/graph_join.h"
#include "analysis/kernels/analyses.h"
#include "analysis/op_models/roofline_rows.h"
#include "base/saturating.h"
#include "schemas/kernels.h"
#include "schemas/roofline.h"
#include "stage/reducer.h"
#include "statistics/statistics.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

// Empty is unknown.
struct KernelPlacesPlace {
  std::string name, class_, work, op, shapes, module, line, phase, group;
  std::optional<RooflineKey> cost;
  friend auto operator<=>(const KernelPlacesPlace&, const KernelPlacesPlace&) = default;
};

struct KernelPlacesSum {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::set<std::int64_t> ranks;

  void Merge(KernelPlacesSum&& other) {
    AddSaturating(count, other.count);
    AddSaturating(total_ns, other.total_ns);
    ranks.merge(other.ranks);
  }
};

using RooflineSums = std::map<RooflineKey, RooflineSum>;

// A row of the partial.
template <typename Column>
std::string TextAt(const ViewOf<KernelPlacePartial>& table, std::size_t row, Column column) {
  return table.IsNull(row, column) ? std::string() : std::string(table.String(row, column));
}

KernelPlacesPlace PlaceAt(ViewOf<KernelPlacePartial> table, std::size_t row) {
  const auto& columns = SchemaOf<KernelPlacePartial>();
  const auto text = [&](auto column) { return TextAt(table, row, column); };
  KernelPlacesPlace place = {text(columns.name), text(columns.class_), text(columns.work),
                             text(columns.op),   text(columns.shapes), text(columns.module),
                             text(columns.line), text(columns.phase),  text(columns.group),
                             std::nullopt};
  if (table.IsNull(row, columns.cost_op)) return place;
  place.cost = {text(columns.cost_op),
                text(columns.cost_family),
                text(columns.cost_shapes),
                text(columns.cost_dtype),
                text(columns.device),
                table.Double(row, columns.flops),
                table.Double(row, columns.bytes),
                table.Bool(row, columns.fits),
                table.Bool(row, columns.lower_bound)};
  return place;
}

// Efficiencies of ops by what tells them apart: the table roofline's own numbers.
std::map<RooflineKey, double> EfficienciesOf(RooflineSums sums) {
  // Ops of which only a part ran in the steps that were asked for have no run to measure.
  std::erase_if(sums, [](const auto& entry) { return entry.second.count == 0; });
  const TableOf<Roofline> rows(RooflineRows(sums));
  const auto& columns = SchemaOf<Roofline>();
  std::map<RooflineKey, double> efficiencies;
  std::size_t row = 0;
  for (const auto& [key, sum] : sums) {
    if (!rows.IsNull(row, columns.efficiency_pct))
      efficiencies[key] = rows.Double(row, columns.efficiency_pct);
    ++row;
  }
  return efficiencies;
}

struct KernelPlacesState {
  using ForWhat = std::pair<std::string, std::string>;  // class, work

  explicit KernelPlacesState(const Options&) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    if (capture.selected) {
      AddPlaces(tables[0], capture.rank);
      AddGraphKernels(tables[1]);
    }
    return graphs.Add(capture, std::span(tables).subspan(2));
  }

  void AddPlaces(ViewOf<KernelPlacePartial> table, std::int64_t rank) {
    const auto& columns = SchemaOf<KernelPlacePartial>();
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      const KernelPlacesPlace place = PlaceAt(table, row);
      const std::int64_t total_ns = table.Int(row, columns.total_ns);
      sums[place].Merge({table.Int(row, columns.count), total_ns, {rank}});
      if (!place.cost) continue;
      RooflineSum& op = ops[*place.cost];
      AddKernelTime(op.times, place.name, total_ns);
      AddSaturating(op.count, table.Int(row, columns.runs));
    }
  }

  void AddGraphKernels(ViewOf<GraphKernelPartial> table) {
    const auto& columns = SchemaOf<GraphKernelPartial>();
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      AddGraphKernel(std::string(table.String(row, columns.name)),
                     {std::string(table.String(row, columns.class_)),
                      std::string(table.String(row, columns.work))});
    }
  }

  // Ranks may disagree on what a kernel is for: the first in the order of names is taken, whoever
  // comes first.
  void AddGraphKernel(const std::string& name, ForWhat for_what) {
    const auto [known, is_new] = graph_kernels.try_emplace(name, for_what);
    if (!is_new) known->second = std::min(known->second, std::move(for_what));
  }

  void Merge(KernelPlacesState&& other) {
    sums.merge(other.sums);  // leaves those that are in both
    for (auto& [place, sum] : other.sums) sums.at(place).Merge(std::move(sum));
    ops.merge(other.ops);
    for (auto& [key, sum] : other.ops) {
      RooflineSum& into = ops.at(key);
      AddSaturating(into.count, sum.count);
      AddSaturating(into.times.device_ns, sum.times.device_ns);
      AddSaturating(into.times.matrix_ns, sum.times.matrix_ns);
      AddSaturating(into.times.vector_ns, sum.times.vector_ns);
    }
    for (const auto& [name, for_what] : other.graph_kernels) AddGraphKernel(name, for_what);
    graphs.Merge(std::move(other.graphs));
  }

  // Work of graphs has the place of the captured launch.
  void AddGraphs() {
    for (const auto& [id, graph] : graphs.graphs()) {
      if (graph.nodes.empty()) {
        KernelPlacesSum& sum = sums[{.name = "(CUDA graph " + id + ")"}];
        sum.Merge({graph.launches, graph.device_ns, graph.ranks});
      }
      for (const CudaGraph::Node& node : graph.nodes) {
        if (node.count == 0) continue;
        KernelPlacesPlace place = {.name = node.name};
        if (const auto known = graph_kernels.find(node.name); known != graph_kernels.end())
          std::tie(place.class_, place.work) = known->second;
        if (node.owner != nullptr) {
          place.op = node.owner->op;
          place.shapes = node.owner->shapes;
          place.module = node.owner->module_class;
          place.line = node.owner->function;
        }
        if (node.is_compute) place.cost = CostOfNode(graph, node);
        if (place.cost) {
          RooflineSum& op = ops[*place.cost];
          AddKernelTime(op.times, node.name, node.device_ns);
          if (node.owner->begins_run) AddSaturating(op.count, node.count);
        }
        sums[place].Merge({node.count, node.device_ns, graph.ranks});
      }
    }
  }

  Result<Table> Finish(const JobContext&) {
    RS_RETURN_IF_ERROR(graphs.Join());
    AddGraphs();
    std::int64_t all_ns = 0;
    for (const auto& [place, sum] : sums) AddSaturating(all_ns, sum.total_ns);
    const std::map<RooflineKey, double> efficiencies = EfficienciesOf(std::move(ops));
    const auto& columns = SchemaOf<KernelPlaces>();
    auto table = columns.NewTable("kernel_places");
    for (const auto& [place, sum] : sums) {
      const auto efficiency = place.cost ? efficiencies.find(*place.cost) : efficiencies.end();
      table.Add(
          {columns.name = place.name, columns.class_ = TextOrNull(place.class_),
           columns.work = TextOrNull(place.work),
           columns.ranks = static_cast<std::int64_t>(sum.ranks.size()), columns.count = sum.count,
           columns.total_ns = sum.total_ns, columns.share_pct = Percent(sum.total_ns, all_ns),
           columns.mean_ns = static_cast<double>(sum.total_ns) / static_cast<double>(sum.count),
           columns.roofline_pct =
               efficiency == efficiencies.end() ? Value(kNull) : Value(efficiency->second),
           columns.op = TextOrNull(place.op), columns.shapes = TextOrNull(place.shapes),
           columns.module = TextOrNull(place.module), columns.line = TextOrNull(place.line),
           columns.phase = TextOrNull(place.phase), columns.group = TextOrNull(place.group)});
    }
    table.SortBy({{columns.total_ns, true}, {columns.name}, {columns.op}, {columns.shapes}});
    return table;
  }

  std::map<KernelPlacesPlace, KernelPlacesSum> sums;
  RooflineSums ops;
  std::map<std::string, ForWhat> graph_kernels;
  GraphsOfJob graphs;
};

}  // namespace

const Analysis& KernelPlacesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernel_places",
      .size = Size::kDetail,
      .summary = "kernels by where in the program they come from: op, shapes, module, line, group",
      .definition =
          "Device work of one name launched from one place: the innermost op around the launching "
          "call, the input shapes of the innermost op that states any, the classes of the "
          "nn.Modules and the innermost function of the user's code around it (profiles with "
          "with_stack or with_modules), those of the forward op where autograd launched it, the "
          "phase of the step (phases), and of communication the process group. Work of a CUDA "
          "graph has the place of the captured launch where the trace of the capture is given "
          "(graph_ops). roofline_pct = time at the device's peak / time of the op that the kernel "
          "is part of (roofline), whose other kernels count, too. share_pct = 100 * total / total "
          "of all device work of the job (durations summed, so work that overlaps counts more "
          "than once); the rows sum to it. Per rank the `places` with the most time are kept, "
          "others stand by kernel alone.",
      .example = "rankscope table kernel_places traces/ --limit 20",
      .columns = SchemaOf<KernelPlaces>().columns(),
      .mapper = {.name = "kernel_places",
                 .version = 3,
                 .options = {{"places", "5000", "so many rows per rank; 0 = all",
                              OptionType::kCount}},
                 .tables = KernelPlacePartials(),
                 .uses = {kOpCostComponent},
                 .map = MapKernelPlaces},
      .reducer = ReduceBy<KernelPlacesState>(),
      .of_all_captures = true,
  };
  return kAnalysis;
}

}  // namespace rankscope
