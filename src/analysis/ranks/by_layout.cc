// by_layout: any metric of ranks over two dimensions of the layout.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/across/analyses.h"
#include "analysis/layout/analyses.h"
#include "analysis/ranks/analyses.h"
#include "analysis/steps/analyses.h"
#include "schemas/across.h"
#include "schemas/layout.h"
#include "schemas/ranks.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

struct ByLayout : Schema<ByLayout> {
  StringColumn metric = Text("metric", "what is measured: of rank_metrics, or TABLE.COLUMN");
  StringColumn unit = Text("unit", "of mean, min and max");
  StringColumn row_dimension = Text("row_dimension", "the option, or what was chosen");
  StringColumn row = Text("row", "coordinate, host or role");
  StringColumn column_dimension =
      Text("column_dimension", "null when the ranks differ in one dimension only");
  StringColumn column = Text("column", "null then, too");
  IntColumn ranks = Int("ranks", "", "there, of which the metric is known");
  RealColumn mean = Real("mean", "", "over these ranks");
  RealColumn min = Real("min", "", "over these ranks");
  RealColumn max = Real("max", "", "over these ranks");
  IntColumn max_rank = Int("max_rank", "", "the rank that has it");
};

// What rows and columns may be, in the order in which they are chosen: columns of layout_ranks.
struct PlaceDimension {
  std::string_view name;
  AnyColumnOf<LayoutRanks> column;
};
const std::array<PlaceDimension, 7>& PlaceDimensions() {
  const auto& ranks = SchemaOf<LayoutRanks>();
  static const std::array<PlaceDimension, 7> kDimensions = {{{"dp", ranks.dp},
                                                             {"pp", ranks.pp},
                                                             {"tp", ranks.tp},
                                                             {"cp", ranks.cp},
                                                             {"ep", ranks.ep},
                                                             {"host", ranks.host},
                                                             {"role", ranks.role}}};
  return kDimensions;
}

// Null when there is no such dimension.
const PlaceDimension* FindDimension(std::string_view name) {
  const auto found = std::ranges::find(PlaceDimensions(), name, &PlaceDimension::name);
  return found == PlaceDimensions().end() ? nullptr : &*found;
}

// A table of ranks, of which TABLE.COLUMN may be asked. Columns by their index.
struct Source {
  const Analysis* analysis;
  std::size_t rank;
  std::optional<std::size_t> step;
  std::optional<std::size_t> complete;
};

template <typename T>
Source SourceOf(const Analysis& analysis) {
  const auto& columns = SchemaOf<T>();
  Source source{&analysis, columns.rank.index(), std::nullopt, std::nullopt};
  if constexpr (requires { columns.step; }) source.step = columns.step.index();
  if constexpr (requires { columns.complete; }) source.complete = columns.complete.index();
  return source;
}

const std::array<Source, 6>& Sources() {
  static const std::array<Source, 6> kSources = {
      SourceOf<StepTimes>(StepTimesAnalysis()),
      SourceOf<TimeBreakdown>(TimeBreakdownAnalysis()),
      SourceOf<CollectiveRanks>(CollectiveRanksAnalysis()),
      SourceOf<ExposedCommunication>(ExposedCommunicationAnalysis()),
      SourceOf<PipelineSteps>(PipelineStepsAnalysis()),
      SourceOf<ExpertRanks>(ExpertRanksAnalysis()),
  };
  return kSources;
}

// layout_ranks, rank_metrics and the sources.
std::vector<const Analysis*> InputsOfByLayout() {
  std::vector<const Analysis*> inputs = {&LayoutRanksAnalysis(), &RankMetricsAnalysis()};
  for (const Source& source : Sources()) inputs.push_back(source.analysis);
  return inputs;
}

struct Metric {
  std::string name;
  std::string unit;
  std::map<std::int64_t, double> by_rank;
};

std::optional<double> NumberAt(const Table& table, std::size_t row, std::size_t column) {
  const Value value = table.At(row, column);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

// The mean of a column over a rank's rows. Incomplete steps and what lies outside of steps do not
// count where there are complete ones.
Metric MeanOf(const Table& table, const Source& source, std::size_t of_column) {
  const auto counts = [&](std::size_t row) {
    return (!source.complete || table.IsNull(row, *source.complete) ||
            table.Bool(row, *source.complete)) &&
           (!source.step || !table.IsNull(row, *source.step));
  };
  bool any = false;
  for (std::size_t row = 0; row < table.row_count() && !any; ++row) any = counts(row);
  const ColumnSpec& spec = table.columns()[of_column];
  Metric metric{.name = table.name() + "." + spec.name, .unit = spec.unit};
  std::map<std::int64_t, std::pair<double, double>> sums;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const auto value = NumberAt(table, row, of_column);
    if (!value || (any && !counts(row))) continue;
    auto& [sum, count] = sums[table.Int(row, source.rank)];
    sum += *value;
    ++count;
  }
  for (const auto& [of_rank, sum] : sums) metric.by_rank[of_rank] = sum.first / sum.second;
  return metric;
}

