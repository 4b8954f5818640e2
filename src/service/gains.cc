#include "service/gains.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "json/fields.h"
#include "store/durable.h"
#include "store/random_id.h"
#include "store/run.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".gain";

double RatioOf(const api::MeasuredGain& gain) {
  return std::clamp(gain.measured_pct / gain.promised_pct, -1.0, 2.0);
}

bool IsUsable(const api::MeasuredGain& gain) {
  return !gain.finding.empty() && std::isfinite(gain.promised_pct) &&
         std::isfinite(gain.measured_pct) && gain.promised_pct >= kLeastPromisedPct &&
         gain.promised_pct <= 100;
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

Gains::Gains(std::string folder, std::string temporary,
             const std::function<void(std::string_view)>& on_message)
    : folder_(std::move(folder)), temporary_(std::move(temporary)) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(kEnding)) continue;
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

Status Gains::Keep(api::MeasuredGain gain) {
  if (!IsUsable(gain))
    return Error(StatusCode::kInvalidArgument,
                 "a gain is kept of a finding that promised {} to 100% of the step time",
                 kLeastPromisedPct);
  const std::string name = store::IsRunId(gain.test) ? gain.test : "m-" + store::RandomId();
  RS_RETURN_IF_ERROR(store::WriteDurably(fmt::format("{}/{}{}", folder_, name, kEnding),
                                         json::ToJson(gain), temporary_));
  const std::scoped_lock lock(mutex_);
  std::erase_if(gains_, [&](const auto& one) { return one.first == name; });
  gains_.emplace_back(name, std::move(gain));
  return OkStatus();
}

std::vector<api::MeasuredGain> Gains::All(const Sees& sees) const {
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
