#include "engine/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "formats/columnar/cache_file.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTraceSuffix = ".columns";
constexpr std::string_view kPartialsSuffix = ".partials";

bool IsWritableFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

// Only what was written here: 32 hexadecimal digits and a suffix. The folder may hold files of
// others.
bool IsCacheFile(std::string_view name) {
  const std::size_t digits = 2 * sizeof(Hash128);
  if (name.find_first_not_of("0123456789abcdef") != digits) return false;
  const std::string_view suffix = name.substr(digits);
  return suffix == kTraceSuffix || suffix == kPartialsSuffix;
}

std::string TracePath(const std::string& folder, const Hash128& key) {
  return fmt::format("{}/{}{}", folder, key.Hex(), kTraceSuffix);
}

std::string PartialsPath(const std::string& folder, const Hash128& key) {
  return fmt::format("{}/{}{}", folder, key.Hex(), kPartialsSuffix);
}

// The time of last use decides what is removed first.
void Touch(const std::string& path) { utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

}  // namespace

std::optional<std::string> Cache::FolderFor(const std::string& path) const {
  if (!options_.enabled) return std::nullopt;
  if (!options_.folder.empty()) {
    return IsWritableFolder(options_.folder) ? std::optional(options_.folder) : std::nullopt;
  }
  const fs::path beside = fs::path(path).parent_path() / ".rankscope";
  if (IsWritableFolder(beside)) return beside.string();
  const char* base = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path of_user;
  if (base != nullptr && *base != '\0') {
    of_user = fs::path(base) / "rankscope";
  } else if (home != nullptr && *home != '\0') {
    of_user = fs::path(home) / ".cache" / "rankscope";
  }
  if (!of_user.empty() && IsWritableFolder(of_user)) return of_user.string();
  return std::nullopt;
}

std::optional<RankTrace> Cache::FindTrace(const std::string& folder, const Hash128& key) const {
  const std::string path = TracePath(folder, key);
  auto trace = columnar::ReadCacheFile(path, key);
  if (!trace.ok()) {
    if (trace.status().code() == StatusCode::kBadData) unlink(path.c_str());
    return std::nullopt;
  }
  Touch(path);
  return std::move(trace).value();
}

void Cache::StoreTrace(const std::string& folder, const Hash128& key,
                       const RankTrace& trace) const {
  // Without success there is simply no cache file; the next run parses again.
  const std::string path = TracePath(folder, key);
  if (!columnar::WriteCacheFile(trace, key, path).ok()) return;
  std::error_code ignored;
  Stored(folder, fs::file_size(path, ignored));
}

// Listing a folder of thousands of files after each of them would take longer than the work: it is
// done when a good part of the limit was written.
void Cache::Stored(const std::string& folder, std::uint64_t bytes) const {
  if ((stored_since_trim_ += bytes) < options_.limit_bytes / 8) return;
  stored_since_trim_ = 0;
  Trim(folder);
}

Partials Cache::FindPartials(const std::string& folder, const Hash128& key) const {
  const std::string path = PartialsPath(folder, key);
  const auto bytes = ReadFile(path);
  if (!bytes.ok()) return {};
  auto partials = Partials::Decode(*bytes);
  if (!partials) {
    unlink(path.c_str());
    return {};
  }
  Touch(path);
  return std::move(*partials);
}

bool Cache::StorePartials(const std::string& folder, const Hash128& key,
                          const Partials& partials) const {
  const std::string bytes = partials.Encode();
  if (!WriteFileAtomically(PartialsPath(folder, key), bytes).ok()) return false;
  Stored(folder, bytes.size());
  return true;
}

void Cache::Trim(const std::string& folder) const {
  struct Entry {
    timespec used;
    std::uint64_t bytes;
    std::string path;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    const std::string path = it->path().string();
    if (!IsCacheFile(it->path().filename().string())) continue;
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) continue;
    const auto bytes = static_cast<std::uint64_t>(info.st_size);
    entries.push_back({info.st_mtim, bytes, path});
    total += bytes;
  }
  if (total <= options_.limit_bytes) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                          : a.used.tv_nsec < b.used.tv_nsec;
  });
  for (const Entry& entry : entries) {
    if (total <= options_.limit_bytes) return;
    if (unlink(entry.path.c_str()) == 0) total -= entry.bytes;
  }
}

}  // namespace rankscope
