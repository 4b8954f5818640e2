#include "replay/replayed.h"

#include "base/parallel.h"
#include "replay/step_times.h"

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
  passes_ +=
      static_cast<std::int64_t>((scenarios.size() + kScenariosPerPass - 1) / kScenariosPerPass);
  return StepTimesOf(*graph_, scenarios);
}

}  // namespace rankscope
