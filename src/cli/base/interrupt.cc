#include "cli/base/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "base/file.h"

namespace rankscope::cli {
namespace {

// The signal that came; 0: none.
std::atomic<int> came{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");

void End(int number) {
  RemoveUnfinishedFiles();
  signal(number, SIG_DFL);
  raise(number);
}

void OnInterrupt(int number) {
  if (came.exchange(number) != 0) End(number);
}

using Handler = void (*)(int);

Handler Handle(int number) {
  struct sigaction action {};
  struct sigaction old {};
  action.sa_handler = OnInterrupt;
  // No SA_RESTART: who waits for a line of input is told.
  sigaction(number, &action, &old);
  return old.sa_handler;
}

}  // namespace

InterruptFlag::InterruptFlag() {
  came = 0;
  before_interrupt_ = Handle(SIGINT);
  before_terminate_ = Handle(SIGTERM);
}

InterruptFlag::~InterruptFlag() {
  signal(SIGINT, before_interrupt_);
  signal(SIGTERM, before_terminate_);
}

bool InterruptFlag::IsSet() const { return came != 0; }
void InterruptFlag::Clear() const { came = 0; }

void InterruptFlag::EndProcess() const {
  const int number = came == 0 ? SIGINT : came.load();
  End(number);
  _exit(128 + number);
}

}  // namespace rankscope::cli
