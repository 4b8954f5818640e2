#include "client/wait.h"

#include <algorithm>
#include <thread>

namespace rankscope::client {

void RealWait::Sleep(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

bool SleepUnlessStopped(Wait& wait, std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds kPiece{50};
  for (auto left = time; left.count() > 0; left -= kPiece) {
    if (wait.IsStopped()) return false;
    wait.Sleep(std::min(left, kPiece));
  }
  return true;
}

}  // namespace rankscope::client
