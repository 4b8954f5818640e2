// Runs as the API sees them: the record of the store with the progress of its analysis, and the
// changes that the queue, uploads and listeners of events hear of.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/run.h"
#include "base/status.h"
#include "service/parts.h"
#include "store/run.h"

namespace rankscope::service {

class Queue;
class Uploads;

// The run with this id, if the caller may see it. kNotFound otherwise: who may not see a run does
// not learn that it is there.
// It is the record itself: a copy of what a run of many files holds would be large.
Result<std::shared_ptr<const store::Run>> LookAtRun(const Parts& parts, const Principal& who,
                                                    std::string_view id);

// The same of one that has been analysed: its traces are known to be some. kNotFound otherwise.
Result<store::Run> ReadyRun(const Parts& parts, const Principal& who, std::string_view id);

// Of the runs that a query finds those that somebody may see.
void AddTeam(const Principal& who, store::RunQuery& query);

// Safe for many threads.
class Runs {
 public:
  // All of them outlive it.
  Runs(Parts& parts, Queue& queue, Uploads& uploads)
      : parts_(parts), queue_(queue), uploads_(uploads) {}

  api::Run Shown(const store::Run& run) const;
  // Tells who listens what a run's state is now.
  void Publish(const store::Run& run) const;
  // All its files are there: it is analysed. What is finished already stays so.
  Result<store::Run> Finish(const std::string& id);
  // Takes a run out of the store, the queue and the uploads, and tells who listens.
  Status Remove(const store::Run& run);

 private:
  Parts& parts_;
  Queue& queue_;
  Uploads& uploads_;
};

}  // namespace rankscope::service
