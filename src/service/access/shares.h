// Shares: states of the pages that are too long for an address, kept under unguessable names, in a
// folder or in the database of a cluster.
//
// A share belongs to its maker's team. If the maker sees all teams, it belongs to the team of the
// run that it shows. Shares of older versions have no team: they belong to the run's team, and
// without a run only admins see them. Files are NAME.share: a line of JSON with the owner, then the
// state. Files of older versions are HASH.json, with only the state. A file's time of change is the
// time of its last use.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "service/access/access.h"
#include "service/base/wall_clock.h"

namespace rankscope::postgres {
class Database;
}

namespace rankscope::service {

inline constexpr std::int64_t kDayS = 24 * 3600;  // seconds of a day

struct ShareLimits {
  std::size_t most_of_token = 1000;
  std::uint64_t most_bytes_of_token = std::uint64_t{4} << 20;
  std::size_t most_of_team = 10'000;
  std::int64_t unused_s = 90 * kDayS;  // nobody looked for so long: it goes
};

// Safe for many threads.
class Shares {
 public:
  // The team of a run; nullopt: there is no such run.
  using TeamOfRun = std::function<std::optional<std::string>(std::string_view run)>;

  virtual ~Shares() = default;
  // Returns its name. kResource if the token or its team is at its limit; kIo.
  virtual Result<std::string> Keep(const Principal& who, const std::string& state) = 0;
  // kNotFound also for a share of another team; kBadData for a damaged one, for every caller.
  virtual Result<std::string> Find(const Principal& who, const std::string& name) = 0;
  // Removes shares unused for ShareLimits::unused_s.
  virtual void RemoveUnused() = 0;
};

// In files; Find costs O(1) and reading the file.
class FolderShares final : public Shares {
 public:
  // `folder` exists; its files are listed once, by their first lines. `temporary` is on the same
  // file system.
  FolderShares(std::string folder, std::string temporary, ShareLimits limits, TeamOfRun team_of_run,
               WallClock now_s);

  Result<std::string> Keep(const Principal& who, const std::string& state) override;
  Result<std::string> Find(const Principal& who, const std::string& name) override;
  void RemoveUnused() override;

  // Paths of damaged shares, which are never served.
  static std::vector<std::string> DamagedIn(const std::string& folder);

 private:
  struct Known {
    std::string path;
    std::optional<std::string> team;  // nullopt: of an older version
    std::string token;                // whose share it counts as
    std::uint64_t bytes = 0;
    std::int64_t used_s = 0;
  };
  struct Sum {
    std::size_t shares = 0;
    std::uint64_t bytes = 0;
  };
  void Add(const std::string& name, Known known);
  void Forget(const Known& known);
  void Read(const std::string& path, const std::string& name);

  const std::string folder_;
  const std::string temporary_;
  const ShareLimits limits_;
  const TeamOfRun team_of_run_;
  const WallClock now_s_;
  std::mutex mutex_;
  std::map<std::string, Known, std::less<>> shares_;
  std::map<std::string, Sum> of_token_;
  std::map<std::string, std::size_t> of_team_;
};

// In the table share of a cluster. `database` outlives it.
std::unique_ptr<Shares> MakeClusterShares(postgres::Database& database, ShareLimits limits,
                                          Shares::TeamOfRun team_of_run, WallClock now_s);

// Copies shares from a folder that the database lacks; returns their number. Damaged ones are left
// out and reported.
Result<std::int64_t> CopyShares(const std::string& folder, postgres::Database& database,
                                const std::function<void(std::string_view)>& on_message);

}  // namespace rankscope::service
