#include "sql/select_parquet.h"

#include <algorithm>
#include <array>

#include "json/reader.h"
#include "sql/names.h"
#include "sql/result_table.h"
#include "sql/session.h"

namespace rankscope::sql {
namespace {

constexpr std::array<std::pair<std::string_view, Condition::Kind>, 7> kSigns = {{
    // Those that others begin with come first.
    {"!=", Condition::Kind::kNotEqual},
    {"<=", Condition::Kind::kAtMost},
    {">=", Condition::Kind::kAtLeast},
    {"=", Condition::Kind::kEqual},
    {"<", Condition::Kind::kLess},
    {">", Condition::Kind::kGreater},
    {"~", Condition::Kind::kContains},
}};

std::string_view SignOf(Condition::Kind kind) {
  return std::ranges::find(kSigns, kind, [](const auto& sign) { return sign.second; })->first;
}

std::string_view SqlTypeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64:
      return "BIGINT";
    case ColumnType::kDouble:
      return "DOUBLE";
    case ColumnType::kBool:
      return "BOOLEAN";
    case ColumnType::kString:
      break;
  }
  return "VARCHAR";
}

std::string SqlOf(const Condition& condition, const ColumnSpec& column) {
  using Kind = Condition::Kind;
  const std::string name = QuotedName(column.name);
  if (condition.kind == Kind::kContains)
    return fmt::format("contains(CAST({} AS VARCHAR), {})", name, QuotedText(condition.value));
  const bool is_equality = condition.kind == Kind::kEqual || condition.kind == Kind::kNotEqual;
  if (condition.value.empty() && is_equality)
    return fmt::format("{} IS {}NULL", name, condition.kind == Kind::kEqual ? "" : "NOT ");
  return fmt::format("{} {} CAST({} AS {})", name, SignOf(condition.kind),
                     QuotedText(condition.value), SqlTypeOf(column.type));
}

Status OfFile(const Status& status) {
  // What DuckDB blames on the statement was the file: the statement is ours.
  if (status.code() != StatusCode::kInvalidArgument) return status;
  return Error(StatusCode::kBadData, "the stored table cannot be read: {}", status.message());
}

// Units and docs, as WriteParquet stored them.
Status Describe(Session& session, const std::string& source, std::vector<ColumnSpec>& columns) {
  auto rows = session.Execute(
      fmt::format("SELECT decode(value) FROM parquet_kv_metadata({}) WHERE decode(key) = "
                  "'rankscope.columns'",
                  source));
  if (!rows.ok()) return OfFile(rows.status());
  RS_ASSIGN_OR_RETURN(const Table found, ReadTable(**rows, "metadata", 16 << 20));
  if (found.row_count() != 1 || found.IsNull(0, 0)) return OkStatus();
  const Result<json::Reader> described = json::Reader::Parse(found.String(0, 0));
  if (!described.ok()) return OkStatus();
  for (const json::Value& one : described->root().Items()) {
    const auto name = one["name"].Text();
    const auto unit = one["unit"].Text();
    const auto doc = one["doc"].Text();
    if (!name || !unit || !doc) continue;
    const auto column = std::ranges::find(columns, *name, &ColumnSpec::name);
    if (column == columns.end()) continue;
    column->unit = *unit;
    column->doc = *doc;
  }
  return OkStatus();
}

Result<std::vector<ColumnSpec>> ColumnsOf(Session& session, const std::string& source) {
  auto rows = session.Execute(fmt::format("SELECT * FROM read_parquet({}) LIMIT 0", source));
  if (!rows.ok()) return OfFile(rows.status());
  auto empty = ReadTable(**rows, "columns", 1 << 20);
  if (!empty.ok()) return OfFile(empty.status());
  std::vector<ColumnSpec> columns = empty->columns();
  rows->reset();
  RS_RETURN_IF_ERROR(Describe(session, source, columns));
  return columns;
}

Result<const ColumnSpec*> Find(const std::vector<ColumnSpec>& columns, const std::string& name) {
  const auto found = std::ranges::find(columns, name, &ColumnSpec::name);
  if (found != columns.end()) return &*found;
  std::string all;
  for (const ColumnSpec& column : columns) all += (all.empty() ? "" : ", ") + column.name;
  return Error(StatusCode::kInvalidArgument, "there is no column '{}'; there are {}", name, all);
}

