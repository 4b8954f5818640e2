#include "service/runs/runs.h"

#include "json/fields.h"
#include "json/writer.h"
#include "service/queue/queue.h"
#include "service/requests/run_json.h"
#include "service/runs/uploads.h"

namespace rankscope::service {

using store::Run;
using store::RunState;

Result<std::shared_ptr<const Run>> LookAtRun(const Parts& parts, const Principal& who,
                                             std::string_view id) {
  Result<std::shared_ptr<const Run>> run = parts.store.catalogue().Look(id);
  if (run.ok() && !who.SeesTeam((*run)->team))
    return Error(StatusCode::kNotFound, "the store has no run '{}'", id);
  return run;
}

Result<store::Run> ReadyRun(const Parts& parts, const Principal& who, std::string_view id) {
  RS_ASSIGN_OR_RETURN(const auto run, LookAtRun(parts, who, id));
  if (run->reports.empty()) {
    return Error(StatusCode::kNotFound, "run {} has no report yet: it is {}", run->id,
                 store::ToString(run->state));
  }
  return *run;
}

void AddTeam(const Principal& who, store::RunQuery& query) {
  if (who.sees_nothing) {
    query.criteria.push_back({.field = "team", .values = {}});
  } else if (who.team != kAllTeams) {
    query.criteria.push_back({.field = "team", .values = {who.team}});
  }
}

api::Run Runs::Shown(const Run& run) const { return ShownOf(run, queue_.Progress(run.id)); }

void Runs::Publish(const Run& run) const {
  parts_.events.Publish(run.team, "run", json::ToJson(Shown(run)));
}

Result<Run> Runs::Finish(const std::string& id) {
  // Finishing what is finished is no error: the answer to the first may have been lost.
  RS_ASSIGN_OR_RETURN(Run run, parts_.store.catalogue().Change(id, [](Run& one) {
    if (one.state == RunState::kUploading) one.state = RunState::kQueued;
    return OkStatus();
  }));
  if (run.state == RunState::kQueued) queue_.Add(run.id);
  Publish(run);
  return run;
}

Status Runs::Remove(const Run& run) {
  RS_RETURN_IF_ERROR(parts_.store.catalogue().Remove(run.id));
  queue_.Forget(run.id);
  uploads_.ForgetRun(run.id);
  std::string data;
  json::Writer(data).BeginObject().Member("id", run.id).EndObject();
  parts_.events.Publish(run.team, "removed", data);
  return OkStatus();
}

}  // namespace rankscope::service
