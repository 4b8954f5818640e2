// Finished tables of a job in the cache, in one file beside the partials of traces. Its key is the
// hash of all their inputs except their analysis and its options.
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

// Whether a table is small enough to be kept in memory and stored; a table of a million steps would
// be in memory twice.
bool IsSmall(const Table& table);

// Options are the given ones, valid for the analysis. `cache` must have a folder and outlive both.
class StoredTables {
 public:
  StoredTables(const Cache& cache, const Hash128& key) : cache_(cache), key_(key) {}

  // nullptr if it is missing, or if its columns differ from the analysis's declaration. The file is
  // read at the first call.
  std::shared_ptr<const Table> Find(const Analysis& analysis, const Options& options);

 private:
  const Cache& cache_;
  const Hash128 key_;
  std::optional<Partials> stored_;
};

class TablesToStore {
 public:
  // Packs it; large tables and tables with other columns than declared are left out.
  void Add(const Analysis& analysis, const Options& options, const Table& table);
  // Adds to the stored tables, which are dropped if there are too many. Not for several threads at
  // once.
  void Store(const Cache& cache, const Hash128& key);

 private:
  std::map<std::string, std::string> packed_;  // by the name in the cache
};

}  // namespace rankscope
