// Where the blobs of a store lie: in its folder, or in S3. A store remembers that in
// FOLDER/blobs.json (no keys in it), so that it is said once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "store/blobs.h"

namespace rankscope::store {

// As options of commands say it.
struct BlobPlace {
  std::string place = {};        // s3://BUCKET/PREFIX; "": as the store remembers it
  std::string s3_endpoint = {};  // "": AWS_ENDPOINT_URL, else AWS
  std::string s3_region = {};    // "": AWS_REGION, else us-east-1
  std::uint64_t cache_bytes = std::uint64_t{20} << 30;  // of copies on this machine
  // For them, of this process alone; "": as RANKSCOPE_BLOB_CACHE_DIR says, else FOLDER/blob-cache.
  std::string cache_folder = {};
  // Whose contents these are (StoreIdOf); "": of whoever asks.
  std::string store_id = {};

  bool operator==(const BlobPlace&) const = default;
};

// The variables of the environment that say where blobs in S3 lie and who may have them.
inline constexpr std::array<std::string_view, 12> kBlobVariables = {
    "AWS_ACCESS_KEY_ID",  "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",   "AWS_REGION",
    "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL",      "AWS_ENDPOINT_URL_S3", "AWS_CA_BUNDLE",
    "http_proxy",         "https_proxy",           "HTTPS_PROXY",         "no_proxy"};

// What the store in `folder` remembers, `place` empty where its blobs lie in it.
Result<BlobPlace> RememberedPlace(const std::string& folder);
Status RememberPlace(const std::string& folder, const BlobPlace& place);

// By which a prefix knows the one store whose contents it has: another one's collection of garbage
// would remove them. FOLDER/blobs.id, made where there is none and `creates`; "" without.
Result<std::string> StoreIdOf(const std::string& folder, bool creates);

// Of processes that share the folder each needs one of its own for copies: kInvalidArgument where
// the blobs are in S3 and none is said.
Status CheckCopiesAreItsOwn(const std::string& folder, const BlobPlace& said);

// The folder for copies of contents in S3 of the store in `folder`.
std::string CopiesFolderOf(const std::string& folder, const BlobPlace& said);

// What is said, with what the environment adds; the cache is no part of it.
Result<BlobPlace> WholePlace(const BlobPlace& said);

// Blobs in S3, with the keys of the environment. `cache_folder` for copies; `writes` as for the
// store (BlobCacheOptions::evicts): without, nothing is made in the bucket either. kInvalidArgument
// for a place or keys that are none, kResource without libcurl.
Result<std::unique_ptr<Blobs>> OpenBlobsInS3(const BlobPlace& place, std::string cache_folder,
                                             bool writes);

// The blobs of the store in `folder`, where it is said or remembered, and remembers it. When both
// are and differ it is kInvalidArgument, and so is a place for a store whose blobs are in its
// folder: those would be lost from sight (MoveBlobs, move_blobs.h). Who only reads opens a bucket
// when the first content is asked for.
Result<std::unique_ptr<Blobs>> OpenBlobs(const std::string& folder, const std::string& temporary,
                                         const BlobPlace& said, bool writes);

}  // namespace rankscope::store
