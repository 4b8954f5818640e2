#include "postgres/migrate.h"

namespace rankscope::postgres {
namespace {

// Of the advisory lock under which one program migrates at a time.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(1918988907, 1)";

// The version that a program has to know at least. Before it was kept, that was each.
Status AddLeast(Transaction& transaction, const std::string& schema) {
  RS_ASSIGN_OR_RETURN(
      const Rows there,
      transaction.Do("SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND "
                     "attname = 'least' AND NOT attisdropped",
                     {schema + ".version"}));
  if (!there.empty()) return OkStatus();
  const std::string add = fmt::format(
      "ALTER TABLE {0}.version ADD COLUMN least bigint NOT NULL DEFAULT 0; "
      "UPDATE {0}.version SET least = number",
      schema);
  return transaction.Script(add.c_str()).status();
}

}  // namespace

Status Migrate(Database& database, const std::string& schema,
               std::span<const MigrationStep> steps) {
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
      RS_RETURN_IF_ERROR(AddLeast(transaction, schema));
      RS_ASSIGN_OR_RETURN(
          const Rows found,
          transaction.Do(("SELECT number, least FROM " + schema + ".version").c_str()));
      if (found.empty())
        return Error(StatusCode::kBadData, "{}: its table {}.version is empty", database.shown(),
                     schema);
      version = found.Integer(0, 0);
      const std::int64_t least = found.Integer(0, 1);
      if (least > newest) {
        return Error(StatusCode::kBadData,
                     "{}: its tables are of version {}, for programs that know version {}; this "
                     "version of rankscope knows versions up to {}: take a newer one",
                     database.shown(), version, least, newest);
      }
      if (version >= newest) return OkStatus();
      const MigrationStep& step = steps[static_cast<std::size_t>(version)];
      RS_RETURN_IF_ERROR(transaction.Script(step.script).status());
      ++version;
      return transaction
          .Do(("UPDATE " + schema + ".version SET number = $1, least = $2").c_str(),
              {version, step.keeps_older ? least : version})
          .status();
    });
    RS_RETURN_IF_ERROR(written);
  }
  return OkStatus();
}

}  // namespace rankscope::postgres
