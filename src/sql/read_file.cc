#include "sql/read_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "sql/names.h"
#include "sql/result_table.h"
#include "sql/session.h"

namespace rankscope::sql {
namespace {

constexpr std::array<std::string_view, 4> kTextEndings = {".csv", ".csv.gz", ".tsv", ".tsv.gz"};
constexpr std::string_view kParquetEnding = ".parquet";
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

std::string_view TypeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64:
      return "BIGINT";
    case ColumnType::kDouble:
      return "DOUBLE";
    case ColumnType::kString:
      return "VARCHAR";
    case ColumnType::kBool:
      return "BOOLEAN";
  }
  return "VARCHAR";
}

Status OfFile(const std::string& path, const Status& status) {
  return Error(status.code() == StatusCode::kInvalidArgument ? StatusCode::kBadData : status.code(),
               "{}: {}", path, status.message());
}

Result<std::vector<std::string>> NamesOf(Session& session, const std::string& source) {
  RS_ASSIGN_OR_RETURN(const auto rows, session.Execute("SELECT * FROM " + source + " LIMIT 0"));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows->column_count(); ++i) names.push_back(rows->column_name(i));
  return names;
}

}  // namespace

bool IsTableFile(std::string_view path) {
  return path.ends_with(kParquetEnding) ||
         std::any_of(kTextEndings.begin(), kTextEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

Result<Table> ReadFile(const std::string& path, const std::string& name,
                       std::span<const ColumnSpec> columns) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return Error(StatusCode::kNotFound, "{}: there is no such file", path);
  RS_ASSIGN_OR_RETURN(const auto session, Session::Open({}));
  const std::string source = fmt::format(
      "{}({})", path.ends_with(kParquetEnding) ? "read_parquet" : "read_csv", LiteralPath(path));
  const auto names = NamesOf(*session, source);
  if (!names.ok()) return OfFile(path, names.status());
  std::string select;
  for (const ColumnSpec& column : columns) {
    if (std::find(names->begin(), names->end(), column.name) == names->end())
      return Error(StatusCode::kBadData, "{}: has no column {}", path, column.name);
    select += fmt::format("{}CAST({} AS {}) AS {}", select.empty() ? "" : ", ",
                          QuotedName(column.name), TypeOf(column.type), QuotedName(column.name));
  }
  const auto rows = session->Execute(fmt::format("SELECT {} FROM {}", select, source));
  if (!rows.ok()) return OfFile(path, rows.status());
  auto table = ReadTable(**rows, name, kMostBytes);
  if (!table.ok()) return OfFile(path, table.status());
  return table;
}

}  // namespace rankscope::sql
