// The threads of a process: their numbers here and in its own namespace, and their names.
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

// The text of /proc/PID/task/TID/status.
ThreadOfProcess ParseThreadStatus(pid_t id, std::string_view text);

class ProcessThreads {
 public:
  static constexpr std::size_t kMostThreads = 2000;

  explicit ProcessThreads(pid_t pid) : pid_(pid) {}
  // Looks again; those that ended are kept. Returns the ids of threads that were not known. One
  // file for each new thread.
  std::vector<pid_t> Refresh();
  // Reads the names anew: threads get theirs after they begin.
  void RefreshNames();
  // Those that are known, in the order of their ids here.
  std::vector<ThreadOfProcess> All() const;
  // null: not known.
  const ThreadOfProcess* Inside(std::int64_t inside) const;
  const ThreadOfProcess* Here(pid_t id) const;

 private:
  const pid_t pid_;
  std::map<pid_t, ThreadOfProcess> threads_;
  std::map<std::int64_t, pid_t> by_inside_;
};

}  // namespace rankscope::cpu_profile
