// CapturePartials: the partials of one stage over the selected captures of a job, in their order.
// Captures are read by all cores, a few at a time, while the consumer works through those before
// them; a file that is lost meanwhile is passed over. For one consumer.
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "engine/trace_files.h"
#include "stage/analysis.h"

namespace rankscope {

class CapturePartials : public PartialStream {
 public:
  // `files` and `file_of_capture`, which has the file of each capture of `context`, outlive it.
  CapturePartials(TraceFiles& files, const std::vector<std::size_t>& file_of_capture, int threads,
                  MapStage stage, std::shared_ptr<const JobContext> context);

  Result<bool> Next(Partial& partial) override;

 private:
  struct Read {
    std::size_t capture = 0;
    std::optional<std::vector<Table>> tables;
  };
  using Batch = std::vector<Read>;
  // The captures [first, first + kPerThread * threads), or as far as there are any.
  Batch ReadFrom(std::size_t first) const;
  // The next batch is at hand, and the one behind it on its way.
  void TakeNext();

  TraceFiles& files_;
  const std::vector<std::size_t>& file_of_capture_;
  const int threads_;
  const MapStage stage_;
  const std::shared_ptr<const JobContext> context_;
  std::vector<std::size_t> captures_;
  std::size_t next_ = 0;  // of captures_: the first that nobody reads yet
  Batch batch_;
  std::size_t at_ = 0;  // of batch_
  // The batch behind it. Last: it is waited for before what it reads from is gone.
  std::future<Batch> coming_;
};

}  // namespace rankscope
