// Converts options of the C interface, texts by name, to the types of use cases.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/open_job.h"
#include "app/sql_session.h"
#include "base/status.h"
#include "capi/rankscope.h"

namespace rankscope::capi {

// Each of these returns kInvalidArgument for an unexpected NULL, and for an unknown option.

Result<std::vector<std::string>> TextsOf(const char* const* texts, std::size_t count,
                                         const char* what);
// If a name repeats, its last option counts.
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
