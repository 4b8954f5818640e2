// Copies the catalogue of a folder, and the other data of a server, to the database of a cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/store.h"

namespace rankscope::service {

struct MigratedStore {
  std::int64_t runs = 0;      // of the folder
  std::int64_t new_runs = 0;  // that the database has now and had not
  std::int64_t shares = 0;    // new ones
  std::int64_t gains = 0;
  std::int64_t audit_lines = 0;
  std::string why_no_audit;  // a sentence, if the folder's audit log stays there alone
  // The folder is the cluster's now. Not while runs of it were not copied.
  bool is_given = false;
  std::string to;  // the database, without user and password
  std::vector<store::Problem> problems;
};

// Copies what the database lacks. Existing rows stay, so it can be repeated after an interruption.
// Contents stay in the folder, which the cluster uses from then on: it is marked as the cluster's,
// and cannot be opened alone any more. The folder's records stay, too, but nothing reads them.
// kResource while a server uses the folder. kInvalidArgument if the folder is another database's,
// or the database has another folder.
Result<MigratedStore> MigrateStore(const std::string& data_folder, const std::string& catalogue);

}  // namespace rankscope::service
