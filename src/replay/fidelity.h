// How far the replay can be trusted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/job_path.h"
#include "replay/places.h"
#include "replay/scenario.h"

namespace rankscope {

struct Fidelity {
  std::size_t steps = 0;  // counted
  double step_ns = 0;     // mean of the counted steps, as recorded
  // Mean over steps of |replayed - recorded|, as a share of the mean step.
  double error = 0;
  // The same of steps whose nodes take the median of the same work in the other steps, but for
  // single events, which no other step tells: nodes of kEventTimes their median and kEventOfStep
  // of a step beyond it. nullopt with one step.
  std::optional<double> prediction_error;
  // Mean over steps of |step - median of the others|, as a share of the mean step.
  std::optional<double> spread;
  double unexplained = 0;  // share of the critical path
  std::string refused;     // why nothing is predicted; empty: it is

  // 0 to 1: what a gain is worth that the replay gives.
  double Confidence() const;
  // Steps take as long as each other, and yet not what their works take in other steps: works were
  // taken for each other's like that are not, so what a rank has beyond its peers is not known.
  bool MistakesWorks() const;
};

inline constexpr double kMostReplayError = 0.05;
inline constexpr double kMostUnexplained = 0.10;
// Or so many times how far steps differ themselves: where they scatter, no step tells another.
inline constexpr double kMostPredictionError = 0.05;
inline constexpr double kMostOfSpread = 1.5;
inline constexpr double kFarOffSpread = 5;
inline constexpr double kEventTimes = 2;
inline constexpr double kEventOfStep = 0.01;
inline constexpr std::size_t kMostStepsPredicted = 8;  // spread over those that count

// `recorded` is the recording as it was, `replay` and `path` (JobPath) are of it, `places` of its
// graph. Costs about two replays, on up to `threads` threads.
Fidelity FidelityOf(const Scenario& recorded, const Replay& replay,
                    const std::vector<JobPathPiece>& path, const Places& places, int threads = 1);

}  // namespace rankscope
