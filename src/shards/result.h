// How far a shard is: what it has tried, kept where whoever comes after a killed process finds it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "json/fields.h"

namespace rankscope::shards {

// A file whose reading ended its process.
struct EndedAt {
  std::string file;
  std::int64_t times = 0;
  std::string how;  // "signal 9"; "" while its reading is under way, or its process just vanished
};

struct ShardResult {
  bool is_done = false;
  bool has_begun = false;         // all files together, once
  std::vector<std::string> read;  // one by one, after that failed
  std::vector<EndedAt> ended;     // readings of one file alone that did not end well
  bool is_all_unusable = false;   // no file is a trace
};

// A file whose reading alone ended so often is left out of the job.
inline constexpr std::int64_t kMostTimes = 2;

// Of a shard that nobody has begun all is as by default.
Result<ShardResult> ReadResult(const std::string& folder, std::size_t shard);
// Durable when it returns.
Status WriteResult(const std::string& folder, std::size_t shard, const ShardResult& result);

}  // namespace rankscope::shards

namespace rankscope::json {
template <>
const Fields<shards::EndedAt>& FieldsOf();
template <>
const Fields<shards::ShardResult>& FieldsOf();
}  // namespace rankscope::json
