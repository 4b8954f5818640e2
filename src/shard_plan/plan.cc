#include "shard_plan/plan.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "base/durable.h"
#include "base/file.h"
#include "json/reader.h"

namespace rankscope::json {

template <>
const Fields<shards::ShardFiles>& FieldsOf() {
  using shards::ShardFiles;
  static const Fields<ShardFiles> fields =
      Fields<ShardFiles>("ShardFiles", "files that one process reads", Use::kRecord)
          .Add<&ShardFiles::files>({.name = "files", .doc = "their paths"})
          .Add<&ShardFiles::bytes>({.name = "bytes", .doc = "of text, about", .unit = "bytes"});
  return fields;
}

template <>
const Fields<shards::ShardPlan>& FieldsOf() {
  using shards::ShardPlan;
  static const Fields<ShardPlan> fields =
      Fields<ShardPlan>("ShardPlan", "a job that many processes read", Use::kRecord)
          .Add<&ShardPlan::paths>({.name = "paths", .doc = "of the job"})
          .Add<&ShardPlan::steps>({.name = "steps", .doc = "that are read; none: all"})
          .Add<&ShardPlan::kernel_classes>({.name = "kernel_classes", .doc = "a file of rules"})
          .Add<&ShardPlan::draws>({.name = "draws", .doc = "for a report with pictures"})
          .Add<&ShardPlan::threads>({.name = "threads", .doc = "of each; 0: one per core"})
          .Add<&ShardPlan::shards>({.name = "shards", .doc = "by number"});
  return fields;
}

}  // namespace rankscope::json

namespace rankscope::shards {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPackedTimes = 15;

std::string PlanPath(const std::string& folder) { return folder + "/plan.json"; }

}  // namespace

std::uint64_t TextBytesOf(std::string_view path, std::uint64_t bytes) {
  const bool is_packed = path.ends_with(".gz") || path.ends_with(".zst");
  return is_packed ? bytes * kPackedTimes : bytes;
}

std::vector<ShardFiles> DivideIntoShards(const std::vector<TraceFile>& files, std::uint64_t bytes) {
  const std::uint64_t all = std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                                            [](std::uint64_t sum, const TraceFile& file) {
                                              return sum + TextBytesOf(file.path, file.bytes);
                                            });
  // Half of them could be half full: the next file did not fit.
  const std::uint64_t most = std::max(std::max<std::uint64_t>(bytes, 1), 2 * all / kMostShards + 1);
  std::vector<ShardFiles> shards;
  for (const TraceFile& file : files) {
    const auto text = static_cast<std::int64_t>(TextBytesOf(file.path, file.bytes));
    if (shards.empty() ||
        static_cast<std::uint64_t>(shards.back().bytes) + static_cast<std::uint64_t>(text) > most)
      shards.emplace_back();
    shards.back().files.push_back(file.path);
    shards.back().bytes += text;
  }
  return shards;
}

std::string CacheFolderOf(const std::string& folder) { return folder + "/cache"; }

Status WritePlan(const std::string& folder, const ShardPlan& plan) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    return Error(StatusCode::kInvalidArgument, "{}: not empty; shards want a folder of their own",
                 folder);
  fs::create_directories(CacheFolderOf(folder), error);
  if (error) return Error(StatusCode::kIo, "{}: {}", folder, error.message());
  RS_ASSIGN_OR_RETURN(const auto file, PendingFile::Create(folder));
  RS_RETURN_IF_ERROR(file->Write(json::ToJson(plan)));
  return file->MoveTo(PlanPath(folder));
}

Result<ShardPlan> ReadPlan(const std::string& folder) {
  const std::string path = PlanPath(folder);
  std::error_code error;
  if (!fs::exists(path, error))
    return Error(StatusCode::kNotFound,
                 "{}: no plan of shards; rankscope analyze --runner writes one", path);
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const auto damaged = [&](const Status& why) {
    return Error(StatusCode::kBadData, "{}: {}", path, why.message());
  };
  const auto reader = json::Reader::Parse(text);
  if (!reader.ok()) return damaged(reader.status());
  ShardPlan plan;
  const Status read = json::FieldsOf<ShardPlan>().Read(reader->root(), plan);
  return read.ok() ? Result<ShardPlan>(std::move(plan)) : damaged(read);
}

}  // namespace rankscope::shards
