#include "capi/job.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace rankscope::capi {
namespace {

// How soon a call that waits for another one sees that it was cancelled.
constexpr std::chrono::milliseconds kLook{50};

Status Wait(std::timed_mutex& mutex, const CallListener& listener) {
  while (!mutex.try_lock_for(kLook)) {
    if (listener.IsStopped()) return Error(StatusCode::kCancelled, "stopped");
  }
  return OkStatus();
}

}  // namespace

Result<std::unique_ptr<JobCall>> JobCall::Begin(std::vector<rankscope_job*> jobs,
                                                CallListener& listener) {
  // In one order, so that no two calls wait for each other; each once.
  std::sort(jobs.begin(), jobs.end(), std::less<>());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  std::unique_ptr<JobCall> call(new JobCall());
  call->held_.reserve(jobs.size());
  for (rankscope_job* job : jobs) {
    RS_RETURN_IF_ERROR(Wait(job->asking, listener));
    call->held_.push_back(job);
    job->opened->ListenWith(&listener);
    job->listener = &listener;
  }
  if (listener.IsStopped()) return Error(StatusCode::kCancelled, "stopped");
  return call;
}

JobCall::~JobCall() {
  for (rankscope_job* job : held_) {
    job->listener = nullptr;
    job->opened->ListenWith(nullptr);
    job->asking.unlock();
  }
}

Result<app::SqlSession*> SessionOf(rankscope_job& job, const QueryOptions& options) {
  if (job.session == nullptr || job.session_options != options) {
    job.session.reset();
    app::SqlOptions of_session{.memory_bytes = options.memory_bytes,
                               .allow_files = options.allow_files,
                               .select_only = options.select_only};
    of_session.is_stopped = [&job] {
      const app::Listener* const listener = job.listener;
      return listener != nullptr && listener->IsStopped();
    };
    RS_ASSIGN_OR_RETURN(job.session, app::SqlSession::Open(*job.opened, of_session));
    job.session_options = options;
  }
  return job.session.get();
}

}  // namespace rankscope::capi
