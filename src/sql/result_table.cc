#include "sql/result_table.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sql/cell_value.h"
#include "table/human_number.h"

namespace rankscope::sql {
namespace {

// Up to 15 digits and 22 places a double is the decimal number: it prints as the same digits.
constexpr std::int64_t kExactDigits = 1'000'000'000'000'000;
constexpr int kExactPlaces = 22;

bool FitsInt64(duckdb_hugeint value) {
  return value.upper == (static_cast<std::int64_t>(value.lower) < 0 ? -1 : 0);
}

// A column of the result and how its cells become those of a table.
class ResultColumn {
 public:
  ResultColumn(std::string name, LogicalType type)
      : name_(std::move(name)), type_(std::move(type)), id_(duckdb_get_type_id(type_.get())) {
    if (id_ == DUCKDB_TYPE_DECIMAL) {
      scale_ = duckdb_decimal_scale(type_.get());
      decimal_type_ = duckdb_decimal_internal_type(type_.get());
    }
  }

  ColumnSpec Spec() const {
    return {.name = name_, .type = as_text_ ? ColumnType::kString : Type()};
  }

  // Whether the first `count` cells keep their value in the table.
  bool Fits(duckdb_vector vector, std::size_t count) const {
    if (as_text_) return true;
    for (std::size_t row = 0; row < count; ++row) {
      if (!IsNull(vector, row) && !CellFits(duckdb_vector_get_data(vector), row)) return false;
    }
    return true;
  }
  void ShowAsText() { as_text_ = true; }
  // The text of a cell that was added as a number.
  std::string TextOfNumber(const Value& value) const {
    if (const auto* number = std::get_if<double>(&value))
      return fmt::format("{:.{}f}", *number, scale_);
    return std::to_string(std::get<std::int64_t>(value));
  }

  // The cell; `text` keeps what the value views.
  Result<Value> Read(duckdb_vector vector, std::size_t row, std::string& text) const {
    if (IsNull(vector, row)) return Value(kNull);
    const void* cells = duckdb_vector_get_data(vector);
    if (id_ == DUCKDB_TYPE_VARCHAR)
      return Value(TextOf(static_cast<const duckdb_string_t*>(cells), row));
    if (as_text_ || Type() == ColumnType::kString) {
      RS_ASSIGN_OR_RETURN(text, CellText(vector, type_, row));
      return Value(std::string_view(text));
    }
    return Number(cells, row);
  }

 private:
  ColumnType Type() const {
    switch (id_) {
      case DUCKDB_TYPE_BOOLEAN:
        return ColumnType::kBool;
      case DUCKDB_TYPE_TINYINT:
      case DUCKDB_TYPE_SMALLINT:
      case DUCKDB_TYPE_INTEGER:
      case DUCKDB_TYPE_BIGINT:
      case DUCKDB_TYPE_UTINYINT:
      case DUCKDB_TYPE_USMALLINT:
      case DUCKDB_TYPE_UINTEGER:
      case DUCKDB_TYPE_UBIGINT:
      case DUCKDB_TYPE_HUGEINT:
      case DUCKDB_TYPE_UHUGEINT:
        return ColumnType::kInt64;
      case DUCKDB_TYPE_FLOAT:
      case DUCKDB_TYPE_DOUBLE:
        return ColumnType::kDouble;
      case DUCKDB_TYPE_DECIMAL:
        return scale_ == 0 ? ColumnType::kInt64 : ColumnType::kDouble;
      default:
        return ColumnType::kString;
    }
  }

  bool CellFits(const void* cells, std::size_t row) const {
    switch (id_) {
      case DUCKDB_TYPE_UBIGINT:
        return static_cast<const std::uint64_t*>(cells)[row] <= INT64_MAX;
      case DUCKDB_TYPE_HUGEINT:
        return FitsInt64(static_cast<const duckdb_hugeint*>(cells)[row]);
      case DUCKDB_TYPE_UHUGEINT: {
        const auto& value = static_cast<const duckdb_uhugeint*>(cells)[row];
        return value.upper == 0 && value.lower <= INT64_MAX;
      }
      case DUCKDB_TYPE_DECIMAL: {
        const duckdb_hugeint value = UnscaledDecimal(cells, decimal_type_, row);
        if (!FitsInt64(value)) return false;
        const auto unscaled = static_cast<std::int64_t>(value.lower);
        return scale_ == 0 ||
               (scale_ <= kExactPlaces && unscaled < kExactDigits && unscaled > -kExactDigits);
      }
      default:
        return true;
    }
  }

