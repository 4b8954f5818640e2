#include "mcp/wakeable_queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace rankscope::mcp {

WakeableQueue::WakeableQueue() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

WakeableQueue::~WakeableQueue() { close(wake_); }

void WakeableQueue::Add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof(one));
}

void WakeableQueue::RunAll() {
  std::vector<std::function<void()>> all;
  {
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof(count));
    all.swap(waiting_);
  }
  for (const auto& work : all) work();
}

}  // namespace rankscope::mcp
