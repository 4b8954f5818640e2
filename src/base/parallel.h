// Work on several cores, and limits for its memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace rankscope {

// Calls work(i) for every i below `count`, on up to `threads` threads including the caller's, in no
// particular order. It uses fewer threads if the system gives no more. If `work` throws, calls that
// have not begun are skipped, and the caller gets the first exception.
void ParallelFor(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

// Limits the work that runs at once by its expected memory. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : bytes_(bytes) {}

  // Waits until there is room for `bytes` or nothing else runs: work larger than the budget runs
  // alone. Lives as long as the work.
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

  // The largest number of shares that existed at once.
  std::size_t most_at_once() const;

 private:
  const std::uint64_t bytes_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::uint64_t taken_ = 0;
  std::size_t shares_ = 0;
  std::size_t most_shares_ = 0;
};

// Bytes that the process may still use: the memory that the system reports as available, but at
// most what the control group leaves (cgroup v2 or v1). UINT64_MAX if neither is known.
std::uint64_t AvailableMemory();

// Bytes of address space that the process may still map, as `ulimit -v` leaves it; UINT64_MAX
// without such a limit.
std::uint64_t AvailableAddressSpace();

// The environment variable by which a process that limits the address space of a child says what
// people raise instead of `ulimit -v`: "--memory of rankscope worker".
inline constexpr const char* kAddressSpaceLimitVariable = "RANKSCOPE_ADDRESS_SPACE_LIMIT";
// "raise ulimit -v", or what that variable names.
std::string AddressSpaceRemedy();
// For the end of a sentence that says that memory ran out: "; raise ...", or "" if no variable
// says what limits it.
std::string AddressSpaceHint();

// `wanted` threads, or as many as fit into the address space: each takes a stack and an arena of
// the allocator, however little of them it uses. At least 1.
int AffordableThreads(int wanted);

}  // namespace rankscope
