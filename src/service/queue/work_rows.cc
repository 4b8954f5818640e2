#include "service/queue/work_rows.h"

#include <fmt/core.h>

#include <algorithm>

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

// Teams with work that may begin, those first that have the least at work, and of these those that
// had no turn for longest: who sends a thousand runs does not make others wait for all of them,
// although there are fewer workers than teams.
constexpr const char* kTeams =
    "SELECT ready.team FROM (SELECT team, min(id) AS first FROM rankscope.work "
    "WHERE state = 'ready' AND not_before <= now() GROUP BY team) AS ready "
    "ORDER BY (SELECT count(*) FROM rankscope.work AS other "
    "WHERE other.state = 'leased' AND other.team = ready.team), "
    "(SELECT served FROM rankscope.team WHERE name = ready.team) NULLS FIRST, ready.first";

constexpr const char* kServed =
    "INSERT INTO rankscope.team (name, served) VALUES ($1, nextval('rankscope.turn')) "
    "ON CONFLICT (name) DO UPDATE SET served = excluded.served";

// The subquery is a scalar one, so that it runs once and locks what it returns and nothing else.
// What failed on a worker is for others that live and failed it less often: a worker with too
// little memory or a full disk would use up all attempts within seconds.
constexpr const char* kTake =
    "UPDATE rankscope.work SET state = 'leased', attempt = attempt + 1, worker = $2, "
    "lease_until = now() + $3 * interval '1 millisecond', since = now(), progress = 0, "
    "is_alone = (lost >= $4 OR failed >= $5) "
    "WHERE id = (SELECT id FROM rankscope.work WHERE state = 'ready' AND not_before <= now() "
    "AND team = $1 AND (failed_by = '{}' OR NOT EXISTS (SELECT 1 FROM rankscope.worker AS other "
    "WHERE other.name <> $2 AND other.seen > now() - $3 * interval '1 millisecond' "
    "AND cardinality(array_positions(failed_by, other.name)) "
    "< cardinality(array_positions(failed_by, $2)))) "
    "ORDER BY priority, id LIMIT 1 FOR UPDATE SKIP LOCKED) "
    "RETURNING id, run, team, attempt, generation, failed, lost, lost_alone, is_alone, reason, "
    "shard, first_file, behind_file, bytes";

// Whether the work is still this worker's; its row is locked until the transaction ends.
Status Fence(Transaction& transaction, const WorkUnit& unit, const std::string& worker) {
  RS_ASSIGN_OR_RETURN(
      const Rows rows,
      transaction.Do("SELECT 1 FROM rankscope.work WHERE id = $1 AND attempt = $2 AND worker = $3 "
                     "AND state = 'leased' FOR UPDATE",
                     {unit.id, unit.attempt, worker}));
  return rows.empty() ? LeaseIsLost() : OkStatus();
}

// Units of one run begin and end one after the other: two that end at the same time would each see
// the other's row, and nobody would take the run.
Status LockRun(Transaction& transaction, const std::string& run) {
  return transaction.Do("SELECT 1 FROM rankscope.run WHERE id = $1 FOR UPDATE", {run}).status();
}

// How a unit ended, with what it cost if that was measured. Before its row is removed.
Status NoteEnd(Transaction& transaction, const WorkUnit& unit, const std::string& worker,
               const char* outcome, std::chrono::milliseconds cpu = {}) {
  return transaction
      .Do("INSERT INTO rankscope.history (work, run, team, worker, attempt, outcome, shard, kind, "
          "input_bytes, cpu_ms) SELECT id, run, team, $2, attempt, $3, shard, "
          "CASE WHEN shard >= 0 THEN 'shard' WHEN bytes > 0 THEN 'report' ELSE 'run' END, "
          "input_bytes, nullif($4::bigint, 0) FROM rankscope.work WHERE id = $1",
          {unit.id, worker, outcome, std::int64_t{cpu.count()}})
      .status();
}

Status TellWorkers(Transaction& transaction) {
  return transaction.Do("SELECT pg_notify('rankscope_work', '')").status();
}

