// The progress of a shard: what it has tried, stored so that the successor of a killed process
// finds it.
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
  std::string how;  // "signal 9"; "" while it is being read, or if its process vanished
};

struct ShardResult {
  bool is_done = false;
  bool has_begun = false;         // reading all files together was tried, once
  std::vector<std::string> read;  // read one by one after that failed
  std::vector<EndedAt> ended;     // failed readings of a single file
  bool is_all_unusable = false;   // no file is a trace
};

// A file is left out of the job after this many failed readings by itself.
inline constexpr std::int64_t kMostTimes = 2;

// Default values for a shard that has not been started.
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
