// rankscope_job: an opened job, used by one call at a time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "app/open_job.h"
#include "app/sql_session.h"
#include "base/status.h"
#include "capi/call.h"
#include "capi/options.h"
#include "capi/rankscope.h"

struct rankscope_job {
  explicit rankscope_job(std::unique_ptr<rankscope::app::OpenedJob> of) : opened(std::move(of)) {}

  std::unique_ptr<rankscope::app::OpenedJob> opened;
  std::timed_mutex asking;                                         // held by the current call
  std::atomic<const rankscope::app::Listener*> listener{nullptr};  // of that call
  // Kept, so that what statements created remains; guarded by `asking`.
  std::unique_ptr<rankscope::app::SqlSession> session;
  rankscope::capi::QueryOptions session_options;
};

namespace rankscope::capi {

// A call on one or several jobs: it has exclusive use of them, and they report to its listener.
class JobCall {
 public:
  // Waits for running calls. kCancelled if the listener is stopped meanwhile.
  static Result<std::unique_ptr<JobCall>> Begin(std::vector<rankscope_job*> jobs,
                                                CallListener& listener);
  ~JobCall();
  JobCall(const JobCall&) = delete;
  JobCall& operator=(const JobCall&) = delete;

 private:
  JobCall() = default;

  std::vector<rankscope_job*> held_;
};

// For a job that the caller uses exclusively: the existing session, or a new one if the options
// differ.
Result<app::SqlSession*> SessionOf(rankscope_job& job, const QueryOptions& options);

}  // namespace rankscope::capi
