// The place of a store's blobs: in its folder, or in S3. The store remembers it in
// FOLDER/blobs.json (without keys), so it need be stated only once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "store/blobs.h"

namespace rankscope::store {

// As given by options of commands.
struct BlobPlace {
  std::string place = {};        // s3://BUCKET/PREFIX; "": as the store remembers it
  std::string s3_endpoint = {};  // "": AWS_ENDPOINT_URL, else AWS
  std::string s3_region = {};    // "": AWS_REGION, else us-east-1
  std::uint64_t cache_bytes = std::uint64_t{20} << 30;  // of copies on this machine
  // Folder for the copies, for this process only; "": RANKSCOPE_BLOB_CACHE_DIR, else
  // FOLDER/blob-cache.
  std::string cache_folder = {};
  // The store that owns the contents (StoreIdOf); "": any.
  std::string store_id = {};

  bool operator==(const BlobPlace&) const = default;
};

// The environment variables with the place of blobs in S3 and the keys.
inline constexpr std::array<std::string_view, 12> kBlobVariables = {
    "AWS_ACCESS_KEY_ID",  "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",   "AWS_REGION",
    "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL",      "AWS_ENDPOINT_URL_S3", "AWS_CA_BUNDLE",
    "http_proxy",         "https_proxy",           "HTTPS_PROXY",         "no_proxy"};

// The place that the store in `folder` remembers; `place` is empty if its blobs lie in it.
Result<BlobPlace> RememberedPlace(const std::string& folder);
Status RememberPlace(const std::string& folder, const BlobPlace& place);

// Identifies the one store whose contents a prefix holds: garbage collection by another store would
// remove them. FOLDER/blobs.id, made if missing and `creates`; "" without.
Result<std::string> StoreIdOf(const std::string& folder, bool creates);

// Processes that share the folder need separate folders for copies: kInvalidArgument if the blobs
// are in S3 and none is given.
Status CheckCopiesAreItsOwn(const std::string& folder, const BlobPlace& said);

// The folder for copies of contents in S3 of the store in `folder`.
std::string CopiesFolderOf(const std::string& folder, const BlobPlace& said);

// The stated place, completed from the environment; without the cache.
Result<BlobPlace> WholePlace(const BlobPlace& said);

// Blobs in S3, with the keys of the environment. `cache_folder` for copies; `writes` as for the
// store (BlobCacheOptions::evicts): without it, nothing is made in the bucket either.
// kInvalidArgument for an invalid place or keys, kResource without libcurl.
Result<std::unique_ptr<Blobs>> OpenBlobsInS3(const BlobPlace& place, std::string cache_folder,
                                             bool writes);

// The blobs of the store in `folder`, at the stated or remembered place, which the store then
// remembers. kInvalidArgument if both are given and differ, and for a place other than the folder
// if the store's blobs are in its folder, because those would be out of reach (MoveBlobs,
// move_blobs.h). A read-only store opens a bucket when the first content is needed.
Result<std::unique_ptr<Blobs>> OpenBlobs(const std::string& folder, const std::string& temporary,
                                         const BlobPlace& said, bool writes);

}  // namespace rankscope::store
