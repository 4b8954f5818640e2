// Collects the inputs for the report of a job in shards.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/open_job.h"
#include "base/status.h"

namespace rankscope::shards {

// The folder's cache, with eviction disabled.
app::CacheSpec CacheOf(const std::string& folder);

struct Gathered {
  // Files that ended their processes, or whose shard ended without a result, with the reason. They
  // are left out of the job.
  std::vector<std::pair<std::string, std::string>> left_out;
  std::size_t shards = 0;
  std::size_t without_result = 0;
};
Result<Gathered> GatherShards(const std::string& folder);

// Waits until every shard has a result (returns true), or until `is_over`, which is called every
// second, returns true (returns false).
Result<bool> WaitForShards(const std::string& folder, const std::function<bool()>& is_over);

}  // namespace rankscope::shards
