#include "rerun/run_times.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "json/reader.h"

namespace rankscope::rerun {
namespace {

namespace fs = std::filesystem;

// Sorted, so that what is read does not depend on the file system.
Result<std::vector<std::string>> FilesEndingWith(const std::string& folder,
                                                 std::string_view ending) {
  std::vector<std::string> files;
  std::error_code error;
  if (!fs::exists(folder, error)) return files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    if (path.ends_with(ending)) files.push_back(path);
  }
  if (error) return Error(StatusCode::kIo, "{}: {}", folder, error.message());
  std::sort(files.begin(), files.end());
  return files;
}

struct RankTimes {
  double step_ns = 0;
  std::int64_t steps = 0;
  bool is_of_device = false;
};

// nullopt of a process that did not get to a second step.
Result<std::optional<RankTimes>> ReadRank(const std::string& path) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  auto reader = json::Reader::Parse(text);
  if (!reader.ok()) return Error(StatusCode::kBadData, "{}: {}", path, reader.status().message());
  const json::Value root = reader->root();
  const auto ends = root["ends_ns"].NeedItems();
  const auto clock = root["clock"].NeedText();
  for (const Status& status : {ends.status(), clock.status()})
    if (!status.ok()) return Error(StatusCode::kBadData, "{}: {}", path, status.message());
  if (ends->size() < 2) return std::optional<RankTimes>();
  const auto last = ends->back().NeedInteger(1);
  if (!last.ok()) return Error(StatusCode::kBadData, "{}: {}", path, last.status().message());
  const auto steps = static_cast<std::int64_t>(ends->size()) - 1;
  return std::optional(RankTimes{.step_ns = static_cast<double>(*last) / static_cast<double>(steps),
                                 .steps = steps,
                                 .is_of_device = *clock == "device"});
}

}  // namespace

Result<std::optional<RunTimes>> ReadRunTimes(const std::string& folder) {
  RS_ASSIGN_OR_RETURN(const auto files, FilesEndingWith(folder, ".times"));
  std::optional<RunTimes> times;
  for (const std::string& file : files) {
    RS_ASSIGN_OR_RETURN(const std::optional<RankTimes> rank, ReadRank(file));
    if (!rank) continue;
    if (!times) times = RunTimes{.steps = rank->steps};
    times->step_ns = std::max(times->step_ns, rank->step_ns);
    times->steps = std::min(times->steps, rank->steps);
    times->is_of_device |= rank->is_of_device;
    ++times->ranks;
  }
  return times;
}

Result<bool> RanCodeOfTree(const std::string& folder) {
  RS_ASSIGN_OR_RETURN(const auto files, FilesEndingWith(folder, ".tree"));
  return !files.empty();
}

Result<std::vector<std::string>> RecordingsIn(const std::string& folder) {
  return FilesEndingWith(folder, ".pt.trace.json.gz");
}

}  // namespace rankscope::rerun
