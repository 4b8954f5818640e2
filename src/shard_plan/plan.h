// A job in shards: its files, divided so that many processes can read them side by side, and the
// folder that they share.
//
//   FOLDER/plan.json      what is to be read, and by whom (ShardPlan); written first, never changed
//   FOLDER/cache/         what was made of each file: a cache as any other
//   FOLDER/shard-N.json   how far shard N is (ShardResult)
//
// A server's run in shards has such a folder, too (service/run_analysis.h): which shard has which
// files is rows of a database there, and its plan has none.
//
// Shards only fill the cache: who makes the report reads the job as if nobody had been there
// before, and makes again what is not in it. So a shard that is run twice, or never, costs time
// alone.
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
  std::int64_t bytes = 0;  // of text, about (TextBytesOf)
};

struct ShardPlan {
  std::vector<std::string> paths;   // of the job, as they were named, absolute
  std::vector<std::int64_t> steps;  // none: all
  std::string kernel_classes;       // a file; "": none
  bool draws = false;               // for a report with pictures
  std::int64_t threads = 0;         // of each shard; 0: one per core
  std::vector<ShardFiles> shards;
};

// Array jobs of Slurm have 1,001 tasks at most, unless its operator has allowed more.
inline constexpr std::size_t kMostShards = 1000;

struct TraceFile {
  std::string path;
  std::uint64_t bytes = 0;  // as it lies on disk
};

// How much text a trace is, by its name and size: packed ones are some 15 times as long unpacked.
std::uint64_t TextBytesOf(std::string_view path, std::uint64_t bytes);

// In the order of files, so that neighbours stay together. A shard has `bytes` of text or less, but
// for one whose only file is longer; where that makes more than kMostShards, each has more.
std::vector<ShardFiles> DivideIntoShards(const std::vector<TraceFile>& files, std::uint64_t bytes);

std::string CacheFolderOf(const std::string& folder);

// Makes the folder, which may be there but empty. kInvalidArgument for one that is not.
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
