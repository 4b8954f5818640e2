#include "agent/telemetry/collector.h"

#include <algorithm>
#include <chrono>

#include "base/caught.h"

namespace rankscope::agent {
namespace {

using Steady = std::chrono::steady_clock;

// One that fails is asked less and less often, but never not at all.
constexpr std::chrono::milliseconds kLongest{60'000};

}  // namespace

Collector::Collector(std::string root, std::vector<Source> sources,
                     std::function<void(std::string_view)> said, Clock clock)
    : root_(std::move(root)),
      sources_(std::move(sources)),
      said_(std::move(said)),
      clock_(std::move(clock)) {
  last_.resize(sources_.size());
  for (const Source& source : sources_) states_.push_back({.name = source.name});
}

Collector::~Collector() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Collector::ReadAll() {
  for (std::size_t i = 0; i < sources_.size(); ++i) Read(i);
}

void Collector::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Collector::Read(std::size_t source) {
  Readings readings;
  const Status status = Caught([&] { return sources_[source].read(root_, readings); });
  const Now now = clock_();
  // Of one that fails: what it said before is no longer true, and nothing is not zero.
  if (!status.ok()) readings.all.clear();
  auto snapshot = MakeSnapshot(sources_[source].name, std::move(readings.all), now);
  std::string news;
  {
    const std::scoped_lock lock(mutex_);
    SourceState& state = states_[source];
    const bool was_said = !state.problem.empty();
    ++state.reads;
    state.unreadable += readings.unreadable;
    state.is_up = status.ok();
    if (status.ok()) {
      if (was_said) news = fmt::format("{}: there again", state.name);
      state.problem.clear();
      state.read_ms = now.steady_ms;
    } else {
      if (!was_said) news = fmt::format("{}: {}", state.name, status.message());
      ++state.errors;
      state.problem = status.message();
    }
    last_[source] = std::move(snapshot);
  }
  if (!news.empty() && said_) said_(news);
}

void Collector::Run() {
  std::vector<Steady::time_point> due(sources_.size(), Steady::now());
  std::vector<std::chrono::milliseconds> pause;
  for (const Source& source : sources_) pause.push_back(source.interval);
  for (;;) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (Steady::now() < due[i]) continue;
      Read(i);
      {
        const std::scoped_lock lock(mutex_);
        const auto longer = std::min(std::max(kLongest, sources_[i].interval), 2 * pause[i]);
        pause[i] = states_[i].is_up ? sources_[i].interval : longer;
      }
      due[i] = Steady::now() + pause[i];
    }
    const auto next = *std::ranges::min_element(due);
    std::unique_lock lock(mutex_);
    if (wake_.wait_until(lock, next, [this] { return is_ending_; })) return;
  }
}

Snapshots Collector::Last() const {
  Snapshots all;
  all.reserve(last_.size());
  const std::scoped_lock lock(mutex_);
  for (const auto& of_source : last_) {
    if (of_source != nullptr) all.push_back(of_source);
  }
  return all;
}

std::vector<SourceState> Collector::States() const {
  const std::scoped_lock lock(mutex_);
  return states_;
}

}  // namespace rankscope::agent
