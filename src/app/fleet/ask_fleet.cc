#include "app/fleet/ask_fleet.h"

#include <algorithm>

#include "base/nearest_name.h"
#include "fleet/questions/costs.h"
#include "fleet/questions/models.h"
#include "fleet/questions/movers.h"
#include "fleet/questions/regressions.h"

namespace rankscope::app {
namespace {

// The same rows under the name of the list by launches.
Table Frequent(const TableOf<FleetKernels>& rows) {
  Table table(std::string(FleetFrequent::kName), SchemaOf<FleetFrequent>().columns());
  table.Append(rows);
  return table;
}

// Without tables: of so many runs.
Result<FleetReport> ReportOver(FleetDatabase& database) {
  RS_ASSIGN_OR_RETURN(const Table count, database.Run("SELECT count(*) FROM fleet_run"));
  return FleetReport{.runs = count.Int(0, 0), .tables = {}};
}

fleet::Period PeriodOf(const std::string& every) {
  if (every == "day") return fleet::Period::kDay;
  return every == "week" ? fleet::Period::kWeek : fleet::Period::kMonth;
}

// What somebody typed that no run names.
Status NoSuchModel(FleetDatabase& database, const std::string& model) {
  RS_ASSIGN_OR_RETURN(
      const Table names,
      database.Run("SELECT DISTINCT model FROM fleet_run WHERE model IS NOT NULL ORDER BY model"));
  std::vector<std::string> known;
  for (std::size_t row = 0; row < names.row_count(); ++row)
    known.emplace_back(names.String(row, 0));
  const std::string_view nearest = NearestName(model, known);
  return Error(StatusCode::kNotFound,
               "no run of the period is of model '{}'; {}rankscope fleet models DATA has all",
               model, nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest));
}

}  // namespace

Result<FleetReport> AskOverview(const OverviewQuestion& question, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const auto database, FleetDatabase::Open(question.fleet, listener));
  RS_ASSIGN_OR_RETURN(FleetReport report, ReportOver(*database));
  RS_ASSIGN_OR_RETURN(const Table shares, fleet::SharesBy(*database, question.by));
  RS_ASSIGN_OR_RETURN(const Table classes, fleet::CostByClass(*database));
  RS_ASSIGN_OR_RETURN(const Table kernels,
                      fleet::CostByKernel(*database, fleet::KernelOrder::kTime, question.top));
  RS_ASSIGN_OR_RETURN(const TableOf<FleetKernels> frequent,
                      fleet::CostByKernel(*database, fleet::KernelOrder::kLaunches, question.top));
  RS_ASSIGN_OR_RETURN(const Table findings, fleet::CostByFinding(*database, ""));
  RS_ASSIGN_OR_RETURN(const Table unknown, fleet::UnknownParts(*database));
  report.tables = {shares, classes, kernels, Frequent(frequent), findings, unknown};
  return report;
}

Result<FleetReport> AskKernels(const KernelsQuestion& question, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const auto database, FleetDatabase::Open(question.fleet, listener));
  RS_ASSIGN_OR_RETURN(FleetReport report, ReportOver(*database));
  RS_ASSIGN_OR_RETURN(const Table kernels,
                      fleet::CostByKernel(*database,
                                          question.by_launches ? fleet::KernelOrder::kLaunches
                                                               : fleet::KernelOrder::kTime,
                                          question.top));
  report.tables = {kernels};
  return report;
}

Result<FleetReport> AskRegressions(const RegressionsQuestion& question, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const auto database, FleetDatabase::Open(question.fleet, listener));
  RS_ASSIGN_OR_RETURN(FleetReport report, ReportOver(*database));
  RS_ASSIGN_OR_RETURN(
      const Table changes,
      fleet::FindRegressions(*database, {.most_q = question.most_q,
                                         .least_hours_per_day = question.least_hours_per_day,
                                         .data = question.fleet.data}));
  RS_ASSIGN_OR_RETURN(const Table movers,
                      fleet::FindMovers(*database, question.split, question.top));
  report.tables = {changes, movers};
  return report;
}

Result<FleetReport> AskFindings(const FindingsQuestion& question, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const auto database, FleetDatabase::Open(question.fleet, listener));
  RS_ASSIGN_OR_RETURN(FleetReport report, ReportOver(*database));
  RS_ASSIGN_OR_RETURN(const Table findings, fleet::CostByFinding(*database, question.by));
  report.tables = {findings};
  return report;
}

Result<FleetReport> AskModels(const ModelsQuestion& question, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const auto database, FleetDatabase::Open(question.fleet, listener));
  RS_ASSIGN_OR_RETURN(FleetReport report, ReportOver(*database));
  RS_ASSIGN_OR_RETURN(const Table models,
                      fleet::ModelsOverTime(*database, question.model, PeriodOf(question.every)));
  if (models.row_count() == 0 && !question.model.empty())
    return NoSuchModel(*database, question.model);
  report.tables = {models};
  return report;
}

Result<Table> AskFleet(const FleetSpec& fleet, const std::string& sql, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const auto database, FleetDatabase::Open(fleet, listener));
  return database->RunSelect(sql);
}

}  // namespace rankscope::app
