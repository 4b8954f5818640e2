#include "engine/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <vector>

#include "base/file.h"
#include "engine/known_files.h"
#include "formats/columnar/cache_file.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTraceSuffix = ".columns";
constexpr std::string_view kPartialsSuffix = ".partials";

// --- names: 32 hexadecimal digits, the version of the format, what it is. Two versions of the
// program share a folder without knowing each other's files ---

std::string TraceName(const Hash128& key) {
  return fmt::format("{}.v{}{}", key.Hex(), columnar::kCacheVersion, kTraceSuffix);
}

std::string PartialsName(const Hash128& key) {
  return fmt::format("{}.v{}{}", key.Hex(), Partials::kVersion, kPartialsSuffix);
}

bool IsTraceName(std::string_view name) { return name.ends_with(kTraceSuffix); }

// Of any version, those without a number too. The folder may hold files of others.
bool IsCacheName(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t digits = 2 * sizeof(Hash128);
  if (name.find_first_not_of("0123456789abcdef") != digits) return false;
  std::string_view rest = name.substr(digits);
  if (rest.starts_with(".v")) {
    const std::size_t end = rest.find_first_not_of(kDigits, 2);
    if (end == 2 || end == std::string_view::npos) return false;
    rest.remove_prefix(end);
  }
  return rest == kTraceSuffix || rest == kPartialsSuffix;
}

std::string PathOf(const std::string& folder, const std::string& name) {
  return fmt::format("{}/{}", folder, name);
}

// --- folders ---

std::string NoCache(const std::string& folder, std::string_view why) {
  return fmt::format(
      "results are not cached: {} {}; name a folder with --cache-dir, or say --no-cache", folder,
      why);
}

// Why the folder cannot be used; nullopt when it can.
std::optional<std::string> OpenNamedFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) return NoCache(folder, "is no folder and cannot be made");
  if (access(folder.c_str(), W_OK | X_OK) != 0) return NoCache(folder, "cannot be written to");
  return std::nullopt;
}

std::optional<std::string> OpenUserFolder(const std::string& folder) {
  if (folder.empty())
    return NoCache("this user's cache folder", "is not known, since HOME is not set");
  // At most the two folders that the cache's convention names, never a home.
  mkdir(fs::path(folder).parent_path().c_str(), S_IRWXU);
  mkdir(folder.c_str(), S_IRWXU);
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) {
    struct stat info {};
    const bool is_link = lstat(folder.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
    return NoCache(folder, is_link ? "is a symbolic link"
                                   : fmt::format("cannot be opened ({})", std::strerror(errno)));
  }
  struct stat info {};
  const bool known = fstat(descriptor, &info) == 0;
  close(descriptor);
  if (!known || info.st_uid != geteuid()) return NoCache(folder, "belongs to another user");
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return NoCache(folder, "can be written to by other users");
  if (access(folder.c_str(), W_OK | X_OK) != 0) return NoCache(folder, "cannot be written to");
  return std::nullopt;
}

