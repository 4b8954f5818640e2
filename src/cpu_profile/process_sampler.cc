#include "cpu_profile/process_sampler.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/caught.h"
#include "cpu_profile/native/native_sampler.h"
#include "cpu_profile/python/python_sampler.h"
#include "cpu_profile/samples/clock.h"
#include "cpu_profile/samples/process_threads.h"
#include "cpu_profile/samples/rounds.h"

namespace rankscope::cpu_profile {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLongestPeriod = kSecond / 10;
constexpr std::int64_t kDrainEvery = kSecond / 20;

// How often samples may be taken, by what the first ones cost.
class Pace {
 public:
  Pace(std::int64_t period_ns, double most_of_core)
      : period_ns_(period_ns), most_of_core_(most_of_core) {}

  std::int64_t period_ns() const { return period_ns_; }
  double of_core() const { return of_core_; }
  // A sample was taken. False: they cost too much however seldom they are.
  bool Took(std::int64_t now_ns) {
    ++samples_;
    const std::int64_t cpu_ns = ThreadTime();
    if (samples_ == kCold) {
      cold_cpu_ns_ = last_cpu_ns_ = cpu_ns;
      cold_ns_ = last_ns_ = now_ns;
    }
    if (samples_ == kCold + kMeasured) {
      const double each = static_cast<double>(cpu_ns - cold_cpu_ns_) / kMeasured;
      const auto affordable = static_cast<std::int64_t>(each / most_of_core_);
      if (affordable > kLongestPeriod) return false;
      period_ns_ = std::max(period_ns_, affordable);
    }
    if (samples_ < kCold + kMeasured || now_ns - last_ns_ < kSecond) return true;
    of_core_ = static_cast<double>(cpu_ns - cold_cpu_ns_) / static_cast<double>(now_ns - cold_ns_);
    const double lately =
        static_cast<double>(cpu_ns - last_cpu_ns_) / static_cast<double>(now_ns - last_ns_);
    last_cpu_ns_ = cpu_ns;
    last_ns_ = now_ns;
    return lately < 2 * most_of_core_;
  }

 private:
  static constexpr int kCold = 3;      // they read every name for the first time
  static constexpr int kMeasured = 5;  // behind them

  std::int64_t period_ns_;
  const double most_of_core_;
  int samples_ = 0;
  std::int64_t cold_cpu_ns_ = 0, cold_ns_ = 0, last_cpu_ns_ = 0, last_ns_ = 0;
  double of_core_ = 0;
};

}  // namespace

struct ProcessSampler::Samplers {
  std::unique_ptr<PythonSampler> python;  // null: off
  std::unique_ptr<NativeSampler> native;

  void DropBefore(std::int64_t time_ns) const {
    if (python) python->DropBefore(time_ns);
    if (native) native->DropBefore(time_ns);
  }
  std::uint64_t samples() const {
    return (python ? python->samples() : 0) + (native ? native->samples() : 0);
  }
  std::uint64_t lost() const {
    return (python ? python->lost() : 0) + (native ? native->lost() : 0);
  }
};

std::string_view ToString(SamplingState::State state) {
  switch (state) {
    case SamplingState::State::kWaiting:
      return "waiting";
    case SamplingState::State::kSampling:
      return "sampling";
    case SamplingState::State::kDone:
      return "done";
    case SamplingState::State::kOff:
      return "off";
  }
  return "unknown";
}

ProcessSampler::ProcessSampler(const SamplingOptions& options)
    : options_(options), thread_([this] {
        const Status ran = Caught([this] { Run(); });
        if (ran.ok()) return;
        Say(ran.message());
        const std::scoped_lock lock(mutex_);
        state_.state = SamplingState::State::kOff;
      }) {}

ProcessSampler::~ProcessSampler() {
  {
    const std::scoped_lock lock(mutex_);
    is_abandoned_ = true;
  }
  Stop();
  if (thread_.joinable()) thread_.join();
}

SamplingState ProcessSampler::State() const {
  const std::scoped_lock lock(mutex_);
  return state_;
}

bool ProcessSampler::IsOver() const {
  const SamplingState::State state = State().state;
  return state == SamplingState::State::kDone || state == SamplingState::State::kOff;
}

void ProcessSampler::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
}

std::vector<Profile> ProcessSampler::Take() {
  Stop();
  if (thread_.joinable()) thread_.join();
  return std::move(profiles_);
}

void ProcessSampler::Say(std::string sentence) {
  const std::scoped_lock lock(mutex_);
  if (!state_.reason.empty()) state_.reason += "; ";
  state_.reason += sentence;
}

