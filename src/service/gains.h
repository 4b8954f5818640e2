// Gains: what changes for findings were to gain and did, kept beyond the runs that they come from,
// and what the next such change is likely to gain.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/again.h"
#include "base/status.h"

namespace rankscope::service {

// Only changes that promised so much tell anything about promises.
inline constexpr double kLeastPromisedPct = 1.0;
inline constexpr std::int64_t kMostOfTeam = 10'000;

// promised_pct times R, the mean ratio of measured to promised of changes for the same finding,
// drawn towards 1 as if kUnseen more had gained what they promised; changes of the same model are
// drawn towards that of the finding in the same way:
//   R_finding = (kUnseen + sum of r) / (kUnseen + n),
//   R = (kUnseen R_finding + sum of r of the model) / (kUnseen + n of the model).
// r is taken from -1 to 2, so that no single change decides. `measured` is 0 when nothing is known,
// and expected_pct is promised_pct then. O(gains).
inline constexpr double kUnseen = 2.0;
api::ExpectedGain ExpectedOf(const std::vector<api::MeasuredGain>& gains, std::string_view finding,
                             std::string_view model, double promised_pct);

// Safe for many threads.
class Gains {
 public:
  using Sees = std::function<bool(std::string_view team)>;

  // Reads what `folder` has, a file for each gain; `on_message` hears of what cannot be read.
  // `temporary` is a folder of the same file system.
  Gains(std::string folder, std::string temporary,
        const std::function<void(std::string_view)>& on_message);

  // In place of what was kept of the same second run. kResource when its team has kMostOfTeam.
  Status Keep(api::MeasuredGain gain);
  // What was kept of a second run, which is none any more.
  Status Forget(const std::string& test);
  // Of teams that `sees`, the newest first.
  std::vector<api::MeasuredGain> All(const Sees& sees) const;

 private:
  const std::string folder_;
  const std::string temporary_;
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, api::MeasuredGain>> gains_;  // by the names of their files
};

}  // namespace rankscope::service
