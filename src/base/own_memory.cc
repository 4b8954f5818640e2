#include "base/own_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace rankscope {
namespace {

// What RLIMIT_DATA counts, and the first stack: the sixth number, in pages.
std::uint64_t TakenNow() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  for (int i = 0; i < 6; ++i) file >> pages;
  return file ? pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

void BoundOwnMemory(std::uint64_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const std::uint64_t taken = TakenNow();
  if (bytes >= RLIM_INFINITY - taken) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, taken + bytes);
  setrlimit(RLIMIT_DATA, &limit);
}

std::uint64_t AvailableOwnMemory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  const std::uint64_t taken = TakenNow();
  return limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
}

}  // namespace rankscope
