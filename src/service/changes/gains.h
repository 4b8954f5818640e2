// Gains: promised and measured gains of changes made for findings, and the expected gain of the
// next such change. They are kept longer than their runs.
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

// Changes that promised less say nothing about promises.
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

// kInvalidArgument for gains that say nothing about promises.
Status CheckGain(const api::MeasuredGain& gain);

// Safe for many threads.
class Gains {
 public:
  using Sees = std::function<bool(std::string_view team)>;

  virtual ~Gains() = default;
  // Replaces the gain of the same second run. kResource if its team has kMostOfTeam.
  virtual Status Keep(api::MeasuredGain gain) = 0;
  // Removes the gain of a run that is no longer a second run.
  virtual Status Forget(const std::string& test) = 0;
  // Gains of teams for which `sees` is true, the newest first.
  virtual Result<std::vector<api::MeasuredGain>> All(const Sees& sees) const = 0;
};

class FolderGains final : public Gains {
 public:
  // Reads `folder`, a file for each gain. `on_message` is told of unreadable files. `temporary` is
  // a folder of the same file system.
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

// Copies gains from a folder that the database lacks; returns their number. Unreadable ones are
// left out and reported.
Result<std::int64_t> CopyGains(const std::string& folder, postgres::Database& database,
                               const std::function<void(std::string_view)>& on_message);

// Its key: the name of its second run.
std::string NameOfGain(const api::MeasuredGain& gain);
Status TeamIsFullOfGains(std::int64_t count);

}  // namespace rankscope::service
