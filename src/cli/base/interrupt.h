// Turns Ctrl-C and SIGTERM into a request: work that can stop in good order checks whether the flag
// is set.
#pragma once

namespace rankscope::cli {

// While it exists, the first Ctrl-C sets the flag. A second one, before the flag is cleared, ends
// the process as it would without this class (main.cc). At most one instance at a time.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

  bool IsSet() const;
  void Clear() const;
  // Ends the process as shells expect after Ctrl-C.
  [[noreturn]] void EndProcess() const;

 private:
  void (*before_interrupt_)(int);
  void (*before_terminate_)(int);
};

}  // namespace rankscope::cli