bool ProcessSampler::WaitUntil(std::int64_t time_ns) {
  std::unique_lock lock(mutex_);
  const auto pause = std::chrono::nanoseconds(std::max<std::int64_t>(0, time_ns - UnixNow()));
  return !wake_.wait_for(lock, pause, [this] { return is_ending_; });
}

void ProcessSampler::Run() {
  if (options_.begin_ns > 0 && !WaitUntil(options_.begin_ns)) {
    const std::scoped_lock lock(mutex_);
    state_.state = SamplingState::State::kDone;
    return;
  }
  ProcessThreads threads(options_.pid);
  Samplers samplers;
  const std::vector<pid_t> first = threads.Refresh();
  Result<std::unique_ptr<PythonSampler>> python =
      PythonSampler::Start(options_.pid, options_.period_ns, threads);
  if (!python.ok()) Say("python: " + python.status().message());
  if (python.ok()) samplers.python = std::move(*python);
  Result<std::unique_ptr<NativeSampler>> native =
      NativeSampler::Start(options_.pid, options_.period_ns, threads);
  if (!native.ok()) Say("native: " + native.status().message());
  if (native.ok()) {
    samplers.native = std::move(*native);
    samplers.native->Watch(first);
  }
  const bool is_off = !samplers.python && !samplers.native;
  {
    const std::scoped_lock lock(mutex_);
    state_.state = is_off ? SamplingState::State::kOff : SamplingState::State::kSampling;
  }
  if (is_off) return;
  SampleUntilEnd(samplers, threads);
  Finish(samplers, threads);
}

void ProcessSampler::SampleUntilEnd(Samplers& samplers, ProcessThreads& threads) {
  Pace pace(options_.period_ns, options_.most_of_core);
  const std::int64_t began_ns = UnixNow();
  const std::int64_t end_ns =
      std::min(options_.end_ns > 0 ? options_.end_ns : INT64_MAX, began_ns + options_.most_ns);
  // Rings are emptied less often than stacks of Python are read.
  const std::int64_t pause_ns = samplers.python ? 0 : kDrainEvery;
  Rounds rounds(began_ns);
  std::int64_t looked_ns = began_ns, drained_ns = began_ns;
  while (rounds.next_ns() < end_ns && WaitUntil(rounds.next_ns())) {
    if (samplers.python && !samplers.python->TakeSample()) {
      Say("the process ended");
      break;
    }
    const std::int64_t now_ns = UnixNow();
    if (samplers.native && now_ns - drained_ns >= kDrainEvery) {
      samplers.native->Drain();
      drained_ns = now_ns;
    }
    if (now_ns - looked_ns >= kSecond) {
      looked_ns = now_ns;
      const std::vector<pid_t> fresh = threads.Refresh();
      if (samplers.native) samplers.native->Watch(fresh);
      samplers.DropBefore(now_ns - options_.keep_ns);
    }
    if (!pace.Took(now_ns)) {
      Say(fmt::format("it was ended: it cost more than {:.0f}% of a core",
                      100 * options_.most_of_core));
      break;
    }
    rounds.Took(now_ns, std::max(pace.period_ns(), pause_ns));
    const std::scoped_lock lock(mutex_);
    state_.samples = samplers.samples();
    state_.lost = samplers.lost();
    state_.missed = rounds.missed();
    state_.of_core = pace.of_core();
  }
  if (samplers.python) samplers.python->set_period(pace.period_ns());
  if (pace.period_ns() > options_.period_ns)
    Say(fmt::format("python: a sample each {} ms: more would cost too much",
                    pace.period_ns() / 1'000'000));
}

void ProcessSampler::Finish(Samplers& samplers, ProcessThreads& threads) {
  {
    // Names are worth nothing when nobody takes the profiles.
    const std::scoped_lock lock(mutex_);
    if (is_abandoned_) return;
  }
  threads.Refresh();
  threads.RefreshNames();
  std::vector<Profile> profiles;
  if (samplers.python) profiles.push_back(samplers.python->Take());
  if (samplers.native) {
    profiles.push_back(samplers.native->Take());
    const std::string note = samplers.native->Note();
    if (!note.empty()) Say(note);
  }
  const std::scoped_lock lock(mutex_);
  state_.samples = state_.lost = 0;
  for (const Profile& profile : profiles) {
    state_.samples += profile.samples.size();
    state_.lost += profile.lost;
  }
  profiles_ = std::move(profiles);
  state_.state = SamplingState::State::kDone;
}

}  // namespace rankscope::cpu_profile
