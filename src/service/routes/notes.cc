// What people add to a run: notes at a rank and time, saved queries, numbers that the job knows
// (loss and others); and named states of the pages.
#include <algorithm>

#include "api/request.h"
#include "api/sample.h"
#include "json/writer.h"
#include "service/access/shares.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "service/requests/run_json.h"
#include "service/routes/routes.h"
#include "service/runs/run_notes.h"
#include "service/runs/runs.h"
#include "service/runs/samples.h"

namespace rankscope::service {
namespace {

using store::Run;

constexpr std::size_t kMostPoints = 10'000;
constexpr std::size_t kMostState = 64 << 10;

api::Note Shown(const store::RunNote& note) {
  return {.id = note.id,
          .made = IsoTime(note.made_s),
          .user = note.user,
          .text = note.text,
          .rank = note.rank,
          .time_ns = note.time_ns,
          .end_ns = note.end_ns};
}

api::SavedQuery Shown(const store::SavedQuery& query) {
  return {.id = query.id, .name = query.name, .sql = query.sql};
}

http::Reply Notes(const Parts& parts, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  api::NoteList list;
  for (const store::RunNote& note : run.notes) list.notes.push_back(Shown(note));
  return JsonReply(200, json::ToJson(list));
}

Result<std::string> NewNote(Parts& parts, const WallClock& now_s, const Call& call) {
  RS_ASSIGN_OR_RETURN(const auto seen, LookAtRun(parts, call.who, call.arguments[0]));
  RS_ASSIGN_OR_RETURN(api::NewNote asked, BodyOf<api::NewNote>(call));
  store::RunNote note{.made_s = now_s(),
                      .user = std::move(asked.user),
                      .text = std::move(asked.text),
                      .rank = asked.rank,
                      .time_ns = asked.time_ns,
                      .end_ns = asked.end_ns};
  if (note.end_ns && (!note.time_ns || *note.end_ns <= *note.time_ns))
    return Error(StatusCode::kInvalidArgument, "end_ns is behind time_ns");
  if (note.text.empty()) return Error(StatusCode::kInvalidArgument, "a note has a text");
  if (!call.who.name.empty()) note.user = call.who.name;
  RS_RETURN_IF_ERROR(
      parts.store.catalogue()
          .Change(seen->id, [&](Run& run) { return AddNote(run, note, parts.quotas.notes_of_run); })
          .status());
  return json::ToJson(Shown(note));
}

// What is full is asked for too often.
http::Reply Created(Result<std::string> json) {
  if (json.status().code() == StatusCode::kResource)
    return ErrorReply(429, "too_many", json.status().message());
  if (!json.ok()) return ErrorReply(json.status());
  return JsonReply(201, *std::move(json));
}

http::Reply PostNote(Parts& parts, const WallClock& now_s, const Call& call) {
  return Created(NewNote(parts, now_s, call));
}

http::Reply Queries(const Parts& parts, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  api::SavedQueryList list;
  for (const store::SavedQuery& query : run.queries) list.queries.push_back(Shown(query));
  return JsonReply(200, json::ToJson(list));
}

Result<std::string> AddQuery(Parts& parts, const Call& call) {
  RS_ASSIGN_OR_RETURN(const auto seen, LookAtRun(parts, call.who, call.arguments[0]));
  RS_ASSIGN_OR_RETURN(api::NewQuery asked, BodyOf<api::NewQuery>(call));
  store::SavedQuery query{.name = std::move(asked.name), .sql = std::move(asked.sql)};
  if (query.name.empty() || query.sql.empty())
    return Error(StatusCode::kInvalidArgument, "a saved query has a name and its sql");
  RS_RETURN_IF_ERROR(parts.store.catalogue()
                         .Change(seen->id,
                                 [&](Run& run) -> Status {
                                   if (run.queries.size() >= parts.quotas.queries_of_run)
                                     return Error(StatusCode::kResource,
                                                  "a run has up to {} saved queries",
                                                  parts.quotas.queries_of_run);
                                   query.id = NextId(run.queries);
                                   run.queries.push_back(query);
                                   return OkStatus();
                                 })
                         .status());
  return json::ToJson(Shown(query));
}

http::Reply PostQuery(Parts& parts, const Call& call) { return Created(AddQuery(parts, call)); }

// Removes the item whose id is the second argument.
template <auto kItems>
http::Reply RemoveItem(Parts& parts, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& seen = **found;
  const auto id = ParseInteger(call.arguments[1]);
  bool is_found = false;
  const Result<Run> run = parts.store.catalogue().Change(seen.id, [&](Run& one) {
    is_found = std::erase_if(one.*kItems, [&](const auto& item) { return item.id == id; }) > 0;
    return OkStatus();
  });
  if (!run.ok()) return ErrorReply(run.status());
  if (!is_found) {
    return ErrorReply(404, "not_found",
                      fmt::format("the run has none with the id '{}'", call.arguments[1]));
  }
  http::Reply reply;
  reply.status = 204;
  return reply;
}

Result<std::string> AddSamples(Parts& parts, const Call& call) {
  RS_ASSIGN_OR_RETURN(const auto seen, LookAtRun(parts, call.who, call.arguments[0]));
  RS_ASSIGN_OR_RETURN(const std::vector<MetricSample> samples, ParseSamples(call.body));
  RS_RETURN_IF_ERROR(StoreSamples(parts.store, seen->id, samples));
  return json::ToJson(api::SamplesTaken{.taken = samples.size()});
}

http::Reply PostSamples(Parts& parts, const Call& call) { return Created(AddSamples(parts, call)); }

http::Reply GetSamples(Parts& parts, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  const Result<std::size_t> points = LimitOf(call.Query("points"), SIZE_MAX, kMostPoints, "points");
  if (!points.ok()) return ErrorReply(points.status());
  Result<std::vector<MetricSample>> samples = ReadSamples(parts.store, run);
  if (!samples.ok()) return ErrorReply(samples.status());
  if (*points != SIZE_MAX) *samples = Thinned(std::move(*samples), *points);
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Key("metrics").BeginArray();
  for (const MetricSample& sample : *samples) {
    if (!call.Query("name").empty() && call.Query("name") != sample.name) continue;
    std::string one;
    AppendSample(one, sample);
    writer.Raw(one);
  }
  writer.EndArray().EndObject();
  return JsonReply(200, std::move(json));
}

http::Reply PostShare(Shares& shares, const Call& call) {
  const auto asked = BodyOf<api::NewShare>(call);
  if (!asked.ok()) return ErrorReply(asked.status());
  const Result<std::string> name = shares.Keep(call.who, asked->state.text);
  if (!name.ok()) return Created(name.status());
  // Its whole name lets people in.
  call.on->target = name->substr(0, 8);
  return JsonReply(201, json::ToJson(api::Share{.hash = *name, .url = "/s/" + *name}));
}

http::Reply GetShare(Shares& shares, const Call& call) {
  const Result<std::string> state = shares.Find(call.who, call.arguments[0]);
  if (!state.ok() && state.status().code() == StatusCode::kBadData) {
    http::Reply reply = ErrorReply(
        500, "damaged", "this shared state is damaged on the server's disk: share the page again");
    reply.note = state.status().message();
    return reply;
  }
  if (!state.ok()) return ErrorReply(state.status());
  return JsonReply(200, *state);
}

}  // namespace

std::vector<Route> NoteRoutes(Parts& parts, const WallClock& now_s) {
  constexpr std::uint64_t kMostBody = 64 << 10;
  return {
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/notes",
       .answer = With(Notes, parts),
       .summary = "notes on a run",
       .gives = &json::FieldsOf<api::NoteList>()},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/notes",
       .role = Role::kUpload,
       .answer = With(PostNote, parts, now_s),
       .summary = "a note, at a rank and time or at the run",
       .takes = &json::FieldsOf<api::NewNote>(),
       .gives = &json::FieldsOf<api::Note>(),
       .statuses = "201",
       .most_body = kMostBody,
       .act = "note.add"},
      {.method = "DELETE",
       .pattern = "/api/v1/runs/{id}/notes/{note}",
       .role = Role::kUpload,
       .answer = With(RemoveItem<&Run::notes>, parts),
       .summary = "remove a note",
       .statuses = "204",
       .act = "note.remove"},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/queries",
       .answer = With(Queries, parts),
       .summary = "saved queries of a run",
       .gives = &json::FieldsOf<api::SavedQueryList>()},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/queries",
       .role = Role::kUpload,
       .answer = With(PostQuery, parts),
       .summary = "save a query",
       .takes = &json::FieldsOf<api::NewQuery>(),
       .gives = &json::FieldsOf<api::SavedQuery>(),
       .statuses = "201",
       .most_body = kMostBody,
       .act = "query.save"},
      {.method = "DELETE",
       .pattern = "/api/v1/runs/{id}/queries/{query}",
       .role = Role::kUpload,
       .answer = With(RemoveItem<&Run::queries>, parts),
       .summary = "remove a saved query",
       .statuses = "204",
       .act = "query.remove"},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/metrics",
       .role = Role::kUpload,
       .answer = With(PostSamples, parts),
       .summary = "numbers that the job knows, such as its loss",
       .takes = &json::FieldsOf<api::Sample>(),
       .takes_list = true,
       .gives = &json::FieldsOf<api::SamplesTaken>(),
       .statuses = "201",
       .most_body = 1 << 20},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/metrics",
       .answer = With(GetSamples, parts),
       .summary = "these numbers, by time",
       .parameters = {{"name", "query", "string", "of this metric alone"},
                      {"points", "query", "integer",
                       "for a picture: of each series so many at most, with its extremes; up to "
                       "10000, all without"}},
       .gives = &json::FieldsOf<api::SampleList>()},
  };
}

std::vector<Route> ShareRoutes(Shares& shares) {
  return {
      {.method = "POST",
       .pattern = "/api/v1/shares",
       .role = Role::kRead,
       .answer = With(PostShare, shares),
       .summary = "keep a state of the pages under a short name",
       .takes = &json::FieldsOf<api::NewShare>(),
       .gives = &json::FieldsOf<api::Share>(),
       .statuses = "201",
       .most_body = kMostState,
       .act = "share.add"},
      {.method = "GET",
       .pattern = "/api/v1/shares/{hash}",
       .answer = With(GetShare, shares),
       .summary = "a state that was kept",
       .sends = {"application/json"}},
  };
}

}  // namespace rankscope::service
