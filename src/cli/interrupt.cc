#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "base/file.h"

namespace rankscope::cli {
namespace {

std::atomic<bool> is_set{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void End(int number) {
  RemoveUnfinishedFiles();
  signal(number, SIG_DFL);
  raise(number);
}

void OnInterrupt(int number) {
  if (is_set.exchange(true)) End(number);
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
  is_set = false;
  before_interrupt_ = Handle(SIGINT);
  before_terminate_ = Handle(SIGTERM);
}

InterruptFlag::~InterruptFlag() {
  signal(SIGINT, before_interrupt_);
  signal(SIGTERM, before_terminate_);
}

bool InterruptFlag::IsSet() const { return is_set; }
void InterruptFlag::Clear() const { is_set = false; }

void InterruptFlag::EndProcess() const {
  End(SIGINT);
  _exit(128 + SIGINT);
}

}  // namespace rankscope::cli
