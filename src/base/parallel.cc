#include "base/parallel.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/own_memory.h"

namespace rankscope {
namespace {

std::optional<std::uint64_t> NumberIn(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

// limit - used, where both are stated: "max" and absent files are no limit.
std::uint64_t LeftOf(const char* limit_path, const char* used_path) {
  const auto limit = NumberIn(limit_path);
  const auto used = NumberIn(used_path);
  if (!limit || !used) return UINT64_MAX;
  return *limit > *used ? *limit - *used : 0;
}

std::uint64_t AvailableInSystem() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  std::uint64_t kib = 0;
  while (file >> key >> kib) {
    if (key == "MemAvailable:") return kib * 1024;
    std::getline(file, unit);
  }
  return UINT64_MAX;
}

}  // namespace

void ParallelFor(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto take = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  const std::size_t wanted = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
  for (std::size_t i = 1; i < wanted; ++i) {
    try {
      helpers.emplace_back(take);
    } catch (const std::system_error&) {
      break;  // the system gives no more
    }
  }
  take();
  for (std::thread& helper : helpers) helper.join();
  if (thrown) std::rethrow_exception(thrown);
}

MemoryBudget::Share::Share(MemoryBudget& budget, std::uint64_t bytes)
    : budget_(budget), bytes_(std::min(bytes, budget.bytes_)) {
  std::unique_lock lock(budget_.mutex_);
  budget_.freed_.wait(
      lock, [&] { return budget_.shares_ == 0 || bytes_ <= budget_.bytes_ - budget_.taken_; });
  budget_.taken_ += bytes_;
  budget_.most_shares_ = std::max(budget_.most_shares_, ++budget_.shares_);
}

MemoryBudget::Share::~Share() {
  {
    const std::lock_guard lock(budget_.mutex_);
    budget_.taken_ -= bytes_;
    --budget_.shares_;
  }
  budget_.freed_.notify_all();
}

std::size_t MemoryBudget::most_at_once() const {
  const std::lock_guard lock(mutex_);
  return most_shares_;
}

std::uint64_t AvailableMemory() {
  return std::min({AvailableInSystem(), AvailableAddressSpace(), AvailableOwnMemory(),
                   LeftOf("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
                   LeftOf("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                          "/sys/fs/cgroup/memory/memory.usage_in_bytes")});
}

std::uint64_t AvailableAddressSpace() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  const auto pages = NumberIn("/proc/self/statm");  // the first number: mapped pages
  const std::uint64_t used = pages.value_or(0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

std::string AddressSpaceRemedy() {
  const char* const limit = std::getenv(kAddressSpaceLimitVariable);
  return std::string("raise ") + (limit == nullptr ? "ulimit -v" : limit);
}

std::string AddressSpaceHint() {
  if (std::getenv(kAddressSpaceLimitVariable) == nullptr) return "";
  return "; " + AddressSpaceRemedy();
}

int AffordableThreads(int wanted) {
  constexpr std::uint64_t kBytesPerThread = std::uint64_t{192} << 20;
  const std::uint64_t affordable = AvailableAddressSpace() / kBytesPerThread;
  return static_cast<int>(
      std::clamp<std::uint64_t>(affordable, 1, static_cast<std::uint64_t>(std::max(wanted, 1))));
}

}  // namespace rankscope
