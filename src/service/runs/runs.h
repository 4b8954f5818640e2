// Runs for the API: the record of the store with the progress of its analysis. Changes are reported
// to the queue, to uploads and to listeners of events.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/run.h"
#include "base/status.h"
#include "service/runs/parts.h"
#include "store/run.h"

namespace rankscope::service {

class Queue;
class Uploads;

// The run with this id, if the caller may see it. Otherwise kNotFound, so that callers do not learn
// of runs that they may not see. It is the record itself: a copy of what a run of many files holds
// would be large.
Result<std::shared_ptr<const store::Run>> LookAtRun(const Parts& parts, const Principal& who,
                                                    std::string_view id);

// The same for a run that has been analysed, so its files are known to be traces. kNotFound
// otherwise.
Result<store::Run> ReadyRun(const Parts& parts, const Principal& who, std::string_view id);

// The runs that a query finds and the caller may see.
void AddTeam(const Principal& who, store::RunQuery& query);

// Safe for many threads.
class Runs {
 public:
  // All of them outlive it.
  Runs(Parts& parts, Queue& queue, Uploads& uploads)
      : parts_(parts), queue_(queue), uploads_(uploads) {}

  api::Run Shown(const store::Run& run) const;
  // Reports a run's current state to listeners.
  void Publish(const store::Run& run) const;
  // Finishes a run whose files have all arrived: it will be analysed. A run that is already
  // finished stays so.
  Result<store::Run> Finish(const std::string& id);
  // Removes a run from the store, the queue and the uploads, and tells listeners.
  Status Remove(const store::Run& run);

 private:
  Parts& parts_;
  Queue& queue_;
  Uploads& uploads_;
};

}  // namespace rankscope::service
