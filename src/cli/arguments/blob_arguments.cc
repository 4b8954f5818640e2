#include "cli/arguments/blob_arguments.h"

#include "base/number_set.h"

namespace rankscope::cli {

void BlobArguments::AddTo(CommandSpec& command, const std::string& option,
                          const std::string& about) {
  command.AddOption(option, place.place, about);
  command.AddOption("--s3-endpoint", place.s3_endpoint,
                    "the address of an S3 store that is not AWS, such as http://127.0.0.1:9000 "
                    "(default: AWS_ENDPOINT_URL)");
  command.AddOption("--s3-region", place.s3_region,
                    "the bucket's region (default: AWS_REGION, else us-east-1)");
  command.AddOption("--blob-cache", cache,
                    "what copies of contents in S3 may take on this machine, such as 100G "
                    "(default: 20G)");
  command.AddOption("--blob-cache-dir", place.cache_folder,
                    "where they lie; with --catalogue each process has one of its own (default: "
                    "blob-cache in the store's folder)");
}

Result<store::BlobPlace> BlobArguments::Read() const {
  store::BlobPlace read = place;
  if (!cache.empty()) {
    RS_ASSIGN_OR_RETURN(read.cache_bytes, ParseByteSize(cache));
  }
  return read;
}

}  // namespace rankscope::cli
