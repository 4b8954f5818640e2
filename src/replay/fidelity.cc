#include "replay/fidelity.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/median.h"
#include "replay/peers/typical.h"
#include "replay/scenario/step_replay.h"

namespace rankscope {
namespace {

std::int64_t Recorded(const JobGraph& graph, std::size_t step) {
  const JobGraph::Step& of = graph.steps()[step];
  const std::int64_t begin =
      of.follows_recorded ? graph.steps()[step - 1].recorded_end_ns : of.recorded_begin_ns;
  return of.recorded_end_ns - begin;
}

double Unexplained(const std::vector<JobPathPiece>& path) {
  std::int64_t whole = 0;
  std::int64_t unexplained = 0;
  for (const JobPathPiece& piece : path) {
    whole += piece.end_ns - piece.begin_ns;
    if (piece.kind == JobPathPiece::Kind::kUnexplained)
      unexplained += piece.end_ns - piece.begin_ns;
  }
  return whole == 0 ? 0 : static_cast<double>(unexplained) / static_cast<double>(whole);
}

// Nodes of these steps take what they do in the other steps.
Scenario AsInOtherSteps(const JobGraph& graph, const Places& places, double step_ns,
                        const std::vector<std::size_t>& steps, int threads) {
  Scenario scenario(graph);
  std::vector<bool> is_changed(graph.steps().size(), false);
  for (const std::size_t step : steps) is_changed[step] = true;
  ForEachOfOtherSteps(
      graph, places,
      [&](NodeId node, std::int64_t duration_ns, std::int64_t gap_ns) {
        if (!is_changed[graph.StepOf(node)]) return;
        const auto usual = static_cast<double>(duration_ns);
        const auto now = static_cast<double>(graph.nodes().DurationOf(node));
        if (now > kEventTimes * usual && now - usual > kEventOfStep * step_ns) return;
        scenario.SetDuration(node, duration_ns);
        if (graph.Waits(node)) scenario.SetGap(node, gap_ns);
      },
      threads);
  return scenario;
}

// The middle of the times of all counted steps but one: each by its place among the sorted times.
std::vector<std::int64_t> MediansOfOthers(const std::vector<std::int64_t>& times) {
  std::vector<std::int64_t> ascending = times;
  std::sort(ascending.begin(), ascending.end());
  std::vector<std::int64_t> medians;
  medians.reserve(times.size());
  for (const std::int64_t time : times)
    medians.push_back(MiddleWithout<std::int64_t>(ascending, time));
  return medians;
}

}  // namespace

Fidelity FidelityOf(const Scenario& recorded, const Replay& replay,
                    const std::vector<JobPathPiece>& path, const Places& places, int threads) {
  const JobGraph& graph = recorded.graph();
  Fidelity fidelity;
  const std::vector<std::size_t>& counted = CountedSteps(graph);
  fidelity.steps = counted.size();
  if (graph.is_too_large()) {
    fidelity.refused = fmt::format(
        "a single step of all ranks holds over {} million stretches of work; --ranks takes a part",
        JobGraph::kMostNodes / 1'000'000);
    return fidelity;
  }
  if (graph.nodes().empty() || counted.empty()) {
    fidelity.refused = "no step was recorded of which a replay could tell the time";
    return fidelity;
  }
  double errors = 0;
  for (const std::size_t step : counted) {
    const auto time = static_cast<double>(Recorded(graph, step));
    fidelity.step_ns += time / static_cast<double>(counted.size());
    errors += std::abs(static_cast<double>(replay.StepTime(step)) - time);
  }
  if (fidelity.step_ns <= 0) {
    fidelity.refused = "the steps that were recorded take no time";
    return fidelity;
  }
  const double whole = fidelity.step_ns * static_cast<double>(counted.size());
  fidelity.error = errors / whole;
  fidelity.unexplained = Unexplained(path);
  if (counted.size() > 1) {
    double spread = 0;
    std::vector<std::int64_t> times;
    for (const std::size_t step : counted) times.push_back(Recorded(graph, step));
    const std::vector<std::int64_t> medians = MediansOfOthers(times);
    for (std::size_t i = 0; i < times.size(); ++i)
      spread += std::abs(static_cast<double>(times[i] - medians[i]));
    fidelity.spread = spread / whole;
    const std::size_t stride = (counted.size() + kMostStepsPredicted - 1) / kMostStepsPredicted;
    std::vector<std::size_t> predicted;
    for (std::size_t i = 0; i < counted.size(); i += stride) predicted.push_back(counted[i]);
    const std::vector<std::int64_t> alone = TimesOfStepsAlone(
        AsInOtherSteps(graph, places, fidelity.step_ns, predicted, threads), predicted, threads);
    double off = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i)
      off += std::abs(static_cast<double>(alone[i]) -
                      static_cast<double>(Recorded(graph, predicted[i])));
    fidelity.prediction_error = off / (fidelity.step_ns * static_cast<double>(predicted.size()));
  }
  const auto pct = [](double share) { return fmt::format("{:.1f}%", 100 * share); };
  if (!graph.is_aligned()) {
    fidelity.refused = "the clocks of the ranks are not known to each other";
  } else if (fidelity.error > kMostReplayError) {
    fidelity.refused = fmt::format("replaying the recorded steps is {} off", pct(fidelity.error));
  } else if (fidelity.unexplained > kMostUnexplained) {
    fidelity.refused =
        fmt::format("nothing recorded explains {} of the critical path", pct(fidelity.unexplained));
  } else if (fidelity.prediction_error &&
             *fidelity.prediction_error >
                 std::max(kMostPredictionError, kMostOfSpread * *fidelity.spread)) {
    fidelity.refused = fmt::format(
        "steps predicted from the others are {} off, which themselves "
        "differ by {}",
        pct(*fidelity.prediction_error), pct(*fidelity.spread));
  }
  return fidelity;
}

bool Fidelity::MistakesWorks() const {
  return prediction_error && *prediction_error > kMostPredictionError &&
         *prediction_error > kFarOffSpread * spread.value_or(0);
}

double Fidelity::Confidence() const {
  if (!refused.empty()) return 0.3;
  if (!prediction_error) return 0.5;
  return std::clamp(1 - 2 * error - 2 * unexplained - *prediction_error, 0.5, 1.0);
}

}  // namespace rankscope
