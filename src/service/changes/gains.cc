#include "service/changes/gains.h"

#include <algorithm>

#include <filesystem>

#include "base/durable.h"
#include "base/file.h"
#include "json/fields.h"
#include "store/random_id.h"
#include "store/run.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGainsEnding = ".gain";

double RatioOf(const api::MeasuredGain& gain) {
  return std::clamp(gain.measured_pct / gain.promised_pct, -1.0, 2.0);
}

bool IsFinding(std::string_view id) {
  return !id.empty() && id.size() <= 100 &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == id.npos;
}

// No step is shortened by more than all of it; one that takes a hundred times as long is none of
// the same job.
bool IsUsable(const api::MeasuredGain& gain) {
  return IsFinding(gain.finding) && gain.promised_pct >= kLeastPromisedPct &&
         gain.promised_pct <= 100 && gain.measured_pct >= -10'000 && gain.measured_pct <= 100;
}

}  // namespace

api::ExpectedGain ExpectedOf(const std::vector<api::MeasuredGain>& gains, std::string_view finding,
                             std::string_view model, double promised_pct) {
  api::ExpectedGain expected{.finding = std::string(finding), .promised_pct = promised_pct};
  double sum = 0, sum_of_model = 0;
  for (const api::MeasuredGain& gain : gains) {
    if (gain.finding != finding || !IsUsable(gain)) continue;
    ++expected.measured;
    sum += RatioOf(gain);
    if (model.empty() || gain.model != model) continue;
    ++expected.of_model;
    sum_of_model += RatioOf(gain);
  }
  const double of_finding = (kUnseen + sum) / (kUnseen + static_cast<double>(expected.measured));
  const double ratio =
      (kUnseen * of_finding + sum_of_model) / (kUnseen + static_cast<double>(expected.of_model));
  expected.expected_pct = promised_pct * ratio;
  return expected;
}

Status CheckGain(const api::MeasuredGain& gain) {
  if (IsUsable(gain)) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "a gain is kept of a finding's id that promised {} to 100% of the step time, and "
               "gained -10000 to 100",
               kLeastPromisedPct);
}

std::string NameOfGain(const api::MeasuredGain& gain) {
  return store::IsRunId(gain.test) ? gain.test : "m-" + store::RandomId();
}

Status TeamIsFullOfGains(std::int64_t count) {
  return Error(StatusCode::kResource, "{} gains of this team are kept already", count);
}

FolderGains::FolderGains(std::string folder, std::string temporary,
                         const std::function<void(std::string_view)>& on_message)
    : folder_(std::move(folder)), temporary_(std::move(temporary)) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(kGainsEnding)) continue;
    const auto text = ReadFile(path);
    auto gain = text.ok() ? json::FromJson<api::MeasuredGain>(*text)
                          : Result<api::MeasuredGain>(text.status());
    if (gain.ok() && IsUsable(*gain)) {
      gains_.emplace_back(entry.path().stem().string(), *std::move(gain));
    } else {
      on_message(fmt::format("{}: no measured gain is kept in it", path));
    }
  }
}

Status FolderGains::Keep(api::MeasuredGain gain) {
  RS_RETURN_IF_ERROR(CheckGain(gain));
  const std::string name = NameOfGain(gain);
  {
    const std::scoped_lock lock(mutex_);
    const auto of_team = std::ranges::count_if(
        gains_, [&](const auto& one) { return one.second.team == gain.team && one.first != name; });
    if (of_team >= kMostOfTeam) return TeamIsFullOfGains(of_team);
  }
  RS_RETURN_IF_ERROR(WriteDurably(fmt::format("{}/{}{}", folder_, name, kGainsEnding),
                                  json::ToJson(gain), temporary_));
  const std::scoped_lock lock(mutex_);
  std::erase_if(gains_, [&](const auto& one) { return one.first == name; });
  gains_.emplace_back(name, std::move(gain));
  return OkStatus();
}

Status FolderGains::Forget(const std::string& test) {
  {
    const std::scoped_lock lock(mutex_);
    if (std::erase_if(gains_, [&](const auto& one) { return one.first == test; }) == 0)
      return OkStatus();
  }
  return RemoveDurably(fmt::format("{}/{}{}", folder_, test, kGainsEnding));
}

Result<std::vector<api::MeasuredGain>> FolderGains::All(const Sees& sees) const {
  std::vector<api::MeasuredGain> all;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [name, gain] : gains_)
      if (sees(gain.team)) all.push_back(gain);
  }
  std::ranges::stable_sort(all, std::greater<>(), &api::MeasuredGain::made);
  return all;
}

}  // namespace rankscope::service
