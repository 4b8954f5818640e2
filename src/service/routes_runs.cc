// Runs: made, listed, looked at, changed, finished, removed.
#include <algorithm>

#include "json/check_text.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/page.h"
#include "service/reply.h"
#include "service/routes.h"
#include "service/runs.h"

namespace rankscope::service {
namespace {

using store::Run;
using store::RunState;

constexpr std::size_t kMostText = 200;

// The fields of a run that are texts, as the API calls them.
constexpr std::pair<std::string_view, std::string Run::*> kTexts[] = {
    {"name", &Run::name},        {"user", &Run::user},       {"team", &Run::team},
    {"model", &Run::model},      {"product", &Run::product}, {"framework", &Run::framework},
    {"hardware", &Run::hardware}};

http::Reply RunReply(const Runs& runs, int status, const Result<Run>& run) {
  if (!run.ok()) return ErrorReply(run.status());
  return JsonReply(status, json::ToJson(runs.Shown(*run)));
}

template <typename T>
Result<T> BodyOf(const Call& call) {
  return json::FromJson<T>(call.body.empty() ? "{}" : call.body);
}

Result<Run> NewRun(const Parts& parts, const Call& call) {
  RS_ASSIGN_OR_RETURN(api::NewRun asked, BodyOf<api::NewRun>(call));
  Run run;
  run.name = std::move(asked.name);
  run.user = std::move(asked.user);
  run.team = std::move(asked.team);
  run.model = std::move(asked.model);
  run.product = std::move(asked.product);
  run.framework = std::move(asked.framework);
  run.hardware = std::move(asked.hardware);
  run.tags = std::move(asked.tags);
  if (run.team.empty() && call.who.team != kAllTeams) run.team = call.who.team;
  if (!call.who.SeesTeam(run.team)) {
    return Error(StatusCode::kInvalidArgument, "this token makes runs of team {}, not of {}",
                 call.who.team, run.team);
  }
  if (const auto key = http::Find(call.head.fields, "idempotency-key")) {
    RS_RETURN_IF_ERROR(json::CheckText("Idempotency-Key", *key, kMostText));
    // Keys of one team say nothing of another's runs.
    if (!key->empty()) run.key = fmt::format("{}\n{}", run.team, *key);
  }
  return parts.store.catalogue().Create(std::move(run));
}

http::Reply Create(Parts& parts, const Runs& runs, const Call& call) {
  const Result<Run> run = NewRun(parts, call);
  if (run.ok()) runs.Publish(*run);
  return RunReply(runs, 201, run);
}

http::Reply Show(const Parts& parts, const Runs& runs, const Call& call) {
  return RunReply(runs, 200, RunOf(parts, call.who, call.arguments[0]));
}

std::string Small(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

// Whether what people read of a run has a text, in capitals or not.
bool Mentions(const Run& run, const std::string& wanted) {
  const auto has = [&](std::string_view text) {
    return Small(text).find(wanted) != std::string::npos;
  };
  if (has(run.id) || has(store::ToString(run.state))) return true;
  for (const auto& [name, member] : kTexts) {
    if (has(run.*member)) return true;
  }
  return std::ranges::any_of(run.tags,
                             [&](const auto& tag) { return has(tag.first + "=" + tag.second); });
}

// One parameter of the list. Several of one name are alternatives.
Result<bool> Fulfils(const Run& run, std::string_view name, std::string_view value) {
  if (name == "id") return run.id == value;
  if (name == "state") return store::ToString(run.state) == value;
  if (name == "tag") {
    const std::size_t equals = value.find('=');
    const auto tag = run.tags.find(std::string(value.substr(0, equals)));
    if (tag == run.tags.end()) return false;
    return equals == std::string_view::npos || tag->second == value.substr(equals + 1);
  }
  for (const auto& [known, member] : kTexts) {
    if (known == name) return run.*member == value;
  }
  return Error(StatusCode::kInvalidArgument, "runs are not filtered by '{}'", name);
}

constexpr std::string_view kNoFilters[] = {"q", "sort", "limit", "cursor"};

Result<bool> FulfilsAll(const Run& run, const http::Fields& query) {
  std::map<std::string_view, bool> fulfilled;
  for (const auto& [name, value] : query) {
    if (std::ranges::find(kNoFilters, name) != std::end(kNoFilters)) continue;
    RS_ASSIGN_OR_RETURN(const bool is_so, Fulfils(run, name, value));
    fulfilled[name] |= is_so;
  }
  return std::ranges::all_of(fulfilled, [](const auto& one) { return one.second; });
}

// By what a list is sorted, as texts that compare in that order.
Result<std::string> PlaceOf(const Run& run, std::string_view key) {
  std::string value;
  if (key == "created") {
    value = fmt::format("{:020}", run.created_s);
  } else if (key == "changed") {
    value = fmt::format("{:020}", run.changed_s);
  } else if (key == "name") {
    value = Small(run.name);
  } else if (key == "state") {
    value = store::ToString(run.state);
  } else {
    return Error(StatusCode::kInvalidArgument,
                 "runs are sorted by created, changed, name or state, with - before it for the "
                 "other way round; not by '{}'",
                 key);
  }
  // No control character of a name comes between it and the id.
  return value + '\x01' + run.id;
}

Result<std::string> List(const Parts& parts, const Runs& runs, const Call& call) {
  RS_ASSIGN_OR_RETURN(const std::size_t limit, LimitOf(call.Query("limit"), 100, 1000));
  std::string_view key = call.Query("sort");
  if (key.empty()) key = "-created";
  const bool descending = key.starts_with('-');
  if (descending) key.remove_prefix(1);
  const std::string wanted = Small(call.Query("q"));
  std::vector<std::pair<std::string, Run>> found;
  // Also when there is no run: a wrong request is wrong.
  RS_RETURN_IF_ERROR(PlaceOf(Run(), key).status());
  RS_RETURN_IF_ERROR(FulfilsAll(Run(), call.head.query).status());
  for (Run& run : parts.store.catalogue().All()) {
    if (!call.who.SeesTeam(run.team)) continue;
    if (!wanted.empty() && !Mentions(run, wanted)) continue;
    RS_ASSIGN_OR_RETURN(const bool is_wanted, FulfilsAll(run, call.head.query));
    if (!is_wanted) continue;
    RS_ASSIGN_OR_RETURN(std::string place, PlaceOf(run, key));
    found.emplace_back(std::move(place), std::move(run));
  }
  const auto before = [descending](const std::string& a, const std::string& b) {
    return descending ? b < a : a < b;
  };
  std::ranges::sort(found, before, &std::pair<std::string, Run>::first);
  auto begin = found.begin();
  if (const std::string_view cursor = call.Query("cursor"); !cursor.empty()) {
    RS_ASSIGN_OR_RETURN(const std::string place, FromCursor(cursor));
    begin = std::ranges::upper_bound(found, place, before, &std::pair<std::string, Run>::first);
  }
  const auto end =
      begin + std::min<std::ptrdiff_t>(found.end() - begin, static_cast<std::ptrdiff_t>(limit));
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Key("runs").BeginArray();
  for (auto one = begin; one != end; ++one)
    json::FieldsOf<api::Run>().Write(runs.Shown(one->second), writer);
  writer.EndArray().Member("total", found.size());
  writer.TextMember("cursor", end == found.end() ? "" : ToCursor((end - 1)->first));
  writer.EndObject();
  return json;
}

http::Reply ListReply(const Parts& parts, const Runs& runs, const Call& call) {
  Result<std::string> json = List(parts, runs, call);
  if (!json.ok()) return ErrorReply(json.status());
  return JsonReply(200, *std::move(json));
}

Result<Run> ChangeRun(Parts& parts, const Call& call) {
  RS_RETURN_IF_ERROR(RunOf(parts, call.who, call.arguments[0]).status());
  RS_ASSIGN_OR_RETURN(const api::RunChange change, BodyOf<api::RunChange>(call));
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

http::Reply Change(Parts& parts, const Runs& runs, const Call& call) {
  const Result<Run> run = ChangeRun(parts, call);
  if (run.ok()) runs.Publish(*run);
  return RunReply(runs, 200, run);
}

http::Reply Remove(const Parts& parts, Runs& runs, const Call& call) {
  const Result<Run> run = RunOf(parts, call.who, call.arguments[0]);
  if (!run.ok()) return ErrorReply(run.status());
  const Status removed = runs.Remove(*run);
  if (!removed.ok()) return ErrorReply(removed);
  http::Reply reply;
  reply.status = 204;
  return reply;
}

http::Reply Finish(const Parts& parts, Runs& runs, const Call& call) {
  const Result<Run> seen = RunOf(parts, call.who, call.arguments[0]);
  if (!seen.ok()) return ErrorReply(seen.status());
  if (seen->files.empty())
    return ErrorReply(409, "no_files", "no file of this run has come; upload some, then finish");
  return RunReply(runs, 202, runs.Finish(seen->id));
}

http::Reply Reopen(Parts& parts, const Runs& runs, const Call& call) {
  const Result<Run> seen = RunOf(parts, call.who, call.arguments[0]);
  if (!seen.ok()) return ErrorReply(seen.status());
  bool is_busy = false;
  const Result<Run> run = parts.store.catalogue().Change(seen->id, [&](Run& one) {
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

std::vector<Route> RunRoutes(Parts& parts, Runs& runs) {
  constexpr std::uint64_t kMostBody = 64 << 10;
  std::vector<Parameter> of_list = {
      {"q", "query", "string", "text that name, id, state, tag or another field has"},
      {"sort", "query", "string", "created, changed, name or state; - before it: downwards"},
      {"limit", "query", "integer", "up to 1000; 100 without"},
      {"cursor", "query", "string", "of the page before"},
      {"state", "query", "string", "uploading, queued, analysing, ready, failed", true},
      {"tag", "query", "string", "NAME or NAME=VALUE", true}};
  for (const std::string_view name :
       {"id", "name", "user", "team", "model", "product", "framework", "hardware"})
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
       .most_body = kMostBody},
      {.method = "GET",
       .pattern = "/api/v1/runs",
       .answer = With(ListReply, parts, runs),
       .summary = "runs, the newest first",
       .parameters = of_list},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}",
       .answer = With(Show, parts, runs),
       .summary = "one run: state, progress, summary",
       .gives = &json::FieldsOf<api::Run>()},
      {.method = "PATCH",
       .pattern = "/api/v1/runs/{id}",
       .role = Role::kUpload,
       .answer = With(Change, parts, runs),
       .summary = "change what is said of a run",
       .takes = &json::FieldsOf<api::RunChange>(),
       .gives = &json::FieldsOf<api::Run>(),
       .most_body = kMostBody},
      {.method = "DELETE",
       .pattern = "/api/v1/runs/{id}",
       .role = Role::kUpload,
       .answer = With(Remove, parts, runs),
       .summary = "remove a run",
       .statuses = "204"},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/finish",
       .role = Role::kUpload,
       .answer = With(Finish, parts, runs),
       .summary = "all files are there: analyse them",
       .statuses = "202"},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/reopen",
       .role = Role::kUpload,
       .answer = With(Reopen, parts, runs),
       .summary = "take more files; finishing makes another report"},
  };
}

}  // namespace rankscope::service