  Value Number(const void* cells, std::size_t row) const {
    switch (id_) {
      case DUCKDB_TYPE_BOOLEAN:
        return static_cast<const bool*>(cells)[row];
      case DUCKDB_TYPE_TINYINT:
        return std::int64_t{static_cast<const std::int8_t*>(cells)[row]};
      case DUCKDB_TYPE_SMALLINT:
        return std::int64_t{static_cast<const std::int16_t*>(cells)[row]};
      case DUCKDB_TYPE_INTEGER:
        return std::int64_t{static_cast<const std::int32_t*>(cells)[row]};
      case DUCKDB_TYPE_BIGINT:
        return static_cast<const std::int64_t*>(cells)[row];
      case DUCKDB_TYPE_UTINYINT:
        return std::int64_t{static_cast<const std::uint8_t*>(cells)[row]};
      case DUCKDB_TYPE_USMALLINT:
        return std::int64_t{static_cast<const std::uint16_t*>(cells)[row]};
      case DUCKDB_TYPE_UINTEGER:
        return std::int64_t{static_cast<const std::uint32_t*>(cells)[row]};
      case DUCKDB_TYPE_UBIGINT:
        return static_cast<std::int64_t>(static_cast<const std::uint64_t*>(cells)[row]);
      case DUCKDB_TYPE_HUGEINT:
        return static_cast<std::int64_t>(static_cast<const duckdb_hugeint*>(cells)[row].lower);
      case DUCKDB_TYPE_UHUGEINT:
        return static_cast<std::int64_t>(static_cast<const duckdb_uhugeint*>(cells)[row].lower);
      case DUCKDB_TYPE_FLOAT:
        return double{static_cast<const float*>(cells)[row]};
      case DUCKDB_TYPE_DOUBLE:
        return static_cast<const double*>(cells)[row];
      case DUCKDB_TYPE_DECIMAL: {
        const auto unscaled =
            static_cast<std::int64_t>(UnscaledDecimal(cells, decimal_type_, row).lower);
        if (scale_ == 0) return unscaled;
        return static_cast<double>(unscaled) / std::pow(10.0, scale_);
      }
      default:
        return kNull;
    }
  }

  std::string name_;
  LogicalType type_;
  duckdb_type id_;
  int scale_ = 0;  // of a DECIMAL
  duckdb_type decimal_type_ = DUCKDB_TYPE_INVALID;
  bool as_text_ = false;
};

Table EmptyTable(const std::string& name, const std::vector<ResultColumn>& columns) {
  std::vector<ColumnSpec> specs;
  specs.reserve(columns.size());
  for (const ResultColumn& column : columns) specs.push_back(column.Spec());
  return {name, std::move(specs)};
}

// The table with column `changed` as text from now on.
Table WithText(const Table& table, std::vector<ResultColumn>& columns, std::size_t changed) {
  columns[changed].ShowAsText();
  Table result = EmptyTable(table.name(), columns);
  std::vector<Value> row(columns.size());
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) row[j] = table.At(i, j);
    std::string text;
    if (!table.IsNull(i, changed)) {
      text = columns[changed].TextOfNumber(row[changed]);
      row[changed] = std::string_view(text);
    }
    result.AddRow(row);
  }
  return result;
}

// Adds the rows of a chunk and returns about how many bytes they take.
Result<std::uint64_t> AddChunk(duckdb_data_chunk chunk, const std::vector<ResultColumn>& columns,
                               Table& table) {
  const std::size_t count = duckdb_data_chunk_get_size(chunk);
  std::vector<Value> row(columns.size());
  std::vector<std::string> texts(columns.size());
  std::uint64_t bytes = count * columns.size() * sizeof(std::int64_t);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      RS_ASSIGN_OR_RETURN(row[j],
                          columns[j].Read(duckdb_data_chunk_get_vector(chunk, j), i, texts[j]));
      if (const auto* text = std::get_if<std::string_view>(&row[j])) bytes += text->size();
    }
    table.AddRow(row);
  }
  return bytes;
}

std::vector<ResultColumn> ColumnsOf(const Rows& rows) {
  std::vector<ResultColumn> columns;
  for (std::size_t i = 0; i < rows.column_count(); ++i)
    columns.emplace_back(rows.column_name(i), rows.column_type(i));
  return columns;
}

// Columns that do not fit numbers any more, of those that did.
std::vector<std::size_t> Outgrown(duckdb_data_chunk chunk,
                                  const std::vector<ResultColumn>& columns) {
  std::vector<std::size_t> outgrown;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (!columns[j].Fits(duckdb_data_chunk_get_vector(chunk, j), duckdb_data_chunk_get_size(chunk)))
      outgrown.push_back(j);
  }
  return outgrown;
}

}  // namespace

Result<Table> ReadTable(Rows& rows, const std::string& name, std::uint64_t most_bytes) {
  std::vector<ResultColumn> columns = ColumnsOf(rows);
  Table table = EmptyTable(name, columns);
  std::uint64_t bytes = 0;
  while (true) {
    RS_ASSIGN_OR_RETURN(const Chunk chunk, rows.Next());
    if (!chunk) return table;
    if (columns.empty()) continue;
    for (const std::size_t column : Outgrown(chunk.get(), columns))
      table = WithText(table, columns, column);
    RS_ASSIGN_OR_RETURN(const std::uint64_t added, AddChunk(chunk.get(), columns, table));
    bytes += added;
    if (bytes > most_bytes) {
      return Error(StatusCode::kResource,
                   "the result takes more than the {} that it may have of --memory: write it with "
                   "--format csv or jsonl, which need no memory, or add a LIMIT",
                   HumanBytes(static_cast<double>(most_bytes)));
    }
  }
}

Status StreamTables(Rows& rows, const std::string& name,
                    const std::function<Status(const Table&)>& take) {
  std::vector<ResultColumn> columns = ColumnsOf(rows);
  for (bool is_first = true;; is_first = false) {
    RS_ASSIGN_OR_RETURN(const Chunk chunk, rows.Next());
    if (!chunk) return is_first ? take(EmptyTable(name, columns)) : OkStatus();
    for (const std::size_t column : Outgrown(chunk.get(), columns)) columns[column].ShowAsText();
    Table table = EmptyTable(name, columns);
    if (!columns.empty()) RS_RETURN_IF_ERROR(AddChunk(chunk.get(), columns, table).status());
    RS_RETURN_IF_ERROR(take(table));
  }
}

}  // namespace rankscope::sql
