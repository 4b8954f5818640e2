// --columns, --sort and --limit of commands that output one table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "contract/command.h"
#include "table/table.h"

namespace rankscope::cli {

class RowArguments {
 public:
  RowArguments() = default;
  explicit RowArguments(std::int64_t limit) : limit_(limit) {}  // the default limit
  void AddTo(CommandSpec& app);

  bool chooses() const { return !columns_.empty() || !sort_.empty() || limit_ >= 0; }
  // The requested rows and columns; errors as in SelectRows. `columns` is the default selection;
  // empty: all.
  Result<Table> Of(Table table, const std::vector<std::string>& columns = {}) const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::string> sort_;
  std::int64_t limit_ = -1;  // below 0: no limit
};

}  // namespace rankscope::cli
