// --blobs and related options: where a store keeps its contents.
#pragma once

#include <memory>
#include <string>

#include "cli/base/command.h"
#include "store/blob_place.h"

namespace rankscope::cli {

inline constexpr const char* kBlobsHelp =
    "s3://BUCKET/PREFIX: traces and tables lie there, records in the store's folder, which "
    "remembers it; keys by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";

struct BlobArguments {
  store::BlobPlace place;
  std::string cache;  // a size

  // `option` is the name of the option for the place: --blobs, --to.
  void AddTo(CommandSpec& command, const std::string& option, const std::string& about);
  Result<store::BlobPlace> Read() const;
};

}  // namespace rankscope::cli