// Of each team: units that wait, and for how many milliseconds the first one could have been taken.
constexpr const char* kWaits =
    "SELECT team, count(*), greatest(0, coalesce(max(1000 * extract(epoch FROM now() - "
    "greatest(since, not_before))), 0))::bigint "
    "FROM rankscope.work WHERE state = 'ready' GROUP BY team";

// Milliseconds of CPU of the units that wait: their bytes, times what units of their kind, or of
// any while none of their kind has ended, took for each byte of late. Null while some factor is
// unknown.
constexpr const char* kBacklog =
    "WITH ended AS (SELECT kind, cpu_ms, input_bytes FROM rankscope.history "
    "WHERE outcome IN ('done', 'read') AND cpu_ms > 0 AND input_bytes > 0 "
    "AND ended > now() - interval '7 days' ORDER BY ended DESC LIMIT 1000), "
    "waits AS (SELECT CASE WHEN shard >= 0 THEN 'shard' WHEN bytes > 0 THEN 'report' "
    "ELSE 'run' END AS kind, sum(input_bytes) AS bytes, count(*) - count(input_bytes) AS unknown "
    "FROM rankscope.work WHERE state IN ('ready', 'waiting') GROUP BY 1), "
    "costs AS (SELECT CASE WHEN waits.unknown > 0 THEN NULL ELSE waits.bytes * coalesce("
    "(SELECT sum(cpu_ms) / sum(input_bytes) FROM ended WHERE ended.kind = waits.kind), "
    "(SELECT sum(cpu_ms) / sum(input_bytes) FROM ended)) END AS cost FROM waits) "
    "SELECT CASE WHEN count(*) = count(cost) THEN coalesce(sum(cost), 0)::bigint END FROM costs";

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
      unit->shard = rows.Integer(0, 10);
      unit->files = {.first_file = rows.Integer(0, 11),
                     .behind_file = rows.Integer(0, 12),
                     .bytes = rows.Integer(0, 13)};
      return transaction.Do(kServed, {unit->team}).status();
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
                       "lease_until = NULL, not_before = now(), since = now(), progress = 0 "
                       "WHERE id = $1 AND attempt = $2 AND worker = $3 AND state = 'leased'",
                       {unit.id, unit.attempt, worker_}));
    if (back.affected() == 0) return OkStatus();
    return TellWorkers(transaction);
  });
}

