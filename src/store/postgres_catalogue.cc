#include "store/postgres_catalogue.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

#include "store/cluster_schema.h"
#include "store/random_id.h"
#include "store/sha256.h"

namespace rankscope::store {
namespace {

using postgres::Param;
using postgres::Params;
using postgres::Rows;
using postgres::Transaction;

// Of TryLock: who collects garbage.
constexpr std::int32_t kCollecting = 2;
// Under which runs are made one after the other, so that ids rise within a second.
constexpr const char* kCreating = "SELECT pg_advisory_xact_lock(1918988907, 3)";
// Of a walk over all records.
constexpr const char* kPiece = "500";

Status NoRun(std::string_view id) {
  return Error(StatusCode::kNotFound, "the store has no run '{}'", id);
}

// Words in the database's way of writing lists: {"a","b"}.
std::string ListOf(const std::vector<std::string>& texts) {
  std::string list = "{";
  for (const std::string& text : texts) {
    if (list.size() > 1) list += ',';
    list += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') list += '\\';
      list += c;
    }
    list += '"';
  }
  return list + "}";
}

// A tag as the index has it, which takes no long ones: command lines are tags, too.
std::string TagEntry(const std::string& tag) {
  constexpr std::size_t kLongest = 500;
  return tag.size() <= kLongest ? tag : "sha256 " + Sha256Of(tag);
}

std::string TagsOf(const Run& run) {
  std::vector<std::string> tags;
  for (const auto& [name, value] : run.tags) {
    tags.push_back(TagEntry(name));
    tags.push_back(TagEntry(name + "=" + value));
  }
  return ListOf(tags);
}

// In the order of $1 to $16 of the statements below.
Params ColumnsOf(const Run& run, std::int64_t version) {
  return {run.id,        run.key.empty() ? Param(nullptr) : Param(run.key),
          version,       run.created_s,
          run.changed_s, ToString(run.state),
          run.name,      InSmall(run.name),
          run.user,      run.team,
          run.model,     run.product,
          run.framework, run.hardware,
          TagsOf(run),   WordsOf(run),
          ToRecord(run)};
}

constexpr const char* kInsert =
    "INSERT INTO rankscope.run (id, key, version, created_s, changed_s, state, name, small_name, "
    "user_name, team, model, product, framework, hardware, tags, words, record) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) "
    "ON CONFLICT DO NOTHING";
constexpr const char* kUpdate =
    "UPDATE rankscope.run SET key = $2, version = $3, created_s = $4, changed_s = $5, state = $6, "
    "name = $7, small_name = $8, user_name = $9, team = $10, model = $11, product = $12, "
    "framework = $13, hardware = $14, tags = $15, words = $16, record = $17 WHERE id = $1";

bool IsWork(RunState state) { return state == RunState::kQueued || state == RunState::kAnalysing; }

// What a run that changed from `before` (null: it is new) to `after` means for its row of work.
Status KeepWork(Transaction& transaction, const Run* before, const Run& after) {
  const bool was_work = before != nullptr && IsWork(before->state);
  if (IsWork(after.state) && !was_work) {
    std::int64_t bytes = 0;
    for (const RunFile& file : after.files) bytes += static_cast<std::int64_t>(file.bytes);
    RS_RETURN_IF_ERROR(
        transaction
            .Do("INSERT INTO rankscope.work (run, team, generation, input_bytes) "
                "VALUES ($1, $2, $3, $4) ON CONFLICT (run, shard) DO NOTHING",
                {after.id, after.team, static_cast<std::int64_t>(after.reports.size()) + 1, bytes})
            .status());
    return transaction.Do("SELECT pg_notify('rankscope_work', '')").status();
  }
  // With it go its shards: who is at one of them changes nothing any more.
  if (was_work && !IsWork(after.state))
    return transaction.Do("DELETE FROM rankscope.work WHERE run = $1", {after.id}).status();
  return OkStatus();
}

// Files and numbers come by the thousand, and what is shown of a run says nothing of them.
bool IsTold(const Run& before, const Run& after) {
  Run shown = after;
  shown.files = before.files;
  shown.metrics = before.metrics;
  shown.changed_s = before.changed_s;
  shown.sealed_s = before.sealed_s;
  return shown != before;
}

// A WHERE of fixed text, and what it compares with.
class Where {
 public:
  void Add(const std::string& condition) {
    text_ += text_.empty() ? " WHERE " : " AND ";
    text_ += condition;
  }
  // "$7"
  std::string Value(Param param) {
    params_.push_back(std::move(param));
    return "$" + std::to_string(params_.size());
  }
  const std::string& text() const { return text_; }
  const Params& params() const { return params_; }

