// Better settings for a serving program: how they are searched, where the server may start that,
// and the searches there are (runs whose tag optimises names this one).
#include <string>

#include "api/again.h"
#include "api/tuning.h"
#include "service/changes/again.h"
#include "service/changes/launches.h"
#include "service/requests/api.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "service/requests/run_json.h"
#include "service/routes/routes.h"
#include "service/runs/report_parts.h"
#include "service/runs/runs.h"

namespace rankscope::service {
namespace {

using store::Run;

// The objective of a run, where it looks like one: it goes into commands.
std::string SloOf(const Run& run) {
  constexpr std::size_t kMost = 100;
  constexpr std::string_view kOfOne = "abcdefghijklmnopqrstuvwxyz0123456789=,.";
  const std::string_view slo = TagOf(run, store::kSloTag);
  const bool is_one = slo.size() <= kMost && slo.find_first_not_of(kOfOne) == slo.npos;
  return is_one ? std::string(slo) : "";
}

Result<Run> ServingRun(const Parts& parts, const Call& call) {
  RS_ASSIGN_OR_RETURN(Run run, ReadyRun(parts, call.who, call.arguments[0]));
  if (TagOf(run, store::kKindTag) != store::kServingKind)
    return Error(StatusCode::kNotFound, "run {} is of no serving program", run.id);
  return run;
}

Result<std::string> Tuning(const Parts& parts, const Launches& launches, const Call& call) {
  RS_ASSIGN_OR_RETURN(const Run run, ServingRun(parts, call));
  const std::string slo = SloOf(run);
  api::RunTuning tuning{
      .command = fmt::format("rankscope tune ADAPTER{} --server {} --of {}",
                             slo.empty() ? "" : " --slo " + slo, AddressOf(call.head), run.id),
      .can_launch = launches.CanLaunch(call.who, run)};
  store::RunQuery of_this{
      .descending = true,
      .limit = 1000,
      .criteria = {
          {.field = "tag", .values = {fmt::format("{}={}", store::kOptimisesTag, run.id)}}}};
  AddTeam(call.who, of_this);
  RS_ASSIGN_OR_RETURN(const store::RunPage page, parts.store.catalogue().Page(of_this));
  for (const auto& one : page.runs)
    tuning.runs.push_back({.id = one->id,
                           .name = one->name,
                           .state = std::string(store::ToString(one->state)),
                           .created = IsoTime(one->created_s),
                           .headline = SummaryOf(*one).value_or(api::RunSummary()).headline});
  return json::ToJson(tuning);
}

http::Reply Start(const Parts& parts, const Launches& launches, const Call& call) {
  const Result<Run> run = ServingRun(parts, call);
  if (!run.ok()) return ErrorReply(run.status());
  return launches.Start(*run, {.slo = SloOf(*run)}, "Optimise",
                        fmt::format("settings for run {}", run->id), call);
}

}  // namespace

std::vector<Route> TuningRoutes(Parts& parts, const Launches& launches) {
  return {
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/tuning",
       .answer =
           [&parts, &launches](const Call& call) {
             Result<std::string> json = Tuning(parts, launches, call);
             return json.ok() ? JsonReply(200, *std::move(json)) : ErrorReply(json.status());
           },
       .summary = "how better settings of a serving program are searched, and the searches that "
                  "were begun for this run",
       .gives = &json::FieldsOf<api::RunTuning>()},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/tuning",
       .role = Role::kUpload,
       .answer = [&parts, &launches](const Call& call) { return Start(parts, launches, call); },
       .summary = "begin a search by the operator's tuner, for the run's user and admins",
       .gives = &json::FieldsOf<api::Launched>(),
       .statuses = "202",
       .act = "run.tune"},
  };
}

}  // namespace rankscope::service
