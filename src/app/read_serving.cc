#include "app/read_serving.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "engine/discover.h"
#include "formats/base/byte_source.h"
#include "serving/causes/cause.h"
#include "serving/inputs/read_file.h"
#include "serving/objective.h"
#include "serving/tables.h"

namespace rankscope::app {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 30;
constexpr std::size_t kPiece = std::size_t{1} << 20;

serving::Ns ModifiedAt(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return std::nullopt;
  return about.st_mtim.tv_sec * std::int64_t{1'000'000'000} + about.st_mtim.tv_nsec;
}

Result<std::string> TextOf(const std::string& path) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path));
  std::string text;
  std::size_t got = 0;
  do {
    const std::size_t before = text.size();
    if (before > kMostBytes)
      return Error(StatusCode::kResource, "{}: it holds over 4 GiB; name a part of it", path);
    text.resize(before + kPiece);
    got = source->Read(text.data() + before, kPiece);
    text.resize(before + got);
  } while (got > 0);
  return text;
}

// A folder may hold weights and caches: what is no text is not read to its end.
bool IsText(const std::string& path) {
  const auto source = OpenByteSource(path);
  if (!source.ok()) return true;  // reading says what is wrong
  std::string head(4096, '\0');
  head.resize((*source)->Read(head.data(), head.size()));
  return head.find('\0') == std::string::npos;
}

Status ReadOne(const std::string& path, serving::Collection& to) {
  if (!IsText(path))
    return Error(StatusCode::kNotFound, "{}: it is no text, and nothing of a serving program",
                 path);
  RS_ASSIGN_OR_RETURN(const std::string text, TextOf(path));
  return serving::ReadServingFile({.path = path, .text = text, .modified = ModifiedAt(path)}, to);
}

}  // namespace

Result<ServingReport> ReadServing(const ServingSpec& spec, Listener& listener) {
  serving::Objective objective;
  if (!spec.objective.empty()) {
    RS_ASSIGN_OR_RETURN(objective, serving::ParseObjective(spec.objective));
  }
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindFiles(spec.paths));
  serving::Collection collection;
  std::vector<std::string> notices;
  for (const auto& unlisted : found.unlisted) notices.push_back(unlisted.second.message());
  for (std::size_t i = 0; i < found.paths.size(); ++i) {
    if (listener.IsStopped()) return Error(StatusCode::kCancelled, "stopped");
    listener.OnReading({.files_done = i, .files = found.paths.size()});
    const std::string& path = found.paths[i];
    const Status status = ReadOne(path, collection);
    if (status.ok()) continue;
    if (std::ranges::find(spec.paths, path) != spec.paths.end()) {
      listener.OnReadingDone();
      return status;
    }
    // Anything else may lie in a folder.
    if (status.code() != StatusCode::kNotFound) notices.push_back(status.message());
  }
  listener.OnReadingDone();
  if (collection.data.sources.empty()) {
    if (!notices.empty()) return Error(StatusCode::kBadData, "{}", notices.front());
    return Error(
        StatusCode::kNotFound,
        "{}: nothing of a serving program in {} file{}; rankscope serving reads scrapes of "
        "/metrics, OTLP spans as JSON, request logs, benchmark results, access logs and "
        "vLLM's log",
        spec.paths.front(), found.paths.size(), found.paths.size() == 1 ? "" : "s");
  }
  for (const std::string& notice : notices) listener.OnNotice(notice);
  for (std::string& notice : notices) collection.Note(std::move(notice));
  const serving::Analysis analysis = serving::Analyse(std::move(collection.data));
  const serving::Causes causes = serving::FindCauses(analysis);
  return ServingReport{.tables = serving::MakeTables(analysis, causes, objective)};
}

}  // namespace rankscope::app
