#include "replay/replayed.h"

#include <algorithm>
#include <iterator>

#include "base/parallel.h"
#include "replay/scenario/step_times.h"

namespace rankscope {

const Replayed::Recording& Replayed::Now() const {
  std::call_once(now_made_, [this] {
    ++passes_;
    now_.emplace(*graph_);
  });
  return *now_;
}

const std::vector<JobPathPiece>& Replayed::path() const {
  std::call_once(path_made_, [this] { path_ = JobPath(*graph_, recorded(), now()); });
  return path_;
}

const Places& Replayed::places() const {
  std::call_once(places_made_, [this] { places_.emplace(*graph_, peers_); });
  return *places_;
}

void Replayed::MakeNowAndPlaces() const {
  ParallelFor(2, threads_, [this](std::size_t part) {
    if (part == 0) {
      Now();
    } else {
      places();
    }
  });
}

const Fidelity& Replayed::fidelity() const {
  std::call_once(fidelity_made_, [this] {
    ++passes_;
    fidelity_ = FidelityOf(recorded(), now(), path(), places(), threads_);
  });
  return fidelity_;
}

std::vector<StepEnds> Replayed::StepTimes(std::span<const Scenario* const> scenarios) const {
  if (scenarios.empty()) return {};
  // Side by side, where each still carries some.
  constexpr std::size_t kFewest = 2;
  const auto threads = static_cast<std::size_t>(std::max(threads_, 1));
  const std::size_t side_by_side = std::clamp<std::size_t>(scenarios.size() / kFewest, 1, threads);
  const std::size_t size =
      std::min(kScenariosPerPass, (scenarios.size() + side_by_side - 1) / side_by_side);
  const std::size_t count = (scenarios.size() + size - 1) / size;
  passes_ += static_cast<std::int64_t>((count + side_by_side - 1) / side_by_side);
  std::vector<std::vector<StepEnds>> of_passes(count);
  ParallelFor(count, threads_, [&](std::size_t i) {
    const std::size_t first = i * size;
    of_passes[i] =
        StepTimesOf(*graph_, scenarios.subspan(first, std::min(size, scenarios.size() - first)));
  });
  std::vector<StepEnds> all;
  all.reserve(scenarios.size());
  for (std::vector<StepEnds>& of_pass : of_passes)
    std::move(of_pass.begin(), of_pass.end(), std::back_inserter(all));
  return all;
}

}  // namespace rankscope
