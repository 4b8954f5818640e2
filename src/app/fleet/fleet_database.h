// SQL over the rows of all runs of a store, in DuckDB's dialect.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/listener.h"
#include "base/status.h"
#include "fleet/questions/fleet_sql.h"
#include "table/table.h"

namespace rankscope::sql {
class FilesDatabase;
}  // namespace rankscope::sql

namespace rankscope::app {

struct FleetSpec {
  std::string data;          // the store's folder
  std::string catalogue;     // the database that has its runs; "": the folder (store/store.h)
  std::string since, until;  // days, both included, YYYY-MM-DD; "" is no bound
};

// The views are the tables of schemas/fleet.h with the rows of the period. For one thread.
class FleetDatabase : public fleet::FleetSql {
 public:
  // Updates the rows first (update_fleet.h). kInvalidArgument for an invalid day.
  static Result<std::unique_ptr<FleetDatabase>> Open(const FleetSpec& spec, Listener& listener);
  ~FleetDatabase() override;

  Result<Table> Run(const std::string& sql) override;
  Status Stream(const std::string& sql, const std::function<Status(const Table&)>& take) override;
  // One SELECT or EXPLAIN, for user input.
  Result<Table> RunSelect(const std::string& sql);

 private:
  explicit FleetDatabase(std::unique_ptr<sql::FilesDatabase> database);
  std::unique_ptr<sql::FilesDatabase> database_;
};

}  // namespace rankscope::app
