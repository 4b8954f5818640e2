// PerfRing: a perf event that samples the stack of one running thread, and its ring.
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
  // Event cpu-clock at `per_s`, with the frame-pointer chain of user space; times are
  // CLOCK_MONOTONIC. With kChainAndStack also registers and the first kStackBytes of the stack, if
  // a large enough ring can be allocated: see parts(). All such rings of this program use at most
  // kMostBytes. kIo with the reason when the kernel refuses.
  static constexpr std::uint32_t kStackBytes = 16 << 10;
  static constexpr std::size_t kMostBytes = std::size_t{48} << 20;
  static Result<std::unique_ptr<PerfRing>> Open(pid_t thread, std::uint64_t per_s, PerfParts parts);
  ~PerfRing();
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;

  PerfParts parts() const { return parts_; }
  // Appends the records since the last call.
  void Drain(std::vector<std::byte>& bytes);

 private:
  PerfRing(int event, void* pages, std::size_t bytes, PerfParts parts);

  const int event_;
  void* const pages_;
  const std::size_t bytes_;
  const PerfParts parts_;
};

}  // namespace rankscope::cpu_profile
