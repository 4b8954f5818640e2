#include "app/run_files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "engine/discover.h"
#include "store/run.h"

namespace rankscope::app {
namespace {

namespace fs = std::filesystem;

// The folder above all of these files.
fs::path CommonFolder(const std::vector<std::string>& paths) {
  fs::path common = fs::absolute(paths.front()).lexically_normal().parent_path();
  for (const std::string& path : paths) {
    const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    fs::path shared;
    for (auto part = common.begin(); part != end; ++part) shared /= *part;
    common = shared;
  }
  return common;
}

}  // namespace

Result<std::vector<store::LocalFile>> FindRunFiles(const std::vector<std::string>& named,
                                                   Listener& listener) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(named));
  for (const auto& unlisted : found.unlisted) listener.OnNotice(unlisted.second.message());
  if (found.paths.empty())
    return Error(StatusCode::kNotFound, "there is no trace file in what was named");
  std::vector<std::string> paths = found.paths;
  paths.insert(paths.end(), found.telemetry.begin(), found.telemetry.end());
  std::ranges::copy(FindMemorySnapshots(named), std::back_inserter(paths));
  const fs::path folder = CommonFolder(paths);
  std::vector<store::LocalFile> files;
  for (const std::string& path : paths) {
    std::string name = fs::absolute(path).lexically_normal().lexically_relative(folder).string();
    RS_RETURN_IF_ERROR(store::CheckFileName(name));
    files.push_back({std::move(name), path});
  }
  std::ranges::sort(files, {}, &store::LocalFile::name);
  return files;
}

Result<std::string> NameOfRun(const std::vector<std::string>& paths) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(paths));
  return found.paths.empty() ? std::string() : CommonFolder(found.paths).filename().string();
}

}  // namespace rankscope::app
