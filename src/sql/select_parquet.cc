#include "sql/select_parquet.h"

#include <algorithm>
#include <utility>

#include "json/reader.h"
#include "sql/names.h"
#include "sql/parquet_copy.h"
#include "sql/result_table.h"
#include "sql/session.h"

namespace rankscope::sql {
namespace {

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

// A selection as statements.
struct WrittenStatements {
  std::vector<ColumnSpec> columns;  // of the rows
  std::string count;
  std::string rows;
};

Result<WrittenStatements> StatementsOf(Session& session, const std::string& path,
                                       const ParquetSelection& selection) {
  const std::string source = LiteralPath(path);
  RS_ASSIGN_OR_RETURN(const std::vector<ColumnSpec> columns, ColumnsOf(session, source));
  WrittenStatements statements;
  std::string names;
  for (const std::string& column : selection.columns) {
    RS_ASSIGN_OR_RETURN(const ColumnSpec* found, Find(columns, column));
    statements.columns.push_back(*found);
    names += (names.empty() ? "" : ", ") + QuotedName(column);
  }
  if (names.empty()) {
    statements.columns = columns;
    names = "* EXCLUDE (file_row_number)";
  }
  std::string where;
  for (const Condition& condition : selection.conditions) {
    RS_ASSIGN_OR_RETURN(const ColumnSpec* found, Find(columns, condition.column));
    where += (where.empty() ? " WHERE " : " AND ") + SqlOf(condition, *found);
  }
  // Without keys rows come in the file's order, and nothing has to be held.
  std::string order;
  for (const SortKey& key : selection.sort) {
    RS_ASSIGN_OR_RETURN(const ColumnSpec* found, Find(columns, key.column));
    order += fmt::format("{}{} {} NULLS LAST", order.empty() ? " ORDER BY " : ", ",
                         QuotedName(found->name), key.descending ? "DESC" : "ASC");
  }
  if (!order.empty()) order += ", file_row_number";
  const std::string from =
      fmt::format(" FROM read_parquet({}, file_row_number = true){}", source, where);
  statements.count = "SELECT count(*)" + from;
  statements.rows = fmt::format("SELECT {}{}{} LIMIT {} OFFSET {}", names, from, order,
                                selection.limit, selection.offset);
  return statements;
}

Result<std::uint64_t> CountOf(Session& session, const std::string& statement) {
  RS_ASSIGN_OR_RETURN(const auto rows, session.Execute(statement));
  RS_ASSIGN_OR_RETURN(const Table count, ReadTable(*rows, "count", 1 << 20));
  return static_cast<std::uint64_t>(count.Int(0, 0));
}

Status StreamFrom(Session& session, const std::string& path, const std::string& name,
                  const ParquetSelection& selection, const ParquetReader::Take& take) {
  RS_ASSIGN_OR_RETURN(const WrittenStatements statements, StatementsOf(session, path, selection));
  RS_ASSIGN_OR_RETURN(const std::uint64_t row_count, CountOf(session, statements.count));
  RS_ASSIGN_OR_RETURN(const auto rows, session.Execute(statements.rows));
  return StreamTables(*rows, name, [&](const Table& chunk) {
    std::vector<ColumnSpec> specs = statements.columns;
    for (std::size_t i = 0; i < specs.size(); ++i) specs[i].type = chunk.columns()[i].type;
    Table described(name, std::move(specs));
    described.Append(Table(chunk));
    return take(described, row_count);
  });
}

Result<std::uint64_t> CopyFrom(Session& session, const std::string& path, const std::string& name,
                               const ParquetSelection& selection, const std::string& to) {
  RS_ASSIGN_OR_RETURN(const WrittenStatements statements, StatementsOf(session, path, selection));
  RS_ASSIGN_OR_RETURN(const std::uint64_t row_count, CountOf(session, statements.count));
  RS_RETURN_IF_ERROR(
      session.ExecuteAll(CopyToParquet(statements.rows, to, name, statements.columns)));
  return row_count;
}

}  // namespace

// A database, until the end of its use, and the turn that it takes.
class ParquetReader::Lent {
 public:
  static Result<Lent> From(ParquetReader& owner, std::unique_ptr<Turn> turn) {
    Lent lent(owner, std::move(turn));
    {
      const std::scoped_lock lock(owner.mutex_);
      if (!owner.idle_.empty()) {
        lent.session_ = std::move(owner.idle_.back());
        owner.idle_.pop_back();
      }
    }
    if (lent.session_ == nullptr) {
      RS_ASSIGN_OR_RETURN(lent.session_, Session::Open({.memory_bytes = owner.memory_bytes_}));
      // With its one thread rows come in the file's order all the same. To promise that, DuckDB
      // would collect all rows of a LIMIT before it gives the first.
      RS_RETURN_IF_ERROR(lent.session_->ExecuteAll("SET preserve_insertion_order = false"));
      // Each thread that asks has an arena of DuckDB's allocator, which would keep what that thread
      // once needed (70 MB for a table of 36 MB); and what was read of files stays with the kernel,
      // once, and not in each database.
      RS_RETURN_IF_ERROR(lent.session_->ExecuteAll(
          "SET allocator_flush_threshold = '1MB'; SET allocator_background_threads = true; "
          "SET allocator_bulk_deallocation_flush_threshold = '1MB'; "
          "SET enable_external_file_cache = false"));
    }
    return lent;
  }
  Lent(Lent&&) = default;
  Lent& operator=(Lent&&) = delete;
  ~Lent() {
    if (session_ == nullptr) return;
    const std::scoped_lock lock(owner_.mutex_);
    owner_.idle_.push_back(std::move(session_));
  }

