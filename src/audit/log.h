// Log: who did what on a server, one line after the other (line.h). Stored in files beside a
// store's runs, or in the catalogue of a cluster, where all servers share one log.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/audit.h"
#include "audit/line.h"
#include "base/status.h"

namespace rankscope::postgres {
class Database;
}

namespace rankscope::audit {

// The stored lines. Thread-safe.
class Lines {
 public:
  virtual ~Lines() = default;
  // Calls `visit` for each line, from the newest or oldest on, until it returns false. A line that
  // is being written is not included.
  using Visit = std::function<bool(std::string_view line)>;
  virtual Status FromNewest(const Visit& visit) = 0;
  virtual Status FromOldest(const Visit& visit) = 0;
  // The head that the writer recorded last; number 0 if there is no record. It may lag behind the
  // lines that are being written, but is never ahead of the lines.
  virtual Result<Head> Noted() = 0;
};

class Log : public Lines {
 public:
  enum class Care : std::uint8_t {
    kOnDisk,   // survives a power failure once Add has returned
    kQuickly,  // for callers that must not wait for the disk
  };
  // Assigns number and hashes.
  virtual Status Add(const api::AuditEntry& entry, Care care) = 0;
  // Removes the oldest lines beyond the bound.
  virtual Status Trim() = 0;
};

struct Bounds {
  std::uint64_t file_bytes = std::uint64_t{16} << 20;
  std::size_t most_files = 64;
  std::int64_t most_rows = 2'000'000;  // in a database
};

// Creates the folder if missing; only one process may write there. Removes a line that a killed
// process left incomplete. `folder` is DATA/audit.
Result<std::unique_ptr<Log>> OpenFolderLog(const std::string& folder, Bounds bounds = {});
// For reading, also beside a running server. kNotFound if there is none.
Result<std::unique_ptr<Lines>> OpenFolderLines(const std::string& folder);
// `database` must outlive it.
std::unique_ptr<Log> MakeClusterLog(postgres::Database& database, Bounds bounds = {});

}  // namespace rankscope::audit
