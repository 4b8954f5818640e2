#include "app/files_state.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <iterator>

#include "engine/discover.h"

namespace rankscope::app {
namespace {

void Append(const std::string& path, std::string& state) {
  struct stat status {};
  const bool is_there = stat(path.c_str(), &status) == 0;
  fmt::format_to(std::back_inserter(state), "{} {} {} {} {}.{} {}.{}\n", path, is_there,
                 status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                 status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

}  // namespace

std::string StateOfFiles(const std::vector<std::string>& paths) {
  const auto found = FindTraceFiles(paths);
  if (!found.ok()) return found.status().message();
  std::string state;
  for (const std::string& path : found->paths) Append(path, state);
  for (const std::string& path : found->telemetry) Append(path, state);
  return state;
}

}  // namespace rankscope::app