// Of one of Sources().
template <typename T>
Metric MeanOf(const InputTables& inputs, AnyColumnOf<T> column) {
  const auto& sources = Sources();
  const auto source = std::ranges::find(
      sources, T::kName, [](const Source& one) -> std::string_view { return one.analysis->name; });
  return MeanOf(inputs.Of<T>().table(), *source, column.index);
}

std::vector<Metric> OfRankMetrics(ViewOf<RankMetrics> table, std::string_view wanted) {
  const auto& columns = SchemaOf<RankMetrics>();
  std::vector<Metric> metrics;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::string_view name = table.String(row, columns.metric);
    if (!wanted.empty() && name != wanted) continue;
    if (metrics.empty() || metrics.back().name != name)
      metrics.push_back({std::string(name), std::string(table.String(row, columns.unit)), {}});
    if (const auto value = table.Known(row, columns.value))
      metrics.back().by_rank[table.Int(row, columns.rank)] = *value;
  }
  return metrics;
}

Result<std::vector<Metric>> MetricsOf(const InputTables& inputs, const std::string& wanted) {
  const std::size_t dot = wanted.find('.');
  if (dot == std::string::npos) {
    std::vector<Metric> metrics = OfRankMetrics(inputs.Of<RankMetrics>(), wanted);
    if (wanted.empty()) {
      // What passes between ranks is in no metric of single ranks.
      const auto& collectives = SchemaOf<CollectiveRanks>();
      metrics.push_back(MeanOf<CollectiveRanks>(inputs, collectives.wait_ns));
      metrics.push_back(MeanOf<CollectiveRanks>(inputs, collectives.lead_ns));
      metrics.push_back(MeanOf<PipelineSteps>(inputs, SchemaOf<PipelineSteps>().bubble_pct));
    }
    std::erase_if(metrics, [](const Metric& metric) { return metric.by_rank.empty(); });
    if (metrics.empty() && !wanted.empty()) {
      return Error(StatusCode::kInvalidArgument,
                   "metric={}: rank_metrics has no such metric of these traces; it may also be "
                   "TABLE.COLUMN, such as collective_ranks.wait_ns",
                   wanted);
    }
    return metrics;
  }
  const std::string table_name = wanted.substr(0, dot);
  const std::string column_name = wanted.substr(dot + 1);
  std::string known;
  for (const Source& source : Sources()) {
    const Table& table = inputs.Named(source.analysis->name);
    known += (known.empty() ? "" : ", ") + table.name();
    if (table.name() != table_name) continue;
    const auto column = table.Find(column_name);
    const bool is_number = column && (table.columns()[*column].type == ColumnType::kInt64 ||
                                      table.columns()[*column].type == ColumnType::kDouble);
    if (!is_number) {
      return Error(StatusCode::kInvalidArgument, "metric={}: {} has no column of numbers '{}'",
                   wanted, table_name, column_name);
    }
    return std::vector<Metric>{MeanOf(table, source, *column)};
  }
  return Error(StatusCode::kInvalidArgument, "metric={}: the tables to choose from are {}", wanted,
               known);
}

// A rank's coordinate as text; empty when it is not known.
std::string At(ViewOf<LayoutRanks> places, std::size_t row, const PlaceDimension& dimension) {
  const Value value = places.At(row, dimension.column);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  return {};
}

// Dimensions in which ranks differ, in the order of PlaceDimensions.
std::vector<std::string> Differing(ViewOf<LayoutRanks> places) {
  std::vector<std::string> found;
  for (const PlaceDimension& dimension : PlaceDimensions()) {
    for (std::size_t row = 1; row < places.row_count(); ++row) {
      if (At(places, row, dimension) == At(places, 0, dimension)) continue;
      found.emplace_back(dimension.name);
      break;
    }
  }
  return found;
}

