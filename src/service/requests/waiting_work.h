// WaitingWork: blocking work, as replies that hold none of the server's threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "http/message.h"

namespace rankscope::service {

// Safe for many threads.
class WaitingWork {
 public:
  // `threads` work at once; while `most_waiting` wait for one, more work is refused with 429.
  WaitingWork(std::size_t threads, std::size_t most_waiting);
  // Drops waiting work; tells running work to stop and waits for it.
  ~WaitingWork();
  WaitingWork(const WaitingWork&) = delete;
  WaitingWork& operator=(const WaitingWork&) = delete;

  struct Work {
    std::function<http::Reply()> run;  // in one of its threads
    std::function<void()> stop;        // from any thread, also before and behind `run`
  };
  http::Reply Reply(Work work, std::chrono::milliseconds time);

 private:
  class Task;

  void Serve();
  bool Add(std::shared_ptr<Task> task);

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Task>> waiting_;
  std::vector<std::shared_ptr<Task>> at_work_;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;  // last: they use the others
};

}  // namespace rankscope::service