  Session& session() { return *session_; }
  // One that failed for another reason than what was asked may not be sound any more.
  void Judge(const Status& status) {
    if (!status.ok() && status.code() != StatusCode::kInvalidArgument) session_.reset();
  }

 private:
  Lent(ParquetReader& owner, std::unique_ptr<Turn> turn)
      : owner_(owner), turn_(turn ? std::move(turn) : owner.WaitForTurn()) {}
  ParquetReader& owner_;
  std::unique_ptr<Turn> turn_;
  std::unique_ptr<Session> session_;
};

ParquetReader::Turn::~Turn() { owner_->GiveBack(); }

std::unique_ptr<ParquetReader::Turn> ParquetReader::TryTurn() {
  const std::scoped_lock lock(mutex_);
  if (lent_ >= most_at_once_) return nullptr;
  ++lent_;
  return std::unique_ptr<Turn>(new Turn(*this));
}

std::unique_ptr<ParquetReader::Turn> ParquetReader::WaitForTurn() {
  std::unique_lock lock(mutex_);
  given_back_.wait(lock, [&] { return lent_ < most_at_once_; });
  ++lent_;
  return std::unique_ptr<Turn>(new Turn(*this));
}

void ParquetReader::GiveBack() {
  const std::scoped_lock lock(mutex_);
  --lent_;
  given_back_.notify_one();
}

ParquetReader::ParquetReader(std::uint64_t memory_bytes, std::size_t most_at_once)
    : memory_bytes_(memory_bytes), most_at_once_(most_at_once) {}
ParquetReader::~ParquetReader() = default;

Status ParquetReader::Stream(const std::string& path, const std::string& name,
                             const ParquetSelection& selection, const Take& take,
                             std::unique_ptr<Turn> turn) {
  RS_ASSIGN_OR_RETURN(Lent lent, Lent::From(*this, std::move(turn)));
  Status streamed = StreamFrom(lent.session(), path, name, selection, take);
  lent.Judge(streamed);
  return streamed;
}

Result<std::uint64_t> ParquetReader::Copy(const std::string& path, const std::string& name,
                                          const ParquetSelection& selection, const std::string& to,
                                          std::unique_ptr<Turn> turn) {
  RS_ASSIGN_OR_RETURN(Lent lent, Lent::From(*this, std::move(turn)));
  Result<std::uint64_t> copied = CopyFrom(lent.session(), path, name, selection, to);
  lent.Judge(copied.ok() ? OkStatus() : copied.status());
  return copied;
}

}  // namespace rankscope::sql
