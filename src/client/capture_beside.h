// A capture that a server leads, followed on a thread of its own while the caller does something
// else: sends load, above all.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "base/status.h"
#include "client/capture_job.h"

namespace rankscope::client {

// What became of a capture.
struct CapturedBeside {
  Result<std::string> run;  // its id; the error where there is none
  std::uint64_t files = 0;
  std::string problem;  // the first of what is odd or did not come; "" nothing
};

class CaptureBeside {
 public:
  // The server is this object's until End. `is_stopped` is asked from its thread; when it says so
  // the capture is cancelled.
  CaptureBeside(Server& server, capture::CaptureRequest request, std::function<bool()> is_stopped);
  // Cancels it and waits for that.
  ~CaptureBeside();
  CaptureBeside(const CaptureBeside&) = delete;
  CaptureBeside& operator=(const CaptureBeside&) = delete;

  // From the begin until all processes have recorded, or nothing comes of it.
  bool NeedsWork() const { return !is_recorded_; }
  // Blocks until the run has its files. Once.
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
