#include "cli/base/end_signals.h"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace rankscope::cli {
namespace {

sigset_t EndSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

void HoldEndSignals() {
  const sigset_t set = EndSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void WaitForEndSignal() {
  const sigset_t set = EndSignals();
  int signal = 0;
  sigwait(&set, &signal);
}

void RaiseEndSignal() { kill(getpid(), SIGTERM); }

}  // namespace rankscope::cli
