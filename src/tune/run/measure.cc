#include "tune/run/measure.h"

#include <cmath>

#include "base/durable.h"

namespace rankscope::tune {
namespace {

constexpr double kRampBegin = 0.01;  // of its end
constexpr std::uint64_t kSeedsOfSchedule = 1'000'003;
constexpr std::uint64_t kWarmUpSchedule = 999;
constexpr std::int32_t kWarmUpUsers = 2;
constexpr std::int64_t kWarmUpRequests = 6;
constexpr std::int64_t kWarmUpTime = 30'000'000'000;
constexpr std::int64_t kMostLeft = 600'000'000'000;  // what requests of before may still take

bool IsGood(const serving::Request& request, const serving::Objective& objective) {
  return serving::KeepsObjective(request, objective).value_or(false);
}

}  // namespace

load::LevelSpec LevelOf(const TuneSpec& spec, double top_per_s) {
  load::LevelSpec level{.sending = spec.duration};
  switch (spec.mode) {
    case LoadMode::kRamp:
      level.per_s = top_per_s * kRampBegin;
      level.end_per_s = top_per_s;
      break;
    case LoadMode::kRate:
      level.per_s = spec.per_s;
      break;
    case LoadMode::kUsers:
      level.kind = serving::LoadKind::kClosed;
      level.users = spec.users;
      break;
    case LoadMode::kReplay:
      level.kind = serving::LoadKind::kReplay;
      break;
  }
  return level;
}

Result<load::LoadSpec> LoadFor(const TuneSpec& spec, const std::string& url, std::uint64_t schedule,
                               const std::string& folder) {
  load::LoadSpec load = spec.load;
  RS_ASSIGN_OR_RETURN(load.target.address, http::ParseAddress(url));
  load.seed = spec.load.seed + schedule * kSeedsOfSchedule;
  load.folder = folder;
  RS_RETURN_IF_ERROR(MakeFolder(folder));
  return load;
}

Result<Measured> Measure(const TuneSpec& spec, const std::string& url, const load::LevelSpec& level,
                         std::uint64_t schedule, const std::string& folder,
                         const load::LevelWatch& watch) {
  RS_ASSIGN_OR_RETURN(load::LoadSpec load, LoadFor(spec, url, schedule, folder));
  load.levels = {level};
  Measured measured;
  const load::LoadWatch all{
      .level = watch,
      .ends = [&](const serving::LevelResult& result) { measured.result = result; },
      .recorded =
          [&](const load::LevelRecord& record) {
            for (const serving::Request& request : record.requests) {
              ++measured.sent;
              measured.good += IsGood(request, load.objective);
              measured.failed += request.outcome == serving::Outcome::kFailed;
            }
          }};
  RS_RETURN_IF_ERROR(load::RunLoad(load, all));
  measured.trouble = measured.result.invalid;
  if (measured.sent == 0) return measured;
  if (level.end_per_s) {
    measured.objective = *level.end_per_s * std::sqrt(measured.good_pct() / 100);
  } else if (const auto sending = measured.result.level.sending; sending && *sending > 0) {
    measured.objective = static_cast<double>(measured.good) * 1e9 / static_cast<double>(*sending);
  }
  return measured;
}

Status WarmUp(const TuneSpec& spec, const std::string& url, const std::string& folder,
              const load::LevelWatch& watch) {
  RS_ASSIGN_OR_RETURN(load::LoadSpec load, LoadFor(spec, url, kWarmUpSchedule, folder));
  load.replay.clear();
  load.scrapes = false;
  // A server that stays may still work on requests that were given up: it has done so when a first
  // one, alone, is answered.
  load.drain = kMostLeft;
  load.levels = {{.kind = serving::LoadKind::kClosed,
                  .users = 1,
                  .sending = std::min(kWarmUpTime, spec.duration),
                  .most_requests = 1},
                 {.kind = serving::LoadKind::kClosed,
                  .users = kWarmUpUsers,
                  .sending = std::min(kWarmUpTime, spec.duration),
                  .most_requests = kWarmUpRequests}};
  return load::RunLoad(std::move(load), {.level = {.is_stopped = watch.is_stopped}});
}

}  // namespace rankscope::tune
