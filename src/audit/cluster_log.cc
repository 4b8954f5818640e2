#include <algorithm>

#include "audit/log.h"
#include "postgres/database.h"

namespace rankscope::audit {
namespace {

constexpr std::int64_t kPage = 1000;

class ClusterLog final : public Log {
 public:
  ClusterLog(postgres::Database& database, Bounds bounds) : database_(database), bounds_(bounds) {}

  // The row of the head stays locked until the transaction ends: one line behind the other,
  // whichever server writes. Nothing else is locked with it.
  Status Add(const api::AuditEntry& entry, Care) override {
    return database_.Transact([&](postgres::Transaction& transaction) -> Status {
      RS_ASSIGN_OR_RETURN(
          const postgres::Rows rows,
          transaction.Do("SELECT number, hash FROM rankscope.audit_head FOR UPDATE"));
      if (rows.empty())
        return Error(StatusCode::kBadData, "the table rankscope.audit_head has lost its row");
      Head head{.number = rows.Integer(0, 0), .hash = rows.String(0, 1)};
      const std::string line = LineBehind(head, entry);
      RS_RETURN_IF_ERROR(
          transaction
              .Do("INSERT INTO rankscope.audit (number, line) VALUES ($1, $2)", {head.number, line})
              .status());
      return transaction
          .Do("UPDATE rankscope.audit_head SET number = $1, hash = $2", {head.number, head.hash})
          .status();
    });
  }

  Status Trim() override {
    return database_
        .Do("DELETE FROM rankscope.audit WHERE number <= "
            "(SELECT number FROM rankscope.audit_head) - $1",
            {bounds_.most_rows})
        .status();
  }

  Status FromNewest(const Visit& visit) override {
    return Pages(
        "SELECT number, line FROM rankscope.audit WHERE $1::bigint IS NULL OR number < $1 "
        "ORDER BY number DESC LIMIT $2",
        visit);
  }
  Status FromOldest(const Visit& visit) override {
    return Pages(
        "SELECT number, line FROM rankscope.audit WHERE $1::bigint IS NULL OR number > $1 "
        "ORDER BY number LIMIT $2",
        visit);
  }

  Result<Head> Noted() override {
    RS_ASSIGN_OR_RETURN(const postgres::Rows rows,
                        database_.Do("SELECT number, hash FROM rankscope.audit_head"));
    if (rows.empty()) return Head{};
    return Head{.number = rows.Integer(0, 0), .hash = rows.String(0, 1)};
  }

 private:
  Status Pages(const char* statement, const Visit& visit) {
    postgres::Param last = nullptr;
    while (true) {
      RS_ASSIGN_OR_RETURN(const postgres::Rows rows, database_.Do(statement, {last, kPage}));
      for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!visit(rows.Text(row, 1))) return OkStatus();
      }
      if (rows.size() < static_cast<std::size_t>(kPage)) return OkStatus();
      last = rows.Integer(rows.size() - 1, 0);
    }
  }

  postgres::Database& database_;
  const Bounds bounds_;
};

}  // namespace

std::unique_ptr<Log> MakeClusterLog(postgres::Database& database, Bounds bounds) {
  return std::make_unique<ClusterLog>(database, bounds);
}

}  // namespace rankscope::audit