 private:
  std::string text_;
  Params params_;
};

// Of TextFields(), "state" and "tag".
std::string ColumnOf(std::string_view field) {
  return field == "user" ? "user_name" : field == "tag" ? "tags" : std::string(field);
}

void AddCriteria(const RunQuery& query, Where& where) {
  for (const RunCriterion& criterion : query.criteria) {
    const bool is_tag = criterion.field == "tag";
    std::vector<std::string> wanted = criterion.values;
    if (is_tag) std::ranges::transform(wanted, wanted.begin(), TagEntry);
    const std::string values = where.Value(ListOf(wanted));
    const std::string column = ColumnOf(criterion.field);
    where.Add(is_tag ? fmt::format("{} && {}::text[]", column, values)
                     : fmt::format("{} = ANY ({}::text[])", column, values));
  }
  if (!query.mentions.empty())
    where.Add(fmt::format("position({} IN words) > 0", where.Value(InSmall(query.mentions))));
}

std::string_view ColumnOf(RunOrder order) {
  switch (order) {
    case RunOrder::kCreated:
      return "created_s";
    case RunOrder::kChanged:
      return "changed_s";
    case RunOrder::kName:
      return "small_name";
    case RunOrder::kState:
      return "state";
  }
  return "created_s";
}

// Behind the last run of the page before.
Status AddAfter(const RunQuery& query, Where& where) {
  if (query.after.empty()) return OkStatus();
  const std::size_t between = query.after.rfind(kBetweenTexts);
  std::string text = query.after.substr(0, between);
  const bool is_time = query.order == RunOrder::kCreated || query.order == RunOrder::kChanged;
  std::int64_t time = 0;
  const bool is_good =
      between != std::string::npos && IsRunId(std::string_view(query.after).substr(between + 1)) &&
      (!is_time || std::from_chars(text.data(), text.data() + text.size(), time).ec == std::errc());
  if (!is_good)
    return Error(StatusCode::kInvalidArgument, "the cursor is none of a list in this order");
  const std::string value = where.Value(is_time ? Param(time) : Param(std::move(text)));
  const std::string id = where.Value(query.after.substr(between + 1));
  where.Add(fmt::format("({}, id) {} ({}{}, {}::text)", ColumnOf(query.order),
                        query.descending ? '<' : '>', value, is_time ? "::bigint" : "::text", id));
  return OkStatus();
}

Result<Run> ParseRecord(std::string_view id, std::string_view record) {
  Result<Run> run = FromRecord(record);
  if (run.ok() && run->id != id) return Error(StatusCode::kBadData, "it has the id of another run");
  return run;
}

Status Unread(std::string_view id, const Status& why) {
  return Error(StatusCode::kBadData, "run {}: its record in the database: {}", id, why.message());
}

class PostgresCollecting final : public Catalogue::Collecting {
 public:
  explicit PostgresCollecting(std::unique_ptr<postgres::Database::Lock> lock)
      : lock_(std::move(lock)) {}

 private:
  std::unique_ptr<postgres::Database::Lock> lock_;
};

}  // namespace

Result<std::unique_ptr<PostgresCatalogue>> PostgresCatalogue::Open(
    const std::string& address, std::function<std::int64_t()> now_s) {
  RS_ASSIGN_OR_RETURN(auto database, postgres::Database::Open(address));
  RS_RETURN_IF_ERROR(MigrateCluster(*database));
  return std::unique_ptr<PostgresCatalogue>(
      new PostgresCatalogue(std::move(database), std::move(now_s)));
}

