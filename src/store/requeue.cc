#include "store/requeue.h"

namespace rankscope::store {

Result<Run> Requeue(Store& store, std::string_view id) {
  return store.catalogue().Change(id, [&](Run& run) -> Status {
    if (run.state != RunState::kFailed && run.state != RunState::kReady) {
      return Error(StatusCode::kInvalidArgument,
                   "run {} is {}: a run that has failed or is ready is queued again", run.id,
                   ToString(run.state));
    }
    if (run.files.empty())
      return Error(StatusCode::kInvalidArgument, "run {} has no files to analyse", run.id);
    run.state = RunState::kQueued;
    run.reason.clear();
    run.set_aside.clear();
    return OkStatus();
  });
}

}  // namespace rankscope::store
