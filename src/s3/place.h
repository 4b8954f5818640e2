// Where a bucket is, and who asks: what a user says (s3://BUCKET/PREFIX, an endpoint, a region) and
// what the environment has.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "s3/sign.h"

namespace rankscope::s3 {

struct Place {
  std::string bucket;
  std::string prefix;    // without slashes at its ends; "": the bucket's top
  std::string endpoint;  // "https://host[:port]"; "": AWS
  std::string region;

  bool operator==(const Place&) const = default;

  // "s3://bucket/prefix"
  std::string Text() const;
  // "prefix/below", or "below" without a prefix.
  std::string Key(std::string_view below) const;
};

// Reads one variable; nullopt where it is not set. For tests.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment ProcessEnvironment();

// `text` is s3://BUCKET or s3://BUCKET/PREFIX; `endpoint` and `region` may be "": then
// AWS_ENDPOINT_URL (AWS_ENDPOINT_URL_S3 before it) and AWS_REGION (AWS_DEFAULT_REGION behind it)
// say it, else it is AWS in us-east-1. kInvalidArgument for what is none of this.
Result<Place> ParsePlace(std::string_view text, std::string_view endpoint, std::string_view region,
                         const Environment& environment);

// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. kInvalidArgument without them.
Result<Credentials> CredentialsOf(const Environment& environment);

// How the bucket is addressed: by its name in the host on AWS, where that is a name of a host
// without dots, else by its name in the path, which every other store takes.
struct BaseAddress {
  std::string scheme;       // "http" or "https"
  std::string host;         // with its port where that is not the scheme's
  std::string path_prefix;  // "" or "/bucket"
};
BaseAddress AddressOf(const Place& place);

}  // namespace rankscope::s3
