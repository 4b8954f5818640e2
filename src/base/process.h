// Starts other programs, waits for them, and ends them together with their child processes.
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
  // A file to which its output is appended. "": it prints to this process's output, and reads this
  // process's input unless that is a terminal.
  std::string log;
  // Descriptors that become its standard input and output; -1: as above.
  int input = -1;
  int output = -1;
  // Detached from this process's terminal: Ctrl-C does not reach it, and it outlives the terminal.
  bool has_own_session = false;
};

// The command leads a process group of its own, which includes its child processes. Nothing of the
// group is left when this object is destroyed.
class Process {
 public:
  // kNotFound if there is no such program, kIo if it cannot be started.
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
  // Of a program that has ended; 128 + the signal if a signal ended it.
  int exit_code() const;
  // Sends SIGTERM to the group, and SIGKILL to what is left of it after `patience`.
  void Stop(std::chrono::milliseconds patience);
  void Kill();
  // It keeps running by itself, and nobody waits for it.
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
