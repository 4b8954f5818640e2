// --columns, --sort and --limit of commands that give one table.
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
  explicit RowArguments(std::int64_t limit) : limit_(limit) {}  // unless another is given
  void AddTo(CommandSpec& app);

  bool chooses() const { return !columns_.empty() || !sort_.empty() || limit_ >= 0; }
  // The rows and columns that were asked for; SelectRows's errors. `columns`: where none were
  // named; none: all.
  Result<Table> Of(Table table, const std::vector<std::string>& columns = {}) const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::string> sort_;
  std::int64_t limit_ = -1;  // below 0: none
};

}  // namespace rankscope::cli
