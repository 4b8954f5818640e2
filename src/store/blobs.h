// Contents of files, by their SHA-256: traces as they came, tables that were made of them. A
// content never changes; storing it again stores nothing.
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

// Where whoever has it may send one content, by PUT.
struct UploadAddress {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  // to be sent with it
};
// More goes through the server.
inline constexpr std::uint64_t kMostDirectBytes = std::uint64_t{5} << 30;

// What is being stored; nothing is visible before Commit, and nothing is left without it.
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
  // Commits what several of its writers have, in that order of results: in few waits for the disk,
  // where each Commit has two. After an error some may be stored.
  virtual Result<std::vector<BlobInfo>> CommitAll(
      std::span<const std::unique_ptr<BlobWriter>> writers) = 0;
  // A file that holds the content, to be opened soon: while the blob is not removed, and, where
  // blobs are elsewhere and the file is a copy, within a minute or while it is held. kNotFound
  // without. Where blobs are elsewhere it costs fetching all of it when there is no copy.
  virtual Result<std::string> PathOf(std::string_view sha256) const = 0;
  // The same, after the file was read and hashed: what is damaged is never taken for what was
  // stored. kInternal when its bytes have another hash. Costs reading all of it, 1 to 2 GB/s.
  virtual Result<std::string> VerifiedPathOf(std::string_view sha256) const;
  // Paths of these stay good as long as what is returned, which ends before the store. Costs
  // nothing; null where files are no copies.
  virtual std::shared_ptr<const void> Hold(std::vector<std::string> sha256s) const;
  // What is stored of a content, without reading it. kNotFound without.
  virtual Result<BlobInfo> Look(std::string_view sha256) const = 0;
  // Reads what is stored, no copy of it: kInternal when it is damaged, kNotFound without.
  virtual Status Verify(std::string_view sha256) const = 0;
  // Where blobs are elsewhere: an address, good for `valid_s` seconds, to which somebody else sends
  // a content; and what was sent there becomes a blob. `upload`, 64 hexadecimal digits, is what
  // both are called by; who may take it is the caller's to know. Nothing is a blob whose bytes were
  // not hashed, by us or by a store that then takes no others at that address. kInvalidArgument
  // where blobs are here, or for more than kMostDirectBytes; kNotFound where nothing was sent;
  // kBadData where it was not `content`, and is gone then. What nobody takes goes with
  // RemoveUnfinished.
  virtual Result<UploadAddress> AddressFor(std::string_view upload, const BlobInfo& content,
                                           std::int64_t valid_s) const;
  virtual Status TakeUpload(std::string_view upload, const BlobInfo& content);
  virtual Status Remove(std::string_view sha256) = 0;
  // Removes a content that nobody names, unless it was stored again after `stored_by_s`, also while
  // this is at work: whoever stores it meanwhile keeps it. False when it stays, or was not there.
  virtual Result<bool> RemoveUnused(std::string_view sha256, std::int64_t stored_by_s) = 0;
  // Contents that RemoveUnused had taken away when its process was killed get their places again.
  virtual Status PutBack() { return OkStatus(); }
  // Frees what uploads that never ended, and began before that time, left elsewhere.
  virtual Status RemoveUnfinished(std::int64_t begun_before_s);
  // Every blob, with the time (seconds since 1970) at which it was last stored. A listing from
  // elsewhere may be behind the truth, which Look tells of one.
  virtual Status ForEach(
      const std::function<void(const BlobInfo&, std::int64_t stored_s)>& visit) const = 0;
};

// Whether blobs could not be had because where they are kept does not answer or refuses: it may go
// well later, and says nothing of the content. Never of blobs in a folder.
bool IsAway(const Status& status);

// `folder` for the blobs, `temporary` for what is being written; both are on one file system and
// there.
std::unique_ptr<Blobs> MakeFolderBlobs(std::string folder, std::string temporary);

// Brings these here, several at once, where PathOf would fetch them one after the other; costs
// nothing where files are no copies. What cannot be had is said by PathOf.
void Prefetch(const Blobs& blobs, std::span<const std::string> sha256s);

// Stores a file of the file system, or a text.
Result<BlobInfo> StoreFile(Blobs& blobs, const std::string& path);
Result<BlobInfo> StoreText(Blobs& blobs, std::string_view text);
// Stores files as CommitAll does; in their order.
Result<std::vector<BlobInfo>> StoreFiles(Blobs& blobs, std::span<const std::string> paths);

}  // namespace rankscope::store
