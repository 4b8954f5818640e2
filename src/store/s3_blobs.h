// Blobs in a bucket of S3: PREFIX/blobs/ab/ab12.., and PREFIX/blobs.json, which marks blobs of
// rankscope. PREFIX/uploads/NAME holds data that others have sent and nobody has taken yet.
//
// A content is hashed while it is spooled to this machine's disk, then sent unless it is there
// already. When Commit returns, it is in the bucket and also in the cache, since new contents are
// analysed next. Contents to read are fetched into the cache (blob_cache.h) and hashed.
//
// Nothing is found by a listing: runs name their contents. Listings serve only garbage collection
// and checks, and each entry is verified on the object itself. A content that is stored again gets
// the present time, so garbage collection, even on another machine, leaves it alone until a run
// names it.
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
  // The owner of the contents: a prefix belongs to one store, whose garbage collection knows what
  // is in use. "": not checked.
  std::string store_id = {};
  bool creates = true;  // PREFIX/blobs.json where there is none; else that is an error
};

// `transport` carries the client's requests. Fails if the bucket is unreachable, the keys are not
// valid for it, or its contents belong to a newer version or another store: only a usable bucket is
// opened.
Result<std::unique_ptr<Blobs>> MakeS3Blobs(std::unique_ptr<s3::Transport> transport,
                                           std::unique_ptr<s3::Client> client,
                                           S3BlobsOptions options);

}  // namespace rankscope::store
