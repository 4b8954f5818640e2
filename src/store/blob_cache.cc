#include "store/blob_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <tuple>

#include "base/durable.h"
#include "store/sha256.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;

// Between PathOf and the reader's open of the file.
constexpr std::int64_t kGrace_s = 60;

bool IsFile(const std::string& path, std::uint64_t& bytes) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  bytes = static_cast<std::uint64_t>(info.st_size);
  return true;
}

}  // namespace

BlobCache::~BlobCache() {
  if (lock_ >= 0) close(lock_);
}

Status BlobCache::Lock() {
  lock_ = open((folder_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0)
    return Error(StatusCode::kIo, "{}/lock: cannot be made: {}", folder_, std::strerror(errno));
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0) return OkStatus();
  return Error(StatusCode::kResource,
               "{}: another process has its copies of contents here; give each a folder of its own",
               folder_);
}

Result<std::unique_ptr<BlobCache>> BlobCache::Open(std::string folder, BlobCacheOptions options) {
  RS_RETURN_IF_ERROR(MakeFolder(folder + "/temporary"));
  auto cache = std::unique_ptr<BlobCache>(new BlobCache(std::move(folder), std::move(options)));
  if (cache->options_.is_exclusive) RS_RETURN_IF_ERROR(cache->Lock());
  if (cache->options_.evicts) RemoveLeftovers(cache->temporary_);
  cache->Scan();
  return cache;
}

BlobCache::BlobCache(std::string folder, BlobCacheOptions options)
    : folder_(std::move(folder)), temporary_(folder_ + "/temporary"), options_([&] {
        if (!options.now_s) options.now_s = [] { return std::int64_t{std::time(nullptr)}; };
        return std::move(options);
      }()) {}

// What processes before this one left, in the order in which it was used, as far as the file system
// keeps that.
void BlobCache::Scan() {
  std::vector<std::tuple<std::int64_t, std::string, std::uint64_t>> found;
  std::error_code error;
  for (const auto& part : fs::directory_iterator(folder_, error)) {
    if (part.path().filename().string().size() != 2) continue;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(part.path(), ignored)) {
      std::string name = entry.path().filename().string();
      struct stat info {};
      if (!IsSha256(name) || stat(entry.path().c_str(), &info) != 0) continue;
      found.emplace_back(std::max(info.st_atim.tv_sec, info.st_mtim.tv_sec), std::move(name),
                         static_cast<std::uint64_t>(info.st_size));
    }
  }
  std::ranges::sort(found);
  for (const auto& [used_s, name, bytes] : found) {
    Note(name, bytes, false);
    entries_.find(name)->second.used_s = 0;  // nobody of this process has its path
  }
  const std::scoped_lock lock(mutex_);
  MakeRoomLocked(options_.most_bytes);
}

std::string BlobCache::PlaceOf(std::string_view sha256) const {
  return fmt::format("{}/{}/{}", folder_, sha256.substr(0, 2), sha256);
}

Status BlobCache::MakeFolderOf(std::string_view sha256) const {
  const std::string path = fmt::format("{}/{}", folder_, sha256.substr(0, 2));
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Error(StatusCode::kIo, "{}: cannot make: {}", path, error.message());
  return OkStatus();
}

bool BlobCache::IsSound(const std::string& sha256) const {
  std::uint64_t bytes = 0;
  const std::string path = PlaceOf(sha256);
  if (!IsFile(path, bytes)) return false;
  const auto found = Sha256OfFile(path);
  return found.ok() && *found == sha256;
}

Result<std::string> BlobCache::PathOf(std::string_view sha256, const Fetch& fetch) {
  const std::string name(sha256);
  std::string path = PlaceOf(name);
  std::unique_lock lock(mutex_);
  while (true) {
    if (const auto flight = flights_.find(name); flight != flights_.end()) {
      const std::shared_ptr<Flight> mine = flight->second;
      landed_.wait(lock, [&] { return mine->is_over; });
      if (!mine->status.ok()) return mine->status;
      continue;
    }
    const auto entry = entries_.find(name);
    std::uint64_t bytes = 0;
    if (entry == entries_.end() || !entry->second.is_verified || !IsFile(path, bytes) ||
        bytes != entry->second.bytes) {
      break;
    }
    entry->second.used_s = options_.now_s();
    by_use_.splice(by_use_.end(), by_use_, entry->second.place);
    return path;
  }
  const auto flight = std::make_shared<Flight>();
  flights_.emplace(name, flight);
  lock.unlock();
  Status brought = Bring(name, fetch);
  lock.lock();
  flight->is_over = true;
  flight->status = brought;
  flights_.erase(name);
  landed_.notify_all();
  if (!brought.ok()) return brought;
  return path;
}

// What another process left there is taken when it is what it is to be.
Status BlobCache::Bring(const std::string& sha256, const Fetch& fetch) {
  std::uint64_t bytes = 0;
  if (IsSound(sha256) && IsFile(PlaceOf(sha256), bytes)) {
    Note(sha256, bytes, true);
    return OkStatus();
  }
  Forget(sha256);
  bool is_wrong = false;
  Status fetched = FetchOnce(sha256, fetch, is_wrong);
  if (fetched.code() == StatusCode::kResource) {
    // The disk is full, perhaps of what is not needed now.
    const std::scoped_lock lock(mutex_);
    MakeRoomLocked(std::min(options_.most_bytes, numbers_.bytes) / 2);
  }
  // What a network changed on its way comes right the second time.
  if (is_wrong || fetched.code() == StatusCode::kResource)
    fetched = FetchOnce(sha256, fetch, is_wrong);
  return fetched;
}

