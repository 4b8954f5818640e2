// Work on several cores, and how much memory it may take.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

namespace rankscope {

// Calls work(i) for every i below `count`, on up to `threads` threads, the caller's among them, in
// no particular order. Fewer threads serve when the system gives no more. When `work` throws, what
// has not begun is left out, and the caller gets the first exception.
void ParallelFor(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

// Bounds what runs at once by the memory that each is thought to need. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : bytes_(bytes) {}

  // Waits until there is room for `bytes`, or nothing else runs: what is larger than the budget
  // runs alone. Lives as long as the work does.
  class Share {
   public:
    Share(MemoryBudget& budget, std::uint64_t bytes);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    MemoryBudget& budget_;
    std::uint64_t bytes_;
  };

  // The most shares there were at once.
  std::size_t most_at_once() const;

 private:
  const std::uint64_t bytes_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::uint64_t taken_ = 0;
  std::size_t shares_ = 0;
  std::size_t most_shares_ = 0;
};

// What the process may still use, in bytes: what the system says is available, and no more than its
// control group leaves (cgroup v2 or v1). UINT64_MAX when neither says.
std::uint64_t AvailableMemory();

// Bytes of address space that the process may still map, as `ulimit -v` leaves it; UINT64_MAX
// without such a limit.
std::uint64_t AvailableAddressSpace();

// `wanted` threads, or as many as the address space has room for: each takes a stack and an arena
// of the allocator, however little it uses of them. At least 1.
int AffordableThreads(int wanted);

}  // namespace rankscope
