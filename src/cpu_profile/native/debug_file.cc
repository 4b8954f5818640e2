#include "cpu_profile/native/debug_file.h"

#include <fmt/core.h>

namespace rankscope::cpu_profile {
namespace {

constexpr const char* kDebug = "/usr/lib/debug";

// Where it may be, to its process.
std::vector<std::string> PlacesOf(const ElfFile& file, const std::string& path) {
  std::vector<std::string> places;
  const std::string& id = file.build_id();
  if (id.size() > 2)
    places.push_back(
        fmt::format("{}/.build-id/{}/{}.debug", kDebug, id.substr(0, 2), id.substr(2)));
  const std::string& name = file.debug_name();
  if (name.empty() || name.find('/') != std::string::npos) return places;
  const std::string folder = path.substr(0, path.find_last_of('/') + 1);
  places.push_back(folder + name);
  places.push_back(fmt::format("{}.debug/{}", folder, name));
  places.push_back(fmt::format("{}{}{}", kDebug, folder, name));
  return places;
}

}  // namespace

std::optional<ElfFile> DebugFileOf(const ElfFile& file, const std::string& path,
                                   const std::vector<std::string>& roots) {
  if (file.has_all_symbols() || file.build_id().empty()) return std::nullopt;
  for (const std::string& root : roots) {
    for (const std::string& place : PlacesOf(file, path)) {
      Result<ElfFile> found = ElfFile::Open(root + place);
      if (found.ok() && found->has_all_symbols() && found->build_id() == file.build_id())
        return *std::move(found);
    }
  }
  return std::nullopt;
}

}  // namespace rankscope::cpu_profile
