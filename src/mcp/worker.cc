#include "mcp/worker.h"

#include <utility>

namespace rankscope::mcp {

Worker::Worker() : thread_([this] { Run(); }) {}

Worker::~Worker() {
  Stop(std::chrono::milliseconds(0));
  thread_.join();
}

void Worker::Add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) return;
  waiting_.push_back(std::move(work));
  changed_.notify_all();
}

bool Worker::Stop(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  is_stopped_ = true;
  waiting_.clear();
  changed_.notify_all();
  return changed_.wait_for(lock, time, [this] { return !is_busy_; });
}

void Worker::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_stopped_ || !waiting_.empty(); });
    if (is_stopped_) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    is_busy_ = true;
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace rankscope::mcp
