// What is asked of an audit log: entries that fit, and whether it is whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/audit.h"
#include "audit/log.h"
#include "base/status.h"

namespace rankscope::audit {

// "" fits all.
struct Filter {
  std::string since;  // "2026-11-28" or a longer begin of a time: entries of then and later
  std::string who;
  std::string run;
  std::string act;  // "run.remove"; "run." all of runs
  bool Fits(const api::AuditEntry& entry) const;
};

struct Page {
  std::vector<api::AuditEntry> entries;  // the newest first
  std::int64_t older = 0;  // where the next page goes on: before this number; 0: there is none
};
// Entries before number `before` (0: the newest), `limit` of them at most. A page may have fewer
// and still go on: it looks at 100,000 lines at most. Lines that are damaged are passed over.
Result<Page> ReadPage(Lines& lines, const Filter& filter, std::size_t limit,
                      std::int64_t before = 0);

struct Verified {
  std::int64_t lines = 0;
  std::int64_t first = 0;  // number of the first; older ones were removed by the bound
  Head last;
  std::vector<std::string> problems;  // 20 of them at most
  std::int64_t more_problems = 0;
};
// Goes through the whole chain. `expected` is a head that somebody noted elsewhere: it has to be
// among the lines, unless it is older than all.
Result<Verified> Verify(Lines& lines, const std::optional<Head>& expected = std::nullopt);

}  // namespace rankscope::audit
