// Runs again: how, where the server may start it, what came of it, and what that says of promises.
#include <algorithm>

#include "api/again.h"
#include "service/changes/again.h"
#include "service/changes/gains.h"
#include "service/changes/launches.h"
#include "service/requests/api.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "service/requests/run_json.h"
#include "service/routes/routes.h"
#include "service/runs/runs.h"

namespace rankscope::service {
namespace {

using store::Run;

// Of the team of a run, whoever it is that sees it.
Gains::Sees SeesAs(const Principal& who) {
  return [who](std::string_view team) { return who.SeesTeam(team); };
}

api::SecondRun ShownOf(const Run& base, const Run& test, const std::vector<Promise>& promises) {
  const std::string_view finding = TagOf(test, kFindingTag);
  api::SecondRun shown{.id = test.id,
                       .name = test.name,
                       .finding = std::string(finding),
                       .state = std::string(store::ToString(test.state)),
                       .created = IsoTime(test.created_s),
                       .step_ns = StepTimeOf(test),
                       .gain_pct = GainPct(base, test),
                       .promised_pct = std::nullopt};
  const auto promise = std::ranges::find(promises, finding, &Promise::finding);
  if (promise != promises.end()) shown.promised_pct = promise->gain_pct;
  return shown;
}

Result<std::string> Again(const Parts& parts, const Gains& gains, const Launches& launches,
                          const Call& call) {
  RS_ASSIGN_OR_RETURN(const Run run, ReadyRun(parts, call.who, call.arguments[0]));
  RS_ASSIGN_OR_RETURN(const std::vector<Promise> promises, PromisesOf(parts, run));
  api::RunAgain again{.command = std::string(TagOf(run, "command")),
                      .environment = std::string(TagOf(run, "environment")),
                      .push = fmt::format("rankscope push TRACES --server {} --tag {}={}",
                                          AddressOf(call.head), kAgainTag, run.id),
                      .can_launch = launches.CanLaunch(call.who, run)};
  store::RunQuery again_of{
      .descending = true,
      .limit = 1000,
      .criteria = {{.field = "tag", .values = {fmt::format("{}={}", kAgainTag, run.id)}}}};
  AddTeam(call.who, again_of);
  RS_ASSIGN_OR_RETURN(const store::RunPage second, parts.store.catalogue().Page(again_of));
  for (const auto& test : second.runs) again.runs.push_back(ShownOf(run, *test, promises));
  RS_ASSIGN_OR_RETURN(const std::vector<api::MeasuredGain> all, gains.All(SeesAs(call.who)));
  for (const Promise& promise : promises) {
    api::ExpectedGain expected = ExpectedOf(all, promise.finding, run.model, promise.gain_pct);
    if (expected.measured > 0) again.expected.push_back(std::move(expected));
  }
  return json::ToJson(again);
}

http::Reply Json(int status, Result<std::string> json) {
  return json.ok() ? JsonReply(status, *std::move(json)) : ErrorReply(json.status());
}

struct Order {
  Run run;
  std::string finding;
};

Result<Order> OrderOf(const Parts& parts, const Call& call) {
  RS_ASSIGN_OR_RETURN(Run run, ReadyRun(parts, call.who, call.arguments[0]));
  RS_ASSIGN_OR_RETURN(const auto asked, BodyOf<api::LaunchRequest>(call));
  RS_ASSIGN_OR_RETURN(const std::vector<Promise> promises, PromisesOf(parts, run));
  if (std::ranges::find(promises, asked.finding, &Promise::finding) == promises.end())
    return Error(StatusCode::kNotFound, "run {} has no finding '{}' with a gain", run.id,
                 asked.finding);
  return Order{std::move(run), asked.finding};
}

http::Reply StartAgain(const Parts& parts, const Launches& launches, const Call& call) {
  const Result<Order> order = OrderOf(parts, call);
  if (!order.ok()) return ErrorReply(order.status());
  call.on->target = order->finding;
  return launches.Start(order->run, {.finding = order->finding},
                        fmt::format("Run again for {}", order->finding),
                        fmt::format("run {} again for {}", order->run.id, order->finding), call);
}

Result<std::string> Measured(const Gains& gains, const Call& call) {
  RS_ASSIGN_OR_RETURN(const std::uint64_t limit, LimitOf(call.Query("limit"), 1000, 10'000));
  api::MeasuredGainList list;
  RS_ASSIGN_OR_RETURN(list.gains, gains.All(SeesAs(call.who)));
  const std::string_view finding = call.Query("finding"), model = call.Query("model");
  std::erase_if(list.gains, [&](const api::MeasuredGain& gain) {
    return (!finding.empty() && gain.finding != finding) || (!model.empty() && gain.model != model);
  });
  list.total = static_cast<std::int64_t>(list.gains.size());
  if (list.gains.size() > limit) list.gains.resize(limit);
  return json::ToJson(list);
}

Result<std::string> AddMeasured(Gains& gains, const WallClock& now_s, const Call& call) {
  RS_ASSIGN_OR_RETURN(const auto asked, BodyOf<api::NewMeasuredGain>(call));
  const api::MeasuredGain gain{.finding = asked.finding,
                               .model = asked.model,
                               .team = call.who.team == kAllTeams ? "" : call.who.team,
                               .made = IsoTime(now_s()),
                               .promised_pct = asked.promised_pct,
                               .measured_pct = asked.measured_pct};
  call.on->target = gain.finding;
  RS_RETURN_IF_ERROR(gains.Keep(gain));
  return json::ToJson(gain);
}

}  // namespace

std::vector<Route> AgainRoutes(Parts& parts, Gains& gains, const Launches& launches,
                               const WallClock& now_s) {
  return {
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/again",
       .answer = [&parts, &gains, &launches](
                     const Call& call) { return Json(200, Again(parts, gains, launches, call)); },
       .summary = "how a run is run again, its runs again and what they gained, and what its "
                  "findings are likely to gain after such runs",
       .gives = &json::FieldsOf<api::RunAgain>()},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/again",
       .role = Role::kUpload,
       .answer = [&parts,
                  &launches](const Call& call) { return StartAgain(parts, launches, call); },
       .summary = "run it again by the operator's launcher, for its user and admins",
       .takes = &json::FieldsOf<api::LaunchRequest>(),
       .gives = &json::FieldsOf<api::Launched>(),
       .statuses = "202",
       .most_body = 4096,
       .act = "run.again"},
      {.method = "GET",
       .pattern = "/api/v1/gains",
       .answer = [&gains](const Call& call) { return Json(200, Measured(gains, call)); },
       .summary = "what changes for findings were to gain, and did",
       .parameters = {{"finding", "query", "string", "of this finding alone"},
                      {"model", "query", "string", "of this model alone"},
                      {"limit", "query", "integer", "the newest, up to 10000; 1000 without"}},
       .gives = &json::FieldsOf<api::MeasuredGainList>()},
      {.method = "POST",
       .pattern = "/api/v1/gains",
       .role = Role::kUpload,
       .answer = [&gains,
                  &now_s](const Call& call) { return Json(201, AddMeasured(gains, now_s, call)); },
       .summary = "keep a gain that was measured elsewhere; as rankscope rerun --server does",
       .takes = &json::FieldsOf<api::NewMeasuredGain>(),
       .gives = &json::FieldsOf<api::MeasuredGain>(),
       .statuses = "201",
       .most_body = 4096,
       .act = "gain.add"},
  };
}

}  // namespace rankscope::service
