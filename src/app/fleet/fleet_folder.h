// The rows of all runs of a store (schemas/fleet.h), in DATA/fleet:
//
//   manifest.json                         which files count, a generation for each day
//   kernel_run.2026-11-27.12.parquet      the table, its day, the generation of its day
//   lock                                  held by the process that writes
//
// A change of a day writes its files anew under the next generation, then the manifest, by renaming
// it into place: readers see a day as it was before or after, and who is killed leaves files that
// the manifest does not name, which the next change removes. All of it follows from the store and
// can be removed at any time.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fleet/rows/run_rows.h"

namespace rankscope::app {

// Raised when rows of an unchanged run come out otherwise: all are made anew then.
inline constexpr std::int64_t kFleetRowsVersion = 3;

struct FleetManifest {
  bool is_simulated = false;  // its rows are of no runs of the store, and stay as they are
  std::int64_t generation = 0;
  std::map<std::string, std::int64_t> days;  // day -> generation
};

class FleetFolder {
 public:
  explicit FleetFolder(const std::string& data) : folder_(data + "/fleet") {}

  // An empty one where there is none, or where it is of another kFleetRowsVersion; kBadData, with
  // the remedy, where it cannot be read.
  Result<FleetManifest> ReadManifest() const;
  std::string FileOf(std::string_view table, std::string_view day, std::int64_t generation) const;
  // The files of a table, of the days from `since` until `until`, both included; "" is no bound.
  std::vector<std::string> FilesOf(const FleetManifest& manifest, std::string_view table,
                                   const std::string& since, const std::string& until) const;

  // Makes the folder and waits for its lock, which is held until the descriptor is closed.
  Result<int> Lock() const;
  // Writes the day's files: the rows of before but for those of the runs `gone`, and `rows`, which
  // are of that day. `manifest` then has them. Takes about a second per million kernels.
  Status WriteDay(const std::string& day, const std::set<std::string>& gone,
                  const fleet::FleetRows& rows, FleetManifest& manifest) const;
  Status WriteManifest(const FleetManifest& manifest) const;
  // Removes the files that the manifest does not name. Under the lock.
  void RemoveUnnamed(const FleetManifest& manifest) const;

 private:
  std::string folder_;
};

}  // namespace rankscope::app