// Cells of `from` under the specs that the selection asks for.
Table WithSpecs(const Table& from, const std::string& name, std::vector<ColumnSpec> specs) {
  for (std::size_t i = 0; i < specs.size(); ++i) specs[i].type = from.columns()[i].type;
  Table table(name, std::move(specs));
  table.Append(Table(from));
  return table;
}

Result<SelectedRows> SelectIn(Session& session, const std::string& path, const std::string& name,
                              const ParquetSelection& selection, std::uint64_t memory_bytes) {
  const std::string source = LiteralPath(path);
  RS_ASSIGN_OR_RETURN(const std::vector<ColumnSpec> columns, ColumnsOf(session, source));
  std::vector<ColumnSpec> chosen;
  std::string names;
  for (const std::string& column : selection.columns) {
    RS_ASSIGN_OR_RETURN(const ColumnSpec* found, Find(columns, column));
    chosen.push_back(*found);
    names += (names.empty() ? "" : ", ") + QuotedName(column);
  }
  if (chosen.empty()) {
    chosen = columns;
    names = "* EXCLUDE (file_row_number)";
  }
  std::string where;
  for (const Condition& condition : selection.conditions) {
    RS_ASSIGN_OR_RETURN(const ColumnSpec* found, Find(columns, condition.column));
    where += (where.empty() ? " WHERE " : " AND ") + SqlOf(condition, *found);
  }
  std::string order;
  for (const SortKey& key : selection.sort) {
    RS_ASSIGN_OR_RETURN(const ColumnSpec* found, Find(columns, key.column));
    order +=
        fmt::format("{} {} NULLS LAST, ", QuotedName(found->name), key.descending ? "DESC" : "ASC");
  }
  const std::string from =
      fmt::format(" FROM read_parquet({}, file_row_number = true){}", source, where);
  SelectedRows selected;
  {
    RS_ASSIGN_OR_RETURN(const auto rows, session.Execute("SELECT count(*)" + from));
    RS_ASSIGN_OR_RETURN(const Table count, ReadTable(*rows, "count", 1 << 20));
    selected.row_count = static_cast<std::uint64_t>(count.Int(0, 0));
  }
  RS_ASSIGN_OR_RETURN(
      const auto rows,
      session.Execute(fmt::format("SELECT {}{} ORDER BY {}file_row_number LIMIT {} OFFSET {}",
                                  names, from, order, selection.limit, selection.offset)));
  RS_ASSIGN_OR_RETURN(const Table read, ReadTable(*rows, name, memory_bytes));
  selected.table = WithSpecs(read, name, std::move(chosen));
  return selected;
}

}  // namespace

Result<Condition> ParseCondition(std::string_view text) {
  const std::size_t at = text.find_first_of("!<>=~");
  if (at != std::string_view::npos && at > 0) {
    for (const auto& [sign, kind] : kSigns) {
      if (!text.substr(at).starts_with(sign)) continue;
      return Condition{.column = std::string(text.substr(0, at)),
                       .kind = kind,
                       .value = std::string(text.substr(at + sign.size()))};
    }
  }
  return Error(StatusCode::kInvalidArgument,
               "'{}' is no condition: give COLUMN, one of = != < <= > >= ~ (contains), and a value",
               text);
}

ParquetReader::ParquetReader(std::uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}
ParquetReader::~ParquetReader() = default;

Result<SelectedRows> ParquetReader::Select(const std::string& path, const std::string& name,
                                           const ParquetSelection& selection) {
  std::unique_ptr<Session> session;
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      session = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (session == nullptr) {
    RS_ASSIGN_OR_RETURN(session, Session::Open({.memory_bytes = memory_bytes_}));
  }
  Result<SelectedRows> selected = SelectIn(*session, path, name, selection, memory_bytes_);
  // One that failed for another reason than what was asked may not be sound any more.
  if (!selected.ok() && selected.status().code() != StatusCode::kInvalidArgument) return selected;
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(session));
  return selected;
}

}  // namespace rankscope::sql
