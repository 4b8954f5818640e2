// A second store that has what a first one has.
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

// Brings the store in the folder `to`, made where there is none, up to the one in `from`; a process
// may write to that one meanwhile. Each record is copied as it is, behind all that it names, so the
// backup is sound whenever this ends; the next one goes on from there. Every content that is copied
// is hashed: a run that names a damaged or missing one stays in the backup as it was, and is a
// problem. Runs that the store has no more stay. `beside` are folders of `from` whose files are
// copied, too. Costs reading what is new, and a look at each record. `blobs` is what is said of
// where the contents of `from` lie; the backup has them in its own folder.
// kInvalidArgument where one folder holds the other; else as Store::Open of each.
// `catalogue`: StoreOptions::catalogue of `from`; the backup's own is in its folder whatever that
// is, and what is beside runs is copied from folders alone.
Result<BackedUp> BackUp(const std::string& from, const std::string& to,
                        std::span<const std::string_view> beside, const std::string& catalogue = "",
                        const BlobPlace& blobs = {});

}  // namespace rankscope::store
