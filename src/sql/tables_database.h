// SQL over tables that are there already, of whatever they were made: each is a view with its name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "sql/query.h"
#include "table/table.h"

namespace rankscope::sql {

// For one thread. Results and trust are JobDatabase's (query.h).
class TablesDatabase {
 public:
  // Of `options` analyses count for nothing.
  static Result<std::unique_ptr<TablesDatabase>> Open(std::vector<Table> tables,
                                                      const QueryOptions& options);
  ~TablesDatabase();

  Result<Table> Run(const std::string& sql);
  Status Stream(const std::string& sql, const std::function<Status(const Table&)>& take);

 private:
  struct State;
  explicit TablesDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rankscope::sql
