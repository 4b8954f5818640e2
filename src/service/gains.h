// Gains: what changes for findings were to gain and did, kept beyond the runs that they come from,
// and what the next such change is likely to gain.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/again.h"
#include "base/status.h"

namespace rankscope::postgres {
class Database;
}

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

// kInvalidArgument for what tells nothing of promises.
Status CheckGain(const api::MeasuredGain& gain);

// Safe for many threads.
class Gains {
 public:
  using Sees = std::function<bool(std::string_view team)>;

  virtual ~Gains() = default;
  // In place of what was kept of the same second run. kResource when its team has kMostOfTeam.
  virtual Status Keep(api::MeasuredGain gain) = 0;
  // What was kept of a second run, which is none any more.
  virtual Status Forget(const std::string& test) = 0;
  // Of teams that `sees`, the newest first.
  virtual Result<std::vector<api::MeasuredGain>> All(const Sees& sees) const = 0;
};

class FolderGains final : public Gains {
 public:
  // Reads what `folder` has, a file for each gain; `on_message` hears of what cannot be read.
  // `temporary` is a folder of the same file system.
  FolderGains(std::string folder, std::string temporary,
              const std::function<void(std::string_view)>& on_message);

  Status Keep(api::MeasuredGain gain) override;
  Status Forget(const std::string& test) override;
  Result<std::vector<api::MeasuredGain>> All(const Sees& sees) const override;

  // With the names that they have.
  const std::vector<std::pair<std::string, api::MeasuredGain>>& named() const { return gains_; }

 private:
  const std::string folder_;
  const std::string temporary_;
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, api::MeasuredGain>> gains_;  // by the names of their files
};

// In the table gain of a cluster. `database` outlives it.
std::unique_ptr<Gains> MakeClusterGains(postgres::Database& database);

// Copies what a folder has and the database has not: how many. What cannot be read is left out, and
// told.
Result<std::int64_t> CopyGains(const std::string& folder, postgres::Database& database,
                               const std::function<void(std::string_view)>& on_message);

// The name under which it is kept: that of its second run.
std::string NameOfGain(const api::MeasuredGain& gain);
Status TeamIsFullOfGains(std::int64_t count);

}  // namespace rankscope::service
