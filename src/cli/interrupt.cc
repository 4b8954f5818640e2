#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "base/file.h"

namespace rankscope::cli {
namespace {

std::atomic<bool> is_set{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void End() {
  RemoveUnfinishedFiles();
  signal(SIGINT, SIG_DFL);
  raise(SIGINT);
}

void OnInterrupt(int) {
  if (is_set.exchange(true)) End();
}

}  // namespace

InterruptFlag::InterruptFlag() {
  is_set = false;
  struct sigaction action {};
  struct sigaction old {};
  action.sa_handler = OnInterrupt;
  // No SA_RESTART: who waits for a line of input is told.
  sigaction(SIGINT, &action, &old);
  before_ = old.sa_handler;
}

InterruptFlag::~InterruptFlag() { signal(SIGINT, before_); }

bool InterruptFlag::IsSet() const { return is_set; }
void InterruptFlag::Clear() const { is_set = false; }

void InterruptFlag::EndProcess() const {
  End();
  _exit(128 + SIGINT);
}

}  // namespace rankscope::cli
