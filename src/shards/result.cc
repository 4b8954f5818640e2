#include "shards/result.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "base/durable.h"
#include "base/file.h"
#include "json/reader.h"

namespace rankscope::json {

template <>
const Fields<shards::EndedAt>& FieldsOf() {
  using shards::EndedAt;
  static const Fields<EndedAt> fields =
      Fields<EndedAt>("EndedAt", "a file whose reading ended its process", Use::kRecord)
          .Add<&EndedAt::file>({.name = "file", .doc = "its path"})
          .Add<&EndedAt::times>({.name = "times", .doc = "how often"})
          .Add<&EndedAt::how>({.name = "how", .doc = "the last one ended"});
  return fields;
}

template <>
const Fields<shards::ShardResult>& FieldsOf() {
  using shards::ShardResult;
  static const Fields<ShardResult> fields =
      Fields<ShardResult>("ShardResult", "how far a shard is", Use::kRecord)
          .Add<&ShardResult::is_done>({.name = "is_done", .doc = "nothing is left to read"})
          .Add<&ShardResult::has_begun>({.name = "has_begun", .doc = "all files together"})
          .Add<&ShardResult::read>({.name = "read", .doc = "files that were read one by one"})
          .Add<&ShardResult::ended>({.name = "ended", .doc = "files that ended a process"})
          .Add<&ShardResult::is_all_unusable>(
              {.name = "is_all_unusable", .doc = "no file is a trace"});
  return fields;
}

}  // namespace rankscope::json

namespace rankscope::shards {
namespace {

std::string PathOf(const std::string& folder, std::size_t shard) {
  return fmt::format("{}/shard-{}.json", folder, shard);
}

}  // namespace

Result<ShardResult> ReadResult(const std::string& folder, std::size_t shard) {
  const std::string path = PathOf(folder, shard);
  ShardResult result;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return result;
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const auto reader = json::Reader::Parse(text);
  if (!reader.ok()) return Error(StatusCode::kBadData, "{}: {}", path, reader.status().message());
  const Status read = json::FieldsOf<ShardResult>().Read(reader->root(), result);
  if (!read.ok()) return Error(StatusCode::kBadData, "{}: {}", path, read.message());
  return result;
}

Status WriteResult(const std::string& folder, std::size_t shard, const ShardResult& result) {
  RS_ASSIGN_OR_RETURN(const auto file, PendingFile::Create(folder));
  RS_RETURN_IF_ERROR(file->Write(json::ToJson(result)));
  return file->MoveTo(PathOf(folder, shard));
}

}  // namespace rankscope::shards
