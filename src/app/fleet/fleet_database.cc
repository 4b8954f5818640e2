#include "app/fleet/fleet_database.h"

#include <fmt/core.h>

#include <cstdio>
#include <thread>

#include "app/fleet/fleet_folder.h"
#include "app/fleet/update_fleet.h"
#include "sql/files_database.h"

namespace rankscope::app {
namespace {

constexpr std::uint64_t kFleetDatabaseMemoryBytes = std::uint64_t{4} << 30;

Status CheckDay(std::string_view option, const std::string& day) {
  int year = 0, month = 0, of_month = 0, end = 0;
  if (day.empty()) return OkStatus();
  const int read = std::sscanf(day.c_str(), "%4d-%2d-%2d%n", &year, &month, &of_month, &end);
  if (read == 3 && end == 10 && day.size() == 10 && month >= 1 && month <= 12 && of_month >= 1 &&
      of_month <= 31)
    return OkStatus();
  return Error(StatusCode::kInvalidArgument, "{} {}: a day is YYYY-MM-DD, such as 2026-11-27",
               option, day);
}

std::string_view SqlTypeOf(ColumnType type) {
  if (type == ColumnType::kInt64) return "BIGINT";
  if (type == ColumnType::kDouble) return "DOUBLE";
  return type == ColumnType::kBool ? "BOOLEAN" : "VARCHAR";
}

// What gives the rows of a table: those of its files, or none.
std::string SelectOf(const std::vector<ColumnSpec>& columns,
                     const std::vector<std::string>& files) {
  if (!files.empty()) return "SELECT * FROM " + sql::ReadParquetOf(files);
  std::string nulls;
  for (const ColumnSpec& column : columns) {
    nulls += fmt::format("CAST(NULL AS {}) AS \"{}\",", SqlTypeOf(column.type), column.name);
  }
  nulls.pop_back();
  return fmt::format("SELECT {} WHERE false", nulls);
}

}  // namespace

FleetDatabase::FleetDatabase(std::unique_ptr<sql::FilesDatabase> database)
    : database_(std::move(database)) {}
FleetDatabase::~FleetDatabase() = default;

Result<std::unique_ptr<FleetDatabase>> FleetDatabase::Open(const FleetSpec& spec,
                                                           Listener& listener) {
  RS_RETURN_IF_ERROR(CheckDay("--since", spec.since));
  RS_RETURN_IF_ERROR(CheckDay("--until", spec.until));
  RS_ASSIGN_OR_RETURN(const FleetManifest manifest,
                      UpdateFleet(spec.data, spec.catalogue, listener));
  RS_ASSIGN_OR_RETURN(
      auto database,
      sql::FilesDatabase::Open({.memory_bytes = kFleetDatabaseMemoryBytes,
                                .threads = static_cast<int>(std::thread::hardware_concurrency()),
                                .cancelled = [&listener] { return listener.IsStopped(); }}));
  const FleetFolder folder(spec.data);
  struct View {
    std::string_view name;
    const std::vector<ColumnSpec>* columns;
  };
  for (const View& view : {View{FleetRun::kName, &SchemaOf<FleetRun>().columns()},
                           View{KernelRun::kName, &SchemaOf<KernelRun>().columns()},
                           View{FindingRun::kName, &SchemaOf<FindingRun>().columns()},
                           View{KernelDay::kName, &SchemaOf<KernelDay>().columns()}}) {
    RS_RETURN_IF_ERROR(database->AddView(
        std::string(view.name),
        SelectOf(*view.columns, folder.FilesOf(manifest, view.name, spec.since, spec.until))));
  }
  return std::unique_ptr<FleetDatabase>(new FleetDatabase(std::move(database)));
}

Result<Table> FleetDatabase::Run(const std::string& sql) { return database_->Run(sql); }

Result<Table> FleetDatabase::RunSelect(const std::string& sql) { return database_->RunSelect(sql); }

Status FleetDatabase::Stream(const std::string& sql,
                             const std::function<Status(const Table&)>& take) {
  return database_->Stream(sql, take);
}

}  // namespace rankscope::app
