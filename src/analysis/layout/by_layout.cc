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
#include "analysis/ranks/rank_metrics.h"
#include "analysis/steps/step_times.h"
#include "analysis/steps/time_breakdown.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

constexpr std::array<std::string_view, 7> kDimensions = {"dp", "pp",   "tp",  "cp",
                                                         "ep", "host", "role"};

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("metric", "what is measured: of rank_metrics, or TABLE.COLUMN"),
      column::Text("unit", "of mean, min and max"),
      column::Text("row_dimension", "the option, or what was chosen"),
      column::Text("row", "coordinate, host or role"),
      column::Text("column_dimension", "null when the ranks differ in one dimension only"),
      column::Text("column", "null then, too"),
      column::Int("ranks", "", "there, of which the metric is known"),
      column::Real("mean", "", "over these ranks"),
      column::Real("min", "", "over these ranks"),
      column::Real("max", "", "over these ranks"),
      column::Int("max_rank", "", "the rank that has it"),
  };
  return kColumns;
}

// Tables with a column `rank`, of which TABLE.COLUMN may be asked.
const std::vector<const Analysis*>& Inputs() {
  static const std::vector<const Analysis*> kInputs = {
      &LayoutRanksAnalysis(),   &RankMetricsAnalysis(),     &StepTimesAnalysis(),
      &TimeBreakdownAnalysis(), &CollectiveRanksAnalysis(), &ExposedCommunicationAnalysis(),
      &PipelineStepsAnalysis(), &ExpertRanksAnalysis(),
  };
  return kInputs;
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
Metric MeanOf(const Table& table, std::size_t of_column) {
  const auto complete = table.Find("complete");
  const auto step = table.Find("step");
  const auto counts = [&](std::size_t row) {
    return (!complete || table.IsNull(row, *complete) || table.Bool(row, *complete)) &&
           (!step || !table.IsNull(row, *step));
  };
  bool any = false;
  for (std::size_t row = 0; row < table.row_count() && !any; ++row) any = counts(row);
  Metric metric{.name = table.name() + "." + table.columns()[of_column].name,
                .unit = table.columns()[of_column].unit};
  std::map<std::int64_t, std::pair<double, double>> sums;
  const std::size_t rank = *table.Find("rank");
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const auto value = NumberAt(table, row, of_column);
    if (!value || (any && !counts(row))) continue;
    auto& [sum, count] = sums[table.Int(row, rank)];
    sum += *value;
    ++count;
  }
  for (const auto& [of_rank, sum] : sums) metric.by_rank[of_rank] = sum.first / sum.second;
  return metric;
}

std::vector<Metric> OfRankMetrics(const Table& table, std::string_view wanted) {
  std::vector<Metric> metrics;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::string_view name = table.String(row, 1);
    if (!wanted.empty() && name != wanted) continue;
    if (metrics.empty() || metrics.back().name != name)
      metrics.push_back({std::string(name), std::string(table.String(row, 2)), {}});
    if (const auto value = NumberAt(table, row, 3))
      metrics.back().by_rank[table.Int(row, 0)] = *value;
  }
  return metrics;
}

Result<std::vector<Metric>> MetricsOf(std::span<const Table* const> inputs,
                                      const std::string& wanted) {
  const std::size_t dot = wanted.find('.');
  if (dot == std::string::npos) {
    std::vector<Metric> metrics = OfRankMetrics(*inputs[1], wanted);
    if (wanted.empty()) {
      // What passes between ranks is in no metric of single ranks.
      for (const char* column : {"wait_ns", "lead_ns"})
        metrics.push_back(MeanOf(*inputs[4], *inputs[4]->Find(column)));
      metrics.push_back(MeanOf(*inputs[6], *inputs[6]->Find("bubble_pct")));
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
  for (std::size_t i = 2; i < inputs.size(); ++i) {
    known += (known.empty() ? "" : ", ") + inputs[i]->name();
    if (inputs[i]->name() != table_name) continue;
    const auto column = inputs[i]->Find(column_name);
    const bool is_number = column && (inputs[i]->columns()[*column].type == ColumnType::kInt64 ||
                                      inputs[i]->columns()[*column].type == ColumnType::kDouble);
    if (!is_number) {
      return Error(StatusCode::kInvalidArgument, "metric={}: {} has no column of numbers '{}'",
                   wanted, table_name, column_name);
    }
    return std::vector<Metric>{MeanOf(*inputs[i], *column)};
  }
  return Error(StatusCode::kInvalidArgument, "metric={}: the tables to choose from are {}", wanted,
               known);
}

// A rank's coordinate as text; empty when it is not known.
std::string At(const Table& places, std::size_t row, std::string_view dimension) {
  const Value value = places.At(row, *places.Find(dimension));
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  return {};
}

// Dimensions in which ranks differ, in the order of kDimensions.
std::vector<std::string> Differing(const Table& places) {
  std::vector<std::string> found;
  for (const std::string_view dimension : kDimensions) {
    for (std::size_t row = 1; row < places.row_count(); ++row) {
      if (At(places, row, dimension) == At(places, 0, dimension)) continue;
      found.emplace_back(dimension);
      break;
    }
  }
  return found;
}

Result<Table> Derive(std::span<const Table* const> inputs, const JobContext&,
                     const Options& options) {
  const Table& places = *inputs[0];
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
  Table table("by_layout", Columns());
  for (const Metric& metric : metrics) {
    std::map<std::pair<Place, Place>, Cell> cells;
    for (std::size_t row = 0; row < places.row_count(); ++row) {
      const std::int64_t rank = places.Int(row, 0);
      const auto value = metric.by_rank.find(rank);
      if (value == metric.by_rank.end()) continue;
      Cell& cell = cells[{order(At(places, row, rows)),
                          order(columns.empty() ? std::string() : At(places, row, columns))}];
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
      table.AddRow({std::string_view(metric.name), std::string_view(metric.unit),
                    std::string_view(rows), text(place.first.second), text(columns),
                    text(place.second.second), cell.ranks,
                    cell.sum / static_cast<double>(cell.ranks), cell.min, cell.max, cell.max_rank});
    }
  }
  return table;
}

Status Check(const Options& options) {
  for (const char* name : {"rows", "columns"}) {
    const std::string& value = options.find(name)->second;
    const bool is_known = value == "auto" || std::find(kDimensions.begin(), kDimensions.end(),
                                                       value) != kDimensions.end();
    if (!is_known) {
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
      .columns = Columns(),
      .options =
          {{"rows", "auto", "tp, cp, ep, pp, dp, host or role"},
           {"columns", "auto", "the same"},
           {"metric", "",
            "one of rank_metrics (step_time), or TABLE.COLUMN of step_times, time_breakdown, "
            "collective_ranks, exposed_communication, pipeline_steps, expert_ranks; empty: "
            "the usual ones"}},
      .inputs = Inputs(),
      .derive = Derive,
      .check = Check,
  };
  return kAnalysis;
}

}  // namespace rankscope
