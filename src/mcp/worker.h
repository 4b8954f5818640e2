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
  // Drops queued work and waits for running work.
  ~Worker() override;

  void Add(std::function<void()> work) override;
  // Drops queued work. True if running work ends within `time`.
  bool Stop(std::chrono::milliseconds time);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool is_busy_ = false;
  bool is_stopped_ = false;
  std::thread thread_;  // last member: it uses the others
};

}  // namespace rankscope::mcp
