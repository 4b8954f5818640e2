// PerfRing: a perf event of one thread, which samples its stack while it runs, and its ring.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "cpu_profile/native/perf_records.h"

namespace rankscope::cpu_profile {

class PerfRing {
 public:
  // cpu-clock at `per_s`, with the chain of frame pointers of user space; times are of
  // CLOCK_MONOTONIC. With kChainAndStack also registers and the first kStackBytes of the stack,
  // where a ring for them can be had: parts() says. All such rings of this program take up to
  // kMostBytes. kIo with the reason when the kernel does not permit it.
  static constexpr std::uint32_t kStackBytes = 16 << 10;
  static constexpr std::size_t kMostBytes = std::size_t{48} << 20;
  static Result<std::unique_ptr<PerfRing>> Open(pid_t thread, std::uint64_t per_s, PerfParts parts);
  ~PerfRing();
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;

  PerfParts parts() const { return parts_; }
  // Appends the records that came since.
  void Drain(std::vector<std::byte>& bytes);

 private:
  PerfRing(int event, void* pages, std::size_t bytes, PerfParts parts);

  const int event_;
  void* const pages_;
  const std::size_t bytes_;
  const PerfParts parts_;
};

}  // namespace rankscope::cpu_profile