Result<Run> PostgresCatalogue::Create(Run run, std::size_t most_of_team) {
  // Decided once: a transaction that was committed without an answer is found by its id.
  Run made;
  const Status written = database_->Transact([&](Transaction& transaction) -> Status {
    made = run;
    RS_RETURN_IF_ERROR(transaction.Do(kCreating).status());
    if (!run.key.empty()) {
      RS_ASSIGN_OR_RETURN(
          const Rows same,
          transaction.Do("SELECT id, record FROM rankscope.run WHERE key = $1", {run.key}));
      if (!same.empty()) {
        RS_ASSIGN_OR_RETURN(made, ParseRecord(same.Text(0, 0), same.Text(0, 1)));
        return OkStatus();
      }
    }
    if (most_of_team > 0) {
      RS_ASSIGN_OR_RETURN(
          const Rows last,
          transaction.Do("SELECT 1 FROM rankscope.run WHERE team = $1 OFFSET $2 LIMIT 1",
                         {run.team, static_cast<std::int64_t>(most_of_team) - 1}));
      if (!last.empty()) return TooManyRuns(most_of_team);
    }
    RS_ASSIGN_OR_RETURN(
        const Rows newest,
        transaction.Do("SELECT extract(epoch FROM clock_timestamp())::bigint, "
                       "(SELECT max(created_s) FROM rankscope.run), "
                       "(SELECT id FROM rankscope.run ORDER BY created_s DESC, id DESC LIMIT 1)"));
    made.created_s = made.changed_s = made.sealed_s = now_s_ ? now_s_() : newest.Integer(0, 0);
    const bool is_first = newest.IsNull(0, 1) || newest.Integer(0, 1) != made.created_s;
    for (bool is_new = false; !is_new;) {
      made.id = is_first ? RandomId() : RandomIdBehind(newest.Text(0, 2));
      RS_ASSIGN_OR_RETURN(const Rows inserted, transaction.Do(kInsert, ColumnsOf(made, 1)));
      is_new = inserted.affected() == 1;
    }
    RS_RETURN_IF_ERROR(KeepWork(transaction, nullptr, made));
    return AddEvent(transaction, "run", made.team, made.id);
  });
  RS_RETURN_IF_ERROR(written);
  return made;
}

Result<bool> PostgresCatalogue::Import(const Run& run) {
  bool is_new = false;
  const Status written = database_->Transact([&](Transaction& transaction) -> Status {
    RS_ASSIGN_OR_RETURN(const Rows inserted, transaction.Do(kInsert, ColumnsOf(run, 1)));
    is_new = inserted.affected() == 1;
    if (!is_new) return OkStatus();
    RS_RETURN_IF_ERROR(KeepWork(transaction, nullptr, run));
    return AddEvent(transaction, "run", run.team, run.id);
  });
  RS_RETURN_IF_ERROR(written);
  return is_new;
}

Result<std::string> PostgresCatalogue::Folder() const {
  RS_ASSIGN_OR_RETURN(const Rows rows, database_->Do("SELECT folder FROM rankscope.cluster"));
  return rows.empty() ? "" : rows.String(0, 0);
}

Result<std::string> PostgresCatalogue::TakeFolder(const std::string& name) {
  RS_RETURN_IF_ERROR(
      database_->Do("UPDATE rankscope.cluster SET folder = $1 WHERE folder = ''", {name}).status());
  return Folder();
}

Result<RunPtr> PostgresCatalogue::Look(std::string_view id) const {
  // What is no id would be a text that the database refuses, or a long one.
  if (!IsRunId(id)) return NoRun(id);
  const std::int64_t known = records_.VersionOf(id);
  RS_ASSIGN_OR_RETURN(const Rows rows,
                      database_->Do("SELECT version, CASE WHEN version <> $2 THEN record END "
                                    "FROM rankscope.run WHERE id = $1",
                                    {id, known}));
  if (rows.empty()) return NoRun(id);
  const std::int64_t version = rows.Integer(0, 0);
  if (rows.IsNull(0, 1)) {
    if (RunPtr run = records_.Find(id, version)) return run;
    // It was dropped, or became another, meanwhile.
    RS_ASSIGN_OR_RETURN(const Rows again,
                        database_->Do("SELECT record FROM rankscope.run WHERE id = $1", {id}));
    if (again.empty()) return NoRun(id);
    Result<Run> run = ParseRecord(id, again.Text(0, 0));
    if (!run.ok()) return Unread(id, run.status());
    return std::make_shared<const Run>(std::move(*run));
  }
  Result<Run> run = ParseRecord(id, rows.Text(0, 1));
  if (!run.ok()) return Unread(id, run.status());
  RunPtr record = std::make_shared<const Run>(std::move(*run));
  records_.Put(record, version, rows.Text(0, 1).size());
  return record;
}

Status PostgresCatalogue::Each(
    const std::function<void(const std::string& id, Result<Run> run)>& visit) const {
  std::string after;
  while (true) {
    RS_ASSIGN_OR_RETURN(const Rows rows,
                        database_->Do("SELECT id, record FROM rankscope.run WHERE id > $1 "
                                      "ORDER BY id LIMIT $2",
                                      {after, kPiece}));
    if (rows.empty()) return OkStatus();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      after = rows.String(i, 0);
      visit(after, ParseRecord(after, rows.Text(i, 1)));
    }
  }
}

