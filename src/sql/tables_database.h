// SQL over existing tables of any origin: each is a view with its name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "sql/query.h"
#include "table/table.h"

namespace rankscope::sql {

// Not thread-safe. Results and trust as in JobDatabase (query.h).
class TablesDatabase {
 public:
  // Ignores the analyses in `options`.
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
