#include "postgres/migrate.h"

namespace rankscope::postgres {
namespace {

// Of the advisory lock under which one program migrates at a time.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(1918988907, 1)";

}  // namespace

Status Migrate(Database& database, const std::string& schema, std::span<const char* const> steps) {
  const auto newest = static_cast<std::int64_t>(steps.size());
  for (std::int64_t version = -1; version < newest;) {
    const Status written = database.Transact([&](Transaction& transaction) -> Status {
      // However long a step takes, and however long another program's does.
      RS_RETURN_IF_ERROR(transaction.Do("SET LOCAL statement_timeout = 0").status());
      RS_RETURN_IF_ERROR(transaction.Do(kLock).status());
      RS_ASSIGN_OR_RETURN(const Rows there, transaction.Do("SELECT to_regclass($1) IS NOT NULL",
                                                           {schema + ".version"}));
      if (!there.Flag(0, 0)) {
        const std::string make = fmt::format(
            "CREATE SCHEMA IF NOT EXISTS {0}; "
            "CREATE TABLE {0}.version (one boolean PRIMARY KEY DEFAULT true CHECK (one), "
            "number bigint NOT NULL); INSERT INTO {0}.version (number) VALUES (0)",
            schema);
        RS_RETURN_IF_ERROR(transaction.Script(make.c_str()).status());
      }
      RS_ASSIGN_OR_RETURN(const Rows found,
                          transaction.Do(("SELECT number FROM " + schema + ".version").c_str()));
      if (found.empty())
        return Error(StatusCode::kBadData, "{}: its table {}.version is empty", database.shown(),
                     schema);
      version = found.Integer(0, 0);
      if (version > newest) {
        return Error(StatusCode::kBadData,
                     "{}: its tables are of version {}; this version of rankscope knows versions "
                     "up to {}: take a newer one",
                     database.shown(), version, newest);
      }
      if (version == newest) return OkStatus();
      RS_RETURN_IF_ERROR(transaction.Script(steps[static_cast<std::size_t>(version)]).status());
      ++version;
      return transaction.Do(("UPDATE " + schema + ".version SET number = $1").c_str(), {version})
          .status();
    });
    RS_RETURN_IF_ERROR(written);
  }
  return OkStatus();
}

}  // namespace rankscope::postgres
