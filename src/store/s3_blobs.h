// Blobs in a bucket of S3: PREFIX/blobs/ab/ab12.., and PREFIX/blobs.json, which says that blobs of
// rankscope are there; PREFIX/uploads/NAME is what others have sent and nobody has taken yet.
//
// A content is hashed while it is spooled to this machine's disk, then sent, unless it is there; it
// is there when Commit returns, and then also in the cache, since what was just stored is analysed
// next. What is read is fetched into the cache (blob_cache.h) and hashed.
//
// Nothing is found by a listing: runs name what they have. Listings serve garbage collection and
// checks, and what they say is asked again of the object itself before it counts. A content that is
// stored again gets the time of now, so that who collects garbage, be it on another machine, leaves
// it alone until a run names it.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "s3/client.h"
#include "store/blob_cache.h"
#include "store/blobs.h"

namespace rankscope::store {

struct S3BlobsOptions {
  std::string cache_folder;
  BlobCacheOptions cache = {};
  // Whose contents these are: a prefix belongs to one store, whose collection of garbage knows what
  // is none. "": nobody asks.
  std::string store_id = {};
  bool creates = true;  // PREFIX/blobs.json where there is none; else that is an error
};

// `transport` carries the client's requests. Fails where the bucket cannot be reached, the keys are
// not good for it, or its contents are of a newer version or another store: nothing is opened that
// cannot be used.
Result<std::unique_ptr<Blobs>> MakeS3Blobs(std::unique_ptr<s3::Transport> transport,
                                           std::unique_ptr<s3::Client> client,
                                           S3BlobsOptions options);

}  // namespace rankscope::store