// The time of last use decides what is removed first.
void Touch(const std::string& path) {
  utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

std::int64_t Now_s() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace

std::string UserCacheFolder(std::string_view xdg_cache_home, std::string_view home) {
  if (xdg_cache_home.starts_with('/')) return fs::path(xdg_cache_home) / "rankscope";
  if (home.starts_with('/')) return fs::path(home) / ".cache" / "rankscope";
  return {};
}

Cache::Cache(CacheOptions options) : options_(std::move(options)) {
  if (!options_.enabled) return;
  const bool is_named = !options_.folder.empty();
  const std::string& folder = is_named ? options_.folder : options_.user_folder;
  warning_ = is_named ? OpenNamedFolder(folder) : OpenUserFolder(folder);
  if (warning_) return;
  folder_ = folder;
  struct stat info {};
  is_private_ = stat(folder.c_str(), &info) == 0 && info.st_uid == geteuid() &&
                (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::optional<std::string> Cache::FolderFor(const std::string& /*path*/) const { return folder_; }

std::optional<RankTrace> Cache::FindTrace(const std::string& folder, const Hash128& key) const {
  const std::string name = TraceName(key);
  const std::string path = PathOf(folder, name);
  auto trace = columnar::ReadCacheFile(path, key);
  if (!trace.ok()) {
    if (trace.status().code() == StatusCode::kBadData) unlink(path.c_str());
    Release(name);
    return std::nullopt;
  }
  Touch(path);
  NoteUse(name, columnar::CacheFileBytes(*trace));
  return std::move(trace).value();
}

void Cache::StoreTrace(const std::string& folder, const Hash128& key,
                       const RankTrace& trace) const {
  // Without success there is simply no cache file; the next run parses again.
  const std::string name = TraceName(key);
  const std::uint64_t bytes = columnar::CacheFileBytes(trace);
  if (!Reserve(folder, name, bytes)) return;
  if (!columnar::WriteCacheFile(trace, key, PathOf(folder, name)).ok()) return Release(name);
  Stored(folder, bytes);
}

Partials Cache::FindPartials(const std::string& folder, const Hash128& key) const {
  const std::string name = PartialsName(key);
  const std::string path = PathOf(folder, name);
  const auto file = MappedFile::OpenUntrusted(path);
  if (!file.ok()) {
    Release(name);
    return {};
  }
  auto partials = Partials::Decode((*file)->text());
  if (!partials) {
    unlink(path.c_str());
    Release(name);
    return {};
  }
  Touch(path);
  NoteUse(name, (*file)->text().size());
  return std::move(*partials);
}

bool Cache::StorePartials(const std::string& folder, const Hash128& key,
                          const Partials& partials) const {
  const std::string name = PartialsName(key);
  const std::string bytes = partials.Encode();
  if (!Reserve(folder, name, bytes.size())) return false;
  if (!WriteFileAtomically(PathOf(folder, name), bytes).ok()) {
    Release(name);
    return false;
  }
  Stored(folder, bytes.size());
  return true;
}

bool Cache::Reserve(const std::string& folder, const std::string& name, std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto before = used_.find(name);
  const std::uint64_t others = used_bytes_ - (before == used_.end() ? 0 : before->second);
  if (bytes > options_.limit_bytes) return false;
  const std::uint64_t room = options_.limit_bytes - bytes;
  if (others > room && IsTraceName(name)) return false;
  std::uint64_t left = others;
  for (auto entry = used_.begin(); left > room && entry != used_.end();) {
    if (!IsTraceName(entry->first)) {
      ++entry;
      continue;
    }
    unlink(PathOf(folder, entry->first).c_str());
    left -= entry->second;
    used_bytes_ -= entry->second;
    entry = used_.erase(entry);
  }
  if (left > room) return false;
  used_[name] = bytes;
  used_bytes_ = left + bytes;
  return true;
}

void Cache::Release(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(name);
  if (found == used_.end()) return;
  used_bytes_ -= found->second;
  used_.erase(found);
}

void Cache::NoteUse(const std::string& name, std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  std::uint64_t& noted = used_[name];
  used_bytes_ += bytes - noted;
  noted = bytes;
}

bool Cache::IsUsed(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return used_.contains(name);
}

// Listing a folder of thousands of files after each of them would take longer than the work: it is
// done when a good part of the limit was written.
void Cache::Stored(const std::string& folder, std::uint64_t bytes) const {
  if ((stored_since_trim_ += bytes) < options_.limit_bytes / 8) return;
  stored_since_trim_ = 0;
  Trim(folder);
}

void Cache::Trim(const std::string& folder) const {
  struct Entry {
    bool is_partials;
    std::int64_t used_s;
    std::int64_t used_ns;
    std::uint64_t bytes;
    std::string path;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    const std::string path = it->path().string();
    const std::string name = it->path().filename().string();
    std::string_view final_name;
    const bool is_temporary = IsTemporaryName(name, &final_name) &&
                              (IsCacheName(final_name) || final_name == KnownFiles::kFileName);
    if (!is_temporary && !IsCacheName(name)) continue;
    if (is_temporary && RemoveIfAbandoned(path, Now_s())) continue;
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) continue;
    const auto bytes = static_cast<std::uint64_t>(info.st_size);
    total += bytes;
    if (is_temporary || IsUsed(name)) continue;
    entries.push_back({!IsTraceName(name), info.st_mtim.tv_sec, info.st_mtim.tv_nsec, bytes, path});
  }
  if (total <= options_.limit_bytes) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.is_partials, a.used_s, a.used_ns) <
           std::tie(b.is_partials, b.used_s, b.used_ns);
  });
  for (const Entry& entry : entries) {
    if (total <= options_.limit_bytes) return;
    if (unlink(entry.path.c_str()) == 0) total -= entry.bytes;
  }
}

}  // namespace rankscope
