#include "engine/discover.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

bool LooksLikeTrace(const fs::path& path) {
  const std::string name = path.filename().string();
  return (name.ends_with(".json") || name.ends_with(".json.gz")) && name != "truth.json" &&
         !name.starts_with('.');
}

Status AddFolder(const std::string& folder, std::vector<std::string>& files) {
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(folder,
                                                fs::directory_options::skip_permission_denied |
                                                    fs::directory_options::follow_directory_symlink,
                                                error);
  std::set<std::pair<dev_t, ino_t>> seen;  // links may lead in circles
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (entry->is_directory(ignored)) {
      struct stat info {};
      const bool is_new =
          stat(entry->path().c_str(), &info) == 0 && seen.emplace(info.st_dev, info.st_ino).second;
      if (hidden || !is_new) entry.disable_recursion_pending();
    } else if (entry->is_regular_file(ignored) && LooksLikeTrace(entry->path())) {
      files.push_back(entry->path().string());
    }
  }
  if (error)
    return Error(StatusCode::kIo, "{}: cannot list the folder: {}", folder, error.message());
  return OkStatus();
}

Status AddGlob(const std::string& pattern, std::vector<std::string>& files) {
  glob_t matches{};
  std::vector<std::string> found;
  const int result = glob(pattern.c_str(), GLOB_TILDE, nullptr, &matches);
  for (std::size_t i = 0; result == 0 && i < matches.gl_pathc; ++i) {
    found.emplace_back(matches.gl_pathv[i]);
  }
  globfree(&matches);
  if (result == GLOB_NOMATCH)
    return Error(StatusCode::kNotFound, "{}: no file matches the pattern", pattern);
  if (result != 0) return Error(StatusCode::kIo, "{}: cannot expand the pattern", pattern);
  for (const std::string& path : found) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      RS_RETURN_IF_ERROR(AddFolder(path, files));
    } else {
      files.push_back(path);
    }
  }
  return OkStatus();
}

// One path per file, however it was named.
void RemoveDuplicates(std::vector<std::string>& files) {
  std::sort(files.begin(), files.end());
  std::set<std::pair<dev_t, ino_t>> seen;
  std::erase_if(files, [&](const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && !seen.emplace(info.st_dev, info.st_ino).second;
  });
}

}  // namespace

Result<std::vector<std::string>> FindTraceFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      const std::size_t before = files.size();
      RS_RETURN_IF_ERROR(AddFolder(path, files));
      if (files.size() == before) {
        return Error(StatusCode::kNotFound, "{}: no .json or .json.gz file below this folder",
                     path);
      }
    } else if (fs::exists(path, error)) {
      files.push_back(path);
    } else if (path.find_first_of("*?[") != std::string::npos) {
      RS_RETURN_IF_ERROR(AddGlob(path, files));
    } else {
      return Error(StatusCode::kNotFound, "{}: no such file or folder", path);
    }
  }
  RemoveDuplicates(files);
  if (files.empty())
    return Error(StatusCode::kNotFound, "{}: no .json or .json.gz file there", paths.front());
  return files;
}

}  // namespace rankscope
