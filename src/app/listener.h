// Listener: gets the progress and notices of a running use case, and can stop it. Errors are
// returned by the use case, not reported here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::app {

struct ReadProgress {
  std::size_t files_done = 0;
  std::size_t files = 0;         // 0: one file; `bytes` is then an estimate
  std::uint64_t bytes_done = 0;  // of the (compressed) files on disk
  std::uint64_t bytes = 0;
};

// One of several runs in the named paths.
struct RunChoice {
  std::vector<std::int64_t> ranks;
  std::string device_name;
  std::vector<std::string> paths;  // paths of only this run: its folder, or its files
};

// Called by one thread at a time, except IsStopped, which any thread may call. The base class
// ignores everything.
class Listener {
 public:
  virtual ~Listener() = default;

  // Called at least ten times a second while files are read, and at the end.
  virtual void OnReading(const ReadProgress& /*progress*/) {}
  virtual void OnReadingDone() {}
  // A sentence for the caller.
  virtual void OnNotice(std::string_view /*sentence*/) {}
  // Files left out of the result, a sentence each; at least one.
  virtual void OnLeftOut(const std::vector<std::string>& /*sentences*/) {}

  // The named traces belong to several runs (at least two), which do not form one job. The error
  // that follows names them, too.
  virtual void OnSeveralRuns(const std::vector<RunChoice>& /*runs*/) {}

  // True ends reading and SQL early, with kCancelled.
  virtual bool IsStopped() const { return false; }
};

}  // namespace rankscope::app
