// Runs: made, listed, looked at, changed, finished, removed.
#include <algorithm>

#include "json/check_text.h"
#include "json/fields.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "service/routes/routes.h"
#include "service/runs/run_filter.h"
#include "service/runs/runs.h"

namespace rankscope::service {
namespace {

using store::Run;
using store::RunState;

constexpr std::size_t kRoutesRunsMostText = 200;

http::Reply RunReply(const Runs& runs, int status, const Run& run) {
  return JsonReply(status, json::ToJson(runs.Shown(run)));
}
http::Reply RunReply(const Runs& runs, int status, const Result<Run>& run) {
  return run.ok() ? RunReply(runs, status, *run) : ErrorReply(run.status());
}

Result<Run> NewRun(const Parts& parts, const Call& call) {
  RS_ASSIGN_OR_RETURN(api::NewRun asked, BodyOf<api::NewRun>(call));
  RS_RETURN_IF_ERROR(store::CheckTags(asked.tags));
  Run run;
  run.name = std::move(asked.name);
  run.user = std::move(asked.user);
  run.team = std::move(asked.team);
  run.model = std::move(asked.model);
  run.product = std::move(asked.product);
  run.framework = std::move(asked.framework);
  run.hardware = std::move(asked.hardware);
  run.tags = std::move(asked.tags);
  if (run.user.empty()) run.user = call.who.name;
  if (run.team.empty() && call.who.team != kAllTeams) run.team = call.who.team;
  if (!call.who.SeesTeam(run.team)) {
    return Error(StatusCode::kInvalidArgument, "this token makes runs of team {}, not of {}",
                 call.who.team, run.team);
  }
  if (const auto key = http::Find(call.head.fields, "idempotency-key")) {
    RS_RETURN_IF_ERROR(json::CheckText("Idempotency-Key", *key, kRoutesRunsMostText));
    // Keys of one team say nothing of another's runs.
    if (!key->empty()) run.key = fmt::format("{}\n{}", run.team, *key);
  }
  return parts.store.catalogue().Create(std::move(run), parts.quotas.runs_of_team);
}

http::Reply Create(Parts& parts, const Runs& runs, const Call& call) {
  const Result<Run> run = NewRun(parts, call);
  if (run.status().code() == StatusCode::kResource)
    return ErrorReply(429, "too_many", run.status().message());
  if (run.ok()) {
    runs.Publish(*run);
    call.on->run = run->id;
  }
  return RunReply(runs, 201, run);
}

http::Reply ShowRuns(const Parts& parts, const Runs& runs, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  return found.ok() ? RunReply(runs, 200, **found) : ErrorReply(found.status());
}

constexpr std::string_view kNoFilters[] = {"q", "sort", "limit", "cursor"};

Result<store::RunQuery> QueryOf(const Call& call) {
  store::RunQuery query;
  RS_ASSIGN_OR_RETURN(query.limit, LimitOf(call.Query("limit"), 100, 1000));
  std::string_view key = call.Query("sort");
  if (key.empty()) key = "-created";
  query.descending = key.starts_with('-');
  if (query.descending) key.remove_prefix(1);
  const auto order = store::ParseRunOrder(key);
  if (!order) {
    return Error(StatusCode::kInvalidArgument,
                 "runs are sorted by created, changed, name or state, with - before it for the "
                 "other way round; not by '{}'",
                 key);
  }
  query.order = *order;
  query.mentions = call.Query("q");
  RS_ASSIGN_OR_RETURN(query.criteria, RunFilterOf(call.head.query, kNoFilters));
  if (const std::string_view cursor = call.Query("cursor"); !cursor.empty()) {
    RS_ASSIGN_OR_RETURN(query.after, FromCursor(cursor));
  }
  AddTeam(call.who, query);
  return query;
}

Result<std::string> ListRuns(const Parts& parts, const Runs& runs, const Call& call) {
  RS_ASSIGN_OR_RETURN(const store::RunQuery query, QueryOf(call));
  RS_ASSIGN_OR_RETURN(const store::RunPage page, parts.store.catalogue().Page(query));
  api::RunPage shown{.runs = {}, .total = page.total, .cursor = ToCursor(page.next)};
  shown.runs.reserve(page.runs.size());
  for (const auto& run : page.runs) shown.runs.push_back(runs.Shown(*run));
  return json::ToJson(shown);
}

http::Reply ListReply(const Parts& parts, const Runs& runs, const Call& call) {
  Result<std::string> json = ListRuns(parts, runs, call);
  if (!json.ok()) return ErrorReply(json.status());
  return JsonReply(200, *std::move(json));
}

Result<Run> ChangeRun(Parts& parts, const Call& call) {
  RS_ASSIGN_OR_RETURN(const auto seen, LookAtRun(parts, call.who, call.arguments[0]));
  RS_ASSIGN_OR_RETURN(const api::RunChange change, BodyOf<api::RunChange>(call));
  RS_RETURN_IF_ERROR(store::CheckTags(change.tags.value_or(store::Tags())));
  // Whose run it is decides who may run it again.
  const bool is_theirs =
      call.who.role == Role::kAdmin || seen->user.empty() || seen->user == call.who.name;
  if (!is_theirs && change.user && *change.user != seen->user)
    return Error(StatusCode::kInvalidArgument,
                 "the run is {}'s: its user and admins alone make it somebody else's", seen->user);
  return parts.store.catalogue().Change(call.arguments[0], [&](Run& run) {
    run.name = change.name.value_or(run.name);
    run.user = change.user.value_or(run.user);
    run.model = change.model.value_or(run.model);
    run.product = change.product.value_or(run.product);
    run.framework = change.framework.value_or(run.framework);
    run.hardware = change.hardware.value_or(run.hardware);
    run.tags = change.tags.value_or(run.tags);
    return OkStatus();
  });
}

http::Reply Change(Parts& parts, const Runs& runs, const OnTags& on_tags, const Call& call) {
  const Result<Run> run = ChangeRun(parts, call);
  if (run.ok()) runs.Publish(*run);
  if (run.ok()) on_tags(*run);
  return RunReply(runs, 200, run);
}

http::Reply Remove(const Parts& parts, Runs& runs, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  const Status removed = runs.Remove(run);
  if (!removed.ok()) return ErrorReply(removed);
  http::Reply reply;
  reply.status = 204;
  return reply;
}

http::Reply Finish(const Parts& parts, Runs& runs, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& seen = **found;
  if (seen.files.empty())
    return ErrorReply(409, "no_files", "no file of this run has come; upload some, then finish");
  return RunReply(runs, 202, runs.Finish(seen.id));
}

http::Reply Reopen(Parts& parts, const Runs& runs, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& seen = **found;
  bool is_busy = false;
  const Result<Run> run = parts.store.catalogue().Change(seen.id, [&](Run& one) {
    is_busy = one.state == RunState::kQueued || one.state == RunState::kAnalysing;
    if (!is_busy) {
      one.state = RunState::kUploading;
      one.reason.clear();
    }
    return OkStatus();
  });
  if (!run.ok()) return ErrorReply(run.status());
  if (is_busy)
    return ErrorReply(409, "busy", "the run is being analysed; reopen it when that has ended");
  runs.Publish(*run);
  return RunReply(runs, 200, run);
}

}  // namespace

std::vector<Route> RunRoutes(Parts& parts, Runs& runs, const OnTags& on_tags) {
  constexpr std::uint64_t kMostBody = 64 << 10;
  std::vector<Parameter> of_list = {
      {"q", "query", "string", "text that name, id, state, tag or another field has"},
      {"sort", "query", "string", "created, changed, name or state; - before it: downwards"},
      {"limit", "query", "integer", "up to 1000; 100 without"},
      {"cursor", "query", "string", "of the page before"},
      {"state", "query", "string", "uploading, queued, analysing, ready, failed", true},
      {"tag", "query", "string", "NAME or NAME=VALUE", true}};
  for (const std::string_view name : store::TextFields())
    of_list.push_back({name, "query", "string", "exactly this; several are alternatives", true});
  return {
      {.method = "POST",
       .pattern = "/api/v1/runs",
       .role = Role::kUpload,
       .answer = With(Create, parts, runs),
       .summary = "make a run, to upload files to",
       .parameters = {{"Idempotency-Key", "header", "string", "the same key: the same run"}},
       .takes = &json::FieldsOf<api::NewRun>(),
       .gives = &json::FieldsOf<api::Run>(),
       .statuses = "201",
       .most_body = kMostBody,
       .act = "run.create"},
      {.method = "GET",
       .pattern = "/api/v1/runs",
       .answer = With(ListReply, parts, runs),
       .summary = "runs, the newest first",
       .parameters = of_list,
       .gives = &json::FieldsOf<api::RunPage>()},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}",
       .answer = With(ShowRuns, parts, runs),
       .summary = "one run: state, progress, summary",
       .gives = &json::FieldsOf<api::Run>()},
      {.method = "PATCH",
       .pattern = "/api/v1/runs/{id}",
       .role = Role::kUpload,
       .answer = With(Change, parts, runs, on_tags),
       .summary = "change what is said of a run",
       .takes = &json::FieldsOf<api::RunChange>(),
       .gives = &json::FieldsOf<api::Run>(),
       .most_body = kMostBody,
       .act = "run.change"},
      {.method = "DELETE",
       .pattern = "/api/v1/runs/{id}",
       .role = Role::kUpload,
       .answer = With(Remove, parts, runs),
       .summary = "remove a run",
       .statuses = "204",
       .act = "run.remove"},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/finish",
       .role = Role::kUpload,
       .answer = With(Finish, parts, runs),
       .summary = "all files are there: analyse them",
       .gives = &json::FieldsOf<api::Run>(),
       .statuses = "202",
       .act = "run.finish"},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/reopen",
       .role = Role::kUpload,
       .answer = With(Reopen, parts, runs),
       .summary = "take more files; finishing makes another report",
       .gives = &json::FieldsOf<api::Run>(),
       .act = "run.reopen"},
  };
}

}  // namespace rankscope::service
