// rankscope_job: an opened job, asked by one call after the other.
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
  std::timed_mutex asking;  // held by the call that is about it
  std::atomic<const rankscope::app::Listener*> listener{nullptr};  // of that call
  // Kept, so that what statements created stays; under `asking`.
  std::unique_ptr<rankscope::app::SqlSession> session;
  rankscope::capi::QueryOptions session_options;
};

namespace rankscope::capi {

// A call about one job or several: has them to itself, and they tell its listener, while it lives.
class JobCall {
 public:
  // Waits for calls that are under way. kCancelled where the listener is stopped meanwhile.
  static Result<std::unique_ptr<JobCall>> Begin(std::vector<rankscope_job*> jobs,
                                                CallListener& listener);
  ~JobCall();
  JobCall(const JobCall&) = delete;
  JobCall& operator=(const JobCall&) = delete;

 private:
  JobCall() = default;

  std::vector<rankscope_job*> held_;
};

// Of the job that the caller has to itself: the one there is, or a new one where the options are
// others.
Result<app::SqlSession*> SessionOf(rankscope_job& job, const QueryOptions& options);

}  // namespace rankscope::capi
