// Finished tables of a job in the cache, all of them in one file beside the partials of traces,
// under the hash of everything that they come from but their analysis and its options.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/hash.h"
#include "engine/cache.h"
#include "engine/partials.h"
#include "stage/analysis.h"

namespace rankscope {

// Whether a table is small enough to be remembered and stored: one of a million steps would be in
// memory twice.
bool IsSmall(const Table& table);

// Options: as they were given, of an analysis that knows them. `cache` has a folder, and outlives
// both.
class StoredTables {
 public:
  StoredTables(const Cache& cache, const Hash128& key) : cache_(cache), key_(key) {}

  // nullptr: it is not there, or not with the columns that the analysis declares. The file is read
  // for the first that is looked for.
  std::shared_ptr<const Table> Find(const Analysis& analysis, const Options& options);

 private:
  const Cache& cache_;
  const Hash128 key_;
  std::optional<Partials> stored_;
};

class TablesToStore {
 public:
  // Packs it; tables that are large, or have other columns than declared, are left out.
  void Add(const Analysis& analysis, const Options& options, const Table& table);
  // Beside those that are stored already, which are dropped when they become too many. Not for
  // several threads at once.
  void Store(const Cache& cache, const Hash128& key);

 private:
  std::map<std::string, std::string> packed_;  // by the name in the cache
};

}  // namespace rankscope