Result<Table> DeriveByLayout(const InputTables& inputs, const JobContext&, const Options& options) {
  const ViewOf<LayoutRanks> places = inputs.Of<LayoutRanks>();
  std::string rows = options.find("rows")->second;
  std::string columns = options.find("columns")->second;
  const std::vector<std::string> differing = Differing(places);
  const auto first_but = [&](const std::string& taken) {
    for (const std::string& dimension : differing) {
      if (dimension != taken) return dimension;
    }
    return std::string();
  };
  if (rows == "auto") rows = first_but(columns);
  if (rows.empty()) rows = "dp";
  if (columns == "auto") columns = first_but(rows);
  RS_ASSIGN_OR_RETURN(const std::vector<Metric> metrics,
                      MetricsOf(inputs, options.find("metric")->second));

  const PlaceDimension* row_dimension = FindDimension(rows);
  const PlaceDimension* column_dimension = FindDimension(columns);

  struct Cell {
    std::int64_t ranks = 0;
    double sum = 0;
    double min = 0;
    double max = 0;
    std::int64_t max_rank = 0;
  };
  // Coordinates are numbers: shorter ones first.
  const auto order = [](const std::string& text) { return std::pair(text.size(), text); };
  using Place = std::pair<std::size_t, std::string>;
  const auto& of = SchemaOf<ByLayout>();
  auto table = of.NewTable("by_layout");
  for (const Metric& metric : metrics) {
    std::map<std::pair<Place, Place>, Cell> cells;
    for (std::size_t row = 0; row < places.row_count(); ++row) {
      const std::int64_t rank = places.Int(row, SchemaOf<LayoutRanks>().rank);
      const auto value = metric.by_rank.find(rank);
      if (value == metric.by_rank.end()) continue;
      Cell& cell = cells[{
          order(At(places, row, *row_dimension)),
          order(column_dimension == nullptr ? std::string() : At(places, row, *column_dimension))}];
      if (cell.ranks == 0 || value->second > cell.max) {
        cell.max = value->second;
        cell.max_rank = rank;
      }
      cell.min = cell.ranks == 0 ? value->second : std::min(cell.min, value->second);
      cell.sum += value->second;
      ++cell.ranks;
    }
    const auto text = [](std::string_view value) {
      return value.empty() ? Value(kNull) : Value(value);
    };
    for (const auto& [place, cell] : cells) {
      table.Add({of.metric = metric.name, of.unit = metric.unit, of.row_dimension = rows,
                 of.row = text(place.first.second), of.column_dimension = text(columns),
                 of.column = text(place.second.second), of.ranks = cell.ranks,
                 of.mean = cell.sum / static_cast<double>(cell.ranks), of.min = cell.min,
                 of.max = cell.max, of.max_rank = cell.max_rank});
    }
  }
  return table;
}

Status CheckLayoutOptions(const Options& options) {
  for (const char* name : {"rows", "columns"}) {
    const std::string& value = options.find(name)->second;
    if (value != "auto" && FindDimension(value) == nullptr) {
      return Error(StatusCode::kInvalidArgument,
                   "{}={}: must be tp, cp, ep, pp, dp, host, role or auto", name, value);
    }
  }
  const std::string& rows = options.find("rows")->second;
  if (rows != "auto" && rows == options.find("columns")->second) {
    return Error(StatusCode::kInvalidArgument,
                 "rows and columns are both {}: choose two dimensions", rows);
  }
  return OkStatus();
}

}  // namespace

const Analysis& ByLayoutAnalysis() {
  static const Analysis kAnalysis = {
      .name = "by_layout",
      .summary = "any metric of ranks over two dimensions: stages, replicas, tensor ranks, hosts",
      .definition =
          "Mean, least and most over the ranks at each place of layout_ranks. By default the first "
          "two dimensions in which ranks differ, of dp, pp, tp, cp, ep, host, role, and all of "
          "rank_metrics, the rank's waiting and lead in collectives and its pipeline bubble. A "
          "TABLE.COLUMN is the mean of the rank's rows, complete steps only where there are any.",
      .example =
          "rankscope table by_layout traces/ --set rows=dp --set columns=pp --set "
          "metric=collective_ranks.wait_ns",
      .columns = SchemaOf<ByLayout>().columns(),
      .options =
          {{"rows", "auto", "tp, cp, ep, pp, dp, host or role"},
           {"columns", "auto", "the same"},
           {"metric", "",
            "one of rank_metrics (step_time), or TABLE.COLUMN of step_times, time_breakdown, "
            "collective_ranks, exposed_communication, pipeline_steps, expert_ranks; empty: "
            "the usual ones"}},
      .inputs = InputsOfByLayout(),
      .derive = DeriveByLayout,
      .check = CheckLayoutOptions,
  };
  return kAnalysis;
}

}  // namespace rankscope
