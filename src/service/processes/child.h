// A program as a child process, bounded in time and memory, that leaves nothing behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::service {

struct ChildCommand {
  std::vector<std::string> words;      // the program's path, then its arguments
  std::string folder;                  // it works in; existing
  std::vector<std::string> variables;  // "NAME=VALUE": its whole environment
  std::string output_file;             // standard output; "" is nowhere
  std::string error_file;              // standard error
  std::uint64_t memory_bytes = 0;      // of address space; 0: any
  std::uint64_t most_file_bytes = 0;   // that it may write to one file; 0: any
  std::chrono::seconds cpu_time{0};    // 0: any
  int nice = 5;
  // Where it may write; all else is read-only to it, by the kernel's Landlock. Empty: anywhere.
  std::vector<std::string> writable;
};

struct ChildEnd {
  int exit_code = -1;                // -1 when a signal ended it
  int signal = 0;                    // 0 when it ended itself
  std::chrono::milliseconds cpu{0};  // of all its processes that were waited for
  bool ok() const { return signal == 0 && exit_code == 0; }
};
// "it ended with 1", "it was killed (SIGKILL)", "it used more processor time than it may
// (SIGXCPU)".
std::string Describe(const ChildEnd& end);

// Whether the kernel confines children; without it `writable` is not kept.
bool CanConfine();

// A running child and all its descendants: killed with the object. When this process ends, the
// child does too; the kernel ties that to the thread that started it, so that thread must live as
// long.
class Child {
 public:
  static Result<std::unique_ptr<Child>> Start(const ChildCommand& command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Becomes readable when the child has ended. Owned by the object.
  int descriptor() const { return descriptor_; }
  // Waits up to `time`; false if it still runs.
  bool WaitFor(std::chrono::milliseconds time) const;
  // Kills it and all that it started. May be called several times.
  void Kill();
  // Waits for its end; what it started and left running is killed.
  ChildEnd End();

 private:
  Child(pid_t pid, int descriptor) : pid_(pid), descriptor_(descriptor) {}
  pid_t pid_;
  int descriptor_;
  bool has_ended_ = false;
  ChildEnd end_;
};

}  // namespace rankscope::service
