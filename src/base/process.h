// Other programs: started, waited for, ended with all that they started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace rankscope {

struct ProcessSpec {
  std::vector<std::string> words;                  // the program, by PATH, and its arguments
  std::map<std::string, std::string> environment;  // beside this process's own; "" is a value
  std::string folder;                              // it starts there
  // A file for all that it prints, appended to; "": it prints where this process does, and reads
  // what this one would read, but for a terminal.
  std::string log;
  // Descriptors that become its standard input and output; -1: as above.
  int input = -1;
  int output = -1;
  // Not of this process's terminal: Ctrl-C does not reach it, and it outlives the terminal.
  bool has_own_session = false;
};

// The command and all that it starts are one process group, whose leader it is, and of which
// nothing is left when this object is gone.
class Process {
 public:
  // kNotFound where there is no such program, kIo where it cannot be started.
  static Result<Process> Start(const ProcessSpec& spec);
  Process(Process&& other) noexcept
      : leader_(std::exchange(other.leader_, -1)),
        status_(other.status_),
        is_reaped_(other.is_reaped_) {}
  Process& operator=(Process&& other) noexcept;
  ~Process() { Kill(); }

  pid_t group() const { return leader_; }
  // Of the leader. Does not wait.
  bool HasEnded();
  // Of one that has ended: 128 + the signal where one ended it.
  int exit_code() const;
  // SIGTERM for the group, and SIGKILL for what is left of it after `patience`.
  void Stop(std::chrono::milliseconds patience);
  void Kill();
  // It lives on by itself, and nobody waits for it.
  void Release() { leader_ = -1; }

 private:
  explicit Process(pid_t leader) : leader_(leader) {}

  pid_t leader_;  // -1: none
  int status_ = 0;
  bool is_reaped_ = false;
};

struct ProcessEnd {
  int exit_code = 0;
  bool ran_too_long = false;
  double seconds = 0;
};

// Runs it to its end or for `limit`. `is_stopped` is asked twenty times a second: kCancelled then.
Result<ProcessEnd> RunProcess(const ProcessSpec& spec, std::chrono::nanoseconds limit,
                              const std::function<bool()>& is_stopped);

}  // namespace rankscope
