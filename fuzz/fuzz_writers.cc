// Any table, in every form that tables are written in, read back by other readers: simdjson's DOM
// for JSON, a plain one for CSV, our own decoder for bytes. What is for terminals has no control.
#include <simdjson.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "input.h"
#include "source.h"
#include "table/codec.h"
#include "table/terminal_text.h"
#include "table/write_csv.h"
#include "table/write_json.h"
#include "table/write_text.h"

namespace rankscope::fuzz {
namespace {

namespace dom = simdjson::dom;

Value Cell(Source& source, ColumnType type) {
  if (source.Byte() % 8 == 0) return kNull;
  switch (type) {
    case ColumnType::kInt64:
      return source.Number();
    case ColumnType::kDouble: {
      if (source.Byte() % 2 == 0) return static_cast<double>(source.Number()) / 8;
      std::uint64_t bits = 0;
      for (int i = 0; i < 8; ++i) bits = bits << 8 | source.Byte();
      double value = 0;
      std::memcpy(&value, &bits, sizeof(value));
      return value;
    }
    case ColumnType::kBool:
      return source.Byte() % 2 == 0;
    case ColumnType::kString:
      break;
  }
  return source.Text(24);
}

Table TableFrom(Source& source) {
  constexpr std::string_view kUnits[] = {"", "ns", "bytes", "bytes/s", "%", "strange"};
  std::vector<ColumnSpec> columns(source.Byte() % 8);
  for (ColumnSpec& column : columns) {
    column.name = source.Text(12);
    column.type = static_cast<ColumnType>(source.Byte() % 4);
    column.unit = kUnits[source.Byte() % std::size(kUnits)];
    column.doc = source.Text(8);
  }
  Table table("any", columns);
  while (!columns.empty() && !source.at_end()) {
    std::vector<Value> row;
    for (const ColumnSpec& column : columns) row.push_back(Cell(source, column.type));
    table.AddRow(row);
  }
  return table;
}

// With U+FFFD for what is not UTF-8.
std::string Valid(std::string_view text) {
  std::string valid;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint code = DecodeUtf8(text, at);
    valid += code.valid ? text.substr(at, code.bytes) : kReplacementUtf8;
    at += code.bytes;
  }
  return valid;
}

void CheckJsonCell(const Table& table, std::size_t row, std::size_t column, dom::element cell) {
  if (table.IsNull(row, column)) {
    FUZZ_CHECK(cell.is_null());
    return;
  }
  switch (table.columns()[column].type) {
    case ColumnType::kInt64: {
      constexpr std::int64_t kExact = std::int64_t{1} << 53;
      const std::int64_t value = table.Int(row, column);
      if (-kExact <= value && value <= kExact) {
        FUZZ_CHECK(cell.get_int64().value_unsafe() == value);
      } else {
        FUZZ_CHECK(cell.get_string().value_unsafe() == fmt::format("{}", value));
      }
      return;
    }
    case ColumnType::kDouble: {
      double value = 0;
      FUZZ_CHECK(cell.get_double().get(value) == simdjson::SUCCESS);
      FUZZ_CHECK(value == table.Double(row, column));
      return;
    }
    case ColumnType::kBool:
      FUZZ_CHECK(cell.get_bool().value_unsafe() == table.Bool(row, column));
      return;
    case ColumnType::kString:
      FUZZ_CHECK(cell.get_string().value_unsafe() == Valid(table.String(row, column)));
  }
}

void CheckJson(const Table& table) {
  dom::parser parser;
  dom::object root;
  FUZZ_CHECK(parser.parse(simdjson::padded_string(WriteJson(table))).get(root) ==
             simdjson::SUCCESS);
  dom::array columns, rows;
  FUZZ_CHECK(root["columns"].get(columns) == simdjson::SUCCESS);
  FUZZ_CHECK(columns.size() == table.column_count());
  FUZZ_CHECK(root["rows"].get(rows) == simdjson::SUCCESS);
  std::size_t row = 0;
  for (const dom::element cells : rows) {
    std::size_t column = 0;
    for (const dom::element cell : cells.get_array()) CheckJsonCell(table, row, column++, cell);
    FUZZ_CHECK(column == table.column_count());
    ++row;
  }
  FUZZ_CHECK(row == table.row_count());
}

void CheckJsonLines(const Table& table) {
  std::string text;
  AppendJsonLines(text, table);
  dom::parser parser;
  std::size_t row = 0;
  for (std::size_t at = 0; at < text.size(); ++row) {
    const std::size_t end = text.find('\n', at);
    FUZZ_CHECK(end != std::string::npos);
    dom::object object;
    FUZZ_CHECK(parser.parse(simdjson::padded_string(text.substr(at, end - at))).get(object) ==
               simdjson::SUCCESS);
    std::size_t column = 0;
    for (const auto& member : object) CheckJsonCell(table, row, column++, member.value);
    FUZZ_CHECK(column == table.column_count());
    at = end + 1;
  }
  FUZZ_CHECK(row == (table.column_count() == 0 ? 0 : table.row_count()));
}

// RFC 4180, field by field; nullopt for what is empty without quotes.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }

