// A capture led by a server, followed on a separate thread while the caller does other work, mainly
// sending load.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "base/status.h"
#include "client/capture_job.h"

namespace rankscope::client {

// The result of a capture.
struct CapturedBeside {
  Result<std::string> run;  // its id, or the error
  std::uint64_t files = 0;
  std::string problem;  // the first problem or missing file; "" for none
};

class CaptureBeside {
 public:
  // This object owns the server until End. `is_stopped` is called from its thread; if it returns
  // true, the capture is cancelled.
  CaptureBeside(Server& server, capture::CaptureRequest request, std::function<bool()> is_stopped);
  // Cancels the capture and waits for that.
  ~CaptureBeside();
  CaptureBeside(const CaptureBeside&) = delete;
  CaptureBeside& operator=(const CaptureBeside&) = delete;

  // True from the begin until all processes have recorded, or the capture has failed.
  bool NeedsWork() const { return !is_recorded_; }
  // Blocks until the run has its files. Call it once.
  CapturedBeside End();

 private:
  void Run();

  Server& server_;
  const capture::CaptureRequest request_;
  const std::function<bool()> is_stopped_;
  std::atomic<bool> is_recorded_ = false, is_given_up_ = false;
  std::optional<CapturedBeside> captured_;  // of the thread, until it is joined
  std::thread thread_;
};

}  // namespace rankscope::client
