// Options of the C interface, texts by name, as the types of use cases.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/open_job.h"
#include "app/sql_session.h"
#include "base/status.h"
#include "capi/rankscope.h"

namespace rankscope::capi {

// Each of these is kInvalidArgument for NULL where there must be none, and for what is no option.

Result<std::vector<std::string>> TextsOf(const char* const* texts, std::size_t count,
                                         const char* what);
// Those of one name: the last one counts.
Result<app::Settings> SettingsOf(const rankscope_option* options, std::size_t count);
Result<app::JobSpec> JobSpecOf(const std::vector<std::string>& paths, const app::Settings& options);

struct QueryOptions {
  std::uint64_t memory_bytes = app::SqlOptions{}.memory_bytes;
  bool allow_files = false;
  bool select_only = false;
  friend bool operator==(const QueryOptions&, const QueryOptions&) = default;
};
Result<QueryOptions> QueryOptionsOf(const app::Settings& options);

}  // namespace rankscope::capi