  std::optional<std::string> Field() {
    std::optional<std::string> field;
    if (Take("\"")) {
      field = "";
      for (;;) {
        const std::size_t quote = rest_.find('"');
        FUZZ_CHECK(quote != std::string_view::npos);
        *field += rest_.substr(0, quote);
        rest_.remove_prefix(quote + 1);
        if (!Take("\"")) return field;
        *field += '"';
      }
    }
    const std::size_t size = std::min(rest_.find_first_of(",\r"), rest_.size());
    if (size > 0) field = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return field;
  }
  bool Take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

 private:
  std::string_view rest_;
};

void CheckCsvField(const Table& table, std::size_t row, std::size_t column,
                   const std::optional<std::string>& field) {
  FUZZ_CHECK(table.IsNull(row, column) == !field);
  if (!field) return;
  switch (table.columns()[column].type) {
    case ColumnType::kInt64:
      FUZZ_CHECK(*field == fmt::format("{}", table.Int(row, column)));
      return;
    case ColumnType::kDouble: {
      double value = 0;
      const char* const end = field->data() + field->size();
      FUZZ_CHECK(std::from_chars(field->data(), end, value).ptr == end);
      FUZZ_CHECK(value == table.Double(row, column));
      return;
    }
    case ColumnType::kBool:
      FUZZ_CHECK(*field == (table.Bool(row, column) ? "true" : "false"));
      return;
    case ColumnType::kString:
      FUZZ_CHECK(*field == table.String(row, column));
  }
}

void CheckCsv(const Table& table) {
  const std::string text = WriteCsv(table);
  CsvReader reader(text);
  const auto end_of = [&](std::size_t column) {
    FUZZ_CHECK(reader.Take(column + 1 < table.column_count() ? "," : "\r\n"));
  };
  for (std::size_t column = 0; column < table.column_count(); ++column) {
    FUZZ_CHECK(reader.Field().value_or("") == table.columns()[column].name);
    end_of(column);
  }
  if (table.column_count() == 0) FUZZ_CHECK(reader.Take("\r\n"));
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    for (std::size_t column = 0; column < table.column_count(); ++column) {
      CheckCsvField(table, row, column, reader.Field());
      end_of(column);
    }
  }
  FUZZ_CHECK(reader.at_end());
}

// Lines that are safe for a terminal already, and none ends in a blank.
void CheckText(const Table& table, const Input& input) {
  TextOptions options;
  options.numbers = input.first % 2 == 0 ? NumberStyle::kHuman : NumberStyle::kRaw;
  options.max_rows = input.first / 2 % 4;
  options.max_width = input.second / 2;
  options.max_text_width = input.first / 8;
  const std::string text = WriteText(table, options);
  FUZZ_CHECK(text.ends_with('\n'));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string_view line = std::string_view(text).substr(at, end - at);
    FUZZ_CHECK(SafeForTerminal(line) == line);
    at = end + 1;
  }
}

void CheckBytes(const Table& table) {
  const auto decoded = DecodeTables(EncodeTables(std::vector{table}));
  FUZZ_CHECK(decoded.ok() && decoded->size() == 1 && decoded->front() == table);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  Source source(input.data);
  const Table table = TableFrom(source);
  CheckJson(table);
  CheckJsonLines(table);
  CheckCsv(table);
  CheckText(table, input);
  CheckBytes(table);
  return 0;
}

}  // namespace rankscope::fuzz
