// Collector: reads each source at its interval, on its own thread, and keeps its last readings.
// Queries are answered from memory.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/base/now.h"
#include "agent/telemetry/snapshot.h"

namespace rankscope::agent {

struct SourceState {
  std::string_view name;
  std::uint64_t reads = 0;
  std::uint64_t errors = 0;      // reads that failed
  std::uint64_t unreadable = 0;  // fields that were no numbers
  bool is_up = false;            // the last read gave something
  std::string problem;           // of the last read that failed; empty when it did not
  std::int64_t read_ms = 0;      // steady, of the last that did not
};

class Collector {
 public:
  // `said` is told once when a source begins to fail, and once when it is back. It is called on the
  // collector's thread.
  Collector(std::string root, std::vector<Source> sources,
            std::function<void(std::string_view)> said, Clock clock = NowOfHost);
  ~Collector();

  // Reads all of them once, now: for tests and for a first answer.
  void ReadAll();
  // Reads until it is destroyed.
  void Start();

  // The last snapshots of the sources read, in their order; the snapshot of a source that is down
  // is empty. O(sources).
  Snapshots Last() const;
  std::vector<SourceState> States() const;

 private:
  void Read(std::size_t source);
  void Run();

  const std::string root_;
  const std::vector<Source> sources_;
  const std::function<void(std::string_view)> said_;
  const Clock clock_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::vector<SourceState> states_;
  Snapshots last_;  // null: not read yet
  std::thread thread_;
};

}  // namespace rankscope::agent
