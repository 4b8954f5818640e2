// CapturePartials: the partials of one stage over the selected captures of a job, in their order.
// Captures are read by all cores, a few ahead of the consumer, who works meanwhile; a file that is
// lost is passed over. For one consumer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/trace_files.h"
#include "stage/analysis.h"

namespace rankscope {

class CapturePartials : public PartialStream {
 public:
  // `files` and `file_of_capture`, which has the file of each capture of `context`, outlive it.
  CapturePartials(TraceFiles& files, const std::vector<std::size_t>& file_of_capture, int threads,
                  MapStage stage, std::shared_ptr<const JobContext> context);
  // Waits for what is being read.
  ~CapturePartials() override;

  // Throws what reading the capture threw.
  Result<bool> Next(Partial& partial) override;

 private:
  // What became of a capture. Neither tables nor an exception: its file was lost.
  struct Read {
    bool is_done = false;
    std::optional<std::vector<Table>> tables;
    std::exception_ptr thrown;
  };
  Read ReadCapture(std::size_t index) const;  // of captures_
  // On a thread of its own: reads what nobody reads yet, as long as there is room ahead.
  void ReadAhead();
  Read WaitFor(std::size_t index);

  TraceFiles& files_;
  const std::vector<std::size_t>& file_of_capture_;
  const MapStage stage_;
  const std::shared_ptr<const JobContext> context_;
  std::vector<std::size_t> captures_;
  std::size_t at_ = 0;  // of captures_: the one that Next gives

  std::mutex mutex_;  // of all below, but for readers_
  std::condition_variable room_;
  std::condition_variable came_;
  std::vector<Read> ahead_;  // a ring: captures_[i] at i modulo its size
  std::size_t next_ = 0;     // of captures_: the first that nobody reads yet
  std::size_t taken_ = 0;    // of captures_: the first that still lies in the ring, or will
  bool is_ending_ = false;
  std::vector<std::thread> readers_;  // none: captures are read when they are asked for
};

}  // namespace rankscope