Result<std::vector<Run>> PostgresCatalogue::All() const {
  std::vector<Run> all;
  RS_RETURN_IF_ERROR(Each([&](const std::string&, Result<Run> run) {
    if (run.ok()) all.push_back(std::move(*run));
  }));
  std::ranges::sort(all, [](const Run& a, const Run& b) {
    return std::tie(b.created_s, b.id) < std::tie(a.created_s, a.id);
  });
  return all;
}

Result<std::vector<std::pair<std::string, Status>>> PostgresCatalogue::Unreadable() const {
  std::vector<std::pair<std::string, Status>> unreadable;
  RS_RETURN_IF_ERROR(Each([&](const std::string& id, const Result<Run>& run) {
    if (!run.ok()) unreadable.emplace_back("run " + id + " in " + database_->shown(), run.status());
  }));
  return unreadable;
}

Result<std::vector<RunPtr>> PostgresCatalogue::RecordsOf(const Rows& ids_and_versions) const {
  std::map<std::string, RunPtr, std::less<>> found;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < ids_and_versions.size(); ++i) {
    std::string id = ids_and_versions.String(i, 0);
    if (RunPtr run = records_.Find(id, ids_and_versions.Integer(i, 1))) {
      found[std::move(id)] = std::move(run);
    } else {
      missing.push_back(std::move(id));
    }
  }
  if (!missing.empty()) {
    RS_ASSIGN_OR_RETURN(
        const Rows rows,
        database_->Do("SELECT id, version, record FROM rankscope.run WHERE id = ANY ($1::text[])",
                      {ListOf(missing)}));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Result<Run> run = ParseRecord(rows.Text(i, 0), rows.Text(i, 2));
      if (!run.ok()) continue;  // Unreadable() says so
      auto record = std::make_shared<const Run>(std::move(*run));
      records_.Put(record, rows.Integer(i, 1), rows.Text(i, 2).size());
      found[record->id] = std::move(record);
    }
  }
  std::vector<RunPtr> runs;
  for (std::size_t i = 0; i < ids_and_versions.size(); ++i) {
    const auto run = found.find(ids_and_versions.Text(i, 0));
    if (run != found.end()) runs.push_back(run->second);
  }
  return runs;
}

Result<RunPage> PostgresCatalogue::Page(const RunQuery& query) const {
  Where counted;
  AddCriteria(query, counted);
  RS_ASSIGN_OR_RETURN(const Rows count,
                      database_->Do(("SELECT count(*) FROM rankscope.run" + counted.text()).c_str(),
                                    counted.params()));
  RunPage page{.total = static_cast<std::size_t>(count.Integer(0, 0))};
  Where where;
  AddCriteria(query, where);
  RS_RETURN_IF_ERROR(AddAfter(query, where));
  const std::string_view column = ColumnOf(query.order);
  const std::string_view direction = query.descending ? " DESC" : "";
  // One more, which tells whether another page follows.
  const std::string limit = where.Value(static_cast<std::int64_t>(query.limit) + 1);
  const std::string statement =
      fmt::format("SELECT id, version FROM rankscope.run{0} ORDER BY {1}{2}, id{2} LIMIT {3}",
                  where.text(), column, direction, limit);
  RS_ASSIGN_OR_RETURN(const Rows rows, database_->Do(statement.c_str(), where.params()));
  RS_ASSIGN_OR_RETURN(page.runs, RecordsOf(rows));
  page.visited = rows.size();
  if (rows.size() <= query.limit) return page;
  if (query.limit == 0 || page.runs.empty()) return page;
  if (page.runs.size() > query.limit) page.runs.resize(query.limit);
  const Run& last = *page.runs.back();
  page.next = OrderText(last, query.order) + kBetweenTexts + last.id;
  return page;
}

Result<std::size_t> PostgresCatalogue::Count() const {
  RS_ASSIGN_OR_RETURN(const Rows rows, database_->Do("SELECT count(*) FROM rankscope.run"));
  return static_cast<std::size_t>(rows.Integer(0, 0));
}

Result<RunPtr> PostgresCatalogue::Update(std::string_view id,
                                         const std::function<Status(Run&)>& change) {
  Asked asked{.change = &change};
  RS_RETURN_IF_ERROR(Do(id, asked));
  return asked.run;
}

Result<RunPtr> PostgresCatalogue::UpdateWith(std::string_view id,
                                             const std::function<Status(Run&)>& change,
                                             const Beside& beside) {
  Asked asked{.change = &change};
  Asked* const all[] = {&asked};
  DoAll(id, all, &beside);
  RS_RETURN_IF_ERROR(asked.status);
  return asked.run;
}