Status BlobCache::FetchOnce(const std::string& sha256, const Fetch& fetch, bool& is_wrong) {
  is_wrong = false;
  RS_RETURN_IF_ERROR(MakeFolderOf(sha256));
  RS_ASSIGN_OR_RETURN(const auto file, SpoolFile::Create(temporary_));
  RS_RETURN_IF_ERROR(fetch(*file));
  const std::string found = file->Hex();
  is_wrong = found != sha256;
  if (is_wrong) {
    return Error(StatusCode::kInternal, "content {} is damaged: {} bytes came whose SHA-256 is {}",
                 sha256, file->size(), found);
  }
  const std::uint64_t bytes = file->size();
  RS_RETURN_IF_ERROR(file->Place(PlaceOf(sha256)));
  Note(sha256, bytes, true);
  const std::scoped_lock lock(mutex_);
  ++numbers_.fetched;
  MakeRoomLocked(options_.most_bytes);
  return OkStatus();
}

void BlobCache::Adopt(const std::string& sha256, SpoolFile& file) {
  // What does not get there is fetched when it is asked for.
  const std::uint64_t bytes = file.size();
  if (!MakeFolderOf(sha256).ok() || !file.Place(PlaceOf(sha256)).ok()) return;
  Note(sha256, bytes, true);
  const std::scoped_lock lock(mutex_);
  // Nobody has its path: it may make room at once.
  if (const auto entry = entries_.find(sha256); entry != entries_.end()) entry->second.used_s = 0;
  MakeRoomLocked(options_.most_bytes);
}

void BlobCache::Note(const std::string& sha256, std::uint64_t bytes, bool is_verified) {
  const std::scoped_lock lock(mutex_);
  auto [entry, is_new] = entries_.try_emplace(sha256);
  if (is_new) {
    entry->second.place = by_use_.insert(by_use_.end(), sha256);
    ++numbers_.contents;
  } else {
    by_use_.splice(by_use_.end(), by_use_, entry->second.place);
    numbers_.bytes -= entry->second.bytes;
  }
  entry->second.bytes = bytes;
  entry->second.used_s = options_.now_s();
  entry->second.is_verified = is_verified;
  numbers_.bytes += bytes;
}

void BlobCache::EraseLocked(std::map<std::string, Entry, std::less<>>::iterator entry) {
  std::error_code error;
  fs::remove(PlaceOf(entry->first), error);
  numbers_.bytes -= entry->second.bytes;
  --numbers_.contents;
  by_use_.erase(entry->second.place);
  entries_.erase(entry);
}

void BlobCache::Forget(std::string_view sha256) {
  const std::scoped_lock lock(mutex_);
  const auto entry = entries_.find(sha256);
  if (entry != entries_.end()) return EraseLocked(entry);
  std::error_code error;
  fs::remove(PlaceOf(sha256), error);
}

std::uint64_t BlobCache::RoomLocked() const {
  struct statvfs disk {};
  if (options_.free_pct == 0 || statvfs(folder_.c_str(), &disk) != 0) return UINT64_MAX;
  const std::uint64_t wanted = disk.f_blocks / 100 * static_cast<std::uint64_t>(options_.free_pct);
  if (disk.f_bavail >= wanted) return UINT64_MAX;
  const std::uint64_t lacking = (wanted - disk.f_bavail) * disk.f_frsize;
  return numbers_.bytes - std::min(numbers_.bytes, lacking);
}

void BlobCache::MakeRoomLocked(std::uint64_t most_bytes) {
  if (!options_.evicts) return;
  most_bytes = std::min(most_bytes, RoomLocked());
  const std::int64_t now_s = options_.now_s();
  for (auto next = by_use_.begin(); numbers_.bytes > most_bytes && next != by_use_.end();) {
    const auto entry = entries_.find(*next++);
    if (held_.contains(entry->first) || entry->second.used_s + kGrace_s > now_s) continue;
    ++numbers_.evicted;
    EraseLocked(entry);
  }
}

std::shared_ptr<const void> BlobCache::Hold(std::vector<std::string> sha256s) {
  {
    const std::scoped_lock lock(mutex_);
    for (const std::string& sha256 : sha256s) ++held_[sha256];
  }
  const auto names = std::make_shared<const std::vector<std::string>>(std::move(sha256s));
  return {names.get(), [this, names](const void*) {
            const std::scoped_lock lock(mutex_);
            for (const std::string& sha256 : *names) {
              const auto held = held_.find(sha256);
              if (--held->second == 0) held_.erase(held);
            }
            MakeRoomLocked(options_.most_bytes);
          }};
}

BlobCacheNumbers BlobCache::numbers() const {
  const std::scoped_lock lock(mutex_);
  return numbers_;
}

}  // namespace rankscope::store
