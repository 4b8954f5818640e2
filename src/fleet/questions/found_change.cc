#include "fleet/questions/found_change.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fleet/changes/change_points.h"
#include "fleet/changes/effect.h"
#include "statistics/statistics.h"

namespace rankscope::fleet {
namespace {

constexpr std::size_t kFoundChangeLeastRuns = 5;
constexpr double kLeastChange = 0.03;
constexpr double kSigmas = 3;
const double kLeastLogBayes = std::log(10);
// A level that returns to within this part of the change has come back.
constexpr double kCameBack = 1.0 / 3;
// A new kernel is in this part of the runs since, and takes this part of the computing time.
constexpr double kMostRuns = 0.8;
constexpr double kLeastShare = 0.01;
// At how many places a change could be: between two values on each side.
double Places(std::size_t runs) { return runs > 3 ? static_cast<double>(runs - 3) : 1; }

bool IsOfSeveral(const RunSeries& series, const std::vector<std::uint32_t>& runs) {
  std::set<std::string_view> jobs, hosts;
  for (const std::uint32_t run : runs) {
    if (!series.runs[run].job.empty()) jobs.insert(series.runs[run].job);
    if (!series.runs[run].host.empty()) hosts.insert(series.runs[run].host);
  }
  return jobs.size() >= 2 || hosts.size() >= 2;
}

double MedianOf(std::span<const double> values) { return Median({values.begin(), values.end()}); }

// Whether the levels differ by more than they spread.
bool IsLarge(std::span<const double> before, std::span<const double> after) {
  const double low = MedianOf(before), high = MedianOf(after);
  std::vector<double> around;
  for (const double value : before) around.push_back(value - low);
  for (const double value : after) around.push_back(value - high);
  const double least = std::max(std::log1p(kLeastChange), kSigmas * RobustSigma(around));
  return std::abs(high - low) >= least && LogBayesFactor(before, after) >= kLeastLogBayes;
}

struct Series {
  std::vector<Sighting> sightings;
  std::vector<double> values;
};

Series KnownValues(const std::vector<Sighting>& sightings) {
  Series series;
  for (const Sighting& seen : sightings) {
    if (!seen.log_p50) continue;
    series.sightings.push_back(seen);
    series.values.push_back(*seen.log_p50);
  }
  return series;
}

FoundChange ChangeAt(const Series& of, const ChangePoint& point, const ChangePoint* next) {
  FoundChange change;
  for (std::size_t i = point.begin; i < point.end; ++i) {
    (i < point.index ? change.before : change.after).push_back(of.sightings[i].run);
    change.values.push_back(of.values[i]);
    if (i >= point.index) change.sightings_after.push_back(of.sightings[i]);
  }
  const std::span<const double> values = change.values;
  const std::size_t border = point.index - point.begin;
  change.before_ns = std::exp(MedianOf(values.first(border)));
  change.after_ns = std::exp(MedianOf(values.subspan(border)));
  change.p = std::min(1.0, point.p * Places(of.values.size()));
  if (next != nullptr &&
      std::abs(next->after - point.before) < kCameBack * std::abs(point.after - point.before))
    change.came_back = of.sightings[next->index].run;
  return change;
}

// The step of one model: those of the group to which the last run before belongs.
std::optional<StepChange> StepOf(const RunSeries& series, const FoundChange& change) {
  const RunInfo& last = series.runs[change.before.back()];
  const auto group = series.groups.find({last.model, last.device_model});
  if (group == series.groups.end()) return std::nullopt;
  const auto of_group = [&](const std::vector<std::uint32_t>& runs) {
    std::vector<std::uint32_t> own;
    for (const std::uint32_t run : runs) {
      if (std::ranges::binary_search(group->second.runs, run)) own.push_back(run);
    }
    return own;
  };
  const Stratum& stratum = change.stratum;
  return ChangeOfStep(series, group->second,
                      {stratum.kernel_key, stratum.kernel_class, stratum.dtype},
                      of_group(change.before), of_group(change.after));
}

void FindSlower(const RunSeries& series, FoundChanges& found) {
  for (const auto& [stratum, sightings] : series.strata) {
    const Series of = KnownValues(sightings);
    if (of.values.size() < 2 * kFoundChangeLeastRuns) continue;
    const std::vector<ChangePoint> points = FindChangePoints(of.values);
    if (points.empty()) ++found.tests_without;
    for (std::size_t i = 0; i < points.size(); ++i) {
      FoundChange change =
          ChangeAt(of, points[i], i + 1 < points.size() ? &points[i + 1] : nullptr);
      const std::span<const double> values = change.values;
      const bool is_told =
          change.before.size() >= kFoundChangeLeastRuns &&
          change.after.size() >= kFoundChangeLeastRuns &&
          IsLarge(values.first(change.before.size()), values.subspan(change.before.size())) &&
          IsOfSeveral(series, change.after);
      if (!is_told) {
        ++found.tests_without;
        continue;
      }
      change.stratum = stratum;
      change.step = StepOf(series, change);
      found.changes.push_back(std::move(change));
    }
  }
}

// A kernel that none of a group's runs has before, and most have since.
std::optional<FoundChange> NewKernel(const RunSeries& series, const RunGroup& group,
                                     const GroupKernel& kernel,
                                     const std::vector<Sighting>& sightings) {
  const auto first = std::ranges::lower_bound(group.runs, sightings.front().run);
  FoundChange change;
  change.is_new = true;
  change.before.assign(group.runs.begin(), first);
  change.after.assign(first, group.runs.end());
  if (change.before.size() < kFoundChangeLeastRuns || change.after.size() < kFoundChangeLeastRuns ||
      static_cast<double>(sightings.size()) < kMostRuns * static_cast<double>(change.after.size()))
    return std::nullopt;
  change.values.assign(change.before.size(), 0);
  std::vector<double> medians;
  for (const std::uint32_t run : change.after) {
    const auto seen = std::ranges::lower_bound(sightings, run, {}, &Sighting::run);
    const bool is_there = seen != sightings.end() && seen->run == run;
    if (is_there && !series.runs[run].rank_steps) return std::nullopt;
    change.values.push_back(
        is_there ? static_cast<double>(seen->total_ns) / *series.runs[run].rank_steps : 0);
    if (is_there && seen->log_p50) medians.push_back(std::exp(*seen->log_p50));
  }
  const std::span<const double> values = change.values;
  change.p =
      std::min(1.0, Places(values.size()) * StudentTest(values.first(change.before.size()),
                                                        values.subspan(change.before.size())));
  if (!IsOfSeveral(series, change.after) || medians.empty()) return std::nullopt;
  change.after_ns = Median(std::move(medians));
  change.sightings_after = sightings;
  const RunInfo& run = series.runs[sightings.front().run];
  change.stratum = {kernel.kernel_key, kernel.kernel_class, run.device_model, "", kernel.dtype,
                    run.model};
  change.step = ChangeOfStep(series, group, kernel, change.before, change.after);
  if (!change.step || change.step->kernel_ns < kLeastShare * change.step->computing_ns)
    return std::nullopt;
  return change;
}

void FindNew(const RunSeries& series, FoundChanges& found) {
  for (const auto& [names, group] : series.groups) {
    if (group.runs.size() < 2 * kFoundChangeLeastRuns) continue;
    for (const auto& [kernel, sightings] : group.kernels) {
      auto change = NewKernel(series, group, kernel, sightings);
      if (change) {
        found.changes.push_back(*std::move(change));
      } else {
        ++found.tests_without;
      }
    }
  }
}

}  // namespace

FoundChanges FindChanges(const RunSeries& series) {
  FoundChanges found;
  FindSlower(series, found);
  FindNew(series, found);
  return found;
}

}  // namespace rankscope::fleet
