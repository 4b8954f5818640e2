// WakeableQueue: an executor for a thread that waits in poll().
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "mcp/executor.h"

namespace rankscope::mcp {

class WakeableQueue final : public Executor {
 public:
  WakeableQueue();
  ~WakeableQueue() override;

  void Add(std::function<void()> work) override;
  // Runs all work that was added so far; call on the thread that owns the queue.
  void RunAll();
  // A descriptor that is readable while work is pending.
  int wake() const { return wake_; }

 private:
  const int wake_;
  std::mutex mutex_;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace rankscope::mcp
