// Listener: what a use case tells while it is at work, and who may stop it. Nothing of it is an
// error: those are what the use case returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::app {

struct ReadProgress {
  std::size_t files_done = 0;
  std::size_t files = 0;         // 0: one file, of which `bytes` is a guess
  std::uint64_t bytes_done = 0;  // of the files as they lie on disk
  std::uint64_t bytes = 0;
};

// One of several runs among what was named.
struct RunChoice {
  std::vector<std::int64_t> ranks;
  std::string device_name;
  std::vector<std::string> paths;  // that name it and nothing else: its folder, or its files
};

// Called by one thread at a time, but for IsStopped, which any thread may ask. Tells nobody unless
// it is derived from.
class Listener {
 public:
  virtual ~Listener() = default;

  // While files are read, some ten times a second or more; and when that is over.
  virtual void OnReading(const ReadProgress& /*progress*/) {}
  virtual void OnReadingDone() {}
  // What the caller should know, a sentence.
  virtual void OnNotice(std::string_view /*sentence*/) {}
  // Files that are no part of what was made, a sentence each; at least one.
  virtual void OnLeftOut(const std::vector<std::string>& /*sentences*/) {}

  // What was named are traces of several runs, which make no job together: at least two. The error
  // that follows names them, too.
  virtual void OnSeveralRuns(const std::vector<RunChoice>& /*runs*/) {}

  // True ends reading and SQL early, with kCancelled.
  virtual bool IsStopped() const { return false; }
};

}  // namespace rankscope::app
