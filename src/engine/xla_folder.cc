#include "engine/xla_folder.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kXplane = ".xplane.pb";

// Takes the ending, packed or not, off the name; false where it has another one.
bool TakeEnding(std::string& name, std::string_view ending) {
  for (const std::string_view packed : {"", ".gz", ".zst"}) {
    const std::string whole = std::string(ending).append(packed);
    if (!name.ends_with(whole)) continue;
    name.resize(name.size() - whole.size());
    return true;
  }
  return false;
}

bool HoldsXplane(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator files(folder, error);
  return !error && std::any_of(begin(files), end(files), [](const fs::directory_entry& file) {
    return file.path().filename().string().ends_with(kXplane);
  });
}

}  // namespace

bool IsBesideXplane(const fs::path& path) {
  std::string name = path.filename().string();
  if (!TakeEnding(name, ".json")) return false;
  if (name == "perfetto_trace") return HoldsXplane(path.parent_path());
  std::error_code error;
  return TakeEnding(name, ".trace") && fs::exists(path.parent_path() / name.append(kXplane), error);
}

}  // namespace rankscope
