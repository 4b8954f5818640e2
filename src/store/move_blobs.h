// Moves the contents of a store from its folder to S3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/blob_place.h"
#include "store/store.h"

namespace rankscope::store {

struct MovedBlobs {
  std::string place;             // where they are now
  std::int64_t contents = 0;     // that were sent, or were there
  std::uint64_t bytes = 0;       // of these
  std::vector<Problem> damaged;  // what stays in the folder, since its bytes are not its name's
};

// Sends every content of the folder to `to`, makes the store remember that place, and then removes
// the files. If it is interrupted, the store still works, and the next call continues: contents
// that have arrived are not sent again. Damaged contents are not sent; their files stay. kResource
// while another process writes to the store, as Store::Open.
Result<MovedBlobs> MoveBlobs(const std::string& folder, const BlobPlace& to);

}  // namespace rankscope::store
