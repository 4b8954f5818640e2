#include "fleet/questions/step_shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fleet/changes/change_points.h"

namespace rankscope::fleet {
namespace {

constexpr std::size_t kRunsASide = 20;
constexpr std::size_t kStepSharesLeastRuns = 3;
constexpr double kMostP = 0.001;
// Launches per step that differ by less are those of rounding and of steps that were cut.
constexpr double kLaunchesDiffer = 0.03;

// A kernel per step and rank in each of some runs; 0 where it does not run.
struct PerStep {
  std::vector<double> ns, launches;
};

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

PerStep PerStepOf(const RunSeries& series, const std::vector<Sighting>& sightings,
                  std::span<const std::uint32_t> runs) {
  PerStep values;
  for (const std::uint32_t run : runs) {
    const auto seen = std::ranges::lower_bound(sightings, run, {}, &Sighting::run);
    const double steps = *series.runs[run].rank_steps;
    const bool is_there = seen != sightings.end() && seen->run == run;
    values.ns.push_back(is_there ? static_cast<double>(seen->total_ns) / steps : 0);
    values.launches.push_back(is_there ? static_cast<double>(seen->launches) / steps : 0);
  }
  return values;
}

// The runs whose steps are known, at most so many from one end.
std::vector<std::uint32_t> Near(const RunSeries& series, std::span<const std::uint32_t> runs,
                                bool from_end) {
  std::vector<std::uint32_t> near;
  for (std::size_t i = 0; i < runs.size() && near.size() < kRunsASide; ++i) {
    const std::uint32_t run = runs[from_end ? runs.size() - 1 - i : i];
    if (series.runs[run].rank_steps) near.push_back(run);
  }
  return near;
}

bool LaunchesDiffer(double before, double after) {
  const double larger = std::max(before, after);
  return larger > 0 && std::abs(after - before) > kLaunchesDiffer * larger;
}

}  // namespace

std::optional<StepChange> ChangeOfStep(const RunSeries& series, const RunGroup& group,
                                       const GroupKernel& kernel,
                                       std::span<const std::uint32_t> before,
                                       std::span<const std::uint32_t> after) {
  const std::vector<std::uint32_t> left = Near(series, before, true);
  const std::vector<std::uint32_t> right = Near(series, after, false);
  if (left.size() < kStepSharesLeastRuns || right.size() < kStepSharesLeastRuns)
    return std::nullopt;
  const auto own = group.kernels.find(kernel);
  if (own == group.kernels.end()) return std::nullopt;
  StepChange change;
  change.kernel_ns = Mean(PerStepOf(series, own->second, right).ns) -
                     Mean(PerStepOf(series, own->second, left).ns);
  double others = 0;
  for (const auto& [other, sightings] : group.kernels) {
    const PerStep was = PerStepOf(series, sightings, left);
    const double was_ns = Mean(was.ns);
    change.computing_ns += was_ns;
    if (&sightings == &own->second) continue;
    const PerStep is = PerStepOf(series, sightings, right);
    const double moved = Mean(is.ns) - was_ns;
    const bool is_kin = other.kernel_class == kernel.kernel_class ||
                        LaunchesDiffer(Mean(was.launches), Mean(is.launches));
    if (!is_kin || moved * change.kernel_ns >= 0 || StudentTest(was.ns, is.ns) >= kMostP) continue;
    others += std::abs(moved);
  }
  if (change.kernel_ns != 0) change.offset = others / std::abs(change.kernel_ns);
  return change;
}

}  // namespace rankscope::fleet
