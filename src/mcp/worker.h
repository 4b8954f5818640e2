// Worker: an executor with one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "mcp/executor.h"

namespace rankscope::mcp {

class Worker final : public Executor {
 public:
  Worker();
  // What waits is dropped; what is under way is waited for.
  ~Worker() override;

  void Add(std::function<void()> work) override;
  // Drops what waits. True when nothing is under way any more, by the end of `time`.
  bool Stop(std::chrono::milliseconds time);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool is_busy_ = false;
  bool is_stopped_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace rankscope::mcp
