// A SQLite database from another program, opened read-only; none of its content is trusted.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/byte_source.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rankscope::nsys {

class Database;

// The first bytes of every database.
inline constexpr std::string_view kDatabaseMagic("SQLite format 3\0", 16);

// Rows of a table in the order of their ids. Missing columns and values of other types are
// unknown.
class TableRows {
 public:
  TableRows(TableRows&&) noexcept = default;
  TableRows& operator=(TableRows&&) noexcept = default;
  ~TableRows();

  bool Next();
  std::int64_t Int(int column, std::int64_t unknown = -1) const;
  std::string_view Text(int column) const;  // valid until the next call of Next; "" is unknown
  bool IsKnown(int column) const;
  // Why Next ended early; OK at the end of the table.
  const Status& status() const { return status_; }

 private:
  friend class Database;
  TableRows() = default;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  Status status_;
};

class Database {
 public:
  // Opens the file in place: nothing is written beside it. A gzip file is unpacked into memory, at
  // most 2 GiB.
  static Result<Database> Open(const std::string& path, const InflateLimits& limits = {});
  // The same for bytes, which are copied.
  static Result<Database> Open(std::string_view bytes, const std::string& path);

  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;
  ~Database();

  // Whether it is a real table: not a view or a virtual table, since these are programs.
  bool HasTable(std::string_view table) const;
  // Rows of a table; none if it does not exist. Names must come from the caller, not from a file.
  TableRows Read(std::string_view table, std::initializer_list<std::string_view> columns) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}
  static Result<Database> Prepare(Database database, const std::string& path);

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace rankscope::nsys
