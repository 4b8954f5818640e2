#include "formats/nsys/database.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/check.h"
#include "base/file.h"
#include "formats/base/whole_text.h"

namespace rankscope::nsys {
namespace {

constexpr int kMostValueBytes = 16 << 20;

// "file:" with what SQLite takes for special escaped: immutable, so that no journal is looked for.
std::string UriOf(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

void TableRows::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
TableRows::~TableRows() = default;

bool TableRows::Next() {
  if (!statement_) return false;
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE)
    status_ = Error(StatusCode::kBadData, "{}", sqlite3_errstr(result & 0xFF));
  statement_.reset();
  return false;
}

std::int64_t TableRows::Int(int column, std::int64_t unknown) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER
             ? sqlite3_column_int64(statement_.get(), column)
             : unknown;
}

std::string_view TableRows::Text(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  if (type != SQLITE_TEXT && type != SQLITE_BLOB) return {};
  const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

bool TableRows::IsKnown(int column) const {
  return sqlite3_column_type(statement_.get(), column) != SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }
Database::~Database() = default;

Result<Database> Database::Open(const std::string& path, const InflateLimits& limits) {
  RS_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  if (!file->text().starts_with(kDatabaseMagic)) {
    const auto source = OpenByteSource(file->text(), limits);
    RS_ASSIGN_OR_RETURN(const std::string bytes, ReadWhole(*source, path));
    const auto& problems = source->problems().entries();
    if (!problems.empty())
      return Error(StatusCode::kBadData, "{}: {}", path, problems.front().message);
    return Open(bytes, path);
  }
  sqlite3* opened = nullptr;
  const int result =
      sqlite3_open_v2(UriOf(path).c_str(), &opened,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(opened);
  if (result != SQLITE_OK)
    return Error(StatusCode::kBadData, "{}: SQLite cannot open the file: {}", path,
                 sqlite3_errstr(result));
  return Prepare(std::move(database), path);
}

Result<Database> Database::Open(std::string_view bytes, const std::string& path) {
  sqlite3* opened = nullptr;
  RS_CHECK(sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                           nullptr) == SQLITE_OK,
           "SQLite gives no memory");
  Database database(opened);
  // SQLite frees the copy, whatever becomes of it.
  auto* const copy =
      static_cast<unsigned char*>(sqlite3_malloc64(std::max<std::size_t>(1, bytes.size())));
  RS_CHECK(copy != nullptr, "SQLite gives no memory");
  std::memcpy(copy, bytes.data(), bytes.size());
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  const int result =
      sqlite3_deserialize(opened, "main", copy, size, size,
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
  if (result != SQLITE_OK)
    return Error(StatusCode::kBadData, "{}: SQLite cannot open the file: {}", path,
                 sqlite3_errstr(result));
  return Prepare(std::move(database), path);
}

Result<Database> Database::Prepare(Database database, const std::string& path) {
  sqlite3* const handle = database.database_.get();
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMostValueBytes);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  const int result = sqlite3_exec(
      handle, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; SELECT count(*) FROM sqlite_schema",
      nullptr, nullptr, nullptr);
  if (result != SQLITE_OK)
    return Error(StatusCode::kBadData, "{}: the SQLite database is damaged: {}; export it again",
                 path, sqlite3_errmsg(handle));
  return database;
}

bool Database::HasTable(std::string_view table) const {
  TableRows rows;
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database_.get(),
                     "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND sql NOT "
                     "LIKE 'CREATE VIRTUAL%'",
                     -1, &statement, nullptr);
  rows.statement_.reset(statement);
  if (statement == nullptr) return false;
  sqlite3_bind_text(statement, 1, table.data(), static_cast<int>(table.size()), SQLITE_STATIC);
  return rows.Next();
}

TableRows Database::Read(std::string_view table,
                         std::initializer_list<std::string_view> columns) const {
  TableRows rows;
  if (!HasTable(table)) return rows;
  sqlite3_stmt* statement = nullptr;
  // What the table has: a name in quotes that is no column would be taken for text.
  std::set<std::string, std::less<>> there;
  const std::string describe = fmt::format("PRAGMA table_info({})", Quoted(table));
  sqlite3_prepare_v2(database_.get(), describe.c_str(), -1, &statement, nullptr);
  rows.statement_.reset(statement);
  constexpr int kName = 1;
  while (rows.Next()) there.emplace(rows.Text(kName));
  std::string select;
  for (const std::string_view column : columns) {
    select += select.empty() ? "SELECT " : ", ";
    select += there.contains(column) ? Quoted(column) : "NULL";
  }
  select += fmt::format(" FROM {}", Quoted(table));
  statement = nullptr;
  const int result = sqlite3_prepare_v2(database_.get(), select.c_str(), -1, &statement, nullptr);
  rows.statement_.reset(statement);
  rows.status_ =
      result == SQLITE_OK ? OkStatus() : Error(StatusCode::kBadData, "{}", sqlite3_errstr(result));
  return rows;
}

}  // namespace rankscope::nsys
