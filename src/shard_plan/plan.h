// A job in shards: its files, divided so that many processes can read them in parallel, and the
// folder that they share.
//
//   FOLDER/plan.json      what each shard reads (ShardPlan); written first, never changed
//   FOLDER/cache/         the results for each file: an ordinary cache
//   FOLDER/shard-N.json   the progress of shard N (ShardResult)
//
// A run in shards on a server also has such a folder (service/queue/run_analysis.h). There, rows of
// a database assign files to shards, and the plan does not.
//
// Shards only fill the cache. The report reads the job as usual, and recomputes
// what is not in the cache. So a shard that runs twice, or never, only costs time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/fields.h"

namespace rankscope::shards {

struct ShardFiles {
  std::vector<std::string> files;
  std::int64_t bytes = 0;  // text bytes, approximate (TextBytesOf)
};

struct ShardPlan {
  std::vector<std::string> paths;   // of the job, as named by the user, absolute
  std::vector<std::int64_t> steps;  // empty: all
  std::string kernel_classes;       // a file; "": none
  bool draws = false;               // for a report with charts
  std::int64_t threads = 0;         // per shard; 0: one per core
  std::vector<ShardFiles> shards;
};

// Array jobs of Slurm have at most 1,001 tasks by default.
inline constexpr std::size_t kMostShards = 1000;

struct TraceFile {
  std::string path;
  std::uint64_t bytes = 0;  // size on disk
};

// Estimates the text bytes of a trace by its name and size: compressed ones grow by a factor of
// about 15.
std::uint64_t TextBytesOf(std::string_view path, std::uint64_t bytes);

// In file order, so that neighbours stay together. A shard has at most `bytes` of text, unless its
// only file is longer. If that would give more than kMostShards, each shard gets more.
std::vector<ShardFiles> DivideIntoShards(const std::vector<TraceFile>& files, std::uint64_t bytes);

std::string CacheFolderOf(const std::string& folder);

// Creates the folder; it may exist if it is empty, otherwise kInvalidArgument.
Status WritePlan(const std::string& folder, const ShardPlan& plan);
// kNotFound for a folder without a plan, kBadData for one that is damaged.
Result<ShardPlan> ReadPlan(const std::string& folder);

}  // namespace rankscope::shards

namespace rankscope::json {
template <>
const Fields<shards::ShardFiles>& FieldsOf();
template <>
const Fields<shards::ShardPlan>& FieldsOf();
}  // namespace rankscope::json
