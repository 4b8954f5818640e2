// ProcessSampler: samples a process for a limited time, on its own thread.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cpu_profile/samples/profile.h"

namespace rankscope::cpu_profile {

class ProcessThreads;

struct SamplingOptions {
  pid_t pid = 0;
  std::int64_t begin_ns = 0;                // since the epoch; 0: now
  std::int64_t end_ns = 0;                  // 0: until Stop
  std::int64_t keep_ns = 60'000'000'000;    // older samples are dropped
  std::int64_t most_ns = 1200'000'000'000;  // maximum duration
  std::int64_t period_ns = 1'000'000'000 / 99;
  double most_of_core = 0.03;  // limit of its own cost: first samples less often, then ends
};

struct SamplingState {
  enum class State : std::uint8_t { kWaiting, kSampling, kDone, kOff } state = State::kWaiting;
  std::string reason;         // what is wrong, in sentences
  std::uint64_t samples = 0;  // of all threads
  std::uint64_t lost = 0;     // could not be read
  std::uint64_t missed = 0;   // skipped rounds: the host had no core for the sampler
  double of_core = 0;         // its cost, as a share of a core
};
std::string_view ToString(SamplingState::State state);  // "waiting", ...

class ProcessSampler {
 public:
  explicit ProcessSampler(const SamplingOptions& options);
  ~ProcessSampler();  // ends it and drops its samples

  // Thread-safe.
  SamplingState State() const;
  bool IsOver() const;
  // Ends it soon, without waiting.
  void Stop();
  // Ends it and waits, up to a few hundred milliseconds. Call once.
  std::vector<Profile> Take();

 private:
  struct Samplers;
  void Run();
  void SampleUntilEnd(Samplers& samplers, ProcessThreads& threads);
  void Finish(Samplers& samplers, ProcessThreads& threads);
  void Say(std::string sentence);
  // False: it should end.
  bool WaitUntil(std::int64_t time_ns);

  const SamplingOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  bool is_abandoned_ = false;
  SamplingState state_;
  std::vector<Profile> profiles_;
  std::thread thread_;
};

}  // namespace rankscope::cpu_profile
