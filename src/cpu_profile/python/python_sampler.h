// PythonSampler: the stacks of a process's Python threads, all threads in one sample. For a thread
// that does not run, the innermost frame is its state in the kernel, "(sleeping)" for example
// (samples/thread_state.h).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "cpu_profile/python/python_reader.h"
#include "cpu_profile/samples/process_threads.h"

namespace rankscope::cpu_profile {

class PythonSampler {
 public:
  // kNotFound, kIo: it cannot be sampled, with the reason. `threads` must outlive it.
  static Result<std::unique_ptr<PythonSampler>> Start(pid_t pid, std::int64_t period_ns,
                                                      const ProcessThreads& threads);

  // False: the process has ended.
  bool TakeSample();
  // Drops samples before this time.
  void DropBefore(std::int64_t time_ns);
  std::uint64_t samples() const { return profile_.samples.size(); }
  std::uint64_t lost() const { return reader_.torn(); }
  void set_period(std::int64_t period_ns) { profile_.period_ns = period_ns; }
  Profile Take();

 private:
  static constexpr std::size_t kMostSamples = 3'000'000;

  PythonSampler(pid_t pid, std::int64_t period_ns, const ProcessThreads& threads,
                const PythonPlace& place);

  // The thread's stack; if it does not run, with what it waits for as the innermost frame.
  Node WithState(const PythonThread& thread);

  const pid_t pid_;
  const ProcessThreads& threads_;
  ProcessMemory memory_;
  PagedMemory paged_;
  Profile profile_;
  PythonReader reader_;
  std::vector<PythonThread> now_;
  std::unordered_map<std::int64_t, std::uint32_t> known_;  // index in the profile's threads
};

}  // namespace rankscope::cpu_profile
