// CapturePartials: the partials of one stage over the selected captures of a job, in their order.
// A few captures ahead are read by all cores while the consumer works through them; a file that is
// lost meanwhile is passed over.
#pragma once

#include <cstddef>
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
  void ReadAhead();

  TraceFiles& files_;
  const std::vector<std::size_t>& file_of_capture_;
  const int threads_;
  const MapStage stage_;
  const std::shared_ptr<const JobContext> context_;
  std::vector<std::size_t> captures_;
  std::size_t next_ = 0;  // of captures_
  std::vector<Read> ahead_;
  std::size_t at_ = 0;  // of ahead_
};

}  // namespace rankscope
