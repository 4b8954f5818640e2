// NativeSampler: the native stacks of a process's threads, by perf events, while they run.
//
// A stack is walked by call frame information (stack_walk.h), from a copy of it that the kernel
// makes with the sample, and by the kernel's chain of frame pointers; the longer one is taken: what
// most Pythons and libraries are built without are frame pointers. Copies are walked as rings are
// emptied, and not kept. Where walking costs too much, the chains alone go on.
//
// A thread has an event and a ring of its own: an event that its new threads inherit cannot have
// one. New threads are looked for now and then, so the first second of a thread may be missing.
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
  // kIo with the reason. `threads` outlives it.
  static Result<std::unique_ptr<NativeSampler>> Start(pid_t pid, std::int64_t period_ns,
                                                      const ProcessThreads& threads);

  void Watch(std::span<const pid_t> threads);
  // Takes what the rings have: at least fifteen times a second, else they overflow.
  void Drain();
  void DropBefore(std::int64_t time_ns);
  std::uint64_t samples() const { return samples_.size(); }
  std::uint64_t lost() const { return lost_; }
  // What is to be known of it besides, a sentence; empty: nothing.
  std::string Note() const;
  // With names; reads the files that are mapped.
  Profile Take();

 private:
  static constexpr std::size_t kMostThreads = 1000;
  static constexpr std::size_t kMostSamples = 2'000'000;
  static constexpr std::size_t kMostAddresses = 10'000'000;  // in all stacks
  static constexpr std::size_t kMostCopies = 32;             // threads whose stacks are copied
  static constexpr double kMostOfCore = 0.015;               // for walking

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
  std::int64_t ahead_ns_ = 0;  // of the wall's clock before the events'
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
