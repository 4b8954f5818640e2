#include "post_training/steps/role_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/interval.h"
#include "base/saturating.h"
#include "post_training/steps/seen_steps.h"
#include "statistics/statistics.h"

namespace rankscope::post_training {
namespace {

constexpr std::array kPrecedence = {Phase::kTrain,  Phase::kLogProb, Phase::kGenerate,
                                    Phase::kSync,   Phase::kReshard, Phase::kCheckpoint,
                                    Phase::kReward, Phase::kOther,   Phase::kWait};
constexpr std::size_t kMostRoles = 100;  // whose rows a report can be read of
constexpr double kSlowFirst = 1.5;
constexpr std::size_t kLeastForSlowFirst = 4;

std::int64_t SumOf(const PhaseTimes& phases) {
  return std::accumulate(phases.begin(), phases.end(), std::int64_t{0});
}

// Fills up to the wall time, or shaves off what rounding left too much; false where the phases
// exceed it by more than that.
bool Close(RoleStep& step) {
  const std::int64_t rest = step.wall - SumOf(step.phases);
  if (rest >= 0) {
    At(step.phases, Phase::kUnknown) += rest;
    return true;
  }
  auto most = std::ranges::max_element(step.phases);
  if (-rest > step.wall / 200 + 1'000'000 || *most + rest < 0) return false;
  *most += rest;
  return true;
}

// In the step where it fits, else behind it.
void AddBeside(RoleStep& step, Phase phase, Ns time) {
  if (!time) return;
  const std::int64_t room = step.wall - SumOf(step.phases);
  if (*time > room) step.wall += *time;
  At(step.phases, phase) += *time;
}

bool IsSane(const LogStep& log) {
  const auto is_sane = [](const Ns& time) { return !time || (*time >= 0 && *time <= kMostSpan); };
  return is_sane(log.wall) && is_sane(log.beside) && is_sane(log.sync_beside) &&
         is_sane(log.generator_busy) && is_sane(log.generator_wall) &&
         std::ranges::all_of(log.phases, is_sane);
}

// False where it contradicts itself.
bool AddLogStep(const LogStep& log, bool is_split_by_user,
                std::map<std::string, RoleSteps>& roles) {
  if (!IsSane(log)) return false;
  const bool is_split = log.layout == Layout::kSplit || is_split_by_user;
  RoleStep step{.role = is_split ? "trainer" : "colocated", .step = log.step, .facts = log.facts};
  for (std::size_t i = 0; i < kPhaseCount; ++i) step.phases[i] = log.phases[i].value_or(0);
  step.wall = log.wall.value_or(SumOf(step.phases));
  if (step.wall <= 0) return true;  // validation before the first step
  Ns busy = log.generator_busy;
  if (is_split && log.layout != Layout::kSplit && At(step.phases, Phase::kGenerate) > 0) {
    // The trainer's devices are others: while samples come they wait.
    busy = At(step.phases, Phase::kGenerate);
    At(step.phases, Phase::kWait) += std::exchange(At(step.phases, Phase::kGenerate), 0);
  }
  AddBeside(step, Phase::kSync, log.sync_beside);
  AddBeside(step, Phase::kOther, log.beside);
  if (!Close(step)) return false;
  if (busy) {
    RoleStep other{.role = "generator", .step = log.step};
    other.wall = log.generator_wall.value_or(step.wall);
    At(other.phases, Phase::kGenerate) = std::min(*busy, other.wall);
    const std::int64_t rest = other.wall - At(other.phases, Phase::kGenerate);
    At(other.phases, Phase::kSync) = std::min(rest, At(step.phases, Phase::kSync));
    At(other.phases, Phase::kWait) = rest - At(other.phases, Phase::kSync);
    if (other.wall > 0) roles["generator"].steps.push_back(std::move(other));
  }
  roles[step.role].steps.push_back(std::move(step));
  return true;
}

// The phases of a step within its window.
RoleStep StepOf(const std::vector<const PhaseRecord*>& records, std::int64_t begin,
                std::int64_t end) {
  RoleStep step{.role = records.front()->role,
                .step = records.front()->step,
                .is_of_record = true,
                .wall = end - begin,
                .begin = begin};
  IntervalSet taken;
  for (const Phase phase : kPrecedence) {
    std::vector<Interval> own;
    for (const PhaseRecord* record : records)
      if (record->phase == phase) own.push_back({record->begin, record->end});
    const IntervalSet here = Clip(Normalise(std::move(own)), {begin, end});
    At(step.phases, phase) = Total(Subtract(here, taken));
    taken = Unite(taken, here);
  }
  At(step.phases, Phase::kUnknown) = step.wall - SumOf(step.phases);
  return step;
}

void AddRecords(const PostData& data, std::map<std::string, RoleSteps>& roles,
                std::vector<std::string>& notes) {
  std::map<std::string, std::map<std::int64_t, std::vector<const PhaseRecord*>>> by_role;
  std::int64_t left_out = 0;
  for (const PhaseRecord& record : data.phases) {
    if (by_role.size() >= kMostRoles && !by_role.contains(record.role)) {
      ++left_out;
      continue;
    }
    by_role[record.role][record.step].push_back(&record);
    if (record.gpus) roles[record.role].gpus = record.gpus;
  }
  if (left_out > 0)
    notes.push_back(fmt::format("{} phases are of other roles than the first {} and are left out",
                                left_out, kMostRoles));
  for (const auto& [role, steps] : by_role) {
    RoleSteps& to = roles[role];
    for (auto at = steps.begin(); at != steps.end(); ++at) {
      const auto begin_of = [](const std::vector<const PhaseRecord*>& records) {
        return (*std::ranges::min_element(records, {}, &PhaseRecord::begin))->begin;
      };
      const std::int64_t begin = begin_of(at->second);
      const auto next = std::next(at);
      const std::int64_t end =
          next != steps.end() ? begin_of(next->second)
                              : (*std::ranges::max_element(at->second, {}, &PhaseRecord::end))->end;
      if (end <= begin || end - begin > kMostSpan) continue;
      to.steps.push_back(StepOf(at->second, begin, end));
    }
  }
}

RoleKind KindOf(const RoleSteps& role) {
  bool generates = false, trains = false;
  for (const RoleStep& step : role.steps) {
    generates = generates || At(step.phases, Phase::kGenerate) > 0;
    trains = trains || At(step.phases, Phase::kTrain) > 0;
  }
  if (role.role == "trainer") trains = true;
  if (generates && trains) return RoleKind::kColocated;
  if (role.role == "colocated") return RoleKind::kColocated;
  return trains ? RoleKind::kTrainer : generates ? RoleKind::kGenerator : RoleKind::kOther;
}

void MarkSlowFirst(RoleSteps& role) {
  if (role.steps.size() < kLeastForSlowFirst) return;
  std::vector<double> others;
  for (std::size_t i = 1; i < role.steps.size(); ++i)
    others.push_back(static_cast<double>(role.steps[i].wall));
  if (static_cast<double>(role.steps.front().wall) > kSlowFirst * Median(std::move(others)))
    role.steps.front().is_counted = false;
}

}  // namespace

std::string_view ToString(RoleKind kind) {
  switch (kind) {
    case RoleKind::kColocated:
      return "colocated";
    case RoleKind::kTrainer:
      return "trainer";
    case RoleKind::kGenerator:
      return "generator";
    case RoleKind::kOther:
      return "other";
  }
  return "";
}

std::int64_t RoleSteps::counted() const {
  return std::ranges::count_if(steps, &RoleStep::is_counted);
}

std::int64_t RoleSteps::wall() const {
  std::int64_t sum = 0;
  for (const RoleStep& step : steps)
    if (step.is_counted) AddSaturating(sum, step.wall);
  return sum;
}

std::int64_t RoleSteps::Total(Phase phase) const {
  std::int64_t sum = 0;
  for (const RoleStep& step : steps)
    if (step.is_counted) AddSaturating(sum, At(step.phases, phase));
  return sum;
}

double RoleSteps::Mean(Phase phase) const {
  const std::int64_t steps_counted = counted();
  return steps_counted == 0
             ? 0
             : static_cast<double>(Total(phase)) / static_cast<double>(steps_counted);
}

double RoleSteps::MeanWall() const {
  const std::int64_t steps_counted = counted();
  return steps_counted == 0 ? 0 : static_cast<double>(wall()) / static_cast<double>(steps_counted);
}

std::vector<RoleSteps> RoleStepsOf(const PostData& data, std::vector<std::string>& notes) {
  std::map<std::string, RoleSteps> roles;
  const bool is_split_by_user = data.generate_gpus && data.train_gpus;
  std::int64_t contradicting = 0, first = 0;
  SeenSteps seen;
  for (const LogStep& log : data.log_steps) {
    if (seen.IsAgain(log)) continue;
    if (!AddLogStep(log, is_split_by_user, roles) && ++contradicting == 1) first = log.step;
  }
  if (contradicting > 0)
    notes.push_back(fmt::format(
        "{} of {} steps have phases longer than the step itself and are left out, the first is "
        "step {}",
        contradicting, data.log_steps.size(), first));
  seen.AddNotes(data, notes);
  AddRecords(data, roles, notes);
  std::vector<RoleSteps> all;
  for (auto& [name, role] : roles) {
    if (role.steps.empty()) continue;
    role.role = name;
    std::ranges::stable_sort(role.steps, {}, &RoleStep::step);
    role.kind = KindOf(role);
    if (role.kind == RoleKind::kTrainer && data.train_gpus) role.gpus = data.train_gpus;
    if (role.kind == RoleKind::kGenerator && data.generate_gpus) role.gpus = data.generate_gpus;
    MarkSlowFirst(role);
    all.push_back(std::move(role));
  }
  std::ranges::stable_sort(all, {}, &RoleSteps::kind);
  return all;
}

}  // namespace rankscope::post_training
