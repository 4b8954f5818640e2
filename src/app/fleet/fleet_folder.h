// The rows of all runs of a store (schemas/fleet.h), in DATA/fleet:
//
//   manifest.json                         which files count, a generation for each day
//   kernel_run.2026-11-27.12.parquet      the table, its day, the generation of its day
//   lock                                  held by the process that writes
//
// A change of a day writes its files under the next generation, then renames a new manifest into
// place. So readers see a day before or after the change. A killed writer leaves files that the
// manifest does not name; the next change removes them. The folder is derived from the store and
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

// Raised when rows of an unchanged run change; then all rows are recomputed.
inline constexpr std::int64_t kFleetRowsVersion = 4;

struct FleetManifest {
  bool is_simulated = false;  // its rows belong to no runs of the store, and stay unchanged
  std::int64_t generation = 0;
  std::map<std::string, std::int64_t> days;  // day -> generation
};

class FleetFolder {
 public:
  explicit FleetFolder(const std::string& data) : folder_(data + "/fleet") {}

  // An empty manifest if there is none, or if it has another kFleetRowsVersion; kBadData, with the
  // remedy, if it cannot be read.
  Result<FleetManifest> ReadManifest() const;
  std::string FileOf(std::string_view table, std::string_view day, std::int64_t generation) const;
  // The files of a table for the days from `since` to `until`, inclusive; "" is no bound.
  std::vector<std::string> FilesOf(const FleetManifest& manifest, std::string_view table,
                                   const std::string& since, const std::string& until) const;

  // Makes the folder and waits for its lock, which is held until the descriptor is closed.
  Result<int> Lock() const;
  // Writes the day's files: the existing rows except those of the runs `gone`, and `rows`, which
  // belong to that day. Then adds them to `manifest`. Takes about a second per million kernels.
  Status WriteDay(const std::string& day, const std::set<std::string>& gone,
                  const fleet::FleetRows& rows, FleetManifest& manifest) const;
  Status WriteManifest(const FleetManifest& manifest) const;
  // Removes the files that the manifest does not name. Under the lock.
  void RemoveUnnamed(const FleetManifest& manifest) const;

 private:
  std::string folder_;
};

}  // namespace rankscope::app
