// The check of a server's folder: its store, and the data beside runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/blob_place.h"
#include "store/store.h"

namespace rankscope::service {

struct StoreCheckSpec {
  std::string data_folder;
  std::string catalogue;  // address of a cluster's database; "": records in the folder
  store::BlobPlace blobs;
  bool contents = false;  // also compares the bytes of contents with their SHA-256
  bool repair = false;    // the same, and removes damaged contents, so that they can be added again
  bool seal = false;      // in place of a check, gives runs of older versions checksums
};

struct StoreCheck {
  store::Checked checked;
  std::vector<store::Problem> problems;  // of the store, and of the data beside runs
  std::size_t removed = 0;               // contents
};

// kResource if repairing or sealing is asked for while another process writes to the folder.
Result<StoreCheck> CheckStore(const StoreCheckSpec& spec);

}  // namespace rankscope::service
