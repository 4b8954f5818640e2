// NativeSampler: native stacks of a process's running threads, from perf events.
//
// Each stack is unwound in two ways: with call frame information (stack_walk.h) from a stack copy
// that the kernel makes with the sample, and with the kernel's chain of frame pointers. The longer
// result is used, since most Pythons and libraries are built without frame pointers. Copies are
// unwound when rings are emptied, and not kept. If unwinding costs too much, only the chains
// continue.
//
// Each thread has its own event and ring, since an event that new threads inherit cannot have a
// ring. New threads are searched from time to time, so the first second of a thread may be missing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "cpu_profile/native/perf_records.h"
#include "cpu_profile/native/perf_ring.h"
#include "cpu_profile/native/process_rules.h"
#include "cpu_profile/samples/process_threads.h"
#include "cpu_profile/samples/profile.h"

namespace rankscope::cpu_profile {

class NativeSampler {
 public:
  // kIo with the reason. `threads` must outlive it.
  static Result<std::unique_ptr<NativeSampler>> Start(pid_t pid, std::int64_t period_ns,
                                                      const ProcessThreads& threads);

  void Watch(std::span<const pid_t> threads);
  // Empties the rings; call at least fifteen times per second, otherwise they overflow.
  void Drain();
  void DropBefore(std::int64_t time_ns);
  std::uint64_t samples() const { return samples_.size(); }
  std::uint64_t lost() const { return lost_; }
  // A further remark in one sentence; empty: none.
  std::string Note() const;
  // Adds names; reads the mapped files.
  Profile Take();

 private:
  static constexpr std::size_t kMostThreads = 1000;
  static constexpr std::size_t kMostSamples = 2'000'000;
  static constexpr std::size_t kMostAddresses = 10'000'000;  // in all stacks
  static constexpr std::size_t kMostCopies = 32;             // threads whose stacks are copied
  static constexpr double kMostOfCore = 0.015;               // share of a core for unwinding

  struct RawSample {
    std::int64_t time_ns = 0;
    pid_t thread = 0;
    std::uint32_t stack = 0;
  };

  NativeSampler(pid_t pid, std::int64_t period_ns, const ProcessThreads& threads);
  PerfParts PartsOfNext() const;
  void Add(const PerfSample& sample);
  const std::vector<std::uint64_t>& StackOf(const PerfSample& sample);
  void WatchCost();

  const pid_t pid_;
  const std::int64_t period_ns_;
  const ProcessThreads& threads_;
  std::int64_t ahead_ns_ = 0;  // wall clock minus the events' clock
  std::map<pid_t, std::unique_ptr<PerfRing>> rings_;
  ProcessRules rules_;
  bool walks_ = true;
  std::vector<std::uint64_t> walked_;
  std::uint64_t walks_begun_ = 0, walks_cut_ = 0;
  std::int64_t walked_cpu_ns_ = 0, looked_cpu_ns_ = 0, looked_ns_ = 0;
  std::vector<std::byte> bytes_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> stacks_;
  std::size_t addresses_ = 0;
  std::vector<RawSample> samples_;
  std::uint64_t lost_ = 0;
};

}  // namespace rankscope::cpu_profile
