#include "shards/gather.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "shard_plan/plan.h"
#include "shards/result.h"

namespace rankscope::shards {
namespace {

std::string WhyLeftOut(const EndedAt& ended) {
  const std::string how = ended.how.empty() ? "its process was killed" : ended.how;
  return fmt::format(
      "reading it ended {} processes (the last: {}), for too little memory as a "
      "rule: it was left out",
      ended.times, how);
}

}  // namespace

app::CacheSpec CacheOf(const std::string& folder) {
  return {.enabled = true,
          .folder = CacheFolderOf(folder),
          .user_folder = "",
          .limit_bytes = std::numeric_limits<std::int64_t>::max()};
}

Result<Gathered> GatherShards(const std::string& folder) {
  RS_ASSIGN_OR_RETURN(const ShardPlan plan, ReadPlan(folder));
  Gathered gathered;
  gathered.shards = plan.shards.size();
  for (std::size_t i = 0; i < plan.shards.size(); ++i) {
    RS_ASSIGN_OR_RETURN(const ShardResult result, ReadResult(folder, i));
    if (!result.is_done) ++gathered.without_result;
    for (const std::string& file : plan.shards[i].files) {
      const auto ended = std::ranges::find(result.ended, file, &EndedAt::file);
      if (ended != result.ended.end()) {
        gathered.left_out.emplace_back(file, WhyLeftOut(*ended));
      } else if (!result.is_done && std::ranges::find(result.read, file) == result.read.end()) {
        gathered.left_out.emplace_back(
            file, fmt::format("its shard, {}, ended without a result: rankscope shard {} {} reads "
                              "it, and analyze --shards {} then makes the report again",
                              i, folder, i, folder));
      }
    }
  }
  return gathered;
}

Result<bool> WaitForShards(const std::string& folder, const std::function<bool()>& is_over) {
  RS_ASSIGN_OR_RETURN(const ShardPlan plan, ReadPlan(folder));
  for (std::size_t i = 0; i < plan.shards.size();) {
    RS_ASSIGN_OR_RETURN(const ShardResult result, ReadResult(folder, i));
    if (result.is_done) {
      ++i;
      continue;
    }
    if (is_over()) return false;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  return true;
}

}  // namespace rankscope::shards