Status WorkRows::FailAttempt(const WorkUnit& unit, std::string_view reason,
                             std::chrono::milliseconds pause) {
  return catalogue_.database().Transact([&](Transaction& transaction) -> Status {
    RS_ASSIGN_OR_RETURN(
        const Rows back,
        transaction.Do(
            "UPDATE rankscope.work SET state = 'ready', failed = failed + 1, reason = $4, "
            "failed_by = failed_by || worker, worker = '', is_alone = false, lease_until = NULL, "
            "progress = 0, "
            "since = now(), not_before = now() + $5 * interval '1 millisecond' "
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
        RS_RETURN_IF_ERROR(
            NoteEnd(transaction, unit, worker_, outcome.is_done ? "done" : "failed", outcome.cpu));
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

Status WorkRows::Divide(const WorkUnit& unit, const std::vector<WorkShard>& shards) {
  return catalogue_.database().Transact([&](Transaction& transaction) -> Status {
    RS_RETURN_IF_ERROR(LockRun(transaction, unit.run));
    RS_RETURN_IF_ERROR(Fence(transaction, unit, worker_));
    RS_ASSIGN_OR_RETURN(
        const Rows last,
        transaction.Do("SELECT max(shard) FROM rankscope.work WHERE run = $1", {unit.run}));
    const std::int64_t number = last.Integer(0, 0);
    std::int64_t bytes = 0;
    const std::int64_t lost = unit.is_shard() ? kAloneAfterLost : 0;
    std::string first, behind, each;
    for (const WorkShard& shard : shards) {
      const char* const between = bytes == 0 ? "{" : ",";
      first += fmt::format("{}{}", between, shard.first_file);
      behind += fmt::format("{}{}", between, shard.behind_file);
      each += fmt::format("{}{}", between, shard.bytes);
      bytes += shard.bytes;
    }
    RS_RETURN_IF_ERROR(
        transaction
            .Do("INSERT INTO rankscope.work (run, team, generation, lost, reason, shard, "
                "first_file, behind_file, bytes, input_bytes) "
                "SELECT $1, $2, $3, $4, $5, $6 + one.number, one.first, one.behind, one.bytes, "
                // Its part of those of the whole.
                "(SELECT (whole.input_bytes::numeric * one.bytes / $11)::bigint "
                "FROM rankscope.work AS whole WHERE whole.id = $10) "
                "FROM unnest($7::int[], $8::int[], $9::bigint[]) WITH ORDINALITY "
                "AS one (first, behind, bytes, number)",
                {unit.run, unit.team, unit.generation, lost, unit.reason, number, first + "}",
                 behind + "}", each + "}", unit.id, bytes})
            .status());
    if (unit.is_shard()) {
      RS_RETURN_IF_ERROR(NoteEnd(transaction, unit, worker_, "divided"));
      RS_RETURN_IF_ERROR(
          transaction.Do("DELETE FROM rankscope.work WHERE id = $1", {unit.id}).status());
    } else {
      RS_RETURN_IF_ERROR(transaction
                             .Do("UPDATE rankscope.work SET state = 'waiting', worker = '', "
                                 "is_alone = false, lease_until = NULL, progress = 0, "
                                 "bytes = $2 WHERE id = $1",
                                 {unit.id, bytes})
                             .status());
    }
    return TellWorkers(transaction);
  });
}

Status WorkRows::EndShard(const WorkUnit& unit, bool is_read, std::chrono::milliseconds busy,
                          std::chrono::milliseconds cpu) {
  return catalogue_.database().Transact([&](Transaction& transaction) -> Status {
    RS_RETURN_IF_ERROR(LockRun(transaction, unit.run));
    RS_RETURN_IF_ERROR(Fence(transaction, unit, worker_));
    RS_RETURN_IF_ERROR(NoteEnd(transaction, unit, worker_, is_read ? "read" : "unread", cpu));
    RS_RETURN_IF_ERROR(
        transaction.Do("DELETE FROM rankscope.work WHERE id = $1", {unit.id}).status());
    RS_ASSIGN_OR_RETURN(
        const Rows behind_all,
        transaction.Do("UPDATE rankscope.work SET state = 'ready', not_before = now(), "
                       "since = now() WHERE run = $1 AND shard = -1 AND state = 'waiting' "
                       "AND NOT EXISTS (SELECT 1 FROM rankscope.work AS other "
                       "WHERE other.run = $1 AND other.shard >= 0)",
                       {unit.run}));
    RS_RETURN_IF_ERROR(
        transaction
            .Do("UPDATE rankscope.cluster SET busy_ms = busy_ms + $1", {std::int64_t{busy.count()}})
            .status());
    RS_RETURN_IF_ERROR(store::AddEvent(transaction, "run", unit.team, unit.run));
    return behind_all.affected() == 0 ? OkStatus() : TellWorkers(transaction);
  });
}

Status WorkRows::CountSetAside(std::int64_t count) {
  return catalogue_.database().Transact([&](Transaction& transaction) {
    return transaction.Do("UPDATE rankscope.cluster SET set_aside = set_aside + $1", {count})
        .status();
  });
}

Status WorkRows::ShowLife() {
  return catalogue_.database()
      .Do("INSERT INTO rankscope.worker (name) VALUES ($1) "
          "ON CONFLICT (name) DO UPDATE SET seen = now()",
          {worker_})
      .status();
}

Status WorkRows::EndLife() {
  return catalogue_.database()
      .Do("DELETE FROM rankscope.worker WHERE name = $1", {worker_})
      .status();
}

Status WorkRows::Sweep() {
  return catalogue_.database().Transact([&](Transaction& transaction) -> Status {
    RS_ASSIGN_OR_RETURN(
        const Rows swept,
        transaction.Do(
            "UPDATE rankscope.work SET state = 'ready', worker = '', lease_until = NULL, "
            "progress = 0, lost = lost + 1, lost_alone = lost_alone + is_alone::int, "
            "is_alone = false, since = now(), not_before = now() + (lost + 1) * $1 * interval '1 "
            "millisecond' "
            "WHERE id = ANY (ARRAY(SELECT id FROM rankscope.work WHERE state = 'leased' "
            "AND lease_until < now() FOR UPDATE SKIP LOCKED))",
            {kLostPauseMs}));
    if (swept.affected() == 0) return OkStatus();
    return TellWorkers(transaction);
  });
}

Result<std::map<std::string, double, std::less<>>> WorkRows::Progress() {
  // Of a run in shards: the share of its bytes that no shard has left to read.
  RS_ASSIGN_OR_RETURN(
      const Rows rows,
      catalogue_.database().Do(
          "SELECT one.run, (1000 * CASE WHEN one.bytes = 0 THEN one.progress ELSE "
          "0.9 - 0.9 * coalesce((SELECT sum(shard.bytes * (1 - shard.progress)) "
          "FROM rankscope.work AS shard WHERE shard.run = one.run AND shard.shard >= 0), 0) "
          "/ one.bytes + 0.1 * one.progress END)::bigint FROM rankscope.work AS one "
          "WHERE one.shard = -1 AND (one.state <> 'ready' OR one.bytes > 0)"));
  std::map<std::string, double, std::less<>> progress;
  for (std::size_t i = 0; i < rows.size(); ++i)
    progress[rows.String(i, 0)] = static_cast<double>(rows.Integer(i, 1)) / 1000;
  return progress;
}

Result<QueueNumbers> WorkRows::Numbers() {
  RS_ASSIGN_OR_RETURN(
      const Rows rows,
      catalogue_.database().Do(
          "SELECT (SELECT count(*) FROM rankscope.work "
          "WHERE shard = -1 AND state = 'ready' AND bytes = 0), "
          "(SELECT count(*) FROM rankscope.work "
          "WHERE shard = -1 AND (state <> 'ready' OR bytes > 0)), "
          "(SELECT count(*) FROM rankscope.work WHERE state = 'ready'), "
          "(SELECT count(*) FROM rankscope.work WHERE state = 'leased'), "
          "done, failed, attempts_failed, set_aside, busy_ms FROM rankscope.cluster"));
  RS_ASSIGN_OR_RETURN(const Rows waits, catalogue_.database().Do(kWaits));
  QueueNumbers numbers{.waiting = rows.Integer(0, 0),
                       .running = rows.Integer(0, 1),
                       .units_waiting = rows.Integer(0, 2),
                       .units_running = rows.Integer(0, 3),
                       .done = rows.Integer(0, 4),
                       .failed = rows.Integer(0, 5),
                       .attempts_failed = rows.Integer(0, 6),
                       .set_aside = rows.Integer(0, 7),
                       .busy_seconds = static_cast<double>(rows.Integer(0, 8)) / 1000,
                       .oldest_wait_seconds = 0};
  for (std::size_t i = 0; i < waits.size(); ++i) {
    numbers.units_waiting_of_team[waits.String(i, 0)] = waits.Integer(i, 1);
    const double wait = static_cast<double>(waits.Integer(i, 2)) / 1000;
    numbers.oldest_wait_seconds = std::max(*numbers.oldest_wait_seconds, wait);
  }
  RS_ASSIGN_OR_RETURN(const Rows backlog, catalogue_.database().Do(kBacklog));
  if (!backlog.IsNull(0, 0))
    numbers.backlog_cpu_seconds = static_cast<double>(backlog.Integer(0, 0)) / 1000;
  return numbers;
}

Status WorkRows::ForgetHistory(std::chrono::hours age) {
  RS_RETURN_IF_ERROR(
      catalogue_.database()
          .Do("DELETE FROM rankscope.worker WHERE seen < now() - $1 * interval '1 hour'",
              {std::int64_t{age.count()}})
          .status());
  return catalogue_.database()
      .Do("DELETE FROM rankscope.history WHERE ended < now() - $1 * interval '1 hour'",
          {std::int64_t{age.count()}})
      .status();
}

}  // namespace rankscope::service
