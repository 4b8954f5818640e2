// The server itself: events, health, numbers, what it understands.
#include "api/state.h"
#include "service/base/numbers.h"
#include "service/hosts/agents.h"
#include "service/queue/queue.h"
#include "service/requests/reply.h"
#include "service/routes/routes.h"

namespace rankscope::service {
namespace {

http::Reply Events(EventHub& events, const Call& call) {
  const std::string_view last = http::Find(call.head.fields, "last-event-id").value_or("");
  // Of a token all that use it, and where there are none each address.
  const std::string_view peer = std::string_view(call.head.peer);
  const std::string client = call.who.name.empty() ? std::string(peer.substr(0, peer.rfind(':')))
                                                   : call.who.team + "\n" + call.who.name;
  auto stream = events.Listen(
      last, client, [who = call.who](std::string_view team) { return who.SeesTeam(team); });
  if (stream == nullptr) {
    http::Reply reply = ErrorReply(429, "too_many", "too many listen to events; ask again later");
    reply.fields.emplace_back("Retry-After", "30");
    return reply;
  }
  http::Reply reply;
  reply.fields = {{"Content-Type", "text/event-stream"},
                  {"Cache-Control", "no-store, no-transform"},
                  {"X-Accel-Buffering", "no"}};
  reply.body = std::move(stream);
  return reply;
}

// Whether the store takes what is written: the one thing without which nothing goes on.
http::Reply Health(const Parts& parts, const Call&) {
  auto writer = parts.store.blobs().Create();
  const Status written = writer.ok() ? (*writer)->Write("health") : writer.status();
  if (!written.ok()) return ErrorReply(503, "no_store", written.message());
  const auto runs = parts.store.catalogue().Count();
  if (!runs.ok()) return ErrorReply(503, "no_catalogue", runs.status().message());
  return JsonReply(200, json::ToJson(api::Health()));
}

http::Reply MetricsOfServer(const Parts& parts, const Numbers& numbers, const Queue& queue,
                            const Agents& agents, const Call& call) {
  http::Reply reply;
  reply.fields = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"},
                  {"Cache-Control", "no-store"}};
  std::string text = numbers.Text();
  // Without it while a database is away.
  if (const auto runs = parts.store.catalogue().Count(); runs.ok()) {
    AppendMetric(text, "rankscope_runs", "gauge", "Runs in the store.", static_cast<double>(*runs));
  }
  AppendMetric(text, "rankscope_event_listeners", "gauge", "Open streams of events.",
               static_cast<double>(parts.events.listeners()));
  const QueueNumbers of_queue = queue.Numbers();
  AppendQueueMetrics(text, of_queue);
  if (!call.who.sees_nothing && call.who.team == kAllTeams) AppendTeamMetrics(text, of_queue);
  AppendHostMetricNumbers(text, agents.metrics().numbers());
  reply.body = std::move(text);
  return reply;
}

http::Reply VersionOfServer(const std::string& version) {
  return JsonReply(200, json::ToJson(api::Version{.version = version}));
}

}  // namespace

std::vector<Route> StateRoutes(Parts& parts, const Numbers& numbers, const Queue& queue,
                               const Agents& agents, const RouteTable& all,
                               const std::string& version) {
  return {
      {.method = "GET",
       .pattern = "/api/v1/events",
       .answer = With(Events, parts.events),
       .summary = "server-sent events: run (a run as it is now), removed, resync (look again at "
                  "everything), heartbeat",
       .parameters = {{"Last-Event-ID", "header", "string", "go on after this one"}},
       .sends = {"text/event-stream"}},
      {.method = "GET",
       .pattern = "/api/v1/version",
       .role = Role::kNone,
       .answer = [version](const Call&) { return VersionOfServer(version); },
       .summary = "which rankscope this is",
       .gives = &json::FieldsOf<api::Version>()},
      {.method = "GET",
       .pattern = "/api/v1/openapi.json",
       .role = Role::kNone,
       .answer = [&all,
                  version](const Call&) { return JsonReply(200, OpenApi(all.routes(), version)); },
       .summary = "this document",
       .sends = {"application/json"}},
      {.method = "GET",
       .pattern = "/healthz",
       .role = Role::kNone,
       .answer = With(Health, parts),
       .summary = "200 when the server works and its store takes writes",
       .gives = &json::FieldsOf<api::Health>()},
      {.method = "GET",
       .pattern = "/metrics",
       .role = Role::kNone,
       .answer = With(MetricsOfServer, parts, numbers, queue, agents),
       .summary = "numbers of the server, for Prometheus",
       .sends = {"text/plain"}},
  };
}

}  // namespace rankscope::service
