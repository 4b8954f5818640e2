#include "cli/arguments/row_arguments.h"

#include <utility>

#include "table/select_rows.h"

namespace rankscope::cli {

void RowArguments::AddTo(CommandSpec& app) {
  app.AddOption("--columns", columns_, "these columns alone, in this order: A,B")
      .Type("COLUMN")
      .Separator(',')
      .OneEach();
  app.AddOption("--sort", sort_,
                "by these columns, the first one first: A,-B; -B has the largest first")
      .Type("COLUMN")
      .Separator(',')
      .OneEach();
  CommandOption& limit =
      app.AddOption("--limit", limit_, "at most so many rows").Range(0, 1'000'000'000);
  if (limit_ >= 0) limit.ShowDefault();
}

Result<Table> RowArguments::Of(Table table, const std::vector<std::string>& columns) const {
  RowSelection selection{
      .columns = columns_.empty() ? columns : columns_, .sort = sort_, .limit = {}};
  if (limit_ >= 0) selection.limit = static_cast<std::size_t>(limit_);
  return SelectRows(std::move(table), selection);
}

}  // namespace rankscope::cli
