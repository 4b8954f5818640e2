// Contents of files, by their SHA-256: original traces, and tables made of them. A content never
// changes; storing it again stores nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace rankscope::store {

struct BlobInfo {
  std::string sha256;
  std::uint64_t bytes = 0;
};

// An address to which its holder may send one content, by PUT.
struct UploadAddress {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  // to be sent with it
};
// More goes through the server.
inline constexpr std::uint64_t kMostDirectBytes = std::uint64_t{5} << 30;

// A content being stored. Nothing is visible before Commit, and nothing remains without it.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;
  virtual Status Write(std::string_view bytes) = 0;
  // Durable when it returns.
  virtual Result<BlobInfo> Commit() = 0;
};

// Safe for many threads. One implementation keeps them in a folder, one in S3 (s3_blobs.h).
class Blobs {
 public:
  virtual ~Blobs() = default;
  virtual Result<std::unique_ptr<BlobWriter>> Create() = 0;
  // Commits several of its writers, with results in their order. It waits for the disk only a few
  // times, while each Commit waits twice. After an error some may be stored.
  virtual Result<std::vector<BlobInfo>> CommitAll(
      std::span<const std::unique_ptr<BlobWriter>> writers) = 0;
  // A file that holds the content. Open it soon: while the blob is not removed, and, if blobs are
  // remote and the file is a copy, within a minute or while it is held. kNotFound if there is none.
  // If blobs are remote and there is no copy, the whole content is fetched.
  virtual Result<std::string> PathOf(std::string_view sha256) const = 0;
  // The same, after the file was read and hashed, so that damaged data is never used. kInternal if
  // its bytes have another hash. Costs reading all of it, 1 to 2 GB/s.
  virtual Result<std::string> VerifiedPathOf(std::string_view sha256) const;
  // Paths of these stay valid as long as the returned object, which must end before the store.
  // Costs nothing; null if files are not copies.
  virtual std::shared_ptr<const void> Hold(std::vector<std::string> sha256s) const;
  // Information on a stored content, without reading it. kNotFound if there is none.
  virtual Result<BlobInfo> Look(std::string_view sha256) const = 0;
  // Reads the stored content itself, not a copy: kInternal if it is damaged, kNotFound if there is
  // none.
  virtual Status Verify(std::string_view sha256) const = 0;
  // For remote blobs: an address, valid for `valid_s` seconds, to which somebody else sends a
  // content, and the call that makes it a blob. `upload`, 64 hexadecimal digits, names both; the
  // caller decides who may use it. Every blob's bytes are hashed, by us or by a store that then
  // accepts only these bytes at that address. kInvalidArgument if blobs are local, or for more than
  // kMostDirectBytes; kNotFound if nothing was sent; kBadData if it was not `content`, which is
  // then removed. RemoveUnfinished removes data that nobody takes.
  virtual Result<UploadAddress> AddressFor(std::string_view upload, const BlobInfo& content,
                                           std::int64_t valid_s) const;
  virtual Status TakeUpload(std::string_view upload, const BlobInfo& content);
  virtual Status Remove(std::string_view sha256) = 0;
  // Removes a content that nobody names, unless it was stored again after `stored_by_s`, even
  // during this call: a concurrent writer keeps it. False if it stays, or did not exist.
  virtual Result<bool> RemoveUnused(std::string_view sha256, std::int64_t stored_by_s) = 0;
  // Restores contents that RemoveUnused had moved away when its process was killed.
  virtual Status PutBack() { return OkStatus(); }
  // Frees remote data of uploads that never ended and began before that time.
  virtual Status RemoveUnfinished(std::int64_t begun_before_s);
  // Every blob, with the time (seconds since 1970) at which it was last stored. A remote listing
  // may be out of date; Look gives the true state of one blob.
  virtual Status ForEach(
      const std::function<void(const BlobInfo&, std::int64_t stored_s)>& visit) const = 0;
};

// Whether blobs could not be read because their store does not answer or refuses: a later try may
// succeed, and it says nothing about the content. Never for blobs in a folder.
bool IsAway(const Status& status);

// `folder` for the blobs, `temporary` for unfinished files; both exist, on one file system.
std::unique_ptr<Blobs> MakeFolderBlobs(std::string folder, std::string temporary);

// Fetches these, several at once, while PathOf would fetch them one after the other. Costs nothing
// if files are not copies. PathOf reports contents that could not be fetched.
void Prefetch(const Blobs& blobs, std::span<const std::string> sha256s);

// Stores a file of the file system, or a text.
Result<BlobInfo> StoreFile(Blobs& blobs, const std::string& path);
Result<BlobInfo> StoreText(Blobs& blobs, std::string_view text);
// Stores files as CommitAll does; in their order.
Result<std::vector<BlobInfo>> StoreFiles(Blobs& blobs, std::span<const std::string> paths);

}  // namespace rankscope::store
