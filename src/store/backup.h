// Backup: copies a store into a second one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "store/store.h"

namespace rankscope::store {

struct BackedUp {
  std::int64_t runs = 0;      // that are in the backup now as they are in the store
  std::int64_t new_runs = 0;  // of them new, or changed since the last time
  std::int64_t contents = 0;  // that were copied
  std::uint64_t bytes = 0;    // of these
  std::int64_t beside = 0;    // files beside runs that were copied
  std::vector<Problem> problems;
};

// Updates the store in the folder `to`, made if needed, to the state of the one in `from`; a
// process may write to `from` meanwhile. Each record is copied after all contents that it names, so
// the backup is consistent whenever this stops, and the next call continues from there. Every
// copied content is hashed. A run that names a damaged or missing one stays in the backup as it
// was, and is a problem. Runs that the store no longer has stay. `beside` are folders of `from`
// whose files are copied, too. The cost is reading the new data and a look at each record. `blobs`
// is the stated place of the contents of `from`; the backup keeps them in its own folder.
// kInvalidArgument if one folder holds the other; else as Store::Open of each. `catalogue`:
// StoreOptions::catalogue of `from`. The backup's own catalogue is always in its folder, and other
// data beside runs is copied only from folders.
Result<BackedUp> BackUp(const std::string& from, const std::string& to,
                        std::span<const std::string_view> beside, const std::string& catalogue = "",
                        const BlobPlace& blobs = {});

}  // namespace rankscope::store
