// The threads of a process: their ids here and in its own namespace, and their names.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::cpu_profile {

struct ThreadOfProcess {
  pid_t id = 0;             // here
  std::int64_t inside = 0;  // in its own namespace
  std::string name;
};

// Parses /proc/PID/task/TID/status.
ThreadOfProcess ParseThreadStatus(pid_t id, std::string_view text);

class ProcessThreads {
 public:
  static constexpr std::size_t kMostThreads = 2000;

  explicit ProcessThreads(pid_t pid) : pid_(pid) {}
  // Looks for new threads; threads that ended are kept. Returns the ids of the new ones. Reads one
  // file per new thread.
  std::vector<pid_t> Refresh();
  // Reads the names again: threads are often named after they start.
  void RefreshNames();
  // All known threads, by their ids here.
  std::vector<ThreadOfProcess> All() const;
  // null: unknown.
  const ThreadOfProcess* Inside(std::int64_t inside) const;
  const ThreadOfProcess* Here(pid_t id) const;

 private:
  const pid_t pid_;
  std::map<pid_t, ThreadOfProcess> threads_;
  std::map<std::int64_t, pid_t> by_inside_;
};

}  // namespace rankscope::cpu_profile
