#include "audit/carry_over.h"

#include <string_view>
#include <vector>

#include "audit/read.h"
#include "json/writer.h"
#include "postgres/database.h"

namespace rankscope::audit {
namespace {

constexpr std::size_t kLinesAtOnce = 1000;

// Lines that follow each other, in pieces.
class Copier {
 public:
  Copier(postgres::Transaction& transaction, std::int64_t first)
      : transaction_(transaction), next_(first) {}

  Status Take(std::string_view line) {
    lines_.emplace_back(line);
    return lines_.size() < kLinesAtOnce ? OkStatus() : Flush();
  }
  Status Flush() {
    if (lines_.empty()) return OkStatus();
    std::string json;
    json::Writer(json).Write(lines_);
    RS_RETURN_IF_ERROR(
        transaction_
            .Do("INSERT INTO rankscope.audit (number, line) SELECT $1 + one.place - 1, one.line "
                "FROM json_array_elements_text($2::json) WITH ORDINALITY AS one (line, place)",
                {next_, json})
            .status());
    next_ += static_cast<std::int64_t>(lines_.size());
    lines_.clear();
    return OkStatus();
  }
  std::int64_t next() const { return next_; }

 private:
  postgres::Transaction& transaction_;
  std::int64_t next_;
  std::vector<std::string> lines_;
};

// Whether the database has this line, from an earlier copy.
Result<bool> HasLine(postgres::Transaction& transaction, const Head& line) {
  RS_ASSIGN_OR_RETURN(
      const postgres::Rows rows,
      transaction.Do("SELECT line FROM rankscope.audit WHERE number = $1", {line.number}));
  if (rows.empty()) return false;
  const auto entry = ReadLine(rows.Text(0, 0));
  return entry.ok() && entry->hash == line.hash;
}

}  // namespace

Result<CarriedLog> CarryOver(Lines& from, postgres::Database& to) {
  RS_ASSIGN_OR_RETURN(const Verified verified, Verify(from));
  if (verified.lines == 0) return CarriedLog{};
  if (!verified.problems.empty())
    return CarriedLog{.why_not = "it is damaged: " + verified.problems.front()};
  CarriedLog carried;
  const Status written = to.Transact([&](postgres::Transaction& transaction) -> Status {
    carried = {};
    RS_ASSIGN_OR_RETURN(const postgres::Rows head,
                        transaction.Do("SELECT number FROM rankscope.audit_head FOR UPDATE"));
    if (head.empty())
      return Error(StatusCode::kBadData, "the table rankscope.audit_head has lost its row");
    if (head.Integer(0, 0) > 0) {
      RS_ASSIGN_OR_RETURN(const bool is_there, HasLine(transaction, verified.last));
      if (!is_there) carried.why_not = "the database has an audit log of its own already";
      return OkStatus();
    }
    Copier copier(transaction, verified.first);
    Status copied;
    RS_RETURN_IF_ERROR(from.FromOldest([&](std::string_view line) {
      copied = copier.Take(line);
      return copied.ok();
    }));
    RS_RETURN_IF_ERROR(copied);
    RS_RETURN_IF_ERROR(copier.Flush());
    if (copier.next() != verified.last.number + 1)
      return Error(StatusCode::kResource, "the audit log grew while it was copied: run this again");
    carried.lines = verified.lines;
    return transaction
        .Do("UPDATE rankscope.audit_head SET number = $1, hash = $2",
            {verified.last.number, verified.last.hash})
        .status();
  });
  RS_RETURN_IF_ERROR(written);
  return carried;
}

}  // namespace rankscope::audit
