// How well the replay fits the recording.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/peers/places.h"
#include "replay/scenario/job_path.h"
#include "replay/scenario/scenario.h"

namespace rankscope {

struct Fidelity {
  std::size_t steps = 0;  // counted
  double step_ns = 0;     // mean of the counted steps, as recorded
  // Mean over steps of |replayed - recorded|, as a share of the mean step.
  double error = 0;
  // The same for steps in which all nodes take the median of the same work in the other steps,
  // except for single events, which other steps cannot predict: nodes of kEventTimes their median
  // that exceed it by kEventOfStep of a step. nullopt with one step.
  std::optional<double> prediction_error;
  // Mean over steps of |step - median of the others|, as a share of the mean step.
  std::optional<double> spread;
  double unexplained = 0;  // share of the critical path
  std::string refused;     // why nothing is predicted; empty: predictions are made

  // 0 to 1: the confidence of a gain from the replay.
  double Confidence() const;
  // Steps have equal durations, but not those predicted from their work in other steps. So
  // different work was matched as equal, and the excess of a rank over its peers is unknown.
  bool MistakesWorks() const;
};

inline constexpr double kMostReplayError = 0.05;
inline constexpr double kMostUnexplained = 0.10;
// Or this multiple of the difference among the steps themselves: if steps scatter, they do not
// predict each other.
inline constexpr double kMostPredictionError = 0.05;
inline constexpr double kMostOfSpread = 1.5;
inline constexpr double kFarOffSpread = 5;
inline constexpr double kEventTimes = 2;
inline constexpr double kEventOfStep = 0.01;
inline constexpr std::size_t kMostStepsPredicted = 8;  // spread evenly over the counted steps

// `recorded` is the unchanged recording, with its `replay` and `path` (JobPath); `places` belong to
// its graph. Costs about two replays, on up to `threads` threads.
Fidelity FidelityOf(const Scenario& recorded, const Replay& replay,
                    const std::vector<JobPathPiece>& path, const Places& places, int threads = 1);

}  // namespace rankscope
