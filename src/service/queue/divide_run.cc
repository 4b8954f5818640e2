#include "service/queue/divide_run.h"

#include <algorithm>

#include "shard_plan/plan.h"

namespace rankscope::service {
namespace {

using store::Run;
using store::RunFile;

bool IsRead(const Run& run, const RunFile& file) {
  return file.name != store::kSourceFile &&
         std::ranges::find(run.set_aside, file.name, &store::SetAside::file) == run.set_aside.end();
}

std::int64_t TextBytes(const RunFile& file) {
  // A run that was divided is known by its bytes, so there are some.
  return static_cast<std::int64_t>(
      std::max<std::uint64_t>(shards::TextBytesOf(file.name, file.bytes), 1));
}

}  // namespace

std::vector<WorkShard> DivideRun(const Run& run, std::uint64_t bytes) {
  const auto kind = run.tags.find(std::string(store::kKindTag));
  if (kind != run.tags.end() && kind->second == store::kServingKind) return {};
  std::vector<shards::TraceFile> files;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < run.files.size(); ++i) {
    if (!IsRead(run, run.files[i])) continue;
    files.push_back({run.files[i].name, run.files[i].bytes});
    places.push_back(static_cast<std::int64_t>(i));
  }
  std::vector<WorkShard> divided;
  std::size_t at = 0;
  for (const shards::ShardFiles& shard : shards::DivideIntoShards(files, bytes)) {
    const std::int64_t first = places[at];
    at += shard.files.size();
    divided.push_back({.first_file = first,
                       .behind_file = places[at - 1] + 1,
                       .bytes = std::max<std::int64_t>(shard.bytes, 1)});
  }
  return divided;
}

std::vector<WorkShard> DivideByFile(const Run& run, const WorkShard& shard) {
  std::vector<WorkShard> divided;
  for (std::int64_t i = shard.first_file; i < shard.behind_file; ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (place >= run.files.size() || !IsRead(run, run.files[place])) continue;
    divided.push_back(
        {.first_file = i, .behind_file = i + 1, .bytes = TextBytes(run.files[place])});
  }
  return divided;
}

Run PartOf(const Run& run, const WorkShard& shard) {
  Run part = run;
  part.files.clear();
  part.metrics.clear();
  for (const WorkShard& one : DivideByFile(run, shard))
    part.files.push_back(run.files[static_cast<std::size_t>(one.first_file)]);
  return part;
}

}  // namespace rankscope::service
