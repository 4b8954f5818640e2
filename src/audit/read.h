// Queries of an audit log: entries that match a filter, and the verification of the chain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/audit.h"
#include "audit/log.h"
#include "base/status.h"

namespace rankscope::audit {

// "" matches everything.
struct Filter {
  std::string since;  // "2026-11-28" or a longer prefix of a time: entries from then on
  std::string who;
  std::string run;
  std::string act;  // "run.remove"; "run." matches all acts on runs
  bool Fits(const api::AuditEntry& entry) const;
};

struct Page {
  std::vector<api::AuditEntry> entries;  // newest first
  std::int64_t older = 0;  // start of the next page: entries before this number; 0: no more
};
// At most `limit` entries before number `before` (0: from the newest). A page may have fewer
// although more follow, since a call reads at most 100,000 lines. Skips damaged lines.
Result<Page> ReadPage(Lines& lines, const Filter& filter, std::size_t limit,
                      std::int64_t before = 0);

// The newest `most` entries, newest first, however many lines lie between them.
Result<std::vector<api::AuditEntry>> ReadNewest(Lines& lines, const Filter& filter,
                                                std::size_t most);

struct Verified {
  std::int64_t lines = 0;
  std::int64_t first = 0;  // number of the first line; older ones were removed by the bound
  Head last;
  std::vector<std::string> problems;  // at most 20
  std::int64_t more_problems = 0;
};
// Checks the whole chain. `expected` is a head that was recorded elsewhere: it must be among the
// lines, unless it is older than all of them.
Result<Verified> Verify(Lines& lines, const std::optional<Head>& expected = std::nullopt);

}  // namespace rankscope::audit
