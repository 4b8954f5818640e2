// How commands that serve end: by Ctrl-C, SIGTERM or SIGHUP, in good order.
#pragma once

namespace rankscope::cli {

// Before any thread is made, so that none of them is ended by what WaitForEndSignal waits for. A
// client that leaves is no reason to end.
void HoldEndSignals();
// Until one comes, or RaiseEndSignal is called.
void WaitForEndSignal();
// From any thread.
void RaiseEndSignal();

}  // namespace rankscope::cli
