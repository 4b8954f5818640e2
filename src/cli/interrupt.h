// Ctrl-C, and SIGTERM, as a wish instead of an end: work that can stop in good order looks whether
// it is set.
#pragma once

namespace rankscope::cli {

// While it lives, the first Ctrl-C sets the flag; a second one, before the flag was cleared, ends
// the process as it does without (main.cc). One at a time.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

  bool IsSet() const;
  void Clear() const;
  // As a shell expects of a program that Ctrl-C has stopped.
  [[noreturn]] void EndProcess() const;

 private:
  void (*before_interrupt_)(int);
  void (*before_terminate_)(int);
};

}  // namespace rankscope::cli