Status PostgresCatalogue::Remove(std::string_view id) {
  Asked asked;
  return Do(id, asked);
}

// Those that want the same run at the same time wait here and not for connections, of which others
// have need.
Status PostgresCatalogue::Do(std::string_view id, Asked& asked) {
  if (!IsRunId(id)) return NoRun(id);
  Turn* turn = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    turn = &turns_[std::string(id)];
    ++turn->users;
  }
  // Also behind an exception of a change.
  const std::shared_ptr<void> leaving(nullptr, [&](void*) {
    const std::scoped_lock lock(mutex_);
    if (--turn->users == 0) turns_.erase(turns_.find(id));
  });
  turn->shared.Join(asked, [&](std::span<Asked* const> all) { DoAll(id, all, nullptr); });
  return asked.status;
}

void PostgresCatalogue::DoAll(std::string_view id, std::span<Asked* const> all,
                              const Beside* beside) {
  const auto removal = std::ranges::find(all, nullptr, &Asked::change);
  if (removal != all.end()) {
    const Status removed = RemoveRow(id);
    for (Asked* one : all) one->status = removed.ok() ? NoRun(id) : removed;
    (*removal)->status = removed;
    return;
  }
  // What was made of which version: a transaction that is done again makes the same of the same.
  std::int64_t read_version = -1;
  RunPtr before;
  std::optional<Applied> applied;
  std::size_t bytes = 0;
  const Status written = database_->Transact([&](Transaction& transaction) -> Status {
    RS_ASSIGN_OR_RETURN(
        const Rows rows,
        transaction.Do("SELECT version, record, extract(epoch FROM clock_timestamp())::bigint "
                       "FROM rankscope.run WHERE id = $1 FOR UPDATE",
                       {id}));
    if (rows.empty()) return NoRun(id);
    if (!applied || rows.Integer(0, 0) != read_version) {
      read_version = rows.Integer(0, 0);
      Result<Run> run = ParseRecord(id, rows.Text(0, 1));
      if (!run.ok()) return Unread(id, run.status());
      before = std::make_shared<const Run>(std::move(*run));
      applied.reset();
    }
    if (beside != nullptr) RS_RETURN_IF_ERROR((*beside)(transaction, *before));
    if (!applied) applied = ApplyAll(*before, all, now_s_ ? now_s_() : rows.Integer(0, 2));
    // What was done beside it is taken back with it.
    if (beside != nullptr) RS_RETURN_IF_ERROR(applied->statuses.front());
    if (!applied->is_changed) return OkStatus();
    const Params columns = ColumnsOf(applied->run, read_version + 1);
    bytes = columns.back().text()->size();
    RS_RETURN_IF_ERROR(transaction.Do(kUpdate, columns).status());
    RS_RETURN_IF_ERROR(KeepWork(transaction, before.get(), applied->run));
    if (!IsTold(*before, applied->run)) return OkStatus();
    return AddEvent(transaction, "run", applied->run.team, applied->run.id);
  });
  if (!applied) {
    for (Asked* one : all) one->status = written;
    return;
  }
  RunPtr after = before;
  if (applied->is_changed) {
    applied->Ended(written);
    if (written.ok()) {
      after = std::make_shared<const Run>(std::move(applied->run));
      records_.Put(after, read_version + 1, bytes);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i]->status = written.ok() ? std::move(applied->statuses[i]) : written;
    all[i]->run = after;
  }
}

Status PostgresCatalogue::RemoveRow(std::string_view id) {
  const Status written = database_->Transact([&](Transaction& transaction) -> Status {
    RS_ASSIGN_OR_RETURN(
        const Rows removed,
        transaction.Do("DELETE FROM rankscope.run WHERE id = $1 RETURNING team", {id}));
    if (removed.empty()) return NoRun(id);
    RS_RETURN_IF_ERROR(transaction.Do("DELETE FROM rankscope.work WHERE run = $1", {id}).status());
    return AddEvent(transaction, "removed", removed.String(0, 0), std::string(id));
  });
  RS_RETURN_IF_ERROR(written);
  records_.Remove(id);
  return OkStatus();
}

Result<std::unique_ptr<Catalogue::Collecting>> PostgresCatalogue::BeginCollecting() {
  RS_ASSIGN_OR_RETURN(auto lock, database_->TryLock(kCollecting));
  if (lock == nullptr) return std::unique_ptr<Collecting>();
  return std::unique_ptr<Collecting>(std::make_unique<PostgresCollecting>(std::move(lock)));
}

}  // namespace rankscope::store
