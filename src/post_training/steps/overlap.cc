#include "post_training/steps/overlap.h"

#include <algorithm>

#include "base/interval.h"

namespace rankscope::post_training {
namespace {

const RoleSteps* Find(const std::vector<RoleSteps>& roles, RoleKind kind) {
  const auto found = std::ranges::find_if(
      roles, [&](const RoleSteps& role) { return role.kind == kind && role.counted() > 0; });
  return found == roles.end() ? nullptr : &*found;
}

bool IsTraining(Phase phase) { return phase == Phase::kTrain || phase == Phase::kLogProb; }

std::vector<TrainerStep> TrainerSteps(const RoleSteps& trainer) {
  std::vector<TrainerStep> steps;
  for (const RoleStep& step : trainer.steps) {
    if (!step.is_counted) continue;
    const auto of = [&](Phase phase) { return static_cast<double>(At(step.phases, phase)); };
    const double train = of(Phase::kTrain) + of(Phase::kLogProb);
    steps.push_back(
        {.train = train,
         .fixed = static_cast<double>(step.wall) - train - of(Phase::kWait) - of(Phase::kSync),
         .sync = of(Phase::kSync)});
  }
  return steps;
}

// Mean time of a step in which records have generation and training at once.
double RecordedOverlap(const PostData& data, std::int64_t steps) {
  std::vector<Interval> generating, training;
  for (const PhaseRecord& record : data.phases) {
    if (record.phase == Phase::kGenerate) generating.push_back({record.begin, record.end});
    if (IsTraining(record.phase)) training.push_back({record.begin, record.end});
  }
  const std::int64_t both =
      Total(Intersect(Normalise(std::move(generating)), Normalise(std::move(training))));
  return static_cast<double>(both) / static_cast<double>(std::max<std::int64_t>(steps, 1));
}

}  // namespace

BestSplit FindBestSplit(double generate, const std::vector<TrainerStep>& steps,
                        std::int64_t generate_gpus, std::int64_t train_gpus) {
  const std::int64_t all = generate_gpus + train_gpus;
  const auto mean_with = [&](std::int64_t here) {
    const double generating =
        generate * static_cast<double>(generate_gpus) / static_cast<double>(here);
    const double scale = static_cast<double>(train_gpus) / static_cast<double>(all - here);
    double sum = 0;
    for (const TrainerStep& step : steps)
      sum += std::max(generating, step.train * scale + step.fixed) + step.sync;
    return sum / static_cast<double>(steps.size());
  };
  BestSplit best{.generate_gpus = generate_gpus, .train_gpus = train_gpus};
  if (steps.empty()) return best;
  best.step = best.now = mean_with(generate_gpus);
  constexpr std::int64_t kMostTried = 100'000;
  const auto stride = std::max<std::int64_t>(
      1, all / std::max<std::int64_t>(2, kMostTried / static_cast<std::int64_t>(steps.size())));
  for (std::int64_t here = 1; here < all; here += stride) {
    const double step = mean_with(here);
    if (step < best.step)
      best = {.generate_gpus = here, .train_gpus = all - here, .step = step, .now = best.now};
  }
  return best;
}

double Overlap::OverlapShare() const {
  const double least = std::min(generate, train);
  return least > 0 ? std::clamp(overlap / least, 0.0, 1.0) : 0;
}

double Overlap::AsyncBound() const {
  const double most = std::max(generate, train);
  return most > 0 ? (generate + train) / most : 1;
}

double Overlap::SideBySide() const { return std::max(generate, train) + sync; }

const RoleSteps* Pace(const std::vector<RoleSteps>& roles) {
  for (const RoleKind kind : {RoleKind::kColocated, RoleKind::kTrainer})
    if (const RoleSteps* role = Find(roles, kind)) return role;
  return roles.empty() || roles.front().counted() == 0 ? nullptr : &roles.front();
}

std::optional<Overlap> OverlapOf(const std::vector<RoleSteps>& roles, const PostData& data) {
  const RoleSteps* both = Find(roles, RoleKind::kColocated);
  const RoleSteps* trainer = Find(roles, RoleKind::kTrainer);
  const RoleSteps* generator = Find(roles, RoleKind::kGenerator);
  Overlap result;
  if (both != nullptr) {
    if (both->Total(Phase::kGenerate) == 0 || both->Total(Phase::kTrain) == 0) return std::nullopt;
    result.steps = both->counted();
    result.step = both->MeanWall();
    result.generate = both->Mean(Phase::kGenerate);
    result.train = both->Mean(Phase::kTrain) + both->Mean(Phase::kLogProb);
    result.sync = both->Mean(Phase::kSync);
    return result;
  }
  if (trainer == nullptr || generator == nullptr) return std::nullopt;
  result.is_split = true;
  result.steps = trainer->counted();
  result.step = trainer->MeanWall();
  result.wait = trainer->Mean(Phase::kWait);
  result.sync = trainer->Mean(Phase::kSync);
  result.train = result.step - result.wait - result.sync;
  result.generate = generator->Mean(Phase::kGenerate);
  if (result.generate <= 0 || result.train <= 0) return std::nullopt;
  result.overlap = trainer->steps.front().is_of_record
                       ? RecordedOverlap(data, static_cast<std::int64_t>(trainer->steps.size()))
                       : std::max(0.0, result.generate - result.wait);
  result.overlap = std::min({result.overlap, result.generate, result.train});
  result.generate_gpus = generator->gpus;
  result.train_gpus = trainer->gpus;
  constexpr std::int64_t kMostGpus = 1'000'000;
  if (result.generate_gpus && result.train_gpus && *result.generate_gpus > 0 &&
      *result.train_gpus > 0 && *result.generate_gpus <= kMostGpus &&
      *result.train_gpus <= kMostGpus)
    result.best = FindBestSplit(result.generate, TrainerSteps(*trainer), *result.generate_gpus,
                                *result.train_gpus);
  return result;
}

}  // namespace rankscope::post_training
