// Log: who did what at a server, line behind line (line.h). In files beside a store's runs, or in
// the catalogue of a cluster, where all servers have one.
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

// Lines as they are kept. Safe for many threads.
class Lines {
 public:
  virtual ~Lines() = default;
  // Each line, from the newest or oldest on, until `visit` returns false. A line that is being
  // written is not there yet.
  using Visit = std::function<bool(std::string_view line)>;
  virtual Status FromNewest(const Visit& visit) = 0;
  virtual Status FromOldest(const Visit& visit) = 0;
  // What the writer noted last; number 0 where nothing says so. It may be behind the lines by those
  // that are being written, and never before them.
  virtual Result<Head> Noted() = 0;
};

class Log : public Lines {
 public:
  enum class Care : std::uint8_t {
    kOnDisk,   // is there after a power cut, too, when it returns
    kQuickly,  // where nobody may wait for the disk
  };
  // Sets number and hashes.
  virtual Status Add(const api::AuditEntry& entry, Care care) = 0;
  // Removes the oldest beyond the bound.
  virtual Status Trim() = 0;
};

struct Bounds {
  std::uint64_t file_bytes = std::uint64_t{16} << 20;
  std::size_t most_files = 64;
  std::int64_t most_rows = 2'000'000;  // in a database
};

// The folder is made where it is missing; one process writes there. A line that a killed process
// left cut off is taken away. `folder` is DATA/audit.
Result<std::unique_ptr<Log>> OpenFolderLog(const std::string& folder, Bounds bounds = {});
// To read, also beside a server. kNotFound where there is none.
Result<std::unique_ptr<Lines>> OpenFolderLines(const std::string& folder);
// `database` outlives it.
std::unique_ptr<Log> MakeClusterLog(postgres::Database& database, Bounds bounds = {});

}  // namespace rankscope::audit
