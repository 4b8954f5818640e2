#include "engine/known_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/file.h"

namespace rankscope {
namespace {

// The file: kMagic, records in the order in which they were noted, the checksum of all before it.
constexpr std::string_view kKnownFilesMagic = "RSKNOWN1";
struct Record {
  FileIdentity identity;
  Hash128 content;
};
static_assert(sizeof(Record) == 56 && std::is_trivially_copyable_v<Record>);

std::int64_t Nanoseconds(const timespec& time) {
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

}  // namespace

std::optional<FileIdentity> IdentityOf(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity{.device = info.st_dev,
                      .inode = info.st_ino,
                      .bytes = static_cast<std::uint64_t>(info.st_size),
                      .written_ns = Nanoseconds(info.st_mtim),
                      .changed_ns = Nanoseconds(info.st_ctim)};
}

KnownFiles::KnownFiles(std::optional<std::string> folder)
    : path_(folder ? std::optional(fmt::format("{}/{}", *folder, kFileName)) : std::nullopt) {
  if (!path_) return;
  files_ = Read(*path_);
  next_ = files_.size();
}

KnownFiles::Files KnownFiles::Read(const std::string& path) {
  const auto file = MappedFile::OpenUntrusted(path);
  if (!file.ok()) return {};
  const std::string_view text = (*file)->text();
  const std::size_t around = kKnownFilesMagic.size() + sizeof(std::uint64_t);
  if (!text.starts_with(kKnownFilesMagic) || text.size() < around ||
      (text.size() - around) % sizeof(Record) != 0)
    return {};
  std::uint64_t checksum = 0;
  const std::size_t end = text.size() - sizeof(checksum);
  std::memcpy(&checksum, text.data() + end, sizeof(checksum));
  if (checksum != Checksum64(text.data(), end)) return {};
  Files files;
  for (std::size_t at = kKnownFilesMagic.size(); at < end; at += sizeof(Record)) {
    Record record;
    std::memcpy(&record, text.data() + at, sizeof(record));
    files[record.identity] = {record.content, files.size()};
  }
  return files;
}

std::optional<Hash128> KnownFiles::Find(const FileIdentity& identity) const {
  const std::scoped_lock lock(mutex_);
  const auto found = files_.find(identity);
  return found == files_.end() ? std::nullopt : std::optional(found->second.content);
}

void KnownFiles::Note(const FileIdentity& identity, const Hash128& content,
                      std::int64_t hashed_ns) {
  if (hashed_ns - std::max(identity.written_ns, identity.changed_ns) < kSettle_ns) return;
  const std::scoped_lock lock(mutex_);
  files_[identity] = {content, next_++};
  has_news_ = true;
}

void KnownFiles::Store() {
  if (!path_) return;
  const std::scoped_lock lock(mutex_);
  if (!has_news_) return;
  has_news_ = false;
  for (const auto& [identity, noted] : Read(*path_)) files_.try_emplace(identity, noted);
  std::vector<std::pair<std::uint64_t, Record>> records;
  records.reserve(files_.size());
  for (const auto& [identity, noted] : files_)
    records.push_back({noted.order, {identity, noted.content}});
  std::ranges::stable_sort(records, {}, &std::pair<std::uint64_t, Record>::first);
  const std::size_t first = records.size() - std::min(records.size(), kMost);
  std::string bytes(kKnownFilesMagic);
  for (std::size_t i = first; i < records.size(); ++i) {
    const Record& record = records[i].second;
    bytes.append(reinterpret_cast<const char*>(&record), sizeof(record));
  }
  const std::uint64_t checksum = Checksum64(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
  // Without success the files are hashed again.
  (void)WriteFileAtomically(*path_, bytes);
}

}  // namespace rankscope
