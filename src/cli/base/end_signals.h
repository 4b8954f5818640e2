// Orderly end of commands that serve: by Ctrl-C, SIGTERM or SIGHUP.
#pragma once

namespace rankscope::cli {

// Call before any thread is created, so that the signals of WaitForEndSignal do not kill a thread.
// Also ignores the signal for a client that disconnects.
void HoldEndSignals();
// Blocks until a signal arrives, or RaiseEndSignal is called.
void WaitForEndSignal();
// Thread-safe.
void RaiseEndSignal();

}  // namespace rankscope::cli
