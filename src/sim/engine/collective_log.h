// CollectiveLog: what really happened at every collective and send of a rank. A CSV file next to
// the rank's trace:
//
//   group,sequence,op,bytes,correlation,begin_ns,last_begin_ns,end_ns
//
// Times are true times since the job's start. The rank's kernel ran from begin_ns to end_ns; the
// last member began at last_begin_ns. The kernel waited for last_begin_ns - begin_ns, and the
// transfer took the rest. `group` is an index into truth.json's groups; `sequence` counts the
// rank's communications in the group from 1.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/status.h"

namespace rankscope::sim {

struct LoggedCollective {
  int group = 0;
  std::int64_t sequence = 0;
  std::string_view op;
  std::int64_t bytes = 0;
  std::int64_t correlation = 0;
  std::int64_t begin_ns = 0;
  std::int64_t last_begin_ns = 0;
  std::int64_t end_ns = 0;
};

// The first error is kept, and Finish returns it. The file appears only after Finish.
class CollectiveLog {
 public:
  static Result<std::unique_ptr<CollectiveLog>> Create(const std::string& path);

  void Add(const LoggedCollective& collective);
  Status Finish();

 private:
  explicit CollectiveLog(std::unique_ptr<AtomicFile> file);
  void Flush();

  std::unique_ptr<AtomicFile> file_;
  std::string text_;
  Status status_;
};

}  // namespace rankscope::sim
