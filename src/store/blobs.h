// Contents of files, by their SHA-256: traces as they came, tables that were made of them. A
// content never changes; storing it again stores nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::store {

struct BlobInfo {
  std::string sha256;
  std::uint64_t bytes = 0;
};

// What is being stored; nothing is visible before Commit, and nothing is left without it.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;
  virtual Status Write(std::string_view bytes) = 0;
  // Durable when it returns.
  virtual Result<BlobInfo> Commit() = 0;
};

// Safe for many threads. One implementation keeps them in a folder; others may keep them elsewhere.
class Blobs {
 public:
  virtual ~Blobs() = default;
  virtual Result<std::unique_ptr<BlobWriter>> Create() = 0;
  // Commits what several of its writers have, in that order of results: in few waits for the disk,
  // where each Commit has two. After an error some may be stored.
  virtual Result<std::vector<BlobInfo>> CommitAll(
      std::span<const std::unique_ptr<BlobWriter>> writers) = 0;
  // A file that holds the content, to be read while the blob is not removed. kNotFound without.
  virtual Result<std::string> PathOf(std::string_view sha256) const = 0;
  // The same, after the file was read and hashed: what is damaged is never taken for what was
  // stored. kInternal when its bytes have another hash. Costs reading all of it, 1 to 2 GB/s.
  Result<std::string> VerifiedPathOf(std::string_view sha256) const;
  virtual Status Remove(std::string_view sha256) = 0;
  // Removes a content that nobody names, unless it was stored again after `stored_by_s`, also while
  // this is at work: whoever stores it meanwhile keeps it. False when it stays.
  virtual Result<bool> RemoveUnused(std::string_view sha256, std::int64_t stored_by_s);
  // Contents that RemoveUnused had taken away when its process was killed get their places again.
  virtual Status PutBack() { return OkStatus(); }
  // Every blob, with the time (seconds since 1970) at which it was last stored.
  virtual Status ForEach(
      const std::function<void(const BlobInfo&, std::int64_t stored_s)>& visit) const = 0;
};

// `folder` for the blobs, `temporary` for what is being written; both are on one file system and
// there.
std::unique_ptr<Blobs> MakeFolderBlobs(std::string folder, std::string temporary);

// Stores a file of the file system, or a text.
Result<BlobInfo> StoreFile(Blobs& blobs, const std::string& path);
Result<BlobInfo> StoreText(Blobs& blobs, std::string_view text);
// Stores files as CommitAll does; in their order.
Result<std::vector<BlobInfo>> StoreFiles(Blobs& blobs, std::span<const std::string> paths);

}  // namespace rankscope::store
