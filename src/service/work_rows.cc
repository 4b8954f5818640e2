#include "service/work_rows.h"

#include "store/cluster_schema.h"

namespace rankscope::service {
namespace {

using postgres::Rows;
using postgres::Transaction;
using store::Run;

// After these the worker does nothing else meanwhile: it takes more memory, or has ended its
// worker.
constexpr std::int64_t kAloneAfterLost = Queue::kSuspicious;
constexpr std::int64_t kAloneAfterFailed = 1;
// Before work is given out again whose worker ended, times how often that was so.
constexpr std::int64_t kLostPauseMs = 500;

Status LeaseIsLost() {
  return Error(StatusCode::kCancelled, "the work is no longer this worker's");
}

// Teams with work that may begin, those first that have the least at work: who sends a thousand
// runs does not make others wait for all of them.
constexpr const char* kTeams =
    "SELECT ready.team FROM (SELECT team, min(id) AS first FROM rankscope.work "
    "WHERE state = 'ready' AND not_before <= now() GROUP BY team) AS ready "
    "ORDER BY (SELECT count(*) FROM rankscope.work AS other "
    "WHERE other.state = 'leased' AND other.team = ready.team), ready.first";

// The subquery is a scalar one, so that it runs once and locks what it returns and nothing else.
constexpr const char* kTake =
    "UPDATE rankscope.work SET state = 'leased', attempt = attempt + 1, worker = $2, "
    "lease_until = now() + $3 * interval '1 millisecond', since = now(), progress = 0, "
    "is_alone = (lost >= $4 OR failed >= $5) "
    "WHERE id = (SELECT id FROM rankscope.work WHERE state = 'ready' AND not_before <= now() "
    "AND team = $1 ORDER BY priority, id LIMIT 1 FOR UPDATE SKIP LOCKED) "
    "RETURNING id, run, team, attempt, generation, failed, lost, lost_alone, is_alone, reason";

// Whether the work is still this worker's; its row is locked until the transaction ends.
Status Fence(Transaction& transaction, const WorkUnit& unit, const std::string& worker) {
  RS_ASSIGN_OR_RETURN(
      const Rows rows,
      transaction.Do("SELECT 1 FROM rankscope.work WHERE id = $1 AND attempt = $2 AND worker = $3 "
                     "AND state = 'leased' FOR UPDATE",
                     {unit.id, unit.attempt, worker}));
  return rows.empty() ? LeaseIsLost() : OkStatus();
}

}  // namespace

Result<std::optional<WorkUnit>> WorkRows::Take() {
  // A taking whose answer is lost is work that nobody does until its lease ends: it is not asked
  // for again under another number, and never by two.
  RS_ASSIGN_OR_RETURN(const Rows teams, catalogue_.database().Do(kTeams));
  for (std::size_t i = 0; i < teams.size(); ++i) {
    std::optional<WorkUnit> unit;
    const Status written = catalogue_.database().Transact([&](Transaction& transaction) -> Status {
      unit.reset();
      RS_ASSIGN_OR_RETURN(
          const Rows rows,
          transaction.Do(kTake, {teams.Text(i, 0), worker_, std::int64_t{lease_.count()},
                                 kAloneAfterLost, kAloneAfterFailed}));
      if (rows.empty()) return OkStatus();
      unit = WorkUnit{.id = rows.Integer(0, 0),
                      .run = rows.String(0, 1),
                      .team = rows.String(0, 2),
                      .attempt = rows.Integer(0, 3),
                      .generation = rows.Integer(0, 4),
                      .failed = rows.Integer(0, 5),
                      .lost = rows.Integer(0, 6),
                      .lost_alone = rows.Integer(0, 7),
                      .is_alone = rows.Flag(0, 8),
                      .reason = rows.String(0, 9)};
      return OkStatus();
    });
    RS_RETURN_IF_ERROR(written);
    if (unit) return unit;
  }
  return std::optional<WorkUnit>();
}

Result<bool> WorkRows::Renew(const WorkUnit& unit, double progress, bool is_told) {
  bool is_ours = false;
  const Status written = catalogue_.database().Transact([&](Transaction& transaction) -> Status {
    RS_ASSIGN_OR_RETURN(
        const Rows renewed,
        transaction.Do("UPDATE rankscope.work SET lease_until = now() + $4 * interval "
                       "'1 millisecond', progress = $5 "
                       "WHERE id = $1 AND attempt = $2 AND worker = $3 AND state = 'leased'",
                       {unit.id, unit.attempt, worker_, std::int64_t{lease_.count()},
                        fmt::format("{}", progress)}));
    is_ours = renewed.affected() == 1;
    if (!is_ours || !is_told) return OkStatus();
    return store::AddEvent(transaction, "run", unit.team, unit.run);
  });
  RS_RETURN_IF_ERROR(written);
  return is_ours;
}

Status WorkRows::HandBack(const WorkUnit& unit) {
  return catalogue_.database().Transact([&](Transaction& transaction) -> Status {
    RS_ASSIGN_OR_RETURN(
        const Rows back,
        transaction.Do("UPDATE rankscope.work SET state = 'ready', worker = '', is_alone = false, "
                       "lease_until = NULL, not_before = now(), progress = 0 "
                       "WHERE id = $1 AND attempt = $2 AND worker = $3 AND state = 'leased'",
                       {unit.id, unit.attempt, worker_}));
    if (back.affected() == 0) return OkStatus();
    return transaction.Do("SELECT pg_notify('rankscope_work', '')").status();
  });
}

Status WorkRows::FailAttempt(const WorkUnit& unit, std::string_view reason,
                             std::chrono::milliseconds pause) {
  return catalogue_.database().Transact([&](Transaction& transaction) -> Status {
    RS_ASSIGN_OR_RETURN(
        const Rows back,
        transaction.Do(
            "UPDATE rankscope.work SET state = 'ready', failed = failed + 1, reason = $4, "
            "worker = '', is_alone = false, lease_until = NULL, progress = 0, "
            "not_before = now() + $5 * interval '1 millisecond' "
            "WHERE id = $1 AND attempt = $2 AND worker = $3 AND state = 'leased'",
            {unit.id, unit.attempt, worker_, reason, std::int64_t{pause.count()}}));
    if (back.affected() == 0) return LeaseIsLost();
    return transaction.Do("UPDATE rankscope.cluster SET attempts_failed = attempts_failed + 1")
        .status();
  });
}

Result<store::RunPtr> WorkRows::Change(const WorkUnit& unit, const RunChange& change) {
  return catalogue_.UpdateWith(unit.run, change, [&](Transaction& transaction, const Run&) {
    return Fence(transaction, unit, worker_);
  });
}

Result<store::RunPtr> WorkRows::Conclude(const WorkUnit& unit, const Outcome& outcome,
                                         const RunChange& change) {
  return catalogue_.UpdateWith(
      unit.run, change, [&](Transaction& transaction, const Run& before) -> Status {
        RS_RETURN_IF_ERROR(Fence(transaction, unit, worker_));
        if (static_cast<std::int64_t>(before.reports.size()) + 1 != unit.generation)
          return Error(StatusCode::kInternal, "the run has other reports than its work knows of");
        const char* const word = outcome.is_done ? "done" : "failed";
        RS_RETURN_IF_ERROR(
            transaction
                .Do("INSERT INTO rankscope.history (work, run, team, worker, attempt, outcome) "
                    "VALUES ($1, $2, $3, $4, $5, $6)",
                    {unit.id, unit.run, unit.team, worker_, unit.attempt, word})
                .status());
        RS_RETURN_IF_ERROR(
            transaction.Do("DELETE FROM rankscope.work WHERE id = $1", {unit.id}).status());
        return transaction
            .Do("UPDATE rankscope.cluster SET done = done + $1, failed = failed + $2, "
                "busy_ms = busy_ms + $3",
                {std::int64_t{outcome.is_done ? 1 : 0}, std::int64_t{outcome.is_done ? 0 : 1},
                 std::int64_t{outcome.busy.count()}})
            .status();
      });
}

Status WorkRows::CountSetAside(std::int64_t count) {
  return catalogue_.database().Transact([&](Transaction& transaction) {
    return transaction.Do("UPDATE rankscope.cluster SET set_aside = set_aside + $1", {count})
        .status();
  });
}

Status WorkRows::Sweep() {
  return catalogue_.database().Transact([&](Transaction& transaction) -> Status {
    RS_ASSIGN_OR_RETURN(
        const Rows swept,
        transaction.Do(
            "UPDATE rankscope.work SET state = 'ready', worker = '', lease_until = NULL, "
            "progress = 0, lost = lost + 1, lost_alone = lost_alone + is_alone::int, "
            "is_alone = false, not_before = now() + (lost + 1) * $1 * interval '1 millisecond' "
            "WHERE id = ANY (ARRAY(SELECT id FROM rankscope.work WHERE state = 'leased' "
            "AND lease_until < now() FOR UPDATE SKIP LOCKED))",
            {kLostPauseMs}));
    if (swept.affected() == 0) return OkStatus();
    return transaction.Do("SELECT pg_notify('rankscope_work', '')").status();
  });
}

Result<std::map<std::string, double, std::less<>>> WorkRows::Progress() {
  RS_ASSIGN_OR_RETURN(const Rows rows,
                      catalogue_.database().Do("SELECT run, (progress * 1000)::bigint "
                                               "FROM rankscope.work WHERE state = 'leased'"));
  std::map<std::string, double, std::less<>> progress;
  for (std::size_t i = 0; i < rows.size(); ++i)
    progress[rows.String(i, 0)] = static_cast<double>(rows.Integer(i, 1)) / 1000;
  return progress;
}

Result<QueueNumbers> WorkRows::Numbers() {
  RS_ASSIGN_OR_RETURN(
      const Rows rows,
      catalogue_.database().Do(
          "SELECT (SELECT count(*) FROM rankscope.work WHERE state = 'ready'), "
          "(SELECT count(*) FROM rankscope.work WHERE state = 'leased'), "
          "done, failed, attempts_failed, set_aside, busy_ms FROM rankscope.cluster"));
  return QueueNumbers{.waiting = rows.Integer(0, 0),
                      .running = rows.Integer(0, 1),
                      .done = rows.Integer(0, 2),
                      .failed = rows.Integer(0, 3),
                      .attempts_failed = rows.Integer(0, 4),
                      .set_aside = rows.Integer(0, 5),
                      .busy_seconds = static_cast<double>(rows.Integer(0, 6)) / 1000};
}

Status WorkRows::ForgetHistory(std::chrono::hours age) {
  return catalogue_.database()
      .Do("DELETE FROM rankscope.history WHERE ended < now() - $1 * interval '1 hour'",
          {std::int64_t{age.count()}})
      .status();
}

}  // namespace rankscope::service
